"""Tune every policy alike in every season, play other games, and compare."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from highseason.policies import Greedy
from highseason.results import Estimate, SimulationResult, ratio_gain
from highseason.studies import frames
from highseason.studies.session import StudySession
from highseason.studies.study import Results
from highseason.studies.timing import settings
from highseason.studies.timing.settings import Season, formula_seasons, real_seasons
from highseason.tuning import Budget, derive_seed


@dataclass(frozen=True, eq=False)
class TimingResults(Results):
    """The frame `numbers` has a row for each policy in each season."""

    seasons: list[Season]  # What was played
    missing: list[str]  # Why real traffic is missing, if it is


def run(session: StudySession) -> TimingResults:
    """Play all seasons."""
    games = session.games or (settings.QUICK_GAMES if session.quick else settings.GAMES)
    budget = settings.QUICK_BUDGET if session.quick else settings.BUDGET
    real, missing = real_seasons(session.data)
    seasons = [*formula_seasons(session.quick), *real]
    session.expect(2 * len(seasons))
    rows = []
    for season in seasons:
        rows += rows_of(season, _play(session, season, games, budget))
    facts = {
        "games per season": f"{games:,}",
        "tuning, per policy and season": (
            f"{budget.trials} candidates; the finalists play {budget.games} games with other seeds"
        ),
    }
    return TimingResults({"numbers": pd.DataFrame(rows)}, games, facts, seasons, missing)


def _play(session: StudySession, season: Season, games: int, budget: Budget) -> SimulationResult:
    own = derive_seed(session.seed, season.id)  # no two seasons share their luck
    setting = season.rewards(), season.G
    tuned = session.tune_on_games(f"tuning/{season.id}", settings.TUNED, *setting, budget, own)
    players = {**tuned, "greedy": Greedy()}
    return session.simulate(season.id, players, *setting, games, own)


def rows_of(season: Season, result: SimulationResult) -> list[dict[str, Any]]:
    """A row for each policy, with its gain over the same rule unregulated."""
    rows = []
    for i, label in enumerate(result.policies):
        row: dict[str, Any] = {
            "season": season.id,
            "title": season.title,
            "arms": season.arms,
            "turns": season.G.turns,
            "policy": label,
            "parameters": result.settings["parameters"][i],
            "games": result.settings["games"],
            "seed": result.settings["seed"],
        }
        for metric in ("reward", "regret", "exploited"):
            row[f"{metric}_mean"] = result.mean(metric, i)
            row[f"{metric}_se"] = result.error(metric, i)
        row["reward_share"] = result.mean("reward", i) / result.settings["max_reward"]
        base = settings.PAIRS.get(label, "")
        row["against"] = base
        for name, change in (("reward_gain", reward_gain), ("regret_saved", regret_saved)):
            gain = change(result, label, base) if base else Estimate(*(math.nan,) * 4)
            row |= frames.columns(name, gain)
        rows.append(row)
    return rows


def reward_gain(result: SimulationResult, policy: str, base: str) -> Estimate:
    """By what share the mean reward of `policy` exceeds that of `base`."""
    return result.gain(policy, base)


def regret_saved(result: SimulationResult, policy: str, base: str) -> Estimate:
    """What share of the regret of `base` `policy` saves."""
    change = ratio_gain(result.moments["regret"], result.index(policy), result.index(base))
    return Estimate(-change.value, change.error, -change.high, -change.low)
