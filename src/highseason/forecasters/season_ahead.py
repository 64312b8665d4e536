"""Forecasters that look a whole season ahead, from a past with a calendar."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from highseason.forecasters.base import Fitted, Forecaster, observed, whole
from highseason.forecasters.errors import ForecastError
from highseason.forecasters.forecast import LEVELS, Forecast, Numbers
from highseason.forecasters.history import History
from highseason.multipliers import as_multiplier


@dataclass(frozen=True)
class SeasonAhead(Forecaster):
    """What all of them share; subclasses give `outlook`.

    Gaps are filled from the weeks around them.  Turns at a place in the week where hardly ever
    anybody came are closed, and are forecast to be so.  A constant past goes on as it was.

    Attributes:
        holidays: Whether days such as Christmas and Black Friday count for themselves.
        country: Whose public holidays count as well, such as GB, GB-ENG or US.
        zone: The time zone of the shop, such as Europe/London, where the stamps are in UTC; it
            decides on which date and at which place in the week a turn falls.
        periods: How many turns the seasons have, where there is no calendar or it is not the
            calendar that sets them.
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
    """A season-ahead forecaster that knows a past; each prediction fits anew what has come."""

    def __init__(self, forecaster: SeasonAhead, history: History) -> None:
        """Nothing is computed before a prediction is asked for."""
        self._forecaster = forecaster
        self.history = history

    def update(self, value: float) -> None:
        """Take one turn more."""
        self.history = self.history.then(observed(value))

    def predict(self, turns: int) -> Forecast:
        """Mean and quantiles of the next turns."""
        turns = whole("turns", turns)
        history, n = self.history, self.history.turns
        if history.constant:
            table = np.full((len(LEVELS), turns), float(history.values[-1]))
        else:
            table = history.unlog(self._forecaster.outlook(history, turns))
            table[:, history.closed(n, n + turns)] = history.values.min()
        if not np.isfinite(table).all():
            raise ForecastError(
                f"{self._forecaster} found no finite forecast: the series changes too wildly for "
                "it; use another forecaster, or clip the series"
            )
        stamps = history.stamps(n, n + turns)
        name = str(self._forecaster)
        spread = Forecast(np.maximum(table[LEVELS.index(0.5)], 1e-300), table, stamps, name)
        return Forecast(spread.atoms(99).mean(axis=0), table, stamps, name)
