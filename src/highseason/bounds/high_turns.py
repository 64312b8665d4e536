"""On high turns, regulated against unregulated ε-greedy: P_old - P_new in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.epsilon_family import blind_pulls, leader_chances, printed_beta, printed_x
from highseason.bounds.epsilon_z_greedy import counted_low
from highseason.bounds.result import Form
from highseason.bounds.setting import Means, Numbers, Setting, low_turns, read_plan
from highseason.policies import EpsilonGreedy, EpsilonZGreedy


@dataclass(frozen=True, eq=False)
class HighTurnAdvantage:
    """By how much regulation lowers the bound on the chance of a bad arm, on each high turn.

    Attributes:
        turns: The high turns after the first round.
        gaps: The suboptimal arms' gaps, falling.
        difference: P_old - P_new, a row for each arm and a column for each high turn.
    """

    turns: NDArray[np.int64]
    gaps: Numbers
    difference: Numbers

    @property
    def positive_from(self) -> int | None:
        """The first high turn from which every difference stays above 0; None if there is none."""
        bad = np.flatnonzero(~(self.difference > 0).all(axis=0))
        after = int(bad[-1]) + 1 if bad.size else 0
        return int(self.turns[after]) if after < self.turns.size else None


def high_turn_advantage(
    policy: EpsilonZGreedy,
    means: Means | None = None,
    gaps: Sequence[float] | Numbers | None = None,
    multiplier: Any = None,
    form: Form = "paper",
    H: Any = None,
    r: float = 1.0,
) -> HighTurnAdvantage:
    """P_old - P_new = ε_t/m + (1 - ε_t) beta_old(t) - beta(t~) on high turns, ε_t = min(1, km/t).

    The old policy is ε-greedy with the same k.  "paper" takes the printed betas, "safe" the clipped
    tails of the safe form.

    >>> import highseason as hs
    >>> G = hs.multipliers.step(turns=20_000)
    >>> found = high_turn_advantage(hs.EpsilonZGreedy(k=50, z=30), gaps=[0, 0.8], multiplier=G)
    >>> found.turns[0], found.positive_from
    (np.int64(2000), 2000)
    """
    setting = Setting.of(means, gaps, multiplier, H, r)
    low, _ = low_turns(policy, setting)
    m = setting.arms
    high = np.flatnonzero(~low[m:])
    old = read_plan(EpsilonGreedy(k=policy.k), setting).levels
    new = read_plan(policy, setting).levels
    epsilon = old[m:][high]
    rows = []
    for gap in setting.worst_first.tolist():
        if form == "paper":
            counted = counted_low(low)[m:]
            before = printed_beta(printed_x(setting.clock[high], policy.k, m), policy.k, gap / r)
            now = printed_beta(printed_x(counted[high], policy.k, m), policy.k, gap / r)
        else:
            before = leader_chances(blind_pulls(old, m)[high], gap / r)
            now = leader_chances(blind_pulls(new, m)[high], gap / r)
        with np.errstate(invalid="ignore"):
            led = np.where(epsilon < 1.0, (1.0 - epsilon) * before, 0.0)
        rows.append(epsilon / m + led - now)
    difference = np.array(rows).reshape(setting.worst_first.size, high.size)
    return HighTurnAdvantage(high + m + 1, setting.worst_first, difference)
