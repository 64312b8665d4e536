"""UCB: the theorem of UCB-z without high turns."""

from __future__ import annotations

import numpy as np

from highseason.bounds.result import Form, RegretBound
from highseason.bounds.setting import Setting, read_plan
from highseason.bounds.theorems import theorem
from highseason.bounds.ucb_family import UCBGame, paper_bound, safe_bound
from highseason.policies import UCB


@theorem(UCB)
def ucb(policy: UCB, setting: Setting, form: Form) -> RegretBound:
    """Initialisation + learning; with G = 1 this is Auer's bound.

    UCB is UCB-z with any z above G.  The printed bound grows with z, so the least is taken: max G.

    >>> import highseason as hs
    >>> from highseason.bounds import regret
    >>> G = hs.multipliers.constant(turns=50_000)
    >>> round(regret(hs.UCB(), means=[0.9, 0.7], multiplier=G).total, 1)
    433.6
    """
    always, z = np.ones(setting.turns, bool), np.maximum.accumulate(setting.G)
    notes = read_plan(policy, setting).notes
    game = UCBGame(str(policy), policy.P, setting, always, z, notes, ("learning",))
    safe = safe_bound(game)
    return safe if form == "safe" else paper_bound(game, safe)
