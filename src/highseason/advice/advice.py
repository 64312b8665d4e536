"""Advice: a policy, the world it was found in, where the answer flips, and what to do next."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from highseason.advice.cautions import Caution
from highseason.advice.comparison import (
    KINDS,
    Answer,
    Compared,
    Reason,
    WorldComparison,
    plus_minus,
)
from highseason.advice.days import Day, coming_days, in_words, price_arguments
from highseason.advice.demand import best_beforehand
from highseason.bounds import RegretBound
from highseason.core.text import (
    Printable,
    Table,
    counted,
    decimal,
    exact,
    format_number,
    percent,
    wrapped,
)
from highseason.policies import Plan, Policy
from highseason.policies.timing import timing
from highseason.rewards import Offer
from highseason.rewards.text import assumption, independent_visitors
from highseason.traffic import Multiplier

if TYPE_CHECKING:
    import pandas as pd

#: Each reason as part of a sentence.
_REASONS: dict[Reason, str] = {
    "greedy-is-enough": "greedy is enough",
    "exploring-pays": "explore at any time",
    "exploring-less-pays": "explore less than greedy",
    "regulating-pays": "explore when quiet",
}


@dataclass(frozen=True, eq=False, repr=False)
class Advice(Printable):
    """Which policy to use; `print` it for all of it in words.

    Attributes:
        comparison: The comparison in the world that was asked for, or in the most usual one.
        others: The same in other worlds, by rho.
        plan: The plan of the advised policy for this G.
        warnings: What to watch out for.
        bounds: Safe bounds for typical arms, tightest policies included, if they were asked for;
            for rewards as policies learn them, in `reward_range`.
        rates_known: Whether the arms' rates were given.
        seed: The seed that was passed; the games of search and verdict derive theirs from it.
    """

    comparison: WorldComparison
    others: tuple[WorldComparison, ...]
    plan: Plan
    warnings: tuple[Caution, ...]
    bounds: tuple[tuple[Policy, RegretBound], ...] | None
    rates_known: bool
    seed: int

    @property
    def policy(self) -> Policy:
        """The advised policy, with its parameters."""
        return self.comparison.policy

    @property
    def multiplier(self) -> Multiplier:
        """G."""
        return self.plan.multiplier

    @property
    def answer(self) -> Answer:
        """One of "greedy", "explore" (at any time) and "regulate" (explore when it is quiet)."""
        return self.comparison.answer

    @property
    def by_rho(self) -> list[WorldComparison]:
        """The comparisons for the main rates, by rho."""
        rates = self.comparison.world.rates
        same = (one for one in (self.comparison, *self.others) if one.world.rates == rates)
        return sorted(same, key=lambda one: one.world.rho or 0.0)

    @property
    def flips(self) -> list[tuple[float, WorldComparison]]:
        """The smallest rho at which another answer or reason is clear, and each further change."""
        comparisons = [one for one in self.by_rho if one.settled or one.answer != "greedy"]
        return [
            (later.world.rho or 0.0, later)
            for before, later in itertools.pairwise(comparisons)
            if before.reason != later.reason
        ]

    @property
    def verdict(self) -> str:
        """What to use, whether regulating pays, and what would change that: three sentences."""
        return f"{self.comparison.verdict}  {self._what_changes_it()}".rstrip()

    def _what_changes_it(self) -> str:
        every = (self.comparison, *self.others)
        settled = all(one.settled for one in every)
        if len(every) == 1:
            return ""
        if not self.rates_known:
            if len({one.reason for one in every}) > 1:
                return "It depends on the rates, and on rho: give your own rates, such as 2%..4%."
            unsettled = "" if settled else ", as far as the games can tell"
            return f"The answer is the same for all typical rates and rho{unsettled}."
        if self.flips:
            lowest = self.by_rho[0]
            answers = [f"at {decimal(lowest.world.rho or 0.0)}, {_REASONS[lowest.reason]}"]
            answers += [f"from {decimal(r)} on, {_REASONS[one.reason]}" for r, one in self.flips]
            return f"It depends on rho: {'; '.join(answers)}."
        if settled:
            return "The answer is the same for every rho from 0 to 1."
        return "For other rho the games cannot tell: no other answer is clear for any from 0 to 1."

    @property
    def assumption(self) -> str:
        """The world of the verdict, in a sentence."""
        world = self.comparison.world
        return assumption(world.rewards, self.multiplier, world.demand)

    def table(self, entries: Sequence[Compared] | None = None) -> Table:
        """What each policy earns, and the lead of the advised one in percentage points.

        Args:
            entries: Some of the policies compared; the best of each by default.
        """
        rows = []
        for one in self.comparison.compared if entries is None else entries:
            # Estimated from games, a probability is never 0 or 1.
            sure = percent(min(max(one.probability, 1e-9), 1 - 1e-9))
            is_advised = one.policy == self.policy
            lead = ("advised", "") if is_advised else (plus_minus(one.lead), sure)
            rows.append((str(one.policy), percent(one.earned, 2), *lead))
        return Table(("policy", "earned", "lead", "sure"), tuple(rows), ("",) * 4)

    def worlds_table(self) -> Table:
        """A row for each world: what a turn teaches there, what is earned, and the answer."""
        own, rows = self.comparison.world.rates, []
        every = [(one.world, one) for one in (self.comparison, *self.others)]
        every.sort(key=lambda each: (each[0].rates != own, each[0].rates, each[0].rho or 0.0))
        for world, one in every:
            earned = (percent(one.best(kind).earned, 1) for kind in KINDS)
            drawn = world.rho is None  # a turn is one draw
            worth = 1.0 if drawn else independent_visitors(world.rewards, self.multiplier)
            teaches = f"{worth:,.0f}"
            answer = one.answer + "?" * (not one.settled)
            cells = (decimal(world.rho or 0.0), teaches, *earned, answer)
            rows.append(cells if self.rates_known else (world.rates, *cells))
        first = () if self.rates_known else ("rates",)
        columns = (*first, "rho", "worth", "greedy", "explore", "regulate", "answer")
        return Table(columns, tuple(rows), ("",) * len(columns))

    def to_pandas(self) -> pd.DataFrame:
        """A row for each policy in each world: what it earns, and the lead of the advised one."""
        import pandas as pd

        rows = []
        for comparison in (self.comparison, *self.others):
            world = {key: comparison.to_dict()[key] for key in ("rewards", "rates", "rho")}
            for one in comparison.compared:
                judged = {"advised": one.policy == comparison.policy, "settled": comparison.settled}
                rows.append(world | one.to_dict() | judged)
        return pd.DataFrame(rows)

    def blocks(self) -> list[str | Table]:
        """What a notebook shows: the verdict, what it assumes, and the policies compared."""
        return [self.verdict, self.assumption, self.table()]

    def page(self, steps: Sequence[str] = ()) -> str:
        """An HTML page with the figure in it, and what to do next: `next_steps` by default."""
        from highseason.report import advice, render

        return render("advice.html.j2", title=f"Use {self.policy}", lead=self.verdict, advice=self,
                      steps=steps or self.next_steps, figure=advice(self).picture())  # fmt: skip

    def days(self, arms: Sequence[str] = ()) -> list[Day]:
        """What to do on the coming days; empty for shapes, and for policies of other libraries.

        Args:
            arms: Their names.
        """
        if self.multiplier.is_shape or not self.policy.rule.traits.compilable:
            return []
        start, rewards = self.bandit_arguments(), self.comparison.world.rewards
        return coming_days(self.plan, rewards, arms, start["policy"])

    @cached_property
    def beforehand(self) -> tuple[Offer, float] | None:
        """The best single price to choose before any is tried, and the profit of it, as a share.

        The share is of what the best price earns; None where arms are no prices.
        """
        rewards = self.comparison.world.rewards
        return None if rewards.offers is None else best_beforehand(rewards)

    def in_units(self, worth: float | None = None, unit: str | None = None) -> str:
        """The lead and the loss of the advised policy in orders, or in money: a sentence.

        Args:
            worth: What an order is worth; not of prices, which say it.
            unit: What gains are in, such as "€"; of orders it is "orders".
        """
        one, calendar = self.comparison, self.multiplier.calendar
        is_money = worth is not None or one.world.rewards.bounds != (0.0, 1.0)
        if worth is not None and one.world.rewards.offers is not None:
            raise ValueError("worth has no meaning for prices: they say what an order is worth")
        unit = unit or ("" if is_money else "orders")
        unit = f" {unit}" if unit else ""
        size = (worth or 1.0) * one.chosen.regret / max(1e-12, 1.0 - one.chosen.earned)
        rival = one.runner_up if self.answer == "greedy" else one.best("greedy")
        lead, low, high = (size * x for x in (rival.lead.value, rival.lead.low, rival.lead.high))
        if low <= 0.0 <= high:
            level = f"{abs(low):,.0f}{unit} less to {high:,.0f} more"
            more = f"no clear difference to {rival.policy}: {level}"
        else:
            word, (least, most) = ("more", (low, high)) if lead > 0.0 else ("less", (-high, -low))
            more = f"about {abs(lead):,.0f}{unit} {word} than {rival.policy}"
            more = f"{more}, between {least:,.0f} and {most:,.0f}"
        if self.beforehand is not None:
            gain = size * (one.chosen.earned - self.beforehand[1])
            single = (
                f"the best single price to choose beforehand, {exact(self.beforehand[0].price)}"
            )
            more += f"; about {abs(gain):,.0f}{unit} {'more' if gain > 0 else 'less'} than {single}"
        last = None if calendar is None else calendar[-1].astype("datetime64[D]").item()
        by = "In this season" if last is None else f"By {last.day} {last:%B %Y}"
        loss = f"{size * (1.0 - one.chosen.earned):,.0f}{unit}"
        best = f"the best {one.world.arm} known from the start"
        return f"{by}: {more}; and {loss} less than with {best}."

    def bandit_arguments(self) -> dict[str, Any]:
        """What a bandit needs to play as advised, besides its arms, unless they are prices.

        The rewards that policies learned as 0 to 1 in the games are its range.

        >>> import highseason as hs
        >>> advice = hs.advise([900, 1000, 1200, 5000, 6000] * 8, arms=2, games=40)
        >>> hs.Bandit(["red", "blue"], **advice.bandit_arguments()).pull()
        'red'
        """
        policy, world = self.policy, self.comparison.world
        if world.rho is None:  # a bandit would count visitors
            policy = policy.counting("turns")
        usual = {"policy": policy, "multiplier": self.multiplier}
        if world.rewards.offers is None:
            return usual | {"reward_range": world.rewards.reward_range}
        return usual | price_arguments(world.rewards.offers)

    @property
    def next_steps(self) -> tuple[str, ...]:
        """What goes on from here: the plan, and a bandit, or a game of another library's policy."""
        arms = "" if self.comparison.world.rewards.offers else "arms, "
        play = f"bandit = hs.Bandit({arms}**advice.bandit_arguments())"
        if not self.policy.rule.traits.compilable:
            play = "hs.play(advice.policy, advice.comparison.world.rewards, advice.multiplier)"
        return "print(advice.plan)", play

    def text(
        self, arms: Sequence[str] = (), *, worth: float | None = None, unit: str | None = None,
        details: bool = False, steps: Sequence[str] = (),
    ) -> str:  # fmt: skip
        """All of it, in lines that fit the terminal.

        Args:
            arms: Their names.
            worth: What an order is worth, for gains in money.
            unit: What gains are in, such as "€".
            details: Also show the table of worlds.
            steps: What to do next; `next_steps` by default.
        """
        one, G, games = self.comparison, self.multiplier, counted(self.comparison.games, "game")
        asked = [each for each in one.compared if each.policy.candidate is None]
        named = [one.chosen, one.runner_up, *(one.best(kind) for kind in KINDS), *asked]
        legend = (
            f"{G.name}: {counted(G.turns, 'turn')}, {counted(self.plan.arms, one.world.arm)}.  "
            f"earned: of the best {one.world.arm}'s reward.  lead: of the advised policy, in "
            "percentage points of that, ± half its 95% interval (paired).  sure: that it is "
            f"better.  From {games} not used to search the {counted(one.tried, 'candidate')}."
        )
        parts = [wrapped(self.verdict), "", wrapped(self.assumption), ""]
        if one.world.rho is not None:
            parts += [wrapped(self.in_units(worth, unit)), ""]
        parts += [
            str(self.table([each for each in one.compared if each in named])),
            wrapped(legend),
        ]
        if self.others and details:
            worlds = (
                "worth: independent visitors that teach as much as a median turn.  greedy, "
                "explore, regulate: what the best policy earns that never explores, ignores "
                "traffic, or looks at it.  ?: another policy may be noticeably ahead."
            )
            heading = "By correlation between visitors of a turn (rho; typically 0.001, high 0.01):"
            parts += ["", heading, str(self.worlds_table()), wrapped(worlds)]
        parts += ["", "What to do next:"]
        parts.append("\n\n".join(textwrap.indent(s, "  ") for s in steps or self.next_steps))
        when = f"When it explores: {self.policy} {timing(self.plan).sentence()}"
        parts += ["", wrapped(when)]
        if self.bounds is not None:
            parts += ["", wrapped(self._guarantee())]
        if self.warnings:
            parts += ["", "Watch out:", *(wrapped(f"- {w.text}", "  ") for w in self.warnings)]
        if days := self.days(arms):
            parts += ["", in_words(days)]
        return "\n".join(parts)

    @property
    def _range(self) -> float:
        """What a reward that is learned as 1 is worth, beside one that is learned as 0."""
        low, high = self.comparison.world.rewards.reward_range
        return high - low

    def _guarantee(self) -> str:
        """What the safe bounds say."""
        useful = [(policy, bound) for policy, bound in self.bounds or () if not bound.vacuous]
        if not useful:
            return (
                "The safe bounds are vacuous here: for typical arms, none is below the cost of "
                "always playing the worst arm."
            )
        policy, bound = min(useful, key=lambda entry: entry[1].total)
        simulated = next(one.regret for one in self.comparison.compared if one.policy == policy)
        return (
            f"For typical arms the tightest safe bound is that of {policy}: it costs at most "
            f"{format_number(self._range * bound.total)}, {percent(bound.total / bound.trivial)} "
            f"of the worst case (simulated: {format_number(simulated)})."
        )

    def __str__(self) -> str:
        """All of it."""
        return self.text()

    __repr__ = __str__

    def to_dict(self, arms: Sequence[str] = ()) -> dict[str, Any]:
        """Plain values for JSON; the days show the names of `arms`."""
        G = self.multiplier
        return self.comparison.to_dict() | {
            "parameters": self.policy.to_dict(),
            "settled_parameters": self.policy.resolve_thresholds(G.values).to_dict(),
            "verdict": self.verdict,
            "assumption": self.assumption,
            "flips": [{"rho": rho, "answer": one.answer, "reason": one.reason}
                      for rho, one in self.flips],
            "runner_up": self.comparison.runner_up.to_dict(),
            "worlds": [one.to_dict() for one in self.others],
            "bounds": None if self.bounds is None else [
                {"policy": str(policy), "total": self._range * bound.total, "trivial":
                 self._range * bound.trivial, "vacuous": bound.vacuous}
                for policy, bound in self.bounds
            ],
            "when": timing(self.plan).to_dict(),
            "days": [{**vars(day), "begins": day.begins and day.begins.isoformat(),
                      "what": day.what} for day in self.days(arms)],
            "warnings": [vars(one) for one in self.warnings],
            "multiplier": G.name,
            "turns": G.turns,
            "arms": self.plan.arms,
            "seed": self.seed,
            **({} if self.beforehand is None else {"beforehand": {
                "price": self.beforehand[0].price, "earned_share": self.beforehand[1]}}),
        }  # fmt: skip
