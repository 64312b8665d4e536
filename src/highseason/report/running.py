"""Running totals over turns: the mean of many games, and the band most of them stay in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from highseason.core.formatting import format_number, percent
from highseason.report.drawing import look, panels, style
from highseason.report.figure import Figure
from highseason.report.setting import setting
from highseason.results import Curves, SimulationResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ALONE, _STACKED = 3.8, 2.5
#: More lines than this leave no room for a legend inside.
_ROOM = 6


def curves(
    result: SimulationResult,
    metric: str = "regret",
    policies: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    band: tuple[float, float] = (0.1, 0.9),
    title: str | None = None,
) -> Figure:
    """How reward or regret grows over the turns of a game: mean and quantile band.

    Args:
        result: What `simulate(…, curves=True)` gave.
        metric: "regret" or "reward".
        policies: Labels of those to show, all if None; or several panels, by title, each with
            its labels and a scale of its own.
        band: The quantiles between which the shaded band lies.
        title: Above the figure.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=60)
    >>> arms = hs.rewards.bernoulli(arms=5)
    >>> curves(hs.simulate([hs.UCB(), hs.Greedy()], arms, G, games=20, curves=True))
    <Figure: Regret so far>
    """
    found = _curve(result, metric)
    groups = _groups(result, policies)
    title = title or f"{metric.capitalize()} so far"
    with style():
        heights = [_ALONE] if len(groups) == 1 else [_STACKED] * len(groups)
        canvas, rows = panels(heights, share_x=True)
        for axes, (name, labels) in zip(rows, groups.items(), strict=True):
            _draw(axes, found, {label: result.index(label) for label in labels}, band)
            axes.set_title(name or title, loc="left")
            axes.set_ylabel(metric)
            if len(labels) <= _ROOM:
                axes.legend(loc="upper left")
            else:
                axes.legend(loc="upper left", bbox_to_anchor=(0, -0.2), ncols=3)
        within = f"band: {percent(band[0])} to {percent(band[1])} of the games"
        rows[-1].set_xlabel(f"turn   ({within})")
        canvas.supxlabel(setting(result), fontsize=8)
        if len(groups) > 1:
            canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return Figure(canvas, title, _words(found, result, groups, metric))


def _curve(result: SimulationResult, metric: str) -> Curves:
    if not result.curves:
        raise ValueError("this result has no curves: simulate with curves=True (or --curves)")
    if metric not in result.curves:
        raise ValueError(f"metric={metric!r} must be one of {', '.join(result.curves)}")
    return result.curves[metric]


def _groups(
    result: SimulationResult, policies: Sequence[str] | Mapping[str, Sequence[str]] | None
) -> dict[str, Sequence[str]]:
    if isinstance(policies, Mapping):
        return dict(policies)
    return {"": result.policies if policies is None else policies}


def _draw(axes: Axes, found: Curves, lines: dict[str, int], band: tuple[float, float]) -> None:
    low, high = (found.quantile(q) for q in band)
    mean = found.mean
    spacing = max(1, found.turns.size // 8)
    for place, (label, i) in enumerate(lines.items()):
        how = look(place)
        axes.fill_between(found.turns, low[i], high[i], color=how.color, alpha=0.13, linewidth=0)
        axes.plot(
            found.turns, mean[i], how.line, color=how.color, marker=how.marker, markersize=5,
            # Staggered, so that markers of lines that run together do not hide each other.
            markevery=(place * spacing // max(1, len(lines)), spacing), linewidth=1.7, label=label,
        )  # fmt: skip
    axes.set_ylim(bottom=min(0.0, float(np.min(mean))))
    axes.margins(x=0.02)
    axes.yaxis.set_major_formatter(lambda value, _: format_number(value))


def _words(
    found: Curves, result: SimulationResult, groups: dict[str, Sequence[str]], metric: str
) -> str:
    shown = dict.fromkeys(label for labels in groups.values() for label in labels)
    told = [f"{label} {format_number(found.mean[result.index(label), -1])}" for label in shown]
    return f"Mean {metric} after the last turn: {', '.join(told)}."
