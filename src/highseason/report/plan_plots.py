"""Plans: when each policy will explore, in words and above the multiplier; and advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from highseason.core.formatting import counted, format_number, listed, percent
from highseason.multipliers import Multiplier, Threshold
from highseason.policies import Plan
from highseason.policies.plan import NEGLIGIBLE
from highseason.report import palette
from highseason.report.drawing import by_label, drawing, legend_below, name_rows
from highseason.report.figure import Figure
from highseason.report.interval_plots import draw_intervals
from highseason.report.multiplier_plots import (
    Numbers,
    draw_multiplier,
    edges,
    fit,
    shade_busy,
    show_time,
    stairs,
)
from highseason.results import Estimate
from highseason.tabular import iso_times

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Turns that explore at least this share of the plan's maximum explore "most".
_NEAR_MAXIMUM = 0.9
#: How many stretches of turns a sentence lists.
_LISTED_STRETCHES = 3


@dataclass(frozen=True)
class Stretch:
    """Consecutive turns, both ends included, with their times if there is a calendar."""

    first: int
    last: int
    begins: str | None = None
    ends: str | None = None

    def __str__(self) -> str:
        first, last = self.begins or str(self.first), self.ends or str(self.last)
        first, last = (text.replace("T", " ")[:16] for text in (first, last))
        return first if self.first == self.last else f"{first} to {last}"


@dataclass(frozen=True)
class Timing:
    """When a plan explores, once every arm has been tried.

    Attributes:
        turns: The number of turns.
        first_round: How many of them try every arm once; all below but `stakes_exploring` leaves
            them out.
        exploiting: How many of the other turns explore less than 1%.
        most: The stretches of turns that explore most; empty if all explore alike.
        quiet_below: Turns with G below this (its mean) are quiet.
        quiet_turns: The share of turns that are quiet.
        quiet_exploration: The share of the exploration in quiet turns; NaN if there is none.
        stakes_exploring: The share of total G played while exploring, each turn weighted by how
            much it explores.
    """

    turns: int
    first_round: int
    exploiting: int
    most: tuple[Stretch, ...]
    quiet_below: float
    quiet_turns: float
    quiet_exploration: float
    stakes_exploring: float

    def sentence(self) -> str:
        """The same as a sentence."""
        later = self.turns - self.first_round
        parts = []
        if self.first_round:
            once = "tries a new arm in every turn" if later == 0 else "first tries every arm once"
            parts.append(f"{once} ({counted(self.first_round, 'turn')})")
        if later:
            parts.append(f"explores most on {self.where()}")
            parts.append(f"{self.exploiting:,} of {counted(later, 'turn')} exploit")
        if later and np.isfinite(self.quiet_exploration) and 0 < self.quiet_turns < 1:
            parts.append(
                f"quiet turns (G < {format_number(self.quiet_below)}, {percent(self.quiet_turns)} "
                f"of turns) carry {percent(self.quiet_exploration)} of the exploration"
            )
        if later:
            parts.append(f"{percent(self.stakes_exploring)} of total G is played exploring")
        return f"{'; '.join(parts)}."

    def where(self) -> str:
        """The turns that explore most."""
        if not self.most:
            return "no turn" if np.isnan(self.quiet_exploration) else "every turn alike"
        shown = [str(stretch) for stretch in self.most[:_LISTED_STRETCHES]]
        if more := len(self.most) - len(shown):
            shown.append(counted(more, "more stretch"))
        lone = len(self.most) == 1 and self.most[0].first == self.most[0].last
        unit = "" if self.most[0].begins else "turn " if lone else "turns "
        return f"{unit}{listed(shown)}"

    def to_dict(self) -> dict[str, Any]:
        """The figures and the sentence, for JSON."""
        most = [
            {key: value for key, value in asdict(stretch).items() if value is not None}
            for stretch in self.most
        ]
        return asdict(self) | {"most": most, "sentence": self.sentence()}


def timing(plan: Plan) -> Timing:
    """When `plan` explores.

    >>> import highseason as hs
    >>> plan = hs.EpsilonZGreedy(k=0.5, z=30).plan([1, 1, 1, 40, 1, 40], arms=2)
    >>> print(timing(plan).sentence())
    first tries every arm once (2 turns); explores most on turn 3; 2 of 4 turns exploit; \
quiet turns (G < 14, 50% of turns) carry 100% of the exploration; 3% of total G is played \
exploring.
    """
    G = plan.multiplier.values
    first = first_round(plan)
    later = plan.exploration[first:]
    quiet = G[first:] < G.mean()
    total = float(later.sum())
    return Timing(
        turns=len(plan),
        first_round=first,
        exploiting=int((later < NEGLIGIBLE).sum()),
        most=_peaks(later, first, plan.multiplier),
        quiet_below=float(G.mean()),
        quiet_turns=float(quiet.mean()) if quiet.size else 0.0,
        quiet_exploration=float(later[quiet].sum()) / total if total > 0 else float("nan"),
        stakes_exploring=float((plan.exploration * G).sum() / G.sum()),
    )


def first_round(plan: Plan) -> int:
    """How many turns the policy needs to try every arm once, at the start."""
    return min(plan.arms, len(plan)) if plan.policy.rule.traits.tries_each_arm else 0


def _peaks(exploration: Numbers, skipped: int, G: Multiplier) -> tuple[Stretch, ...]:
    """The stretches of turns near the highest exploration; none if all explore alike."""
    if exploration.size == 0 or np.ptp(exploration) < NEGLIGIBLE:
        return ()
    chosen = exploration >= _NEAR_MAXIMUM * exploration.max()
    edges = np.flatnonzero(np.diff(np.concatenate([[False], chosen, [False]]).astype(np.int8)))
    stretches, stamps = [], None if G.calendar is None else iso_times(G.calendar)
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        ends = skipped + start + 1, skipped + stop
        times = () if stamps is None else (stamps[turn - 1] for turn in ends)
        stretches.append(Stretch(*ends, *times))
    return tuple(stretches)


#: The busiest quarter of the turns is called busy where no plan has a threshold of its own.
_DEFAULT_THRESHOLD = "q0.75"
_ALONE, _ROW, _MULTIPLIER = 1.6, 1.05, 1.7


def plan(
    plans: Plan | Sequence[Plan] | Mapping[str, Plan],
    z: float | str | None = None,
    title: str | None = None,
) -> Figure:
    """How much each turn explores, from 0 to 1, above the multiplier; busy turns are shaded.

    Args:
        plans: One plan, several, or several by label; all for the same multiplier.
        z: Turns with G >= z are busy; by default the threshold of the first plan that has one,
            else the busiest quarter.
        title: Above the figure.

    >>> import highseason as hs
    >>> G = hs.multipliers.christmas(turns=300)
    >>> plan([hs.UCB().plan(G, arms=10), hs.UCBZ(z=30).plan(G, arms=10)])
    <Figure: When will they explore?>
    """
    labelled = by_label(plans, Plan, lambda drawn: str(drawn.policy))
    G, *others = (drawn.multiplier for drawn in labelled.values())
    if any(other != G for other in others):
        raise ValueError("the plans are for different multipliers: draw each in its own figure")
    own = (drawn.policy.resolve_thresholds(G.values).threshold for drawn in labelled.values())
    if z is None:
        z = next((limit for limit in own if limit is not None), _DEFAULT_THRESHOLD)
    level = Threshold.of(z).resolve(G.values)
    height, they = (_ALONE, "it") if len(labelled) == 1 else (_ROW, "they")
    title = title or f"When will {they} explore?"
    heights = [*[height] * len(labelled), _MULTIPLIER]
    with drawing(title, heights, sharex=True) as (canvas, rows):
        for axes, (label, drawn) in zip(rows[:-1], labelled.items(), strict=True):
            shade_busy(axes, G, level)
            draw_plan(axes, drawn)
            axes.set_title(label)
        draw_multiplier(rows[-1], G, level, shaded=True)
        rows[-1].set_title(f"multiplier {G.name}", fontweight="normal")
        show_time(rows[-1], G)
        rows[(len(labelled) - 1) // 2].set_ylabel("exploration", fontsize=9)
        legend_below(canvas, rows, columns=2)
    alt = " ".join(f"{label}: {timing(drawn).sentence()}" for label, drawn in labelled.items())
    return Figure(canvas, title, alt)


def draw_plan(axes: Axes, plan: Plan) -> None:
    """Draw one strip: how much each turn explores, the first round hatched."""
    steps, first = edges(plan.multiplier), first_round(plan)
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
    fit(axes, plan.multiplier)


def advice(plan: Plan, leads: Mapping[str, Estimate], title: str | None = None) -> Figure:
    """How far the advised policy is ahead of each other one, above its plan and the multiplier.

    Args:
        plan: Of the advised policy.
        leads: Its lead over each other policy, by label, as a share of what the best arm earns.
        title: Above the figure.

    >>> import highseason as hs
    >>> from highseason.results import with_interval
    >>> plan = hs.UCBZ().plan(hs.multipliers.wave(turns=100), arms=5)
    >>> advice(plan, {"ucb": with_interval(0.02, 0.001)})
    <Figure: Use ucb-z>
    """
    title = title or f"Use {plan.policy}"
    heights = [1.0 + 0.3 * len(leads), 1.3, 1.5]
    with drawing(title, heights) as (canvas, [top, middle, bottom]):
        values = [100 * lead.value for lead in leads.values()]
        top.hlines(range(len(leads)), 0, values, color=palette.LIGHT, linewidth=6)
        draw_intervals(top, {"": list(enumerate(leads.values()))})
        name_rows(top, list(leads))
        top.margins(x=0.08)
        top.set_title("its lead over …")
        top.set_xlabel("percentage points of the best arm's reward, 95% interval", fontsize=9)
        draw_plan(middle, plan)
        middle.set_title("when it explores (hatched: every arm once)")
        middle.tick_params(labelbottom=False)
        draw_multiplier(bottom, plan.multiplier, None)
        bottom.set_title(f"multiplier {plan.multiplier.name}")
        show_time(bottom, plan.multiplier)
        middle.sharex(bottom)
    parts = ", ".join(f"{label} by {100 * lead.value:.2f}" for label, lead in leads.items())
    alt = (
        f"{plan.policy} leads {parts} percentage points of the best arm's reward.  It "
        f"{timing(plan).sentence()}"
    )
    return Figure(canvas, title, alt)
