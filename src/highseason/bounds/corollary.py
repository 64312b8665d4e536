"""The corollary for a multiplier of two values, with the sum over turns that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.remarks import exploration_sum
from highseason.bounds.result import RegretBound
from highseason.bounds.setting import Means, Setting
from highseason.bounds.theorems import regret
from highseason.multipliers import as_multiplier
from highseason.policies import EpsilonZGreedy


@dataclass(frozen=True, eq=False)
class TwoValues:
    """ε-z greedy where G is either low or high.

    Attributes:
        low: The lower value of G.
        high: The higher one.
        low_turns: N, how many turns are low, those of the first round included.
        exploration: low (sum D_j / m) S(N) in closed form; at least the exploration part.
        bound: The safe bound of this very arrangement of turns.
    """

    low: float
    high: float
    low_turns: int
    exploration: float
    bound: RegretBound


def two_values(
    policy: EpsilonZGreedy,
    means: Means | None = None,
    gaps: Sequence[float] | NDArray[np.float64] | None = None,
    multiplier: Any = None,
    r: float = 1.0,
) -> TwoValues:
    """The corollary, read as a sum: (qn) times theta(1/t), as printed, has a t that nothing binds.

    Exploration costs low (sum D_j / m) S(N), which grows with log N.  The high part depends on
    where the high turns are: a long high stretch costs its length times the leader's chance at its
    start.

    >>> import highseason as hs
    >>> G = hs.multipliers.step(turns=20_000)
    >>> found = two_values(hs.EpsilonZGreedy(k=50, z=30), means=[0.9, 0.1], multiplier=G)
    >>> found.low, found.high, found.low_turns
    (1.0, 40.0, 9999)
    >>> found.exploration >= found.bound.parts["exploration"]
    True
    """
    G = as_multiplier(multiplier)
    values = np.unique(G.values)
    if values.size != 2:
        raise ValueError(f"the corollary is about a G of two values; this one has {values.size}")
    low, high = values.tolist()
    z = policy.resolve_thresholds(G.values).z
    if not low < z <= high:
        raise ValueError(f"z = {z:g} does not lie between the two values {low:g} and {high:g}")
    bound = regret(policy, means, gaps, G, r=r)
    count = int(np.count_nonzero(G.values == low))
    per_turn = low * float(Setting.of(means, gaps, G, r=r).gaps.mean())
    closed = per_turn * exploration_sum(count, policy.k, bound.arms)
    return TwoValues(low, high, count, closed, bound)
