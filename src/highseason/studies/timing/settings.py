"""Seasons in which timing could matter: many turns per arm, small gaps, late peaks, real traffic.

They were chosen before anything was played, and none was left out afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import highseason as hs
from highseason import multipliers, rewards
from highseason.multipliers import Multiplier
from highseason.rewards import Rewards
from highseason.studies.paper import SAME_RULE
from highseason.tuning import Budget

GAMES, QUICK_GAMES = 1000, 20

#: What every policy may spend on tuning per season, whether it has one parameter or two.
BUDGET, QUICK_BUDGET = Budget.halving(24, games=270), Budget.halving(5, games=20)

TUNED: tuple[type[hs.Policy], ...] = (
    hs.EpsilonGreedy, hs.EpsilonZGreedy, hs.SoftEpsilonGreedy,
    hs.UCB, hs.UCBZ, hs.SoftUCB, hs.VariablePool,
)  # fmt: skip

#: The pool has no unregulated twin: it is compared with greedy, which has nothing to tune.
PAIRS = SAME_RULE | {"variable-pool": "greedy"}

LEEDS, SHOP = "leeds_footfall_hourly.csv.gz", "online_retail_hourly.csv.gz"


@dataclass(frozen=True)
class Season:
    """One setting."""

    id: str  # A readable name
    title: str  # For figures
    G: Multiplier  # The multiplier
    arms: int  # How many arms
    between: tuple[float, float]  # Every game draws the means of its arms between these

    def rewards(self) -> Rewards:
        """Bernoulli arms."""
        return rewards.bernoulli(arms=self.arms, between=self.between)


_ALL, _SMALL, _CLICKS = (0.0, 1.0), (0.45, 0.55), (0.0, 0.1)


def formula_seasons(quick: bool = False) -> list[Season]:
    """Seasons from formulas."""
    n = 150 if quick else 3000
    wave, step, christmas = (
        multipliers.SHAPES[name](turns=n) for name in ("wave", "step", "christmas")
    )
    late, early = _peak(n, 0.9, 1.0, "late peak"), _peak(n, 0.1, 0.2, "early peak")
    return [
        Season("long-wave", "wave, many turns per arm", wave, 10, _ALL),
        Season("long-christmas", "christmas, many turns per arm", christmas, 10, _ALL),
        Season("small-gaps-wave", "wave, small gaps", wave, 10, _SMALL),
        Season("small-gaps-step", "step, small gaps", step, 10, _SMALL),
        Season("small-gaps-christmas", "christmas, small gaps", christmas, 10, _SMALL),
        Season("clicks-wave", "wave, click rates", wave, 10, _CLICKS),
        Season("late-peak", "late peak", late, 20, _ALL),
        Season("late-peak-small-gaps", "late peak, small gaps", late, 20, _SMALL),
        Season("early-peak-small-gaps", "early peak, small gaps", early, 20, _SMALL),
    ]


def _peak(turns: int, begin: float, end: float, name: str) -> Multiplier:
    """1, and 50 between two shares of the game."""
    t = np.arange(1, turns + 1)
    inside = (t > begin * turns) & (t <= end * turns)
    return Multiplier(np.where(inside, 50.0, 1.0), name=name)


def real_seasons(data: Path | None) -> tuple[list[Season], list[str]]:
    """Seasons of real traffic, and why any is missing."""
    seasons, missing = [], []
    for name, make in ((LEEDS, _leeds), (SHOP, _shop)):
        if data is None:
            missing.append(f"{name}: no --data was given")
        elif not (data / name).is_file():
            missing.append(f"{name}: not in the folder given with --data")
        else:
            seasons += list(make(data / name))
    return seasons, missing


def _leeds(path: Path) -> Iterator[Season]:
    """Footfall on Briggate; Boxing Day 2013 has the highest hour of eight years."""
    hours = multipliers.read(path, value="Briggate", floor=1.0)
    G = _named(hours.window("2013-11-15", "2014-01-05"), "Leeds hours")
    yield Season("leeds-christmas-hours", "Leeds hours, Christmas 2013", G, 10, _ALL)
    yield Season("leeds-christmas-hours-small-gaps", "Leeds hours, small gaps", G, 10, _SMALL)
    days = _named(hours.resample("1D").window("2013-01-01", "2013-12-31"), "Leeds days")
    yield Season("leeds-days", "Leeds days of 2013", days, 10, _ALL)


def _shop(path: Path) -> Iterator[Season]:
    """Order lines of a gift shop in its open hours, up to Christmas."""
    hours = multipliers.read(path, value="lines", floor=1e-9)
    season = hours.window("2011-08-01", "2011-12-09")
    opened = season.values >= 1.0
    G = multipliers.from_values(
        season.values[opened],
        None if season.calendar is None else season.calendar[opened],
        "shop hours",
    )
    yield Season("shop-hours", "shop hours, autumn 2011", G, 10, _ALL)
    yield Season("shop-hours-small-gaps", "shop hours, small gaps", G, 10, _SMALL)


def _named(G: Multiplier, name: str) -> Multiplier:
    return replace(G, name=name)
