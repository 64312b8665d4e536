"""The paper's figures, tables and remarks about bounds, evaluated.

Nothing here bounds a policy's regret (`hs.bounds.regret` does); it is what one needs to see why a
bound is what it is.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.bounds import RegretBound, Setting, regret
from highseason.bounds import epsilon as family
from highseason.bounds.paper import printed_beta, tail
from highseason.bounds.regret_bound import Form
from highseason.bounds.setting import Means, Numbers, low_turns, read_plan
from highseason.core.text import aligned, six_figures
from highseason.policies import EpsilonGreedy, EpsilonZGreedy, Policy, SoftEpsilonGreedy
from highseason.traffic import Multiplier, as_multiplier, sine


@dataclass(frozen=True, eq=False)
class ExplorationFigure:
    """The curves and marks of the paper's figure of exploration probabilities.

    Attributes:
        turns: t = m+1, …, n.
        psi: psi(t), the regulated upper limit.
        old: min(1, km/t), ε-greedy.
        soft: min(psi, km/t), soft ε-greedy.
        n_prime: n' = floor(km); up to it ε-greedy always explores.
        w: floor(km/gamma) + 1, the first t with km/t < gamma; from it on both explore alike.
        gamma: The least psi.
    """

    turns: NDArray[np.int64]
    psi: Numbers
    old: Numbers
    soft: Numbers
    n_prime: int
    w: int
    gamma: float

    def phase(self, t: int) -> str:
        """The paper's phase of a turn."""
        if t < self.n_prime:
            return "t < n'"
        return "n' <= t <= w" if t <= self.w else "t > w"


def exploration_figure(
    policy: SoftEpsilonGreedy | None = None, multiplier: Any = None, arms: int = 2
) -> ExplorationFigure:
    """The data of Figure 4; by default G(t) = 20 + 19 sin(t/2), k = 11, 2 arms, 1000 turns.

    The paper states G but none of the other numbers; these put n' and w on the axis.

    >>> figure = exploration_figure()
    >>> figure.n_prime, figure.w
    (22, 603)
    """
    chosen = SoftEpsilonGreedy(k=11.0, unit=1.0) if policy is None else policy
    G = sine(1000) if multiplier is None else multiplier
    setting = Setting.of(None, [0.0] * arms, G)
    m, psi = setting.arms, family.psi(chosen, setting)
    gamma = float(np.min(psi, initial=1.0))
    return ExplorationFigure(
        turns=np.arange(m + 1, setting.turns + 1),
        psi=psi,
        old=read_plan(EpsilonGreedy(k=chosen.k), setting).levels[m:],
        soft=read_plan(chosen, setting).levels[m:],
        n_prime=math.floor(chosen.k * m),
        w=math.floor(chosen.k * m / gamma) + 1,
        gamma=gamma,
    )


class Decay(NamedTuple):
    """One row of the table: bounds on the probability of a suboptimal arm at one turn.

    Attributes:
        phase: "t < n'", "n' <= t <= w" or "t > w".
        season: "high" or "low" G within the phase.
        t: The turn.
        G: Its multiplier.
        old: ε/m + (1-ε) beta of ε-greedy.
        soft: The same of soft ε-greedy.
        soft_explores: Its term ε/m, which the paper's table omits where G is high.
    """

    phase: str
    season: str
    t: int
    G: float
    old: float
    soft: float
    soft_explores: float

    @property
    def faster(self) -> bool:
        """Whether soft ε is below ε-greedy."""
        return self.soft < self.old


class DecayTable(tuple[Decay, ...]):
    """The rows; prints as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        rows = [("phase", "G", "turn", "old", "soft", "of it ε/m", "soft lower?")]
        rows += [
            (e.phase, f"{e.season} ({e.G:g})", f"{e.t:,}", six_figures(e.old), six_figures(e.soft),
             six_figures(e.soft_explores), "yes" if e.faster else "no")
            for e in self
        ]  # fmt: skip
        return aligned(rows, "<" * 7)


def decay_table(
    policy: SoftEpsilonGreedy,
    gap: float,
    multiplier: Any,
    arms: int = 2,
    form: Form = "safe",
    turns: Sequence[int] | None = None,
    r: float = 1.0,
) -> DecayTable:
    """Table 2, the decay rates, evaluated: soft ε against ε-greedy with the same k.

    Without `turns`, each phase is sampled at the last of its turns with the highest and with the
    lowest G (rounded to three digits, so that a wave's crests count as equal).

    >>> import highseason as hs
    >>> table = decay_table(hs.SoftEpsilonGreedy(k=11, unit=1), 0.8, hs.traffic.sine(1000))
    >>> [(e.phase, e.season, e.t) for e in table][:3]
    [("t < n'", 'high', 3), ("t < n'", 'low', 9), ("n' <= t <= w", 'high', 556)]
    """
    setting = Setting.of(None, [0.0] * (arms - 1) + [gap], multiplier, r=r)
    marks = exploration_figure(policy, setting.multiplier, arms)
    betas = _betas(policy, setting, marks.gamma * setting.clock, gap, form)
    plans = [read_plan(p, setting).levels for p in (EpsilonGreedy(k=policy.k), policy)]
    entries = []
    for phase, season, t in _samples(setting, marks, turns):
        epsilons = [float(levels[t - 1]) for levels in plans]
        before, now = (
            float(e / arms + ((1.0 - e) * beta[t - 1 - arms] if e < 1.0 else 0.0))
            for e, beta in zip(epsilons, betas, strict=True)
        )
        G = float(setting.G[t - 1])
        entries.append(Decay(phase, season, t, G, before, now, epsilons[1] / arms))
    return DecayTable(entries)


def _betas(
    policy: Any, setting: Setting, clock: Numbers, gap: float, form: Form
) -> tuple[Numbers, ...]:
    """The leader's probability under ε-greedy and under `policy`, in turns after the first round.

    `clock` is what takes the place of t in the policy's printed form.
    """
    k, m, over = policy.k, setting.arms, gap / setting.r
    if form == "paper":
        clocks = (setting.clock, clock)
        return tuple(printed_beta(family.printed_x(c, k, m), k, over) for c in clocks)
    plans = (read_plan(p, setting).levels for p in (EpsilonGreedy(k=k), policy))
    kappa = over**2 / 2.0
    lams = (family.blind_pulls(e, m).tolist() for e in plans)
    return tuple(np.array([min(1.0, 2.0 * tail(lam, kappa)) for lam in plan]) for plan in lams)


def _samples(
    setting: Setting, marks: ExplorationFigure, turns: Sequence[int] | None
) -> list[tuple[str, str, int]]:
    level = np.round(setting.weights, 3 - 1 - math.floor(math.log10(setting.weights.max())))
    middle = float(np.median(setting.weights))
    if turns is not None:
        return [
            (marks.phase(t), "high" if setting.G[t - 1] > middle else "low", int(t)) for t in turns
        ]
    phases = np.array([marks.phase(t) for t in marks.turns.tolist()])
    return [
        (phase, season, int(marks.turns[(phases == phase) & (level == end)][-1]))
        for phase in dict.fromkeys(phases.tolist())
        for season, end in (
            ("high", level[phases == phase].max()),
            ("low", level[phases == phase].min()),
        )
    ]


@dataclass(frozen=True, eq=False)
class HighTurnAdvantage:
    """How much regulation lowers the bound on the probability of a bad arm, on each high turn.

    Attributes:
        turns: The high turns after the first round.
        gaps: The suboptimal arms' gaps, falling.
        difference: P_old - P_new, a row per arm and a column per high turn.
    """

    turns: NDArray[np.int64]
    gaps: Numbers
    difference: Numbers

    @property
    def positive_from(self) -> int | None:
        """The high turn from which every difference stays above 0, if any."""
        bad = np.flatnonzero(~(self.difference > 0).all(axis=0))
        after = int(bad[-1]) + 1 if bad.size else 0
        return int(self.turns[after]) if after < self.turns.size else None


def high_turn_advantage(
    policy: EpsilonZGreedy,
    means: Means | None = None,
    gaps: Sequence[float] | Numbers | None = None,
    multiplier: Any = None,
    form: Form = "paper",
    H: Any = None,
    r: float = 1.0,
) -> HighTurnAdvantage:
    """P_old - P_new = ε_t/m + (1 - ε_t) beta_old(t) - beta(t~) on high turns, ε_t = min(1, km/t).

    Section 3.2.1.  The old policy is ε-greedy with the same k.  "paper" uses the printed betas,
    "safe" the clipped tails of the safe form.

    >>> import highseason as hs
    >>> G = hs.traffic.step(turns=20_000)
    >>> result = high_turn_advantage(hs.EpsilonZGreedy(k=50, z=30), gaps=[0, 0.8], multiplier=G)
    >>> result.turns[0], result.positive_from
    (np.int64(2000), 2000)
    """
    setting = Setting.of(means, gaps, multiplier, H, r)
    low, _ = low_turns(policy, setting)
    m = setting.arms
    high = np.flatnonzero(~low[m:])
    epsilon = read_plan(EpsilonGreedy(k=policy.k), setting).levels[m:][high]
    rows = []
    for gap in setting.worst_first.tolist():
        clock = np.cumsum(low, dtype=np.float64)[m:]
        before, now = (beta[high] for beta in _betas(policy, setting, clock, gap, form))
        with np.errstate(invalid="ignore"):
            led = np.where(epsilon < 1.0, (1.0 - epsilon) * before, 0.0)
        rows.append(epsilon / m + led - now)
    difference = np.array(rows).reshape(setting.worst_first.size, high.size)
    return HighTurnAdvantage(high + m + 1, setting.worst_first, difference)


def beta_from_floor(floor: float, gap: float, r: float = 1.0) -> float:
    """The leader's probability from L <= lam: min(1, 2 (L e^(-L/5) + (2/D²) e^(-D² L/2))).

    The remark before n' and the printed beta after m·k·e are this, at `remark_floor`.

    >>> round(beta_from_floor(60.0, gap=0.8), 6)
    0.000737
    """
    d = (gap / r) ** 2
    probability = floor * math.exp(-floor / 5.0) + 2.0 / d * math.exp(-d * floor / 2.0)
    return min(1.0, 2.0 * probability)


def remark_floor(low_turns: float, k: float, arms: int) -> float:
    """The lower bound on lam that the paper uses at t~ (Remarks 15 and 16).

    t~/(2m) up to n' = floor(km), then (k/2) log(t~/(mke)), which is negative until t~ = mke.
    With t~ of the turn itself the first exceeds lam by up to 1/(2m).

    >>> remark_floor(40, k=50, arms=2), round(remark_floor(1000, k=50, arms=2), 2)
    (10.0, 32.56)
    """
    if low_turns <= math.floor(k * arms):
        return low_turns / (2.0 * arms)
    return k / 2.0 * math.log(low_turns / (arms * k * math.e))


def true_floor(low_turns_before: int, k: float, arms: int) -> float:
    """A lower bound on lam that always holds, N the low turns *before* this one.

    N/(2m) for N <= km, and (k/2)(1 + log((N+1)/(km))) - 1/(2m) from there on.

    >>> true_floor(40, k=50, arms=2), round(true_floor(1000, k=50, arms=2), 2)
    (10.0, 82.34)
    """
    N, reach = low_turns_before, k * arms
    if N <= reach:
        return N / (2.0 * arms)
    return k / 2.0 * (1.0 + math.log((N + 1) / reach)) - 1.0 / (2.0 * arms)


Shape = Callable[[int], Multiplier]


@dataclass(frozen=True, eq=False, repr=False)
class Growth:
    """A bound at several numbers of turns."""

    turns: tuple[int, ...]
    bounds: tuple[RegretBound, ...]

    def part(self, name: str) -> Numbers:
        """One part over the grid, or "total"."""
        return np.array([b.total if name == "total" else b.parts[name] for b in self.bounds])

    def exponents(self, name: str) -> Numbers:
        """The power of n by which a part grows from each n of the grid to the next.

        Near 0: logarithmic growth or none; 1: linear.
        """
        with np.errstate(all="ignore"):
            return np.diff(np.log(self.part(name))) / np.diff(np.log(self.turns))

    def __str__(self) -> str:
        """A row per number of turns, a column per part."""
        names = [*self.bounds[0].parts, "total"]
        columns = [[name, *map(six_figures, self.part(name))] for name in names]
        turns = ["turns", *(f"{n:,}" for n in self.turns)]
        return aligned(list(zip(turns, *columns, strict=True)), ">" * (len(names) + 1))

    __repr__ = __str__


def growth(
    policy: Policy,
    means: Means | None = None,
    gaps: Sequence[float] | Numbers | None = None,
    multiplier: Shape | Any = None,
    turns: Sequence[int] = (1_000, 10_000, 100_000),
    form: Form = "safe",
    r: float = 1.0,
) -> Growth:
    """Evaluate a bound for games of growing length: what Theorems 2, 5 and 10 say in orders.

    Args:
        policy: A policy with a theorem.
        means: Of the arms.
        gaps: Or their gaps.
        multiplier: A shape such as `hs.traffic.step`, called with each number of turns; or a
            multiplier at least as long as the longest game.
        turns: The grid.
        form: "safe" or "paper".
        r: The range of the rewards.

    >>> import highseason as hs
    >>> G = np.tile([2.0, 1.0], 5_000)
    >>> result = growth(hs.UCBZ(z=2), gaps=[0, 0.7], multiplier=G, turns=(1_000, 10_000))
    >>> (result.part("high") / 2).round().tolist()  # in turns' worth of regret
    [343.0, 1415.0]
    """
    grid = tuple(int(n) for n in turns)
    whole = multiplier if callable(multiplier) else as_multiplier(multiplier)
    shape: Shape = partial(whole.window, 1) if isinstance(whole, Multiplier) else whole
    bounds = tuple(regret(policy, means, gaps, shape(n), form, r=r) for n in grid)
    return Growth(grid, bounds)
