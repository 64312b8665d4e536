"""The theorem shared by all ε policies: explore blindly at times, otherwise play the leader.

In turn t an arm is drawn blindly with probability ε_t, else the leader is played.  Exploring costs
exactly (ε_t/m) sum D_j.  A suboptimal arm j leads only if it, or the best arm, is misjudged by half
its gap; after 2·lam expected blind pulls each of the two has a probability of at most
`tail(lam, D_j²/(2r²))`.  Nothing else is assumed, so the safe form holds for any plan.

References:
    Tracà, Rudin and Yan, "Regulating Greed Over Time in Multi-Armed Bandits", 2021,
    https://jmlr.org/papers/v22/17-720.html
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from highseason.bounds.kernels import leader_kernel, run
from highseason.bounds.regret_bound import Form, RegretBound
from highseason.bounds.setting import (
    Mask,
    Numbers,
    PlanRead,
    Setting,
    low_turns,
    read_plan,
    regret_in,
)
from highseason.bounds.theorems import theorem
from highseason.policies import EpsilonGreedy, EpsilonZGreedy, Policy, SoftEpsilonGreedy

Sides = Mapping[str, Mask]

#: A k so large that k·m/t never binds: what is left of ε is psi.
_BOUNDLESS = 1e300


def blind_pulls(epsilons: Numbers, arms: int) -> Numbers:
    """lam before each turn after the first round: 1/2 + sum of ε_s / (2m).

    The pull in the first round counts as m blind turns.
    """
    before = np.concatenate([[0.0], np.cumsum(epsilons[arms:])[:-1]])[: epsilons.size - arms]
    return np.asarray((arms + before) / (2.0 * arms))


def safe_bound(
    policy: Policy, setting: Setting, plan: PlanRead, sides: Sides | None = None
) -> RegretBound:
    """The corrected theorem, for any ε; `sides` are groups of turns after the first round.

    The exploitation of each group is a part of its own; by default there is one, "exploitation".
    """
    gaps, lams = setting.worst_first, blind_pulls(plan.levels, setting.arms)
    leader = run(leader_kernel, gaps, setting.kappas(gaps), lams, shape=lams.size)
    return _bound(policy, setting, "safe", plan, leader, sides)


def printed_beta(x: Numbers, k: float, gap: float) -> Numbers:
    """The leader's probability as printed: k x^(-k/10) log x + (4/D²) x^(-k D²/4).

    x is t~/(mke) for ε-z, t/(mke) for ε-greedy, gamma t/(mke) for soft ε.  For x < 1 it is negative
    or huge, at 0 undefined.  With rewards in a range r, D is the gap over r.

    >>> printed_beta(np.array([1000 / (2 * 50 * math.e)]), k=50, gap=0.8).round(6)
    array([0.096847])
    """
    with np.errstate(all="ignore"):
        logs = np.log(x)
        near = k * np.exp(-k / 10.0 * logs) * logs
        d = np.square(np.float64(gap))  # NumPy's number: a tiny gap gives 1/0 = inf and no error
        return np.asarray(near + 4.0 / d * np.exp(-k * d / 4.0 * logs))


def printed_x(clock: Numbers, k: float, arms: int) -> Numbers:
    """The argument of `printed_beta`: clock/(mke), infinite for k = 0."""
    with np.errstate(all="ignore"):
        return np.asarray(clock / np.float64(arms * k * math.e))


def _either_bound(
    policy: Any,
    setting: Setting,
    form: Form,
    clock: Numbers,
    name: str,
    sides: Sides | None = None,
) -> RegretBound:
    """The corrected theorem or the printed one, with D/r in place of D for other ranges than 1.

    `clock` takes the place of t in the printed beta after the first round; `name` is what the paper
    calls it.
    """
    plan, k = read_plan(policy, setting), policy.k
    if form == "safe":
        return safe_bound(policy, setting, plan, sides)
    x, leader = printed_x(clock, k, setting.arms), np.zeros(clock.size)
    with np.errstate(all="ignore"):
        for gap in setting.worst_first.tolist():
            leader += gap * printed_beta(x, k, gap / setting.r)
    ratio = setting.r / setting.smallest_gap
    needed = 4.0 * ratio * ratio  # ** would overflow with an error
    limit = setting.arms * k * math.e
    early = int(np.count_nonzero((plan.levels[setting.arms :] < 1.0) & ~(x > 1.0)))
    reasons = {
        f"k = {k:g} is not above 10.": not k > 10.0,
        f"k = {k:g} is not above 4/D_min² = {needed:g}.": not k > needed,
        f"beta is used in {early:,} turns before {name} exceeds m·k·e = {limit:,.1f}, "
        "where its logarithm is negative or undefined.": early,
    }
    known = [reason for reason, holds in reasons.items() if holds and setting.worst_first.size]
    return _bound(policy, setting, "paper", plan, leader, sides, known)


def _bound(
    policy: Policy,
    setting: Setting,
    form: Form,
    plan: PlanRead,
    leader: Numbers,
    sides: Sides | None,
    reasons: Sequence[str] = (),
) -> RegretBound:
    """Both forms, given what a mistaken leader can cost per unit of G in each turn."""
    epsilons, weights = plan.levels[setting.arms :], setting.weights
    worst = weights * setting.largest_gap
    curves = {"exploration": np.cumsum(weights * epsilons * setting.gaps.mean())}
    limits = {"exploration": float(worst @ epsilons)}
    with np.errstate(all="ignore"):
        # the leader counts only where it may be played; elsewhere it could be 0 · inf
        exploited = weights * (1.0 - epsilons) * np.where(epsilons < 1.0, leader, 0.0)
        for name, turns in (sides or {"exploitation": np.ones(epsilons.size, bool)}).items():
            curves[name] = np.cumsum(np.where(turns, exploited, 0.0))
            limits[name] = float(worst @ np.where(turns, 1.0 - epsilons, 0.0))
    return setting.bound(
        policy, form, curves, limits, ("exploration",), reasons=reasons, remarks=plan.notes
    )


@theorem(EpsilonGreedy)
def epsilon_greedy(policy: EpsilonGreedy, setting: Setting, form: Form) -> RegretBound:
    """Initialisation + exploration + a mistaken leader in the other turns."""
    return _either_bound(policy, setting, form, setting.clock, "t")


@theorem(EpsilonZGreedy)
def epsilon_z_greedy(policy: EpsilonZGreedy, setting: Setting, form: Form) -> RegretBound:
    """Theorem 1: initialisation + exploration on low turns + a mistaken leader on any turn.

    With a forecast H the same sums are weighted by G and divided by H: Theorem 27, with an
    estimated multiplier.  `cross_terms` holds the two sums it adds: turns with G >= z treated as
    low, and turns with G < z treated as high.
    """
    low, z = low_turns(policy, setting)
    later, truly_low = low[setting.arms :], (setting.G < z)[setting.arms :]
    counted = np.cumsum(low, dtype=np.float64)[setting.arms :]
    sides = {"low": later, "high": ~later}
    bound = _either_bound(policy, setting, form, counted, "t~", sides)
    if setting.forecast is None:
        return bound
    cross = {
        "high turns taken for low": regret_in(bound, later & ~truly_low, "exploration", "low"),
        "low turns taken for high": regret_in(bound, ~later & truly_low, "high"),
    }
    return replace(bound, cross_terms=cross)


@theorem(SoftEpsilonGreedy)
def soft_epsilon_greedy(policy: SoftEpsilonGreedy, setting: Setting, form: Form) -> RegretBound:
    """Theorem 4: initialisation + exploration + a mistaken leader in the other turns.

    psi is computed from G/unit (or H/unit); the regret is weighted by G itself, so a unit changes
    ε, gamma and lam, and nothing else in the theorem.
    """
    gamma = float(np.min(psi(policy, setting), initial=1.0))
    return _either_bound(policy, setting, form, gamma * setting.clock, "gamma·t")


def psi(policy: SoftEpsilonGreedy, setting: Setting) -> Numbers:
    """The psi of every turn after the first round, read from the policy itself."""
    return read_plan(replace(policy, k=_BOUNDLESS), setting).levels[setting.arms :]
