"""Every figure of the paper's simulated part, by file name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import pandas as pd

from highseason import bounds, multipliers
from highseason.report import (
    Figure,
    exploration,
    increase,
    interval_plot,
    pools,
    reward_grid,
    shapes,
)
from highseason.results import Estimate, SimulationResult
from highseason.studies.simulated.run import Played, SimulatedResults
from highseason.studies.simulated.settings import (
    BASELINES,
    LAWS,
    REGULATED,
    REGULATES,
    SHAPES,
    Law,
    SimulatedSetting,
    Z,
    names,
    tuned_label,
)

#: Long enough to show each shape, short enough to tell the waves apart.
_SHOWN = 300

Drawings = dict[str, Callable[[], Figure]]


class Family(NamedTuple):
    """The settings that share a figure: a profile, a reward law, a shape."""

    profile: str
    law: Law
    shape: str

    @property
    def id(self) -> str:
        """Part of file names."""
        return f"{self.profile.replace('_', '-')}-{self.law.id}-{self.shape}"

    @property
    def title(self) -> str:
        """Part of titles."""
        return f"{self.law.title}, {self.shape}"


def families(played: Played) -> dict[Family, dict[SimulatedSetting, SimulationResult]]:
    """The results of each family, in the order of the page."""
    groups = {
        Family(profile, law, shape): {
            setting: result
            for setting, result in results.items()
            if (setting.law, setting.shape) == (law, shape)
        }
        for profile, results in played.items()
        for law in LAWS
        for shape in SHAPES
    }
    return {family: group for family, group in groups.items() if group}


def figures(results: SimulatedResults) -> Drawings:
    """How to draw each figure, by file name."""
    three = [multipliers.SHAPES[name](turns=_SHOWN) for name in SHAPES]
    pool = results.frames["pool"].estimated_mean.tolist()
    drawings: Drawings = {
        "gains": lambda: _gains(results.frames["comparisons"]),
        "multipliers": lambda: shapes(three),
        "multipliers-and-z": lambda: shapes(three, Z),
        "exploration": lambda: exploration(bounds.paper.exploration_figure()),
        "pools": lambda: pools(pool, dict(results.pool_sizes)),
    }
    for family, settings in families(results.played).items():
        for base in names(BASELINES):
            drawings[f"increase-{family.id}-over-{base}"] = _increase(family, settings, base)
        drawings[f"rewards-{family.id}"] = _rewards(family, settings)
    return drawings


def _gains(comparisons: pd.DataFrame) -> Figure:
    """The finding at a glance: gains over the published baselines, over greedy, at equal tuning."""
    published = comparisons[comparisons.published]
    first, tuned = published[published.profile != "tuned"], published[published.profile == "tuned"]
    rows: dict[str, dict[str, Estimate]] = {name: {} for name in names(REGULATED)}
    for name, row in rows.items():
        for base in (*names(BASELINES), "greedy"):
            _add(
                row,
                "over greedy" if base == "greedy" else f"over {base}, published",
                first[(first.policy == name) & (first.base == base)],
            )
        alike = tuned[(tuned.policy == name) & (tuned.base == REGULATES.get(name))]
        _add(row, "over the same rule, both tuned", alike)
    return interval_plot(
        rows,
        "gain in mean reward",
        "What regulating gains, and over what",
    )


def _add(row: dict[str, Estimate], name: str, gains: pd.DataFrame) -> None:
    if len(gains):
        low, high = float(gains.gain.min()), float(gains.gain.max())
        row[name] = Estimate(float(gains.gain.mean()), float("nan"), low, high)


def _increase(
    family: Family, settings: Mapping[SimulatedSetting, SimulationResult], base: str
) -> Callable[[], Figure]:
    by_place = {setting.axis_label: result for setting, result in settings.items()}
    there = next(iter(by_place.values())).policies
    beside = [label for label in ("greedy", *map(tuned_label, BASELINES)) if label in there]
    title = f"Increase over {base}: {family.title}"
    return lambda: increase(by_place, base, names(REGULATED), title, beside)


def _rewards(
    family: Family, settings: Mapping[SimulatedSetting, SimulationResult]
) -> Callable[[], Figure]:
    panels = {(f"{s.arms} arms", f"{s.turns} turns"): result for s, result in settings.items()}
    labels = next(iter(panels.values())).policies
    return lambda: reward_grid(panels, labels, f"Mean reward per game: {family.title}")
