"""Advice: a policy, the world it was found in, where the answer flips, and what to do next."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from highseason.advice import words
from highseason.advice.candidates import documented_parameters
from highseason.advice.cautions import Caution
from highseason.advice.outcome import Answer, Compared, WorldOutcome
from highseason.advice.worlds import World
from highseason.bounds import RegretBound
from highseason.engine import Table
from highseason.policies import Plan, Policy
from highseason.report import Figure, Timing, render, timing
from highseason.report import advice as draw_advice
from highseason.traffic import Multiplier

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """Which policy to use; `print` it for all of it in words.

    Attributes:
        outcome: The comparison in the world that was asked for, or in the most usual one.
        others: The same in other worlds, by rho.
        plan: The plan of the advised policy for this G.
        warnings: What to watch out for.
        bounds: Safe bounds for typical arms, tightest policies included, if they were asked for.
        rates_known: Whether the arms' rates were given.
        seed: The seed that was passed; the games of search and verdict derive theirs from it.
    """

    outcome: WorldOutcome
    others: tuple[WorldOutcome, ...]
    plan: Plan
    warnings: tuple[Caution, ...]
    bounds: tuple[tuple[Policy, RegretBound], ...] | None
    rates_known: bool
    seed: int

    @property
    def policy(self) -> Policy:
        """The advised policy, with its parameters."""
        return self.outcome.policy

    @property
    def multiplier(self) -> Multiplier:
        """G."""
        return self.plan.multiplier

    @property
    def compared(self) -> tuple[Compared, ...]:
        """The best of each policy, the advised one included, least regret first."""
        return self.outcome.compared

    @property
    def answer(self) -> Answer:
        """One of "greedy", "explore" (at any time) and "regulate" (explore when it is quiet)."""
        return self.outcome.answer

    @property
    def pays(self) -> bool:
        """Whether regulating clearly pays."""
        return self.outcome.pays

    @property
    def worlds(self) -> list[World]:
        """All worlds that were looked at, the main one first."""
        return [one.world for one in (self.outcome, *self.others)]

    @property
    def by_rho(self) -> list[WorldOutcome]:
        """The outcomes for the main rates, by rho."""
        rates = self.outcome.world.rates
        same = (one for one in (self.outcome, *self.others) if one.world.rates == rates)
        return sorted(same, key=lambda one: one.world.rho or 0.0)

    @property
    def flips(self) -> list[tuple[float, WorldOutcome]]:
        """The smallest rho at which another answer is clear, and each further change."""
        outcomes = [one for one in self.by_rho if one.settled or one.answer != "greedy"]
        return [
            (later.world.rho or 0.0, later)
            for before, later in itertools.pairwise(outcomes)
            if before.answer != later.answer
        ]

    @property
    def timing(self) -> Timing:
        """When to expect exploration."""
        return timing(self.plan)

    @property
    def verdict(self) -> str:
        """What to use, whether regulating pays, and what would change that: three sentences."""
        return words.verdict(self.outcome, words.flips(self))

    @property
    def assumption(self) -> str:
        """The world of the verdict, in a sentence."""
        return self.outcome.world.assumption(self.multiplier)

    def warns_of(self, code: str) -> bool:
        """Whether there is a warning with this code."""
        return any(one.code == code for one in self.warnings)

    def table(self) -> Table:
        """The best of each policy; leads of the advised one in percentage points."""
        return words.policies_table(self.outcome, self.compared)

    def worlds_table(self) -> Table:
        """What is best in each world."""
        return words.worlds_table(self)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each policy in each world: what it earns, and the lead of the advised one."""
        import pandas as pd

        outcomes = (self.outcome, *self.others)
        return pd.DataFrame([row for outcome in outcomes for row in outcome.rows()])

    def figure(self) -> Figure:
        """A figure: the lead over each other policy, the advised plan, and the multiplier."""
        leads = {str(one.policy): one.lead for one in self.compared if one.policy != self.policy}
        return draw_advice(self.plan, leads)

    def page(self, **traffic: Any) -> str:
        """An HTML page with the figure in it; `traffic` as in `next_steps`."""
        title, picture = f"Use {self.policy}", self.figure().picture()
        return render("advice.html.j2", title=title, lead=self.verdict, advice=self,
                      figure=picture, steps=self.next_steps(**traffic))  # fmt: skip

    def next_steps(self, **traffic: Any) -> tuple[str, str]:
        """How to see the plan, and Python to paste.

        Args:
            traffic: The options of `highseason advise` that give this traffic, such as
                `multiplier="visitors.csv", ahead=60`: then the first is a command.  Without them
                both are code that goes on from `advice`.
        """
        return words.next_steps(self, traffic)

    def text(self, **traffic: Any) -> str:
        """All of it, in lines of at most 80 columns; `traffic` as in `next_steps`."""
        return words.text(self, traffic)

    def __str__(self) -> str:
        """All of it."""
        return self.text()

    __repr__ = __str__

    def to_dict(self, **traffic: Any) -> dict[str, Any]:
        """Plain values for JSON; `traffic` as in `next_steps`."""
        G = self.multiplier
        return self.outcome.to_dict() | {
            "parameters": documented_parameters(self.policy),
            "settled_parameters": documented_parameters(self.policy.resolve_thresholds(G.values)),
            "verdict": self.verdict,
            "assumption": self.assumption,
            "flips": [{"rho": rho, "answer": one.answer} for rho, one in self.flips],
            "runner_up": self.outcome.runner_up.to_dict(),
            "worlds": [one.to_dict() for one in self.others],
            "bounds": None if self.bounds is None else [
                {"policy": str(policy), "total": bound.total, "trivial": bound.trivial,
                 "vacuous": bound.vacuous} for policy, bound in self.bounds
            ],
            "when": self.timing.to_dict(),
            "next": self.next_steps(**traffic),
            "warnings": [vars(one) for one in self.warnings],
            "multiplier": G.name,
            "turns": G.turns,
            "arms": self.plan.arms,
            "seed": self.seed,
        }  # fmt: skip
