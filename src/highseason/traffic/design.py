"""The features of a turn: position in the week and in the year, trend, special day.

The shopping days are a small built-in calendar; the public holidays of a country come from the
package `holidays` (the extra `forecasting`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.extras import require
from highseason.traffic.dates import Instants
from highseason.traffic.forecast import ForecastError, Numbers
from highseason.traffic.history import History

#: Every day from this many before Christmas Day to this many after it is special.
_BEFORE, _AFTER = 12, 8


def black_friday(year: int) -> date:
    """The day after the fourth Thursday of November."""
    first = date(year, 11, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 22)


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


def _names_of_days(clocks: Instants, country: str | None) -> tuple[list[str], NDArray[np.int64]]:
    """The special days among the days that occur, and for each turn on which day it falls."""
    days = clocks.astype("datetime64[D]")
    begins = np.diff(days, prepend=days[0] - 1) != np.timedelta64(0, "D")
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

    @classmethod
    def of(cls, history: History, holidays: bool, country: str | None) -> Self:
        """The features of this past; only special days that occur in it can be learned."""
        names: set[str] = set()
        clocks = history.clocks(0, history.turns)
        if holidays and clocks is not None and history.grid is not None and history.grid.daily:
            names = set(special_days(clocks[history.seen], country)) - {""}
        return cls(history, tuple(sorted(names)), country)

    def _places(self, start: int, stop: int) -> NDArray[np.int64]:
        """Which of the names is the special day of each turn; -1 for ordinary days."""
        clocks = self.history.clocks(start, stop)
        if not self.names or clocks is None or start == stop:
            return np.full(stop - start, -1)
        names, which = _names_of_days(clocks, self.country)
        places = {name: place for place, name in enumerate(self.names)}
        return np.array([places.get(name, -1) for name in names])[which]

    def is_special(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Which turns are special days."""
        return np.asarray(self._places(start, stop) >= 0)

    def _rows(self, start: int, stop: int) -> Numbers:
        """The features other than the position in the week, a row per turn."""
        history, turns = self.history, np.arange(start, stop)
        years = (turns - history.turns) / history.year  # or longest seasons, since the past's end
        parts = [years[:, None]]
        for season, order in self._waves():
            angle = 2 * np.pi * turns / season
            parts += [f(k * angle)[:, None] for k in range(1, order + 1) for f in (np.sin, np.cos)]
        if self.names:
            parts.append(self._places(start, stop)[:, None] == np.arange(len(self.names)))
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
        counts = [1, 2 * sum(order for _, order in self._waves()), len(self.names)]
        square = np.diag(np.repeat([_TREND, _YEAR, _DAYS], counts))
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
    others: Numbers  # trend, waves of long seasons, special days

    def __call__(self, start: int, stop: int) -> Numbers:
        """What the regression says of the turns at these positions."""
        parts = [self.design._rows(*ends) @ self.others for ends in _chunks(start, stop)]
        return self.week[self.design.history.phases(start, stop)] + np.concatenate(parts)

    def of_special_days(self, start: int, stop: int) -> Numbers:
        """The part of it that special days have."""
        count = len(self.design.names)
        effects = np.append(self.others[self.others.size - count :], 0.0)
        return effects[self.design._places(start, stop)]


def _chunks(start: int, stop: int) -> list[tuple[int, int]]:
    return [(i, min(stop, i + _CHUNK)) for i in range(start, stop, _CHUNK)]
