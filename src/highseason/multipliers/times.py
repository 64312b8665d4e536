"""The time column of a file: ISO dates and times, or unix seconds."""

from typing import Any

import numpy as np

from highseason.multipliers.calendars import Moments, from_stamps
from highseason.multipliers.errors import MultiplierError
from highseason.multipliers.instants import Stamp
from highseason.multipliers.tables import Column, Table

# Nine or ten digits, 1973 to 2286: smaller numbers are hours, days or a count of turns.
_UNIX = (1e8, 1e10)

TIME_FORMS = "ISO dates such as 2013-12-26 or 2013-12-26 12:00, or unix seconds"


def stamps_in(column: Column) -> list[Stamp | None]:
    """Return the cells of a time column as stamps: ISO, or else all of them unix seconds.

    >>> stamps_in(Column(1, "ts", ["1317513291"]))
    [Stamp(instant=np.datetime64('2011-10-01T23:54:51'), zone='UTC')]
    """
    if any(column.stamps):
        return column.stamps
    low, high = _UNIX
    return [_second(number) if low <= number < high else None for number in column.numbers]


def _second(number: float) -> Stamp:
    if number.is_integer():
        return Stamp(np.datetime64(int(number), "s"), "UTC")
    return Stamp(np.datetime64(round(number * 1e6), "us"), "UTC")


def holds_times(column: Column) -> bool:
    """Say whether most cells are times; the rest are then slips, to be named.

    >>> holds_times(Column(1, "day", ["Mon", "Tue"]))
    False
    """
    stamps = stamps_in(column)
    return 2 * sum(stamp is not None for stamp in stamps) > len(stamps)


def calendar_of(table: Table, column: Column, zone: str | None) -> Moments:
    """Return the column as a calendar; refuse a cell that is no time, repeats and disorder."""
    where = table.where(column)
    stamps = []
    for i, stamp in enumerate(stamps_in(column)):
        if stamp is None:
            raise MultiplierError(f"{where(i)}: {_complaint(column.cells[i])}")
        stamps.append(stamp)
    return from_stamps(stamps, zone, where)


def _complaint(cell: Any) -> str:
    text = str(cell)
    if text in ("", "None", "NaT", "nan"):  # the last three: how Parquet's gaps come out
        return "the time is missing: fill it in or drop the row"
    return f"{text!r} is not a time: write {TIME_FORMS}"
