"""Where `price-curve` was designed, and where it is reported: no ladder, size or seed is in both.

The demands it was designed on are here, as functions of (prices, uniform numbers of a game); those
that it is reported on are the families of `hs.rewards.prices`.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import highseason as hs
from highseason.core.random import game_keys
from highseason.rewards import Rewards
from highseason.rewards.prices import FAMILIES
from highseason.traffic import Multiplier

Numbers = NDArray[np.float64]


# -- demands for design: logarithms, at places z from 0 to 1 on the ladder -------------------------


def _limits(z: Numbers, u: Numbers) -> Any:
    """Visitors pay up to a normal limit."""
    from scipy.special import log_ndtr

    return log_ndtr((0.9 * u[0] - z) / (0.3 + 0.5 * u[1]))


def _segments(z: Numbers, u: Numbers) -> Any:
    """Two kinds of visitors, each with a price above which few of them buy."""
    low, high, part = 0.5 * u[0], 0.5 + 0.6 * u[1], 0.3 + 0.5 * u[2]
    return np.log(
        part / (1.0 + np.exp((z - low) / 0.12)) + (1.0 - part) / (1.0 + np.exp((z - high) / 0.12))
    )


def _sine(z: Numbers, u: Numbers) -> Any:
    """Exponential, in waves."""
    return -(0.4 + 1.2 * u[0]) * z + (0.05 + 0.25 * u[1]) * np.sin(2 * np.pi * (u[2] + 1.3 * z))


def _kink(z: Numbers, u: Numbers) -> Any:
    """Steeper above a competitor's price."""
    return -(0.2 + 0.8 * u[0]) * z - (0.5 + 2.5 * u[1]) * np.maximum(0.0, z - u[2])


def _step(z: Numbers, u: Numbers) -> Any:
    """One threshold."""
    return -(0.2 + u[0]) * z + math.log(0.55 + 0.35 * u[1]) * (z > 0.05 + 0.9 * u[2])


def _stairs(z: Numbers, u: Numbers) -> Any:
    """Two thresholds on a flat slope."""
    first = 0.6 * u[0]
    second = first + 0.4 * (0.3 + u[1])
    return -0.25 * z - (0.2 + 0.4 * u[2]) * ((z > first) * 1.0 + (z > second))


def _plateau(z: Numbers, u: Numbers) -> Any:
    """Flat up to what most would pay."""
    return -(0.1 + 0.5 * u[0]) * z - np.log1p(
        np.exp((z - 0.45 - 0.6 * u[1]) / (0.05 + 0.15 * u[2]))
    )


def _hump(z: Numbers, u: Numbers) -> Any:
    """Rises to a price that seems right, and falls beyond."""
    off = z - 0.1 - 0.8 * u[0]
    return -np.where(off < 0.0, 0.3 + 1.2 * u[1], 1.0 + 4.0 * u[2]) * off**2


DESIGN = {
    "limits": _limits, "segments": _segments, "sine": _sine, "kink": _kink, "step": _step,
    "stairs": _stairs, "plateau": _plateau, "hump": _hump,
}  # fmt: skip


def own_demand(name: str, prices: Numbers, uniforms: Numbers) -> Numbers:
    """A demand for design: 1 to 5% buy at the middle of the ladder."""
    low, span = prices.min(), np.ptp(prices)
    z = np.append((prices - low) / span, 0.5)
    logs = DESIGN[name](z, uniforms[1:])
    level = math.log(0.01) + uniforms[0] * math.log(5.0)
    return np.asarray(np.minimum(1.0, np.exp(logs[:-1] - logs[-1] + level)))


# -- settings --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """A shop with a ladder of prices."""

    demand: str
    low: float
    high: float
    prices: int
    cost: float  # As a share of the lowest price
    turns: int
    visitors: float
    season: str
    day: float
    rho: float
    seed: int

    @functools.cached_property
    def rewards(self) -> Rewards:
        """Its demand, drawn in every game."""
        ladder = np.linspace(self.low, self.high, self.prices).round(2).tolist()
        own = functools.partial(own_demand, self.demand) if self.demand in DESIGN else self.demand
        cost = round(self.cost * self.low, 2)
        return hs.rewards.prices(ladder, own, cost=cost, rho=self.rho, day=self.day)

    @functools.cached_property
    def G(self) -> Multiplier:
        """Its visitors."""
        t = np.arange(self.turns)
        late = 1.0 + 3.0 * np.exp(-0.5 * ((t - 0.85 * self.turns) / (0.08 * self.turns)) ** 2)
        shape = {
            "flat": np.ones(self.turns),
            "weekly": np.resize([0.7, 0.6, 0.7, 0.9, 1.2, 1.6, 1.3], self.turns),
            "late": late,
            "wave": 1.0 + 0.8 * np.sin(5 * np.pi * t / self.turns),
        }[self.season]
        return hs.traffic.from_values(
            np.maximum(1.0, np.round(self.visitors * shape / shape.mean()))
        )

    def lost(self, policy: hs.Policy | str, games: int) -> float:
        """The share of the best listed price's profit that is lost."""
        result = hs.simulate(
            policy, self.rewards, self.G, games=games, seed=self.seed, keep="games"
        )
        means = self.rewards.means(self.rewards.parameters(game_keys(self.seed, range(games))))
        assert result.games is not None
        return float(result.games["regret"].sum() / means.max(axis=1).sum() / self.G.values.sum())


#: Ladders, numbers of prices, turns, visitors, costs, day effects and rho.
_SIZES: dict[str, Any] = {
    "design": (
        [(19, 49), (2.49, 3.69), (39, 69), (10, 30)], [3, 4, 5, 6, 10], [40, 100],
        [50, 500, 5000], [0.0, 0.5], [0.0, 0.15], [0.0, 0.003],
    ),
    "reported": (
        [(8.99, 14.99), (5.99, 19.99)], [3, 5, 8, 15], [28, 60, 200],
        [30, 300, 3000], [0.0, 0.6], [0.0, 0.2], [0.0, 0.002],
    ),
}  # fmt: skip


def settings(part: str, count: int, seed: int = 1) -> Iterator[Setting]:
    """Settings in which every demand meets every number of prices; all else is drawn."""
    ladders, sizes, turns, visitors, costs, effects, rhos = _SIZES[part]
    rng = np.random.default_rng([seed, list(_SIZES).index(part)])
    demands = list(DESIGN) if part == "design" else list(FAMILIES)
    pairs = itertools.cycle(itertools.product(demands, sizes))
    for number, (demand, prices) in enumerate(itertools.islice(pairs, count)):
        low, high = ladders[rng.integers(len(ladders))]
        cost, days, noise, size = (_pick(rng, one) for one in (costs, turns, rhos, visitors))
        yield Setting(
            demand=demand, low=low, high=high, prices=prices, cost=cost, turns=int(days),
            visitors=size, season=["flat", "weekly", "late", "wave"][rng.integers(4)],
            day=_pick(rng, effects), rho=noise, seed=1000 * seed + number,
        )  # fmt: skip


def _pick(rng: np.random.Generator, options: Sequence[float]) -> float:
    return float(rng.choice(np.array(options)))
