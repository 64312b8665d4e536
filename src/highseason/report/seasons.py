"""The stakes behind other panels: a time axis, the busy turns in colour, and G itself."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.multipliers import Multiplier
from highseason.report.drawing import ACCENT, BUSY, INK
from highseason.report.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Where the highest G exceeds its median this many times, only a logarithm shows both.
_STEEP = 10.0


def time_axis(G: Multiplier) -> NDArray[Any]:
    """When each turn is: a date where there is a calendar, else its number."""
    return np.arange(1, G.turns + 1) if G.calendar is None else G.calendar


def show_time(axes: Axes, G: Multiplier) -> None:
    """Write turns, or dates, along the lowest axis."""
    if G.calendar is None:
        axes.set_xlabel("turn")
        axes.locator_params(axis="x", integer=True)
        return
    dates: Any = import_module("matplotlib.dates")  # its classes carry no annotations
    locator = dates.AutoDateLocator(minticks=3, maxticks=7)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))


def shade_busy(axes: Axes, G: Multiplier, z: float, label: str = "") -> None:
    """Colour the turns with G >= z from top to bottom."""
    axes.fill_between(
        time_axis(G), 0.0, 1.0, where=list(G.values >= z), step="mid", color=BUSY, linewidth=0,
        transform=axes.get_xaxis_transform(), zorder=0, label=label,
    )  # fmt: skip


def draw_stakes(axes: Axes, G: Multiplier, z: float | None) -> None:
    """G over time, with the threshold where there is one."""
    axes.step(time_axis(G), G.values, where="mid", color=INK, linewidth=1.2)
    axes.set_ylabel("G")
    if float(G.values.max()) > _STEEP * float(np.median(G.values)):
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _: number(value))
    axes.margins(x=0.01)
    if z is not None:
        axes.axhline(z, color=ACCENT, linestyle="--", linewidth=1.2)
