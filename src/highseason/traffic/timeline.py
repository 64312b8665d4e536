"""When each turn is: instants in chronological order, and the zone whose days and hours count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import counted, six_figures
from highseason.core.validation import positive_number, raised_as
from highseason.core.warnings import warn_user
from highseason.traffic.columns import Column, FileTable, Where
from highseason.traffic.dates import (
    Instants,
    Stamps,
    TableError,
    When,
    check_zone,
    coarsest,
    format_time,
    instants_of,
    offset_name,
    time_of,
    to_instants,
    to_wall,
    zone_info,
    zone_name,
)

Values = NDArray[np.float64]


class MultiplierError(ValueError):
    """The data cannot serve as a multiplier; the message says where and what to do.

    >>> from highseason.traffic import from_values
    >>> from_values([3.0, 0.0])
    Traceback (most recent call last):
    ...
    highseason.traffic.timeline.MultiplierError: turn 2 is 0: a multiplier must be > 0; \
for closed hours pass floor= (a small positive number)
    """


class SparseError(MultiplierError):
    """The times lie on a grid that is nearly empty, and too large to lay: is a date wrong?"""


class CalendarWarning(UserWarning):
    """The calendar may not be what was meant: it has a gap, or its zone had to be chosen."""


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
        raise MultiplierError(f"turn {i + 1} is {item!r}, which is not a number") from None


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
        raise MultiplierError(f"{where(i)} is {six_figures(value)}: {remedy(value)}")
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


@dataclass(frozen=True, eq=False)
class Timeline:
    """The instants of the turns, strictly increasing, and the zone whose days and hours count.

    With a zone the instants are in UTC; without one they are what the data says.

    >>> rome = Timeline(np.array(["2024-03-30T23:00"], dtype="datetime64[s]"), "Europe/Rome")
    >>> rome.wall
    array(['2024-03-31'], dtype='datetime64[D]')
    """

    instants: Instants
    zone: str | None = None

    @classmethod
    @raised_as(MultiplierError, TableError)
    def of(cls, times: Any, zone: str | None = None, where: Where | None = None) -> Timeline:
        """Read dates, datetimes, ISO texts, a ``datetime64`` array or a pandas index.

        Times without a zone are read by the clock of ``zone``, if one is given.

        >>> Timeline.of(["2013-12-26 00:00+01:00", "2013-12-27 00:00+01:00"]).zone
        '+01:00'
        """
        zone = None if zone is None else check_zone(zone)
        where = where or (lambda i: f"calendar row {i + 1}")
        if getattr(times, "tz", None) is not None:
            offset = None if times.hasnans or not len(times) else times[0].utcoffset()
            times = Timeline(np.asarray(times.tz_convert(None)), zone_name(times.tz, offset))
        if isinstance(times, Timeline):
            if times.zone is None:
                return _by_clock(times.instants, zone, where)
            return _checked(times.instants, zone or check_zone(times.zone), where)
        if isinstance(times, Stamps):
            return _of_stamps(times, zone, where)
        array = np.asarray(times)
        if array.ndim != 1:
            raise MultiplierError(
                f"a calendar must be a plain list of times, got {array.ndim} dimensions"
            )
        if array.dtype.kind == "M":
            return _by_clock(array, zone, where)
        stamps = [time_of(item, where(i)) for i, item in enumerate(array.tolist())]
        instants = np.array([stamp.instant for stamp in stamps], dtype="datetime64")
        zones = np.array([stamp.zone for stamp in stamps], dtype=np.object_)
        return _of_stamps(Stamps(instants, zones), zone, where)

    @classmethod
    def of_rows(
        cls, table: FileTable, column: Column, zone: str | None = None
    ) -> tuple[Timeline, NDArray[np.intp]] | None:
        """The times of a column in order, and the place (from 0) of each row's; None without times.

        Rows may share a time, and be in any order.
        """
        column = replace(column, is_chosen_time=True)
        if column.time_reading.share <= 0.5:
            return None
        stamps, where = table.times(column), table.where(column)
        instants, first, turn = np.unique(stamps.instants, return_index=True, return_inverse=True)
        times = Stamps(instants, stamps.zones[first])
        return cls.of(times, zone, lambda i: where(int(first[i]))), turn

    @cached_property
    def wall(self) -> Instants:
        """What the wall clock shows at each turn; where it is put back, some times twice."""
        if self.zone is None:
            return self.instants
        return coarsest(to_wall(self.instants, self.zone))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Timeline):
            return NotImplemented
        return self.zone == other.zone and np.array_equal(self.instants, other.instants)

    def take(self, rows: slice | NDArray[np.intp]) -> Timeline:
        """Keep these rows."""
        return Timeline(self.instants[rows], self.zone)

    def show(self, i: int) -> str:
        """Write the time of row ``i`` by the clock of the zone; with its offset if ambiguous.

        >>> Timeline(np.array(["2024-10-27T01:00"], "datetime64[s]"), "Europe/Rome").show(0)
        '2024-10-27 02:00+01:00'
        """
        text = format_time(self.wall[i])
        first, last = (None, None) if self.zone is None else instants_of(self.wall[i], self.zone)
        if first == last:
            return text
        offset = (self.wall[i] - self.instants[i]).astype("timedelta64[s]").item()
        return f"{text}{offset_name(offset).replace('UTC', 'Z')}"

    @raised_as(MultiplierError, TableError)
    def rows(self, when: When) -> slice:
        """Return the rows from the start of ``when`` to its end.

        A time without a zone is one of this calendar's own clock; a date is the whole day and
        ``"2013-12"`` the whole month; a datetime is an instant.
        """
        start, zone = time_of(when)
        if zone is not None and self.zone is None:
            raise MultiplierError(
                f"{when!r} has a time zone and the calendar has none: leave it out, or name the "
                "zone of the calendar (zone=)"
            )
        end = (start.view(np.int64) + 1).view(start.dtype)  # one of its own unit later
        first, last = self._bounds if zone is None else (self.instants, self.instants)
        return slice(_rows_before(first, start), _rows_before(last, end))

    @raised_as(MultiplierError, TableError)
    def holding(self, when: When) -> int | None:
        """Return the row during which ``when`` falls, where no row begins; None if there is none.

        A row lasts until the next begins; the last row and one before a gap last as long as usual.
        """
        instant, zone = time_of(when)
        by_clock = zone is None and self.zone is not None
        both = instants_of(instant, self.zone or "") if by_clock else (instant, instant)
        row, other = (_rows_before(self.instants, each) - 1 for each in both)
        if row != other:
            raise MultiplierError(
                f"the clock of {self.zone} shows {when!r} twice: add its offset, or pass a "
                "datetime with a time zone"
            )
        if row < 0 or self.instants.size < 2:
            return None
        if row + 1 < self.wall.size and self.wall[row + 1] - self.wall[row] <= 1.25 * self._usual:
            return row
        wall = to_wall(np.array([instant]), self.zone)[0] if zone and self.zone else instant
        return row if wall < self._usual_end(row) else None

    def _usual_end(self, row: int) -> np.datetime64:
        """When a row would end, by the clock, if it lasted as long as usual."""
        months = self.wall.astype("datetime64[M]")
        if (months == self.wall).all():  # months differ in length
            count = int(np.median(np.diff(months).astype(np.int64)))
            return months[row] + np.timedelta64(count, "M")  # type: ignore[no-any-return]  # a date
        return self.wall[row] + self._usual  # type: ignore[no-any-return]  # a date

    @cached_property
    def _usual(self) -> np.timedelta64:
        """How far rows are usually apart, by the clock."""
        steps = np.diff(self.wall)
        return np.median(steps.astype(np.int64)).astype(steps.dtype)

    @property
    def far_off(self) -> str:
        """The date that is far from all others, if there is one: most of the time is a gap."""
        steps = np.diff(self.instants)
        after = int(np.argmax(steps)) + 1 if steps.size else 0
        if not steps.size or 2 * steps[after - 1] <= self.instants[-1] - self.instants[0]:
            return ""
        return self.show(after if 2 * after >= self.instants.size else after - 1)

    def moment(self, row: int) -> date:
        """Return when a row begins: a date, or a datetime in the zone of the calendar."""
        instant = self.instants[row]
        if self.zone is None and instant.dtype == "datetime64[D]":
            return instant.item()  # type: ignore[no-any-return]  # a date
        begin: datetime = instant.astype("datetime64[us]").item()
        if self.zone is None:
            return begin
        return begin.replace(tzinfo=UTC).astimezone(zone_info(self.zone))

    @cached_property
    def _bounds(self) -> tuple[Instants, Instants]:
        # Where the clock is put back, wall times fall for a moment. Sorted bounds find the first
        # and the last turn at which it shows a time.
        wall = self.wall
        return np.maximum.accumulate(wall), np.minimum.accumulate(wall[::-1])[::-1]


#: What a turn of a regular calendar may be, in seconds; from a day on, turns follow the wall clock.
LENGTHS = {"minute": 60, "hour": 60 * 60, "day": 24 * 60 * 60, "week": 7 * 24 * 60 * 60}
_DAY = np.timedelta64(1, "D")
_YEAR = 365.25
#: A time of the week is closed if it is idle in this share of all its weeks, or of the last ones;
#: but not if it was open in two or more of the latest.
_CLOSED, _LAST, _LATEST, _OPENED = 0.9, 52, 4, 2
_MONDAY = np.datetime64("1969-12-29")
#: The most places that are laid, and how many more each turn of a past allows; a place of a past
#: takes 60 bytes, one of a forecast 2 kB.
_PLACES, _PER_TURN = 1_250_000, 10


@dataclass(frozen=True)
class Calendar:
    """Turns that follow each other evenly: the start of the first, and their length.

    >>> days = Calendar.starting("2026-03-28", "day", "Europe/Rome")
    >>> days.instants(2)[1]  # the clock is put forward
    np.datetime64('2026-03-28T23:00:00')
    >>> Calendar.starting("2026-03-28", closed=[6]).instants(2)[1]  # no turn on Sundays
    np.datetime64('2026-03-30T00:00:00')
    """

    first: np.datetime64
    step: np.timedelta64 | None  # None for months
    zone: str | None = None
    months: int = 1  # that a turn lasts, where there is no step: 3 for quarters
    closed: tuple[int, ...] = ()  # times of the week without a turn, counted from Monday, 0:00

    @classmethod
    @raised_as(MultiplierError, TableError)
    def starting(
        cls, start: str, every: str = "day", zone: str = "UTC", closed: Sequence[int] = ()
    ) -> Calendar:
        """Turns of one of `LENGTHS`, from a time by the clock of the zone."""
        first, own = time_of(start, "start")
        if own is not None:
            raise MultiplierError(
                f"start={start!r} has an offset: give the time by the clock of zone={zone!r}, "
                "without one"
            )
        week = LENGTHS["week"] // LENGTHS[every]
        if len(set(closed)) >= week or not set(closed) <= set(range(week)):
            raise MultiplierError(
                f"closed must name some of the {week} times of a week, from 0 (on Monday) to "
                f"{week - 1}, got {list(closed)}"
            )
        step = np.timedelta64(LENGTHS[every], "s")
        return cls(first, step, check_zone(zone), closed=tuple(closed))

    @classmethod
    def under(cls, stamps: Instants) -> tuple[Calendar, NDArray[np.int64]]:
        """The calendar of these times, and the place of each in it: gaps are places without one."""
        if stamps.size < 2:
            raise MultiplierError("one turn has no distance to the next: give at least two")
        steps = np.diff(stamps)
        if (steps / _DAY).min() >= 28 and (stamps == stamps.astype("datetime64[M]")).all():
            months = stamps.astype("datetime64[M]")
            length = int(np.gcd.reduce((months - months[0]).astype(np.int64)))
            grid = cls(months[0], None, months=length)
            return grid, grid.places(stamps)
        usual = np.sort(steps)[(steps.size - 1) // 2]
        # Where most steps are longer than a day, some weekdays may be closed.
        dense = 4 * steps.size * _DAY > stamps[-1] - stamps[0]
        for step in (usual, _DAY) if usual > _DAY and dense else (usual,):
            grid = cls(stamps[0], step)
            places = grid.places(stamps)
            off = np.abs(stamps - grid.at(places))
            wrong = np.flatnonzero((off > step / 4) | (np.diff(places, prepend=-1) < 1))
            if not wrong.size:
                return grid, places
        raise MultiplierError(
            f"the times are not evenly spaced: {format_time(stamps[int(wrong[0])])} does not "
            f"lie on steps of {_worded(usual)} from {format_time(stamps[0])}; join turns to "
            'even ones first, such as resample("1D")'
        )

    @classmethod
    @raised_as(MultiplierError, TableError)
    def around(
        cls, line: Timeline, zone: str | None = None, idle: NDArray[np.bool_] | None = None
    ) -> tuple[Calendar, NDArray[np.int64], str | None]:
        """The calendar under some times, their places, and the zone of its clock, if it is in UTC.

        Times of the week that are absent or `idle` in nine of ten of their weeks are closed.

        >>> days = np.arange("2026-03-02", "2026-03-30", dtype="datetime64[D]")
        >>> Calendar.around(Timeline.of(days[np.arange(28) % 7 != 6]))[0].closed
        (6,)
        """
        steps, zone = np.diff(line.wall.astype("datetime64[s]")), zone and check_zone(zone)
        if line.zone is None or (steps.size and steps.min() >= _DAY):  # days go by the wall clock
            stamps, zone = line.wall, zone if line.zone is None else None
        else:  # hours are even in UTC
            stamps, zone = line.instants, zone or line.zone
        grid, places = cls.under(stamps)
        if (turns := int(places[-1]) + 1) > _PLACES + _PER_TURN * stamps.size:
            which = f", such as {line.far_off}" if line.far_off else ""
            raise SparseError(
                f"a turn every {grid.every} from {line.show(0)} to {line.show(-1)} makes "
                f"{turns:,}, and there are {stamps.size:,}: is a date wrong{which}? If none is, "
                "pass every='1D' to add up the rows of a day"
            )
        nobody = np.ones(turns, np.bool_)
        nobody[places] = False if idle is None else idle
        return grid._closing(nobody, zone), places, zone

    def _closing(self, idle: NDArray[np.bool_], zone: str | None) -> Calendar:
        """The same, closed at the times of the week (of a short past, of the day) that are idle."""
        if self.step is None or self.step > _DAY or _DAY % self.step or not idle.any():
            return self
        week = self._week
        length = week if idle.size >= 2 * week else week // 7
        if length < 2 or idle.size < 2 * length:
            return self
        phases = self._times_of_week(self.walls(np.arange(idle.size), zone)) % length
        age = np.arange(idle.size)[::-1] // length
        share, last, latest = (
            np.bincount(phases[kept], idle[kept], length)
            / np.maximum(np.bincount(phases[kept], minlength=length), 1)
            for kept in (age >= 0, age < _LAST, age < _LATEST)
        )
        closed = np.maximum(share, last) >= _CLOSED - 1e-9
        closed &= _LATEST * (1 - latest) < _OPENED
        if closed.all():
            return self
        return replace(self, closed=tuple(np.flatnonzero(np.tile(closed, week // length)).tolist()))

    def only(self, instants: Instants) -> Calendar:
        """The same, closed at the times of the week of all turns between these (in UTC)."""
        length = round(float((instants[-1] - instants[0]) / (7 * _DAY)) * self._week) + 1
        if self._week < 7 or not instants.size < length <= _PLACES:
            return self
        absent = np.setdiff1d(self.instants(length), instants)
        walls = absent if self.zone is None else to_wall(absent, self.zone)
        closed = np.unique(self._times_of_week(walls)).tolist()
        return self if len(closed) == self._week else replace(self, closed=tuple(closed))

    @property
    def start(self) -> str:
        """When the first turn starts, by the clock of the zone."""
        return format_time(self.first)

    @property
    def every(self) -> str:
        """What a turn is: the name of its length, or the length in words."""
        span = counted(self.months, "month") if self.step is None else _worded(self.step)
        return span.removeprefix("1 ")

    def at(self, places: NDArray[np.int64]) -> Instants:
        """When the turns at these places (from 0) are, in even steps from the first."""
        if self.step is None:
            months = self.first.astype("datetime64[M]") + places * np.timedelta64(self.months, "M")
            return np.asarray(months, "datetime64[D]")
        return np.asarray(self.first + places * self.step)

    def places(self, stamps: Instants) -> NDArray[np.int64]:
        """The places that are nearest to these times."""
        if self.step is None:
            return (stamps.astype("datetime64[M]") - self.first).astype(np.int64) // self.months
        return np.rint((stamps - self.first) / self.step).astype(np.int64)

    def walls(self, places: NDArray[np.int64], zone: str | None) -> Instants:
        """What the clock of the zone shows then, if the stamps are in UTC; else the stamps."""
        stamps = self.at(places)
        return stamps if zone is None else to_wall(stamps.astype("datetime64[s]"), zone)

    @property
    def _week(self) -> int:
        assert self.step is not None, "months have no times of the week"
        return int(7 * _DAY / self.step)

    def _times_of_week(self, walls: Instants) -> NDArray[np.int64]:
        assert self.step is not None, "months have no times of the week"
        return np.asarray((walls - _MONDAY) // self.step, np.int64) % self._week

    def is_open(self, places: NDArray[np.int64], zone: str | None) -> NDArray[np.bool_]:
        """Which places have a turn."""
        if not self.closed:
            return np.ones(places.size, np.bool_)
        return ~np.isin(self._times_of_week(self.walls(places, zone)), self.closed)

    def following(self, start: int, turns: int, zone: str | None = None) -> NDArray[np.int64]:
        """The next places that have a turn, from `start` on."""
        needed = turns
        if self.closed:
            needed = (turns // (self._week - len(self.closed)) + 2) * self._week
        if needed > _PLACES:
            raise SparseError(
                f"{turns:,} turns, {needed:,} with closed times between them, are more than the "
                f"{_PLACES:,} that can be planned: make turns longer, or ask for fewer"
            )
        places = np.arange(start, start + needed)
        return places[self.is_open(places, zone)][:turns]

    def instants(self, turns: int) -> Instants:
        """The starts of the first turns in UTC; hours and minutes last as long as ever."""
        if self.zone is None or (self.step is not None and self.step < _DAY):
            first = self.first.astype("datetime64[s]")
            if self.zone is not None:
                first = to_instants(np.array([first]), self.zone)[0]
            even = replace(self, first=first, zone=None)
            return even.at(even.following(0, turns, self.zone))
        return to_instants(self.at(self.following(0, turns)).astype("datetime64[s]"), self.zone)

    def seasons(self) -> tuple[float, ...]:
        """The turns in a day, a week and a year; only seasons of two turns or more."""
        if self.step is None:
            return (12.0 / self.months,) if self.months <= 6 else ()
        day, week = (float(span / self.step) for span in (_DAY, 7 * _DAY))
        return tuple(length for length in (day, week, _YEAR * day) if length >= 2)

    @property
    def daily(self) -> bool:
        """Whether a turn is a day or shorter, so that it falls on a date."""
        return self.step is not None and bool(self.step <= _DAY)


def _worded(step: np.timedelta64) -> str:
    for unit, seconds in (*reversed(LENGTHS.items()), ("second", 1)):
        count = float(step / np.timedelta64(seconds, "s"))
        if count >= 1 and count.is_integer():
            return counted(int(count), unit)
    return str(step)


def _by_clock(wall: Instants, zone: str | None, where: Where) -> Timeline:
    """Read times without a zone by the clock of ``zone``, if one is given."""
    _refuse_missing(wall, where)
    return _checked(wall if zone is None else to_instants(wall, zone), zone, where)


def _of_stamps(stamps: Stamps, zone: str | None, where: Where) -> Timeline:
    """Refuse a mixture of times with and without a zone; agree on one zone."""
    instants, zones = stamps
    bare = np.array([name is None for name in zones], dtype=np.bool_)
    odd = np.flatnonzero(bare != bare[:1])
    if odd.size:
        has, had = ("no", "one") if bare[odd[0]] else ("a", "none")
        raise MultiplierError(
            f"{where(int(odd[0]))} has {has} time zone and the rows before it have {had}: "
            "give every time a zone, or none"
        )
    if bare.all():
        return _by_clock(instants, zone, where)
    if zone is None:
        zone = zones[0]
        others = np.flatnonzero(zones != zone)
        if others.size:
            i = int(others[0])
            warn_user(
                f"{where(i)} is in {zones[i]} and the rows before it in {zone}: days and hours "
                "are taken in UTC; to use one clock name its zone, such as zone='Europe/Rome'",
                CalendarWarning,
            )
            zone = "UTC"
    return _checked(instants, zone, where)


def _checked(instants: Instants, zone: str | None, where: Where) -> Timeline:
    """Use the coarsest lossless unit; refuse gaps, repeats and disorder."""
    _refuse_missing(instants, where)
    for i in (np.flatnonzero(instants[1:] <= instants[:-1]) + 1).tolist():
        raise MultiplierError(_disorder(Timeline(instants, zone), i, where))
    timeline = Timeline(coarsest(instants), zone)
    for own in (timeline.instants, timeline.wall):
        own.setflags(write=False)
    return timeline


def _refuse_missing(instants: Instants, where: Where) -> None:
    for i in np.flatnonzero(np.isnat(instants)).tolist():
        raise MultiplierError(f"{where(i)} has no time: fill it in or drop the row")


def _disorder(timeline: Timeline, i: int, where: Where) -> str:
    if timeline.instants[i] != timeline.instants[i - 1]:
        return (
            f"{where(i)} is at {timeline.show(i)}, before {timeline.show(i - 1)} in the row above "
            "it: sort the rows by time"
        )
    time = timeline.wall[i].astype("datetime64[us]").item()
    # Clocks show an hour twice on a Sunday night in autumn, in most countries.
    is_autumn = time.isoweekday() == 7 and time.hour <= 3 and time.month in (3, 4, 10, 11)
    hint = (
        "; if it is the hour in which clocks go back, pass its zone=, such as 'Europe/Rome', or "
        "write times in UTC or with their zone (01:00+01:00, 01:00+00:00)"
    )
    return (
        f"{where(i)} repeats the time {timeline.show(i)} of the row before: "
        f"pass every='1D' to add up the rows of a day, or drop one{hint if is_autumn else ''}"
    )


def _rows_before(instants: Instants, instant: np.datetime64) -> int:
    # Against ns a date beyond 2262 wraps round; flooring to the unit below changes no comparison
    # with an instant of that unit or a coarser one.
    if "[ns]" in str(instants.dtype) and "[ns]" not in str(instant.dtype):
        instants = instants.astype("datetime64[us]")
    return int(np.searchsorted(instants, instant))


def join(parts: Sequence[Timeline]) -> Timeline:
    """Put calendars one after the other; refuse overlaps, warn of a gap between two."""
    for before, after in pairwise(parts):
        require_same_zone(before, after)
        if after.instants[0] <= before.instants[-1]:
            raise MultiplierError(
                f"a multiplier that ends at {before.show(-1)} cannot be followed by one that "
                f"begins at {after.show(0)}: put them in chronological order, without overlap"
            )
    whole = Timeline(np.concatenate([part.instants for part in parts]), parts[0].zone)
    _warn_of_gaps(whole, np.cumsum([part.instants.size for part in parts])[:-1] - 1)
    return whole


def require_same_zone(one: Timeline, other: Timeline) -> None:
    """Refuse calendars in two zones."""
    if one.zone != other.zone:
        first, second = (part.zone or "no time zone" for part in (one, other))
        raise MultiplierError(
            f"one calendar has {first} and the other {second}: give both the same (zone=)"
        )


def _warn_of_gaps(whole: Timeline, joints: NDArray[np.intp]) -> None:
    # By the wall clock as well: days are 23 or 25 hours long where it is changed.
    clocks = [np.diff(whole.instants), np.diff(whole.wall)]
    inner = np.delete(np.arange(whole.instants.size - 1), joints)
    if inner.size == 0:
        return
    usual = np.median(clocks[0][inner].astype(np.int64)).astype(clocks[0].dtype)
    for i in joints.tolist():
        if any(_is_usual(steps[i], steps[inner]) for steps in clocks):
            continue
        length = str(usual.astype("timedelta64[us]").item()).removesuffix(", 0:00:00")
        warn_user(
            f"the calendar goes from {whole.show(i)} (turn {i + 1}) to {whole.show(i + 1)} "
            f"(turn {i + 2}), but its turns are usually {length} apart: the time between has no "
            "turns",
            CalendarWarning,
        )


def _is_usual(step: np.timedelta64, steps: NDArray[np.timedelta64]) -> bool:
    # A quarter to spare for months; and what recurs, like the weekends of working days.
    one, counts = step.astype(np.int64), steps.astype(np.int64)
    median = float(np.median(counts))
    recurring = np.count_nonzero(counts == one)
    return bool(abs(one - median) <= 0.25 * median or recurring >= max(2, 0.1 * counts.size))
