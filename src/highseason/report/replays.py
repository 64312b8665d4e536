"""What policies earned on a log: turn by turn in one run, or run by run in many."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from highseason.core.formatting import counted, with_error
from highseason.report.drawing import ACCENT, INK, MUTED, look, one_legend, panels, style
from highseason.report.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from highseason.replay import RepeatedReplay, ReplayResult

_HEIGHT, _FRAME, _ROW = 3.8, 1.3, 0.5
#: A line of the legend below the figure.
_ENTRY = 0.2
#: Letters of a label in a line.
_WRAPPED = 16


def replays(
    result: ReplayResult | RepeatedReplay,
    title: str | None = None,
    published: Mapping[str, float] | None = None,
    source: str | None = None,
) -> Figure:
    """The mean reward per turn: as it ran in a single replay, or its distribution over many.

    Args:
        result: What `replay` or `replay_many` gave.
        title: Above the figure.
        published: Means to be marked beside those of many runs, by label.
        source: What the log is, for a line below the figure.

    >>> import highseason as hs
    >>> log = hs.logs.generate_events(0.01, seed=1, articles=5).events
    >>> replays(hs.replay.replay(["ucb", "soft-ucb"], log))
    <Figure: Mean reward per turn so far>
    """
    from highseason.replay import RepeatedReplay  # late: most figures need no replay

    many = isinstance(result, RepeatedReplay)
    title = title or ("Mean reward per turn, run by run" if many else "Mean reward per turn so far")
    with style():
        rows = len(result.policies)
        canvas, (axes,) = panels([_FRAME + _ROW * rows if many else _HEIGHT + _ENTRY * rows])
        if isinstance(result, RepeatedReplay):
            _draw_runs(axes, result, published or {})
            canvas.supxlabel(_marks(bool(published)) + _source(result, source), fontsize=8)
        else:
            _draw_curves(axes, result, source)
            one_legend(canvas, [axes], columns=1)  # where a supxlabel would be
        canvas.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold")
    words = _words(result)
    return Figure(canvas, title, f"{source}. {words}" if source else words)


def _draw_curves(axes: Axes, result: ReplayResult, source: str | None) -> None:
    for i, found in enumerate(result.outcomes):
        if not found.turns:
            continue
        how = look(i)
        axes.plot(
            found.at, found.running, how.line, color=how.color, linewidth=1.7,
            label=f"{found.label}  {with_error(found.mean.value, found.mean.error)} (se)",
        )  # fmt: skip
        axes.errorbar(
            found.turns, found.mean.value, yerr=max(0.0, found.mean.high - found.mean.value),
            fmt=how.marker, color=how.color, markersize=5, capsize=3,
        )  # fmt: skip
    axes.axhline(
        result.log.baseline.value, color=MUTED, linestyle=":", linewidth=1.4, label="at random"
    )
    axes.set_xlabel(
        "matched turn   (the last with its 95% interval within this run)\n"
        f"{_source(result, source)}"
    )
    axes.set_ylabel("mean reward per turn")
    if axes.get_ylim()[1] > 0 and axes.dataLim.y0 >= 0:  # rewards may be losses
        axes.set_ylim(bottom=0)


def _draw_runs(axes: Axes, result: RepeatedReplay, published: Mapping[str, float]) -> None:
    for i, runs in enumerate(result.policies):
        how = look(i)
        means = runs.means[np.isfinite(runs.means)]
        # Spread over the row in the order of the runs: windows that lie side by side stay so.
        heights = i + np.linspace(-0.28, 0.28, means.size) if means.size > 1 else [i]
        axes.plot(means, heights, how.marker, color=how.color, alpha=0.45, markersize=3.5)
        axes.plot([runs.mean.value] * 2, [i - 0.38, i + 0.38], color=INK, linewidth=2)
    axes.axvline(
        result.log.baseline.value, color=MUTED, linestyle=":", linewidth=1.4, label="at random"
    )
    names = [textwrap.fill(label, _WRAPPED) for label in result.labels]
    axes.set_yticks(range(len(names)), names)
    axes.locator_params(axis="x", nbins=6)
    axes.set_ylim(len(result.policies) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    marked = [(published[label], i) for i, label in enumerate(result.labels) if label in published]
    if marked:
        axes.plot(*zip(*marked, strict=True), "D", color=ACCENT, markersize=7, fillstyle="none")
    axes.set_xlabel("mean reward per turn of a run")


def _marks(published: bool) -> str:
    """What the marks mean, for the foot of the figure."""
    also = "; diamond: published" if published else ""
    return f"bar: mean of all runs; dotted: arms at random{also}\n"


def _source(result: ReplayResult | RepeatedReplay, source: str | None) -> str:
    log = result.log
    told = f"{counted(log.events, 'record')}, {counted(log.arms, 'arm')}"
    return "\n".join([f"{source}: {told}" if source else told, *_warnings(result)])


def _warnings(result: ReplayResult | RepeatedReplay) -> list[str]:
    """What would make the means mislead whoever sees nothing but the figure."""
    from highseason.replay import ReplayResult
    from highseason.replay.diagnostics import over_weighs

    uniform = result.log.uniformity
    if not uniform.holds and uniform.checked == "propensity":
        return ["The log contradicts its propensities: means are biased."]
    if not uniform.holds:
        return ["The log is not uniformly random: means are biased."]
    if uniform.tilted:
        return ["The log is not uniform by its propensities: see the weighted means."]
    if isinstance(result, ReplayResult) and any(map(over_weighs, result.outcomes)):
        return ["Small pools match more often: see the means per visitor (SNIPS)."]
    return []


def _words(result: ReplayResult | RepeatedReplay) -> str:
    from highseason.replay import RepeatedReplay

    if isinstance(result, RepeatedReplay):
        told = [f"{r.label} {with_error(r.mean.value, r.mean.error)}" for r in result.policies]
        return " ".join(
            [f"Mean reward per turn over the runs: {'; '.join(told)}.", *_warnings(result)]
        )
    told = [f"{o.label} {with_error(o.mean.value, o.mean.error)}" for o in result.outcomes]
    return " ".join([f"Mean reward per turn: {'; '.join(told)}.", *_warnings(result)])
