"""The ledger of decided turns: what was decided, how likely it was, and what came of it.

One row a decision, in the order in which they were made, in plain columns: some 60 bytes a turn,
and a few hundred more where chance had a say.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Container, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.errors import ConflictError
from highseason.bandit.propensities import Packed

NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Decision:
    """One decided turn, as it stands in the log.

    Attributes:
        turn: The turn, from 1.
        arm: The id of the arm.
        probability: How likely that arm was when the turn was decided (its propensity).
        exploited: Whether the turn was pure exploitation, as the policy's family defines it.
        level: The plan's exploration level of the turn when it was decided.
        reward: The turn's total reward, or None while it has not come.
        traffic: What it is divided by, or None while that has not come.
    """

    turn: int
    arm: Hashable
    probability: float
    exploited: bool
    level: float
    reward: float | None = None
    traffic: float | None = None


class Account(NamedTuple):
    """What is known of a turn's outcome so far."""

    reward: float | None = None
    traffic: float | None = None

    @property
    def outcome(self) -> tuple[float, float] | None:
        """Reward and traffic where there is something to learn from them, else None."""
        if self.reward is None or not self.traffic:
            return None
        return self.reward, self.traffic

    def merged(self, told: Account, turn: int) -> Account:
        """With what is told now; the same again changes nothing, anything else is refused."""
        for what, was, now in zip(self._fields, self, told, strict=True):
            if was is not None and now is not None and was != now:
                raise ConflictError(
                    f"the {what} of turn {turn} was told before as {was:g}, and now as {now:g}: "
                    "a turn is told once"
                )
        return Account(
            told.reward if self.reward is None else self.reward,
            told.traffic if self.traffic is None else self.traffic,
        )


class Ledger:
    """Columns of decisions; missing numbers are NaN."""

    def __init__(self) -> None:
        """Nothing decided yet."""
        self.turns = array("q")
        self.arms = array("q")
        self.numbers = array("d")
        self.exploited = array("b")
        self.rewards = array("d")
        self.traffic = array("d")
        self.chances: list[Packed | None] = []
        self._row_of = array("q")  # by turn
        self._open: dict[int, dict[int, None]] = {}  # by arm: rows without reward, oldest first
        self._pending: dict[int, None] = {}  # rows whose reward waits for its traffic

    def __len__(self) -> int:
        """How many turns were decided."""
        return len(self.turns)

    @property
    def last_turn(self) -> int:
        """The latest turn (by the calendar) that was decided; 0 before the first."""
        return len(self._row_of)

    def row(self, turn: int) -> int:
        """Where a turn stands, or NOWHERE."""
        return self._row_of[turn - 1] if turn <= len(self._row_of) else NOWHERE

    def enter(
        self, turn: int, arm: int, number: float, exploited: bool, chances: Packed | None
    ) -> int:
        """Write down a decision."""
        row = len(self.turns)
        self.turns.append(turn)
        self.arms.append(arm)
        self.numbers.append(number)
        self.exploited.append(exploited)
        self.rewards.append(math.nan)
        self.traffic.append(math.nan)
        self.chances.append(chances)
        self._row_of.extend([NOWHERE] * (turn - len(self._row_of)))
        self._row_of[turn - 1] = row
        self._follow(row, Account())
        return row

    def account(self, row: int) -> Account:
        """What is known of the outcome."""
        return Account(known(self.rewards[row]), known(self.traffic[row]))

    def book(self, row: int, account: Account) -> None:
        """Write down what is known of the outcome now."""
        self.rewards[row] = math.nan if account.reward is None else account.reward
        self.traffic[row] = math.nan if account.traffic is None else account.traffic
        self._follow(row, account)

    def latest_open(self, arm: int, taken: Container[int]) -> int:
        """The arm's most recent decision without a reward, apart from `taken`; or NOWHERE."""
        rows = reversed(self._open.get(arm, {}))
        return next((row for row in rows if row not in taken), NOWHERE)

    def unrewarded(self) -> list[int]:
        """All rows without a reward, oldest first."""
        return sorted(row for rows in self._open.values() for row in rows)

    def pending(self) -> list[int]:
        """All rows whose reward waits for its traffic, oldest first."""
        return sorted(self._pending)

    def observed(self, arms: int) -> NDArray[np.int64]:
        """By arm: how many of its turns have been learnt from."""
        learnt = ~np.isnan(np.array(self.rewards)) & (np.array(self.traffic) > 0.0)
        return np.bincount(np.array(self.arms)[learnt], minlength=arms)

    def chance(self, row: int, arm: int) -> float:
        """How likely `arm` was when the row was decided."""
        packed = self.chances[row]
        return float(arm == self.arms[row]) if packed is None else packed.of(arm)

    def decision(self, row: int, ids: Sequence[Hashable]) -> Decision:
        """A row as it is shown."""
        arm = self.arms[row]
        return Decision(
            self.turns[row],
            ids[arm],
            self.chance(row, arm),
            bool(self.exploited[row]),
            self.numbers[row],
            *self.account(row),
        )

    def _follow(self, row: int, account: Account) -> None:
        rows = self._open.setdefault(self.arms[row], {})
        if account.reward is None and account.traffic != 0.0:
            rows[row] = None
        else:
            rows.pop(row, None)
        if account.reward is not None and account.traffic is None:
            self._pending[row] = None
        else:
            self._pending.pop(row, None)


def known(number: float) -> float | None:
    """A number of a column; NaN stands for one that has not come."""
    return None if math.isnan(number) else number
