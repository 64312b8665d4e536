"""Simulations: mean rewards, running totals, sensitivity to parameters, and single arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import format_number, percent, signed_percent
from highseason.core.validation import one_of
from highseason.engine import Curves, SimulationResult, with_interval
from highseason.report import palette
from highseason.report.drawing import drawing, legend_below, name_rows, number_axis
from highseason.report.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
#: Inches: a row and the frame of `rewards`.
_ROW, _FRAME = 0.34, 1.35


def rewards(
    result: SimulationResult, policies: Sequence[str] | None = None, title: str | None = None
) -> Figure:
    """Mean reward of a game under each policy, with its 95% interval.

    The percentage is its share of what the best arm would have earned.

    The dark part of a bar was earned by pure exploitation, the hatched part while exploring or
    trying every arm once.  The dotted line is what the best arm would have earned.

    Args:
        result: What `simulate` returned.
        policies: The labels to show, in that order; all by default.
        title: Above the figure.

    >>> import highseason as hs
    >>> G = hs.traffic.christmas(turns=100)
    >>> result = hs.simulate([hs.UCB(), hs.UCBZ()], hs.rewards.bernoulli(arms=5), G, games=10)
    >>> rewards(result)
    <Figure: Mean reward per game>
    """
    labels = list(result.policies if policies is None else policies)
    chosen = [result.index(label) for label in labels]
    title = title or "Mean reward per game"
    with drawing(title, [_FRAME + _ROW * len(labels)]) as (canvas, [axes]):
        axes.axvline(
            result.best_reward, color=palette.ACCENT, linestyle=":", linewidth=1.6, zorder=2.1,
            label="always the best arm",
        )  # fmt: skip
        draw_reward_bars(axes, range(len(chosen)), [(result, i) for i in chosen])
        # In a column of their own, where no bar and no line crosses them.
        for place, i in enumerate(chosen):
            axes.annotate(
                percent(result.best_share(i), 1), (1.0, place), (8, 0), va="center", fontsize=9,
                xycoords=axes.get_yaxis_transform(), textcoords="offset points",
            )  # fmt: skip
        axes.annotate(
            "of best", (1.0, 1.0), (8, 4), xycoords="axes fraction", textcoords="offset points",
            fontsize=8,
        )  # fmt: skip
        name_rows(axes, labels)
        axes.margins(x=0.03)
        number_axis(axes.xaxis)
        axes.locator_params(axis="x", nbins=6)
        axes.set_xlabel(result.caption, fontsize=8)
        legend_below(canvas, [axes], columns=2)
    parts = [
        f"{result.policies[i]} {format_number(result.mean('reward', i))}, of which "
        f"{percent(result.exploited_share(i))} exploiting"
        for i in chosen
    ]
    return Figure(canvas, title, f"Mean reward by policy: {'; '.join(parts)}.")


def draw_reward_bars(
    axes: Axes, places: Sequence[float], shown: Sequence[tuple[SimulationResult, int]],
    thin: bool = False,
) -> None:  # fmt: skip
    """Draw a bar for each result and position in it, split into exploited and explored reward."""
    means, exploited = (
        np.array([result.mean(metric, i) for result, i in shown])
        for metric in ("reward", "exploited")
    )
    errors = np.array([result.error("reward", i) for result, i in shown])
    # A single game leaves the error unknown.
    ends = [with_interval(*pair).high for pair in zip(means, np.nan_to_num(errors), strict=True)]
    exploiting = {**palette.EXPLOITING, "linewidth": 0, "label": "earned exploiting"}
    _draw_bars(axes, places, np.zeros(len(shown)), exploited, **exploiting)
    exploring = {**palette.EXPLORING, "linewidth": 0.4 if thin else 0.6}
    _draw_bars(axes, places, exploited, means, **exploring, label="earned exploring")
    axes.errorbar(
        means, places, xerr=ends - means, fmt="none", ecolor=palette.INK,
        elinewidth=1.2 if thin else 1.4, capsize=1.8 if thin else 3,
        label="95% interval of the mean",
    )  # fmt: skip


def _draw_bars(
    axes: Axes, places: Sequence[float], left: Floats, right: Floats, **look: Any
) -> None:
    """Bars from `left` to `right`: one collection is drawn faster than a patch for each."""
    from matplotlib.collections import PolyCollection

    low = np.subtract(places, 0.35)
    corners = [(left, low), (right, low), (right, low + 0.7), (left, low + 0.7)]
    bars = PolyCollection(list(np.array(corners).transpose(2, 0, 1)), **look)
    bars.sticky_edges.x.extend(left.tolist())
    axes.add_collection(bars)


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
    >>> G = hs.traffic.wave(turns=60)
    >>> arms = hs.rewards.bernoulli(arms=5)
    >>> curves(hs.simulate([hs.UCB(), hs.Greedy()], arms, G, games=20, curves=True))
    <Figure: Cumulative regret>
    """
    if not result.curves:
        raise ValueError("the result has no curves: simulate with curves=True (or --curves)")
    totals = result.curves[one_of("metric", metric, result.curves)]
    groups = policies if isinstance(policies, Mapping) else {"": policies or result.policies}
    title = title or f"Cumulative {metric}"
    height = _ALONE if len(groups) == 1 else _STACKED
    with drawing(title, [height] * len(groups), sharex=True) as (canvas, rows):
        for axes, (name, labels) in zip(rows, groups.items(), strict=True):
            _draw_totals(axes, totals, {label: result.index(label) for label in labels}, band)
            axes.set(title=name, ylabel=metric)
            inside = len(labels) <= _LINES_WITH_LEGEND_INSIDE
            place: dict[str, Any] = {} if inside else {"bbox_to_anchor": (0, -0.2), "ncols": 3}
            axes.legend(loc="upper left", **place)
        rows[-1].set_xlabel(f"turn   (band: {percent(band[0])} to {percent(band[1])} of games)")
        canvas.supxlabel(result.caption, fontsize=8)
    shown = dict.fromkeys(label for labels in groups.values() for label in labels)
    parts = [f"{label} {format_number(totals.mean[result.index(label), -1])}" for label in shown]
    return Figure(canvas, title, f"Mean {metric} after the last turn: {', '.join(parts)}.")


def _draw_totals(
    axes: Axes, totals: Curves, lines: dict[str, int], band: tuple[float, float]
) -> None:
    (low, high), mean = (totals.quantile(q) for q in band), totals.mean
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


def sensitivity(tuned: Any, title: str | None = None) -> Figure:
    """The change in mean reward as one parameter changes and the others stay as tuned.

    Args:
        tuned: What `hs.tune` returned.
        title: Above the figure.

    >>> import highseason as hs
    >>> G, arms = hs.traffic.wave(turns=100), hs.rewards.bernoulli(arms=5)
    >>> sensitivity(hs.tune(hs.UCBZ, arms, G, trials=4, games=20, search="spread"))
    <Figure: Sensitivity of ucb-z to its parameters>
    """
    title = title or f"Sensitivity of {tuned.policy.name} to its parameters"
    with drawing(title, [2.3] * len(tuned.curves)) as (canvas, rows):
        for axes, curve in zip(rows, tuned.curves, strict=True):
            _draw_sensitivity(axes, curve, getattr(tuned.policy, curve.axis.name))
        rows[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.1)
        canvas.supxlabel(tuned.reported.caption, fontsize=8)
    parts = []
    for curve in tuned.curves:
        worst = int(np.argmin([change.value for change in curve.changes]))
        parts.append(
            f"{curve.axis.name} from {curve.values[0]:g} to {curve.values[-1]:g}: the reward "
            f"changes by {signed_percent(curve.changes[worst].value)} at worst, at "
            f"{curve.values[worst]:g}."
        )
    return Figure(canvas, title, " ".join(parts))


def _draw_sensitivity(axes: Axes, curve: Any, tuned: float) -> None:
    log = curve.axis.kind == "log"
    points = zip(curve.values, curve.changes, strict=True)
    shown = [(x, c.low, c.value, c.high) for x, c in points if x > 0 or not log]
    x, low, mid, high = np.array(shown).T * [[1], [100], [100], [100]]
    axes.fill_between(
        x, low, high, color=palette.DARK, alpha=0.18, linewidth=0, label="95% interval"
    )
    axes.plot(x, mid, "-o", color=palette.DARK, markersize=4, linewidth=1.6, label="reward")
    axes.axhline(0, color=palette.MUTED, linewidth=0.8)
    if log:
        axes.set_xscale("log")
    if tuned > 0 or not log:
        axes.axvline(tuned, color=palette.ACCENT, linestyle="--", linewidth=1.4, label="tuned")
    axes.set(xlabel=curve.axis.name, ylabel="reward vs. tuned, %")
