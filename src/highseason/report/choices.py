"""Advice as a picture: how far the others are behind, when to explore, and the stakes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from highseason.policies import Plan
from highseason.report.drawing import ACCENT, DARK, LIGHT, MUTED, panels, style
from highseason.report.figure import Figure
from highseason.report.seasons import draw_stakes, edges, fit, show_time, stairs
from highseason.report.timing import timing
from highseason.results import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _FRAME, _PLAN, _STAKES = 0.3, 1.0, 1.3, 1.5


def choices(plan: Plan, leads: Mapping[str, Estimate], title: str | None = None) -> Figure:
    """How far each policy is behind the advised one, above the plan of that one and the stakes.

    Args:
        plan: Of the advised policy.
        leads: By label, how far it is ahead of each other, as a share of what the best arm earns.
        title: Above the figure.

    >>> import highseason as hs
    >>> from highseason.results import with_interval
    >>> plan = hs.UCBZ().plan(hs.multipliers.wave(turns=100), arms=5)
    >>> choices(plan, {"ucb": with_interval(0.02, 0.001)})
    <Figure: Use ucb-z>
    """
    title = title or f"Use {plan.policy}"
    G = plan.multiplier
    with style():
        canvas, (top, middle, bottom) = panels([_FRAME + _ROW * len(leads), _PLAN, _STAKES])
        _draw_leads(top, leads)
        first = min(plan.arms, len(plan)) if plan.policy.rule.tries_each else 0
        steps = edges(G)
        if first:
            stairs(
                middle, plan.exploration[:first], steps[: first + 1], fill=True, facecolor=LIGHT,
                hatch="////", edgecolor=DARK, linewidth=0, label="every arm once",
            )  # fmt: skip
        if first < len(plan):
            stairs(
                middle, plan.exploration[first:], steps[first:], fill=True, facecolor=DARK,
                edgecolor=DARK, linewidth=0.4, label="exploration",
            )  # fmt: skip
        middle.set_ylim(0, 1.05)
        middle.set_yticks([0, 1])
        middle.set_title("when it explores (hatched: every arm once)", loc="left")
        middle.tick_params(labelbottom=False)
        fit(middle, G)
        draw_stakes(bottom, G, None)
        bottom.set_title(f"the stakes: {G.name}", loc="left")
        show_time(bottom, G)
        middle.sharex(bottom)
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return Figure(canvas, title, _words(plan, leads))


def _draw_leads(axes: Axes, leads: Mapping[str, Estimate]) -> None:
    places = range(len(leads))
    values = [100 * lead.value for lead in leads.values()]
    widths = [_width(lead) for lead in leads.values()]
    axes.axvline(0, color=ACCENT, linestyle="--", linewidth=1.4)
    axes.hlines(list(places), 0, values, color=LIGHT, linewidth=6)
    axes.errorbar(
        values, list(places), xerr=widths, fmt="o", color=DARK, ecolor=MUTED, elinewidth=1.8,
        capsize=3, markersize=5,
    )  # fmt: skip
    axes.set_yticks(list(places), [_broken(label) for label in leads])
    axes.invert_yaxis()
    axes.margins(x=0.08, y=0.12)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.set_title("how far it is ahead of …", loc="left")
    axes.set_xlabel("points of what the best arm would earn, 95% interval", fontsize=9)


def _broken(label: str) -> str:
    """A long label in two lines, parted where the parameters begin."""
    return label.replace(":", ":\n", 1) if len(label) > 22 else label


def _width(lead: Estimate) -> float:
    return 100 * (lead.high - lead.value) if math.isfinite(lead.error) else 0.0


def _words(plan: Plan, leads: Mapping[str, Estimate]) -> str:
    told = ", ".join(f"{label} by {100 * lead.value:.2f}" for label, lead in leads.items())
    return (
        f"{plan.policy} is ahead of {told} points of what the best arm would earn.  It "
        f"{timing(plan).sentence()}"
    )
