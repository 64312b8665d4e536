"""UCB: the theorem of UCB-z without high turns."""

from __future__ import annotations

import numpy as np

from highseason.bounds.result import Form, RegretBound
from highseason.bounds.setting import Setting, read_plan
from highseason.bounds.theorems import theorem
from highseason.bounds.ucb_z import paper_ucb, safe_ucb
from highseason.policies import UCB


@theorem(UCB)
def ucb(policy: UCB, setting: Setting, form: Form) -> RegretBound:
    """Initialisation + learning; with G = 1 this is Auer's bound.

    UCB is UCB-z with any z above G.  The printed bound grows with z, so the least is taken: max G.

    >>> import highseason as hs
    >>> from highseason.bounds import regret
    >>> G = hs.multipliers.constant(turns=50_000)
    >>> round(regret(hs.UCB(), means=[0.9, 0.7], multiplier=G).total, 1)
    433.7
    """
    plan = read_plan(policy, setting)
    low = np.ones(setting.turns, bool)
    safe = safe_ucb(str(policy), policy.P, setting, low, plan.notes, ("learning",))
    if form == "safe":
        return safe
    z = np.maximum.accumulate(setting.G)
    return paper_ucb(str(policy), policy.P, setting, low, z, safe, plan.notes, ("learning",))
