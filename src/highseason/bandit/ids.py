"""Arm ids: any hashable object in use, and those that JSON can carry without loss in a document."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np

from highseason.bandit.errors import BanditError, DocumentError

_PLAIN = (str, int, float, bool, type(None))


def plain(arm: Any) -> Hashable:
    """The id as it is kept: NumPy's numbers and strings become Python's, which are equal to them.

    >>> plain(np.float64(9.99))
    9.99
    """
    if isinstance(arm, np.generic):
        arm = arm.item()
    try:
        hash(arm)
    except TypeError:
        raise BanditError(
            f"the arm {arm!r} cannot be an id: it must be hashable (a str, a number, a tuple)"
        ) from None
    return arm  # type: ignore[no-any-return]  # hash() has just said so


def encode(arm: Hashable) -> Any:
    """The id as JSON.  Only exact types, so that `decode` gives back what went in.

    >>> encode(("shelf", 3))
    {'tuple': ['shelf', 3]}
    """
    if type(arm) is tuple:
        return {"tuple": [encode(part) for part in arm]}
    if type(arm) is float and math.isinf(arm):
        return {"float": str(arm)}
    if type(arm) not in _PLAIN or arm != arm:  # NaN is not even equal to itself
        raise BanditError(
            f"the arm {arm!r} ({type(arm).__name__}) cannot be written as JSON: "
            "ids that are str, int, float, bool, None, or tuples of these can"
        )
    return arm


def decode(written: Any) -> Hashable:
    """The id that `encode` wrote.

    >>> decode({"tuple": ["shelf", 3]})
    ('shelf', 3)
    """
    if type(written) in _PLAIN:
        return written  # type: ignore[no-any-return]  # one of the plain types
    if isinstance(written, dict) and isinstance(written.get("tuple"), list):
        return tuple(decode(part) for part in written["tuple"])
    if isinstance(written, dict) and written.get("float") in ("inf", "-inf"):
        return float(written["float"])
    raise DocumentError(f"{written!r} is not an arm's id")
