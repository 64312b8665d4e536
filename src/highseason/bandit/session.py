"""One live game: the same plan and rule as `play`, with rewards that come when they come.

Everything here is plain single-threaded logic; `Bandit` is its locked front.  A request is checked
completely before anything changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from highseason.bandit.arm_table import ArmTable, listed
from highseason.bandit.errors import BanditError
from highseason.bandit.ledger import NOWHERE, Account, Decision, Ledger
from highseason.bandit.lifetimes import check_told, expiry_turn, weigh
from highseason.bandit.multiplier_source import MultiplierSource
from highseason.bandit.numbers import finite, not_negative
from highseason.bandit.propensities import chances_of, pack
from highseason.bandit.scale import Scale
from highseason.core.random import game_key, turn_key
from highseason.core.warnings import warn_user
from highseason.multipliers.instants import When
from highseason.policies import PlanWarning, Policy
from highseason.rules import UNKNOWN_END, Turn, estimate


class Report(NamedTuple):
    """One row of news: the arm, its turn's total reward, and the traffic that brought it."""

    arm: Any
    reward: Any
    t: Any = None
    traffic: Any = None


class Ranked(NamedTuple):
    """An arm, its estimate, and how many of its turns have been learnt from.

    The estimate is in the user's unit, None before any reward; old rewards may count less in it.
    """

    arm: Any
    estimate: float | None
    pulls: int


class BanditSession:
    """Arms, source and ledger, and how they move together."""

    def __init__(
        self, policy: Policy, seed: int, scale: Scale, source: MultiplierSource, table: ArmTable
    ) -> None:
        """A game in which no turn was decided yet."""
        self._start = game_key(seed, 0)
        self.policy, self.seed, self.scale = policy, int(seed), scale
        self.source, self.table, self.ledger = source, table, Ledger()
        self.clipped = 0

    # -- deciding ---------------------------------------------------------------------------------

    def decide(self, t: Any, available: Iterable[Any] | None, expected: Any) -> int:
        """The ledger's row of a turn, which is decided now if it was not before."""
        turn = self.turn_of(t)
        row = self.ledger.row(turn)
        if row != NOWHERE:
            return row
        asked = self._ask(turn, available, expected)
        rule, state = self.policy.rule, self.table.state
        chances = chances_of(rule, state, asked)
        arm, exploited = rule.choose(state, asked)
        arm = int(arm)
        if not (0 <= arm < state.available.size and state.available[arm]):
            raise BanditError(f"the rule {rule.name!r} chose arm {arm}, which may not be played")
        self.table.decided(arm)
        self.source.decided()
        return self.ledger.enter(turn, arm, asked.level, bool(exploited), pack(chances))

    def chances(self, t: Any, available: Iterable[Any] | None, expected: Any) -> dict[Any, float]:
        """The chance of each arm in a turn; of a decided one, what it was at that moment."""
        turn = self.turn_of(t)
        row = self.ledger.row(turn)
        if row != NOWHERE:
            found = [self.ledger.chance(row, arm) for arm in range(len(self.table.ids))]
        else:
            asked = self._ask(turn, available, expected)
            found = chances_of(self.policy.rule, self.table.state, asked).tolist()
        entries = zip(self.table.ids, found, self.table.there(turn), strict=True)
        return {name: chance for name, chance, active in entries if active or chance > 0.0}

    def turn_of(self, t: Any) -> int:
        """The turn that is meant; None is the one after the last that was decided."""
        return self.source.turn_of(self.ledger.last_turn + 1 if t is None else t)

    def _ask(self, turn: int, available: Iterable[Any] | None, expected: Any) -> Turn:
        """The question to the rule, with the arms that may be played marked in its state."""
        names = None if available is None else listed("available", available)
        allowed = self.table.asked(turn, names)
        number = self.source.number(turn, int(self.table.there(turn).sum()), expected)
        if self.table.held.any() and not self.source.is_low(turn):
            allowed = self.table.without_held(allowed)
        weigh(self.table, self.policy, self.source, turn)
        self.table.state.available[:] = self.table.unopened(allowed)
        return self._turn(turn, number)

    def _turn(self, turn: int, number: float) -> Turn:
        key = turn_key(self._start, turn)
        return Turn(turn, number, key, self.policy.ties == "random", turn)

    # -- learning ---------------------------------------------------------------------------------

    def update(self, reports: Iterable[Report], numbered: bool = False) -> None:
        """Take in all of the reports, or none of them; `numbered` errors say which is wrong."""
        fresh: dict[int, Account] = {}
        for number, report in enumerate(reports, start=1):
            try:
                self._hear(report, fresh)
            except ValueError as reason:
                if not numbered:
                    raise
                raise type(reason)(f"row {number}: {reason}") from None
        for row, account in fresh.items():
            self._book(row, account)

    def _hear(self, report: Report, fresh: dict[int, Account]) -> None:
        row = self._row_of(report, fresh)
        known = fresh[row] if row in fresh else self.ledger.account(row)
        account = self._account(row, known, report)
        if account != known:
            fresh.pop(row, None)  # heard again: it is learnt in the order of the last news of it
            fresh[row] = account

    def tell_traffic(self, t: Any, value: Any) -> None:
        """The traffic of a decided turn."""
        told = not_negative("traffic", value)
        row = self.row_of_decided(t)
        known = self.ledger.account(row)
        account = known.merged(Account(None, told), self.ledger.turns[row])
        self._check_mean(account)
        if account != known:
            self._book(row, account)

    def row_of_decided(self, t: Any) -> int:
        """Where a decided turn stands in the ledger."""
        turn = self.source.turn_of(t)
        row = self.ledger.row(turn)
        if row == NOWHERE:
            raise BanditError(f"turn {turn} was never decided: ask pull(t={turn}) first")
        return row

    def _row_of(self, report: Report, fresh: dict[int, Account]) -> int:
        arm = self.table.number(report.arm)
        if report.t is None:
            row = self.ledger.latest_open(arm, taken=fresh)
            if row == NOWHERE:
                raise BanditError(
                    f"no decided turn of the arm {report.arm!r} is without a reward: say which "
                    "turn is meant (t=…)"
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

    def _account(self, row: int, known: Account, report: Report) -> Account:
        turn = self.ledger.turns[row]
        traffic = None if report.traffic is None else not_negative("traffic", report.traffic)
        account = known.merged(Account(finite("reward", report.reward), traffic), turn)
        if account.traffic is None:
            account = account._replace(traffic=self.source.truth(turn))
        self._check_mean(account)
        return account

    def _check_mean(self, account: Account) -> None:
        if account.outcome is None:
            return
        reward, traffic = account.outcome
        if not math.isfinite(reward / traffic):
            raise BanditError(
                f"a reward of {reward:g} from a traffic of {traffic:g} is more per customer than "
                "a number can hold"
            )

    def _book(self, row: int, account: Account) -> None:
        before = self.ledger.account(row)
        self.ledger.book(row, account)
        if before.traffic is None and account.traffic is not None:
            self.source.saw(account.traffic)
        if account.outcome is not None and before.outcome is None:
            self._learn(row, *account.outcome)

    def _learn(self, row: int, reward: float, traffic: float) -> None:
        value, clipped = self.scale.learnt(reward, traffic)
        self.clipped += clipped
        turn = self._turn(self.ledger.turns[row], self.ledger.numbers[row])
        # Who is there now: the reward may be late, and its turn's arms gone.
        self.table.state.available[:] = self.table.there(self.ledger.last_turn)
        self.policy.rule.observe(self.table.state, turn, self.ledger.arms[row], value)

    # -- arms -------------------------------------------------------------------------------------

    def add_arm(self, arm: Any, hold: bool, expires: Any) -> None:
        """Bring an arm in; held back until a low turn if asked so and it was never tried."""
        last = self.ledger.last_turn
        until = expiry_turn(self.source, expires, last)
        check_told(self.policy, self.source, arm, until)
        if hold and self.table.is_new(arm) and not self.source.low_after(last):
            warn_user(
                f"no low turn is left in the forecast to try the arm {arm!r} on: it waits until "
                "extend(…) brings one; add it with when='now' to try it at once",
                PlanWarning,
            )
        date = str(expires) if isinstance(expires, When) and until < UNKNOWN_END else None
        self.table.add(arm, last + 1, hold, until, date)

    def remove_arm(self, arm: Any) -> None:
        """Take an arm out after the last turn that was decided."""
        self.table.remove(arm, self.ledger.last_turn)

    def extend(self, more: Any) -> None:
        """Append turns; arms that were told to go on a date go on that date."""
        self.source.extend(more)
        for arm, date in self.table.dates.items():
            self.table.expires[arm] = self.source.turn_by(date)

    @property
    def names(self) -> tuple[Any, ...]:
        """The arms in the game in the turn after the last that was decided."""
        return self.table.names(self.ledger.last_turn + 1)

    # -- looking ----------------------------------------------------------------------------------

    def ranking(self) -> list[Ranked]:
        """The arms in the game, the best estimate first, those without any last."""
        there = self.table.there(self.ledger.last_turn + 1)
        pulls = self.ledger.observed(there.size).tolist()
        ranked = [self._ranked(arm, pulls[arm]) for arm in np.flatnonzero(there).tolist()]
        return sorted(ranked, key=lambda r: math.inf if r.estimate is None else -r.estimate)

    def _ranked(self, arm: int, pulls: int) -> Ranked:
        state = self.table.state
        seen = state.pulls[arm] > 0
        value = self.scale.shown(float(estimate(state, arm))) if seen else None
        return Ranked(self.table.ids[arm], value, pulls)

    def decision(self, row: int) -> Decision:
        """A row of the ledger, with the arm's id."""
        return self.ledger.decision(row, self.table.ids)
