"""Changes in percent, by policy and by what was changed: a mark and its interval each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from highseason.core.formatting import signed_percent
from highseason.report.drawing import INK, look, panels, style
from highseason.report.figure import Figure
from highseason.results import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _FRAME = 0.62, 0.75

Changes = Mapping[tuple[str, str], Estimate]


def changes(quantities: Mapping[str, Changes], title: str, small_print: str = "") -> Figure:
    """One panel a quantity; in it a row a policy, and a mark for every way of knowing.

    Args:
        quantities: By its name, the changes of a quantity as shares, by (policy, way).
        title: Above the figure.
        small_print: Under it.

    >>> from highseason.results import with_interval
    >>> lost = {("ucb-z", "random walk"): with_interval(-0.1, 0.01)}
    >>> changes({"Change of the reward": lost}, "A")
    <Figure: A>
    """
    first = next(iter(quantities.values()))
    rows = list(dict.fromkeys(policy for policy, _ in first))
    ways = list(dict.fromkeys(way for _, way in first))
    with style():
        canvas, axes = panels([_FRAME + _ROW * len(rows)] * len(quantities))
        for panel, (name, found) in zip(axes, quantities.items(), strict=True):
            _draw(panel, found, rows, ways)
            panel.set_title(name)
        axes[-1].set_xlabel(small_print, fontsize=8)
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        handles, labels = axes[0].get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside lower center", ncols=2)
    return Figure(canvas, title, _words(quantities))


def _draw(axes: Axes, found: Changes, rows: list[str], ways: list[str]) -> None:
    for j, way in enumerate(ways):
        line = look(j)
        offset = 0.72 * ((j + 0.5) / len(ways) - 0.5)
        here = [(i, found[row, way]) for i, row in enumerate(rows) if (row, way) in found]
        values = [100 * e.value for _, e in here]
        widths = [[100 * (e.value - e.low) for _, e in here],
                  [100 * (e.high - e.value) for _, e in here]]  # fmt: skip
        axes.errorbar(
            values, [i + offset for i, _ in here], xerr=widths, fmt=line.marker, color=line.color,
            markersize=4.5, elinewidth=1.0, label=way,
        )  # fmt: skip
    axes.axvline(0, color=INK, linewidth=1.0)
    for i in range(1, len(rows)):
        axes.axhline(i - 0.5, color="#dde2e8", linewidth=0.8)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:+.0f}%" if value else "0%")


def _words(quantities: Mapping[str, Changes]) -> str:
    told = []
    for name, found in quantities.items():
        worst = max(found.items(), key=lambda entry: abs(entry[1].value))
        (policy, way), estimate = worst
        told.append(f"{name}: the largest is {signed_percent(estimate.value)}, {policy} with {way}")
    return f"{'. '.join(told)}."
