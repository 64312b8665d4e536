"""Checks of what a user passes in: each returns the clean value, or says what was expected.

All raise `ValueError`; a room with an error class of its own passes it as `error`.
"""

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def raised_as(error: type[Exception], caught: type[Exception] = ValueError) -> Iterator[None]:
    """Raise what another room refuses as an error of this one; also a decorator."""
    try:
        yield
    except caught as reason:
        raise error(str(reason)) from reason


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
    return _finite(name, value, "a finite number", error, lambda number: True)


def positive_number(name: str, value: Any, error: type[ValueError] = ValueError) -> float:
    """A finite number above 0."""
    return _finite(name, value, "a finite number above 0", error, lambda number: number > 0.0)


def non_negative_number(name: str, value: Any, error: type[ValueError] = ValueError) -> float:
    """A finite number, 0 or more."""
    return _finite(name, value, "a finite number, 0 or more", error, lambda number: number >= 0.0)


def share(name: str, value: Any) -> float:
    """A number from 0 to 1.

    >>> share("coverage", 80)
    Traceback (most recent call last):
    ...
    ValueError: coverage must be between 0 and 1, got 80
    """
    return _finite(name, value, "between 0 and 1", ValueError, lambda number: 0.0 <= number <= 1.0)


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


def _finite(
    name: str, value: Any, wanted: str, error: type[ValueError], is_fine: Callable[[float], bool]
) -> float:
    try:
        number = math.nan if isinstance(value, str | bytes | bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and is_fine(number)):
        raise error(f"{name} must be {wanted}, got {value!r}")
    return number
