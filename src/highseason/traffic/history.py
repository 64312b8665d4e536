"""A past to learn from, and what a regression learns from it.

The past lies on an even grid of time, its gaps filled, its closed turns known.  The features of a
turn are its position in the week and in the year, the trend, and special days: shopping days are
built in, the public holidays of a country come from the package `holidays` (the extra
`forecasting`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.extras import require
from highseason.core.validation import raised_as
from highseason.traffic.dates import Instants
from highseason.traffic.forecast import ForecastError, Numbers, is_idle
from highseason.traffic.series import Multiplier
from highseason.traffic.timeline import Calendar, MultiplierError

#: With a larger share of missing turns a series is not a series with gaps any more.
_MOST_MISSING = 0.3
#: A time of the week without traffic in at least this share of the weeks is closed.
_CLOSED = 0.9
#: How far the middle of a forecast may rise above the highest value so far, as a logarithm.
_ABOVE = 0.2
#: Added before the logarithm if some turns have no traffic, as a share of the median.
_SHIFT = 1.0


@dataclass(frozen=True)
class History:
    """Values on an even grid, from the first turn to the last."""

    values: Numbers  # gaps are filled from the same position in nearby seasons
    seen: NDArray[np.bool_]  # which turns are data rather than filled gaps
    grid: Calendar | None
    zone: str | None  # the time zone of the shop, if the stamps are in UTC
    seasons: tuple[float, ...]  # their lengths in turns, shortest first; those the past holds
    shift: float  # added before taking logarithms; 0 unless some turns have no traffic
    own: Mapping[date, str] = field(default_factory=dict)  # the kinds of days that the shop named

    @classmethod
    def of(
        cls,
        G: Multiplier,
        periods: tuple[int, ...] | None = None,
        zone: str | None = None,
        own: Mapping[date, str] | None = None,
    ) -> Self:
        """Lay a multiplier on its grid.

        >>> days = ["2013-12-20", "2013-12-21", "2013-12-23"]
        >>> History.of(Multiplier([1.0, 2.0, 4.0], days), periods=(1,)).values
        array([1., 2., 3., 4.])
        """
        grid, places, shift = None, np.arange(G.turns), _shift(G.values)
        if G.timeline is not None:
            with raised_as(ForecastError, MultiplierError):
                grid, places, zone = Calendar.around(G.timeline, zone, is_idle(G.values))
        turns = int(places[-1]) + 1
        values = np.full(turns, np.nan)
        values[places] = G.values
        opened, own = turns, own or {}
        if grid is not None and (grid.closed or own):
            is_open = _is_open(grid, np.arange(turns), zone, own)
            values[~is_open], opened = np.nan, int(is_open.sum())
            shift = _shift(values[~np.isnan(values)])
        seen = ~np.isnan(values)
        if (missing := opened - int(seen.sum())) > _MOST_MISSING * opened:
            far_off = "" if G.timeline is None else G.timeline.far_off
            asked = f" (is the date {far_off} wrong?)" if far_off else ""
            raise ForecastError(
                f"{missing} of {opened} turns are missing, too many to learn the seasons{asked}: "
                "join turns into longer ones, or choose a part without gaps"
            )
        seasons = _seasons(turns, grid, periods)
        return cls(_filled(values, seasons), seen, grid, zone, seasons, shift, own)

    @property
    def turns(self) -> int:
        """The number of turns, gaps included."""
        return int(self.values.size)

    @property
    def logs(self) -> Numbers:
        """The logarithms of the values, shifted."""
        return np.log(self.values + self.shift)

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which turns were seen and open."""
        return self.seen & ~self.closed(0, self.turns)

    @property
    def constant(self) -> bool:
        """Whether all turns are equal."""
        return bool(np.ptp(self.values) <= 1e-12 * self.values.max())

    def stamps(self, start: int, stop: int) -> Instants | None:
        """When the turns at these positions are (from 0, also beyond the end)."""
        return None if self.grid is None else self.grid.at(np.arange(start, stop))

    def clocks(self, start: int, stop: int) -> Instants | None:
        """The same by the wall clock of the shop."""
        return None if self.grid is None else self.grid.walls(np.arange(start, stop), self.zone)

    def before(self, turn: int) -> Self:
        """The first turns only, as they were known then."""
        seasons = tuple(season for season in self.seasons if enough(turn, season, self.grid))
        return replace(self, values=self.values[:turn], seen=self.seen[:turn], seasons=seasons)

    def lifted(self, turn: int, size: float) -> Self:
        """With the open turns before this one raised by so much, as a logarithm."""
        raised = (np.arange(self.turns) < turn) & (self.values > self.values.min())
        values = np.exp(self.logs + size * raised) - self.shift
        return replace(self, values=np.maximum(values, self.values.min()))

    def then(self, value: float) -> Self:
        """With one turn more, after closed ones, if any."""
        closed = int(self.ahead(1)[0])
        values = np.concatenate(
            [self.values, np.resize(self.values[-self.week :], closed), [value]]
        )
        seen = np.append(self.seen, np.arange(closed + 1) == closed)
        return replace(self, values=values, seen=seen)

    def ahead(self, turns: int) -> NDArray[np.int64]:
        """How far, from 0, the next turns lie after the end: turns that are closed are left out."""
        if self.grid is None:
            return np.arange(turns)
        closed = sum(kind == "closed" for kind in self.own.values())
        shut = closed * round(max(1, self.grid.seasons()[0])) if closed else 0
        places = self.grid.following(self.turns, turns + shut, self.zone)
        is_open = _is_open(self.grid, places, self.zone, self.own)
        return (places[is_open] - self.turns)[:turns]

    def phases(self, start: int, stop: int) -> NDArray[np.int64]:
        """The position of these turns in the week (or in the longest season up to a week)."""
        clocks, length = self.clocks(start, stop), self.week
        if clocks is None or self.grid is None or self.grid.step is None or length <= 1:
            return np.arange(start, stop) % max(1, length)
        offset = clocks - np.datetime64("1969-12-29")  # a Monday
        return np.asarray(offset // self.grid.step, dtype=np.int64) % length

    @property
    def week(self) -> int:
        """The turns in the longest season up to a week; 1 without any."""
        if self.grid is None:
            return int(self.seasons[0])
        if self.grid.step is None:
            return round(self.grid.seasons()[0])
        short = [s for s in self.seasons if s * self.grid.step <= np.timedelta64(8, "D")]
        return round(short[-1]) if short else 1

    @property
    def year(self) -> float:
        """The turns in a year; without a calendar, 52 of the shortest seasons or more."""
        if self.grid is None:
            return max(self.seasons[-1], 52.0 * self.seasons[0])
        return self.grid.seasons()[-1]

    @property
    def knows_the_year(self) -> bool:
        """Whether it is long enough to tell the season of the year; True without a calendar."""
        return self.grid is None or self.seasons[-1] >= 0.9 * self.year

    def ceiling(self, turns: int) -> Numbers:
        """The highest logarithm that a forecast of each of the next turns can justify.

        A fifth above the highest value so far, plus as much as the later half of the past grew over
        the earlier one, from turn to turn.
        """
        earlier, later = np.array_split(self.logs, 2)
        growth = (np.median(later) - np.median(earlier)) / later.size * np.arange(1, turns + 1)
        return np.asarray(self.logs.max() + _ABOVE + np.clip(growth, 0, 1))

    def closed(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Which turns fall on a time of the week with almost no traffic."""
        if self.grid is not None and (self.grid.closed or self.own):
            return ~_is_open(self.grid, np.arange(start, stop), self.zone, self.own)
        if self.shift == 0.0 or (self.grid is not None and self.grid.daily):
            return np.zeros(stop - start, np.bool_)
        phases = self.phases(0, self.turns)
        idle = self.values <= self.values.min() * (1 + 1e-9)
        counts = np.bincount(phases[self.seen], minlength=self.week)
        empty = np.bincount(phases[self.seen & idle], minlength=self.week)
        closed = (counts > 0) & (empty >= _CLOSED * counts)
        return np.asarray(closed[self.phases(start, stop)])


def _is_open(
    grid: Calendar, places: NDArray[np.int64], zone: str | None, own: Mapping[date, str]
) -> NDArray[np.bool_]:
    """Which places have a turn: they are neither at a closed time nor on an own closed day."""
    shut = np.array([day for day, kind in own.items() if kind == "closed"], "datetime64[D]")
    is_open = grid.is_open(places, zone)
    return is_open & ~np.isin(grid.walls(places, zone).astype("datetime64[D]"), shut)


def enough(turns: int, season: float, grid: Calendar | None) -> bool:
    """Whether the past covers a season at least twice, or the season of the year 1.5 times."""
    year = 0.0 if grid is None else grid.seasons()[-1]
    times = 1.5 if season > max(300.0, 0.99 * year) else 2.0
    return turns >= int(times * season)  # two years are 104 weeks and a bit


def _seasons(
    turns: int, grid: Calendar | None, periods: tuple[int, ...] | None
) -> tuple[float, ...]:
    if periods is not None:
        lengths: tuple[float, ...] = tuple(sorted(float(period) for period in periods))
        if not lengths or lengths[0] < 1 or len(set(lengths)) < len(lengths):
            raise ForecastError(
                f"periods must be different whole numbers, at least 1, got {periods!r}"
            )
    elif grid is None:
        raise ForecastError(
            "the series has no dates, so its seasons are not known: add them, or give the lengths "
            "of its seasons in turns, as in blend:periods=7"
        )
    elif not (lengths := grid.seasons()):
        raise ForecastError(
            "turns of a year or more have no season: use a one-step forecaster, such as "
            "moving-average"
        )
    seasons = tuple(length for length in lengths if enough(turns, length, grid))
    if not seasons:
        raise ForecastError(
            f"{turns} turns are too short to learn a season from: the shortest has "
            f"{lengths[0]:.0f} turns and must occur twice; give a longer past, or use a one-step "
            "forecaster, such as moving-average"
        )
    return seasons


def _filled(values: Numbers, seasons: tuple[float, ...]) -> Numbers:
    """Fill each gap with the mean of the same position in the week before and the week after."""
    if not np.isnan(values).any():
        return values
    import pandas as pd

    length = max((round(season) for season in seasons if season <= 200), default=1)
    phases = pd.Series(values).groupby(np.arange(values.size) % length)
    around = pd.concat([phases.ffill(), phases.bfill()], axis=1).mean(axis=1)
    return np.where(np.isnan(values), around.fillna(np.nanmedian(values)), values)


def _shift(values: Numbers) -> float:
    idle = is_idle(values)
    return _SHIFT * float(np.median(values[~idle])) if idle.any() else 0.0


#: Every day from this many before Christmas Day to this many after it is special.
_BEFORE, _AFTER = 12, 8


def black_friday(year: int) -> date:
    """The day after the fourth Thursday of November."""
    first = date(year, 11, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 22)


def easter(year: int) -> date:
    """Easter Sunday, by the Gregorian calendar."""
    golden, century = year % 19, year // 100
    moon = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    moon -= moon // 28 * (1 - 29 // (moon + 1) * ((21 - golden) // 11))
    weekday = (year + year // 4 + moon + 2 - century + century // 4) % 7
    return date(year, 3, 28) + timedelta(days=moon - weekday)


def ramadan(year: int) -> date:
    """The first day of Ramadan of an Islamic year, within a day: months are not observed."""
    return date.fromordinal(227251 + 354 * (year - 1) + (3 + 11 * year) // 30)


def feast_days(days: Instants) -> Iterator[tuple[str, int, NDArray[np.int64]]]:
    """The feasts that move, how long they are, and which of their days each day is, from 0; or -1.

    From ten days before Easter to four after it, and the 30 days of Ramadan with three of Eid.
    """
    first, last = (day.year for day in days[[0, -1]].astype("datetime64[D]").tolist())
    eves = [easter(year) - timedelta(days=10) for year in range(first - 1, last + 1)]
    years = range((first - 622) * 33 // 32 - 1, (last - 622) * 33 // 32 + 3)
    months = [ramadan(year) for year in years]
    for name, begins, length in (("Easter", eves, 15), ("Ramadan", months, 33)):
        starts = np.array(begins, "datetime64[D]")
        since = (days - starts[np.searchsorted(starts, days, "right") - 1]).astype(np.int64)
        yield name, length, np.where(since < length, since, -1)


@lru_cache(maxsize=64)
def shopping_days(year: int) -> Mapping[date, str]:
    """The shopping days of the season of a year, by date; some lie in January."""
    friday = black_friday(year)
    days = {friday: "Black Friday", friday + timedelta(days=3): "Cyber Monday"}
    names = {-1: "Christmas Eve", 0: "Christmas Day", 1: "Boxing Day", 6: "New Year's Eve",
             7: "New Year's Day"}  # fmt: skip
    for offset in range(-_BEFORE, _AFTER + 1):
        day = date(year, 12, 25) + timedelta(days=offset)
        days[day] = names.get(offset, f"Christmas {offset:+d} days")
    return days


@lru_cache(maxsize=256)
def public_holidays(country: str, year: int) -> Mapping[date, str]:
    """The public holidays of a country, or of a part of it (`GB-ENG`), by date.

    >>> public_holidays("GB-ENG", 2013)[date(2013, 5, 6)]
    'May Day'
    """
    package = require("holidays", extra="forecasting", purpose="the calendar of public holidays")
    name, _, part = country.partition("-")
    try:
        holidays = package.country_holidays(name.upper(), subdiv=part or None, years=year)
    except (NotImplementedError, KeyError) as reason:
        raise ForecastError(
            f"the public holidays of {country!r} are not known: give a two-letter country code, "
            "such as GB, DE or US, or GB-ENG for a part of a country"
        ) from reason
    moved = ("observed", "substitute")  # all of them share one name
    return {
        day: "a holiday moved" if any(word in name for word in moved) else name
        for day, name in holidays.items()
    }


def special_days(clocks: Instants, country: str | None = None) -> list[str]:
    """The name of the special day of each turn; empty for an ordinary day.

    The name of a shopping day takes precedence over that of a public holiday.

    >>> special_days(np.array(["2013-12-26", "2014-03-05"], "datetime64[D]"))
    ['Boxing Day', '']
    """
    names, which = _names_of_days(clocks, country)
    return [names[i] for i in which.tolist()]


def day_in_words(name: str) -> str:
    """The name of a special day as people say it.

    >>> day_in_words("Christmas -1 days"), day_in_words("Boxing Day")
    ('a day before Christmas', 'Boxing Day')
    """

    def near(match: re.Match[str]) -> str:
        days = "a day" if match[2] == "1" else f"{match[2]} days"
        return f"{days} {'before' if match[1] == '-' else 'after'} Christmas"

    return re.sub(r"Christmas ([+-])(\d+) days", near, name)


def _names_of_days(clocks: Instants, country: str | None) -> tuple[list[str], NDArray[np.int64]]:
    """The special days among the days that occur, and for each turn on which day it falls."""
    days = clocks.astype("datetime64[D]")
    begins = np.diff(days, prepend=days[0] - np.timedelta64(1, "D")) != np.timedelta64(0, "D")
    dates: list[date] = days[begins].tolist()
    names: dict[date, str] = {}
    for year in range(dates[0].year - 1, dates[-1].year + 1):
        names |= {} if country is None else public_holidays(country, year)
        names |= shopping_days(year)
    return [names.get(day, "") for day in dates], np.cumsum(begins) - 1


#: The highest number of waves per year.
_WAVES = 6
#: How strongly weights are shrunk to zero, by kind of feature.
_WEEK, _TREND, _YEAR, _DAYS = 0.1, 1.0, 10.0, 0.5


@dataclass(frozen=True)
class Design:
    """Which features a past has, and their values for its turns and later ones."""

    history: History
    names: tuple[str, ...]
    country: str | None
    kinds: tuple[str, ...] = ()  # of own days
    feasts: tuple[str, ...] = ()  # of `feast_days`, those with an effect
    holidays: bool = True  # whether special days and feasts are looked for

    @classmethod
    def of(cls, history: History, holidays: bool, country: str | None) -> Self:
        """The features of this past; only special days that occur in it can be learned."""
        names: set[str] = set()
        kinds: set[str] = set()
        clocks = history.clocks(0, history.turns)
        if clocks is not None and history.grid is not None and history.grid.daily:
            if holidays:
                names = set(special_days(clocks[history.seen], country)) - {""}
            seen = clocks[history.seen].astype("datetime64[D]")
            kinds = {history.own[day] for day in set(seen.tolist()) & history.own.keys()}
        return cls(history, tuple(sorted(names)), country, tuple(sorted(kinds)), (), holidays)

    def places(self, start: int, stop: int) -> NDArray[np.int64]:
        """Which of the names, then feasts, each turn falls on; -1 for ordinary days."""
        clocks, days = self.history.clocks(start, stop), self.names + self.feasts
        if not days or clocks is None or start == stop:
            return np.full(stop - start, -1)
        names, which = _names_of_days(clocks, self.country)
        known = {name: place for place, name in enumerate(days)}
        places = np.array([known.get(name, -1) for name in names])[which]
        for name, _, feast in feast_days(clocks.astype("datetime64[D]")) if self.feasts else ():
            places[(places < 0) & (feast >= 0)] = known.get(name, -1)
        return places

    def own(self, start: int, stop: int) -> NDArray[np.int64]:
        """Of which kind the own day of each turn is; -1 for other days."""
        clocks, which = self.history.clocks(start, stop), np.full(stop - start, -1)
        if clocks is not None:
            for i, kind in enumerate(self.kinds):
                days = [day for day, other in self.history.own.items() if other == kind]
                which[np.isin(clocks.astype("datetime64[D]"), np.array(days, "datetime64[D]"))] = i
        return which

    def is_special(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Which turns are special days, or own days; feasts are too long for that."""
        places = self.places(start, stop)
        return (places >= 0) & (places < len(self.names)) | (self.own(start, stop) >= 0)

    def _rows(self, start: int, stop: int) -> Numbers:
        """The features other than the position in the week, a row per turn."""
        history, turns = self.history, np.arange(start, stop)
        years = (turns - history.turns) / history.year  # or longest seasons, since the past's end
        parts = [years[:, None]]
        for season, order in self._waves():
            angle = 2 * np.pi * turns / season
            parts += [f(k * angle)[:, None] for k in range(1, order + 1) for f in (np.sin, np.cos)]
        if days := self.names + self.feasts:
            parts.append(self.places(start, stop)[:, None] == np.arange(len(days)))
        if self.kinds:
            parts.append(self.own(start, stop)[:, None] == np.arange(len(self.kinds)))
        return np.hstack(parts, dtype=np.float64)

    def _waves(self) -> list[tuple[float, int]]:
        """Every season longer than a week, with the number of its waves."""
        long = [season for season in self.history.seasons if season > self.history.week + 0.5]
        return [(season, min(_WAVES, int(season // 2))) for season in long]

    def fit(self, y: Numbers, weights: Numbers) -> "Regression":
        """A ridge regression of `y` in the past; a turn with `weights` of 0 is left out.

        The position in the week has a weight of its own for each of its turns, thousands where
        turns are minutes. Every turn has only one of them, so they are eliminated first.
        """
        week, phases = self.history.week, self.history.phases(0, self.history.turns)
        times = np.bincount(phases, weights, week) + _WEEK
        total = np.bincount(phases, weights * y, week)
        days = len(self.names + self.feasts + self.kinds)
        counts = [1, 2 * sum(order for _, order in self._waves()), days]
        square = np.diag(np.repeat([_TREND, _YEAR, _DAYS], counts))
        if self.kinds:  # the more of them were seen, the less are they shrunk
            seen = np.bincount(1 + self.own(0, y.size), weights > 0, 1 + len(self.kinds))
            np.einsum("ii->i", square)[-len(self.kinds) :] /= np.maximum(1, seen[1:])
        product, shared = np.zeros(square.shape[0]), np.zeros((week, square.shape[0]))
        for start, stop in _chunks(0, y.size):
            part, rows = slice(start, stop), self._rows(start, stop)
            weighted = rows * weights[part, None]
            square += rows.T @ weighted
            product += weighted.T @ y[part]
            columns = [np.bincount(phases[part], column, week) for column in weighted.T]
            shared += np.array(columns).T
        usual = shared / times[:, None]
        others = np.asarray(
            np.linalg.solve(square - shared.T @ usual, product - usual.T @ total), np.float64
        )
        return Regression(self, (total - shared @ others) / times, others)


#: The turns whose features are held at once.
_CHUNK = 50_000


@dataclass(frozen=True)
class Regression:
    """The weights of the features."""

    design: Design
    week: Numbers
    others: Numbers  # trend, waves of long seasons, special days, own days

    def __call__(self, start: int, stop: int) -> Numbers:
        """What the regression says of the turns at these positions."""
        parts = [self.design._rows(*ends) @ self.others for ends in _chunks(start, stop)]
        return self.week[self.design.history.phases(start, stop)] + np.concatenate(parts)

    def of_special_days(self, start: int, stop: int) -> Numbers:
        """The part of it that special days and feasts have."""
        design, end = self.design, self.others.size - len(self.design.kinds)
        effects = np.append(self.others[end - len(design.names + design.feasts) : end], 0.0)
        return effects[design.places(start, stop)]

    def of_own_days(self, start: int, stop: int) -> Numbers:
        """The part of it that own days have."""
        effects = np.append(self.others[self.others.size - len(self.design.kinds) :], 0.0)
        return effects[self.design.own(start, stop)]


def _chunks(start: int, stop: int) -> list[tuple[int, int]]:
    return [(i, min(stop, i + _CHUNK)) for i in range(start, stop, _CHUNK)]
