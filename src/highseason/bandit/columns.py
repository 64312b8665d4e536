"""What a document is made of: numbers, flags and columns, written exactly and read with suspicion.

Floats are written in Python's shortest exact form.  What JSON has no number for is null (missing)
or a string (infinite).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.errors import DocumentError


def damaged(why: str) -> DocumentError:
    """The error for a document that cannot be what `to_json` wrote."""
    return DocumentError(f"the document is damaged: {why}")


def written(numbers: Iterable[float]) -> list[float | str | None]:
    """A column of floats, ready for JSON.

    >>> written([0.1, math.inf, math.nan])
    [0.1, 'inf', None]
    """
    return [_written(float(number)) for number in numbers]


def _written(number: float) -> float | str | None:
    if math.isfinite(number):
        return number
    return None if math.isnan(number) else str(number)


def floats(items: list[Any]) -> NDArray[np.float64]:
    """The column that `written` wrote.

    >>> floats([0.1, "inf", None])
    array([0.1, inf, nan])
    """
    return np.array([_float(item) for item in items], np.float64)


def _float(item: Any) -> float:
    if item is None:
        return math.nan
    if item in ("inf", "-inf") or (isinstance(item, int | float) and not isinstance(item, bool)):
        return float(item)
    raise damaged(f"{item!r} is not a number")


def whole(item: Any) -> int:
    """A whole number."""
    if isinstance(item, bool) or not isinstance(item, int):
        raise damaged(f"{item!r} is not a whole number")
    return item


def wholes(items: list[Any]) -> NDArray[np.int64]:
    """A column of whole numbers."""
    return np.array([whole(item) for item in items], np.int64)


def flags(items: list[Any]) -> NDArray[np.bool_]:
    """A column of true and false."""
    for item in items:
        if not isinstance(item, bool):
            raise damaged(f"{item!r} is neither true nor false")
    return np.array(items, np.bool_)


def same_length(length: int, **columns: Any) -> None:
    """Refuse columns of another length."""
    for name, column in columns.items():
        if len(column) != length:
            raise damaged(f"{name} has {len(column)} entries, not {length}")
