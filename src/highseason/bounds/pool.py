"""The variable pool: its theorem, and the hypothesis it needs.

References:
    Tracà, Rudin and Yan, "Regulating Greed Over Time in Multi-Armed Bandits", 2021,
    https://jmlr.org/papers/v22/17-720.html
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.kernels import pool_kernel, run
from highseason.bounds.regret_bound import Form, RegretBound
from highseason.bounds.setting import Numbers, PlanRead, Setting, read_plan
from highseason.bounds.theorems import theorem
from highseason.policies import VariablePool


@theorem(VariablePool)
def variable_pool(policy: VariablePool, setting: Setting, form: Form) -> RegretBound:
    """Theorem 12: initialisation + exploration (full pools, exact) + smaller pools.

    An arm behind the m_t-th best is in the pool only if it looks as good as one of the m_t truly
    best: the probability is at most (1 + m_t) tail(lam, d²/(2r²)), d its distance to the m_t-th
    best.  Pool sizes come from the plan, so a unit or a forecast changes them and nothing else.
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
