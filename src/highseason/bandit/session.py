"""One live game: how requests become events, and how events change it.

A request is checked completely and becomes an event, or nothing; `apply` alone changes the session.
So a session that applies the events of a store is the one that wrote them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Generic, NamedTuple

import numpy as np

from highseason.bandit.arm_table import ArmTable, hashable, lifetime_of
from highseason.bandit.errors import BanditError, DocumentError
from highseason.bandit.events import (
    ArmAdded,
    ArmRemoved,
    BanditStarted,
    Event,
    MultiplierExtended,
    OutcomesReported,
    TurnDecided,
)
from highseason.bandit.ledger import (
    NO_ROW,
    ArmT,
    Decision,
    Ledger,
    Scale,
    TurnOutcome,
    pack,
    probabilities_of,
)
from highseason.bandit.multiplier_source import MultiplierSource, TurnLike, source_of
from highseason.core.random import game_key, turn_key
from highseason.core.validation import finite_number, non_negative_number
from highseason.core.warnings import warn_user
from highseason.engine import ArmState, Observation, Turn, learn
from highseason.engine.lifetimes.presence import offer_opening
from highseason.engine.step import choose
from highseason.policies import PlanWarning, Policy


class Report(NamedTuple):
    """One row of `update_many`: the arm, its turn's total reward, and the traffic."""

    arm: Any
    reward: Any
    t: Any = None
    traffic: Any = None


class BanditSession(Generic[ArmT]):
    """Arms, multiplier and ledger, and how they change together."""

    def __init__(self, policy: Policy, seed: int, scale: Scale, source: MultiplierSource) -> None:
        self.policy, self.seed, self.scale, self.source = policy, int(seed), scale, source
        self.table: ArmTable[ArmT] = ArmTable(policy, source)
        self.ledger = Ledger()
        self.clipped = 0
        self.seq = 0  # of the last event
        self._game_key = game_key(seed, 0)

    @classmethod
    def start(cls, event: BanditStarted[ArmT], policy: Policy) -> BanditSession[ArmT]:
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
        return expected, state, self._turn(turn, level, expected)

    def _arms(self, turn: int) -> int:
        return int(np.count_nonzero(self.table.present(turn)))

    def _turn(self, turn: int, level: float, expected: float | None) -> Turn:
        key = turn_key(self._game_key, turn)
        return self.source.turn(turn, level, key, self.policy.ties == "random", expected)

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
        if after.lesson is not None and not math.isfinite(after.lesson[0] / after.lesson[1]):
            raise BanditError(
                f"reward={after.reward:g} with traffic={after.traffic:g} is too much per "
                "customer for a floating-point number"
            )
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
            case ArmAdded():
                self.table.add(event.arm, last + 1, event.lifetime, event.held)
            case ArmRemoved():
                self.table.remove(event.arm, last)
            case MultiplierExtended():
                self.source.extend(event.multiplier)
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

    def _learn(self, row: int, reward: float, traffic: float) -> None:
        value, clipped = self.scale.learned(reward, traffic)
        self.clipped += clipped
        turn = self._turn(self.ledger.turns[row], self.ledger.levels[row], None)
        # The arms there now: the reward may be late, and its turn's arms gone.
        state, present = self.table.learning_state(), self.table.present(self.ledger.last_turn)
        observation = Observation(self.ledger.arms[row], value, 1.0)
        learn(self.policy.rule, state, turn, observation, present)

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
            case ArmAdded():
                self.table.require_absent(event.arm, self.ledger.last_turn + 1)
            case ArmRemoved():
                self.table.require_active(event.arm)
            case MultiplierExtended():
                self.source.extension(event.multiplier)
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


def _traffic(value: Any) -> float:
    return non_negative_number("traffic", value, BanditError)
