"""From results to numbers: one record for each policy in each setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from highseason.results import Estimate, SimulationResult, ratio_gain
from highseason.studies.simulated.settings import BASELINES, Setting, names

#: Results by profile, and in each by setting.
Results = Mapping[str, Mapping[Setting, SimulationResult]]


def records(results: Results) -> list[dict[str, Any]]:
    """All numbers, in the order played."""
    return [
        _record(profile, setting, result, i)
        for profile, found in results.items()
        for setting, result in found.items()
        for i in range(len(result.policies))
    ]


def _record(profile: str, setting: Setting, result: SimulationResult, i: int) -> dict[str, Any]:
    most = result.settings["max_reward"]
    record: dict[str, Any] = {
        "profile": profile,
        "setting": setting.id,
        "rewards": setting.law.id,
        "shape": setting.shape,
        "arms": setting.arms,
        "turns": setting.turns,
        "policy": result.policies[i],
        "parameters": result.settings["parameters"][i],
        "games": result.settings["games"],
        "seed": result.settings["seed"],
    }
    for metric in ("reward", "regret", "exploited", "best_pulls"):
        record[f"{metric}_mean"] = result.mean(metric, i)
        record[f"{metric}_se"] = result.error(metric, i)
    record["reward_share"] = result.mean("reward", i) / most
    record["exploited_share"] = result.exploited_share(i)
    for base in names(BASELINES):
        told = f"gain_over_{base.replace('-', '_')}"
        record |= _estimate(told, result.gain(i, base))
        record |= _estimate(f"paired_{told}", paired_gain(result, i, base))
    return record | _estimate("gain_over_greedy", result.gain(i, "greedy"))


def _estimate(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def paired_gain(result: SimulationResult, policy: int, base: str) -> Estimate:
    """The mean over games of the ratio of rewards, less 1 (the ratio of means weighs games)."""
    from highseason.results import Moments, with_interval

    if result.games is None:
        return ratio_gain(result.moments["reward"], policy, result.index(base))
    rewards = result.games["reward"]
    ratios = Moments.of((rewards[policy] / rewards[result.index(base)] - 1.0)[None, :])
    return with_interval(float(ratios.mean[0]), float(ratios.error[0]))


def sign(estimate: Estimate) -> int:
    """1 or -1 where the 95% interval lies on one side of zero, else 0."""
    return int(estimate.low > 0) - int(estimate.high < 0)


def published(found: Mapping[Setting, SimulationResult]) -> dict[Setting, SimulationResult]:
    """The settings that the paper has."""
    return {setting: result for setting, result in found.items() if setting.law.published}


def tally(estimates: Sequence[Estimate]) -> tuple[int, int, int]:
    """How many are clearly above zero, unclear, and clearly below."""
    signs = [sign(estimate) for estimate in estimates]
    return signs.count(1), signs.count(0), signs.count(-1)
