"""Soft UCB mortal: arms that are born and die; the best arm alive changes, epoch by epoch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.bounds.kernels.build import mortal_costs
from highseason.bounds.result import Form, RegretBound, assemble
from highseason.bounds.setting import Setting
from highseason.bounds.theorems import theorem
from highseason.engine.lifetimes import running_worth
from highseason.multipliers import as_multiplier
from highseason.policies import SoftUCBMortal

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


@theorem(SoftUCBMortal)
def soft_ucb_mortal(policy: SoftUCBMortal, setting: Setting, form: Form) -> RegretBound:
    """See `mortal_regret`; without lifetimes, the theorem about arms that never die.

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
        known=setting.told,
    )
    return replace(bound, policy=str(policy))


@dataclass(frozen=True, eq=False)
class _Lives:
    """Who is alive when, who is best, and how strongly each arm is explored.

    Attributes:
        means: Of each arm.
        births: Of each arm; 0 for those alive in turn 1, else the first turn.
        deaths: The last turn of each arm, at most n.
        G: What weighs the regret.
        stakes: G or its forecast in the policy's unit: what xi is made of.
        opening: The arms of the first round, in the order in which they are played.
        stretch: For each turn, the number of its stretch of turns with the same arms alive.
        best: The best arm alive in each turn.
        worst: The worst arm alive in each turn.
        psi: psi_future of each arm in each stretch.
    """

    means: Numbers
    births: Counts
    deaths: Counts
    G: Numbers
    stakes: Numbers
    opening: tuple[int, ...]
    stretch: Counts
    best: Counts
    worst: Counts
    psi: Numbers

    @property
    def turns(self) -> int:
        """How many turns."""
        return int(self.G.size)

    def gap(self, arm: int, t: int) -> float:
        """How far an arm is below the best one alive at turn t."""
        return float(self.means[self.best[t - 1]] - self.means[arm])

    def epochs(self, arm: int) -> Iterator[tuple[int, int]]:
        """First and last turn of each run of turns with one best arm, after the first round."""
        start = max(1, int(self.births[arm]), len(self.opening) + 1)
        last = int(self.deaths[arm])
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

    Arm j is played for estimate + psi_future(j,t) sqrt(2 log xi_j(t) / pulls), unplayed arms first,
    with xi_j(t) = 1 + (t - s_j)/G(t) and psi_future(j,t) = c times the share of the arms alive
    whose score, the sum of G over their life, is no greater than its own.

    Safe form, for each arm and each run of turns with one and the same best arm, D below it:
    D max G min(length, u + S), S the sum over the run of
    min(1, N_j xi_j^(-4 psi_j²/r²) + N_* xi_*^(-4 psi_*²/r²)),
    u = max(1, max ceil(8 psi_j² log xi_j / D²)), N_j and N_* the pull counts that are possible.

    Args:
        means: Of each arm.
        lifespans: First and last turn of each arm, both included; (1, inf) lifetimes throughout.
        multiplier: G.
        c: The most that psi can be.  The paper has at least 1; the safe form holds for any, but
            says nothing where psi of the best arm is below 1/2.
        form: "safe", or "paper" for the formula as printed.
        H: What the policy believes of G; scores and xi are made of it.
        r: The range of the rewards.
        unit: G is divided by it in xi.
        opening: The arms of the first round; by default all that are alive in turn 1.
        remaining: Whether arms are scored by how late they die.
        initial: Instead of `opening`: so many of those alive in turn 1, of the highest psi.
        known: Whether the policy is told when arms die; if not, it takes all to live to the end.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=20_000)
    >>> immortal = [(1, math.inf)] * 2
    >>> round(mortal_regret([0.9, 0.5], immortal, G, form="paper").total, -5)
    -1500000.0
    """
    if form not in ("safe", "paper"):
        raise ValueError(f"form={form!r} must be 'safe' or 'paper'")
    if not (c >= 0 and math.isfinite(c)):
        raise ValueError(f"c must be at least 0, not {c!r}")
    if not (r > 0 and unit > 0):
        raise ValueError("r and unit must be above 0")
    lifetimes = _lives(means, lifespans, multiplier, c, H, unit, opening, remaining, initial, known)
    safe = _safe(lifetimes, r)
    return safe if form == "safe" else _paper(lifetimes, r, safe)


def _safe(lifetimes: _Lives, r: float) -> RegretBound:
    first_round = _first_round(lifetimes)
    worst = _worst_after(lifetimes)
    costs = mortal_costs(
        lifetimes.means.copy(), lifetimes.births, lifetimes.deaths, lifetimes.best, lifetimes.stretch, lifetimes.psi,
        lifetimes.G.copy(), lifetimes.stakes.copy(), len(lifetimes.opening), float(r), turns=lifetimes.turns,
    )  # fmt: skip
    curves = {
        "initialisation": np.cumsum(first_round),
        "epochs": np.minimum(np.cumsum(costs), np.cumsum(worst)),
    }
    limits = {"initialisation": float(first_round.sum()), "epochs": float(worst.sum())}
    return assemble(
        "soft-ucb-mortal", "safe", lifetimes.means.size, curves, limits,
        np.cumsum(first_round + worst), exact=("initialisation",),
    )  # fmt: skip


def _first_round(lifetimes: _Lives) -> Numbers:
    costs = np.zeros(lifetimes.turns)
    for i, arm in enumerate(lifetimes.opening):
        costs[i] = lifetimes.G[i] * lifetimes.gap(arm, i + 1)
    return costs


def _worst_after(lifetimes: _Lives) -> Numbers:
    """The largest gap alive, weighed, in every turn after the first round."""
    costs = lifetimes.G * (lifetimes.means[lifetimes.best] - lifetimes.means[lifetimes.worst])
    costs[: len(lifetimes.opening)] = 0.0
    return np.asarray(costs)


# -- the printed form ------------------------------------------------------------------------------


def _paper(lifetimes: _Lives, r: float, safe: RegretBound) -> RegretBound:
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
    curves = {"initialisation": safe.curves["initialisation"], "epochs": np.cumsum(costs)}
    total = float(curves["initialisation"][-1] + curves["epochs"][-1])
    reasons = [] if total >= safe.total else [f"it is below the safe form, {safe.total:,.6g}."]
    return assemble(
        safe.policy, "paper", safe.arms, curves, safe.limits,
        np.cumsum(_first_round(lifetimes) + _worst_after(lifetimes)),
        exact=("initialisation",), valid=not reasons, notes=reasons,
    )  # fmt: skip


def _printed_beta(
    lifetimes: _Lives, arm: int, gap: float, first: int, last: int, r: float
) -> float:
    """beta^M = u + the series, with psi where its square belongs, and no clipping."""
    t = np.arange(first, last + 1, dtype=np.float64)
    rows, star = lifetimes.stretch[first - 1 : last], int(lifetimes.best[first - 1])
    psi_own, psi_star = lifetimes.psi[rows, arm], lifetimes.psi[rows, star]
    s_own, s_star = float(lifetimes.births[arm]), float(lifetimes.births[star])
    stakes = lifetimes.stakes[first - 1 : last]
    own, best = np.log1p((t - s_own) / stakes), np.log1p((t - s_star) / stakes)
    u = float(np.ceil(8.0 * psi_own * own / gap**2).max())
    chances = np.exp(-4.0 / r**2 * psi_own * own) + np.exp(-4.0 / r**2 * psi_star * best)
    return u + float(np.sum((t - s_star) * (t - s_own - u + 1.0) * chances))


# -- who is alive when -----------------------------------------------------------------------------


def _lives(
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
) -> _Lives:
    G = as_multiplier(multiplier)
    believed = (G if H is None else as_multiplier(H, turns=G.turns)).values
    values = np.array(means, dtype=np.float64)
    spans = np.array(lifespans, dtype=np.float64)
    if values.ndim != 1 or spans.shape != (values.size, 2):
        raise ValueError("give one mean and one (first turn, last turn) for each arm")
    first = np.maximum(1, spans[:, 0]).astype(np.int64)
    last = np.minimum(G.turns, spans[:, 1]).astype(np.int64)
    starts = _stretches(first, last, G.turns)
    alive = (first[None, :] <= starts[:, None]) & (last[None, :] >= starts[:, None])
    if not alive.any(axis=1).all():
        empty = int(starts[np.flatnonzero(~alive.any(axis=1))[0]])
        raise ValueError(f"no arm is alive at turn {empty}")
    stretch = np.searchsorted(starts, np.arange(1, G.turns + 1), side="right") - 1
    told = last if known else np.full_like(last, G.turns)
    worth = running_worth(believed)
    scores = worth[told] - worth[np.minimum(first - 1, told)]
    psi = _psi(alive, told.astype(np.float64) if remaining else scores, c)
    if opening is None and initial:
        there = np.flatnonzero(first <= 1)
        opening = there[np.argsort(-psi[0, there], kind="stable")][:initial].tolist()
    return _Lives(
        means=values,
        births=np.where(first <= 1, 0, first),
        deaths=last,
        G=G.values,
        stakes=believed / unit,
        opening=_opening(opening, first, last),
        stretch=stretch,
        best=np.where(alive, values, -np.inf).argmax(axis=1)[stretch],
        worst=np.where(alive, values, np.inf).argmin(axis=1)[stretch],
        psi=psi,
    )


def _stretches(first: Counts, last: Counts, turns: int) -> Counts:
    """The turns at which the set of arms alive may change, turn 1 among them."""
    borders = np.unique(np.concatenate([[1], first, last + 1]))
    return borders[(borders >= 1) & (borders <= turns)].astype(np.int64)


def _psi(alive: NDArray[np.bool_], scores: Numbers, c: float) -> Numbers:
    """psi_future by stretch and arm: c times the rank of its score among those alive."""
    psi = np.zeros(alive.shape)
    for row, there in enumerate(alive):
        ranked = np.sort(scores[there])
        psi[row] = c * np.searchsorted(ranked, scores, side="right") / ranked.size
    return psi


def _opening(chosen: Sequence[int] | None, first: Counts, last: Counts) -> tuple[int, ...]:
    """The arms of the first round in index order; one that dies before its turn is skipped."""
    there = [j for j in range(first.size) if first[j] <= 1]
    arms = there if chosen is None else sorted(chosen)
    if not set(arms) <= set(there):
        raise ValueError("only arms alive in turn 1 can be played in the first round")
    played: list[int] = []
    for arm in arms:
        if last[arm] >= len(played) + 1:
            played.append(arm)
    return tuple(played)
