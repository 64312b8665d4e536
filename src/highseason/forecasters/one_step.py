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
from highseason.forecasters import kernels
from highseason.forecasters.base import (
    Fitted,
    Forecast,
    Forecaster,
    ForecastError,
    Numbers,
    calendar_after,
    normal_quantiles,
    observed,
)
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
        return _echo(np.zeros(turns))

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
        self._forecaster, self._G, self._memory = forecaster, G, forecaster.begin()
        self._belief = self._lowest = math.nan
        self._errors, self._squares, self._later = 0, 0.0, 0
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
        later = None if calendar is None else calendar[self._later :]
        return Forecast(mean, np.maximum(table, self._lowest), later, str(self._forecaster))


@dataclass(frozen=True)
class RandomWalk(OneStep):
    """H(t+1) = G(t): the next turn is like this one.

    >>> RandomWalk().path([10, 20, 40]).values
    array([10., 10., 20.])
    """

    name = "random-walk"
    step = staticmethod(kernels.random_walk)

    def begin(self) -> Numbers:
        """The last value."""
        return np.zeros(1)

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """A surprise stays."""
        return _echo(np.ones(turns))


@dataclass(frozen=True)
class SimpleAverage(OneStep):
    """H(t+1) = the mean of G(1), …, G(t).  It forgets nothing, so it follows no season.

    >>> SimpleAverage().path([10, 20, 40]).values
    array([10., 10., 15.])
    """

    name = "simple-average"
    step = staticmethod(kernels.simple_average)

    def begin(self) -> Numbers:
        """Count and sum."""
        return np.zeros(2)

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """A surprise is one of many."""
        return _echo(np.full(turns, 1.0 / max(1.0, memory[0])))


@dataclass(frozen=True)
class MovingAverage(OneStep):
    """H(t+1) = the mean of the last `window` turns; of fewer at the start.

    >>> MovingAverage(window=2).path([10, 20, 40, 40]).values
    array([10., 10., 15., 30.])
    """

    name = "moving-average"
    step = staticmethod(kernels.moving_average)

    window: int = 5

    def __post_init__(self) -> None:
        """A window has at least one turn."""
        whole_number("window", self.window, 1, ForecastError)

    def begin(self) -> Numbers:
        """Count and the last values."""
        return np.zeros(1 + self.window)

    def weights(self) -> Numbers:
        """The weights of the last turns, newest first; they add up to 1."""
        return np.full(self.window, 1.0 / self.window)

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """As in an autoregression with these weights."""
        weights, echo = self.weights(), _echo(np.zeros(turns))
        for h in range(1, turns):
            last = echo[max(0, h - weights.size) : h][::-1]
            echo[h] = float(weights[: last.size] @ last)
        return echo


@dataclass(frozen=True)
class WeightedMovingAverage(MovingAverage):
    """A moving average with weights 1, 2, …, `window`, the newest turn heaviest.

    >>> WeightedMovingAverage(window=2).path([10, 10, 40, 40]).values
    array([10., 10., 10., 30.])
    """

    name = "weighted-moving-average"
    step = staticmethod(kernels.weighted_moving_average)

    def weights(self) -> Numbers:
        """Falling with age."""
        falling = np.arange(self.window, 0, -1.0)
        return np.asarray(falling / falling.sum())


@dataclass(frozen=True)
class ExponentialSmoothing(OneStep):
    """H(t+1) = level(t) = alpha·G(t) + (1 − alpha)·level(t−1), from level(1) = G(1).

    >>> ExponentialSmoothing(alpha=0.5).path([10, 20, 40]).values
    array([10., 10., 15.])
    """

    name = "exponential-smoothing"
    step = staticmethod(kernels.exponential_smoothing)

    alpha: float = 0.5

    def __post_init__(self) -> None:
        """Check the share of the newest turn."""
        _check_share("alpha", self.alpha)

    def begin(self) -> Numbers:
        """Alpha, count, level."""
        return np.array([self.alpha, 0.0, 0.0])

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """A share of a surprise stays."""
        return _echo(np.full(turns, self.alpha))


@dataclass(frozen=True)
class DoubleExponentialSmoothing(OneStep):
    """H(t+1) = level(t) + trend(t), Holt's method.

    level(t) = alpha·G(t) + (1 − alpha)·(level + trend), and
    trend(t) = beta·(level(t) − level(t−1)) + (1 − beta)·trend, from level(1) = G(1), trend(1) = 0.

    >>> DoubleExponentialSmoothing().path([10, 20, 40]).values
    array([10. , 10. , 17.5])
    """

    name = "double-exponential-smoothing"
    step = staticmethod(kernels.double_exponential_smoothing)

    alpha: float = 0.5
    beta: float = 0.5

    def __post_init__(self) -> None:
        """Check the shares of the newest level and trend."""
        _check_share("alpha", self.alpha)
        _check_share("beta", self.beta)

    def begin(self) -> Numbers:
        """Alpha, beta, count, level, trend."""
        return np.array([self.alpha, self.beta, 0.0, 0.0, 0.0])

    def ahead(self, memory: Numbers, turns: int, belief: float) -> Numbers:
        """Along the trend."""
        return np.asarray(memory[3] + memory[4] * np.arange(1, turns + 1), dtype=np.float64)

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """A surprise moves the level, and through the trend all later turns."""
        return _echo(self.alpha * (1.0 + self.beta * np.arange(turns, dtype=np.float64)))


def _echo(echo: Numbers) -> Numbers:
    """The echo of a surprise, which is felt in full one turn ahead."""
    echo[0] = 1.0
    return echo


def _check_share(name: str, value: float) -> None:
    if not 0 < value <= 1:
        raise ForecastError(f"{name} must be above 0 and at most 1, got {value!r}")
