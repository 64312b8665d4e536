"""What is compared: candidate policies, and what is believed of the arms beforehand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from highseason.core.warnings import quiet
from highseason.multipliers import Multiplier, Threshold
from highseason.policies import (
    UCB,
    UCBZ,
    EpsilonGreedy,
    EpsilonZGreedy,
    Greedy,
    Plan,
    Policy,
    SoftEpsilonGreedy,
    SoftUCB,
    VariablePool,
)
from highseason.rewards import Rewards, bernoulli, check_arms

#: When a policy explores: never, regardless of G, or regulated by G.
Kind = Literal["greedy", "unregulated", "regulated"]

_KS = (0.02, 0.1, 0.3, 1.0, 3.0)
_PS = (0.1, 0.5, 2.0)
_ZS = ("q0.5", "q0.75", "0.5*max")
_UNITS = ("q0.1", "q0.5")

#: A few values of each parameter that did well on many seasons, so that an answer takes seconds.
#: The parameters' search ranges are far wider: they are for tuning.
GRID: Mapping[type[Policy], Mapping[str, tuple[Any, ...]]] = {
    Greedy: {},
    EpsilonGreedy: {"k": _KS},
    EpsilonZGreedy: {"k": _KS, "z": _ZS},
    SoftEpsilonGreedy: {"k": _KS, "unit": _UNITS},
    UCB: {"P": _PS},
    UCBZ: {"P": _PS, "z": _ZS},
    SoftUCB: {"P": _PS, "unit": _UNITS},
    VariablePool: {"c": (2.0, 5.0, 20.0, 50.0)},
}
_UNREGULATED = (EpsilonGreedy, UCB)


def kind_of(policy: Policy) -> Kind:
    """Whether a policy is regulated by G; a policy of your own is assumed to be.

    >>> import highseason as hs
    >>> kind_of(hs.UCB()), kind_of(hs.UCBZ()), kind_of(hs.Greedy())
    ('unregulated', 'regulated', 'greedy')
    """
    if type(policy) is Greedy:
        return "greedy"
    return "unregulated" if type(policy) in _UNREGULATED else "regulated"


def idle_thresholds(G: Multiplier) -> list[str]:
    """The thresholds of the grid that put every turn on the same side.

    >>> import highseason as hs
    >>> idle_thresholds(hs.multipliers.from_values([1] * 9 + [40]))
    ['q0.5', 'q0.75']
    """
    high = {z: G.values >= Threshold.of(z).resolve(G.values) for z in _ZS}
    return [z for z, turns in high.items() if turns.all() or not turns.any()]


def candidates(G: Multiplier, arms: int, more: Iterable[Policy] = ()) -> list[Policy]:
    """The candidates for this G, defaults first; one of those with the same plan."""
    idle = idle_thresholds(G)
    by_plan: dict[tuple[str, str], Policy] = {}
    for policy in (*_grid(), *more):
        if policy.threshold in idle:
            continue
        plan = quiet_plan(policy, G, arms)
        by_plan.setdefault((policy.rule.name, plan.digest), policy)
    return list(by_plan.values())


def quiet_plan(policy: Policy, G: Multiplier, arms: int) -> Plan:
    """The plan without its warnings: the advice lists what is unusual, once."""
    with quiet():
        return policy.plan(G, arms)


def _grid() -> Iterator[Policy]:
    for cls in GRID:
        yield cls()
    for cls, axes in GRID.items():
        for values in itertools.product(*axes.values()) if axes else ():
            yield cls(**dict(zip(axes, values, strict=True)))


Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Apart(Rewards):
    """Arms drawn in every game, the second best a given gap below the best."""

    gap: float = 0.0

    def parameters(self, keys: NDArray[np.uint64]) -> Numbers:
        """The arms of each game."""
        return apart(super().parameters(keys), self.between[0], self.gap)


@dataclass(frozen=True)
class Belief:
    """Means are uniform in a range; with a known gap, the second best is that far below the best.

    Attributes:
        arms: The number of arms.
        between: The range of their means.
        gap: How far the second best is below the best; None if unknown.

    >>> sorted(Belief(3, gap=0.25).typical().tolist())
    [0.25, 0.5, 0.75]
    """

    arms: int
    between: tuple[float, float] = (0.0, 1.0)
    gap: float | None = None

    def __post_init__(self) -> None:
        """Check the range and the gap."""
        if check_arms(self.arms) < 2:
            raise ValueError("advice needs at least 2 arms: with one there is nothing to choose")
        low, high = self.between
        if not 0.0 <= low < high <= 1.0:
            raise ValueError(
                f"means_between must be two rising numbers from 0 to 1, got {low:g} and {high:g}"
            )
        if self.gap is None:
            return
        if not (math.isfinite(self.gap) and 0.0 < self.gap <= high - low):
            raise ValueError(
                f"gap must be above 0 and at most {high - low:g}, the width of the range of means, "
                f"got {self.gap:g}"
            )

    def rewards(self) -> Rewards:
        """Bernoulli arms, drawn in every game."""
        plain = bernoulli(self.arms, between=self.between)
        return plain if self.gap is None else _Apart(**vars(plain), gap=self.gap)

    def typical(self) -> Numbers:
        """Typical means of a game, for bounds, which need given arms."""
        low, high = self.between
        even = low + (high - low) * np.arange(1, self.arms + 1) / (self.arms + 1)
        if self.gap is not None:
            even = apart(even[None, :], low, self.gap)[0]
        # The order of the first round must not depend on the means.
        return np.asarray(np.random.default_rng(0).permutation(even))

    def __str__(self) -> str:
        """As part of a sentence."""
        low, high = self.between
        text = f"means between {low:g} and {high:g}"
        return text if self.gap is None else f"{text}, the best ahead by {self.gap:g}"


def apart(means: Numbers, low: float, gap: float) -> Numbers:
    """Compress all but the best arm of each row, so that the second best is `gap` below it.

    >>> apart(np.array([[0.9, 0.8, 0.4]]), 0.0, 0.5)
    array([[0.9, 0.4, 0.2]])
    """
    rows = np.arange(means.shape[0])
    best = means.argmax(axis=1)
    top = np.maximum(means[rows, best], low + gap)
    rest = means.copy()
    rest[rows, best] = -np.inf
    second = rest.max(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where(second > low, (top - gap - low) / (second - low), 0.0)
    pressed = low + (means - low) * scale[:, None]
    pressed[rows, best] = top
    return np.asarray(pressed)
