"""Calendar heat maps: traffic and exploration, a square per day, a column per week."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import format_number
from highseason.policies import Plan
from highseason.report import palette
from highseason.report.drawing import drawing, leave_squares
from highseason.report.figure import Figure
from highseason.report.multiplier_plots import STEEP
from highseason.report.plan_plots import PRICE, UNIT, Plans, as_percent, ask, shown_prices
from highseason.traffic import Multiplier

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_DAY = np.timedelta64(1, "D")
_HEIGHT = 1.45


def calendar(plans: Plans, title: str | None = None) -> Figure:
    """Traffic, and how much each plan explores, on a calendar; for plans with a turn per day.

    Where that is decided during the game, what exploring costs: the cheaper, the darker.

    Args:
        plans: One plan, several, or several by label; all for the same multiplier.
        title: Above the figure.

    >>> import highseason as hs
    >>> days = np.datetime64("2025-01-01") + np.arange(90)
    >>> G = hs.traffic.from_values(100 + 50 * (np.arange(90) % 7 == 3), days)
    >>> calendar(hs.SoftUCB().plan(G, arms=4))
    <Figure: When will it explore?>
    """
    labelled, G, question, alt = ask(plans)
    days = _days(G)
    title = title or question
    with drawing(title, [_HEIGHT] * (1 + len(labelled)), sharex=True) as (canvas, rows):
        steep = float(G.values.max()) > STEEP * float(np.median(G.values))
        name = f"traffic {G.name}" + (" (log scale)" if steep else "")
        _draw(canvas, rows[0], days, G.values, name, _shades("#fdf3e1", palette.ACCENT), steep)
        for axes, (label, plan) in zip(rows[1:], labelled.items(), strict=True):
            _draw_plan(canvas, axes, days, plan, label)
        _name_months(rows[-1], days)
    return Figure(canvas, title, alt)


def _draw_plan(
    canvas: Canvas, axes: Axes, days: NDArray[np.datetime64], plan: Plan, label: str
) -> None:
    """How much each day explores, or what exploring costs on it."""
    light, price = "#eef3f9", shown_prices(plan)
    if price is None:
        shades = _shades(light, palette.DARK)
        _draw(canvas, axes, days, plan.exploration, f"exploration of {label}", shades, least=0.0)
        return
    shades, name = _shades(palette.DARK, light), f"{label}: {PRICE} (dark: cheap)"
    scale = _draw(canvas, axes, days, price, name, shades, steep=True)
    scale.ax.yaxis.set_major_formatter(as_percent)
    scale.minorticks_off()
    scale.set_label(UNIT, fontsize=8)


def _days(G: Multiplier) -> NDArray[np.datetime64]:
    """The date of each turn, which must be a day."""
    days = None if G.calendar is None else G.calendar.astype("datetime64[D]")
    if days is None or days.size < 2 or bool((np.diff(days) < _DAY).any()):
        raise ValueError(
            f"a calendar needs one turn per day with its date, which {G.name} does not have: give "
            "daily traffic with dates"
        )
    return days


def _shades(low: str, high: str) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("shades", [low, high])


def _weeks(days: NDArray[np.datetime64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The week of each day, counted from the first, and its weekday, Monday 0."""
    numbers = days.astype(np.int64)  # of days since 1970-01-01, a Thursday
    weekday = (numbers + 3) % 7
    monday = numbers - weekday
    return (monday - monday[0]) // 7, weekday


def _draw(
    canvas: Canvas, axes: Axes, days: NDArray[np.datetime64], values: NDArray[np.float64],
    name: str, shades: Any, steep: bool = False, least: float | None = None,
) -> Any:  # fmt: skip
    """One panel: a square per day; the scale beside it, from `least` or the lowest value."""
    from matplotlib.colors import LogNorm, Normalize

    week, weekday = _weeks(days)
    squares = np.full((7, int(week.max()) + 1), np.nan)
    squares[weekday, week] = values
    top = float(values.max())
    least = float(values.min()) if least is None else least
    norm = (LogNorm if steep else Normalize)(least, top if top > least else least + 1.0)
    drawn = axes.pcolormesh(squares, cmap=shades, norm=norm, edgecolors="white", linewidth=0.6)
    axes.invert_yaxis()
    axes.set_yticks([0.5, 2.5, 4.5, 6.5], ["Mon", "Wed", "Fri", "Sun"], fontsize=8)
    leave_squares(axes)
    axes.set_title(name)
    scale = canvas.colorbar(drawn, ax=axes, pad=0.01, aspect=9)
    scale.ax.tick_params(labelsize=8, length=2)
    scale.ax.yaxis.set_major_formatter(lambda value, _: format_number(value))
    scale.outline.set_visible(False)
    return scale


def _name_months(axes: Axes, days: NDArray[np.datetime64]) -> None:
    """Write each month below the week in which it begins."""
    week, _ = _weeks(days)
    months = days.astype("datetime64[M]")
    first = np.flatnonzero(np.concatenate([[True], months[1:] != months[:-1]]))
    names = [f"{m.item():%b}" + (f"\n{m.item():%Y}" if i == 0 or m.item().month == 1 else "")
             for i, m in enumerate(months[first])]  # fmt: skip
    axes.set_xticks((week[first] + 0.5).tolist(), names, fontsize=8, ha="left")
