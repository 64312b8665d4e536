"""UCB-z: UCB on low turns, the leader on high ones."""

from __future__ import annotations

from highseason.bounds.result import Form, RegretBound
from highseason.bounds.setting import Setting, low_turns, read_plan
from highseason.bounds.theorems import theorem
from highseason.bounds.ucb_family import UCBGame, paper_bound, safe_bound, with_cross_terms
from highseason.policies import UCBZ


@theorem(UCBZ)
def ucb_z(policy: UCBZ, setting: Setting, form: Form) -> RegretBound:
    """Initialisation + low turns + high turns.

    With a forecast H, turns are low or high by H and weighed by G; `cross_terms` says what turns
    with G < z that were taken for high cost, and what turns with G >= z taken for low add to the
    low part.

    >>> import highseason as hs
    >>> from highseason.bounds import regret
    >>> G = hs.multipliers.wave(turns=20_000)
    >>> round(regret(hs.UCBZ(z=30), means=[0.95, 0.05], multiplier=G).total)
    9421
    """
    low, z = low_turns(policy, setting)
    notes = read_plan(policy, setting).notes
    game = UCBGame(str(policy), policy.P, setting, low, z, notes, ("low", "high"))
    safe = safe_bound(game)
    bound = safe if form == "safe" else paper_bound(game, safe)
    return bound if setting.forecast is None else with_cross_terms(bound, game)
