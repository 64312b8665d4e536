"""Checks of what a user passes in: each returns the clean value, or says what was expected.

All raise `ValueError`; a room with an error class of its own passes it as `error`.
"""

import math
import operator
from collections.abc import Iterable
from typing import Any


def whole_number(
    name: str, value: Any, at_least: int = 0, error: type[ValueError] = ValueError
) -> int:
    """A whole number, at least `at_least`; NumPy integers count, `True` and 2.0 do not.

    >>> whole_number("games", 0, at_least=1)
    Traceback (most recent call last):
    ...
    ValueError: games must be a whole number, at least 1, got 0
    """
    try:
        number = at_least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = at_least - 1
    if number < at_least:
        raise error(f"{name} must be a whole number, at least {at_least}, got {value!r}")
    return number


def finite_number(name: str, value: Any, error: type[ValueError] = ValueError) -> float:
    """A finite number; text is refused even where `float` would read it."""
    number = _as_float(value)
    if not math.isfinite(number):
        raise error(f"{name} must be a finite number, got {value!r}")
    return number


def positive_number(name: str, value: Any, error: type[ValueError] = ValueError) -> float:
    """A finite number above 0."""
    number = _as_float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise error(f"{name} must be a finite number above 0, got {value!r}")
    return number


def non_negative_number(name: str, value: Any, error: type[ValueError] = ValueError) -> float:
    """A finite number, 0 or more."""
    number = _as_float(value)
    if not (math.isfinite(number) and number >= 0.0):
        raise error(f"{name} must be a finite number, 0 or more, got {value!r}")
    return number


def share(name: str, value: Any) -> float:
    """A number from 0 to 1.

    >>> share("coverage", 80)
    Traceback (most recent call last):
    ...
    ValueError: coverage must be between 0 and 1, got 80
    """
    number = _as_float(value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"{name} must be between 0 and 1, got {value!r}")
    return number


def one_of(
    name: str, value: Any, choices: Iterable[str], error: type[ValueError] = ValueError
) -> str:
    """One of a few words.

    >>> one_of("ties", "first", ("lowest", "random"))
    Traceback (most recent call last):
    ...
    ValueError: ties must be 'lowest' or 'random', got 'first'
    """
    known = list(choices)
    if value not in known:
        *rest, last = map(repr, known)
        expected = f"{', '.join(rest)} or {last}" if rest else last
        raise error(f"{name} must be {expected}, got {value!r}")
    return str(value)


def _as_float(value: Any) -> float:
    """The value as a float; NaN where it is no number."""
    if isinstance(value, str | bytes | bool):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
