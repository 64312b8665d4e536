"""A dose and its effect: gains with their intervals over groups of rising dose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from highseason.core.formatting import format_number, with_range
from highseason.report.drawing import INK, look, one_legend, panels, style
from highseason.report.figure import Figure
from highseason.results import Estimate

Curve = Sequence[tuple[float, Estimate]]


def dose_response(
    rows: Mapping[str, Mapping[str, Curve]], xlabel: str, ylabel: str, title: str
) -> Figure:
    """A panel for each setting, a line for each comparison: its gain at every dose.

    Args:
        rows: By the setting's name, by the comparison's: pairs of a dose and a gain (a share,
            drawn as a percentage).
        xlabel: The dose.
        ylabel: The gain.
        title: Above the figure.

    >>> curve = [(1.5, Estimate(0.0, 0.01, -0.02, 0.02)), (3.0, Estimate(0.1, 0.01, 0.08, 0.12))]
    >>> dose_response({"4 weeks": {"ucb-z": curve}}, "max / mean", "gain, %", "Gain over spread")
    <Figure: Gain over spread>
    """
    with style():
        canvas, axes = panels([0.5 + 2.2] * len(rows))
        canvas.suptitle(title, fontsize=11, fontweight="bold", x=0.01, ha="left")
        names = list(dict.fromkeys(name for curves in rows.values() for name in curves))
        for panel, (setting, curves) in zip(axes, rows.items(), strict=True):
            for name, curve in curves.items():
                i = names.index(name)
                width = max(dose for dose, _ in curve) - min(dose for dose, _ in curve)
                shift = (i - (len(names) - 1) / 2) * 0.012 * width
                panel.errorbar(
                    [dose + shift for dose, _ in curve],
                    [100 * gain.value for _, gain in curve],
                    yerr=[100 * (gain.high - gain.value) for _, gain in curve],
                    fmt=look(i).marker, linestyle=look(i).line, color=look(i).color,
                    markersize=4, linewidth=1.0, elinewidth=1.0, capsize=2, label=name,
                )  # fmt: skip
            panel.axhline(0, color=INK, linewidth=1.0)
            panel.set_title(setting)
            panel.set_ylabel(ylabel, fontsize=9)
        axes[-1].set_xlabel(xlabel, fontsize=9)
        one_legend(canvas, axes, columns=-(-len(names) // 2))
    told = [
        f"{setting}, {name}: "
        + ", ".join(
            f"{with_range(g.value, g.low, g.high)} at {format_number(dose)}" for dose, g in curve
        )
        for setting, curves in rows.items()
        for name, curve in curves.items()
    ]
    return Figure(canvas, title, f"{'; '.join(told)}.")
