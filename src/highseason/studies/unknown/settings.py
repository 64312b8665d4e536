"""The paper's multipliers, distributions, policies and six estimators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import highseason as hs
from highseason.forecasters import (
    DoubleExponentialSmoothing,
    ExponentialSmoothing,
    MovingAverage,
    OneStep,
    RandomWalk,
    SimpleAverage,
    WeightedMovingAverage,
)
from highseason.multipliers import SHAPES, Multiplier
from highseason.rewards import Rewards, bernoulli, truncated_normal

ARMS, TURNS, GAMES, QUICK_GAMES = 25, 500, 400, 40

ESTIMATORS: dict[str, OneStep] = {
    "random walk": RandomWalk(),
    "simple average": SimpleAverage(),
    "moving average": MovingAverage(),
    "weighted moving average": WeightedMovingAverage(),
    "exponential smoothing": ExponentialSmoothing(),
    "double exponential smoothing": DoubleExponentialSmoothing(),
}

KINDS: tuple[type[hs.Policy], ...] = (
    hs.EpsilonZGreedy,
    hs.SoftEpsilonGreedy,
    hs.UCBZ,
    hs.SoftUCB,
    hs.VariablePool,
)

LAWS: dict[str, Callable[[], Rewards]] = {
    "Bernoulli": lambda: bernoulli(arms=ARMS),
    "clipped normal, sigma 0.1": lambda: truncated_normal(arms=ARMS, sigma=0.1),
    "clipped normal, sigma 1": lambda: truncated_normal(arms=ARMS, sigma=1.0),
}


@dataclass(frozen=True)
class Cell:
    """One multiplier and one distribution: a figure of its own."""

    multiplier: str
    law: str

    @property
    def id(self) -> str:
        """A readable name, also of files."""
        return f"{self.multiplier}-{self.law.lower()}".replace(", ", "-").replace(" ", "-")

    @property
    def G(self) -> Multiplier:
        """The multiplier."""
        return SHAPES[self.multiplier](TURNS)

    @property
    def rewards(self) -> Rewards:
        """What the arms pay."""
        return LAWS[self.law]()


#: The paper's six come first; it leaves open whether its normal has sigma 0.1 or 1.
CELLS = tuple(Cell(name, law) for law in LAWS for name in ("wave", "step", "christmas"))


def policies(profile: str) -> dict[str, hs.Policy]:
    """The paper's regulated policies with published values; z is 30 in all of them."""
    return {kind.name: kind.profile(profile) for kind in KINDS}
