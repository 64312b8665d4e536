"""The paper's averages: of the last turn, of all turns, of the last few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from highseason.forecasters.base import whole
from highseason.forecasters.forecast import Numbers
from highseason.forecasters.kernels import steps
from highseason.forecasters.one_step import OneStep


@dataclass(frozen=True)
class RandomWalk(OneStep):
    """H(t+1) = G(t): the next turn is as this one.

    >>> RandomWalk().path([10, 20, 40]).values
    array([10., 10., 20.])
    """

    name = "random-walk"
    step = staticmethod(steps.random_walk)

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
    step = staticmethod(steps.simple_average)

    def begin(self) -> Numbers:
        """Count and sum."""
        return np.zeros(2)

    def spread(self, memory: Numbers, turns: int) -> Numbers:
        """A surprise is one among all."""
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
    step = staticmethod(steps.moving_average)

    window: int = 5

    def __post_init__(self) -> None:
        """A window has at least one turn."""
        whole("window", self.window)

    def begin(self) -> Numbers:
        """Count and the last values."""
        return np.zeros(1 + self.window)

    def weights(self) -> Numbers:
        """Of the last turns, the newest first; they add up to 1."""
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
    """As the moving average, with weights 1, 2, …, `window`, the newest turn heaviest.

    >>> WeightedMovingAverage(window=2).path([10, 10, 40, 40]).values
    array([10., 10., 10., 30.])
    """

    name = "weighted-moving-average"
    step = staticmethod(steps.weighted_moving_average)

    def weights(self) -> Numbers:
        """Falling with age."""
        falling = np.arange(self.window, 0, -1.0)
        return np.asarray(falling / falling.sum())
