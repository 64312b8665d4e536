"""Play every shop with every rule, and ask the price curve what it knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import highseason as hs
from highseason.advice import derive_seed
from highseason.core.parallel import Executors
from highseason.core.random import game_keys
from highseason.engine import Estimate, with_interval
from studies.prices import retail
from studies.prices.bands import BandsTask
from studies.prices.rivals import UCBPI, FallingThompson, TestThenWinner, ThompsonOfPrices
from studies.prices.shops import Shop, all_shops, cliffs, long_games
from studies.session import SimulationTask, StudySession
from studies.study import Results

OURS, TODAY, THOMPSON, KNOWN = (
    "price-curve", "option-index", "thompson", "thompson, prices known",
)  # fmt: skip
#: Who plays: ours first.  All count visitors; those of the library earn, as shares of the greatest
#: margin, what `hs.Bandit` reports.
POLICIES: Mapping[str, hs.Policy] = {
    OURS: hs.PriceCurve(), TODAY: hs.OptionIndex(), THOMPSON: hs.Thompson(),
    KNOWN: ThompsonOfPrices(), "thompson, falling draws": FallingThompson(), "ucb-pi": UCBPI(),
    "greedy": hs.Greedy(), "a fifth of the days, then the winner": TestThenWinner(),
}  # fmt: skip
#: In long games, and where items are real.
FEW = (OURS, TODAY, THOMPSON, KNOWN)
#: The case of the issue: two prices, the shares who buy, and the visitors of 60 days.
CASE_PRICES, CASE_RATES = (9.99, 13.99), (0.04, 0.036)
_WEEK = np.array([280.0, 270.0, 270.0, 300.0, 350.0, 500.0, 457.0])
CASE_VISITORS = hs.traffic.from_values(np.resize(_WEEK, 60), name="weekends")


class PricesTask(SimulationTask):
    """What policies lose, as shares of the best price's profit: a row each, a column per game."""

    def result(self, executor: Executors = "serial") -> NDArray[np.float64]:
        """Divided by the mean over games, so that ratios of means are those of money."""
        played = self.simulated(executor)
        drawn = self.rewards.parameters(game_keys(self.seed, range(self.games)))
        best = float(self.rewards.means(drawn).max(axis=-1).mean())
        assert played.games is not None
        lost = np.asarray(played.games["regret"]).reshape(len(self.policies), -1)
        return lost / (best * float(self.G.values.sum()))


class Played(NamedTuple):
    """A shop, and what every policy lost in its games."""

    part: str
    id: str
    about: Mapping[str, Any]
    lost: Mapping[str, NDArray[np.float64]]


class Asked(NamedTuple):
    """A shop, and what was said of its prices."""

    demand: str
    said: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PricesResults(Results):
    """What was played, for means with intervals; `frames` holds a row per shop and policy."""

    played: Sequence[Played]
    asked: Sequence[Asked]
    takings: Mapping[str, Estimate]  # Of the case


@dataclass(frozen=True)
class _Effort:
    games: int = 50
    few: int = 30  # With real items
    long: int = 100
    seasons: int = 300  # Of the case
    asked: int = 4


def run(session: StudySession) -> PricesResults:
    """Play all shops."""
    effort = _Effort(games=session.games or 50)
    shops = [*all_shops(session.seed), *cliffs(session.seed), *long_games(session.seed)]
    chosen = [shop for i, shop in enumerate(shops) if shop.part == "all" and (i // 4 + i) % 2 == 0]
    real = list(retail.items(session.data))
    if session.quick:
        effort = _Effort(session.games or 8, 6, 6, 6, 1)
        shops = [replace(shop, turns=35) for shop in (*shops[4::53], *shops[160::9])]
        chosen, real = [shop for shop in shops if shop.part == "all"][:2], real[:1]
    tasks: list[SimulationTask] = [_task(shop, effort) for shop in shops]
    tasks += [
        PricesTask(_of(FEW), rewards, CASE_VISITORS, effort.few, derive_seed(session.seed, code))
        for code, rewards in real
    ]
    tasks += _case(effort, session.seed)
    asked = [BandsTask({}, shop.rewards, shop.G, effort.asked, shop.seed) for shop in chosen]
    session.expect(len(tasks) + len(asked))
    *lost, orders, takings = session.results("simulating", tasks)
    said = session.results("asking", asked)
    played = [_played(shop, each) for shop, each in zip(shops, lost, strict=False)]
    for (code, rewards), each in zip(real, lost[len(shops) :], strict=True):
        about = {"prices": rewards.arms, "demand": "an item's", "visitors": 347.0, "turns": 60}
        played.append(Played("items", code, about, dict(zip(FEW, each, strict=True))))
    rows = [
        {"part": one.part, "setting": one.id, **one.about, "policy": name}
        | {"lost": float(each.mean()), "lost_se": float(each.std(ddof=1) / np.sqrt(each.size))}
        for one in played
        for name, each in one.lost.items()
    ]
    facts = {
        "settings": "every kind of demand with every number of prices and of visitors; ladder, "
        "cost, days, season, day effect and rho drawn beforehand",
        "rivals of ours": "Weaver, Kumar and Jain's own package was not at hand",
        "real items": f"{len(real)}" if real else "left out: no --data with order lines",
    }
    return PricesResults(
        {"losses": pd.DataFrame(rows)}, effort.games, facts, played,
        [Asked(shop.demand, each) for shop, each in zip(chosen, said, strict=True)],
        _takings(orders, takings), quick=session.quick,
    )  # fmt: skip


def _of(names: Sequence[str]) -> dict[str, hs.Policy]:
    return {name: POLICIES[name] for name in names}


def _task(shop: Shop, effort: _Effort) -> PricesTask:
    long = shop.part == "long"
    players = _of(FEW) if long else dict(POLICIES)
    games = effort.long if long else effort.games
    return PricesTask(players, shop.rewards, shop.G, games, shop.seed)


def _case(effort: _Effort, seed: int) -> list[SimulationTask]:
    """Seasons of the option index by orders, and of all by takings."""
    own, rates = derive_seed(seed, "the case"), list(CASE_RATES)
    orders = hs.rewards.visitors(rates=rates)
    takings = hs.rewards.prices(list(CASE_PRICES), rates=rates)
    both = {name: POLICIES[name] for name in (OURS, TODAY)}
    return [
        PricesTask({TODAY: POLICIES[TODAY]}, orders, CASE_VISITORS, effort.seasons, own),
        PricesTask(both, takings, CASE_VISITORS, effort.seasons, own),
    ]


def _takings(orders: NDArray[np.float64], takings: NDArray[np.float64]) -> dict[str, Estimate]:
    """What the choices of a season bring on average."""
    visitors = float(CASE_VISITORS.values.sum())
    low, high = (visitors * x * rate for x, rate in zip(CASE_PRICES, CASE_RATES, strict=True))
    dear = orders[0] * CASE_RATES[0] / (CASE_RATES[0] - CASE_RATES[1])  # share at 13.99
    brought = {
        "today, by orders": low + (high - low) * dear,
        OURS: high * (1.0 - takings[0]),
        "today, by takings": high * (1.0 - takings[1]),
    }
    return {
        how: with_interval(float(each.mean()), float(each.std(ddof=1) / np.sqrt(each.size)))
        for how, each in brought.items()
    } | {"always 13.99": with_interval(high, 0.0)}


def _played(shop: Shop, lost: NDArray[np.float64]) -> Played:
    names = FEW if shop.part == "long" else tuple(POLICIES)
    about = {
        "demand": shop.demand, "prices": shop.prices, "visitors": shop.visitors,
        "turns": shop.turns, "cost": shop.cost,
    }  # fmt: skip
    return Played(shop.part, shop.id, about, dict(zip(names, lost, strict=True)))
