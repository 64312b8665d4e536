"""ε-greedy: the theorem of ε-z without high turns, so that t~ = t."""

from __future__ import annotations

from highseason.bounds.epsilon_family import Printed, paper_bound, printed_x, safe_bound
from highseason.bounds.result import Form, RegretBound
from highseason.bounds.setting import Setting, read_plan
from highseason.bounds.theorems import theorem
from highseason.policies import EpsilonGreedy


@theorem(EpsilonGreedy)
def epsilon_greedy(policy: EpsilonGreedy, setting: Setting, form: Form) -> RegretBound:
    """Initialisation + exploration + a mistaken leader in the other turns.

    >>> import highseason as hs
    >>> from highseason.bounds import regret
    >>> G = hs.multipliers.constant(turns=20_000)
    >>> round(regret(hs.EpsilonGreedy(k=50), means=[0.9, 0.1], multiplier=G).total)
    254
    """
    plan = read_plan(policy, setting)
    if form == "safe":
        return safe_bound(policy, setting, plan)
    x = printed_x(setting.clock, policy.k, setting.arms)
    return paper_bound(policy, setting, plan, Printed(policy.k, x, "t"))
