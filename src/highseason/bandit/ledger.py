"""The ledger of a live game: what was decided, how likely it was, what came of it, its scale.

And the ids of arms as they are kept, and the store that keeps events in memory.
"""

import datetime as dt
import math
import operator
from array import array
from bisect import bisect_right
from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.errors import BanditError, ConflictError, StoreError, WaitingWarning
from highseason.bandit.rows import Report
from highseason.core.text import exact, format_number
from highseason.core.validation import finite_number, non_negative_number
from highseason.core.warnings import warn_user
from highseason.policies import Policy

if TYPE_CHECKING:
    from highseason.bandit.events import Event

ArmT = TypeVar("ArmT", bound=Hashable)

NO_ROW = -1

#: The probabilities of all arms add up to 1, up to this.
_ROUNDING = 1e-6

#: The number of visitors that is reported.
number_of_visitors = partial(non_negative_number, "visitors", error=BanditError)


def as_list(name: str, arms: Iterable[ArmT]) -> list[ArmT]:
    """A list of ids; a lone string is refused, because its letters would be taken for ids."""
    if isinstance(arms, str | bytes) or not isinstance(arms, Iterable):
        raise BanditError(f"{name} must be a list of arm ids, such as ['a', 'b'], got {arms!r}")
    return list(arms)


def hashable(arm: ArmT) -> ArmT:
    """The id as it is kept: NumPy's numbers and strings become Python's, which are equal to them.

    >>> hashable(np.float64(9.99))
    9.99
    """
    if isinstance(arm, np.generic):
        arm = arm.item()
    try:
        hash(arm)
    except TypeError:
        raise BanditError(
            f"an arm id must be hashable (a string, a number, a tuple of these), got {arm!r}"
        ) from None
    return arm


class Propensities(NamedTuple):
    """The probability of each arm, as runs of equal values: run i ends before arm `ends[i]`."""

    ends: tuple[int, ...]
    values: tuple[float, ...]

    def of(self, arm: int) -> float:
        """The probability of one arm; 0 for an arm that was added later."""
        run = bisect_right(self.ends, arm)
        return self.values[run] if run < len(self.values) else 0.0

    def fit(self, arm: int, arms: int) -> bool:
        """Whether they can be the probabilities of `arms` arms, and `arm` was possible."""
        widths = [end - start for start, end in pairwise((0, *self.ends))]
        if len(widths) != len(self.values) or min(widths, default=0) < 1 or self.ends[-1] > arms:
            return False
        total = math.fsum(map(operator.mul, widths, self.values))
        return min(self.values) >= 0.0 and abs(total - 1.0) <= _ROUNDING and self.of(arm) > 0.0


def pack(probabilities: NDArray[np.float64]) -> Propensities | None:
    """Pack the probabilities of a turn; None if one arm was certain.

    >>> pack(np.array([0.1, 0.1, 0.7, 0.1]))
    Propensities(ends=(2, 3, 4), values=(0.1, 0.7, 0.1))
    """
    if probabilities.max() >= 1.0:
        return None
    values = probabilities.tolist()
    last = len(values) - 1
    ends = [i + 1 for i, value in enumerate(values) if i == last or value != values[i + 1]]
    return Propensities(tuple(ends), tuple(values[end - 1] for end in ends))


@dataclass(frozen=True, slots=True)
class Decision(Generic[ArmT]):
    """One decided turn.

    Attributes:
        turn: The turn, from 1.
        arm: The id of the arm.
        probability: The arm's propensity: how likely it was when the turn was decided.
        exploited: Whether the turn was pure exploitation, as the policy's family defines it.
        level: The plan's exploration level for the turn when it was decided.
        reward: The turn's total reward; None until it is reported.  Of a price: the profit, at
            what a purchase is worth now.
        visitors: What the reward is divided by; None until it is known.
        date: When the turn begins, where there is a calendar; with a zone a datetime in it.
        purchases: How many of the visitors bought, where arms are prices.
    """

    turn: int
    arm: ArmT
    probability: float
    exploited: bool
    level: float
    reward: float | None = None
    visitors: float | None = None
    date: dt.date | None = None
    purchases: float | None = None


class TurnOutcome(NamedTuple, Generic[ArmT]):
    """What is known of a portion's outcome after a report: its total reward, and its visitors.

    Where arms are prices, `reward` holds the purchases: what happened, whatever it is worth.
    """

    turn: int
    arm: ArmT
    reward: float | None
    visitors: float | None

    @property
    def lesson(self) -> tuple[float, float] | None:
        """Reward and visitors if there is something to learn from them, else None."""
        if self.reward is None or not self.visitors:
            return None
        return self.reward, self.visitors

    def merged(self, reward: float | None, visitors: float | None, called: str) -> Self:
        """Add what is new; the same value again changes nothing, another one is refused."""
        if self.reward is not None:
            reward = self._unchanged(called, self.reward, reward)
        if self.visitors is not None:
            visitors = self._unchanged("visitors", self.visitors, visitors)
        return self._replace(reward=reward, visitors=visitors)

    def _unchanged(self, name: str, old: float, new: float | None) -> float:
        if new is not None and old != new:
            remedy = "" if name == "visitors" else "; if the first was wrong, use correct"
            raise ConflictError(
                f"turn {self.turn} already has {name}={old:g}; refusing to overwrite it with "
                f"{new:g}{remedy}"
            )
        return old


class Ledger:
    """One row per portion of a decided turn, in the order in which they were decided.

    A turn has one portion: an arm, and all of its visitors.  Missing numbers are NaN.  A row takes
    about 60 bytes, and a few hundred more where the choice was random.
    """

    def __init__(self) -> None:
        self.turns, self.arms, self.exploited = array("q"), array("q"), array("b")
        self.levels, self.rewards, self.visitors = array("d"), array("d"), array("d")
        self.propensities: list[Propensities | None] = []
        self.learned = array("q")  # rows, in the order in which they were learned
        self.history: list[tuple[int, float, float]] = []  # arm, reward, visitors before turn 1
        self._row_of = array("q")  # by turn
        self._open: dict[int, dict[int, None]] = {}  # by arm: rows without reward, oldest first
        self._waiting: dict[int, None] = {}  # rows whose reward waits for the number of visitors

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def last_turn(self) -> int:
        """The latest turn that is decided; 0 before the first."""
        return len(self._row_of)

    @property
    def first_open(self) -> int:
        """The first turn that is not decided."""
        with suppress(ValueError):
            return self._row_of.index(NO_ROW) + 1
        return self.last_turn + 1

    def row(self, turn: int, arm: int | None = None) -> int:
        """The row of a portion, or NO_ROW; the arm may be left out where a turn has one portion."""
        row = self._row_of[turn - 1] if turn <= len(self._row_of) else NO_ROW
        return NO_ROW if arm is not None and row != NO_ROW and self.arms[row] != arm else row

    def enter(
        self, turn: int, arm: int, level: float, exploited: bool, propensities: Propensities | None
    ) -> None:
        """Add a decision."""
        row = len(self.turns)
        self.turns.append(turn)
        self.arms.append(arm)
        self.levels.append(level)
        self.exploited.append(exploited)
        self.rewards.append(math.nan)
        self.visitors.append(math.nan)
        self.propensities.append(propensities)
        self._row_of.extend([NO_ROW] * (turn - len(self._row_of)))
        self._row_of[turn - 1] = row
        self._open.setdefault(arm, {})[row] = None

    def outcome(self, row: int) -> TurnOutcome[int]:
        """What is known of the outcome."""
        came = known(self.rewards[row]), known(self.visitors[row])
        return TurnOutcome(self.turns[row], self.arms[row], *came)

    def book(self, row: int, reward: float | None, visitors: float | None) -> None:
        """Record what is known of the outcome now."""
        self.rewards[row] = math.nan if reward is None else reward
        self.visitors[row] = math.nan if visitors is None else visitors
        if reward is not None or visitors == 0.0:
            self._open[self.arms[row]].pop(row, None)
        self._waiting.pop(row, None)
        if reward is not None and visitors is None:
            self._waiting[row] = None

    def latest_open(self, arm: int, taken: Container[int]) -> int:
        """The arm's most recent decision without a reward, except `taken`; or NO_ROW."""
        rows = reversed(self._open.get(arm, {}))
        return next((row for row in rows if row not in taken), NO_ROW)

    def unrewarded(self) -> list[int]:
        """All rows without a reward, oldest first."""
        return sorted(row for rows in self._open.values() for row in rows)

    def pending(self) -> list[int]:
        """All rows whose reward waits for the number of visitors, oldest first."""
        return sorted(self._waiting)

    @property
    def waiting(self) -> int:
        """How many there are."""
        return len(self._waiting)

    def lessons(self) -> Iterator[tuple[int, float, float]]:
        """Arm, reward and visitors of all that was learned, in that order."""
        yield from self.history
        yield from ((self.arms[row], self.rewards[row], self.visitors[row]) for row in self.learned)

    def before(self, turn: int) -> Iterator[tuple[int, int]]:
        """The decisions of earlier turns, as (turn, arm) from the latest on."""
        for earlier in range(min(turn - 1, self.last_turn), 0, -1):
            row = self.row(earlier)
            if row != NO_ROW:
                yield earlier, self.arms[row]

    def probability(self, row: int, arm: int) -> float:
        """How likely an arm was when the row was decided."""
        propensities = self.propensities[row]
        return float(arm == self.arms[row]) if propensities is None else propensities.of(arm)


class Reports:
    """What one request reports: the outcomes that are new, in the order in which they are learned.

    `known_visitors` gives the visitors of a turn that need no report, or None.
    """

    def __init__(
        self, ledger: Ledger, scale: "Scale", known_visitors: Callable[[int], float | None]
    ) -> None:
        self._ledger, self._scale, self._known_visitors = ledger, scale, known_visitors
        self.outcomes: dict[int, TurnOutcome[int]] = {}  # by row

    def add(self, row: int, reward: float | None, visitors: Any) -> None:
        """Add what a report says of a row, if it says anything new."""
        before = self.outcomes[row] if row in self.outcomes else self._ledger.outcome(row)
        came = None if visitors is None else number_of_visitors(visitors)
        after = before.merged(reward, came, self._scale.called)
        if reward is not None and after.visitors is None:
            after = after._replace(visitors=self._known_visitors(after.turn))
        self._scale.check(after)
        if after != before:
            self.outcomes.pop(row, None)  # reported again: learned in the order of its last report
            self.outcomes[row] = after


def not_next(event: "Event", last: int) -> StoreError:
    """The error for an event that does not follow the last one of its store."""
    return StoreError(
        f"the store holds {last} events, so the next must be number {last + 1}, got "
        f"{event.seq}: another bandit writes to it; reload this one with Bandit.from_events"
    )


class MemoryStore(list["Event"]):
    """A list of events in memory: what a bandit uses unless it is given another store."""

    def append(self, event: "Event") -> None:
        """Keep an event."""
        if event.seq != len(self) + 1:
            raise not_next(event, len(self))
        super().append(event)


def known(value: float) -> float | None:
    """A number of a column; NaN stands for a missing one."""
    return None if math.isnan(value) else value


@dataclass(frozen=True)
class Scale:
    """The range of a reward per visitor, mapped to [0, 1].

    `clips`: a range was given, and values outside it are clipped.  `per_turn`: the rule learns a
    turn's total instead of its mean per visitor (the naive policies).
    """

    low: float
    high: float
    clips: bool
    per_turn: bool
    #: What a report says that a turn brought.
    called: ClassVar[str] = "reward"

    @classmethod
    def of(cls, reward_range: Any, policy: Policy, arms: Iterable[Any] = ()) -> Self:
        """Check the range for this policy; without one, the error has that of these `arms`."""
        if reward_range is None:
            if policy.rule.traits.unit_range:
                most = takings_at(arms)
                where = "and a visitor spends at most 12" if most is None else "at these prices"
                raise BanditError(
                    f"{policy.label} needs the least and the greatest reward per visitor "
                    "(reward_range): 0..1 if you report orders, "
                    f"0..{most or 12:g} if you report takings {where}"
                )
            return cls(0.0, 1.0, False, policy.learns_scaled)
        try:
            low, high = (float(end) for end in reward_range)
        except (TypeError, ValueError):
            low = high = math.nan
        if not (low < high and math.isfinite(high - low)):
            raise BanditError(
                "reward_range must be two rising numbers, the least and the greatest reward per "
                f"visitor, got {reward_range!r}"
            )
        return cls(low, high, True, policy.learns_scaled)

    @property
    def reward_range(self) -> tuple[float, float] | None:
        """The range that was given, or None."""
        return (self.low, self.high) if self.clips else None

    def amount(self, arm: int, report: Report) -> float:
        """What a report says that a turn brought, as the ledger keeps it."""
        if report.purchases is not None or report.takings is not None:
            raise BanditError(
                "purchases= and takings= are for arms that are prices, Bandit(prices=[…]): report "
                "what the turn brought as reward="
            )
        return finite_number("reward", report.reward, BanditError)

    def check(self, outcome: TurnOutcome[int]) -> None:
        """Refuse what cannot be learned: a reward that is too much per visitor."""
        if outcome.lesson is not None and not math.isfinite(outcome.lesson[0] / outcome.lesson[1]):
            raise BanditError(
                f"reward={outcome.reward:g} with visitors={outcome.visitors:g} is too much per "
                "visitor for a floating-point number"
            )

    def earned(self, arm: int, amount: float) -> float:
        """What an amount of the ledger is worth: rewards are what they are."""
        return amount

    def learned(self, arm: int, reward: float, visitors: float) -> float:
        """The value that the rule learns from a turn's total: an outlier counts as the range's end.

        With the range (0, 1) this is reward / visitors to the last bit, as in `play`.
        """
        units = 1.0 if self.per_turn else visitors
        value = (reward / units - self.low * (visitors / units)) / (self.high - self.low)
        return float(min(max(0.0, value), visitors / units) if self.clips else value)

    def shown(self, estimate: float) -> float:
        """An estimate of the rule, in the user's unit."""
        span = self.high - self.low
        return span * estimate if self.per_turn else self.low + span * estimate


def warn_of_waiting(before: int, now: int) -> None:
    """Warn of rewards that wait for the number of visitors: of the first, tenth, hundredth."""
    if now > before < 10 ** (len(str(now)) - 1):
        warn_user(
            f"rewards that wait for the number of visitors: {now}; nothing is learned from them "
            "yet. Pass visitors=… with the reward, report them later with "
            "count_visitors(t, visitors), or declare that the multiplier is the number of "
            "visitors with known=True",
            WaitingWarning,
        )


def takings_at(arms: Iterable[Any]) -> float | None:
    """The most that one visitor pays where the arms are prices, rounded up; None if they are not.

    >>> takings_at(["9.99", "10.99"]), takings_at([0.4999]), takings_at(["red", "blue"])
    (11.0, 0.5, None)
    """
    try:
        prices = sorted(map(float, arms))
        figure = 10.0 ** (math.floor(math.log10(prices[-1])) - 1)
        most = float(f"{math.ceil(float(f'{prices[-1] / figure:.9g}')) * figure:.9g}")
        return most if prices[0] > 0.0 else None
    except (TypeError, ValueError, OverflowError, IndexError, ZeroDivisionError):
        return None


def outside_range(
    reward_range: tuple[float, float] | None, brought: Iterable[tuple[str, float, float]]
) -> str:
    """Which totals lie outside a range per visitor, in words: each a name, a reward, visitors.

    >>> outside_range((0, 1), [("turn 1", 20, 310), ("turn 2", 1234.5, 310)])
    'turn 2: 1234.5 from 310 visitors is 3.982 per visitor, outside the range of 0 to 1'
    """
    if reward_range is None:
        return ""
    slack = 1e-9 * max(map(abs, reward_range))  # 2.1 from 3 visitors may be 0.7000000000000001 each
    low, high = reward_range[0] - slack, reward_range[1] + slack
    found = [
        f"{name}: {exact(float(reward))} from {exact(float(visitors))} visitors is "
        f"{format_number(reward / visitors)} per visitor"
        for name, reward, visitors in brought
        if visitors and not low <= reward / visitors <= high
    ]
    if not found:
        return ""
    more = f", and {len(found) - 3} more" if len(found) > 3 else ""
    ends = " to ".join(map(exact, map(float, reward_range)))
    return f"{'; '.join(found[:3])}{more}, outside the range of {ends}"
