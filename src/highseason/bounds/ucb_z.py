"""UCB-z: Auer's argument on low turns, and on high ones the pulls that UCB cannot avoid."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.minimum_pulls import pull_steps
from highseason.bounds.result import Form, RegretBound, assemble
from highseason.bounds.setting import Mask, Numbers, Setting, low_turns, read_plan
from highseason.bounds.tails import leader_costs
from highseason.bounds.theorems import theorem
from highseason.policies import UCBZ

#: Twice the sum of 1/t²: Auer's allowance for averages that are off by more than their radius.
_AUER = math.pi**2 / 3.0


@theorem(UCBZ)
def ucb_z(policy: UCBZ, setting: Setting, form: Form) -> RegretBound:
    """Initialisation + low turns + high turns.

    The safe form holds for any P and r.  An arm is told from the best after 4 P log(t)/D² pulls,
    and misjudged with chance t^(-2P/r²) a pull count; for P >= 2r², as in UCB1, these chances sum
    to no more than pi²/3.  With a smaller P they are summed as they are, which soon says nothing.

    >>> import highseason as hs
    >>> from highseason.bounds import regret
    >>> G = hs.multipliers.wave(turns=20_000)
    >>> round(regret(hs.UCBZ(z=30), means=[0.95, 0.05], multiplier=G).total)
    9421
    """
    plan = read_plan(policy, setting)
    low, z = low_turns(policy, setting)
    safe = safe_ucb(str(policy), policy.P, setting, low, plan.notes, ("low", "high"))
    if form == "safe":
        bound = safe
    else:
        bound = paper_ucb(str(policy), policy.P, setting, low, z, safe, plan.notes, ("low", "high"))
    if setting.forecast is None:
        return bound
    return _with_cross_terms(bound, policy.P, setting, low, z)


# -- the safe form ---------------------------------------------------------------------------------


def safe_ucb(
    policy: str,
    P: float,
    setting: Setting,
    low: Mask,
    notes: tuple[str, ...],
    names: tuple[str, ...],
) -> RegretBound:
    """The corrected theorem; `names` are those of the low part and, if any, the high part."""
    later = low[setting.arms :]
    curves = {
        "initialisation": setting.first_round,
        names[0]: _padded(setting, low_part(P, setting, later)),
    }
    limits = {
        "initialisation": float(setting.first_round[-1]),
        names[0]: setting.largest_gap * float(setting.weights @ later),
    }
    if len(names) > 1:
        curves[names[1]] = setting.from_first_turn(high_costs(P, setting, later))
        limits[names[1]] = setting.largest_gap * float(setting.weights @ ~later)
    told = (*_weak_radius(P, setting), *notes)
    return assemble(
        policy, "safe", setting.arms, curves, limits, setting.trivial,
        exact=("initialisation",), notes=told,
    )  # fmt: skip


def low_part(P: float, setting: Setting, low: Mask) -> Numbers:
    """The regret of low turns by each turn after the first round.

    The heaviest low turn so far times the pulls an arm can have before it is told from the best,
    plus the weight of misjudgements; at most the worst arm in every low turn.
    """
    gaps = setting.worst_first
    weights = np.where(low, setting.weights, 0.0)
    cap = setting.largest_gap * np.cumsum(weights)
    if gaps.size == 0:
        return np.asarray(cap)
    heaviest = np.maximum.accumulate(weights)
    last = np.maximum.accumulate(np.where(low, setting.clock, 1.0))
    trials = 4.0 * P * np.log(last) * heaviest * float(np.sum(1.0 / gaps))
    if P >= 2.0 * setting.r**2:
        failures = _AUER * heaviest
    else:
        failures = np.cumsum(weights * _misjudged(P, setting))
    return np.asarray(np.minimum(cap, trials + failures * gaps.sum()))


def _misjudged(P: float, setting: Setting) -> Numbers:
    t = setting.clock
    chance = 2.0 * (t - setting.arms) * t ** (-2.0 * P / setting.r**2)
    return np.asarray(np.minimum(1.0, chance))


def high_costs(P: float, setting: Setting, low: Mask) -> Numbers:
    """What each turn after the first round adds to the high part.

    Before turn t UCB, or the first round, chose in N turns; so every arm has at least x pulls
    (the minimum-pulls lemma at N), and a leader is mistaken with chance at most
    2 e^(-kappa x) / (1 - e^(-kappa)).
    """
    costs = np.zeros(low.size)
    gaps = setting.worst_first
    high = np.flatnonzero(~low)
    if gaps.size == 0 or high.size == 0:
        return costs
    chosen = setting.arms + np.concatenate([[0], np.cumsum(low)[:-1]])[high]
    steps = pull_steps(int(chosen.max()), setting.arms, setting.r, P)
    pulls = 1 + np.searchsorted(steps, chosen, side="right")
    distinct, which = np.unique(pulls, return_inverse=True)
    costs[high] = setting.weights[high] * _leader_table(setting, distinct)[which]
    return costs


def _leader_table(setting: Setting, pulls: NDArray[np.int64]) -> Numbers:
    """The cost of a mistaken leader for each least number of pulls."""
    kappas = setting.kappas(setting.worst_first)
    with np.errstate(divide="ignore"):  # a gap whose square vanished: any number of pulls misleads
        scale = np.where(kappas > 0, 2.0 / -np.expm1(-kappas), np.inf)
    return np.array(
        [leader_costs(setting.worst_first, scale * np.exp(-kappas * x)) for x in pulls.tolist()]
    )


def _padded(setting: Setting, curve: Numbers) -> Numbers:
    return np.concatenate([np.zeros(setting.arms), curve])


def _weak_radius(P: float, setting: Setting) -> tuple[str, ...]:
    needed = 2.0 * setting.r**2
    if P >= needed:
        return ()
    return (
        f"The radius is narrow for rewards in a range of {setting.r:g}: with P = {P:g}, below "
        f"2r² = {needed:g}, averages leave it so often that the bound is hardly better than none.",
    )


def _with_cross_terms(
    bound: RegretBound, P: float, setting: Setting, low: Mask, z: Numbers
) -> RegretBound:
    later = slice(setting.arms, None)
    truly_low = (setting.G < z)[later]
    believed = low[later]
    rightly = low_part(P, setting, believed & truly_low)
    steps = np.diff(bound.curves["high"], prepend=0.0)[later]
    cross = {
        # The low part is no sum over turns: it is what these turns add to it.
        "high turns taken for low": bound.parts["low"] - float(rightly[-1:].sum())
        if bound.form == "safe"
        else math.nan,
        "low turns taken for high": float(steps[~believed & truly_low].sum()),
    }
    return replace(bound, cross_terms=cross)


# -- the printed form ------------------------------------------------------------------------------


def paper_ucb(
    policy: str,
    P: float,
    setting: Setting,
    low: Mask,
    z: Numbers,
    safe: RegretBound,
    notes: tuple[str, ...],
    names: tuple[str, ...],
) -> RegretBound:
    """The formula as printed: z times Auer's bracket, and beta^U from the first up-crossing on."""
    gaps = setting.worst_first
    with np.errstate(all="ignore"):
        logs = np.log(np.cumsum(low).astype(np.float64))
        bracket = 8.0 * logs * np.sum(1.0 / gaps) + (1.0 + _AUER) * gaps.sum()
        # without a suboptimal arm every term is 0, also where z is infinite
        curves = {names[0]: z * bracket if gaps.size else np.zeros(setting.turns)}
    curves[names[0]][: setting.arms - 1] = 0.0  # no theorem about games shorter than that
    if len(names) > 1:
        curves[names[1]] = _printed_high(setting, low)
    limits = {name: safe.limits[name] for name in ("initialisation", *names)}
    bound = assemble(
        policy, "paper", setting.arms, {"initialisation": setting.first_round, **curves}, limits,
        setting.trivial, exact=("initialisation",),
    )  # fmt: skip
    reasons = [] if gaps.size == 0 else _reasons(bound, safe, P)
    return replace(bound, valid=not reasons, notes=(*reasons, *notes))


def _printed_high(setting: Setting, low: Mask) -> Numbers:
    """The sum over Y_k: high turns from the first up-crossing to the last turn but one."""
    gaps = setting.worst_first
    crossings = np.flatnonzero(low[:-1] & ~low[1:]) + 1
    costs = np.zeros(setting.turns)
    if gaps.size and crossings.size:
        counted = np.flatnonzero(~low & (np.arange(setting.turns) >= crossings[0]))
        steps = pull_steps(setting.turns, setting.arms, setting.r, form="paper")
        pulls = 1.0 + np.searchsorted(steps, counted + 1, side="right")
        half = gaps**2 / 2.0
        for D, kappa in zip(gaps.tolist(), half.tolist(), strict=True):
            beta = np.exp(-kappa * (pulls - 1.0)) / kappa
            costs[counted] += D * setting.G[counted] * 2.0 * beta
    # Stopped at turn t, the sum runs over turns before t.
    return np.concatenate([[0.0], np.cumsum(costs)[:-1]])


def _reasons(bound: RegretBound, safe: RegretBound, P: float) -> list[str]:
    """Why the printed number is not known to be a bound; none if it is above one that is."""
    if math.isfinite(bound.total) and bound.total >= safe.total:
        return []
    if not math.isfinite(bound.total):
        return ["the bracket is multiplied by z, or holds the log of no low turn at all."]
    extra = f" (and it is stated for P = 2, not {P:g})" if P != 2.0 else ""
    return [f"it is below the safe form, {safe.total:,.6g}{extra}."]
