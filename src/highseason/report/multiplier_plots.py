"""The multiplier G over time, with its busy turns; and the time axis, which other figures share.

A turn is a step from one edge to the next.  Equal neighbours are drawn as one step, which keeps the
file of a long season small.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.formatting import counted, format_number, percent
from highseason.multipliers import Multiplier, Threshold, as_multiplier
from highseason.report import palette
from highseason.report.drawing import drawing, legend_below, number_axis
from highseason.report.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Where the highest G is this many times its median, only a logarithmic axis shows both.
_STEEP = 10.0

Numbers = NDArray[np.float64]


def edges(G: Multiplier) -> Numbers:
    """Where each turn begins and the last one ends: turn numbers, or days of the calendar."""
    if G.calendar is None:
        return np.arange(0.5, G.turns + 1.0)
    days = np.asarray(_dates().date2num(G.calendar), dtype=np.float64)
    if days.size == 1:
        return np.array([days[0], days[0] + 1.0])
    middle = (days[1:] + days[:-1]) / 2
    return np.concatenate([[2 * days[0] - middle[0]], middle, [2 * days[-1] - middle[-1]]])


def stairs(axes: Axes, values: NDArray[Any], steps: Numbers, **look: Any) -> None:
    """Draw one value per turn."""
    changes = np.flatnonzero(np.diff(values)) + 1
    starts = np.concatenate([[0], changes]).astype(np.intp)
    axes.stairs(values[starts], np.concatenate([steps[starts], steps[-1:]]), **look)


def show_time(axes: Axes, G: Multiplier) -> None:
    """Label the axis with turns, or with dates."""
    if G.calendar is None:
        axes.set_xlabel("turn")
        axes.locator_params(axis="x", integer=True)
        return
    locator = _dates().AutoDateLocator(minticks=3, maxticks=7)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(_dates().ConciseDateFormatter(locator))


def shade_busy(axes: Axes, G: Multiplier, z: float, label: str = "") -> None:
    """Shade the turns with G >= z."""
    high = (G.values >= z).astype(np.float64)
    across = axes.get_xaxis_transform()
    stairs(
        axes, high, edges(G), fill=True, color=palette.BUSY, linewidth=0, transform=across,
        zorder=0, label=label,
    )  # fmt: skip


def draw_multiplier(axes: Axes, G: Multiplier, z: float | None) -> None:
    """Draw G over time, with its threshold if there is one."""
    stairs(axes, G.values, edges(G), baseline=None, color=palette.INK, linewidth=1.2)
    axes.set_ylabel("G")
    if float(G.values.max()) > _STEEP * float(np.median(G.values)):
        axes.set_yscale("log")
        axes.set_ylabel("G (log scale)")
        axes.locator_params(axis="y", numticks=6)
    else:
        axes.set_ylim(bottom=0)
    number_axis(axes.yaxis)
    if z is not None:
        axes.axhline(z, color=palette.ACCENT, linestyle="--", linewidth=1.2, label="threshold z")
    fit(axes, G)


def fit(axes: Axes, G: Multiplier) -> None:
    """Limit the axis to the season."""
    ends = edges(G)
    margin = 0.01 * (ends[-1] - ends[0])
    axes.set_xlim(ends[0] - margin, ends[-1] + margin)


def _dates() -> Any:
    return import_module("matplotlib.dates")  # its classes carry no annotations


def multiplier(G: Any, z: float | str | None = None, title: str | None = None) -> Figure:
    """G over the turns; with a threshold, busy turns are shaded.

    Args:
        G: Anything `as_multiplier` takes.
        z: A number, a quantile ("q0.75") or a share of the highest G ("0.75*max").
        title: Above the figure.

    >>> import highseason as hs
    >>> multiplier(hs.multipliers.wave(turns=100), z=30)
    <Figure: Multiplier wave>
    """
    G = as_multiplier(G)
    level = None if z is None else Threshold.of(z).resolve(G.values)
    title = title or f"Multiplier {G.name}"
    with drawing(title, [2.5]) as (canvas, [axes]):
        if level is not None:
            shade_busy(axes, G, level, label=f"busy: G ≥ {format_number(level)}")
        draw_multiplier(axes, G, level)
        show_time(axes, G)
        if level is not None:
            axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1, ncols=2)
    return Figure(canvas, title, f"{_describe(G, level)}.")


def shapes(multipliers: Sequence[Multiplier], z: float | None = None, title: str = "") -> Figure:
    """Several multipliers side by side; with a threshold, busy turns are shaded.

    >>> import highseason as hs
    >>> shapes([hs.multipliers.wave(100), hs.multipliers.step(100)])
    <Figure: Multipliers>
    """
    title = title or ("Multipliers" if z is None else f"Multipliers, with z = {format_number(z)}")
    with drawing(title, [2.6], columns=len(multipliers), width=9.0) as (canvas, row):
        for axes, G in zip(row, multipliers, strict=True):
            if z is not None:
                shade_busy(axes, G, z, label=f"busy: G ≥ {format_number(z)}")
            draw_multiplier(axes, G, z)
            axes.set_title(G.name)
            axes.set_xlabel("turn")
        if z is not None:
            legend_below(canvas, row)
    return Figure(canvas, title, "; ".join(_describe(G, z) for G in multipliers) + ".")


def _describe(G: Multiplier, z: float | None) -> str:
    low, high = format_number(float(G.values.min())), format_number(float(G.values.max()))
    text = f"{G.name}: {counted(G.turns, 'turn')}, G from {low} to {high}"
    if z is None:
        return text
    share = percent(float((G.values >= z).mean()))
    return f"{text}, {share} of turns busy (G ≥ {format_number(z)})"
