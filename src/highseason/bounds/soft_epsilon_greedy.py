"""Soft ε-greedy: ε_t = min(psi(t), k·m/t), and gamma, the least psi, slows the printed bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from highseason.bounds.epsilon_family import Printed, paper_bound, printed_x, safe_bound
from highseason.bounds.result import Form, RegretBound
from highseason.bounds.setting import Numbers, Setting, read_plan
from highseason.bounds.theorems import theorem
from highseason.policies import SoftEpsilonGreedy

#: A k so large that k·m/t never binds: what is left of ε is psi.
_BOUNDLESS = 1e300


@theorem(SoftEpsilonGreedy)
def soft_epsilon_greedy(policy: SoftEpsilonGreedy, setting: Setting, form: Form) -> RegretBound:
    """Initialisation + exploration + a mistaken leader in the other turns.

    psi is made of G/unit (or H/unit); the regret is weighed by G as it is, so a unit changes ε,
    gamma and lam, and nothing else of the theorem.

    >>> import highseason as hs
    >>> from highseason.bounds import regret
    >>> G = hs.multipliers.wave(turns=5000)
    >>> soft = hs.SoftEpsilonGreedy(k=50, unit=1)
    >>> regret(soft, means=[0.9, 0.1], multiplier=G, form="paper").valid
    False
    """
    plan = read_plan(policy, setting)
    if form == "safe":
        return safe_bound(policy, setting, plan)
    x = printed_x(least_psi(policy, setting) * setting.clock, policy.k, setting.arms)
    return paper_bound(policy, setting, plan, Printed(policy.k, x, "gamma·t"))


def psi(policy: SoftEpsilonGreedy, setting: Setting) -> Numbers:
    """The psi of every turn after the first round, read from the policy itself."""
    return read_plan(replace(policy, k=_BOUNDLESS), setting).levels[setting.arms :]


def least_psi(policy: SoftEpsilonGreedy, setting: Setting) -> float:
    """gamma: the least psi after the first round; 1 if no turn is left."""
    return float(np.min(psi(policy, setting), initial=1.0))
