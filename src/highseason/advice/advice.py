"""Advice: a policy, how sure the recommendation is, and what to watch out for."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import Any

from highseason.advice.candidates import Belief, Kind
from highseason.advice.cautions import Caution
from highseason.bounds import RegretBound
from highseason.core.formatting import counted, format_number, listed, percent
from highseason.multipliers import Multiplier
from highseason.policies import Plan, Policy
from highseason.report import Figure, Timing, timing
from highseason.report import advice as draw_advice
from highseason.results import Estimate, Table

#: A bound above this share of the worst case is correct but useless.
_USELESS = 0.9
_COLUMNS = 80


@dataclass(frozen=True, eq=False)
class Compared:
    """One policy beside the advised one, in games that were not used to choose.

    Attributes:
        policy: With the parameters that did best in selection.
        kind: Whether it explores never, regardless of G, or regulated by G.
        regret: The mean regret of a game.
        error: Its standard error.
        earned: The share of the best arm's reward.
        lead: How far the advised policy is ahead, as a share of the best arm's reward; paired, with
            its 95% interval.
        probability: That the advised policy is really better.
        bound: The safe bound on its regret for typical arms, if there is a theorem.
    """

    policy: Policy
    kind: Kind
    regret: float
    error: float
    earned: float
    lead: Estimate
    probability: float
    bound: RegretBound | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        bound = self.bound
        return {
            "policy": str(self.policy),
            "name": self.policy.label,
            "parameters": self.policy.parameters(),
            "kind": self.kind,
            "regret_mean": self.regret,
            "regret_se": self.error,
            "earned_share": self.earned,
            "advised_ahead": self.lead.value,
            "advised_ahead_low": self.lead.low,
            "advised_ahead_high": self.lead.high,
            "chance_advised_better": self.probability,
            "bound": None if bound is None else {
                "total": bound.total, "trivial": bound.trivial, "vacuous": bound.vacuous,
            },
        }  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """Which policy to use; `print` it for all of it in words.

    Attributes:
        policy: The advised policy, with its parameters.
        plan: Its plan for this G.
        compared: The best of each policy, the advised one included, least regret first.
        runner_up: The position in `compared` of the second best policy in selection.
        warnings: What to watch out for.
        belief: What was assumed about the arms.
        tried: The number of candidates.
        games: The number of evaluation games.
        seed: The seed that was passed; selection and evaluation derive theirs from it.
    """

    policy: Policy
    plan: Plan
    compared: tuple[Compared, ...]
    runner_up: int
    warnings: tuple[Caution, ...]
    belief: Belief
    tried: int
    games: int
    seed: int

    @property
    def multiplier(self) -> Multiplier:
        """G."""
        return self.plan.multiplier

    @property
    def chosen(self) -> Compared:
        """The advised policy's own entry."""
        return next(one for one in self.compared if one.policy == self.policy)

    @property
    def greedy(self) -> Compared:
        """The entry of the policy that never explores."""
        return next(one for one in self.compared if one.kind == "greedy")

    @property
    def unregulated(self) -> Compared:
        """The entry of the best policy that explores regardless of G."""
        return next(one for one in self.compared if one.kind == "unregulated")

    @property
    def timing(self) -> Timing:
        """When to expect exploration."""
        return timing(self.plan)

    @property
    def pays(self) -> bool:
        """Whether regulating clearly pays: against greedy and against the best without it."""
        rivals = (self.greedy, self.unregulated)
        return self.chosen.kind == "regulated" and all(one.lead.low > 0 for one in rivals)

    def warns_of(self, code: str) -> bool:
        """Whether there is a warning with this code."""
        return any(one.code == code for one in self.warnings)

    @property
    def verdict(self) -> str:
        """What to use, and whether regulating pays, in a few sentences."""
        text = f"Use {self.policy}.  {self._reason()}"
        better = [str(one.policy) for one in self.compared if one.lead.high < 0]
        if not better:
            return text
        return (
            f"{text}  In the evaluation games {listed(better)} did better: the policies are so "
            "close that chance decides which is chosen."
        )

    def _reason(self) -> str:
        if self.warns_of("nothing-to-learn"):
            return "It makes no difference: the game ends before every arm has been tried."
        if self.pays:
            return (
                f"Regulating pays here: it leads {self.unregulated.policy}, the best policy that "
                f"ignores G, by {_points(self.unregulated.lead)}, and greedy by "
                f"{_points(self.greedy.lead)}."
            )
        if self.chosen.kind == "regulated":
            rival = self.greedy if self.greedy.lead.low <= 0 else self.unregulated
            return (
                "It is unclear whether regulating pays here: it won in selection, but not clearly "
                f"in the evaluation games (against {rival.policy}: {_points(rival.lead)})."
            )
        regulated = next(one for one in self.compared if one.kind == "regulated")
        neither = self.chosen.kind == "greedy"
        what = "Neither exploring nor regulating pays" if neither else "Regulating does not pay"
        return (
            f"{what} here: no policy regulated by G was clearly better (the best of them, "
            f"{regulated.policy}, is {_ahead(_reverse(regulated.lead))})."
        )

    @property
    def certainty(self) -> list[str]:
        """How sure it is that the advised policy beats the runner-up, greedy and unregulated."""
        rivals = {
            f"the runner-up, {self.compared[self.runner_up].policy}": self.compared[self.runner_up],
            "greedy": self.greedy,
            f"the best unregulated policy, {self.unregulated.policy}": self.unregulated,
        }
        return [
            f"better than {name}: {_sure(one.probability)} sure ({_ahead(one.lead)})"
            for name, one in rivals.items()
            if one is not self.chosen
        ]

    @property
    def guarantee(self) -> str:
        """What the safe bounds say."""
        bounded = [(one, one.bound) for one in self.compared if one.bound is not None]
        useful = [(one, bound) for one, bound in bounded if not bound.vacuous]
        if not useful:
            return (
                "The safe bounds are vacuous here: for typical arms, none is below the cost of "
                "always playing the worst arm."
            )
        best, bound = min(useful, key=lambda entry: entry[1].total)
        total, share = format_number(bound.total), percent(bound.total / bound.trivial)
        simulated = f"(simulated: {format_number(best.regret)})"
        if bound.total > _USELESS * bound.trivial:
            return (
                f"The safe bounds say little here: for typical arms the tightest, that of "
                f"{best.policy}, is {total}, {share} of the cost of always playing the worst arm "
                f"{simulated}."
            )
        text = (
            f"For typical arms the tightest safe bound is that of {best.policy}: it costs at most "
            f"{total}, {share} of the worst case {simulated}."
        )
        if best is self.chosen:
            return text
        own = self.chosen.bound
        if own is None:
            return f"{text}  No theorem covers {self.policy.label}."
        value = "vacuous" if own.vacuous else format_number(own.total)
        return f"{text}  The bound of {self.policy} is {value}."

    def table(self) -> Table:
        """The best of each policy; leads in percentage points, bounds in % of the worst case."""
        rows = [
            (
                str(one.policy), percent(one.earned, 1), format_number(one.regret),
                *(("advised", "") if one is self.chosen else
                  (_plus_minus(one.lead), _sure(one.probability))),
                _bound_share(one.bound),
            )
            for one in self.compared
        ]  # fmt: skip
        columns = ("policy", "earned", "regret", "lead", "sure", "bound")
        return Table(columns, tuple(rows), ("",) * len(columns))

    def figure(self) -> Figure:
        """A figure: the lead over each other policy, the advised plan, and the multiplier."""
        leads = {str(one.policy): one.lead for one in self.compared if one is not self.chosen}
        return draw_advice(self.plan, leads)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "policy": str(self.policy),
            "name": self.policy.label,
            "parameters": self.policy.parameters(),
            "settled": self.policy.resolve_thresholds(self.multiplier.values).parameters(),
            "kind": self.chosen.kind,
            "verdict": self.verdict,
            "regulating_pays": self.pays,
            "earned_share": self.chosen.earned,
            "over_runner_up": self.compared[self.runner_up].to_dict(),
            "over_greedy": self.greedy.to_dict(),
            "over_unregulated": self.unregulated.to_dict(),
            "compared": [one.to_dict() for one in self.compared],
            "guarantee": self.guarantee,
            "when": self.timing.to_dict(),
            "warnings": [{"code": one.code, "text": one.text} for one in self.warnings],
            "multiplier": self.multiplier.name,
            "turns": self.multiplier.turns,
            "arms": self.belief.arms,
            "between": list(self.belief.between),
            "gap": self.belief.gap,
            "candidates": self.tried,
            "games": self.games,
            "seed": self.seed,
        }

    def __str__(self) -> str:
        """All of it, in lines of at most 80 columns."""
        parts = [
            _wrapped(self._setting()),
            "",
            _wrapped(self.verdict),
            *([_wrapped(f"On this G: {values}.")] if (values := self._parameters()) else []),
            "",
            str(self.table()),
            _wrapped(
                "earned: share of the best arm's reward.  lead: of the advised policy, in "
                "percentage points of that reward, ± half its 95% interval (paired).  sure: the "
                "probability that the advised policy is better.  bound: safe bound, in % of the "
                f"worst case.  All from {counted(self.games, 'game')} not used to choose among the "
                f"{counted(self.tried, 'candidate')}."
            ),
            "",
            "How sure:",
            *map(_bullet, self.certainty),
            "",
            _wrapped(f"When it explores: {self.policy} {self.timing.sentence()}"),
            "",
            _wrapped(self.guarantee),
            *(["", "Watch out:"] if self.warnings else []),
            *(_bullet(one.text) for one in self.warnings),
        ]
        return "\n".join(parts)

    __repr__ = __str__

    def _setting(self) -> str:
        G = self.multiplier
        low, high = format_number(float(G.values.min())), format_number(float(G.values.max()))
        arms = counted(self.belief.arms, "arm")
        return (
            f"{G.name}: {counted(G.turns, 'turn')}, G from {low} to {high}; {arms}, {self.belief}"
        )

    def _parameters(self) -> str:
        resolved = self.policy.resolve_thresholds(self.multiplier.values).parameters()
        return ", ".join(
            f"{name} = {format_number(value) if isinstance(value, float) else value}"
            for name, value in resolved.items()
            if name not in ("ties", "variant")
        )


def _wrapped(text: str, first: str = "", then: str = "") -> str:
    # Names of policies have hyphens, and are not to be broken at them.
    return textwrap.fill(
        text, _COLUMNS, initial_indent=first, subsequent_indent=then, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _bullet(text: str) -> str:
    return _wrapped(text, first="- ", then="  ")


def _points(lead: Estimate) -> str:
    """A lead in percentage points, with its interval."""
    if not math.isfinite(lead.error):
        return f"{100 * lead.value:+.2f} points"
    return f"{100 * lead.value:+.2f} points ({100 * lead.low:+.2f} to {100 * lead.high:+.2f})"


def _plus_minus(lead: Estimate) -> str:
    """A lead in percentage points, with half its interval.

    >>> _plus_minus(Estimate(0.0481, 0.0083, 0.0318, 0.0644))
    '+4.81 ± 1.63'
    """
    if not math.isfinite(lead.error):
        return f"{100 * lead.value:+.2f}"
    return f"{100 * lead.value:+.2f} ± {100 * (lead.high - lead.value):.2f}"


def _reverse(lead: Estimate) -> Estimate:
    """The same lead, seen from the other side."""
    return Estimate(-lead.value, lead.error, -lead.high, -lead.low)


def _ahead(lead: Estimate) -> str:
    side, lead = ("ahead", lead) if lead.value >= 0 else ("behind", _reverse(lead))
    return f"{side} by {_points(lead).removeprefix('+')}"


def _sure(probability: float) -> str:
    """A probability estimated from games is never 0 or 1.

    >>> _sure(1.0), _sure(0.0), _sure(0.5)
    ('over 99%', 'under 1%', '50%')
    """
    return percent(min(max(probability, 1e-9), 1 - 1e-9))


def _bound_share(bound: RegretBound | None) -> str:
    if bound is None:
        return "–"
    return "vacuous" if bound.vacuous else percent(bound.total / bound.trivial)
