"""The variable pool: its theorem, the hypothesis it needs, and a repair that meets it.

References:
    Tracà, Rudin and Yan, "Regulating Greed Over Time in Multi-Armed Bandits", 2021,
    https://jmlr.org/papers/v22/17-720.html
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.kernels import pool_kernel, run
from highseason.bounds.regret_bound import Form, RegretBound
from highseason.bounds.setting import Numbers, PlanRead, Setting, read_plan
from highseason.bounds.theorems import theorem
from highseason.core.validation import one_of, positive_number
from highseason.core.warnings import quiet
from highseason.policies import PlanWarning, VariablePool
from highseason.rewards import check_arms
from highseason.traffic import Multiplier, as_multiplier

Mode = Literal["block", "minimal"]


@theorem(VariablePool)
def variable_pool(policy: VariablePool, setting: Setting, form: Form) -> RegretBound:
    """Theorem 12: initialisation + exploration (full pools, exact) + smaller pools.

    An arm behind the m_t-th best is in the pool only if it looks as good as one of the m_t truly
    best: the probability is at most (1 + m_t) tail(lam, d²/(2r²)), d its distance to the m_t-th
    best.  Pool sizes come from the plan, so a unit or a forecast changes them and nothing else; to
    play (and bound) with a repaired multiplier, pass it as the forecast.
    """
    plan = read_plan(policy, setting)
    if form == "paper":
        return _paper(policy, setting, plan)
    sizes = plan.levels[setting.arms :].astype(np.int64)
    falling, twice = np.sort(setting.gaps)[::-1], 2.0 * setting.r * setting.r
    costs = setting.weights * run(pool_kernel, falling, sizes, twice, shape=sizes.size)
    full = sizes == setting.arms
    worst = setting.weights * setting.largest_gap
    curves = {
        "exploration": np.cumsum(np.where(full, costs, 0.0)),
        "pool": np.cumsum(np.where(full, 0.0, costs)),
    }
    limits = {"exploration": float(worst @ full), "pool": float(worst @ ~full)}
    return setting.bound(policy, "safe", curves, limits, ("exploration",), remarks=plan.notes)


def _paper(policy: VariablePool, setting: Setting, plan: PlanRead) -> RegretBound:
    sizes = plan.levels.astype(np.int64)
    rising = np.sort(setting.gaps)
    edges = rising[sizes - 1]  # the gap of the m_t-th best arm
    t = np.arange(1, setting.turns + 1, dtype=np.float64)
    costs = np.zeros(setting.turns)
    with np.errstate(all="ignore"):
        near = setting.Gamma * np.log(t) * t ** (-setting.Gamma / 5.0)
        for gap in setting.worst_first.tolist():
            d = ((gap - edges) / setting.r) ** 2
            beta = near + 2.0 / d * np.exp(-setting.Gamma * d / 2.0 * np.log(t))
            costs += gap * setting.G * 2.0 / sizes * beta
        curve = np.cumsum(costs)
    check = pool_hypothesis(plan.levels, setting.arms, setting.Gamma)
    inside = int(np.count_nonzero(edges >= setting.smallest_gap))
    reasons = {
        f"its hypothesis lam_t >= {setting.Gamma:g} log t fails in {check.failing:,} of "
        f"{setting.turns:,} turns, first in turn {check.first_failure}.": not check.holds,
        f"Gamma = {setting.Gamma:g} is not above 5.": not setting.Gamma > 5.0,
        f"in {inside:,} turns the pool has room for a suboptimal arm, whose distance to the "
        "edge of the pool is then 0 (division by zero) or negative.": inside,
    }
    return RegretBound(
        str(policy), "paper", setting.arms, {"pool": curve}, {"pool": float(setting.trivial[-1])},
        setting.trivial, remarks=plan.notes,
        reasons=[reason for reason, holds in reasons.items() if holds and setting.worst_first.size],
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class PoolHypothesis:
    """Whether lam_t >= Gamma log t, turn by turn.

    Attributes:
        lam: lam_t = #{s <= t : m_s = m} / (2m).
        required: Gamma log t.
        holds: Whether it holds in every turn.
        failing: The number of turns in which it does not.
        first_failure: The first of them, or None.
    """

    lam: Numbers
    required: Numbers
    holds: bool
    failing: int
    first_failure: int | None


def pool_hypothesis(
    sizes: Numbers | NDArray[np.int64], arms: int, Gamma: float = 12.0
) -> PoolHypothesis:
    """Check the hypothesis of the variable pool's Theorem 12, which can never hold as printed.

    At t = 2 it requires lam >= 5 log 2, but lam is at most 1/m.

    >>> import highseason as hs
    >>> plan = hs.VariablePool(c=300, unit=1).plan(hs.traffic.constant(500), arms=2)
    >>> check = pool_hypothesis(plan.levels, arms=2)
    >>> check.holds, check.first_failure
    (False, 2)
    """
    counted = np.cumsum(np.asarray(sizes) == arms)
    lam = counted / (2.0 * arms)
    required = Gamma * np.log(np.arange(1, lam.size + 1))
    fails = np.flatnonzero(lam < required)
    first = int(fails[0]) + 1 if fails.size else None
    return PoolHypothesis(lam, required, first is None, int(fails.size), first)


def required_c(arms: int, turns: int) -> float:
    """The least c for which some G >= 1 can meet the hypothesis: 10 m log n.

    A pool is full only while t G(t) <= c, so with G >= 1 there are at most c full turns.

    >>> round(required_c(arms=2, turns=20_000))
    198
    """
    return 10.0 * arms * math.log(turns)


@dataclass(frozen=True, eq=False)
class PoolRepair:
    """A repaired multiplier and what it achieves.

    Attributes:
        multiplier: G', to be passed to the policy as its forecast.
        lam: lam'_t = full turns up to t / (2m), the first round counted as full.
        holds_from: The turn from which lam' >= Gamma log t holds for good; None if it never does.
        changed: The number of turns that differ from G.
    """

    multiplier: Multiplier
    lam: NDArray[np.float64]
    holds_from: int | None
    changed: int


def repair(
    G: Any, arms: int, c: float, Gamma: float = 12.0, mode: Mode = "block", unit: float = 1.0
) -> PoolRepair:
    """Lower G where the pool would not explore enough: G'(t) = (c - 1)/t there, which fills it.

    The theorem requires that lam_t, half the full-pool turns per arm, keep up with Gamma log t.  A
    turn is repaired if its pool is not full and F/(2m) < Gamma log t, F the full turns before it,
    the first round included.  Rewards are still multiplied by G, so regret is weighted by G: play
    with `simulate(pool, …, G, forecast=repaired)`.  G' is that of Remark 11, read the other way
    round: it prints lam_t > ceil(Gamma log(t - 1)) for the turns to repair.

    Args:
        G: The multiplier.
        arms: The number of arms.
        c: The pool's c.
        Gamma: How fast lam is to grow; the theorem requires more than 5.
        mode: "minimal" changes that turn; "block", as in the paper, that turn and the 2m after it.
        unit: The pool's unit.

    >>> import highseason as hs
    >>> G = hs.traffic.wave(turns=20_000)
    >>> repair(G, arms=2, c=10, Gamma=12).changed
    475
    """
    multiplier, arms = as_multiplier(G), check_arms(arms)
    one_of("mode", mode, get_args(Mode))
    positive_number("Gamma", Gamma)
    with quiet(PlanWarning):  # a pool that never explores is why it is being repaired
        full = VariablePool(c=c, unit=unit).plan(multiplier, arms).levels == arms
    filled = _fill(full, arms, Gamma, mode)
    turns = np.arange(1, multiplier.turns + 1)
    lam = np.cumsum(filled | full | (turns <= arms)) / (2.0 * arms)
    values = np.where(filled, unit * (c - 1.0) / turns, multiplier.values)
    behind = np.flatnonzero(lam < Gamma * np.log(turns))
    holds_from = 1 if behind.size == 0 else int(behind[-1]) + 2
    return PoolRepair(
        replace(multiplier, values=values, name=f"{multiplier.name}, repaired"),
        lam,
        holds_from if holds_from <= multiplier.turns else None,
        int(np.count_nonzero(values != multiplier.values)),
    )


def _fill(full: NDArray[np.bool_], arms: int, Gamma: float, mode: Mode) -> NDArray[np.bool_]:
    """Which turns to fill."""
    required = (Gamma * np.log(np.arange(1, full.size + 1))).tolist()
    filled, count, block_ends = np.zeros(full.size, bool), arms, 0
    for i, already in enumerate(full[arms:].tolist(), start=arms):
        if i >= block_ends and not already and count / (2.0 * arms) < required[i]:
            block_ends = i + (2 * arms + 1 if mode == "block" else 1)
        filled[i] = i < block_ends
        count += already or i < block_ends
    return filled
