"""The study's figures: the paper's four, and ours."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from highseason.logs import lifespans
from highseason.report import Figure, interval_plot, replays
from highseason.report import lifespans as draw_lifespans
from highseason.results import Estimate
from highseason.studies.frames import estimate
from highseason.studies.logged.run import Block, LoggedResults

#: The paper's names of its figures, by table.
_TITLES = {
    "epsilon": "ε-greedy policies, fixed pool",
    "ucb": "UCB policies, fixed pool",
    "mortal": "UCB policies, mortal articles",
    "contest": "The contest's heuristics",
}
_AGAINST = "clicks per turn against the unregulated policy of the table"


def figures(results: LoggedResults) -> dict[str, Callable[[], Figure]]:
    """How to draw each figure, by file name."""
    kind, frames = results.studied.kind, results.frames
    numbers = frames["numbers"]
    slice_ = next(b.dataset.slice for b in results.blocks if b.dataset.slice is not None)
    drawings: dict[str, Callable[[], Figure]] = {
        "gains": lambda: interval_plot(
            _shares(numbers[numbers.dataset != "published-slice"], "windows_difference"),
            _AGAINST,
            f"All on the same windows ({kind})",
        ),
        "lifespans": lambda: draw_lifespans(
            lifespans(results.studied.reported),
            slice_,
            f"When each article was on offer ({kind})",
        ),
        "timing": lambda: interval_plot(
            _times(frames["timing"]),
            "clicks per turn: G as it is against G shuffled",
            f"What the right times are worth ({kind})",
        ),
    }
    if "logs" in frames:
        logs = frames["logs"].assign(windows_mean=frames["logs"]["mean"])
        drawings["logs"] = lambda: interval_plot(
            _shares(logs, "gain"),
            _AGAINST,
            f"Over {logs.logs.iloc[0]} independent logs ({kind}s)",
        )
    for block in results.blocks:
        drawings[block.id] = lambda block=block: _distribution(block, kind)  # type: ignore[misc]  # a default binds the loop's value
    return drawings


def _distribution(block: Block, kind: str) -> Figure:
    title = f"{_TITLES[block.table.id]}: {block.profile} parameters"
    published = block.table.published if block.profile == "paper" else None
    return replays(block.runs, title, published, kind)


def _shares(frame: pd.DataFrame, name: str) -> dict[str, dict[str, Estimate]]:
    """Differences from the unregulated policy, as shares of its mean."""
    bases = frame[frame.policy == frame.base].set_index("block").windows_mean
    rows: dict[str, dict[str, Estimate]] = {}
    for row in frame[(frame.policy != frame.base) & (frame.policy != "uniform")].to_dict("records"):
        label = f"{_short(row['policy'])} ({row['table']})"
        rows.setdefault(label, {})[row["profile"]] = _share(
            estimate(row, name), float(bases[row["block"]])
        )
    return rows


def _times(timing: pd.DataFrame) -> dict[str, dict[str, Estimate]]:
    rows: dict[str, dict[str, Estimate]] = {}
    for row in timing[timing.dataset == "slice"].to_dict("records"):
        share = _share(estimate(row, "timing_difference"), row["mean_with_G_shuffled"])
        rows.setdefault(_short(row["policy"]), {})[row["profile"]] = share
    return rows


def _share(difference: Estimate, of: float) -> Estimate:
    """As a share; an unknown interval is drawn as none."""
    low, high = (
        difference.value if end != end else end for end in (difference.low, difference.high)
    )
    return Estimate(difference.value / of, difference.error / of, low / of, high / of)


def _short(label: str) -> str:
    return label.replace(", the code's rule", " (code)").replace(" around ucb", "+ucb")
