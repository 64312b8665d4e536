"""What the theorems are built from, and the lemmas and corollaries beside them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from highseason.bounds.epsilon import printed_beta as printed_beta
from highseason.bounds.kernels import tail as tail
from highseason.bounds.minimum_pulls import ceil_exp, least_pulls
from highseason.bounds.minimum_pulls import minimum_pulls_ranges as minimum_pulls_ranges
from highseason.bounds.minimum_pulls import need as need
from highseason.bounds.minimum_pulls import phi as phi
from highseason.bounds.minimum_pulls import soft_minimum_pulls as soft_minimum_pulls
from highseason.bounds.minimum_pulls import tau as tau
from highseason.bounds.pool import PoolHypothesis as PoolHypothesis
from highseason.bounds.pool import pool_hypothesis as pool_hypothesis
from highseason.bounds.regret_bound import RegretBound
from highseason.bounds.setting import Means, Numbers, Setting
from highseason.bounds.setting import leader_regret as leader_regret
from highseason.bounds.theorems import regret
from highseason.policies import EpsilonZGreedy
from highseason.traffic import as_multiplier


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
    gaps: Sequence[float] | Numbers | None = None,
    multiplier: Any = None,
    r: float = 1.0,
) -> TwoValues:
    """Corollary 3, read as a sum: the printed (qn) times theta(1/t) has an unbound t.

    Exploration costs low (sum D_j / m) S(N), which grows with log N.  The high part depends on
    where the high turns are: a long high stretch costs its length times the leader's probability
    at its start.

    >>> import highseason as hs
    >>> G = hs.traffic.step(turns=20_000)
    >>> result = two_values(hs.EpsilonZGreedy(k=50, z=30), means=[0.9, 0.1], multiplier=G)
    >>> result.low, result.high, result.low_turns
    (1.0, 40.0, 9999)
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


@dataclass(frozen=True)
class LogarithmicGrowth:
    """The theorem at one n: x_n >= P log n / alpha_n >= (P beta / (c r²)) log n.

    Attributes:
        c: The constant of the proof, above (sqrt(P)/r + 1)².
        q: floor(n/(m-1)) / n.
        alpha: c r² / (beta log_n q + 2 beta); with several ranges the largest (printed: the least).
        y: floor(P log n / alpha), the pulls the proof claims.
        tau: tau(r, y).
        phi: phi(r, y).
        tau_limit: The first step: tau <= ceil(n^(r²/alpha)).
        phi_limit: The second step: phi <= ceil(n^(c r²/alpha)).
        third: The third step: (m-1) ceil(n^(c r²/alpha)), which must not exceed n.
        log_q: The fourth step: log_n q, between -1 and 0.
        claim: P log n / alpha.
        floor: (P beta / (c r²)) log n.
        steps: Whether each step holds at this n.
        pulls: The minimum pulls, safe form.
        holds: Whether the claim is at most these.
    """

    turns: int
    arms: int
    r: float
    P: float
    beta: float
    c: float
    q: float
    alpha: float
    y: int
    tau: float
    phi: float
    tau_limit: float
    phi_limit: float
    third: float
    log_q: float
    claim: float
    floor: float
    steps: dict[str, bool]
    pulls: int
    holds: bool


def logarithmic_growth(
    turns: int,
    arms: int,
    r: float | Sequence[float] = 1.0,
    P: float = 2.0,
    beta: float = 0.4,
    c: float | None = None,
    form: Literal["safe", "paper"] = "safe",
) -> LogarithmicGrowth:
    """Evaluate Theorem 7, x_n in Omega(log n), with all its constants at one n.

    With several ranges it is Corollary 18, with another P Corollary 19.  The paper says that the
    proof's third step, (m-1) ceil(n^(c r²/alpha)) <= n, holds for every n > m; it holds only for
    large n.

    Args:
        turns: n > m.
        arms: m >= 2.
        r: The range of the rewards; or the differences b_i - a_j of arm j to each rival i.
        P: The radius is sqrt(P log t / pulls).
        beta: Between 0 and 1/2.
        c: Above (sqrt(P)/r + 1)²; just above it by default.
        form: With several ranges, "safe" uses the largest alpha_i, "paper" the least, as printed.

    >>> logarithmic_growth(746, arms=10).steps["third"]
    False
    >>> growth = logarithmic_growth(747, arms=10)
    >>> growth.steps["third"], growth.y, growth.pulls
    (True, 1, 5)
    """
    ranges = [float(r)] * (arms - 1) if isinstance(r, int | float) else [float(x) for x in r]
    if arms < 2 or turns <= arms:
        raise ValueError(f"the theorem needs m >= 2 arms and n > m turns, got {arms} and {turns}")
    if len(ranges) != arms - 1:
        raise ValueError(f"{arms} arms have {arms - 1} ranges to rivals, got {len(ranges)}")
    if not min(ranges) > 0.0:
        raise ValueError(f"every range must be above 0 (c divides by it), got {min(ranges):g}")
    if not 0.0 < beta < 0.5:
        raise ValueError(f"beta must lie between 0 and 1/2, got {beta:g}")
    widest = max(ranges)
    least_c = max((math.sqrt(P) / x + 1.0) ** 2 for x in ranges)
    chosen = least_c * (1.0 + 1e-9) if c is None else c
    q = (turns // (arms - 1)) / turns
    log_n = math.log(turns)
    log_q = math.log(turns // (arms - 1)) / log_n - 1.0  # exactly -1 where the quotient is 1
    slope = beta * log_q + 2.0 * beta
    alpha = (max if form == "safe" else min)(chosen * x * x / slope for x in ranges)
    y = math.floor(P * log_n / alpha)
    tau_limit = ceil_exp(log_n * widest**2 / alpha)
    phi_limit = ceil_exp(log_n * chosen * widest**2 / alpha)
    first = tau(widest, y, P)
    second = phi(widest, y, P) if y >= 1 else 1
    third = (arms - 1) * phi_limit
    claim, floor = P * log_n / alpha, P * beta / (chosen * widest**2) * log_n
    pulls = least_pulls(turns, ranges, partial(phi, P=P), "safe")
    steps = {
        "first": first <= tau_limit,
        "second": second <= phi_limit,
        "third": third <= turns,
        "fourth": -1.0 - 1e-12 <= log_q <= 0.0,  # -1 is reached, up to rounding
        "fifth": claim >= floor * (1.0 - 1e-12),
    }
    return LogarithmicGrowth(
        turns, arms, widest, P, beta, chosen, q, alpha, y, first, second, tau_limit, phi_limit,
        third, log_q, claim, floor, steps, pulls, claim <= pulls,
    )  # fmt: skip
