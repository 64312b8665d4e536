"""Logs: what policies earned in replay."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from highseason.core.text import counted, with_error
from highseason.report import palette
from highseason.report.drawing import drawing, legend_below, name_rows
from highseason.report.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from highseason.logs import RepeatedReplay, ReplayResult

#: Letters of a label per line.
_LABEL_WIDTH = 16


def replays(
    result: ReplayResult | RepeatedReplay,
    title: str | None = None,
    published: Mapping[str, float] | None = None,
    source: str | None = None,
) -> Figure:
    """The mean reward per turn: over the turns of one replay, or its distribution over many.

    Args:
        result: What `replay` or `replay_many` returned.
        title: Above the figure.
        published: Means to mark beside those of many runs, by label.
        source: What the log is, for a line below the figure.

    >>> import highseason as hs
    >>> log = hs.logs.Events.of(range(600), ["a", "b"] * 300, [1, 0, 0] * 200, [["a", "b"]] * 600)
    >>> replays(hs.replay(["ucb", "soft-ucb"], log))
    <Figure: Mean reward per turn so far>
    """
    from highseason.logs import RepeatedReplay  # late: most figures need no replay

    size = f"{counted(result.log.events, 'event')}, {counted(result.log.arms, 'arm')}"
    warnings = _bias_warnings(result)
    caption = "\n".join([f"{source}: {size}" if source else size, *warnings])
    runs: Sequence[Any]
    if isinstance(result, RepeatedReplay):
        runs, what = result.policies, "Mean reward per turn over the runs"
        title = title or "Mean reward per turn, by run"
        with drawing(title, [1.3 + 0.5 * len(runs)]) as (canvas, [axes]):
            _draw_runs(axes, result, published or {})
            diamond = "; diamond: published" if published else ""
            marks = f"bar: mean of all runs; dotted: random arms{diamond}"
            canvas.supxlabel(f"{marks}\n{caption}", fontsize=8)
    else:
        runs, what = result.runs, "Mean reward per turn"
        title = title or "Mean reward per turn so far"
        with drawing(title, [3.8 + 0.2 * len(runs)]) as (canvas, [axes]):
            _draw_running_means(axes, result, caption)
            legend_below(canvas, [axes], columns=1)
    means = "; ".join(f"{o.label} {with_error(o.mean.value, o.mean.error)}" for o in runs)
    alt = f"{source}. " if source else ""
    return Figure(canvas, title, " ".join([f"{alt}{what}: {means}.", *warnings]))


def _draw_running_means(axes: Axes, result: ReplayResult, caption: str) -> None:
    for i, run in enumerate(result.runs):
        if not run.turns:
            continue
        how, mean = palette.look(i), run.mean
        axes.plot(
            run.curve_turns, run.curve_means, how.line, color=how.color, linewidth=1.7,
            label=f"{run.label}  {with_error(mean.value, mean.error)} (se)",
        )  # fmt: skip
        axes.errorbar(
            run.turns, mean.value, yerr=max(0.0, mean.high - mean.value), fmt=how.marker,
            color=how.color, markersize=5, capsize=3,
        )  # fmt: skip
    baseline = result.log.baseline.value
    axes.axhline(baseline, color=palette.MUTED, linestyle=":", linewidth=1.4, label="random arms")
    turns = "matched turn   (the last with its 95% interval within this run)"
    axes.set(xlabel=f"{turns}\n{caption}", ylabel="mean reward per turn")
    if axes.get_ylim()[1] > 0 and axes.dataLim.y0 >= 0:  # rewards may be losses
        axes.set_ylim(bottom=0)


def _draw_runs(axes: Axes, result: RepeatedReplay, published: Mapping[str, float]) -> None:
    for i, runs in enumerate(result.policies):
        how = palette.look(i)
        means = runs.means[np.isfinite(runs.means)]
        # Spread over the row in the order of the runs: neighbouring windows stay neighbours.
        heights = i + np.linspace(-0.28, 0.28, means.size) if means.size > 1 else [i]
        axes.plot(means, heights, how.marker, color=how.color, alpha=0.6, markersize=3.5)
        axes.plot([runs.mean.value] * 2, [i - 0.38, i + 0.38], color=palette.INK, linewidth=2)
    axes.axvline(result.log.baseline.value, color=palette.MUTED, linestyle=":", linewidth=1.4)
    name_rows(axes, [textwrap.fill(label, _LABEL_WIDTH) for label in result.labels])
    axes.locator_params(axis="x", nbins=6)
    marked = [(published[label], i) for i, label in enumerate(result.labels) if label in published]
    if marked:
        axes.plot(
            *zip(*marked, strict=True), "D", color=palette.ACCENT, markersize=7, fillstyle="none"
        )
    axes.set_xlabel("mean reward per turn of a run")


def _bias_warnings(result: ReplayResult | RepeatedReplay) -> list[str]:
    """What a reader must know who sees nothing but the figure."""
    uniform = result.log.uniformity
    if not uniform.holds and uniform.checked == "propensity":
        return ["The log contradicts its propensities: means are biased."]
    if not uniform.holds:
        return ["The log is not uniformly random: means are biased."]
    if uniform.tilted:
        return ["The log is not uniform by its propensities: see the weighted means."]
    if any(run.overweights_small_pools for run in getattr(result, "runs", ())):
        return ["Small pools match more often: see the means per visitor (SNIPS)."]
    return []
