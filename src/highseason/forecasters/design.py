"""The features of a turn: position in the week and in the year, trend, special day.

The shopping days are a small built-in calendar; the public holidays of a country come from the
package `holidays` (the extra `forecasting`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from highseason.core.extras import require
from highseason.forecasters.base import ForecastError, Numbers
from highseason.forecasters.history import History, Stamps

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


def special_days(clocks: Stamps, country: str | None = None) -> list[str]:
    """The name of the special day of each turn; empty for an ordinary day.

    The name of a shopping day takes precedence over that of a public holiday.

    >>> special_days(np.array(["2013-12-26", "2014-03-05"], "datetime64[D]"))
    ['Boxing Day', '']
    """
    days = clocks.astype("datetime64[D]").tolist()
    names: dict[date, str] = {}
    for year in range(days[0].year - 1, days[-1].year + 1):
        names |= {} if country is None else public_holidays(country, year)
        names |= shopping_days(year)
    return [names.get(day, "") for day in days]


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
    def of(cls, history: History, holidays: bool, country: str | None) -> Design:
        """The features of this past; only special days that occur in it can be learned."""
        names: set[str] = set()
        clocks = history.clocks(0, history.turns)
        if holidays and clocks is not None and history.grid is not None and history.grid.daily:
            names = set(np.array(special_days(clocks, country))[history.seen].tolist()) - {""}
        return cls(history, tuple(sorted(names)), country)

    def _days(self, start: int, stop: int) -> NDArray[np.str_]:
        """The special day of each turn, empty for ordinary days."""
        clocks = self.history.clocks(start, stop)
        if not self.names or clocks is None:
            return np.full(stop - start, "")
        days = special_days(clocks, self.country)
        return np.array([day if day in self.names else "" for day in days])

    def is_special(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Which turns are special days."""
        return np.asarray(self._days(start, stop) != "")

    def rows(self, start: int, stop: int) -> Numbers:
        """The features of the turns at these positions, a row per turn."""
        history, turns = self.history, np.arange(start, stop)
        years = (turns - history.turns) / history.year  # or longest seasons, since the past's end
        parts = [np.eye(history.week)[history.phases(start, stop)], years[:, None]]
        for season, order in self._waves():
            angle = 2 * np.pi * turns / season
            parts += [f(k * angle)[:, None] for k in range(1, order + 1) for f in (np.sin, np.cos)]
        if self.names:
            parts.append(self._days(start, stop)[:, None] == np.array(self.names))
        return np.hstack(parts, dtype=np.float64)

    def penalties(self) -> Numbers:
        """How strongly the weight of each feature is shrunk to zero."""
        waves = 2 * sum(order for _, order in self._waves())
        counts = [self.history.week, 1, waves, len(self.names)]
        return np.repeat([_WEEK, _TREND, _YEAR, _DAYS], counts)

    def _waves(self) -> list[tuple[float, int]]:
        """Every season longer than a week, with the number of its waves."""
        long = [season for season in self.history.seasons if season > self.history.week + 0.5]
        return [(season, min(_WAVES, int(season // 2))) for season in long]


def ridge(rows: Numbers, y: Numbers, weights: Numbers, penalties: Numbers) -> Numbers:
    """The weights of the features; a turn with `weights` of 0 is left out."""
    weighted = rows * weights[:, None]
    return np.asarray(np.linalg.solve(rows.T @ weighted + np.diag(penalties), weighted.T @ y))
