"""Cells of a table as times, numbers and ids; what cannot be read is None."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any


def time_in(cell: Any) -> int | None:
    """Whole seconds of the Unix epoch: of a number, or an ISO time (UTC where no zone is said).

    >>> time_in("1317513291.7"), time_in("2019-11-24T00:00:34.762830Z"), time_in("soon")
    (1317513291, 1574553634, None)
    """
    if isinstance(cell, datetime):
        return _seconds(cell)
    number = number_in(cell)
    if number is not None:
        return math.floor(number) if abs(number) < 2**62 else None
    try:
        return _seconds(datetime.fromisoformat(str(cell).strip()))
    except ValueError:
        return None


def _seconds(when: datetime) -> int:
    known = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
    return math.floor(known.timestamp())


def number_in(cell: Any) -> float | None:
    """A finite number.

    >>> number_in(" 0.5"), number_in("inf"), number_in(None)
    (0.5, None, None)
    """
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def name_in(cell: Any) -> str | None:
    r"""An id: any text on one line but none at all.

    >>> name_in(" shoes "), name_in(7), name_in(""), name_in(None), name_in("tea\nmilk")
    ('shoes', '7', None, None, None)
    """
    name = "" if cell is None else str(cell).strip()
    return None if "\n" in name or "\r" in name else name or None


def names_in(cell: Any, separator: str) -> list[str] | None:
    """The ids of a pool: a list, or text with a separator between them.

    >>> names_in("a|b |c", "|"), names_in(["a", 7], "|"), names_in("a||b", "|"), names_in("", "|")
    (['a', 'b', 'c'], ['a', '7'], None, None)
    """
    if cell is None:
        return None
    parts = cell if isinstance(cell, list | tuple) else str(cell).strip().split(separator)
    names = [name for part in parts if (name := name_in(part)) is not None]
    return names if len(names) == len(parts) and names else None
