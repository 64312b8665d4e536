"""The paper's exponential smoothing: of the level, and of level and trend (Holt)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from highseason.forecasters.base import share
from highseason.forecasters.forecast import Numbers
from highseason.forecasters.kernels import steps
from highseason.forecasters.one_step import OneStep


@dataclass(frozen=True)
class ExponentialSmoothing(OneStep):
    """H(t+1) = level(t) = alpha·G(t) + (1 − alpha)·level(t−1), from level(1) = G(1).

    >>> ExponentialSmoothing(alpha=0.5).path([10, 20, 40]).values
    array([10., 10., 15.])
    """

    name = "exponential-smoothing"
    step = staticmethod(steps.exponential_smoothing)

    alpha: float = 0.5

    def __post_init__(self) -> None:
        """A share of the newest turn."""
        share("alpha", self.alpha)

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
    step = staticmethod(steps.double_exponential_smoothing)

    alpha: float = 0.5
    beta: float = 0.5

    def __post_init__(self) -> None:
        """Shares of the newest level and trend."""
        share("alpha", self.alpha)
        share("beta", self.beta)

    def begin(self) -> Numbers:
        """Alpha, beta, count, level, trend."""
        return np.array([self.alpha, self.beta, 0.0, 0.0, 0.0])

    def ahead(self, memory: Numbers, turns: int, belief: float) -> Numbers:
        """Along the trend."""
        return np.asarray(memory[3] + memory[4] * np.arange(1, turns + 1), dtype=np.float64)

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """A surprise moves the level, and through the trend all that follows."""
        echo = self.alpha * (1.0 + self.beta * np.arange(turns, dtype=np.float64))
        echo[0] = 1.0
        return np.asarray(echo, dtype=np.float64)
