"""Curves: running totals over turns, and the reward as one parameter changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from highseason.core.formatting import format_number, percent, signed_percent
from highseason.core.validation import one_of
from highseason.report import palette
from highseason.report.drawing import drawing, number_axis
from highseason.report.figure import Figure, simulation_caption
from highseason.results import Curves, SimulationResult
from highseason.tuning import Curve, Tuned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ALONE, _STACKED = 3.8, 2.5
#: More lines than this leave no room for a legend inside.
_LINES_WITH_LEGEND_INSIDE = 6


def curves(
    result: SimulationResult,
    metric: str = "regret",
    policies: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    band: tuple[float, float] = (0.1, 0.9),
    title: str | None = None,
) -> Figure:
    """How reward or regret grows over the turns of a game: mean and quantile band.

    Args:
        result: What `simulate(…, curves=True)` returned.
        metric: "regret" or "reward".
        policies: The labels to show, all by default; or several panels, by title, each with its
            labels and a scale of its own.
        band: The quantiles between which the shaded band lies.
        title: Above the figure.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=60)
    >>> arms = hs.rewards.bernoulli(arms=5)
    >>> curves(hs.simulate([hs.UCB(), hs.Greedy()], arms, G, games=20, curves=True))
    <Figure: Cumulative regret>
    """
    if not result.curves:
        raise ValueError("the result has no curves: simulate with curves=True (or --curves)")
    totals = result.curves[one_of("metric", metric, result.curves)]
    groups = policies if isinstance(policies, Mapping) else {"": policies or result.policies}
    title = title or f"Cumulative {metric}"
    heights = [_ALONE] if len(groups) == 1 else [_STACKED] * len(groups)
    with drawing(title, heights, sharex=True) as (canvas, rows):
        for axes, (name, labels) in zip(rows, groups.items(), strict=True):
            _draw_totals(axes, totals, {label: result.index(label) for label in labels}, band)
            axes.set_title(name)
            axes.set_ylabel(metric)
            if len(labels) <= _LINES_WITH_LEGEND_INSIDE:
                axes.legend(loc="upper left")
            else:
                axes.legend(loc="upper left", bbox_to_anchor=(0, -0.2), ncols=3)
        rows[-1].set_xlabel(f"turn   (band: {percent(band[0])} to {percent(band[1])} of games)")
        canvas.supxlabel(simulation_caption(result), fontsize=8)
    shown = dict.fromkeys(label for labels in groups.values() for label in labels)
    parts = [f"{label} {format_number(totals.mean[result.index(label), -1])}" for label in shown]
    return Figure(canvas, title, f"Mean {metric} after the last turn: {', '.join(parts)}.")


def _draw_totals(
    axes: Axes, totals: Curves, lines: dict[str, int], band: tuple[float, float]
) -> None:
    low, high = (totals.quantile(q) for q in band)
    mean = totals.mean
    spacing = max(1, totals.turns.size // 8)
    for place, (label, i) in enumerate(lines.items()):
        how = palette.look(place)
        axes.fill_between(totals.turns, low[i], high[i], color=how.color, alpha=0.13, linewidth=0)
        axes.plot(
            totals.turns, mean[i], how.line, color=how.color, marker=how.marker, markersize=5,
            # Staggered, so that markers of lines that run together do not hide each other.
            markevery=(place * spacing // max(1, len(lines)), spacing), linewidth=1.7, label=label,
        )  # fmt: skip
    axes.set_ylim(bottom=min(0.0, float(np.min(mean))))
    axes.margins(x=0.02)
    number_axis(axes.yaxis)


def sensitivity(tuned: Tuned, title: str | None = None) -> Figure:
    """The change in mean reward as one parameter changes and the others stay as tuned.

    Args:
        tuned: What `hs.tune` returned.
        title: Above the figure.

    >>> import highseason as hs
    >>> G, arms = hs.multipliers.wave(turns=100), hs.rewards.bernoulli(arms=5)
    >>> sensitivity(hs.tune(hs.UCBZ, arms, G, trials=4, games=20, search="spread"))
    <Figure: Sensitivity of ucb-z to its parameters>
    """
    title = title or f"Sensitivity of {tuned.policy.name} to its parameters"
    with drawing(title, [2.3] * len(tuned.curves)) as (canvas, rows):
        for axes, curve in zip(rows, tuned.curves, strict=True):
            _draw_sensitivity(axes, curve, tuned)
        rows[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.1)
        canvas.supxlabel(simulation_caption(tuned.reported), fontsize=8)
    return Figure(canvas, title, " ".join(map(_sensitivity_alt, tuned.curves)))


def _draw_sensitivity(axes: Axes, curve: Curve, tuned: Tuned) -> None:
    axis = curve.axis
    shown = [i for i, value in enumerate(curve.values) if axis.kind != "log" or value > 0]
    x = [curve.values[i] for i in shown]
    low, mid, high = (
        [100 * getattr(curve.changes[i], end) for i in shown] for end in ("low", "value", "high")
    )
    axes.fill_between(
        x, low, high, color=palette.DARK, alpha=0.18, linewidth=0, label="95% interval"
    )
    axes.plot(x, mid, "-o", color=palette.DARK, markersize=4, linewidth=1.6, label="reward")
    axes.axhline(0, color=palette.MUTED, linewidth=0.8)
    if axis.kind == "log":
        axes.set_xscale("log")
    chosen = getattr(tuned.policy, axis.name)
    if axis.kind != "log" or chosen > 0:
        axes.axvline(chosen, color=palette.ACCENT, linestyle="--", linewidth=1.4, label="tuned")
    axes.set_xlabel(axis.name)
    axes.set_ylabel("reward vs. tuned, %")


def _sensitivity_alt(curve: Curve) -> str:
    worst = min(range(len(curve.values)), key=lambda i: curve.changes[i].value)
    return (
        f"{curve.axis.name} from {curve.values[0]:g} to {curve.values[-1]:g}: the reward changes "
        f"by {signed_percent(curve.changes[worst].value)} at worst, at {curve.values[worst]:g}."
    )
