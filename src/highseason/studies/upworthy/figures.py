"""The figures of the study on real outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from highseason.report import Figure, deck_game, dose_response, interval_plot
from highseason.results import Estimate
from highseason.studies.frames import estimate, estimates
from highseason.studies.upworthy.run import UpworthyResults
from highseason.studies.upworthy.settings import PAIRS, SAME_RULE, default


def figures(results: UpworthyResults) -> dict[str, Callable[[], Figure]]:
    """How to draw each figure, by file name."""
    numbers = results.frames["numbers"]
    alike = {policy: policy for policy in SAME_RULE}
    return {
        "reward-gains": lambda: interval_plot(
            estimates(_some(numbers, alike), "reward_gain"),
            "change of clicks against the same rule unregulated",
            "What regulating gains at equal tuning",
        ),
        "regret-saved": lambda: interval_plot(
            estimates(_some(numbers, alike), "regret_saved"),
            "share of the regret saved against the same rule unregulated",
            "What regulating saves at equal tuning",
        ),
        "defaults": lambda: interval_plot(
            estimates(_some(numbers, {default(policy): policy for policy in PAIRS}), "reward_gain"),
            "change of clicks against the rule unregulated (the pool: greedy)",
            "The same without tuning, with the defaults",
        ),
        "doses": lambda: dose_response(
            _curves(results.frames["doses"]),
            "spread of G in the window: greatest over mean",
            "clicks gained, %",
            "Gain against the spread of G",
        ),
        "example": lambda: _example(results),
    }


def _some(numbers: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """The rows of some policies, under other names."""
    some = numbers[numbers.policy.isin(list(labels))]
    return some.assign(policy=some.policy.map(dict(labels)))


def _curves(doses: pd.DataFrame) -> dict[str, dict[str, list[tuple[float, Estimate]]]]:
    curves: dict[str, dict[str, list[tuple[float, Estimate]]]] = {}
    for row in doses[doses.whole & doses.policy.isin(list(SAME_RULE))].to_dict("records"):
        points = curves.setdefault(row["title"], {}).setdefault(row["policy"], [])
        points.append((row["spread_mean"], estimate(row, "reward_gain")))
    return curves


def _example(results: UpworthyResults) -> Figure:
    """The first game played: the halves are in random order, so any test may be it."""
    test, G = results.example
    decks = results.archive.decks
    arms = int(decks.arms[test])
    return deck_game(
        decks.cards[test, :arms].tolist(),
        decks.ones[test, :arms].tolist(),
        G,
        f"One game: test {decks.names[test]}",
    )
