"""Ratios on a scale of factors: a mark for each setting, and their geometric mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from highseason.engine import Estimate
from highseason.report import palette
from highseason.report.drawing import drawing, legend_below, name_rows
from highseason.report.figure import Figure
from studies.crossfit import geometric_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Inches of a row and of the frame of a panel; how far marks of a row are spread.
_ROW, _FRAME, _SPREAD = 0.3, 0.62, 0.56
_TICKS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def ratio_strips(
    panels: Mapping[str, Mapping[str, Sequence[Estimate]]], xlabel: str, title: str
) -> Figure:
    """A panel per group of settings, a row per comparison, and in it a mark per setting.

    A mark is full where its 95% interval is on one side of 1.  The diamond is the geometric mean.

    Args:
        panels: Ratios by the panel's title and the row's label.
        xlabel: What is divided by what.
        title: Above the figure.

    >>> ratios = [Estimate(0.5, 0.05, 0.41, 0.61), Estimate(0.9, 0.1, 0.72, 1.12)]
    >>> ratio_strips({"wave": {"ucb": ratios}}, "regret over that of ucb", "Ratios")
    <Figure: Ratios>
    """
    heights = [_FRAME + _ROW * len(rows) for rows in panels.values()]
    heights[-1] += 0.5
    with drawing(title, heights, sharex=True) as (canvas, axes):
        for panel, (name, rows) in zip(axes, panels.items(), strict=True):
            _draw_rows(panel, list(rows.values()))
            name_rows(panel, list(rows))
            panel.set_title(name)
        axes[-1].set_xlabel(xlabel, fontsize=9)
        axes[-1].set_xticks(_TICKS, [f"{tick:g}" for tick in _TICKS])
        axes[-1].minorticks_off()
        values = [r.value for rows in panels.values() for ratios in rows.values() for r in ratios]
        axes[-1].set_xlim(0.85 * min(values), 1.15 * max(1.0, *values))
        legend_below(canvas, axes, columns=3)
    return Figure(canvas, title, " ".join(map(_alt, panels, panels.values())))


def _draw_rows(axes: Axes, rows: Sequence[Sequence[Estimate]]) -> None:
    axes.set_xscale("log")
    axes.axvline(1.0, color=palette.INK, linewidth=1.0)
    for place, ratios in enumerate(rows):
        # Spread evenly in the order of the settings: no two marks hide each other for good.
        shifts = (np.arange(len(ratios)) * 0.618 % 1.0 - 0.5) * _SPREAD
        for clear, face in ((True, palette.DARK), (False, "white")):
            shown = [
                (r.value, shift)
                for r, shift in zip(ratios, shifts, strict=True)
                if (r.low > 1.0 or r.high < 1.0) == clear
            ]
            axes.plot(
                [value for value, _ in shown], [place + shift for _, shift in shown], "o",
                markersize=3.2, markeredgewidth=0.6, color=palette.DARK, markerfacecolor=face,
                alpha=0.75, label="a setting, clear" if clear else "a setting, unclear",
            )  # fmt: skip
        mean = geometric_mean(ratios).value
        axes.plot([mean], [place], "D", color=palette.ACCENT, markersize=6, label="geometric mean")


def _alt(panel: str, rows: Mapping[str, Sequence[Estimate]]) -> str:
    parts = [
        f"{label} {geometric_mean(ratios).value:.2f} ({min(r.value for r in ratios):.2f} to "
        f"{max(r.value for r in ratios):.2f})"
        for label, ratios in rows.items()
    ]
    return f"{panel}, geometric mean and range: {', '.join(parts)}."
