"""Estimates with their intervals: gains, differences and doses, one mark each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from highseason.core.text import with_range
from highseason.engine import Estimate
from highseason.report import palette
from highseason.report.drawing import drawing, legend_below, name_rows
from highseason.report.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Estimates by row and series.
Rows = Mapping[str, Mapping[str, Estimate]]
#: Places along an axis, each with its estimate.
Points = Sequence[tuple[float, Estimate]]

_WIDE, _BAND = 7.2, "#f1f4f7"


def draw_intervals(
    axes: Axes,
    series: Mapping[str, Points],
    upright: bool = False,
    joined: bool = False,
    faded: Collection[str] = (),
    spread: float = 0.8,
) -> None:
    """Draw a mark with its interval for each estimate, a share drawn as a percentage.

    Values run to the right, or upwards (`upright`).  Series at the same place stand side by side
    and share the distance `spread`; a line may join their marks; some are `faded` to grey.
    """
    for i, (name, points) in enumerate(series.items()):
        grey = name in faded
        how = palette.look(i)._replace(**{"color": palette.FADED} if grey else {})
        shift = (i - (len(series) - 1) / 2) * spread / len(series)
        places = [place + shift for place, _ in points]
        values = [100 * estimate.value for _, estimate in points]
        # A single game has no error; its interval is drawn as none.
        ends = [(e.value - e.low, e.high - e.value) for _, e in points]
        widths = [[max(0.0, 100 * width) for width in side] for side in zip(*ends, strict=True)]
        x, y = (places, values) if upright else (values, places)
        axes.errorbar(
            x, y, widths if upright else None, None if upright else widths, fmt=how.marker,
            linestyle=how.line if joined else "none",
            color=how.color, linewidth=1.0, elinewidth=1.1,
            markerfacecolor="white" if grey else how.color, markersize=4.6, capsize=2, label=name,
            zorder=1.5 if grey else 2.5,
        )  # fmt: skip
    (axes.axhline if upright else axes.axvline)(0, color=palette.INK, linewidth=1.0)


def interval_plot(rows: Rows, xlabel: str, title: str, limit: float | None = None) -> Figure:
    """A row per setting, and in it a mark with its 95% interval per comparison.

    Args:
        rows: Comparisons by name, by the setting's name; shares, drawn as percentages.
        xlabel: What is compared.
        title: Above the figure.
        limit: Cut the axis at this share on both sides.

    >>> gain = Estimate(0.1, 0.01, 0.08, 0.12)
    >>> interval_plot({"wave": {"ucb-z": gain}}, "gain, %", "Gains")
    <Figure: Gains>
    """
    return interval_panels({"": rows}, xlabel, title, limit)


def interval_panels(
    panels: Mapping[str, Rows], xlabel: str, title: str, limit: float | None = None
) -> Figure:
    """Several of these plots one below the other, by title; see `interval_plot`."""
    names = list(dict.fromkeys(n for rows in panels.values() for row in rows.values() for n in row))
    each = max(0.32, 0.13 * len(names))
    heights = [0.6 + each * len(rows) for rows in panels.values()]
    heights[-1] += 0.6  # the label of the axis, and the legend
    with drawing(title, heights, width=_WIDE) as (canvas, axes):
        for panel, (name, rows) in zip(axes, panels.items(), strict=True):
            for place in range(0, len(rows), 2):
                panel.axhspan(place - 0.5, place + 0.5, color=_BAND, linewidth=0, zorder=0)
            places = list(enumerate(rows.values()))
            draw_intervals(
                panel, {n: [(i, row[n]) for i, row in places if n in row] for n in names}
            )
            name_rows(panel, list(rows))
            panel.set_title(name)
            panel.xaxis.set_major_formatter(lambda value, _: f"{value:+g}%" if value else "0%")
            if limit is not None:
                low, high = panel.get_xlim()
                panel.set_xlim(max(low, -100 * limit), min(high, 100 * limit))
        axes[-1].set_xlabel(xlabel, fontsize=9)
        legend_below(canvas, axes, columns=min(4, len(names)))
    return Figure(canvas, title, " ".join(map(_rows_alt, panels, panels.values())))


def _rows_alt(panel: str, rows: Rows) -> str:
    parts = []
    for row, series in rows.items():
        texts = (f"{name} {with_range(e.value, e.low, e.high)}" for name, e in series.items())
        parts.append(f"{row}: {', '.join(texts)}")
    return f"{f'{panel}: ' if panel else ''}{'; '.join(parts)}."
