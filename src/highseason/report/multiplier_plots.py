"""The multiplier G over time, with its busy turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from highseason.core.formatting import counted, format_number, percent
from highseason.multipliers import Multiplier, Threshold, as_multiplier
from highseason.report.drawing import drawing, legend_below
from highseason.report.figure import Figure
from highseason.report.time_axis import draw_multiplier, shade_busy, show_time


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
