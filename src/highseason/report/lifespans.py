"""Lifetimes of arms as bars over time, and the stretch that was chosen among them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from highseason.core.formatting import counted, format_number
from highseason.report.drawing import ACCENT, BUSY, DARK, INK, MUTED, one_legend, panels, style
from highseason.report.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from highseason.logs import Lifespans, Slice

_HEIGHT, _ROW, _MOST = 2.4, 0.02, 7.0
#: Times from here on are taken for seconds of the Unix epoch: the year 1990.
_EPOCH = 631_152_000


def lifespans(
    lifetimes: Lifespans, chosen: Slice | None = None, title: str | None = None
) -> Figure:
    """A bar for each arm, from birth to death; the chosen stretch is shaded, its arms stand out.

    Args:
        lifetimes: What `replay.lifespans` found.
        chosen: A stretch, as `replay.best_slice` finds it.
        title: Above the figure.

    >>> import highseason as hs
    >>> log = hs.logs.generate_events(0.02, seed=1).events
    >>> lifetimes = hs.logs.lifespans(log)
    >>> lifespans(lifetimes, hs.logs.best_slice(lifetimes, least_arms=5))
    <Figure: When each arm was on offer>
    """
    title = title or "When each arm was on offer"
    start = int(lifetimes.birth.min()) if len(lifetimes) else 0
    with style():
        canvas, (axes,) = panels([min(_MOST, _HEIGHT + _ROW * len(lifetimes))])
        _draw(axes, lifetimes, start, chosen)
        axes.set_title(title, loc="left")
        axes.set_ylabel("arm, in the order of birth")
        axes.set_xlabel(f"hours{_since(start)}")
        axes.grid(visible=False, axis="y")
        axes.margins(x=0.01, y=0.01)
        if chosen is not None:
            one_legend(canvas, [axes])
    return Figure(canvas, title, _words(lifetimes, chosen))


def _draw(axes: Axes, lifetimes: Lifespans, start: int, chosen: Slice | None) -> None:
    through = set(chosen.arms if chosen is not None else ())
    colors = [
        ACCENT if arm in through else DARK if not through else MUTED for arm in lifetimes.arms
    ]
    births, deaths = (lifetimes.birth - start) / 3600, (lifetimes.death - start) / 3600
    if chosen is not None:
        ends = [(time - start) / 3600 for time in (chosen.start, chosen.end)]
        told = f"{counted(len(chosen.arms), 'arm')} for {chosen.hours:.1f} hours"
        axes.axvspan(*ends, color=BUSY, alpha=0.6, linewidth=0, zorder=0, label=told)
        for end in ends:
            axes.axvline(end, color=INK, linewidth=0.8, linestyle="--")
    thickness = max(0.5, min(3.0, 150 / max(1, len(lifetimes))))
    axes.hlines(range(len(lifetimes)), births, deaths, colors=colors, linewidth=thickness)


def _since(start: int) -> str:
    if start < _EPOCH:
        return " since the log began" if start else ""
    return f" since {datetime.fromtimestamp(start, UTC):%Y-%m-%d %H:%M} UTC"


def _words(lifetimes: Lifespans, chosen: Slice | None) -> str:
    if not len(lifetimes):
        return "No arm was ever on offer."
    hours = sorted(lifetimes.hours.tolist())
    middle = hours[len(hours) // 2]
    told = f"{counted(len(lifetimes), 'arm')}; half of them on offer for {format_number(middle)} hours or less"
    if chosen is None:
        return f"{told}."
    return f"{told}. Chosen: {counted(len(chosen.arms), 'arm')} for {chosen.hours:.2f} hours."
