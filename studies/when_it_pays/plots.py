"""Heat maps: a number for each combination of two things, coloured around zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from highseason.core.text import signed_percent
from highseason.engine import Estimate
from highseason.report import palette
from highseason.report.drawing import drawing, leave_squares
from highseason.report.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PANEL, _COLUMNS = 2.4, 2
_BELOW, _ABOVE = "#c44536", "#2aa198"


class HeatMap(NamedTuple):
    """One panel.

    Attributes:
        xlabel: What the columns are.
        ylabel: What the rows are.
        columns: Their names.
        rows: Their names, the lowest first.
        cells: By row and column, a share; missing where there is none.
    """

    xlabel: str
    ylabel: str
    columns: Sequence[str]
    rows: Sequence[str]
    cells: Mapping[tuple[str, str], Estimate]


def heat_maps(panels: Sequence[HeatMap], title: str, most: float | None = None) -> Figure:
    """Panels side by side; a cell has its value in percent, bold where its interval excludes 0.

    Args:
        panels: The maps.
        title: Above the figure.
        most: The share at which colours are strongest; the largest one by default.

    >>> cells = {("few", "wave"): Estimate(0.01, 0.001, 0.008, 0.012)}
    >>> heat_maps([HeatMap("shape", "turns", ["wave"], ["few"], cells)], "Gains")
    <Figure: Gains>
    """
    values = [abs(cell.value) for panel in panels for cell in panel.cells.values()]
    top = most or max([*values, 1e-9])
    rows = -(-len(panels) // _COLUMNS)
    columns = min(_COLUMNS, len(panels))
    with drawing(title, [_PANEL] * rows, columns=columns) as (canvas, axes):
        for place, panel in zip(axes, panels, strict=False):
            _draw(place, panel, top)
        for place in axes[len(panels) :]:
            place.set_axis_off()
    return Figure(canvas, title, " ".join(map(_alt, panels)))


def _draw(axes: Axes, panel: HeatMap, most: float) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("gains", [_BELOW, "#ffffff", _ABOVE])
    values = np.full((len(panel.rows), len(panel.columns)), np.nan)
    for i, row in enumerate(panel.rows):
        for j, column in enumerate(panel.columns):
            cell = panel.cells.get((row, column))
            if cell is None:
                continue
            values[i, j] = cell.value
            clear = cell.low > 0 or cell.high < 0
            axes.text(
                j, i, f"{100 * cell.value:+.2f}", ha="center", va="center", fontsize=7.5,
                color=palette.INK, fontweight="bold" if clear else "normal",
            )  # fmt: skip
    axes.imshow(values, cmap=shades, vmin=-most, vmax=most, aspect="auto", origin="lower")
    axes.set_xticks(range(len(panel.columns)), list(panel.columns), fontsize=7.5)
    axes.set_yticks(range(len(panel.rows)), list(panel.rows), fontsize=7.5)
    axes.set_xlabel(panel.xlabel, fontsize=8.5)
    axes.set_ylabel(panel.ylabel, fontsize=8.5)
    leave_squares(axes)


def _alt(panel: HeatMap) -> str:
    parts = [
        f"{row}, {column}: {signed_percent(cell.value, 2)}"
        for (row, column), cell in panel.cells.items()
    ]
    return f"{panel.ylabel} by {panel.xlabel}: {'; '.join(parts)}."
