"""Variable pool: an arm is drawn only if it is among the m_t that look best."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.kernels.build import pool_costs
from highseason.bounds.result import Form, RegretBound, assemble
from highseason.bounds.setting import Numbers, PlanRead, Setting, read_plan
from highseason.bounds.theorems import theorem
from highseason.policies import VariablePool


@theorem(VariablePool)
def variable_pool(policy: VariablePool, setting: Setting, form: Form) -> RegretBound:
    """Initialisation + exploration (full pools, exact) + smaller pools.

    An arm behind the m_t-th best is in the pool only if it looks as good as one of the m_t truly
    best: the chance is at most (1 + m_t) tail(lam, d²/(2r²)), d its distance to the m_t-th best.
    Pool sizes come from the plan, so a unit or a forecast changes them and nothing else; to play
    (and bound) with a repaired multiplier, pass it as the forecast.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=20_000)
    >>> repaired = hs.policies.repair(G, arms=2, c=10, Gamma=12)
    >>> pool = hs.VariablePool(c=10, unit=1)
    >>> bound = hs.bounds.regret(pool, means=[0.9, 0.5], multiplier=G, H=repaired.multiplier)
    >>> round(bound.total)
    3005
    """
    plan = read_plan(policy, setting)
    return _safe(policy, setting, plan) if form == "safe" else _paper(policy, setting, plan)


def _safe(policy: VariablePool, setting: Setting, plan: PlanRead) -> RegretBound:
    sizes = plan.levels[setting.arms :].astype(np.int64)
    falling = np.sort(setting.gaps)[::-1]
    costs = setting.weights * pool_costs(falling, sizes, setting.r)
    full = sizes == setting.arms
    worst = setting.weights * setting.largest_gap
    curves = {
        "initialisation": setting.first_round,
        "exploration": setting.from_first_turn(np.where(full, costs, 0.0)),
        "pool": setting.from_first_turn(np.where(full, 0.0, costs)),
    }
    limits = {
        "initialisation": float(setting.first_round[-1]),
        "exploration": float(worst @ full),
        "pool": float(worst @ ~full),
    }
    return assemble(
        str(policy), "safe", setting.arms, curves, limits, setting.trivial,
        exact=("initialisation", "exploration"), notes=plan.notes,
    )  # fmt: skip


# -- the printed form ------------------------------------------------------------------------------


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
    reasons = _reasons(setting, plan.levels, edges) if setting.worst_first.size else []
    return assemble(
        str(policy), "paper", setting.arms, {"pool": curve}, {"pool": float(setting.trivial[-1])},
        setting.trivial, valid=not reasons, notes=(*reasons, *plan.notes),
    )  # fmt: skip


def _reasons(setting: Setting, sizes: Numbers, edges: Numbers) -> list[str]:
    found = []
    check = pool_hypothesis(sizes, setting.arms, setting.Gamma)
    if not check.holds:
        found.append(
            f"its hypothesis lam_t >= {setting.Gamma:g} log t fails in {check.failing:,} of "
            f"{setting.turns:,} turns, first in turn {check.first_failure}."
        )
    if not setting.Gamma > 5.0:
        found.append(f"Gamma = {setting.Gamma:g} is not above 5.")
    inside = int(np.count_nonzero(edges >= setting.smallest_gap))
    if inside:
        found.append(
            f"in {inside:,} turns the pool has room for a suboptimal arm, whose distance to the "
            "last of the best is then 0 (division by zero) or negative."
        )
    return found


@dataclass(frozen=True, eq=False)
class PoolHypothesis:
    """Whether lam_t >= Gamma log t, turn by turn.

    Attributes:
        lam: lam_t = #{s <= t : m_s = m} / (2m).
        required: Gamma log t.
        holds: Whether it holds in every turn.
        failing: In how many turns it does not.
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
    """Check the hypothesis of the variable pool's theorem, which as printed can never hold.

    At t = 2 it asks for lam >= 5 log 2 and lam is at most 1/m.

    >>> import highseason as hs
    >>> plan = hs.VariablePool(c=300, unit=1).plan(hs.multipliers.constant(500), arms=2)
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
    """The c without which no G >= 1 can meet the hypothesis: 10 m log n.

    A pool is full only while t G(t) <= c, so with G >= 1 there are at most c full turns.

    >>> round(required_c(arms=2, turns=20_000))
    198
    """
    return 10.0 * arms * math.log(turns)
