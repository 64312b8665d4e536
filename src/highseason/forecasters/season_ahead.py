"""Forecasters that look a whole season ahead, and the simplest of them: seasonal naive."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from highseason.core.validation import whole_number
from highseason.forecasters.base import Fitted, Forecaster, observed
from highseason.forecasters.forecast import (
    LEVELS,
    Forecast,
    ForecastError,
    Numbers,
    normal_quantiles,
)
from highseason.forecasters.history import History
from highseason.multipliers import as_multiplier


@dataclass(frozen=True)
class SeasonAhead(Forecaster):
    """What they share; subclasses give `outlook`.

    Gaps are filled from the weeks around them.  Times of the week with almost no traffic are
    closed, and are forecast to be closed.  A constant past is forecast to stay constant.

    Attributes:
        holidays: Whether days such as Christmas and Black Friday have effects of their own.
        country: A country whose public holidays have, too, such as GB, GB-ENG or US.
        zone: The time zone of the shop, such as Europe/London, if the stamps are in UTC; it
            decides on which date and at which time of the week a turn falls.
        periods: The lengths of the seasons in turns, if there is no calendar or if they do not
            follow it.
    """

    holidays: bool = True
    country: str | None = None
    zone: str | None = None
    periods: tuple[int, ...] | None = None

    def fit(self, series: Any) -> FittedSeason:
        """Learn from a past: anything `as_multiplier` takes."""
        history = History.of(as_multiplier(series), self.periods, self.zone)
        return FittedSeason(self, history)

    @abstractmethod
    def outlook(self, history: History, turns: int) -> Numbers:
        """Quantiles of the logarithms of the next turns, a row per level of `LEVELS`."""


class FittedSeason(Fitted):
    """A season-ahead forecaster that knows a past; each prediction fits it again."""

    def __init__(self, forecaster: SeasonAhead, history: History) -> None:
        """Compute nothing before the first prediction."""
        self._forecaster = forecaster
        self.history = history

    def update(self, value: float) -> None:
        """Take one turn more."""
        self.history = self.history.then(observed(value))

    def predict(self, turns: int) -> Forecast:
        """Mean and quantiles of the next turns."""
        turns = whole_number("turns", turns, 1, ForecastError)
        history, n = self.history, self.history.turns
        if history.constant:
            table = np.full((len(LEVELS), turns), float(history.values[-1]))
        else:
            table = history.unlog(self._forecaster.outlook(history, turns))
            table[:, history.closed(n, n + turns)] = history.values.min()
        if not np.isfinite(table).all():
            raise ForecastError(
                f"{self._forecaster} gives no finite forecast: the series varies too much for it; "
                "use another forecaster, or clip the series"
            )
        stamps = history.stamps(n, n + turns)
        name = str(self._forecaster)
        spread = Forecast(np.maximum(table[LEVELS.index(0.5)], 1e-300), table, stamps, name)
        return Forecast(spread.atoms(99).mean(axis=0), table, stamps, name)


@dataclass(frozen=True)
class SeasonalNaive(SeasonAhead):
    """Repeat the last season; ignore special days.  The baseline for all others.

    The season is a week (or the longest season up to a week that the past holds twice), or `lag`
    turns: 364 for the same weekday a year ago.

    >>> SeasonalNaive(periods=(3,)).fit([1, 2, 3, 1, 2, 4]).predict(4).median
    array([1., 2., 4., 1.])
    """

    name = "seasonal-naive"

    holidays: bool = False
    lag: int | None = None

    def outlook(self, history: History, turns: int) -> Numbers:
        """Normal around the last season, with the spread of the changes from season to season."""
        lag = history.week if self.lag is None else self.lag
        if not 1 <= lag < history.turns:
            raise ForecastError(
                f"lag={lag} needs a past of more than {lag} turns, got {history.turns}"
            )
        logs = history.logs
        middle = np.resize(logs[-lag:], turns)
        both = history.seen[lag:] & history.seen[:-lag]
        changes = (logs[lag:] - logs[:-lag])[both]
        deviation = float(np.sqrt(np.mean(changes**2))) if changes.size else 0.0
        seasons = np.arange(turns) // lag + 1
        return normal_quantiles(middle, deviation * np.sqrt(seasons))
