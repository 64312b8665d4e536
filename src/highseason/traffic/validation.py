"""Which numbers may serve as a multiplier: finite and above zero, with a floor if asked."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.validation import positive_number
from highseason.traffic.columns import Where

Values = NDArray[np.float64]


class MultiplierError(ValueError):
    """The data cannot serve as a multiplier; the message says where and what to do.

    >>> from highseason.traffic import from_values
    >>> from_values([3.0, 0.0])
    Traceback (most recent call last):
    ...
    highseason.traffic.validation.MultiplierError: turn 2 is 0: a multiplier must be > 0; \
for closed hours pass floor= (a small positive number)
    """


class CalendarWarning(UserWarning):
    """The calendar may not be what was meant: it has a gap, or its zone had to be chosen."""


class FileNote(UserWarning):
    """How a file was read where that took a decision, such as 31.12.2025 or 1.030,50."""


def turn_label(i: int) -> str:
    """Name a row of data that came from no file."""
    return f"turn {i + 1}"


def brief(number: float) -> str:
    """Write a number in six figures, without powers of ten below a million millions.

    >>> brief(30.0), brief(0.1234567), brief(12453560.0)
    ('30', '0.123457', '12,453,560')
    """
    return f"{number:,.0f}" if 1e6 <= abs(number) < 1e12 else f"{number:.6g}"


def to_values(data: object) -> Values:
    """Turn a sequence of numbers into a float array of one dimension, copied."""
    if isinstance(data, np.ma.MaskedArray):  # asarray would bring masked numbers back
        data = np.ma.filled(np.ma.asarray(data, dtype=np.float64), np.nan)
    try:
        array = np.asarray(data)
    except ValueError as error:  # rows of different lengths
        raise MultiplierError(f"a multiplier is one number per turn: {error}") from error
    if array.ndim != 1:
        raise MultiplierError(
            f"a multiplier is one number per turn, but the data has {array.ndim} dimensions: "
            "pick one column"
        )
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype.kind in "OUS":
        return np.array([_number(item, i) for i, item in enumerate(array.tolist())], np.float64)
    raise MultiplierError(f"a multiplier is one number per turn, not {array.dtype} data")


def _number(item: Any, i: int) -> float:
    try:
        return float(item)
    except (TypeError, ValueError):
        raise MultiplierError(f"{turn_label(i)} is {item!r}, which is not a number") from None


def floored(values: Values, floor: float | None) -> Values:
    """Raise values from 0 up to the floor to it; missing and negative ones stay as they are.

    >>> floored(np.array([0.0, 5.0, np.nan, -3.0]), 1.0)
    array([ 1.,  5., nan, -3.])
    """
    if floor is None:
        return values
    floor = positive_number("floor", floor, MultiplierError)
    return np.where((values >= 0) & (values < floor), floor, values)


def first_wrong(values: Values) -> int | None:
    """Return the first row whose value is not finite and above zero."""
    wrong = np.flatnonzero(~((values > 0) & np.isfinite(values)))
    return int(wrong[0]) if wrong.size else None


def check_values(values: Values, where: Where) -> None:
    """Refuse an empty or infinite multiplier; name the first value that is not finite and > 0."""
    if values.size == 0:
        raise MultiplierError("a multiplier needs at least one turn: the data is empty")
    i = first_wrong(values)
    if i is not None:
        value = float(values[i])
        raise MultiplierError(f"{where(i)} is {brief(value)}: {remedy(value)}")
    with np.errstate(over="ignore"):
        if np.isfinite(values.sum()):
            return
    raise MultiplierError(
        "the sum of the multiplier is not finite (above 1.8e308): measure it in a larger unit"
    )


def remedy(value: float) -> str:
    """Say why a value cannot be part of a multiplier and what to do about it."""
    if math.isnan(value):
        return "fill the gap, or drop the turn"
    if math.isinf(value):
        return "a multiplier must be finite"
    if value < 0:
        return "a multiplier must be > 0, and a floor does not change negative numbers"
    return "a multiplier must be > 0; for closed hours pass floor= (a small positive number)"
