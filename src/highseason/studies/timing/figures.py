"""The figures of the study of timing."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from highseason.multipliers import SHAPES
from highseason.report import Figure, interval_plot, shapes
from highseason.studies.frames import estimates
from highseason.studies.timing.run import TimingResults
from highseason.studies.timing.settings import PAIRS, SAME_RULE

_PER_FIGURE = 3


def figures(results: TimingResults) -> dict[str, Callable[[], Figure]]:
    """How to draw each figure, by file name."""
    numbers = results.frames["numbers"]
    drawings: dict[str, Callable[[], Figure]] = {
        "reward-gains": lambda: interval_plot(
            estimates(_some(numbers, SAME_RULE), "reward_gain"),
            "change of mean reward against the same rule unregulated",
            "What regulating gains at equal tuning",
        ),
        "regret-saved": lambda: interval_plot(
            estimates(_some(numbers, PAIRS), "regret_saved"),
            "share of the regret saved against the same rule unregulated",
            "What regulating saves at equal tuning",
            limit=1.0,
        ),
    }
    ours = list({s.G.name: s.G for s in results.seasons if s.G.name not in SHAPES}.values())
    for start in range(0, len(ours), _PER_FIGURE):
        some = ours[start : start + _PER_FIGURE]
        drawings[f"multipliers-{start // _PER_FIGURE + 1}"] = lambda some=some: shapes(some)  # type: ignore[misc]  # a default binds the loop's value
    return drawings


def _some(numbers: pd.DataFrame, policies: Iterable[str]) -> pd.DataFrame:
    return numbers[numbers.policy.isin(list(policies))]
