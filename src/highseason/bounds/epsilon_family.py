"""The theorem shared by all ε policies: explore blindly now and then, otherwise play the leader.

In turn t an arm is drawn blindly with chance ε_t, else the leader is played.  Exploring costs
(ε_t/m) sum D_j, exactly.  A suboptimal arm j leads only if it, or the best arm, is misjudged by
half its gap; after 2·lam expected blind pulls each of the two has a chance of at most
`tail(lam, D_j²/(2r²))`.  Nothing else is used of the policy, so the safe form holds for any plan.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from highseason.bounds.kernels.build import leader_costs
from highseason.bounds.result import Form, RegretBound, assemble
from highseason.bounds.setting import Mask, Numbers, PlanRead, Setting
from highseason.bounds.tails import tail
from highseason.policies import Policy

Sides = Mapping[str, Mask]


def blind_pulls(epsilons: Numbers, arms: int) -> Numbers:
    """lam before each turn after the first round: 1/2 + sum of ε_s / (2m).

    The sure pull of the first round counts as m blind turns.

    >>> blind_pulls(np.array([1.0, 1.0, 1.0, 0.5, 0.0]), arms=2)
    array([0.5  , 0.75 , 0.875])
    """
    before = np.concatenate([[0.0], np.cumsum(epsilons[arms:])[:-1]])[: epsilons.size - arms]
    return np.asarray((arms + before) / (2.0 * arms))


def leader_chances(lams: Numbers, gap: float) -> Numbers:
    """min(1, 2 tail(lam, D²/2)): the chance that an arm with this gap (over r) leads.

    >>> leader_chances(np.array([0.5, 60.0]), gap=0.8).round(6)
    array([1.00e+00, 7.37e-04])
    """
    return np.array([min(1.0, 2.0 * tail(lam, gap**2 / 2.0)) for lam in lams.tolist()])


def leader_cost(setting: Setting, lams: Numbers) -> Numbers:
    """What a mistaken leader may cost per unit of G, for each lam."""
    gaps = setting.worst_first
    if gaps.size == 0:
        return np.zeros(lams.size)
    return leader_costs(gaps, setting.kappas(gaps), lams)


def safe_bound(
    policy: Policy, setting: Setting, plan: PlanRead, sides: Sides | None = None
) -> RegretBound:
    """The corrected theorem.

    Args:
        policy: Whose bound it is.
        setting: The arms and the stakes.
        plan: Its ε of every turn.
        sides: Turns (after the first round) whose exploitation is to be told apart, by name; all
            together as "exploitation" if None.
    """
    epsilons = plan.levels[setting.arms :]
    leader = leader_cost(setting, blind_pulls(plan.levels, setting.arms))
    explored = setting.weights * epsilons * setting.gaps.mean()
    exploited = setting.weights * (1.0 - epsilons) * leader
    return _assembled(policy, setting, "safe", epsilons, explored, exploited, sides, plan.notes)


def printed_beta(x: Numbers, k: float, gap: float) -> Numbers:
    """The leader's chance as printed: k x^(-k/10) log x + (4/D²) x^(-k D²/4).

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


@dataclass(frozen=True)
class Printed:
    """What the printed form needs beside the ε.

    Attributes:
        k: The exploration constant.
        x: The argument of beta in every turn after the first round.
        name: What stands for t in it: t, t~ or gamma·t.
    """

    k: float
    x: Numbers
    name: str

    def leader(self, setting: Setting) -> Numbers:
        """The sum of D_j beta_j over suboptimal arms."""
        cost = np.zeros(self.x.size)
        with np.errstate(all="ignore"):
            for gap in setting.worst_first.tolist():
                cost += gap * printed_beta(self.x, self.k, gap / setting.r)
        return cost

    def reasons(self, setting: Setting, epsilons: Numbers) -> list[str]:
        """Why the printed form is not known to be a bound here."""
        ratio = setting.r / setting.smallest_gap
        needed = 4.0 * ratio * ratio
        found = []
        if not self.k > 10.0:
            found.append(f"k = {self.k:g} is not above 10.")
        if not self.k > needed:
            found.append(f"k = {self.k:g} is not above 4/D_min² = {needed:g}.")
        early = int(np.count_nonzero((epsilons < 1.0) & ~(self.x > 1.0)))
        if early:
            limit = setting.arms * self.k * math.e
            found.append(
                f"beta is used in {early:,} turns before {self.name} exceeds m·k·e = {limit:,.1f}, "
                "where its logarithm is negative or undefined."
            )
        return found


def paper_bound(
    policy: Policy, setting: Setting, plan: PlanRead, printed: Printed, sides: Sides | None = None
) -> RegretBound:
    """The formula as printed, with D/r for D where rewards have another range than 1."""
    epsilons = plan.levels[setting.arms :]
    explored = setting.weights * epsilons * setting.gaps.mean()
    with np.errstate(all="ignore"):
        # beta is evaluated only where the leader may be played: elsewhere it would be 0 · inf
        chance = np.where(epsilons < 1.0, printed.leader(setting), 0.0)
        exploited = setting.weights * (1.0 - epsilons) * chance
    reasons = printed.reasons(setting, epsilons) if setting.worst_first.size else []
    notes = (*reasons, *plan.notes)
    return _assembled(
        policy, setting, "paper", epsilons, explored, exploited, sides, notes, valid=not reasons
    )


def _assembled(
    policy: Policy,
    setting: Setting,
    form: Form,
    epsilons: Numbers,
    explored: Numbers,
    exploited: Numbers,
    sides: Sides | None,
    notes: Sequence[str],
    valid: bool = True,
) -> RegretBound:
    groups = sides or {"exploitation": np.ones(epsilons.size, bool)}
    worst = setting.weights * setting.largest_gap
    curves = {
        "initialisation": setting.first_round,
        "exploration": setting.from_first_turn(explored),
    }
    limits = {
        "initialisation": float(setting.first_round[-1]),
        "exploration": float(worst @ epsilons),
    }
    with np.errstate(all="ignore"):
        for name, turns in groups.items():
            curves[name] = setting.from_first_turn(np.where(turns, exploited, 0.0))
            limits[name] = float(worst @ np.where(turns, 1.0 - epsilons, 0.0))
    return assemble(
        str(policy),
        form,
        setting.arms,
        curves,
        limits,
        setting.trivial,
        exact=("initialisation", "exploration"),
        valid=valid,
        notes=notes,
    )
