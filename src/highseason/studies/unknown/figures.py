"""The paper's figures of an estimated G, and one for all of them."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from highseason.report import Figure, interval_panels, interval_plot
from highseason.results import Estimate
from highseason.studies.frames import estimates
from highseason.studies.unknown.run import UnknownResults


def figures(results: UnknownResults) -> dict[str, Callable[[], Figure]]:
    """How to draw each figure, by file name."""
    changes = results.frames["changes"]
    drawings: dict[str, Callable[[], Figure]] = {"changes": lambda: _overall(changes)}
    for cell in results.cells:
        rows = changes[changes.cell == cell.id]
        title = f"Estimated G: {cell.multiplier}, {cell.law}"
        drawings[cell.id] = lambda rows=rows, title=title: _cell(rows, title)  # type: ignore[misc]  # defaults bind the loop's values
    return drawings


def _cell(rows: pd.DataFrame, title: str) -> Figure:
    panels = {
        f"Change in {metric}": estimates(rows, metric, "policy", "estimator")
        for metric in ("reward", "regret")
    }
    return interval_panels(panels, "change against G known, paired by game", title)


def _overall(changes: pd.DataFrame) -> Figure:
    rows: dict[str, dict[str, Estimate]] = {}
    spans = changes.groupby(["estimator", "policy"], sort=False).reward.agg(["mean", "min", "max"])
    for row in spans.reset_index().to_dict("records"):
        estimate = Estimate(row["mean"], float("nan"), row["min"], row["max"])
        rows.setdefault(row["estimator"], {})[row["policy"]] = estimate
    return interval_plot(
        rows, "change in mean reward against G known", "What it costs to estimate G"
    )
