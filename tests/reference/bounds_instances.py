"""Random games on which bounds and play are compared, and the comparison itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tests.reference import bounds_games as games
from tests.reference.bounds_games import Sample

import highseason as hs
from highseason import bounds
from highseason.bounds.regret_bound import Form

Numbers = NDArray[np.float64]
Random = np.random.Generator


# -- eight kinds of G ------------------------------------------------------------------------------


def lognormal(n: int, rng: Random) -> Numbers:
    return np.exp(rng.normal(1.0, rng.uniform(0.2, 1.5), n))


def early_peak(n: int, rng: Random) -> Numbers:
    values = np.ones(n)
    values[: int(n * rng.uniform(0.05, 0.5))] = rng.uniform(10, 1000)
    return values


def late_peak(n: int, rng: Random) -> Numbers:
    return early_peak(n, rng)[::-1].copy()


def alternating(n: int, rng: Random) -> Numbers:
    return np.tile([1.0, rng.uniform(2, 50)], n)[:n]


def rising(n: int, rng: Random) -> Numbers:
    return np.linspace(1.0, rng.uniform(5, 100), n)


SHAPES: dict[str, Callable[[int, Random], Numbers]] = {
    "constant": lambda n, rng: np.full(n, rng.choice([0.3, 1.0, 20.0])),
    "wave": lambda n, rng: hs.traffic.wave(n).values,
    "step": lambda n, rng: hs.traffic.step(n).values,
    "christmas": lambda n, rng: hs.traffic.christmas(n).values,
    "early peak": early_peak,
    "late peak": late_peak,
    "alternating": alternating,
    "lognormal": lognormal,
}


# -- the policies ----------------------------------------------------------------------------------


def threshold(G: Numbers, rng: Random) -> float:
    return float(np.quantile(G, rng.uniform(0.2, 0.95)))


def constant_k(means: Numbers, rng: Random) -> float:
    """Admissible half of the time, otherwise anything."""
    gaps = means.max() - means
    least = gaps[gaps > 0].min()
    admissible = max(10.0, 4.0 / least**2) * 1.01
    return float(admissible) if rng.random() < 0.5 else float(rng.uniform(0.5, 60.0))


def unit(G: Numbers, rng: Random) -> float:
    return 1.0 if rng.random() < 0.5 else float(np.median(G))


POLICIES: dict[str, Callable[[Numbers, Numbers, Random], hs.Policy]] = {
    "epsilon-greedy": lambda mu, G, rng: hs.EpsilonGreedy(k=constant_k(mu, rng)),
    "epsilon-z": lambda mu, G, rng: hs.EpsilonZGreedy(k=constant_k(mu, rng), z=threshold(G, rng)),
    "soft-epsilon": lambda mu, G, rng: hs.SoftEpsilonGreedy(
        k=constant_k(mu, rng), unit=unit(G, rng)
    ),
    "ucb": lambda mu, G, rng: hs.UCB(P=rng.choice([2.0, 2.0, 1.0, 0.3])),
    "ucb-z": lambda mu, G, rng: hs.UCBZ(z=threshold(G, rng)),
    "soft-ucb": lambda mu, G, rng: hs.SoftUCB(unit=unit(G, rng)),
    "variable-pool": lambda mu, G, rng: hs.VariablePool(
        c=float(np.exp(rng.uniform(0.1, 7.0))), unit=unit(G, rng)
    ),
}  # fmt: skip


class Instance(NamedTuple):
    """A policy, its arms and stakes, and perhaps a forecast."""

    shape: str
    policy: hs.Policy
    means: Numbers
    G: Numbers
    H: Numbers | None
    kind: int
    seed: int


def draw_means(rng: Random) -> Numbers:
    m = int(rng.integers(2, 6))
    if rng.random() < 0.5:
        return np.round(rng.random(m), 3)
    # one clear winner: here bounds have something to say
    means = np.round(rng.uniform(0.0, 0.2, m), 3)
    means[rng.integers(m)] = rng.uniform(0.8, 1.0)
    return means


def instances(name: str, count: int, seed: int, turns: tuple[int, int]) -> Iterator[Instance]:
    """Draw instances of one policy, through all shapes in turn."""
    for i in range(count):
        rng = np.random.default_rng([seed, i, len(name)])
        shape = list(SHAPES)[i % len(SHAPES)]
        low, high = np.log(turns)
        n = int(np.exp(rng.uniform(low, high)))
        means = draw_means(rng)
        while np.unique(means).size < 2:
            means = draw_means(rng)
        G = SHAPES[shape](n, rng)
        H = G * np.exp(rng.normal(0, 0.3, n)) if rng.random() < 0.25 else None
        policy = POLICIES[name](means, G, rng)
        kind = games.COIN if rng.random() < 0.7 else games.SWING
        yield Instance(shape, policy, means, G, H, kind, int(rng.integers(2**31)))


# -- bound against play ----------------------------------------------------------------------------

_PLAYERS: dict[Any, Callable[..., Sample]] = {
    hs.policies.EPSILON.name: games.epsilon_sample,
    hs.policies.UCB_RULE.name: games.ucb_sample,
    hs.policies.POOL.name: games.pool_sample,
}


@dataclass(frozen=True)
class Compared:
    instance: Instance
    safe: bounds.RegretBound
    paper: bounds.RegretBound
    played: Sample

    @property
    def safe_violated(self) -> bool:
        return self.played.exceeds(self.safe.total)

    @property
    def paper_violated(self) -> bool:
        return self.paper_defined and self.played.exceeds(self.paper.total)

    @property
    def paper_defined(self) -> bool:
        return math.isfinite(self.paper.total)


def numbers_of(instance: Instance) -> Numbers:
    setting = bounds.Setting.of(instance.means, None, instance.G, instance.H)
    return bounds.read_plan(instance.policy, setting).levels


def play_plan(instance: Instance, numbers: Numbers, count: int) -> Sample:
    """Play as many turns as there are numbers."""
    play = _PLAYERS[instance.policy.rule.name]
    G = instance.G[: numbers.size]
    return play(numbers, G, instance.means, count, instance.seed, instance.kind)


def compare(instance: Instance, count: int) -> Compared:
    policy, means, G, H = instance.policy, instance.means, instance.G, instance.H
    return Compared(
        instance,
        bounds.regret(policy, means=means, multiplier=G, H=H),
        bounds.regret(policy, means=means, multiplier=G, H=H, form="paper"),
        play_plan(instance, numbers_of(instance), count),
    )


# -- mortal arms -----------------------------------------------------------------------------------


class Population(NamedTuple):
    means: Numbers
    lifetimes: list[tuple[int, int]]
    G: Numbers
    c: float
    seed: int


def populations(count: int, seed: int, turns: tuple[int, int]) -> Iterator[Population]:
    for i in range(count):
        rng = np.random.default_rng([seed, i, 99])
        n = int(rng.integers(*turns))
        m = int(rng.integers(2, 9))
        lifetimes = [(1, n)]
        for _ in range(m - 1):
            first = 1 if rng.random() < 0.4 else int(rng.integers(1, n))
            lifetimes.append((first, int(rng.integers(first, n + 1))))
        shape = list(SHAPES)[i % len(SHAPES)]
        c = float(rng.choice([1.0, 2.0]))
        yield Population(
            rng.random(m), lifetimes, SHAPES[shape](n, rng), c, int(rng.integers(2**31))
        )


def mortal_bound(
    means: Sequence[float] | NDArray[np.float64],
    spans: Sequence[tuple[float, float]],
    G: Any,
    form: Form = "safe",
    H: Any = None,
    **options: Any,
) -> bounds.RegretBound:
    """The bound for arms with these lifetimes; the options are the policy's."""
    policy, lifetimes = (
        hs.SoftUCBMortal(**{"c": 1, "unit": 1, **options}),
        hs.lifetimes.fixed(spans),
    )
    return bounds.regret(policy, means, None, G, form, H, lifetimes=lifetimes)


def compare_mortal(population: Population, count: int) -> tuple[float, float, bool, Sample]:
    """Safe and printed bound, whether the safe one is vacuous, and play."""
    means, lifetimes, G, c, seed = population
    safe = mortal_bound(means, lifetimes, G, c=c)
    paper = mortal_bound(means, lifetimes, G, c=c, form="paper")
    played = games.mortal_sample(lifetimes, G, means, c, count, seed)
    return safe.total, paper.total, safe.vacuous, played
