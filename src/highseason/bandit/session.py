"""One live game: how requests become events, and how events change it.

A request is checked completely and becomes an event, or nothing; `apply` alone changes the session.
So a session that applies the events of a store is the one that wrote them.
"""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np

from highseason.bandit.arm_table import hashable, lifetime_of
from highseason.bandit.errors import BanditError, DocumentError
from highseason.bandit.events import (
    ArmAdded,
    ArmRemoved,
    BanditStarted,
    Event,
    HistoryLearned,
    Lesson,
    MultiplierExtended,
    MultiplierReplaced,
    OutcomesReported,
    RewardCorrected,
    TurnDecided,
)
from highseason.bandit.learning import LearningGame
from highseason.bandit.ledger import (
    NO_ROW,
    ArmT,
    Decision,
    Scale,
    TurnOutcome,
    pack,
    probabilities_of,
)
from highseason.bandit.multiplier_source import TurnLike, source_of
from highseason.core.validation import finite_number, non_negative_number
from highseason.core.warnings import warn_user
from highseason.engine.turn import choose
from highseason.policies import ArmState, PlanWarning, Policy, Turn
from highseason.policies.lifetimes import offer_opening


class Report(NamedTuple):
    """One row of `update_many`: the arm, its turn's total reward, and the traffic."""

    arm: Any
    reward: Any
    t: Any = None
    traffic: Any = None


class BanditSession(LearningGame[ArmT]):
    """Arms, multiplier and ledger, and how they change together."""

    @classmethod
    def start(cls, event: BanditStarted[ArmT], policy: Policy) -> Self:
        """The session that an event starts."""
        scale = Scale.of(event.reward_range, policy)
        source = source_of(policy, event.multiplier, event.known)
        session = cls(policy, event.seed, scale, source)
        for arm, lifetime in zip(event.arms, event.lifetimes, strict=True):
            session.table.require_absent(arm, 1)
            session.table.add(arm, 1, lifetime, held=False)
        if not session.names:
            raise BanditError("a bandit needs at least one arm")
        session.table.choose_opening()
        session.seq = event.seq
        return session

    # -- deciding ---------------------------------------------------------------------------------

    def turn_of(self, t: TurnLike | None) -> int:
        """The turn that is meant; None is the one after the last that was decided."""
        return self.source.turn_of(self.ledger.last_turn + 1 if t is None else t)

    def decide(
        self, turn: int, available: Iterable[ArmT] | None, expected: float | None
    ) -> TurnDecided[ArmT]:
        """Choose the arm of an undecided turn."""
        expected, state, asked = self._ask(turn, available, expected)
        rule = self.policy.rule
        arm, exploited = choose(rule, state, asked)
        certain = not (rule.traits.stochastic or asked.random_ties)
        propensities = None if certain else pack(probabilities_of(rule, state, asked))
        probability = 1.0 if propensities is None else propensities.of(arm)
        decided = turn, self.table.ids[arm], probability, exploited, asked.level
        return TurnDecided(self.seq + 1, *decided, propensities, expected)

    def probabilities(
        self, t: TurnLike | None, available: Iterable[ArmT] | None, expected: float | None
    ) -> dict[ArmT, float]:
        """The probability of each arm in a turn; of a decided one, what it was at that moment."""
        turn = self.turn_of(t)
        row = self.ledger.row(turn)
        if row != NO_ROW:
            values = [self.ledger.probability(row, arm) for arm in range(len(self.table.ids))]
        else:
            _, state, asked = self._ask(turn, available, expected)
            values = probabilities_of(self.policy.rule, state, asked).tolist()
        entries = zip(self.table.ids, values, self.table.present(turn), strict=True)
        return {arm: value for arm, value, present in entries if present or value > 0.0}

    def _ask(
        self, turn: int, available: Iterable[ArmT] | None, expected: float | None
    ) -> tuple[float | None, ArmState, Turn]:
        """What is expected, and the question to the rule: a state and a turn."""
        allowed = self.table.allowed(turn, available)
        expected = self.source.expected(turn, expected)
        level = self.source.level(self._arms(turn), turn, expected)
        if self.table.held.any() and not self.source.is_low(turn, expected):
            allowed = self.table.without_held(allowed)
        state = self.table.state_at(turn)
        offer_opening(state, self.table.opening, allowed)
        if self.policy.rule.recall is not None:
            state = state._replace(shared=state.shared.copy())
            self.policy.rule.recall(state, turn, self.ledger.before(turn))
        return expected, state, self._turn(turn, level, expected)

    def _arms(self, turn: int) -> int:
        return int(np.count_nonzero(self.table.present(turn)))

    # -- learning ---------------------------------------------------------------------------------

    def report(self, reports: Iterable[Report], numbered: bool = False) -> OutcomesReported | None:
        """Check reports; with `numbered`, errors name the row."""
        new: dict[int, TurnOutcome] = {}
        for number, report in enumerate(reports, start=1):
            try:
                row = self._row_of(report, new)
                traffic = None if report.traffic is None else _traffic(report.traffic)
                self._merge(row, finite_number("reward", report.reward, BanditError), traffic, new)
            except ValueError as reason:
                if not numbered:
                    raise
                raise type(reason)(f"row {number}: {reason}") from None
        return self._reported(new)

    def report_traffic(self, t: TurnLike, value: float) -> OutcomesReported | None:
        """Check the traffic of a decided turn."""
        new: dict[int, TurnOutcome] = {}
        traffic = _traffic(value)
        self._merge(self.row_of_decided(t), None, traffic, new)
        return self._reported(new)

    def correct(self, t: TurnLike, reward: float) -> RewardCorrected | None:
        """Check a reward that replaces another."""
        before = self.ledger.outcome(self.row_of_decided(t))
        after = before._replace(reward=finite_number("reward", reward, BanditError))
        if before.reward is None:
            raise BanditError(
                f"turn {before.turn} has no reward to correct: report it with update(…)"
            )
        _require_finite(after)
        corrected = RewardCorrected(self.seq + 1, before.turn, after.reward or 0.0)
        return None if after == before else corrected

    def fit(self, reports: Iterable[Report]) -> HistoryLearned[ArmT] | None:
        """Check rewards from before the first turn; errors name the row."""
        if len(self.ledger):
            raise BanditError(
                f"fit is for what came before the first turn, but turn {self.ledger.last_turn} is "
                "decided: report rewards with update_many(…)"
            )
        lessons: list[Lesson[ArmT]] = []
        for number, (arm, reward, _, traffic) in enumerate(reports, start=1):
            try:
                self.table.index(arm)
                came = TurnOutcome(0, finite_number("reward", reward), _traffic(traffic))
                _require_finite(came)
                if came.lesson is not None:
                    lessons.append(Lesson(hashable(arm), *came.lesson))
            except ValueError as reason:
                raise BanditError(f"row {number}: {reason}") from None
        return HistoryLearned(self.seq + 1, tuple(lessons)) if lessons else None

    def _reported(self, new: dict[int, TurnOutcome]) -> OutcomesReported | None:
        return OutcomesReported(self.seq + 1, tuple(new.values())) if new else None

    def _merge(
        self, row: int, reward: float | None, traffic: float | None, new: dict[int, TurnOutcome]
    ) -> None:
        """Add what a report says of a row to the new outcomes, if it says anything new."""
        before = new[row] if row in new else self.ledger.outcome(row)
        after = before.merged(reward, traffic)
        if reward is not None and after.traffic is None:
            after = after._replace(traffic=self.source.traffic_of(after.turn))
        _require_finite(after)
        if after != before:
            new.pop(row, None)  # reported again: it is learned in the order of its last report
            new[row] = after

    def row_of_decided(self, t: TurnLike) -> int:
        """The row of a decided turn."""
        turn = self.source.turn_of(t)
        row = self.ledger.row(turn)
        if row == NO_ROW:
            raise BanditError(f"turn {turn} is not decided yet: call pull(t={turn}) first")
        return row

    def _row_of(self, report: Report, taken: dict[int, TurnOutcome]) -> int:
        arm = self.table.index(report.arm)
        if report.t is None:
            row = self.ledger.latest_open(arm, taken)
            if row == NO_ROW:
                raise BanditError(
                    f"every decided turn of the arm {report.arm!r} has a reward: pass the turn "
                    "that is meant (t=…)"
                )
            return row
        row = self.row_of_decided(report.t)
        if self.ledger.arms[row] != arm:
            decided = self.table.ids[self.ledger.arms[row]]
            raise BanditError(
                f"turn {self.ledger.turns[row]} was decided for the arm {decided!r}, "
                f"not {report.arm!r}"
            )
        return row

    # -- arms and turns ---------------------------------------------------------------------------

    def add_arm(self, arm: ArmT, hold: bool, expires: Any) -> ArmAdded[ArmT]:
        """Check an arm that is to be added; held back until a low turn if asked and untried."""
        last = self.ledger.last_turn
        self.table.require_absent(arm, last + 1)
        lifetime = lifetime_of(arm, expires, self.policy, self.source, last)
        if hold and self.table.is_untried(arm) and not self.source.has_low_turn_after(last):
            warn_user(
                f"no low turn is left in the forecast on which to try the arm {arm!r}: it waits "
                "until extend(…) brings one; use when='now' to try it at once",
                PlanWarning,
            )
        return ArmAdded(self.seq + 1, hashable(arm), lifetime, hold)

    def remove_arm(self, arm: ArmT) -> ArmRemoved[ArmT]:
        """Check an arm that is to be removed."""
        self.table.require_active(arm)
        return ArmRemoved(self.seq + 1, hashable(arm))

    def extend(self, more: object) -> MultiplierExtended:
        """Check turns that are to be appended."""
        return MultiplierExtended(self.seq + 1, self.source.extension(more))

    def reforecast(self, turn: int, forecast: object) -> MultiplierReplaced:
        """Check what is to replace the turns after `turn`, which is the last that was decided."""
        if turn != self.ledger.last_turn:
            raise BanditError(
                f"turn {self.ledger.last_turn} is the last that was decided: a forecast replaces "
                f"the turns after it, not after turn {turn}"
            )
        return MultiplierReplaced(self.seq + 1, turn, self.source.replacement(turn, forecast))

    # -- events -----------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Change as an event says; it was checked before."""
        last = self.ledger.last_turn
        match event:
            case TurnDecided():
                arm = self.table.index(event.arm)
                self.table.keep_state(event.turn)
                self.source.decided(self._arms(event.turn), event.expected)
                self.table.selected(arm)
                self.ledger.enter(event.turn, arm, event.level, event.exploited, event.propensities)
            case OutcomesReported():
                for outcome in event.outcomes:
                    self._book(outcome)
            case RewardCorrected():
                self._correct(self.ledger.row(event.turn), event.reward)
            case HistoryLearned():
                for lesson in event.lessons:
                    self._learn_past(lesson)
            case ArmAdded():
                self.table.add(event.arm, last + 1, event.lifetime, event.held)
            case ArmRemoved():
                self.table.remove(event.arm, last)
            case MultiplierExtended():
                self.source.extend(event.multiplier)
                self.table.reread_dates()
            case MultiplierReplaced():
                self.source.replace(event.turn, event.multiplier)
                self.table.reread_dates()
        self.seq = event.seq

    def _book(self, outcome: TurnOutcome) -> None:
        row = self.ledger.row(outcome.turn)
        before = self.ledger.outcome(row)
        self.ledger.book(row, outcome.reward, outcome.traffic)
        if before.traffic is None and outcome.traffic is not None:
            self.source.observed(outcome.traffic)
        if before.lesson is None and outcome.lesson is not None:
            self._learn(row, *outcome.lesson)

    def replay(self, event: Event) -> None:
        """Apply an event that was read from a store; one that makes no sense is refused."""
        if event.seq != self.seq + 1:
            raise DocumentError(f"expected event {self.seq + 1}, got {event.seq}")
        try:
            self._check(event)
            self.apply(event)
        except DocumentError:
            raise
        except (ValueError, TypeError) as reason:
            raise DocumentError(f"corrupt event {event.seq}: {reason}") from reason

    def _check(self, event: Event) -> None:
        match event:
            case TurnDecided():
                self._check_decision(event)
            case OutcomesReported():
                for turn, reward, traffic in event.outcomes:
                    row = self.row_of_decided(turn)
                    reward = None if reward is None else finite_number("reward", reward)
                    self._merge(row, reward, None if traffic is None else _traffic(traffic), {})
            case RewardCorrected():
                self.correct(event.turn, event.reward)
            case HistoryLearned():
                self.fit(Report(arm, reward, None, came) for arm, reward, came in event.lessons)
            case ArmAdded():
                self.table.require_absent(event.arm, self.ledger.last_turn + 1)
            case ArmRemoved():
                self.table.require_active(event.arm)
            case MultiplierExtended():
                self.source.extension(event.multiplier)
            case MultiplierReplaced():
                self.reforecast(event.turn, event.multiplier)
            case _:
                raise BanditError(f"{type(event).__name__} may only be the first")

    def _check_decision(self, event: TurnDecided[ArmT]) -> None:
        arm, turn = self.table.index(event.arm), self.source.turn_of(event.turn)
        if self.ledger.row(turn) != NO_ROW:
            raise BanditError(f"turn {turn} is already decided")
        if not self.table.present(turn)[arm]:
            raise BanditError(f"the arm {event.arm!r} is not in the game in turn {turn}")
        self.source.expected(turn, event.expected)
        finite_number("level", event.level)
        packed = event.propensities
        if packed is not None and not packed.fit(arm, len(self.table.ids)):
            raise BanditError("propensities must be the probabilities of all arms, which add to 1")
        if event.probability != (1.0 if packed is None else packed.of(arm)):
            raise BanditError("probability and propensities differ")

    # -- looking ----------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[ArmT, ...]:
        """The arms in the game in the turn after the last that was decided."""
        return self.table.names(self.ledger.last_turn + 1)

    def decision(self, row: int) -> Decision[ArmT]:
        """A row of the ledger, as users see it."""
        ledger, arm = self.ledger, self.ledger.arms[row]
        turn, reward, traffic = ledger.outcome(row)
        chosen = ledger.probability(row, arm), bool(ledger.exploited[row]), ledger.levels[row]
        return Decision(
            turn, self.table.ids[arm], *chosen, reward, traffic, self.source.date_of(turn)
        )


def _require_finite(outcome: TurnOutcome) -> None:
    if outcome.lesson is not None and not math.isfinite(outcome.lesson[0] / outcome.lesson[1]):
        raise BanditError(
            f"reward={outcome.reward:g} with traffic={outcome.traffic:g} is too much per "
            "customer for a floating-point number"
        )


def _traffic(value: Any) -> float:
    return non_negative_number("traffic", value, BanditError)
