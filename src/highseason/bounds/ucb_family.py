"""The theorem shared by UCB and UCB-z: low turns by Auer's argument, high ones by forced pulls.

On a low turn UCB plays; an arm is told from the best after 4 P log(t)/D² pulls, and misjudged with
chance t^(-2P/r²) a pull count.  On a high turn the leader is played, after as many pulls of each
arm as UCB cannot avoid.  The safe form holds for any P and r.  For P >= 2r², as in UCB1, the
chances sum to no more than pi²/3; with a smaller P they are summed as they are, which soon says
nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.pulls import pull_steps
from highseason.bounds.result import RegretBound, assemble
from highseason.bounds.setting import Mask, Numbers, Setting
from highseason.bounds.tails import leader_costs

#: Twice the sum of 1/t²: Auer's allowance for averages that are off by more than their radius.
_AUER = math.pi**2 / 3.0


@dataclass(frozen=True, eq=False)
class UCBGame:
    """A game of UCB with or without high turns.

    Attributes:
        policy: As the command line writes it.
        P: The radius is sqrt(P log t / pulls).
        setting: The arms and the stakes.
        low: In which turns UCB plays.
        z: The threshold of each turn, which the printed form multiplies by.
        notes: What the plan warned of.
        names: What the low part is called and, if there are high turns, the high part.
    """

    policy: str
    P: float
    setting: Setting
    low: Mask
    z: Numbers
    notes: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def later(self) -> Mask:
        """`low` after the first round."""
        return self.low[self.setting.arms :]


# -- the safe form ---------------------------------------------------------------------------------


def safe_bound(game: UCBGame) -> RegretBound:
    """The corrected theorem."""
    setting, low = game.setting, game.later
    first, *rest = game.names
    costs = low_part(game.P, setting, low)
    curves = {
        "initialisation": setting.first_round,
        first: np.concatenate([np.zeros(setting.arms), costs]),
    }
    limits = {
        "initialisation": float(setting.first_round[-1]),
        first: setting.largest_gap * float(setting.weights @ low),
    }
    for name in rest:
        curves[name] = setting.from_first_turn(high_costs(game.P, setting, low))
        limits[name] = setting.largest_gap * float(setting.weights @ ~low)
    return assemble(
        game.policy, "safe", setting.arms, curves, limits, setting.trivial,
        exact=("initialisation",), notes=(*_narrow_radius(game.P, setting), *game.notes),
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
    with np.errstate(over="ignore"):
        inverse = min(1e300, float(np.sum(1.0 / gaps)))  # finite, as 0 · inf would be nan
        trials = 4.0 * P * np.log(last) * heaviest * inverse
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


def _narrow_radius(P: float, setting: Setting) -> tuple[str, ...]:
    needed = 2.0 * setting.r**2
    if P >= needed:
        return ()
    return (
        f"The radius is narrow for rewards in a range of {setting.r:g}: with P = {P:g}, below "
        f"2r² = {needed:g}, averages leave it so often that the bound is hardly better than none.",
    )


def with_cross_terms(bound: RegretBound, game: UCBGame) -> RegretBound:
    """Add what was spent in turns on which forecast and truth fall on different sides of z."""
    setting = game.setting
    truly_low = (setting.G < game.z)[setting.arms :]
    steps = np.diff(bound.curves["high"], prepend=0.0)[setting.arms :]
    cross = {"low turns taken for high": float(steps[~game.later & truly_low].sum())}
    if bound.form == "safe":  # the low part is no sum over turns: it is what these add to it
        rightly = low_part(game.P, setting, game.later & truly_low)
        cross["high turns taken for low"] = bound.parts["low"] - float(rightly[-1:].sum())
    return replace(bound, cross_terms=cross)


# -- the printed form ------------------------------------------------------------------------------


def paper_bound(game: UCBGame, safe: RegretBound) -> RegretBound:
    """The formula as printed: z times Auer's bracket, and beta^U from the first up-crossing on."""
    setting = game.setting
    gaps = setting.worst_first
    first, *rest = game.names
    with np.errstate(all="ignore"):
        logs = np.log(np.cumsum(game.low).astype(np.float64))
        bracket = 8.0 * logs * np.sum(1.0 / gaps) + (1.0 + _AUER) * gaps.sum()
        # without a suboptimal arm every term is 0, also where z is infinite
        low = game.z * bracket if gaps.size else np.zeros(setting.turns)
    low[: setting.arms - 1] = 0.0  # no theorem about games shorter than that
    curves = {"initialisation": setting.first_round, first: low}
    curves |= {name: _printed_high(setting, game.low) for name in rest}
    bound = assemble(
        game.policy, "paper", setting.arms, curves, safe.limits, setting.trivial,
        exact=("initialisation",),
    )  # fmt: skip
    reasons = _reasons(bound, safe) if gaps.size else []
    notes = [*reasons, *other_radius(game.P), *game.notes]
    return replace(bound, valid=not reasons, notes=notes)


def _printed_high(setting: Setting, low: Mask) -> Numbers:
    """The sum over Y_k: high turns from the first up-crossing to the last turn but one."""
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


def _reasons(bound: RegretBound, safe: RegretBound) -> list[str]:
    """Why the printed number is not known to be a bound; none if it is above one that is."""
    if math.isfinite(bound.total) and bound.total >= safe.total:
        return []
    if not math.isfinite(bound.total):
        return ["the bracket is multiplied by z, or holds the log of no low turn at all."]
    return [f"it is below the safe form, {safe.total:,.6g}."]


def other_radius(P: float) -> tuple[str, ...]:
    """What to know of a printed formula that is used for another radius than its own."""
    if P == 2.0:
        return ()
    return (f"It is stated for P = 2; its constants are not those of P = {P:g}.",)
