"""Days with effects of their own: public holidays, Black Friday, the days around Christmas.

The shopping days are a small built-in calendar; the public holidays of a country come from the
package `holidays` (the extra `forecasting`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from highseason.core.extras import require
from highseason.forecasters.forecast import ForecastError
from highseason.forecasters.grids import Stamps

#: Every day from this many before Christmas Day to this many after it is special.
_BEFORE, _AFTER = 12, 8


def black_friday(year: int) -> date:
    """The day after the fourth Thursday of November."""
    first = date(year, 11, 1)
    thursday = first + timedelta(days=(3 - first.weekday()) % 7)
    return thursday + timedelta(days=22)


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
        holidays: Mapping[date, str] = package.country_holidays(
            name.upper(), subdiv=part or None, years=year
        )
    except (NotImplementedError, KeyError) as reason:
        raise ForecastError(
            f"the public holidays of {country!r} are not known: give a two-letter country code, "
            "such as GB, DE or US, or GB-ENG for a part of a country"
        ) from reason
    return {day: _plain(name) for day, name in holidays.items()}


def special_days(clocks: Stamps, country: str | None = None) -> list[str]:
    """The name of the special day of each turn; empty for an ordinary day.

    The name of a shopping day takes precedence over that of a public holiday.

    >>> special_days(np.array(["2013-12-26", "2014-03-05"], "datetime64[D]"))
    ['Boxing Day', '']
    """
    days = clocks.astype("datetime64[D]").astype(np.int64)
    years = (clocks[[0, -1]].astype("datetime64[Y]").astype(np.int64) + 1970).tolist()
    names: dict[int, str] = {}
    for year in range(years[0] - 1, years[1] + 1):
        names |= _year(year, country)
    return [names.get(day, "") for day in days.tolist()]


@lru_cache(maxsize=256)
def _year(year: int, country: str | None) -> dict[int, str]:
    """The special days of the season of one year, by days since 1970."""
    named = dict(public_holidays(country, year)) if country is not None else {}
    named |= shopping_days(year)
    epoch = date(1970, 1, 1)
    return {(day - epoch).days: name for day, name in named.items()}


def _plain(name: str) -> str:
    """All moved holidays share one name."""
    return "a holiday moved" if "observed" in name or "substitute" in name else name


def indicators(days: list[str], names: list[str]) -> NDArray[np.float64]:
    """A column of ones and zeros for each name."""
    table = np.zeros((len(days), len(names)))
    places = {name: i for i, name in enumerate(names)}
    for row, day in enumerate(days):
        if day in places:
            table[row, places[day]] = 1.0
    return table
