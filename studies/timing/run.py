"""Tune every policy alike in every season, play other games, and compare.

Seasons are those in which timing could matter: many turns per arm, small gaps, late peaks, real
traffic.  They were chosen before anything was played, and none was left out afterwards.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import highseason as hs
from highseason import multipliers, rewards
from highseason.multipliers import Multiplier
from highseason.results import Estimate, SimulationResult, ratio_gain
from highseason.rewards import Rewards
from highseason.tuning import Budget, derive_seed
from studies.frames import columns, negated, policy_columns
from studies.paper import PAIRS
from studies.session import StudySession, TuningTask, describe_tuning
from studies.study import Results

#: Games, and what every policy may spend on tuning per season, whatever it has to tune.
FULL, QUICK = (1000, Budget.halving(24, games=270)), (20, Budget.halving(5, games=20))

TUNED: tuple[type[hs.Policy], ...] = (
    hs.EpsilonGreedy, hs.EpsilonZGreedy, hs.SoftEpsilonGreedy,
    hs.UCB, hs.UCBZ, hs.SoftUCB, hs.VariablePool,
)  # fmt: skip

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
    G = replace(hours.window("2013-11-15", "2014-01-05"), name="Leeds hours")
    yield Season("leeds-christmas-hours", "Leeds hours, Christmas 2013", G, 10, _ALL)
    yield Season("leeds-christmas-hours-small-gaps", "Leeds hours, small gaps", G, 10, _SMALL)
    days = hours.resample("1D").window("2013-01-01", "2013-12-31")
    yield Season("leeds-days", "Leeds days of 2013", replace(days, name="Leeds days"), 10, _ALL)


def _shop(path: Path) -> Iterator[Season]:
    """Order lines of a gift shop in its open hours, up to Christmas."""
    hours = multipliers.read(path, value="lines", floor=1e-9)
    season = hours.window("2011-08-01", "2011-12-09")
    opened = season.values >= 1.0
    calendar = None if season.calendar is None else season.calendar[opened]
    G = multipliers.from_values(season.values[opened], calendar, "shop hours")
    yield Season("shop-hours", "shop hours, autumn 2011", G, 10, _ALL)
    yield Season("shop-hours-small-gaps", "shop hours, small gaps", G, 10, _SMALL)


@dataclass(frozen=True, eq=False)
class TimingResults(Results):
    """The frame `numbers` has a row for each policy in each season."""

    seasons: list[Season]  # What was played
    missing: list[str]  # Why real traffic is missing, if it is


def run(session: StudySession) -> TimingResults:
    """Play all seasons."""
    games, budget = QUICK if session.quick else FULL
    games = session.games or games
    real, missing = real_seasons(session.data)
    seasons = [*formula_seasons(session.quick), *real]
    session.expect(2 * len(seasons))
    rows = []
    for season in seasons:
        own = derive_seed(session.seed, season.id)  # no two seasons share their luck
        setting = season.rewards(), season.G
        task = TuningTask(f"tuning/{season.id}", TUNED, *setting, budget, own)
        players = {**session.tune_many([task])[0], "greedy": hs.Greedy()}
        result = session.simulate(season.id, players, *setting, games, own)
        rows += [_row(season, result, i) for i in range(len(players))]
    facts = {
        "games per season": f"{games:,}",
        "tuning, per policy and season": describe_tuning(budget),
    }
    return TimingResults({"numbers": pd.DataFrame(rows)}, games, facts, seasons, missing)


def _row(season: Season, result: SimulationResult, i: int) -> dict[str, Any]:
    """A policy, and its gain over the same rule unregulated."""
    base = PAIRS.get(result.policies[i], "")
    return {
        "season": season.id, "title": season.title, "arms": season.arms, "turns": season.G.turns,
        **policy_columns(result, i, "reward", "regret", "exploited"),
        "against": base,
        **columns("reward_gain", result.gain(i, base) if base else None),
        **columns("regret_saved", regret_saved(result, i, base) if base else None),
    }  # fmt: skip


def regret_saved(result: SimulationResult, policy: str | int, base: str) -> Estimate:
    """What share of the regret of `base` `policy` saves."""
    regret = result.moments["regret"]
    return negated(ratio_gain(regret, result.index(policy), result.index(base)))
