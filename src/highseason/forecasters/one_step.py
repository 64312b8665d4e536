"""Forecasters that look one turn ahead, from the turns so far: those of the paper.

They need no calendar and no past season, only the turns of the game itself.  In a simulation the
whole path of forecasts is compiled and costs less than one game.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from highseason.core.validation import whole_number
from highseason.forecasters.base import Fitted, Forecaster, calendar_after, observed
from highseason.forecasters.forecast import Forecast, ForecastError, Numbers, normal_quantiles
from highseason.forecasters.kernels import compiled_scan
from highseason.multipliers import Multiplier, as_multiplier


@dataclass(frozen=True)
class OneStep(Forecaster):
    """A step and the memory it works on.  Subclasses give both."""

    one_step = True
    #: `step(memory, value)` takes a turn's value and returns what it expects of the next.
    step: ClassVar[Any]

    @abstractmethod
    def begin(self) -> Numbers:
        """The memory before the first turn, settings in front."""

    def ahead(self, memory: Numbers, turns: int, belief: float) -> Numbers:
        """The means of the next turns; `belief` is the mean of the first.  Flat by default."""
        return np.full(turns, belief)

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """How the surprise of one turn echoes in the forecasts of later ones.

        1, psi_1, psi_2, …: the error h turns ahead has the variance of one step times the sum of
        the first h squares.
        """
        echo = np.zeros(turns)
        echo[0] = 1.0
        return echo

    def path(self, G: Any) -> Multiplier:
        """H: the forecast of each turn just before it comes.

        H(1) = G(1), which no decision uses: the first turns try every arm once.  No forecast is
        below the lowest G so far.

        >>> import highseason as hs
        >>> hs.forecasters.RandomWalk().path([10, 20, 40]).values
        array([10., 10., 20.])
        """
        G = as_multiplier(G)
        beliefs = np.empty(G.turns)
        compiled_scan(type(self).step)(self.begin(), G.values.copy(), beliefs)
        return Multiplier(beliefs, G.timeline, self.name)

    def fit(self, series: Any) -> FittedOneStep:
        """Go through the series, turn by turn."""
        return FittedOneStep(self, as_multiplier(series))


class FittedOneStep(Fitted):
    """The memory after the turns so far, and the errors of the forecasts."""

    def __init__(self, forecaster: OneStep, G: Multiplier) -> None:
        """Take all of G."""
        self._forecaster = forecaster
        self._G = G
        self._memory = forecaster.begin()
        self._belief = self._lowest = math.nan
        self._errors = 0
        self._squares = 0.0
        self._later = 0
        for value in G.values.tolist():
            self._take(value)

    def update(self, value: float) -> None:
        """Take one turn more."""
        self._take(observed(value))
        self._later += 1

    def _take(self, value: float) -> None:
        if not math.isnan(self._belief):
            self._errors += 1
            self._squares += (value - max(self._belief, self._lowest)) ** 2
        self._lowest = value if math.isnan(self._lowest) else min(self._lowest, value)
        self._belief = float(type(self._forecaster).step(self._memory, value))

    def predict(self, turns: int) -> Forecast:
        """The means, and quantiles of normal errors; nothing below the lowest value so far."""
        turns = whole_number("turns", turns, 1, ForecastError)
        deviation = math.sqrt(self._squares / self._errors) if self._errors else 0.0
        echo = self._forecaster.spread(self._memory, turns)
        mean = np.maximum(self._forecaster.ahead(self._memory, turns, self._belief), self._lowest)
        table = normal_quantiles(mean, deviation * np.sqrt(np.cumsum(echo**2)))
        calendar = calendar_after(self._G, turns + self._later)
        return Forecast(
            mean,
            np.maximum(table, self._lowest),
            None if calendar is None else calendar[self._later :],
            str(self._forecaster),
        )
