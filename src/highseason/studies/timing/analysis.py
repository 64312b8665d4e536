"""At equal tuning: what regulating changes, in reward and in regret, season by season."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from highseason.core.formatting import counted, with_range
from highseason.results import Estimate, SimulationResult, ratio_gain, with_interval
from highseason.studies.timing.settings import PAIRS, SAME_RULE, Season

Results = Mapping[Season, SimulationResult]


def reward_gain(result: SimulationResult, policy: str) -> Estimate:
    """By what share regulating raises the mean reward of the same rule."""
    return result.gain(policy, PAIRS[policy])


def regret_saved(result: SimulationResult, policy: str) -> Estimate:
    """What share of the same rule's regret regulating saves."""
    change = ratio_gain(result.moments["regret"], result.index(policy), result.index(PAIRS[policy]))
    return Estimate(-change.value, change.error, -change.high, -change.low)


@dataclass(frozen=True)
class Answer:
    """One policy over all seasons; the seasons have seeds of their own, so errors add up."""

    policy: str
    gain: Estimate
    saved: Estimate
    better: int
    worse: int
    seasons: int

    def sentence(self) -> str:
        """In words."""
        gain, saved = self.gain, self.saved
        alike = "both tuned alike" if self.policy in SAME_RULE else "which has nothing to tune"
        return (
            f"{self.policy} against {PAIRS[self.policy]}, {alike}: reward "
            f"{with_range(gain.value, gain.low, gain.high)}, regret "
            f"{with_range(-saved.value, -saved.high, -saved.low)} on average; clearly better in "
            f"{self.better} and clearly worse in {self.worse} of {counted(self.seasons, 'season')}."
        )


def answers(results: Results) -> list[Answer]:
    """The question of the study, answered for every regulated policy."""
    found = []
    for policy in PAIRS:
        gains = [reward_gain(result, policy) for result in results.values()]
        saved = [regret_saved(result, policy) for result in results.values()]
        found.append(
            Answer(
                policy,
                _mean(gains),
                _mean(saved),
                sum(gain.low > 0 for gain in gains),
                sum(gain.high < 0 for gain in gains),
                len(gains),
            )
        )
    return found


def _mean(estimates: list[Estimate]) -> Estimate:
    count = len(estimates)
    error = math.sqrt(sum(each.error**2 for each in estimates)) / count
    return with_interval(sum(each.value for each in estimates) / count, error)


def records(results: Results) -> list[dict[str, Any]]:
    """All numbers: a record for each policy in each season."""
    rows = []
    for season, result in results.items():
        for i, label in enumerate(result.policies):
            row: dict[str, Any] = {
                "season": season.id,
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
            base = PAIRS.get(label)
            row["against"] = base or ""
            for name, of in (("reward_gain", reward_gain), ("regret_saved", regret_saved)):
                change = of(result, label) if base else None
                for part in ("value", "low", "high"):
                    key = name if part == "value" else f"{name}_{part}"
                    row[key] = math.nan if change is None else getattr(change, part)
            rows.append(row)
    return rows
