"""Plans: when each policy will explore, above the stakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from highseason.core.formatting import format_number
from highseason.multipliers import Multiplier, Threshold
from highseason.policies import Plan
from highseason.report.drawing import DARK, LIGHT, one_legend, panels, style
from highseason.report.figure import Figure
from highseason.report.seasons import draw_stakes, edges, fit, shade_busy, show_time, stairs
from highseason.report.timing import timing
from highseason.results import unique_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What is called busy where no plan has a threshold of its own: the busiest quarter of the turns.
_USUAL = "q0.75"
_ALONE, _ROW, _STAKES = 1.6, 1.05, 1.7


def plan(
    plans: Plan | Sequence[Plan] | Mapping[str, Plan],
    z: float | str | None = None,
    title: str | None = None,
) -> Figure:
    """How much each turn explores, in [0, 1], above the multiplier; busy turns in colour.

    Args:
        plans: One plan, several, or several by label; all for the same multiplier.
        z: Turns with G >= z are coloured; by default the threshold of the first plan that has
            one, else the busiest quarter.
        title: Above the figure.

    >>> import highseason as hs
    >>> G = hs.multipliers.christmas(turns=300)
    >>> plan([hs.UCB().plan(G, arms=10), hs.UCBZ(z=30).plan(G, arms=10)])
    <Figure: When will they explore?>
    """
    labelled = _labelled(plans)
    G = _common_multiplier(labelled)
    level = _threshold(labelled, G) if z is None else Threshold.of(z).resolve(G.values)
    title = title or ("When will they explore?" if len(labelled) > 1 else "When will it explore?")
    with style():
        alone = len(labelled) == 1
        heights = [_ALONE] if alone else [_ROW] * len(labelled)
        canvas, rows = panels([*heights, _STAKES], share_x=True)
        for axes, (label, drawn) in zip(rows[:-1], labelled.items(), strict=True):
            _draw(axes, label, drawn, level)
        shade_busy(rows[-1], G, level, label=f"busy: G ≥ {format_number(level)}")
        draw_stakes(rows[-1], G, level)
        rows[-1].set_title(f"multiplier {G.name}", loc="left", fontweight="normal")
        show_time(rows[-1], G)
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        if alone:
            rows[0].set_ylabel("exploration")
        else:
            canvas.supylabel("exploration (0: none, 1: full)", fontsize=9)
        one_legend(canvas, rows)
    return Figure(canvas, title, _words(labelled))


def _draw(axes: Axes, label: str, drawn: Plan, z: float) -> None:
    G, steps = drawn.multiplier, edges(drawn.multiplier)
    shade_busy(axes, G, z)
    first = min(drawn.arms, len(drawn)) if drawn.policy.rule.tries_each else 0
    if first:
        stairs(
            axes, drawn.exploration[:first], steps[: first + 1], fill=True, facecolor=LIGHT,
            hatch="////", edgecolor=DARK, linewidth=0, label="every arm once",
        )  # fmt: skip
    if first < len(drawn):
        stairs(
            axes, drawn.exploration[first:], steps[first:], fill=True, facecolor=DARK,
            edgecolor=DARK, linewidth=0.4, label="exploration",
        )  # fmt: skip
    axes.set_ylim(0, 1.05)
    axes.set_yticks([0, 1])
    axes.set_title(label, loc="left")
    fit(axes, G)


def _labelled(plans: Plan | Sequence[Plan] | Mapping[str, Plan]) -> dict[str, Plan]:
    if isinstance(plans, Plan):
        plans = [plans]
    if isinstance(plans, Mapping):
        return dict(plans)
    if not plans:
        raise ValueError("there is no plan to draw")
    return dict(zip(unique_labels([str(p.policy) for p in plans]), plans, strict=True))


def _common_multiplier(plans: dict[str, Plan]) -> Multiplier:
    G, *others = (drawn.multiplier for drawn in plans.values())
    if any(other != G for other in others):
        raise ValueError("these plans are for different multipliers: draw them one by one")
    return G


def _threshold(plans: dict[str, Plan], G: Multiplier) -> float:
    for drawn in plans.values():
        z = getattr(drawn.policy.resolve_thresholds(G.values), "z", None)
        if z is not None:
            return float(z)
    return Threshold.of(_USUAL).resolve(G.values)


def _words(plans: dict[str, Plan]) -> str:
    return " ".join(f"{label}: {timing(drawn).sentence()}" for label, drawn in plans.items())
