"""Remarks and a corollary of the paper: bounds from a floor on lam, and a G of two values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.regret_bound import RegretBound
from highseason.bounds.setting import Means, Setting
from highseason.bounds.theorems import regret
from highseason.multipliers import as_multiplier
from highseason.policies import EpsilonZGreedy


def beta_from_floor(floor: float, gap: float, r: float = 1.0) -> float:
    """The leader's probability from L <= lam: min(1, 2 (L e^(-L/5) + (2/D²) e^(-D² L/2))).

    The remark before n' and the printed beta after m·k·e are this, at `remark_floor`.

    >>> round(beta_from_floor(60.0, gap=0.8), 6)
    0.000737
    """
    d = (gap / r) ** 2
    probability = floor * math.exp(-floor / 5.0) + 2.0 / d * math.exp(-d * floor / 2.0)
    return min(1.0, 2.0 * probability)


def remark_floor(low_turns: float, k: float, arms: int) -> float:
    """The lower bound on lam that the paper uses at t~.

    t~/(2m) up to n' = floor(km), then (k/2) log(t~/(mke)), which is negative until t~ = mke.
    With t~ of the turn itself the first exceeds lam by up to 1/(2m).

    >>> remark_floor(40, k=50, arms=2), round(remark_floor(1000, k=50, arms=2), 2)
    (10.0, 32.56)
    """
    if low_turns <= math.floor(k * arms):
        return low_turns / (2.0 * arms)
    return k / 2.0 * math.log(low_turns / (arms * k * math.e))


def true_floor(low_turns_before: int, k: float, arms: int) -> float:
    """A lower bound on lam that always holds, N the low turns *before* this one.

    N/(2m) for N <= km, and (k/2)(1 + log((N+1)/(km))) - 1/(2m) from there on.

    >>> true_floor(40, k=50, arms=2), round(true_floor(1000, k=50, arms=2), 2)
    (10.0, 82.34)
    """
    N, reach = low_turns_before, k * arms
    if N <= reach:
        return N / (2.0 * arms)
    return k / 2.0 * (1.0 + math.log((N + 1) / reach)) - 1.0 / (2.0 * arms)


def exploration_sum(low_turns: int, k: float, arms: int) -> float:
    """S(N) <= N up to km, then km (1 + log(N/(km))): the sum of ε over N low turns, in closed form.

    >>> exploration_sum(80, k=50, arms=2), round(exploration_sum(1000, k=50, arms=2), 2)
    (80.0, 330.26)
    """
    reach = k * arms
    if low_turns <= reach:
        return float(low_turns)
    return reach * (1.0 + math.log(low_turns / reach)) if reach > 0 else 0.0


@dataclass(frozen=True, eq=False)
class TwoValues:
    """ε-z greedy where G has two values.

    Attributes:
        low: The lower value of G.
        high: The higher one.
        low_turns: N, the number of low turns, those of the first round included.
        exploration: low (sum D_j / m) S(N) in closed form; at least the exploration part.
        bound: The safe bound for this order of turns.
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
    """The corollary, read as a sum: the printed (qn) times theta(1/t) has an unbound t.

    Exploration costs low (sum D_j / m) S(N), which grows with log N.  The high part depends on
    where the high turns are: a long high stretch costs its length times the leader's probability
    at its start.

    >>> import highseason as hs
    >>> G = hs.multipliers.step(turns=20_000)
    >>> result = two_values(hs.EpsilonZGreedy(k=50, z=30), means=[0.9, 0.1], multiplier=G)
    >>> result.low, result.high, result.low_turns
    (1.0, 40.0, 9999)
    >>> result.exploration >= result.bound.parts["exploration"]
    True
    """
    G = as_multiplier(multiplier)
    values = np.unique(G.values)
    if values.size != 2:
        raise ValueError(f"the corollary needs a G of two values, got one of {values.size}")
    low, high = values.tolist()
    z = policy.resolve_thresholds(G.values).z
    if not low < z <= high:
        raise ValueError(f"z must lie between the two values {low:g} and {high:g}, got {z:g}")
    bound = regret(policy, means, gaps, G, r=r)
    count = int(np.count_nonzero(G.values == low))
    per_turn = low * float(Setting.of(means, gaps, G, r=r).gaps.mean())
    closed = per_turn * exploration_sum(count, policy.k, bound.arms)
    return TwoValues(low, high, count, closed, bound)
