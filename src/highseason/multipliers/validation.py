"""Which numbers may serve as a multiplier: finite and above zero, with a floor if asked."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.multipliers.calendars import Where
from highseason.multipliers.errors import MultiplierError
from highseason.multipliers.wording import brief

Values = NDArray[np.float64]

_FLOOR_HINT = "for closed hours pass floor= (a small positive number)"


def turn_label(i: int) -> str:
    """Name a row of data that came from no file.

    >>> turn_label(0)
    'turn 1'
    """
    return f"turn {i + 1}"


def to_values(data: object, where: Where = turn_label) -> Values:
    """Turn a sequence of numbers into a float array of one dimension, copied.

    >>> to_values([1, 2])
    array([1., 2.])
    """
    array = _as_array(data)
    if array.ndim != 1:
        raise MultiplierError(
            f"a multiplier is one number per turn, but the data has {array.ndim} dimensions: "
            "pick one column"
        )
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype.kind in "OUS":
        return np.array(
            [_number(item, where(i)) for i, item in enumerate(array.tolist())], dtype=np.float64
        )
    raise MultiplierError(f"a multiplier is one number per turn, not {array.dtype} data")


def _as_array(data: object) -> NDArray[Any]:
    if isinstance(data, np.ma.MaskedArray):  # asarray would bring the masked numbers back to life
        return np.ma.filled(np.ma.asarray(data, dtype=np.float64), np.nan)
    try:
        return np.asarray(data)
    except ValueError as error:  # rows of different lengths
        raise MultiplierError(f"a multiplier is one number per turn: {error}") from error


def _number(item: Any, label: str) -> float:
    try:
        return float(item)
    except (TypeError, ValueError):
        raise MultiplierError(f"{label} is {item!r}, which is not a number") from None


def floored(values: Values, floor: float | None) -> Values:
    """Raise values from 0 up to the floor to it; what is missing or negative stays so.

    >>> floored(np.array([0.0, 5.0, np.nan, -3.0]), 1.0)
    array([ 1.,  5., nan, -3.])
    """
    if floor is None:
        return values
    floor = positive("floor", floor)
    return np.where((values >= 0) & (values < floor), floor, values)


def positive(what: str, number: float) -> float:
    """Return the number when it is finite and above zero.

    >>> positive("floor", 2)
    2.0
    """
    if not (math.isfinite(number) and number > 0):
        raise MultiplierError(f"{what} must be a finite number > 0, not {number!r}")
    return float(number)


def check_values(values: Values, where: Where = turn_label) -> None:
    """Refuse an empty or endless multiplier; name the first value that is not finite and > 0.

    >>> check_values(np.array([1.0, 2.0]))
    """
    if values.size == 0:
        raise MultiplierError("a multiplier needs at least one turn: the data is empty")
    wrong = np.flatnonzero(~((values > 0) & np.isfinite(values)))
    if wrong.size:
        i = int(wrong[0])
        value = float(values[i])
        raise MultiplierError(f"{where(i)} is {brief(value)}: {remedy(value)}")
    with np.errstate(over="ignore"):
        endless = not np.isfinite(values.sum())
    if endless:
        raise MultiplierError(
            "the sum of the multiplier is not finite (above 1.8e308): measure it in a larger unit"
        )


def remedy(value: float) -> str:
    """Say why a value cannot be part of a multiplier and what to do about it.

    >>> remedy(math.nan)
    'fill the gap, or drop the turn'
    """
    if math.isnan(value):
        return "fill the gap, or drop the turn"
    if math.isinf(value):
        return "a multiplier must be finite"
    if value < 0:
        return "a multiplier must be > 0, and a floor does not mend negative numbers"
    return f"a multiplier must be > 0; {_FLOOR_HINT}"
