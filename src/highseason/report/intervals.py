"""Differences with their intervals, row by row: what a study is asked at a glance."""

from __future__ import annotations

from collections.abc import Mapping

from highseason.core.formatting import with_range
from highseason.report.drawing import INK, look, style
from highseason.report.figure import Figure
from highseason.results import Estimate

_WIDE, _LEFT, _HEAD, _FOOT = 7.2, 2.55, 0.6, 0.85


def differences(
    rows: Mapping[str, Mapping[str, Estimate]], xlabel: str, title: str, limit: float | None = None
) -> Figure:
    """A row for each setting, a mark with its 95% interval for each comparison in it.

    Args:
        rows: Comparisons by name, by the setting's name; shares, drawn as percentages.
        xlabel: What is compared.
        title: Above the figure.
        limit: Cut the axis at this share on both sides; what lies beyond is in the table.

    >>> gain = Estimate(0.1, 0.01, 0.08, 0.12)
    >>> differences({"wave": {"ucb-z": gain}}, "gain, %", "Gains")
    <Figure: Gains>
    """
    names = list(dict.fromkeys(name for entries in rows.values() for name in entries))
    each = max(0.32, 0.13 * len(names))
    height = _HEAD + _FOOT + each * len(rows)
    with style():
        from matplotlib.figure import Figure as Canvas

        canvas = Canvas(figsize=(_WIDE, height))
        axes = canvas.subplots(
            gridspec_kw={
                "left": _LEFT / _WIDE, "right": 0.98, "top": 1 - _HEAD / height,
                "bottom": _FOOT / height,
            }
        )  # fmt: skip
        for place in range(0, len(rows), 2):
            axes.axhspan(place - 0.5, place + 0.5, color="#f1f4f7", linewidth=0, zorder=0)
        for i, name in enumerate(names):
            how = look(i)
            shift = (i - (len(names) - 1) / 2) * 0.8 / len(names)
            shown = [(p, e[name]) for p, e in enumerate(rows.values()) if name in e]
            axes.errorbar(
                [100 * gain.value for _, gain in shown],
                [place + shift for place, _ in shown],
                xerr=[
                    [max(0.0, 100 * (gain.value - gain.low)) for _, gain in shown],
                    [max(0.0, 100 * (gain.high - gain.value)) for _, gain in shown],
                ],
                fmt=how.marker, color=how.color, markersize=4.5, elinewidth=1.2, capsize=2,
                label=name,
            )  # fmt: skip
        axes.axvline(0, color=INK, linewidth=1.0)
        axes.set_yticks(range(len(rows)), list(rows), fontsize=8.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        if limit is not None:
            low, high = axes.get_xlim()
            axes.set_xlim(max(low, -100 * limit), min(high, 100 * limit))
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel(xlabel, fontsize=9)
        canvas.text(0.01, 1 - 0.15 / height, title, fontsize=11, fontweight="bold", va="top")
        canvas.legend(loc="lower center", ncols=min(5, len(names)), bbox_to_anchor=(0.5, 0.0))
    told = [
        f"{row}: " + ", ".join(
            f"{name} {with_range(g.value, g.low, g.high)}" for name, g in entries.items()
        )
        for row, entries in rows.items()
    ]  # fmt: skip
    return Figure(canvas, title, f"{'; '.join(told)}.")
