"""What the estimators change, what that says of the paper's claim, and its figures."""

from functools import partial
from typing import Any

import pandas as pd

from highseason.core.text import percent
from highseason.engine import Estimate
from highseason.report import Drawings, Figure, interval_plot
from highseason.report.interval_plots import interval_panels
from studies.frames import estimates, ranged, where
from studies.study import Findings
from studies.unknown_traffic.run import UnknownResults

#: A loss of reward up to this share counts as harmless.
HARMLESS = 0.02

HOLDS, FAILS = "holds", "not reproduced"


def findings(results: UnknownResults) -> Findings:
    """The paper's claim for each estimator, and for all of them together."""
    claims = judge(results.frames["changes"])
    if results.quick:
        line = "A quick sweep is too small to judge the paper's claim."
        return Findings([line], frames={"claims": claims.assign(verdict="not judged")})
    each = claims[claims.estimator != ""]
    failing, harmless = where(each, verdict=FAILS), where(each, verdict=HOLDS)
    summary = [
        f"The paper finds no significant difference between its six estimators and G known. Here "
        f"{len(failing)} of {len(each)} clearly cost more than {percent(HARMLESS)} of the reward "
        "somewhere.",
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
    average = where(changes, estimator="simple average")
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
    bad = int((rows.reward_high < -HARMLESS).sum())
    (worst,) = rows.nsmallest(1, "reward").itertuples()
    by = name if "smoothing" in name else f"the {name}"
    return {
        "claim": f"Estimating G by {by} makes no difference that matters.",
        "verdict": FAILS if bad else HOLDS,
        "evidence": f"{bad} of {len(rows)} comparisons clearly lose more than "
        f"{percent(HARMLESS)} of the reward; the worst is {_cell(worst)}.",
        "estimator": name,
        "worst": worst.reward,
    }


def _cell(row: Any) -> str:
    return f"{row.policy} on {row.multiplier} ({row.law}): {ranged(row, 'reward')}"


def figures(results: UnknownResults) -> Drawings:
    """How to draw each figure, by file name."""
    changes = results.frames["changes"]
    drawings: Drawings = {"changes": partial(_overall, changes)}
    for cell in results.cells:
        panels = {
            f"Change in {metric}": estimates(
                where(changes, cell=cell.id), metric, "policy", "estimator"
            )
            for metric in ("reward", "regret")
        }
        title = f"Estimated G: {cell.shape}, {cell.law.title}"
        axis = "change against G known, paired by game"
        drawings[cell.id] = partial(interval_panels, panels, axis, title)
    return drawings


def _overall(changes: pd.DataFrame) -> Figure:
    rows: dict[str, dict[str, Estimate]] = {}
    spans = changes.groupby(["estimator", "policy"], sort=False).reward.agg(["mean", "min", "max"])
    for (estimator, policy), mean, low, high in spans.itertuples():
        rows.setdefault(estimator, {})[policy] = Estimate(mean, float("nan"), low, high)
    return interval_plot(
        rows, "change in mean reward against G known", "What it costs to estimate G"
    )
