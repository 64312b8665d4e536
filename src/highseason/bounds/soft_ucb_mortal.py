"""Soft UCB mortal: arms with lifetimes, so that the best available arm changes by epoch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.bounds.kernels import mortal_costs
from highseason.bounds.regret_bound import FORMS, Form, RegretBound, assemble
from highseason.bounds.setting import Setting
from highseason.bounds.theorems import theorem
from highseason.core.validation import non_negative_number, one_of, positive_number
from highseason.engine.arms import UNKNOWN_END
from highseason.engine.lifetimes import running_worth
from highseason.engine.lifetimes.presence import lifetime_score
from highseason.multipliers import as_multiplier
from highseason.policies import SoftUCBMortal

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


@theorem(SoftUCBMortal)
def soft_ucb_mortal(policy: SoftUCBMortal, setting: Setting, form: Form) -> RegretBound:
    """See `mortal_regret`; without lifetimes, the theorem about arms that stay.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=20_000)
    >>> lifetimes = hs.lifetimes.fixed([(1, math.inf), (1, math.inf), (10_000, math.inf)])
    >>> means = [0.1, 0.9, 0.2]
    >>> policy = hs.SoftUCBMortal(c=2, unit=1)
    >>> bound = hs.bounds.regret(policy, means, multiplier=G, lifetimes=lifetimes)
    >>> bound.valid, round(bound.total / bound.trivial, 1)
    (True, 0.4)
    """
    spans = setting.spans
    if spans is None:
        spans = [(1.0, math.inf)] * setting.arms
    bound = mortal_regret(
        -setting.gaps,  # only differences count
        spans,
        setting.multiplier,
        policy.c,
        form,
        setting.forecast,
        setting.r,
        policy.resolve_thresholds(setting.H).unit,
        remaining=policy.remaining,
        initial=policy.initial,
        known=setting.ends_known,
    )
    return replace(bound, policy=str(policy))


@dataclass(frozen=True, eq=False)
class _Lifetimes:
    """Which arms are available when, which is best, and how strongly each is explored."""

    means: Numbers
    starts: Counts  # 0 for arms available in turn 1
    ends: Counts  # the last turn of each arm, at most n
    G: Numbers
    believed: Numbers  # G or its forecast in the policy's unit: what xi is computed from
    opening: tuple[int, ...]  # the arms of the first round, in the order of play
    stretch: Counts  # of each turn: the index of its stretch of turns with the same arms available
    best: Counts  # the best available arm in each turn
    worst: Counts
    psi: Numbers  # psi_future of each arm in each stretch

    @property
    def turns(self) -> int:
        """The number of turns."""
        return int(self.G.size)

    def gap(self, arm: int, t: int) -> float:
        """How far an arm is below the best one available at turn t."""
        return float(self.means[self.best[t - 1]] - self.means[arm])

    @cached_property
    def first_round(self) -> Numbers:
        """The cost of each turn of the first round."""
        costs = np.zeros(self.turns)
        for i, arm in enumerate(self.opening):
            costs[i] = self.G[i] * self.gap(arm, i + 1)
        return costs

    @cached_property
    def worst_later(self) -> Numbers:
        """The largest weighted gap among available arms, in every turn after the first round."""
        costs = self.G * (self.means[self.best] - self.means[self.worst])
        costs[: len(self.opening)] = 0.0
        return np.asarray(costs)

    def epochs(self, arm: int) -> Iterator[tuple[int, int]]:
        """First and last turn of each run of turns with one best arm, after the first round."""
        start = max(1, int(self.starts[arm]), len(self.opening) + 1)
        last = int(self.ends[arm])
        if start > last:
            return
        changes = np.flatnonzero(np.diff(self.best[start - 1 : last])) + start
        for first, end in zip([start, *(changes + 1)], [*changes, last], strict=True):
            yield int(first), int(end)


def mortal_regret(
    means: Sequence[float] | Numbers,
    lifespans: Sequence[tuple[float, float]],
    multiplier: Any,
    c: float = 1.0,
    form: Form = "safe",
    H: Any = None,
    r: float = 1.0,
    unit: float = 1.0,
    opening: Sequence[int] | None = None,
    remaining: bool = False,
    initial: int = 0,
    known: bool = True,
) -> RegretBound:
    """Bound the mean regret of soft UCB mortal.

    The index of arm j is estimate + psi_future(j,t) sqrt(2 log xi_j(t) / pulls), untried arms
    first, with xi_j(t) = 1 + (t - s_j)/G(t) and psi_future(j,t) = c times the share of available
    arms whose score, the sum of G over their lifetime, is at most its own.

    Safe form, for each arm and each run of turns with one best arm, D above it:
    D max G min(length, u + S), S the sum over the run of
    min(1, N_j xi_j^(-4 psi_j²/r²) + N_* xi_*^(-4 psi_*²/r²)),
    u = max(1, max ceil(8 psi_j² log xi_j / D²)), N_j and N_* the numbers of possible pull counts.

    Args:
        means: Of each arm.
        lifespans: First and last turn of each arm, both included; (1, inf) stays throughout.
        multiplier: G.
        c: The maximum of psi.  The paper has at least 1; the safe form holds for any, but is
            vacuous where psi of the best arm is below 1/2.
        form: "safe", or "paper" for the formula as printed.
        H: The policy's forecast of G; scores and xi are computed from it.
        r: The range of the rewards.
        unit: G is divided by it in xi.
        opening: The arms of the first round; by default all that are available in turn 1.
        remaining: Whether arms are scored by how late their lifetime ends.
        initial: Instead of `opening`: this many of the arms available in turn 1, by falling psi.
        known: Whether the policy knows when lifetimes end; if not, all last to the end of the game.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=20_000)
    >>> immortal = [(1, math.inf)] * 2
    >>> round(mortal_regret([0.9, 0.5], immortal, G, form="paper").total, -5)
    -1500000.0
    """
    one_of("form", form, FORMS)
    non_negative_number("c", c)
    positive_number("r", r)
    positive_number("unit", unit)
    lifetimes = _lifetimes(
        means, lifespans, multiplier, c, H, unit, opening, remaining, initial, known
    )
    safe = _safe(lifetimes, r)
    return safe if form == "safe" else _paper(lifetimes, r, safe)


def _safe(lifetimes: _Lifetimes, r: float) -> RegretBound:
    costs = mortal_costs(
        lifetimes.means, np.array([lifetimes.starts, lifetimes.ends]),
        np.array([lifetimes.best, lifetimes.stretch]), lifetimes.psi,
        np.array([lifetimes.G, lifetimes.believed]), len(lifetimes.opening), r,
    )  # fmt: skip
    epochs = np.minimum(np.cumsum(costs), np.cumsum(lifetimes.worst_later))
    return _assembled(lifetimes, "safe", epochs)


def _assembled(
    lifetimes: _Lifetimes, form: Form, epochs: Numbers, reasons: Sequence[str] = ()
) -> RegretBound:
    first, later = lifetimes.first_round, lifetimes.worst_later
    curves = {"initialisation": np.cumsum(first), "epochs": epochs}
    limits = {"initialisation": float(first.sum()), "epochs": float(later.sum())}
    return assemble(
        "soft-ucb-mortal", form, lifetimes.means.size, curves, limits, np.cumsum(first + later),
        exact=("initialisation",), valid=not reasons, notes=reasons,
    )  # fmt: skip


# -- the printed form ------------------------------------------------------------------------------


def _paper(lifetimes: _Lifetimes, r: float, safe: RegretBound) -> RegretBound:
    costs = np.zeros(lifetimes.turns)
    with np.errstate(all="ignore"):
        for arm in range(lifetimes.means.size):
            for first, last in lifetimes.epochs(arm):
                gap = lifetimes.gap(arm, first)
                if gap > 0:
                    heaviest = float(lifetimes.G[first - 1 : last].max())
                    beta = _printed_beta(lifetimes, arm, gap, first, last, r)
                    # NumPy's minimum keeps a nan, where Python's would drop it
                    costs[last - 1] += heaviest * gap * float(np.minimum(last - first, beta))
    epochs = np.cumsum(costs)
    total = float(safe.curves["initialisation"][-1] + epochs[-1])
    reasons = [] if total >= safe.total else [f"it is below the safe form, {safe.total:,.6g}."]
    return _assembled(lifetimes, "paper", epochs, reasons)


def _printed_beta(
    lifetimes: _Lifetimes, arm: int, gap: float, first: int, last: int, r: float
) -> float:
    """beta^M = u + the series, with psi in place of its square, and no clipping."""
    t = np.arange(first, last + 1, dtype=np.float64)
    rows, star = lifetimes.stretch[first - 1 : last], int(lifetimes.best[first - 1])
    psi_own, psi_star = lifetimes.psi[rows, arm], lifetimes.psi[rows, star]
    s_own, s_star = float(lifetimes.starts[arm]), float(lifetimes.starts[star])
    believed = lifetimes.believed[first - 1 : last]
    own, best = np.log1p((t - s_own) / believed), np.log1p((t - s_star) / believed)
    u = float(np.ceil(8.0 * psi_own * own / gap**2).max())
    misses = np.exp(-4.0 / r**2 * psi_own * own) + np.exp(-4.0 / r**2 * psi_star * best)
    return u + float(np.sum((t - s_star) * (t - s_own - u + 1.0) * misses))


# -- which arms are available when -----------------------------------------------------------------


def _lifetimes(
    means: ArrayLike,
    lifespans: Sequence[tuple[float, float]],
    multiplier: Any,
    c: float,
    H: Any,
    unit: float,
    opening: Sequence[int] | None,
    remaining: bool,
    initial: int,
    known: bool,
) -> _Lifetimes:
    G = as_multiplier(multiplier)
    believed = (G if H is None else as_multiplier(H, turns=G.turns)).values
    values = np.array(means, dtype=np.float64)
    spans = np.array(lifespans, dtype=np.float64)
    if values.ndim != 1 or spans.shape != (values.size, 2):
        raise ValueError("pass one mean and one (first turn, last turn) per arm")
    first = np.maximum(1, spans[:, 0]).astype(np.int64)
    last = np.minimum(G.turns, spans[:, 1]).astype(np.int64)
    borders = np.unique(np.concatenate([[1], first, last + 1]))  # where availability may change
    starts = borders[(borders >= 1) & (borders <= G.turns)].astype(np.int64)
    available = (first[None, :] <= starts[:, None]) & (last[None, :] >= starts[:, None])
    if not available.any(axis=1).all():
        empty = int(starts[np.flatnonzero(~available.any(axis=1))[0]])
        raise ValueError(f"no arm is available in turn {empty}")
    stretch = np.searchsorted(starts, np.arange(1, G.turns + 1), side="right") - 1
    worth = running_worth(believed)
    scores = np.array([
        lifetime_score(start, end if known else UNKNOWN_END, G.turns, worth, remaining)
        for start, end in zip(first.tolist(), last.tolist(), strict=True)
    ])  # fmt: skip
    psi = _psi(available, scores, c)
    if opening is None and initial:
        there = np.flatnonzero(first <= 1)
        opening = there[np.argsort(-psi[0, there], kind="stable")][:initial].tolist()
    return _Lifetimes(
        means=values,
        starts=np.where(first <= 1, 0, first),
        ends=last,
        G=G.values,
        believed=believed / unit,
        opening=_opening(opening, first, last),
        stretch=stretch,
        best=np.where(available, values, -np.inf).argmax(axis=1)[stretch],
        worst=np.where(available, values, np.inf).argmin(axis=1)[stretch],
        psi=psi,
    )


def _psi(available: NDArray[np.bool_], scores: Numbers, c: float) -> Numbers:
    """psi_future by stretch and arm: c times the rank of its score among the available arms."""
    psi = np.zeros(available.shape)
    for row, there in enumerate(available):
        ranked = np.sort(scores[there])
        psi[row] = c * np.searchsorted(ranked, scores, side="right") / ranked.size
    return psi


def _opening(chosen: Sequence[int] | None, first: Counts, last: Counts) -> tuple[int, ...]:
    """The arms of the first round by index; one whose lifetime ends before its turn is skipped."""
    there = [j for j in range(first.size) if first[j] <= 1]
    arms = there if chosen is None else sorted(chosen)
    if not set(arms) <= set(there):
        raise ValueError("only arms available in turn 1 can be in the opening")
    played: list[int] = []
    for arm in arms:
        if last[arm] >= len(played) + 1:
            played.append(arm)
    return tuple(played)
