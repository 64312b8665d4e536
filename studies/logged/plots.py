"""The figure of when each arm of a log was available."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from highseason.core.text import counted, format_number
from highseason.report import Figure, palette
from highseason.report.drawing import drawing, legend_below
from studies.logged.lifespans import Lifespans, Slice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Times from here on are taken for seconds of the Unix epoch: the year 1990.
_EPOCH = 631_152_000


def lifespans(
    lifetimes: Lifespans, chosen: Slice | None = None, title: str | None = None
) -> Figure:
    """A bar per arm, from its start to its end; the chosen slice is shaded, its arms stand out.

    Args:
        lifetimes: What `lifespans.lifespans` returned.
        chosen: A slice, such as `lifespans.best_slice` returns.
        title: Above the figure.

    >>> from studies.logged.generate import generate_events
    >>> from studies.logged import lifespans as search
    >>> lifetimes = search.lifespans(generate_events(0.02, seed=1).events)
    >>> lifespans(lifetimes, search.best_slice(lifetimes, least_arms=5))
    <Figure: When each arm was available>
    """
    title = title or "When each arm was available"
    with drawing(title, [min(7.0, 2.4 + 0.02 * len(lifetimes))]) as (canvas, [axes]):
        start = int(lifetimes.start.min()) if len(lifetimes) else 0
        _draw_lifespans(axes, lifetimes, start, chosen)
        since = " since the log began" if start else ""
        if start >= _EPOCH:
            since = f" since {datetime.fromtimestamp(start, UTC):%Y-%m-%d %H:%M} UTC"
        axes.set(ylabel="arm, by start", xlabel=f"hours{since}")
        axes.grid(visible=False, axis="y")
        axes.margins(x=0.01, y=0.01)
        if chosen is not None:
            legend_below(canvas, [axes])
    alt = "No arm was ever available."
    if len(lifetimes):
        hours = sorted(lifetimes.hours.tolist())
        median = format_number(hours[len(hours) // 2])
        alt = f"{counted(len(hours), 'arm')}, half of them available for {median} hours or less."
        if chosen is not None:
            alt += f" Chosen: {counted(len(chosen.arms), 'arm')} for {chosen.hours:.2f} hours."
    return Figure(canvas, title, alt)


def _draw_lifespans(axes: Axes, lifetimes: Lifespans, start: int, chosen: Slice | None) -> None:
    inside = [chosen is not None and arm in set(chosen.arms) for arm in lifetimes.arms]
    starts, ends = (lifetimes.start - start) / 3600, (lifetimes.end - start) / 3600
    if chosen is not None:
        stretch = [(time - start) / 3600 for time in (chosen.start, chosen.end)]
        size = f"{counted(len(chosen.arms), 'arm')} for {chosen.hours:.1f} hours"
        axes.axvspan(*stretch, color=palette.BUSY, alpha=0.6, linewidth=0, zorder=0, label=size)
        for time in stretch:
            axes.axvline(time, color=palette.INK, linewidth=0.8, linestyle="--")
        axes.plot([], [], color=palette.ACCENT, linewidth=3, label="available throughout")
    outside = palette.DARK if chosen is None else palette.MUTED
    colors = [palette.ACCENT if arm else outside for arm in inside]
    thickness = max(0.5, min(3.0, 150 / max(1, len(lifetimes))))
    axes.hlines(range(1, len(inside) + 1), starts, ends, colors=colors, linewidth=thickness)
