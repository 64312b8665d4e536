"""Soft UCB mortal: arms with lifetimes, so that the best available arm changes by epoch.

References:
    Tracà, Rudin and Yan, "Regulating Greed Over Time in Multi-Armed Bandits", 2021,
    https://jmlr.org/papers/v22/17-720.html
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from highseason.bounds.kernels import Counts, Numbers, mortal_kernel, run
from highseason.bounds.regret_bound import Form, RegretBound, compared
from highseason.bounds.setting import Mask, Setting
from highseason.bounds.theorems import theorem
from highseason.policies import SoftUCBMortal
from highseason.policies.rule import UNKNOWN_END, lifetime_score, measure_of


@dataclass(frozen=True, eq=False)
class _Game:
    """Which arms are available when, which is best, and how strongly each is explored."""

    policy: str
    means: Numbers
    starts: Counts  # 0 for arms available in turn 1
    ends: Counts  # the last turn of each arm, at most n
    G: Numbers
    believed: Numbers  # G or its forecast in the policy's unit: what xi is computed from
    opening: Sequence[int]  # the arms of the first round, in the order of play
    stretch: Counts  # of each turn: the index of its stretch of turns with the same arms available
    best: Counts  # the best available arm in each turn
    worst: Counts
    psi: Numbers  # psi_future of each arm in each stretch

    def bound(self, form: Form, costs: Numbers) -> RegretBound:
        """The bound, given what each turn after the first round adds; the safe form is capped."""
        opening, gaps = list(self.opening), self.means[self.best] - self.means[self.worst]
        first, later = np.zeros(self.G.size), np.asarray(self.G * gaps)
        later[: len(opening)] = 0.0
        missed = self.means[self.best[: len(opening)]] - self.means[opening]
        first[: len(opening)] = self.G[: len(opening)] * missed
        epochs = np.cumsum(costs)
        if form == "safe":
            epochs = np.minimum(epochs, np.cumsum(later))
        return RegretBound(
            self.policy, form, self.means.size,
            {"initialisation": np.cumsum(first), "epochs": epochs},
            {"initialisation": float(first.sum()), "epochs": float(later.sum())},
            np.cumsum(first + later), frozenset(["initialisation"]),
        )  # fmt: skip


@theorem(SoftUCBMortal)
def soft_ucb_mortal(policy: SoftUCBMortal, setting: Setting, form: Form) -> RegretBound:
    """Theorem 13: initialisation + epochs; without lifetimes, arms that stay.

    The index of arm j is estimate + psi_future(j,t) sqrt(2 log xi_j(t) / pulls), untried arms
    first, with xi_j(t) = 1 + (t - s_j)/G(t) (G at t, and s_j = 0 from the start: the readings of
    `SoftUCBMortal`) and psi_future(j,t) = c times the share of available arms whose score, the sum
    of G over their lifetime, is at most its own.

    Safe form, for each arm and each run of turns with one best arm, D above it:
    D max G min(length, u + S), S the sum over the run of
    min(1, N_j xi_j^(-4 psi_j²/r²) + N_* xi_*^(-4 psi_*²/r²)),
    u = max(1, max ceil(8 psi_j² log xi_j / D²)), N_j and N_* the numbers of possible pull counts.
    The paper has c >= 1; the safe form holds for any, but is vacuous where psi of the best arm is
    below 1/2.
    """
    policy, label = policy.resolve_thresholds(setting.H), str(policy)
    means, turns = -setting.gaps, setting.turns  # only differences count
    spans = np.array(setting.spans or [(1.0, math.inf)] * setting.arms)
    first = np.maximum(1, spans[:, 0]).astype(np.int64)
    last = np.minimum(turns, spans[:, 1]).astype(np.int64)
    available, stretch = _stretches(first, last, turns)
    psi = _psi(policy, setting, available, first, last)
    game = _Game(
        policy=label,
        means=means,
        starts=np.where(first <= 1, 0, first),
        ends=last,
        G=setting.G,
        believed=setting.H / policy.unit,
        opening=_opening(policy, psi[0], first, last),
        stretch=stretch,
        best=np.where(available, means, -np.inf).argmax(axis=1)[stretch],
        worst=np.where(available, means, np.inf).argmin(axis=1)[stretch],
        psi=psi,
    )
    lives, epochs = np.array([game.starts, game.ends]), np.array([game.best, game.stretch])
    inputs = (means, lives, epochs, psi, np.array([game.G, game.believed]), len(game.opening))
    safe = game.bound("safe", run(mortal_kernel, *inputs, float(setting.r), shape=turns))
    if form == "safe":
        return safe
    return compared(game.bound("paper", _printed_costs(game, setting.r)), safe)


def _printed_costs(game: _Game, r: float) -> Numbers:
    """As printed; the cost of an epoch, a run of turns with one best arm, is at its end."""
    costs = np.zeros(game.G.size)
    for arm in range(game.means.size):
        start = max(1, int(game.starts[arm]), len(game.opening) + 1)
        turns = np.arange(start, game.ends[arm] + 1)
        changes = np.flatnonzero(np.diff(game.best[turns - 1])) + 1
        for epoch in np.split(turns, changes):
            gap = float((game.means[game.best[epoch - 1]] - game.means[arm])[:1].sum())
            if gap > 0:  # an epoch of no turns has none
                # NumPy's minimum keeps a nan, where Python's would drop it
                pulls = float(np.minimum(epoch.size - 1, _printed_beta(game, arm, gap, epoch, r)))
                costs[epoch[-1] - 1] += float(game.G[epoch - 1].max()) * gap * pulls
    return costs


@np.errstate(all="ignore")
def _printed_beta(game: _Game, arm: int, gap: float, epoch: Counts, r: float) -> float:
    """beta^M = u + the series, with psi in place of its square, and no clipping."""
    rows, star = game.stretch[epoch - 1], int(game.best[epoch[0] - 1])
    psi_own, psi_star = game.psi[rows, arm], game.psi[rows, star]
    age_own, age_star = epoch - float(game.starts[arm]), epoch - float(game.starts[star])
    believed = game.believed[epoch - 1]
    own, best = np.log1p(age_own / believed), np.log1p(age_star / believed)
    u = float(np.ceil(8.0 * psi_own * own / gap**2).max())
    misses = np.exp(-4.0 / r**2 * psi_own * own) + np.exp(-4.0 / r**2 * psi_star * best)
    return u + float(np.sum(age_star * (age_own - u + 1.0) * misses))


def _stretches(first: Counts, last: Counts, turns: int) -> tuple[Mask, Counts]:
    """The arms available in each stretch of turns with the same ones, and the stretch of a turn."""
    borders = np.unique(np.concatenate([[1], first, last + 1]))  # where availability may change
    starts = borders[(borders >= 1) & (borders <= turns)].astype(np.int64)
    available = (first[None, :] <= starts[:, None]) & (last[None, :] >= starts[:, None])
    return available, np.searchsorted(starts, np.arange(1, turns + 1), side="right") - 1


def _psi(
    policy: SoftUCBMortal,
    setting: Setting,
    available: Mask,
    first: Counts,
    last: Counts,
) -> Numbers:
    """psi_future by stretch and arm: c times the rank of its score among the available arms."""
    ends = last if setting.ends_known else np.full_like(last, UNKNOWN_END)
    options, psi = policy.lifetime_options, np.zeros(available.shape)
    measure = measure_of(setting.H, options)
    scores = np.array([
        lifetime_score(*span, setting.turns, measure, options.at_end)
        for span in zip(first.tolist(), ends.tolist(), strict=True)
    ])  # fmt: skip
    for row, there in enumerate(available):
        ranked = np.sort(scores[there])
        psi[row] = policy.c * np.searchsorted(ranked, scores, side="right") / ranked.size
    return psi


def _opening(policy: SoftUCBMortal, psi: Numbers, first: Counts, last: Counts) -> list[int]:
    """The arms of the first round by index; one whose lifetime ends before its turn is skipped."""
    there = np.flatnonzero(first <= 1)
    if policy.initial:
        there = np.sort(there[np.argsort(-psi[there], kind="stable")][: policy.initial])
    played: list[int] = []
    for arm in there.tolist():
        if last[arm] > len(played):
            played.append(arm)
    return played
