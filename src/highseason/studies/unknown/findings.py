"""What the estimators change, what that says of the paper's claim, and its figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from highseason.core.formatting import percent, with_range
from highseason.report import Figure, interval_panels, interval_plot
from highseason.results import Estimate
from highseason.studies.frames import estimates
from highseason.studies.study import Findings
from highseason.studies.unknown.run import UnknownResults

#: A loss of reward up to this share counts as harmless.
HARMLESS = 0.02

HOLDS, FAILS = "holds", "not reproduced"


def findings(results: UnknownResults) -> Findings:
    """The paper's claim for each estimator, and for all of them together."""
    claims = judge(results.frames["changes"])
    failing = claims[(claims.verdict == FAILS) & (claims.estimator != "")]
    harmless = claims[(claims.verdict == HOLDS) & (claims.estimator != "")]
    summary = [
        f"The paper finds no significant difference between its six estimators and G known. Here "
        f"{len(failing)} of {len(failing) + len(harmless)} clearly cost more than "
        f"{percent(HARMLESS)} of the reward somewhere.",
        *(
            f"The most harmful is the {row.estimator}: {row.evidence}"
            for row in failing.nsmallest(1, "worst").itertuples()
        ),
        f"Harmless everywhere: {', '.join(harmless.estimator) or 'none'}.",
    ]
    return Findings(summary, frames={"claims": claims})


def judge(changes: pd.DataFrame) -> pd.DataFrame:
    """A row for each claim: its verdict, and the evidence."""
    each = [_estimator(name, rows) for name, rows in changes.groupby("estimator", sort=False)]
    failing = sum(row["verdict"] == FAILS for row in each)
    overall = {
        "claim": "No estimator makes a significant difference (the paper, on its six figures).",
        "verdict": FAILS if failing else HOLDS,
        "evidence": f"{failing} of {len(each)} estimators fail in some cell.",
        "estimator": "",
    }
    average = changes[changes.estimator == "simple average"]
    worst = "; ".join(_cell(row) for row in average.nsmallest(3, "reward").itertuples())
    harmless = {
        "claim": "The simple average is harmless.",
        "verdict": FAILS if (average.reward_high < -HARMLESS).any() else HOLDS,
        "evidence": "It follows no season, so thresholds and soft formulas are read from the wrong "
        f"side. The worst three: {worst}.",
        "estimator": "",
    }
    return pd.DataFrame([overall, *each, harmless])


def _estimator(name: Any, rows: pd.DataFrame) -> dict[str, Any]:
    bad = rows[rows.reward_high < -HARMLESS]
    (worst,) = rows.nsmallest(1, "reward").itertuples()
    by = name if "smoothing" in name else f"the {name}"
    return {
        "claim": f"Estimating G by {by} makes no difference that matters.",
        "verdict": FAILS if len(bad) else HOLDS,
        "evidence": f"{len(bad)} of {len(rows)} comparisons clearly lose more than "
        f"{percent(HARMLESS)} of the reward; the worst is {_cell(worst)}.",
        "estimator": name,
        "worst": worst.reward,
    }


def _cell(row: Any) -> str:
    change = with_range(row.reward, row.reward_low, row.reward_high)
    return f"{row.policy} on {row.multiplier} ({row.law}): {change}"


# -- figures ---------------------------------------------------------------------------------------


def figures(results: UnknownResults) -> dict[str, Callable[[], Figure]]:
    """How to draw each figure, by file name."""
    changes = results.frames["changes"]
    drawings: dict[str, Callable[[], Figure]] = {"changes": lambda: _overall(changes)}
    for cell in results.cells:
        rows = changes[changes.cell == cell.id]
        title = f"Estimated G: {cell.multiplier}, {cell.law}"
        drawings[cell.id] = lambda rows=rows, title=title: _panels(rows, title)  # type: ignore[misc]  # defaults bind the loop's values
    return drawings


def _panels(rows: pd.DataFrame, title: str) -> Figure:
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
