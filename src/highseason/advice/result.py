"""Advice as it is handed out: a policy, how sure that is, and what to beware of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from highseason.advice.belief import Belief
from highseason.advice.candidates import Kind
from highseason.advice.pathologies import Pathology
from highseason.bounds import RegretBound
from highseason.core.formatting import counted, format_number, listed, percent
from highseason.multipliers import Multiplier
from highseason.policies import Plan, Policy
from highseason.report import Figure, Timing, choices, timing
from highseason.results import Estimate, Table

#: A bound above this share of the worst case is true and useless.
_SILENT = 0.9


@dataclass(frozen=True, eq=False)
class Compared:
    """One policy beside the advised one, in games that had no part in any choice.

    Attributes:
        policy: With the parameters that did best when they were chosen.
        kind: Whether it explores never, whatever the stakes, or by the stakes.
        regret: The mean regret of a game.
        error: Its standard error.
        earned: The share of what the best arm would have earned.
        lead: By how much the advised policy is ahead, as a share of what the best arm would have
            earned; paired, with its 95% interval.
        chance: How likely the advised policy is really better.
        bound: The safe bound on its regret with arms as they are typically drawn, if there is one.
    """

    policy: Policy
    kind: Kind
    regret: float
    error: float
    earned: float
    lead: Estimate
    chance: float
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
            "chance_advised_better": self.chance,
            "bound": None if bound is None else {
                "total": bound.total, "trivial": bound.trivial, "vacuous": bound.vacuous,
            },
        }  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """Which policy to use; `print` it for the whole of it in words.

    Attributes:
        policy: The advised policy, with its parameters.
        plan: Its plan on this very G.
        compared: The best of each policy, the advised one among them, least regret first.
        runner_up: The position in `compared` of the best other policy when choosing.
        warnings: What to beware of.
        belief: What was taken to be known of the arms.
        tried: How many candidates there were.
        games: How many games judged.
        seed: The seed that was given; the games that chose and those that judged have others.
    """

    policy: Policy
    plan: Plan
    compared: tuple[Compared, ...]
    runner_up: int
    warnings: tuple[Pathology, ...]
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
        """The advised policy's own line."""
        return next(one for one in self.compared if one.policy == self.policy)

    @property
    def greedy(self) -> Compared:
        """The line of the policy that never explores."""
        return next(one for one in self.compared if one.kind == "greedy")

    @property
    def unregulated(self) -> Compared:
        """The line of the best policy that explores whatever the stakes."""
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
        """Whether a warning with this code was given."""
        return any(one.code == code for one in self.warnings)

    @property
    def verdict(self) -> str:
        """In a few sentences: what to use, and whether regulating pays."""
        better = [one for one in self.compared if one.lead.high < 0]
        text = self._verdict()
        if not better:
            return text
        return (
            f"{text}  In the games that judged, {listed([str(one.policy) for one in better])} did "
            "better: where so little is between them, chance decides who is chosen."
        )

    def _verdict(self) -> str:
        use = f"Use {self.policy}."
        if self.warns_of("nothing-to-learn"):
            return f"{use}  It makes no difference: the game ends before every arm was tried."
        if self.pays:
            return (
                f"{use}  Regulating pays here: it is ahead of {self.unregulated.policy}, the best "
                f"that ignores the stakes, by {_points(self.unregulated.lead)}, and of greedy by "
                f"{_points(self.greedy.lead)}."
            )
        if self.chosen.kind == "regulated":
            rival = self.greedy if self.greedy.lead.low <= 0 else self.unregulated
            return (
                f"{use}  That regulating pays here is not sure: it did when choosing, but the "
                f"games that judged do not show it clearly ahead of {rival.policy} "
                f"({_points(rival.lead)})."
            )
        regulated = next(one for one in self.compared if one.kind == "regulated")
        why = "Regulating does not pay here" if self.chosen.kind == "unregulated" else (
            "Neither exploring nor regulating pays here"
        )  # fmt: skip
        return (
            f"{use}  {why}: nothing that looks at the stakes was clearly better "
            f"(the best of them, {regulated.policy}, is {_side(_turned(regulated.lead))} "
            f"{_unsigned(regulated.lead)})."
        )

    @property
    def certainty(self) -> list[str]:
        """How sure it is that the advised policy is better: runner-up, greedy, unregulated."""
        told = []
        named = {
            "the runner-up": self.compared[self.runner_up],
            "greedy": self.greedy,
            "the best unregulated rule": self.unregulated,
        }
        for what, one in named.items():
            if one is self.chosen:
                continue
            name = "" if what == "greedy" else f", {one.policy}"
            told.append(
                f"better than {what}{name}: {_sure(one.chance)} sure ({_side(one.lead)} "
                f"{_unsigned(one.lead)})"
            )
        return told

    @property
    def guarantee(self) -> str:
        """What the safe bounds say, in a sentence."""
        known = [one for one in self.compared if one.bound is not None and not one.bound.vacuous]
        if not known:
            return (
                "The safe bounds say nothing here: for arms as they are typically drawn, none is "
                "below what the worst arm in every turn would cost."
            )
        best = min(known, key=lambda one: one.bound.total if one.bound else math.inf)
        assert best.bound is not None  # so chosen
        if best.bound.total > _SILENT * best.bound.trivial:
            return (
                f"The safe bounds say next to nothing here: for arms as they are typically drawn, "
                f"the least, that of {best.policy}, is {format_number(best.bound.total)}, "
                f"{percent(best.bound.total / best.bound.trivial)} of what the worst arm in every "
                f"turn would cost (played: {format_number(best.regret)})."
            )
        text = (
            f"By safe bound, for arms as they are typically drawn, {best.policy} is first: it "
            f"costs at most {format_number(best.bound.total)}, "
            f"{percent(best.bound.total / best.bound.trivial)} of the worst case (played: "
            f"{format_number(best.regret)})."
        )
        if best is self.chosen:
            return text
        own = self.chosen.bound
        if own is None:
            return f"{text}  There is no theorem about {self.policy.label}."
        told = "says nothing" if own.vacuous else f"is {format_number(own.total)}"
        return f"{text}  The bound of {self.policy} {told}."

    def table(self) -> Table:
        """A row for each policy at its best."""
        rows = []
        for one in self.compared:
            own = one is self.chosen
            rows.append((
                str(one.policy), percent(one.earned, 1), format_number(one.regret), format_number(one.error),
                "advised" if own else _points(one.lead), "" if own else _sure(one.chance),
                _bounded(one.bound),
            ))  # fmt: skip
        columns = ("policy", "earned", "regret", "± se", "advised ahead by", "sure", "safe bound")
        return Table(columns, tuple(rows), ("",) * len(columns))

    def figure(self) -> Figure:
        """A picture: who is ahead of whom, when the advised policy explores, and the stakes."""
        leads = {str(one.policy): one.lead for one in self.compared if one is not self.chosen}
        return choices(self.plan, leads)

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
        """The whole of it, for people."""
        G, settled = self.multiplier, self.policy.resolve_thresholds(self.multiplier.values)
        head = (
            f"{G.name}: {counted(G.turns, 'turn')}, G from {format_number(float(G.values.min()))} to "
            f"{format_number(float(G.values.max()))}; {counted(self.belief.arms, 'arm')}, {self.belief}"
        )
        values = ", ".join(f"{k} = {_value(v)}" for k, v in settled.parameters().items()
                           if k not in ("ties", "variant"))  # fmt: skip
        parts = [head, "", self.verdict]
        parts += [f"Its parameters on this G: {values}."] if values else []
        parts += ["", str(self.table())]
        parts += [
            "earned: of what the best arm would have; ahead: in points of that, with its 95% "
            "interval,",
            f"paired; from {counted(self.games, 'game')} that had no part in choosing among "
            f"{counted(self.tried, 'candidate')}.",
        ]
        parts += ["", "How sure:", *(f"- {line}" for line in self.certainty)]
        parts += ["", f"When it explores: {self.policy} {self.timing.sentence()}"]
        parts += ["", self.guarantee]
        parts += ["", "Beware:"] if self.warnings else []
        parts += [f"- {one.text}" for one in self.warnings]
        return "\n".join(parts)

    __repr__ = __str__


def _points(lead: Estimate) -> str:
    """A lead in percentage points, with its interval."""
    if not math.isfinite(lead.error):
        return f"{100 * lead.value:+.2f} points"
    return f"{100 * lead.value:+.2f} points ({100 * lead.low:+.2f} to {100 * lead.high:+.2f})"


def _turned(lead: Estimate) -> Estimate:
    """The same lead, told by the other side."""
    return Estimate(-lead.value, lead.error, -lead.high, -lead.low)


def _side(lead: Estimate) -> str:
    return "ahead by" if lead.value >= 0 else "behind by"


def _unsigned(lead: Estimate) -> str:
    return _points(lead if lead.value >= 0 else _turned(lead)).removeprefix("+")


def _sure(chance: float) -> str:
    """A chance from games is never certain.

    >>> _sure(1.0), _sure(0.0), _sure(0.5)
    ('over 99%', 'under 1%', '50%')
    """
    return percent(min(max(chance, 1e-9), 1 - 1e-9))


def _bounded(bound: RegretBound | None) -> str:
    if bound is None:
        return "no theorem"
    if bound.vacuous:
        return "says nothing"
    return f"{format_number(bound.total)} ({percent(bound.total / bound.trivial)})"


def _value(value: Any) -> str:
    return format_number(value) if isinstance(value, float) else str(value)
