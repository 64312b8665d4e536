"""The shops of the study: chosen by a rule before any was played, none of them used for design.

Ladders, numbers of prices, seasons, visitors, costs and seeds are neither those that `price-curve`
was designed on nor those of the first sketch of it.  Three kinds of demand are new, too.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import highseason as hs
from highseason.rewards import Rewards
from highseason.rewards.prices import FAMILIES
from highseason.traffic import Multiplier
from studies.prices.settings import Numbers, Setting, scaled_demand


def _fortunes(z: Numbers, u: Numbers) -> Any:
    """What visitors would pay is log-normal."""
    from scipy.special import log_ndtr

    place = np.log1p(1.5 * z) / np.log(2.5)  # of the price among prices, on a log scale
    return log_ndtr((u[0] - 0.2 - place) / (0.35 + 0.5 * u[1]))


def _regulars(z: Numbers, u: Numbers) -> Any:
    """Some buy at any price, the others' number halves soon."""
    some = 0.1 + 0.4 * u[0]
    return np.log(some + (1.0 - some) * np.exp(-z / (0.1 + 0.4 * u[1])))


def _mistrust(z: Numbers, u: Numbers) -> Any:
    """Some mistrust a low price, and few pay a high one."""
    low, high = 0.6 * u[0] - 0.2, 0.5 + 0.6 * u[1]
    return -np.log1p(np.exp((low - z) / 0.1)) - np.log1p(np.exp((z - high) / 0.12))


#: Demands that neither the library nor the design has: logarithms, at places from 0 to 1.
FRESH = {"fortunes": _fortunes, "regulars": _regulars, "mistrust": _mistrust}
#: All of the study.
DEMANDS = (*FAMILIES, *FRESH)
#: Numbers of prices and visitors of a day, which meet in all demands.
SIZES, VISITORS = (3, 5, 8, 12), (20, 150, 1000, 8000)
_LADDERS = ((4.49, 6.99), (24.0, 39.0), (69.0, 149.0), (11.5, 17.5), (7.9, 23.9))
_TURNS, _COSTS, _DAYS, _RHOS = (35, 75, 150), (0.0, 0.3, 0.75), (0.0, 0.1, 0.3), (0.0, 0.001, 0.004)
_SEASONS = ("even", "weekends", "early", "towards Christmas")


def fresh_demand(name: str, prices: Numbers, uniforms: Numbers) -> Numbers:
    """A demand by its name, of one game."""
    return scaled_demand(FRESH[name], prices, uniforms)


@dataclass(frozen=True)
class Shop(Setting):
    """A setting of the study."""

    part: str = "all"

    @functools.cached_property
    def rewards(self) -> Rewards:
        """Its demand, drawn in every game."""
        ladder = np.linspace(self.low, self.high, self.prices).round(2).tolist()
        fresh = functools.partial(fresh_demand, self.demand)
        demand = fresh if self.demand in FRESH else self.demand
        cost = round(self.cost * self.low, 2)
        return hs.rewards.prices(ladder, demand, cost=cost, rho=self.rho, day=self.day)

    @functools.cached_property
    def G(self) -> Multiplier:
        """Its visitors."""
        place = np.arange(self.turns) / self.turns
        shape = {
            "even": np.ones(self.turns),
            "weekends": np.resize([0.8, 0.7, 0.7, 0.8, 1.0, 1.7, 1.3], self.turns),
            "early": 1.0 + 2.0 * np.exp(-0.5 * ((place - 0.2) / 0.1) ** 2),
            "towards Christmas": np.where(place < 0.9, np.exp(1.8 * place), 1.0),
        }[self.season]
        visitors = np.maximum(1.0, np.round(self.visitors * shape / shape.mean()))
        return hs.traffic.from_values(visitors, name=self.season)

    @property
    def id(self) -> str:
        """Its name in tables."""
        return (
            f"{self.demand}, {self.prices} prices {self.low:g} to {self.high:g}, cost "
            f"{self.cost:.0%}, {self.turns} days, {self.visitors:g} visitors, {self.season}, "
            f"day {self.day:g}, rho {self.rho:g}"
        )


def all_shops(seed: int = 0) -> Iterator[Shop]:
    """Every demand meets every number of prices and of visitors; all else is drawn."""
    rng = np.random.default_rng([seed, 3901])
    for demand, prices, visitors in itertools.product(DEMANDS, SIZES, VISITORS):
        yield _drawn(rng, "all", demand, prices, visitors, _TURNS)


def cliffs(seed: int = 0) -> Iterator[Shop]:
    """A cliff with few prices: anywhere, or early on the ladder, as in the sketch's worst cases."""
    rng = np.random.default_rng([seed, 3902])
    for prices, visitors, early in itertools.product((3, 4, 5), VISITORS[1:], (False, True)):
        shop = _drawn(rng, "cliffs", "cliff", prices, visitors, _TURNS)
        edge = f"cliff:above={shop.low + 0.2 * (shop.high - shop.low):.2f}" if early else "cliff"
        yield Shop(**{**vars_of(shop), "demand": edge})


def long_games(seed: int = 0) -> Iterator[Shop]:
    """A thousand days of jumpy demand."""
    rng = np.random.default_rng([seed, 3903])
    for demand, visitors in itertools.product(("cliff", "bumpy"), (250, 700, 1500)):
        for _ in range(2):
            yield _drawn(rng, "long", demand, 8, visitors, (1000,))


def vars_of(shop: Shop) -> dict[str, Any]:
    """Its fields."""
    return {name: getattr(shop, name) for name in shop.__dataclass_fields__}


def _drawn(
    rng: np.random.Generator, part: str, demand: str, prices: int, visitors: float,
    turns: Sequence[int],
) -> Shop:  # fmt: skip
    low, high = _LADDERS[rng.integers(len(_LADDERS))]
    cost, effect, rho = (float(rng.choice(options)) for options in (_COSTS, _DAYS, _RHOS))
    return Shop(
        demand=demand, low=low, high=high, prices=prices, cost=cost, turns=int(rng.choice(turns)),
        visitors=visitors, season=_SEASONS[rng.integers(len(_SEASONS))], day=effect, rho=rho,
        seed=int(rng.integers(2**31)), part=part,
    )  # fmt: skip
