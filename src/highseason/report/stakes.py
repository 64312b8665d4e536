"""The multiplier: what is at stake in each turn, and which turns are high."""

from __future__ import annotations

from typing import Any

import numpy as np

from highseason.core.formatting import counted, format_number, percent
from highseason.multipliers import Multiplier, Threshold, as_multiplier
from highseason.report.drawing import panels, style
from highseason.report.figure import Figure
from highseason.report.seasons import draw_stakes, shade_busy, show_time

_HEIGHT = 2.3


def multiplier(G: Any, z: float | str | None = None, title: str | None = None) -> Figure:
    """G over the turns; with a threshold, the high turns in colour.

    Args:
        G: Anything `as_multiplier` takes.
        z: A number, a quantile ("q0.75") or a share of the highest G ("0.75*max").
        title: Above the figure.

    >>> import highseason as hs
    >>> multiplier(hs.multipliers.wave(turns=100), z=30)
    <Figure: The stakes: wave>
    """
    G = as_multiplier(G)
    level = None if z is None else Threshold.of(z).resolve(G.values)
    title = title or f"The stakes: {G.name}"
    with style():
        canvas, (axes,) = panels([_HEIGHT])
        if level is not None:
            shade_busy(axes, G, level, label=f"high: G ≥ {format_number(level)}")
        draw_stakes(axes, G, level)
        show_time(axes, G)
        axes.set_title(title, loc="left")
        if level is not None:
            axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1)
    return Figure(canvas, title, _words(G, level))


def _words(G: Multiplier, z: float | None) -> str:
    low, high = format_number(float(G.values.min())), format_number(float(G.values.max()))
    text = f"The multiplier {G.name} over {counted(G.turns, 'turn')}, from {low} to {high}"
    if z is None:
        return f"{text}."
    share = float(np.mean(G.values >= z))
    return f"{text}; {percent(share)} of the turns are high (G ≥ {format_number(z)})."
