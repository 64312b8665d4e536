"""Numbers that come from outside, checked before anything is changed."""

from __future__ import annotations

import math
from typing import Any

from highseason.bandit.errors import BanditError


def finite(what: str, given: Any) -> float:
    """A finite number."""
    try:
        number = math.nan if isinstance(given, str | bytes) else float(given)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise BanditError(f"{what}={given!r} must be a finite number")
    return number


def not_negative(what: str, given: Any) -> float:
    """A finite number >= 0."""
    number = finite(what, given)
    if number < 0.0:
        raise BanditError(f"{what}={given!r} must not be negative")
    return number


def positive(what: str, given: Any) -> float:
    """A finite number > 0."""
    number = finite(what, given)
    if number <= 0.0:
        raise BanditError(f"{what}={given!r} must be above 0")
    return number
