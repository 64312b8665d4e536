"""Calendars: when each turn is, strictly in the order of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from highseason.core.warnings import warn_user
from highseason.multipliers.errors import CalendarWarning, MultiplierError
from highseason.multipliers.instants import Stamp, When, show, stamp_of
from highseason.multipliers.zones import (
    checked_zone,
    comes_twice,
    offset_name,
    offsets,
    to_instants,
    to_local,
)

Calendar = NDArray[np.datetime64]

Where = Callable[[int], str]
"""Says in words where row ``i`` (from 0) of the data came from."""

_UNITS = ("D", "s", "us")


def calendar_row(i: int) -> str:
    """Name a row of a calendar that came from no file."""
    return f"calendar row {i + 1}"


@dataclass(frozen=True, eq=False)
class Moments:
    """When each turn is: instants in the order of time, and the zone whose days and hours count.

    With a zone the instants are in UTC; without one they are what the data said.

    >>> rome = Moments(np.array(["2024-03-30T23:00"], dtype="datetime64[s]"), "Europe/Rome")
    >>> rome.local
    array(['2024-03-31'], dtype='datetime64[D]')
    """

    instants: Calendar
    zone: str | None = None

    @cached_property
    def local(self) -> Calendar:
        """What the clock on the wall says at each turn; where it is put back, some of it twice."""
        if self.zone is None:
            return self.instants
        return _coarsest(to_local(self.instants, self.zone))

    @property
    def size(self) -> int:
        """The number of turns."""
        return int(self.instants.size)

    def same(self, other: Moments) -> bool:
        """Say whether the turns are at the same times, in the same zone."""
        return self.zone == other.zone and np.array_equal(self.instants, other.instants)

    def take(self, rows: slice | NDArray[np.intp]) -> Moments:
        """Keep these rows."""
        return Moments(self.instants[rows], self.zone)

    def show(self, i: int) -> str:
        """Write when row ``i`` is by the clock of the zone; an hour that comes twice says which.

        >>> Moments(np.array(["2024-10-27T01:00"], "datetime64[s]"), "Europe/Rome").show(0)
        '2024-10-27 02:00+01:00'
        """
        text = show(self.local[i])
        if self.zone is None or not comes_twice(self.local[i], self.zone):
            return text
        offset = offsets(self.instants[[i]], self.zone)[0]
        return f"{text}{offset_name(offset.astype('timedelta64[s]').item()).replace('UTC', 'Z')}"

    def rows(self, first: When, last: When) -> slice:
        """Return the rows from the start of ``first`` to the end of ``last``.

        A time without a zone is one of this calendar's own clock; a date is the whole day and
        ``"2013-12"`` the whole month; a datetime is an instant.

        >>> to_moments(["2013-12-25", "2013-12-26"]).rows("2013-12", "2013-12-25")
        slice(0, 1, None)
        """
        start, end = self._stamp(first), self._stamp(last)
        return slice(
            _rows_before(self.instants if start.zone else self._latest, start.instant),
            _rows_before(
                self.instants if end.zone else self._earliest,
                end.instant + np.timedelta64(1),  # one of its own unit
            ),
        )

    def _stamp(self, when: When) -> Stamp:
        stamp = stamp_of(when)
        if stamp.zone is not None and self.zone is None:
            raise MultiplierError(
                f"{when!r} has a time zone and the calendar has none: leave it out, or say which "
                "zone the calendar is in (zone=)"
            )
        return stamp

    # Where the clock is put back, local times fall for a moment. Sorted bounds find the first
    # time it says a thing, and the last.

    @cached_property
    def _latest(self) -> Calendar:
        return np.maximum.accumulate(self.local)

    @cached_property
    def _earliest(self) -> Calendar:
        return np.minimum.accumulate(self.local[::-1])[::-1]


def to_moments(stamps: object, zone: str | None = None, where: Where = calendar_row) -> Moments:
    """Turn dates, datetimes, ISO texts or a ``datetime64`` array into a calendar.

    Times without a zone are taken by the clock of ``zone``, if one is given.

    >>> to_moments(["2013-12-26 00:00+01:00", "2013-12-27 00:00+01:00"]).zone
    '+01:00'
    """
    zone = None if zone is None else checked_zone(zone)
    if isinstance(stamps, Moments):
        if stamps.zone is None:
            return from_clock(stamps.instants, zone, where)
        return _of_instants(stamps.instants, zone or checked_zone(stamps.zone), where)
    array = np.asarray(stamps)
    if array.ndim != 1:
        raise MultiplierError(f"a calendar is a plain list of times, not {array.ndim}-dimensional")
    if array.dtype.kind == "M":
        return from_clock(array, zone, where)
    return from_stamps(
        [stamp_of(item, where(i)) for i, item in enumerate(array.tolist())], zone, where
    )


def from_clock(array: Calendar, zone: str | None, where: Where = calendar_row) -> Moments:
    """Make a calendar of times without a zone: those of the clock in ``zone``, if one is given."""
    if zone is not None:
        _refuse_missing(array, where)
        array = to_instants(array, zone)
    return _of_instants(array, zone, where)


def from_stamps(stamps: Sequence[Stamp], zone: str | None, where: Where) -> Moments:
    """Join stamps to a calendar; refuse a mixture of times with and without a zone."""
    for i, stamp in enumerate(stamps):
        if (stamp.zone is None) != (stamps[0].zone is None):
            has, others = ("no", "one") if stamp.zone is None else ("a", "none")
            raise MultiplierError(
                f"{where(i)} has {has} time zone and the rows before it have {others}: "
                "give every time a zone, or none"
            )
    array = np.array([stamp.instant for stamp in stamps], dtype="datetime64")
    said = {stamp.zone: i for i, stamp in reversed(list(enumerate(stamps)))}
    if None in said or not said:
        return from_clock(array, zone, where)
    if zone is None and len(said) > 1:
        _warn_of_several(said, where)
    return _of_instants(array, zone or (stamps[0].zone if len(said) == 1 else "UTC"), where)


def _warn_of_several(said: dict[str | None, int], where: Where) -> None:
    (one, _), (other, row) = sorted(said.items(), key=lambda item: item[1])[:2]
    warn_user(
        f"{where(row)} is in {other} and the rows before it in {one}: days and hours are taken in "
        "UTC; to take them by one clock say its zone, such as zone='Europe/Rome'",
        CalendarWarning,
    )


def _of_instants(array: Calendar, zone: str | None, where: Where) -> Moments:
    """Put the instants in their coarsest lossless unit; refuse gaps, repeats and disorder."""
    _refuse_missing(array, where)
    wrong = np.flatnonzero(array[1:] <= array[:-1])
    if wrong.size:
        i = int(wrong[0]) + 1
        raise MultiplierError(_disorder(Moments(array, zone), i, where))
    moments = Moments(_coarsest(array), zone)
    for own in (moments.instants, moments.local):
        own.setflags(write=False)
    return moments


def _refuse_missing(array: Calendar, where: Where) -> None:
    missing = np.flatnonzero(np.isnat(array))
    if missing.size:
        raise MultiplierError(f"{where(int(missing[0]))} has no time: fill it in or drop the row")


def _disorder(moments: Moments, i: int, where: Where) -> str:
    if moments.instants[i] == moments.instants[i - 1]:
        return (
            f"{where(i)} repeats the time {moments.show(i)} of the row before: "
            "add rows of the same time up, or drop one"
            f"{_if_clocks_went_back(moments.local[i])}"
        )
    return (
        f"{where(i)} is at {moments.show(i)}, before {moments.show(i - 1)} in the row above it: "
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


def _rows_before(calendar: Calendar, instant: np.datetime64) -> int:
    # Against ns a date beyond 2262 wraps round; flooring the calendar to the unit below changes
    # no comparison with an instant of that unit or a coarser one.
    if "[ns]" in str(calendar.dtype) and "[ns]" not in str(instant.dtype):
        calendar = calendar.astype("datetime64[us]")
    return int(np.searchsorted(calendar, instant))


def join(parts: Sequence[Moments]) -> Moments:
    """Put calendars one after the other; refuse what overlaps, warn of a gap between two.

    >>> join([to_moments(["2013-12-25"]), to_moments(["2013-12-26"])]).local
    array(['2013-12-25', '2013-12-26'], dtype='datetime64[D]')
    """
    for before, after in pairwise(parts):
        require_same_zone(before, after)
        if after.instants[0] <= before.instants[-1]:
            raise MultiplierError(
                f"a multiplier that ends at {before.show(-1)} cannot be followed by one that "
                f"begins at {after.show(0)}: put them in the order of time, without overlap"
            )
    whole = Moments(np.concatenate([part.instants for part in parts]), parts[0].zone)
    joints = np.cumsum([part.size for part in parts])[:-1] - 1
    _warn_of_gaps(whole, joints)
    return whole


def require_same_zone(one: Moments, other: Moments) -> None:
    """Refuse calendars of two clocks."""
    if one.zone != other.zone:
        first, second = (part.zone or "no time zone" for part in (one, other))
        raise MultiplierError(
            f"one calendar has {first} and the other {second}: give both the same (zone=)"
        )


def _warn_of_gaps(whole: Moments, joints: NDArray[np.intp]) -> None:
    # By the wall clock as well: days are 23 or 25 hours long where it is changed.
    clocks = [np.diff(whole.instants), np.diff(whole.local)]
    inner = np.delete(np.arange(whole.size - 1), joints)
    if inner.size == 0:
        return
    usual = np.median(clocks[0][inner].astype(np.int64)).astype(clocks[0].dtype)
    for i in joints.tolist():
        if any(_is_usual(steps[i], steps[inner]) for steps in clocks):
            continue
        warn_user(
            f"the calendar goes from {whole.show(i)} (turn {i + 1}) to {whole.show(i + 1)} "
            f"(turn {i + 2}), where its turns are usually {_length(usual)} apart: what lies "
            "between has no turn",
            CalendarWarning,
        )


def _is_usual(step: np.timedelta64, steps: NDArray[np.timedelta64]) -> bool:
    # A quarter to spare for months; and what recurs, like the weekends of working days.
    counts = steps.astype(np.int64)
    one = int(step.astype(np.int64))
    recurring = np.count_nonzero(counts == one)
    near = abs(one - float(np.median(counts))) <= 0.25 * float(np.median(counts))
    return bool(near or recurring >= max(2, 0.1 * counts.size))


def _length(step: np.timedelta64) -> str:
    return str(step.astype("timedelta64[us]").item()).removesuffix(", 0:00:00")
