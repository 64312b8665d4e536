"""Calendars: when each turn is, strictly in the order of time."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from highseason.multipliers.errors import MultiplierError
from highseason.multipliers.instants import Stamp, When, show, span_of, stamp_of

Calendar = NDArray[np.datetime64]

Where = Callable[[int], str]
"""Says in words where row ``i`` (from 0) of the data came from."""

_UNITS = ("D", "s", "us")


def calendar_row(i: int) -> str:
    """Name a row of a calendar that came from no file."""
    return f"calendar row {i + 1}"


def to_calendar(stamps: object, where: Where = calendar_row) -> Calendar:
    """Turn dates, datetimes, ISO texts or a ``datetime64`` array into a calendar.

    >>> to_calendar(["2013-12-26", "2013-12-27"])
    array(['2013-12-26', '2013-12-27'], dtype='datetime64[D]')
    """
    array = np.asarray(stamps)
    if array.ndim != 1:
        raise MultiplierError(f"a calendar is a plain list of times, not {array.ndim}-dimensional")
    if array.dtype.kind != "M":
        array = from_stamps(
            [stamp_of(item, where(i)) for i, item in enumerate(array.tolist())], where
        )
    return checked(array, where)


def from_stamps(stamps: Sequence[Stamp], where: Where) -> Calendar:
    """Join stamps to an array; refuse a mixture of times with and without a zone."""
    for i, stamp in enumerate(stamps):
        if stamp.aware != stamps[0].aware:
            has, others = ("a", "none") if stamp.aware else ("no", "one")
            raise MultiplierError(
                f"{where(i)} has {has} time zone and the rows before it have {others}: "
                "give every time a zone, or none"
            )
    return np.array([stamp.instant for stamp in stamps], dtype="datetime64")


def checked(array: Calendar, where: Where) -> Calendar:
    """Return the array in its coarsest lossless unit; refuse gaps, repeats and disorder."""
    missing = np.flatnonzero(np.isnat(array))
    if missing.size:
        raise MultiplierError(f"{where(int(missing[0]))} has no time: fill it in or drop the row")
    wrong = np.flatnonzero(array[1:] <= array[:-1])
    if wrong.size:
        i = int(wrong[0]) + 1
        raise MultiplierError(_disorder(array, i, where))
    return _coarsest(array)


def _disorder(array: Calendar, i: int, where: Where) -> str:
    if array[i] == array[i - 1]:
        return (
            f"{where(i)} repeats the time {show(array[i])} of the row before: "
            "add rows of the same time up, or drop one"
            f"{_if_clocks_went_back(array[i])}"
        )
    return (
        f"{where(i)} is at {show(array[i])}, before {show(array[i - 1])} in the row above it: "
        "sort the rows by time"
    )


def _if_clocks_went_back(instant: np.datetime64) -> str:
    """A hint for the hour that local clocks show twice in autumn."""
    month = int(instant.astype("datetime64[M]").astype(np.int64)) % 12 + 1
    day = instant.astype("datetime64[D]")
    sunday = int((day - np.datetime64("1970-01-04")).astype(np.int64)) % 7 == 0
    hour = int((instant - day) / np.timedelta64(1, "h"))
    if not (sunday and 0 <= hour <= 3 and month in (3, 4, 10, 11)):
        return ""
    return (
        "; if it is the hour in which clocks go back, write times in UTC or with their zone "
        "(01:00+01:00, 01:00+00:00)"
    )


def _coarsest(array: Calendar) -> Calendar:
    # One unit for the same times, wherever they came from (pandas says ns, a CSV says s), and
    # no ns unless needed: its range ends in 2262, so comparing it with far dates wraps round.
    for unit in _UNITS:
        coarse = array.astype(f"datetime64[{unit}]")
        if np.array_equal(coarse, array):
            return coarse
    return array.copy()


def same(one: Calendar | None, other: Calendar | None) -> bool:
    """Say whether two calendars hold the same times (or are both missing).

    >>> same(None, None)
    True
    """
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def rows_between(calendar: Calendar, first: When, last: When) -> slice:
    """Return the rows from the start of ``first`` to the end of ``last``.

    >>> rows_between(to_calendar(["2013-12-25", "2013-12-26"]), "2013-12", "2013-12-25")
    slice(0, 1, None)
    """
    start, end = span_of(first)[0], span_of(last)[1]
    return slice(_rows_before(calendar, start), _rows_before(calendar, end))


def _rows_before(calendar: Calendar, instant: np.datetime64) -> int:
    # Against ns a date beyond 2262 wraps round; flooring the calendar to the unit below changes
    # no comparison with an instant of that unit or a coarser one.
    if "[ns]" in str(calendar.dtype) and "[ns]" not in str(instant.dtype):
        calendar = calendar.astype("datetime64[us]")
    return int(np.searchsorted(calendar, instant))
