"""The theorem shared by UCB and UCB-z: low turns by Auer's argument, high ones by forced pulls.

On a low turn UCB plays; an arm is distinguished from the best after 4 P log(t)/D² pulls, and
misjudged with probability t^(-2P/r²) per pull count.  On a high turn the leader is played, after
the minimum pulls of each arm under UCB.  The safe form holds for any P and r.  For P >= 2r², as in
UCB1, the probabilities sum to at most pi²/3; for a smaller P they are summed as they are, and the
bound soon becomes vacuous.

Soft UCB, whose radius is sqrt(P log xi(t) / pulls) with xi(t) = 1 + t/G(t), has one of its own.

References:
    Tracà, Rudin and Yan, "Regulating Greed Over Time in Multi-Armed Bandits", 2021,
    https://jmlr.org/papers/v22/17-720.html
    Auer, Cesa-Bianchi and Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem", 2002,
    https://doi.org/10.1023/A:1013689704352
"""

import math
from dataclasses import replace

import numpy as np

from highseason.bounds.kernels import top_sums
from highseason.bounds.minimum_pulls import pull_steps
from highseason.bounds.regret_bound import Form, RegretBound, compared
from highseason.bounds.setting import (
    Mask,
    Numbers,
    Setting,
    leader_regret,
    low_turns,
    read_plan,
    regret_in,
)
from highseason.bounds.theorems import theorem
from highseason.policies import UCB, UCBZ, SoftUCB

#: Twice the sum of 1/t²: Auer's allowance for averages outside their radius.
_AUER = math.pi**2 / 3.0


@theorem(UCB)
def ucb(policy: UCB, setting: Setting, form: Form) -> RegretBound:
    """Initialisation + learning; with G = 1 this is Auer's bound.

    UCB is UCB-z with any z above G.  The printed bound grows with z, so z is the least: max G.
    """
    always, z = np.ones(setting.turns, bool), np.maximum.accumulate(setting.G)
    return _bound(policy, setting, form, always, z, "learning")


@theorem(UCBZ)
def ucb_z(policy: UCBZ, setting: Setting, form: Form) -> RegretBound:
    """Theorem 8: initialisation + low turns + high turns.

    With a forecast H, turns are low or high by H and weighted by G.  `cross_terms` holds the cost
    of turns with G < z treated as high, and what turns with G >= z treated as low add to the low
    part.
    """
    low, z = low_turns(policy, setting)
    bound = _bound(policy, setting, form, low, z, "low", "high")
    if setting.forecast is None:
        return bound
    later, truly_low = low[setting.arms :], (setting.G < z)[setting.arms :]
    cross = {"low turns taken for high": regret_in(bound, ~later & truly_low, "high")}
    if form == "safe":  # the low part is not a sum over turns: take what these add to it
        rightly = low_part(policy.P, setting, later & truly_low)
        cross["high turns taken for low"] = bound.parts["low"] - float(rightly[-1:].sum())
    return replace(bound, cross_terms=cross)


def _bound(
    policy: UCB | UCBZ, setting: Setting, form: Form, low: Mask, z: Numbers, *names: str
) -> RegretBound:
    """`names` are those of the low part and, if there are high turns, of the high part."""
    P, later, notes = policy.P, low[setting.arms :], read_plan(policy, setting).notes
    curves = zip(names, (low_part(P, setting, later), high_part(P, setting, later)), strict=False)
    limits = {
        name: setting.largest_gap * float(setting.weights @ turns)
        for name, turns in zip(names, (later, ~later), strict=False)
    }
    needed = 2.0 * setting.r**2
    narrow = (
        f"The radius is narrow for rewards in a range of {setting.r:g}: with P = {P:g}, below "
        f"2r² = {needed:g}, averages leave it so often that the bound is close to vacuous."
    )
    remarks = notes if P >= needed else (narrow, *notes)
    safe = setting.bound(policy, "safe", dict(curves), limits, remarks=remarks)
    if form == "safe":
        return safe
    curves = zip(names, (_printed_low(setting, low, z), _printed_high(setting, low)), strict=False)
    remarks = (*other_radius(P), *notes)
    bound = setting.bound(policy, "paper", dict(curves), limits, remarks=remarks)
    broken = "its bracket is multiplied by z, or contains the log of zero low turns."
    return compared(bound, safe, broken)


def low_part(P: float, setting: Setting, low: Mask) -> Numbers:
    """The regret of low turns by each turn after the first round.

    The heaviest low turn so far times the pulls an arm can have before it is distinguished from
    the best, plus the weight of misjudgements; at most the worst arm in every low turn.
    """
    gaps = setting.worst_first
    weights = np.where(low, setting.weights, 0.0)
    cap = setting.largest_gap * np.cumsum(weights)
    if gaps.size == 0:
        return np.asarray(cap)
    heaviest = np.maximum.accumulate(weights)
    last = np.maximum.accumulate(np.where(low, setting.clock, 1.0))
    with np.errstate(over="ignore"):
        inverse = min(1e300, float(np.sum(1.0 / gaps)))  # finite, as 0 · inf would be nan
        trials = 4.0 * P * np.log(last) * heaviest * inverse
    if P >= 2.0 * setting.r**2:
        failures = _AUER * heaviest
    else:
        t = setting.clock
        misjudged = 2.0 * (t - setting.arms) * t ** (-2.0 * P / setting.r**2)
        failures = np.cumsum(weights * np.minimum(1.0, misjudged))
    return np.asarray(np.minimum(cap, trials + failures * gaps.sum()))


def high_part(P: float, setting: Setting, low: Mask) -> Numbers:
    """The regret of high turns by each turn after the first round.

    Before turn t, UCB or the first round chose in N turns, so every arm has at least x pulls (the
    minimum-pulls lemma at N), and the leader is mistaken with probability at most
    2 e^(-kappa x) / (1 - e^(-kappa)).
    """
    costs = np.zeros(low.size)
    gaps = setting.worst_first
    high = np.flatnonzero(~low)
    if gaps.size and high.size:
        chosen = setting.arms + np.concatenate([[0], np.cumsum(low)[:-1]])[high]
        steps = pull_steps(int(chosen.max()), setting.arms, setting.r, P)
        pulls = 1 + np.searchsorted(steps, chosen, side="right")
        distinct, which = np.unique(pulls, return_inverse=True)
        kappas = setting.kappas(gaps)
        with np.errstate(divide="ignore"):  # the square of a tiny gap underflows
            scale = np.where(kappas > 0, 2.0 / -np.expm1(-kappas), np.inf)
        leaders = [leader_regret(gaps, scale * np.exp(-kappas * x)) for x in distinct.tolist()]
        costs[high] = setting.weights[high] * np.array(leaders)[which]
    return np.cumsum(costs)


def _printed_low(setting: Setting, low: Mask, z: Numbers) -> Numbers:
    """z times Auer's bracket."""
    gaps = setting.worst_first
    if gaps.size == 0:  # every term is 0, even if z is infinite
        return np.zeros(setting.turns)
    with np.errstate(all="ignore"):
        logs = np.log(np.cumsum(low).astype(np.float64))
        bracket = 8.0 * logs * np.sum(1.0 / gaps) + (1.0 + _AUER) * gaps.sum()
        curve = z * bracket
    curve[: setting.arms - 1] = 0.0  # the theorem does not cover shorter games
    return np.asarray(curve)


def _printed_high(setting: Setting, low: Mask) -> Numbers:
    """beta^U over Y_k: high turns from the first up-crossing to the last turn but one."""
    gaps = setting.worst_first
    crossings = np.flatnonzero(low[:-1] & ~low[1:]) + 1
    costs = np.zeros(setting.turns)
    if gaps.size and crossings.size:
        counted = np.flatnonzero(~low & (np.arange(setting.turns) >= crossings[0]))
        steps = pull_steps(setting.turns, setting.arms, setting.r, form="paper")
        pulls = 1.0 + np.searchsorted(steps, counted + 1, side="right")
        with np.errstate(all="ignore"):
            for D in gaps:
                beta = np.exp(-(D**2) / 2.0 * (pulls - 1.0)) * 2.0 / D**2
                costs[counted] += D * setting.G[counted] * 2.0 * beta
    # Stopped at turn t, the sum runs over turns before t.
    return np.concatenate([[0.0], np.cumsum(costs)[:-1]])


def other_radius(P: float) -> tuple[str, ...]:
    """A note where the printed formula is used with a P other than its own."""
    if P == 2.0:
        return ()
    return (f"The theorem is stated for P = 2; its constants do not fit P = {P:g}.",)


@theorem(SoftUCB)
def soft_ucb(policy: SoftUCB, setting: Setting, form: Form) -> RegretBound:
    """Theorem 9: initialisation + learning + misjudging.

    The safe form depends only on the levels b_t under the root, whatever unit, P or forecast they
    came from.  An arm is distinguished from the best after u_j = ceil(4 max b / D_j²) pulls, which
    cost at most the u_j - 1 heaviest turns.  An average leaves its radius with probability
    exp(-2 b_t/r²) per pull count, so a turn is misjudged with probability at most
    2 (t - m) exp(-2 b_t/r²).  With P = 2, r = 1 and unit 1 these are the theorem's
    8 log max xi / D² and 2 (t - m)/xi⁴.
    """
    levels, notes = read_plan(policy, setting)
    m, t, gaps, weights = setting.arms, setting.clock, setting.worst_first, setting.weights
    radii, cap = levels[m:], setting.largest_gap * np.cumsum(weights)
    probability = 2.0 * (t - m) * np.exp(-2.0 * radii / setting.r**2)
    series = np.cumsum(weights * np.minimum(1.0, probability))
    widest = np.maximum.accumulate(radii)
    with np.errstate(divide="ignore", over="ignore"):
        factors = np.minimum(4.0 / gaps**2, 1e300)  # finite, as 0 · inf would be nan
    tried, both = top_sums(gaps, factors, weights, widest, series)
    together = np.minimum(cap, both)
    learning = np.minimum(together, tried)
    curves = {"learning": learning, "misjudging": together - learning}
    limits = dict.fromkeys(curves, float(cap[-1:].sum()))
    safe = setting.bound(policy, "safe", curves, limits, remarks=notes)
    if form == "safe":
        return safe
    # As printed: max G times [8 log max xi / D_j + D_j (1 + series)].
    if policy.P > 0:  # log xi(t), which the plan multiplies by P
        logs = radii / policy.P
    else:
        logs = read_plan(replace(policy, P=1.0), setting).levels[m:]
    with np.errstate(all="ignore"):
        series = np.cumsum(2.0 * (t - 1.0 - m) ** 2 * np.exp(-4.0 * logs))
        heaviest = np.maximum.accumulate(weights)
        learning = heaviest * 8.0 * np.sum(1.0 / gaps) * np.maximum.accumulate(logs)
        misjudging = heaviest * gaps.sum() * (1.0 + series)
    curves = {"learning": learning, "misjudging": misjudging}
    remarks = (*other_radius(policy.P), *notes)
    return compared(setting.bound(policy, "paper", curves, limits, remarks=remarks), safe)
