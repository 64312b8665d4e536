"""ε-z greedy: explore on low turns, where t~ counts them; play the leader on high ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from highseason.bounds.epsilon_family import Printed, Sides, paper_bound, printed_x, safe_bound
from highseason.bounds.result import Form, RegretBound
from highseason.bounds.setting import Mask, Numbers, Setting, low_turns, read_plan
from highseason.bounds.theorems import theorem
from highseason.policies import EpsilonZGreedy


@theorem(EpsilonZGreedy)
def epsilon_z_greedy(policy: EpsilonZGreedy, setting: Setting, form: Form) -> RegretBound:
    """Initialisation + exploration on low turns + a mistaken leader on low and on high turns.

    With a forecast H the same sums are weighed by G and divided by H: the theorem with an estimated
    multiplier.  `cross_terms` holds the two sums it adds: turns with G >= z taken for low,
    and turns with G < z taken for high.

    >>> import highseason as hs
    >>> from highseason.bounds import regret
    >>> G = hs.multipliers.wave(turns=20_000)
    >>> bound = regret(hs.EpsilonZGreedy(k=26, z=30), means=[0.9, 0.5], multiplier=G)
    >>> round(bound.total), bound.vacuous
    (22787, False)
    """
    plan = read_plan(policy, setting)
    low, z = low_turns(policy, setting)
    after = slice(setting.arms, None)
    sides: Sides = {"low": low[after], "high": ~low[after]}
    if form == "safe":
        bound = safe_bound(policy, setting, plan, sides)
    else:
        x = printed_x(counted_low(low)[after], policy.k, setting.arms)
        bound = paper_bound(policy, setting, plan, Printed(policy.k, x, "t~"), sides)
    return bound if setting.forecast is None else with_cross_terms(bound, setting, low, z)


def counted_low(low: Mask) -> Numbers:
    """t~ of every turn: how many low turns there have been, this one included.

    >>> counted_low(np.array([True, False, True]))
    array([1., 1., 2.])
    """
    return np.cumsum(low).astype(np.float64)


def with_cross_terms(bound: RegretBound, setting: Setting, low: Mask, z: Numbers) -> RegretBound:
    """Add what was spent in turns on which forecast and truth fall on different sides of z."""
    truly_low = setting.G < z
    later = np.arange(1, setting.turns + 1) > setting.arms
    with np.errstate(all="ignore"):
        steps = {name: np.diff(curve, prepend=0.0) for name, curve in bound.curves.items()}
    taken_for_low = later & low & ~truly_low
    taken_for_high = later & ~low & truly_low
    cross = {
        "high turns taken for low": float(
            sum(steps[name][taken_for_low].sum() for name in ("exploration", "low"))
        ),
        "low turns taken for high": float(steps["high"][taken_for_high].sum()),
    }
    return replace(bound, cross_terms=cross)
