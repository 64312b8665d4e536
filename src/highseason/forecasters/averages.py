"""The paper's one-step forecasters: averages, and exponential smoothing of level and trend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from highseason.core.validation import whole_number
from highseason.forecasters import kernels
from highseason.forecasters.forecast import ForecastError, Numbers
from highseason.forecasters.one_step import OneStep


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
        return np.ones(turns)


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
        echo = np.full(turns, 1.0 / max(1.0, memory[0]))
        echo[0] = 1.0
        return echo


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
        weights = self.weights()
        echo = np.zeros(turns)
        echo[0] = 1.0
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
        _share("alpha", self.alpha)

    def begin(self) -> Numbers:
        """Alpha, count, level."""
        return np.array([self.alpha, 0.0, 0.0])

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """A share of a surprise stays."""
        echo = np.full(turns, self.alpha)
        echo[0] = 1.0
        return echo


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
        _share("alpha", self.alpha)
        _share("beta", self.beta)

    def begin(self) -> Numbers:
        """Alpha, beta, count, level, trend."""
        return np.array([self.alpha, self.beta, 0.0, 0.0, 0.0])

    def ahead(self, memory: Numbers, turns: int, belief: float) -> Numbers:
        """Along the trend."""
        return np.asarray(memory[3] + memory[4] * np.arange(1, turns + 1), dtype=np.float64)

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """A surprise moves the level, and through the trend all later turns."""
        echo = self.alpha * (1.0 + self.beta * np.arange(turns, dtype=np.float64))
        echo[0] = 1.0
        return np.asarray(echo, dtype=np.float64)


def _share(name: str, value: float) -> float:
    if not 0 < value <= 1:
        raise ForecastError(f"{name} must be above 0 and at most 1, got {value!r}")
    return float(value)
