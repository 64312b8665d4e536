"""Forecasters that look one turn ahead, from the turns so far: those of the paper.

They need no calendar and no past season, only the turns of the game itself.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from highseason.core.validation import whole_number
from highseason.traffic.forecast import (
    Fitted,
    Forecast,
    Forecaster,
    ForecastError,
    Numbers,
    as_past,
    calendar_after,
    normal_quantiles,
    observed,
)
from highseason.traffic.series import Multiplier
from highseason.traffic.sources import as_multiplier


@dataclass(frozen=True)
class OneStep(Forecaster):
    """A step and the memory it works on, a short array of numbers.  Subclasses give both."""

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
        the first h squares.  The first entry counts as 1, whatever it is.
        """
        return np.zeros(turns)

    def path(self, G: Any) -> Multiplier:
        """H: the forecast of each turn just before it comes.

        H(1) = G(1), which no decision uses: the first turns try every arm once.  No forecast is
        below the lowest G so far.

        >>> import highseason as hs
        >>> hs.traffic.RandomWalk().path([10, 20, 40]).values
        array([10., 10., 20.])
        """
        G = as_multiplier(G)
        first, *_ = values = G.values.tolist()
        memory, beliefs, lowest = self.begin(), [first], first
        for value in values[:-1]:
            lowest = min(lowest, value)
            beliefs.append(max(type(self).step(memory, value), lowest))
        return Multiplier(np.array(beliefs), G.timeline, self.name)

    def fit(self, series: Any) -> "FittedOneStep":
        """Go through the series, turn by turn."""
        return FittedOneStep(self, as_past(series))


class FittedOneStep(Fitted):
    """The memory after the turns so far, and the errors of the forecasts."""

    def __init__(self, forecaster: OneStep, G: Multiplier) -> None:
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
        calendar = calendar_after(self._G, self._later, turns)
        deviation = math.sqrt(self._squares / self._errors) if self._errors else 0.0
        echo = self._forecaster.spread(self._memory, turns)
        echo[0] = 1.0
        mean = np.maximum(self._forecaster.ahead(self._memory, turns, self._belief), self._lowest)
        table = normal_quantiles(mean, deviation * np.sqrt(np.cumsum(echo**2)))
        table, name = np.maximum(table, self._lowest), str(self._forecaster)
        return Forecast(mean, table, calendar, name, home=self._G.zone)


@dataclass(frozen=True)
class RandomWalk(OneStep):
    """H(t+1) = G(t): the next turn is like this one.

    >>> RandomWalk().path([10, 20, 40]).values
    array([10., 10., 20.])
    """

    name = "random-walk"

    def begin(self) -> Numbers:
        """Nothing is remembered."""
        return np.zeros(1)

    @staticmethod
    def step(memory: Numbers, value: float) -> float:
        """The value itself."""
        return value

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """A surprise stays."""
        return np.ones(turns)


@dataclass(frozen=True)
class SimpleAverage(OneStep):
    """H(t+1) = the mean of G(1), …, G(t).  It forgets nothing, so it follows no season.

    >>> SimpleAverage().path([10, 20, 40]).values
    array([10., 10., 15.])
    """

    name = "simple-average"

    def begin(self) -> Numbers:
        """Count and sum."""
        return np.zeros(2)

    @staticmethod
    def step(memory: Numbers, value: float) -> float:
        """The mean of all turns."""
        memory[0] += 1.0
        memory[1] += value
        return float(memory[1] / memory[0])

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """A surprise is one of many."""
        return np.full(turns, 1.0 / max(1.0, memory[0]))


@dataclass(frozen=True)
class MovingAverage(OneStep):
    """H(t+1) = the mean of the last `window` turns; of fewer at the start.

    >>> MovingAverage(window=2).path([10, 20, 40, 40]).values
    array([10., 10., 15., 30.])
    """

    name = "moving-average"
    #: By how much the weight of a turn exceeds that of the turn before; the oldest has weight 1.
    slope: ClassVar[float] = 0.0

    window: int = 5

    def __post_init__(self) -> None:
        whole_number("window", self.window, 1, ForecastError)

    def begin(self) -> Numbers:
        """Slope, count and the last values, newest first."""
        return np.array([self.slope, *np.zeros(1 + self.window)])

    @staticmethod
    def step(memory: Numbers, value: float) -> float:
        """The weighted mean of the last few."""
        memory[1] += 1.0
        slope, held = memory[0], int(min(memory[1], memory.size - 2))
        weights = 1.0 + slope * (held - 1)
        total = weights * value
        for i in range(held - 1, 0, -1):  # each value moves back by one place
            memory[2 + i] = memory[1 + i]
            weight = 1.0 + slope * (held - 1 - i)
            total += weight * memory[1 + i]
            weights += weight
        memory[2] = value
        return float(total / weights)

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """As in an autoregression with the weights of a full window."""
        weights = 1.0 + self.slope * np.arange(self.window - 1, -1, -1.0)
        weights, echo = weights / weights.sum(), np.ones(turns)
        for h in range(1, turns):
            last = echo[max(0, h - self.window) : h][::-1]
            echo[h] = float(weights[: last.size] @ last)
        return echo


@dataclass(frozen=True)
class WeightedMovingAverage(MovingAverage):
    """A moving average with weights 1, 2, …, `window`, the newest turn heaviest.

    >>> WeightedMovingAverage(window=2).path([10, 10, 40, 40]).values
    array([10., 10., 10., 30.])
    """

    name = "weighted-moving-average"
    slope = 1.0


@dataclass(frozen=True)
class ExponentialSmoothing(OneStep):
    """H(t+1) = level(t) = alpha·G(t) + (1 − alpha)·level(t−1), from level(1) = G(1).

    >>> ExponentialSmoothing(alpha=0.5).path([10, 20, 40]).values
    array([10., 10., 15.])
    """

    name = "exponential-smoothing"
    #: As alpha, but of the trend; with 0 there is none.
    beta = 0.0

    alpha: float = 0.5

    def __post_init__(self) -> None:
        for entry in fields(self):
            if not 0 < (value := getattr(self, entry.name)) <= 1:
                raise ForecastError(f"{entry.name} must be above 0 and at most 1, got {value!r}")

    def begin(self) -> Numbers:
        """Alpha, beta, count, level, trend."""
        return np.array([self.alpha, self.beta, 0.0, 0.0, 0.0])

    @staticmethod
    def step(memory: Numbers, value: float) -> float:
        """The level and the trend."""
        alpha, beta = memory[0], memory[1]
        level, trend = value, 0.0
        if memory[2] > 0.0:
            level = alpha * value + (1.0 - alpha) * (memory[3] + memory[4])
            trend = beta * (level - memory[3]) + (1.0 - beta) * memory[4]
        memory[2] += 1.0
        memory[3] = level
        memory[4] = trend
        return level + trend

    def ahead(self, memory: Numbers, turns: int, belief: float) -> Numbers:
        """Along the trend."""
        return np.asarray(memory[3] + memory[4] * np.arange(1, turns + 1), dtype=np.float64)

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """A surprise moves the level, and through the trend all later turns."""
        return np.asarray(self.alpha * (1.0 + self.beta * np.arange(turns, dtype=np.float64)))


@dataclass(frozen=True)
class DoubleExponentialSmoothing(ExponentialSmoothing):
    """H(t+1) = level(t) + trend(t), Holt's method.

    level(t) = alpha·G(t) + (1 − alpha)·(level + trend), and
    trend(t) = beta·(level(t) − level(t−1)) + (1 − beta)·trend, from level(1) = G(1), trend(1) = 0.

    >>> DoubleExponentialSmoothing().path([10, 20, 40]).values
    array([10. , 10. , 17.5])
    """

    name = "double-exponential-smoothing"

    beta: float = 0.5
