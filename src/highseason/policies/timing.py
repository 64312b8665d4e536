"""When plans explore, in words and as a table."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import Table, counted, exact, format_number, listed, percent
from highseason.policies.plan import NEGLIGIBLE, Plan
from highseason.traffic import Multiplier
from highseason.traffic.dates import format_time, iso_times

#: What the columns of `plan_table` mean.
LEGEND = (
    "busy from: turns with G at or above it are busy, all others quiet (z, or the busiest quarter "
    "where a policy has no z); explores most: once every arm was tried; exploiting: turns that "
    "explore less than 1%; in quiet turns: their share of the exploration; G exploring: share of "
    "total G played while exploring; –: decided during the game, and the turns named are the "
    "quarter where exploring is cheapest."
)

#: Turns that explore at least this share of the plan's maximum explore "most".
_NEAR_MAXIMUM = 0.9
#: Exploring is cheap on turns whose horizon is at or above this quantile of all.
_CHEAP = 0.75
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
        quiet_below: Turns with G below this are quiet, all others busy: the policy's threshold z,
            or the 0.75 quantile of G where it has none.
        quiet_turns: The share of turns that are quiet.
        quiet_exploration: The share of the exploration in quiet turns; NaN if there is none.
        stakes_exploring: The share of total G played while exploring, each turn weighted by how
            much it explores.
        prices: Whether the plan says how much exploring a turn is worth, not how much it explores:
            `most` is the quarter of the turns where it is cheapest.
    """

    turns: int
    first_round: int
    exploiting: int
    most: tuple[Stretch, ...]
    quiet_below: float
    quiet_turns: float
    quiet_exploration: float
    stakes_exploring: float
    prices: bool = False

    def sentence(self) -> str:
        """The same as a sentence."""
        if self.prices:
            return (
                "explores as long as what an arm may turn out to be is worth the price of trying "
                f"it, which is lowest on {self.where()}."
            )
        later, parts = self.turns - self.first_round, []
        explored = percent(self.stakes_exploring)
        if later and np.isnan(self.quiet_exploration):
            if not self.first_round:
                return "never explores."
            first = f"{counted(self.first_round, 'turn')}, {explored} of total G"
            return f"first tries every arm once ({first}), and never explores after that."
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
            parts.append(f"{explored} of total G is played exploring")
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
        unknown = dict.fromkeys(("exploiting", "quiet_exploration", "stakes_exploring"))
        figures = asdict(self) | (unknown if self.prices else {})
        return figures | {"most": most, "sentence": self.sentence()}


def timing(plan: Plan) -> Timing:
    """When `plan` explores.

    >>> import highseason as hs
    >>> plan = hs.EpsilonZGreedy(k=0.5, z=30).plan([1, 1, 1, 40, 1, 40], arms=2)
    >>> print(timing(plan).sentence())
    first tries every arm once (2 turns); explores most on turn 3; 2 of 4 turns exploit; \
quiet turns (G < 30, 50% of turns) carry 100% of the exploration; 3% of total G is played \
exploring.
    """
    G = plan.multiplier.values
    first = plan.first_choice
    later = plan.exploration[first:]
    quiet = G[first:] < plan.busy_from
    total = float(later.sum())
    return Timing(
        turns=len(plan),
        first_round=first,
        exploiting=int((later < NEGLIGIBLE).sum()),
        most=_stretches(favoured(plan), plan.multiplier),
        quiet_below=plan.busy_from,
        quiet_turns=float(quiet.mean()) if quiet.size else 0.0,
        quiet_exploration=float(later[quiet].sum()) / total if total > 0 else float("nan"),
        stakes_exploring=float((plan.exploration * G).sum() / G.sum()),
        prices=prices(plan) is not None,
    )


def prices(plan: Plan) -> NDArray[np.float64] | None:
    """What exploring costs on each turn, as a share of what is still to come: one over its horizon.

    It is infinite where nothing is to come.  None for a plan that says how much each turn explores.

    >>> import highseason as hs
    >>> prices(hs.OptionIndex(wait=False).plan([1, 1, 2, 4], arms=2)).round(3).tolist()
    [0.143, 0.167, 0.5, inf]
    """
    if not plan.policy.rule.traits.prices:
        return None
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / plan.levels)


def favoured(plan: Plan, past: int = 0) -> NDArray[np.bool_]:
    """The turns that explore most, or where it is cheapest; none if all of them are alike.

    Of all turns, or of those that come after the first `past`.
    """
    first, priced = max(past, plan.first_choice), plan.policy.rule.traits.prices
    later = (plan.levels if priced else plan.exploration)[first:]
    chosen = np.zeros(len(plan), np.bool_)
    if later.size and np.ptp(later) >= NEGLIGIBLE:
        least = np.quantile(later, _CHEAP) if priced else _NEAR_MAXIMUM * later.max()
        chosen[first:] = (later >= least) & (later > 0.0)
    return chosen


def _stretches(chosen: NDArray[np.bool_], G: Multiplier) -> tuple[Stretch, ...]:
    """The chosen turns, neighbours joined."""
    edges = np.flatnonzero(np.diff(chosen, prepend=False, append=False))
    stretches, stamps = [], None if G.calendar is None else iso_times(G.calendar)
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        times = () if stamps is None else (stamps[start], stamps[stop - 1])
        stretches.append(Stretch(start + 1, stop, *times))
    return tuple(stretches)


def why_always(plan: Plan) -> str:
    """What follows where a plan explores in every turn; the end of a warning's sentence."""
    return (
        f": with {plan.arms} arms and {len(plan)} turns it never settles on the best arm. "
        f"A smaller {_knobs(plan)}, or a longer game, lets it"
    )


def why_never(plan: Plan) -> str:
    """Why the plan may never explore; the end of a warning's sentence."""
    G = plan.multiplier.values
    z = plan.policy.resolve_thresholds(G).threshold
    if isinstance(z, float) and bool((G[plan.arms :] >= z).all()):
        name = plan.policy.name_in_role("threshold")
        return f": every turn after the first round is high (G >= {exact(z)}). Raise {name}"
    unit = plan.policy.unwrapped.in_role("unit")
    if isinstance(unit, float):
        extent = f"G runs from {G.min():g} to {G.max():g}, unit={exact(unit)}"
        return f" ({extent}): it plays greedily. A larger unit, such as unit='q0.5', helps"
    return f": it plays greedily. A larger {_knobs(plan)} lets it explore"


def _knobs(plan: Plan) -> str:
    """The parameters that set how much the policy explores."""
    names, known = plan.policy.unwrapped.parameters(), ("k", "P", "c", "epsilon", "width")
    return " or ".join(name for name in known if name in names) or "plan"


def plan_heading(plan: Plan) -> str:
    """The multiplier, its turns and the number of arms of a plan."""
    G = plan.multiplier
    low, high = format_number(float(G.values.min())), format_number(float(G.values.max()))
    dates = ""
    if G.calendar is not None:
        dates = f" from {format_time(G.calendar[0])} to {format_time(G.calendar[-1])}"
    turns = counted(G.turns, "turn")
    return f"{G.name}: {turns}{dates}, G from {low} to {high}; {counted(plan.arms, 'arm')}"


def plan_table(plans: Mapping[str, Plan]) -> Table:
    """A row for each plan: when it explores, and at what cost.

    >>> import highseason as hs
    >>> G = [1, 1, 1, 40, 1, 40]
    >>> print(plan_table({"ucb-z": hs.UCBZ(z=30).plan(G, arms=2)}))
    policy  busy from  explores most  exploiting  in quiet turns  G exploring
    ─────────────────────────────────────────────────────────────────────────
    ucb-z          30  turns 3 and 5      2 of 4            100%           5%
    """
    columns = (
        "policy", "busy from", "explores most", "exploiting", "in quiet turns", "G exploring",
    )  # fmt: skip
    rows = []
    for label, plan in plans.items():
        when = timing(plan)
        figures = (
            f"{when.exploiting:,} of {when.turns - when.first_round:,}",
            percent(when.quiet_exploration), percent(when.stakes_exploring),
        )  # fmt: skip
        shown = ("–",) * len(figures) if when.prices else figures
        rows.append((label, format_number(when.quiet_below), when.where(), *shown))
    return Table(columns, tuple(rows), ("",) * len(columns), "<><>>>")
