"""Plans: when each policy will explore, or when that is cheap, over time or by date; and advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import format_number
from highseason.policies import Plan
from highseason.policies.timing import favoured, prices, timing
from highseason.report import palette
from highseason.report.drawing import by_label, drawing, leave_squares, legend_below, name_rows
from highseason.report.figure import Figure
from highseason.report.interval_plots import draw_intervals
from highseason.report.multiplier_plots import (
    STEEP,
    draw_multiplier,
    edges,
    fit,
    shade_turns,
    show_time,
    stairs,
)
from highseason.traffic import Multiplier, Threshold

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_ALONE, _ROW, _MULTIPLIER = 1.6, 1.05, 1.7

Plans = Plan | Sequence[Plan] | Mapping[str, Plan]
#: What is drawn where how much a turn explores is decided during the game, and its unit.
PRICE, UNIT = "price of exploring", "% of what is to come"


def plan(plans: Plans, z: float | str | None = None, title: str | None = None) -> Figure:
    """How much each turn explores, from 0 to 1, above the multiplier; busy turns are shaded.

    Where that is decided during the game, what exploring costs.

    Args:
        plans: One plan, several, or several by label; all for the same multiplier.
        z: Turns with G >= z are busy; by default the threshold of the first plan that has one,
            else the busiest quarter.
        title: Above the figure.

    >>> import highseason as hs
    >>> G = hs.traffic.christmas(turns=300)
    >>> plan([hs.UCB().plan(G, arms=10), hs.UCBZ(z=30).plan(G, arms=10)])
    <Figure: When will they explore?>
    """
    labelled, G, question, alt = ask(plans)
    own = [drawn for drawn in labelled.values() if drawn.policy.threshold is not None]
    level = (own or list(labelled.values()))[0].busy_from
    if z is not None:
        level = Threshold.of(z).resolve(G.values)
    title = title or question
    heights = [*[_ALONE if len(labelled) == 1 else _ROW] * len(labelled), _MULTIPLIER]
    with drawing(title, heights, sharex=True) as (canvas, rows):
        for axes, (label, drawn) in zip(rows[:-1], labelled.items(), strict=True):
            shade_turns(axes, G.values >= level, edges(G))
            draw_plan(axes, drawn)
            axes.set_title(label if prices(drawn) is None else f"{label}: {PRICE} (log scale)")
        exploring = [axes for axes in rows[:-1] if axes.get_yscale() == "linear"]
        line = "threshold z" if own or z is not None else "the busiest quarter begins"
        draw_multiplier(rows[-1], G, level, shaded=True, line=line)
        rows[-1].set_title(f"multiplier {G.name}", fontweight="normal")
        show_time(rows[-1], G)
        if exploring:
            exploring[(len(exploring) - 1) // 2].set_ylabel("exploration", fontsize=9)
        legend_below(canvas, rows, columns=2)
    return Figure(canvas, title, alt)


def ask(plans: Plans) -> tuple[dict[str, Plan], Multiplier, str, str]:
    """Plans by label, their multiplier, the question that they answer, and the answer in words."""
    labelled = by_label(plans, Plan, lambda drawn: str(drawn.policy))
    G, *others = (drawn.multiplier for drawn in labelled.values())
    if any(other != G for other in others):
        raise ValueError("the plans are for different multipliers: draw each in its own figure")
    question = f"When will {'it' if len(labelled) == 1 else 'they'} explore?"
    if all(prices(drawn) is not None for drawn in labelled.values()):
        question = "When is exploring cheap?"
    alt = " ".join(f"{label}: {timing(drawn).sentence()}" for label, drawn in labelled.items())
    return labelled, G, question, alt


def draw_plan(axes: Axes, plan: Plan) -> None:
    """Draw one strip: how much each turn explores, the first round hatched, or what that costs."""
    fit(axes, plan.multiplier)
    if (price := shown_prices(plan)) is not None:
        draw_prices(axes, plan, price)
        return
    steps, first = edges(plan.multiplier), plan.first_choice
    if first:
        stairs(
            axes, plan.exploration[:first], steps[: first + 1], fill=True, linewidth=0,
            label="every arm once", **palette.EXPLORING,
        )  # fmt: skip
    if first < len(plan):
        stairs(
            axes, plan.exploration[first:], steps[first:], fill=True, facecolor=palette.DARK,
            edgecolor=palette.DARK, linewidth=0.4, label="exploration",
        )  # fmt: skip
    axes.set(ylim=(0, 1.05), yticks=[0, 1])


def draw_prices(axes: Axes, plan: Plan, price: NDArray[np.float64]) -> None:
    """Draw one strip: what exploring costs on each turn; the cheapest quarter is shaded."""
    steps = edges(plan.multiplier)
    cheap = "cheapest quarter of the turns"
    shade_turns(axes, favoured(plan), steps, cheap, color=palette.LIGHT)
    look = {"color": palette.DARK, "linewidth": 1.2, "label": f"{PRICE}, {UNIT}"}
    stairs(axes, price, steps, baseline=None, **look)
    axes.set(yscale="log", ylim=(price.min() / 1.5, 1.5))
    axes.locator_params(axis="y", numticks=4)
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(as_percent)


def shown_prices(plan: Plan) -> NDArray[np.float64] | None:
    """The prices of a plan, if it has any; all above 1, as where nothing is to come, as 1."""
    price = prices(plan)
    return None if price is None else np.minimum(price, 1.0)


def as_percent(share: float, _: object = None) -> str:
    """How a price is written."""
    return f"{format_number(100 * share)}%"


def advice(advised: Any, title: str | None = None) -> Figure:
    """How far the advised policy is ahead of each other one, above its plan and the multiplier.

    Args:
        advised: What `hs.advise` gives.
        title: Above the figure.
    """
    plan, every = advised.plan, advised.comparison.compared
    leads = {str(one.policy): one.lead for one in every if one.policy != advised.policy}
    title = title or f"Use {advised.policy}"
    heights = [1.0 + 0.36 * len(leads), 1.5, 1.5]
    with drawing(title, heights) as (canvas, [top, middle, bottom]):
        values = [100 * lead.value for lead in leads.values()]
        top.hlines(range(len(leads)), 0, values, color=palette.LIGHT, linewidth=6)
        draw_intervals(top, {"": list(enumerate(leads.values()))})
        name_rows(top, list(leads))
        top.margins(x=0.08)
        top.set_title("its lead over …")
        unit = "percentage points of the best arm's reward, 95% interval"
        top.set_xlabel(unit, fontsize=9, loc="right")  # long labels leave little room
        draw_plan(middle, plan)
        words = "when it explores\n(hatched: every arm once)"
        middle.set_title(words if prices(plan) is None else f"{PRICE} (shaded: cheap),\n{UNIT}")
        middle.tick_params(labelbottom=False)
        draw_multiplier(bottom, plan.multiplier, None)
        bottom.set_title(f"multiplier {plan.multiplier.name}")
        show_time(bottom, plan.multiplier)
        middle.sharex(bottom)
    parts = ", ".join(f"{label} by {100 * lead.value:.2f}" for label, lead in leads.items())
    alt = (
        f"{advised.policy} leads {parts} percentage points of the best arm's reward.  It "
        f"{timing(plan).sentence()}"
    )
    return Figure(canvas, title, alt)


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
        _draw(canvas, rows[0], days, G.values, name, ("#fdf3e1", palette.ACCENT), steep)
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
        name, shades = f"exploration of {label}", (light, palette.DARK)
        _draw(canvas, axes, days, plan.exploration, name, shades, least=0.0)
        return
    name = f"{label}: {PRICE} (dark: cheap)"
    scale = _draw(canvas, axes, days, price, name, (palette.DARK, light), steep=True)
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


def _weeks(days: NDArray[np.datetime64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The week of each day, counted from the first, and its weekday, Monday 0."""
    numbers = days.astype(np.int64)  # of days since 1970-01-01, a Thursday
    weekday = (numbers + 3) % 7
    monday = numbers - weekday
    return (monday - monday[0]) // 7, weekday


def _draw(
    canvas: Canvas, axes: Axes, days: NDArray[np.datetime64], values: NDArray[np.float64],
    name: str, shades: tuple[str, str], steep: bool = False, least: float | None = None,
) -> Any:  # fmt: skip
    """One panel: a square per day; the scale beside it, from `least` or the lowest value."""
    from matplotlib.colors import LinearSegmentedColormap, LogNorm, Normalize

    week, weekday = _weeks(days)
    squares = np.full((7, int(week.max()) + 1), np.nan)
    squares[weekday, week] = values
    top = float(values.max())
    least = float(values.min()) if least is None else least
    norm = (LogNorm if steep else Normalize)(least, top if top > least else least + 1.0)
    colors = LinearSegmentedColormap.from_list("shades", shades)
    drawn = axes.pcolormesh(squares, cmap=colors, norm=norm, edgecolors="white", linewidth=0.6)
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
