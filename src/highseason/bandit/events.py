"""What happens to a live bandit, as events, and the store that keeps them.

Every change is one event: the bandit checks a request, appends the event to its store, and only
then changes itself.  Applying the events of a store in order therefore gives the same bandit again.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol

from highseason.bandit.errors import StoreError
from highseason.bandit.ledger import ArmT, Propensities, TurnOutcome
from highseason.policies import Policy
from highseason.traffic import Multiplier


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened; `seq` is its number in its store, from 1 and without gaps."""

    seq: int


class Lifetime(NamedTuple):
    """How long an arm is in the game.

    Attributes:
        end: Its last turn, as the engine counts: `NO_END` if it stays, `UNKNOWN_END` if unknown.
        date: The date of the end, if it was given as one: `extend` may move its turn.
    """

    end: int
    date: str | None = None


@dataclass(frozen=True, slots=True)
class BanditStarted(Event, Generic[ArmT]):
    """A bandit was created; always the first event of its store.

    Attributes:
        policy: The policy, or its JSON form where the event was read from text.
        seed: The seed of its random numbers.
        reward_range: The least and the greatest reward per customer, if given.
        multiplier: G or its forecast; None if each turn comes with what is expected of it.
        known: Whether the multiplier is the traffic itself.
        arms: The ids of the arms.
        lifetimes: How long each arm stays, in the same order.
    """

    policy: Policy | Mapping[str, Any]
    seed: int
    reward_range: tuple[float, float] | None
    multiplier: Multiplier | None
    known: bool
    arms: tuple[ArmT, ...]
    lifetimes: tuple[Lifetime, ...]


@dataclass(frozen=True, slots=True)
class BanditRestored(Event):
    """A bandit was read from a document of `Bandit.to_json`; the first event of its store."""

    document: str


@dataclass(frozen=True, slots=True)
class TurnDecided(Event, Generic[ArmT]):
    """An arm was chosen for a turn.

    Attributes:
        turn: The turn, from 1.
        arm: The id of the arm.
        probability: How likely the arm was: its propensity.
        exploited: Whether the turn was pure exploitation.
        level: The plan's exploration level.
        propensities: The probabilities of all arms, in the order in which they were added; None
            if this arm was certain.
        expected: The traffic expected, for a bandit without a multiplier.
    """

    turn: int
    arm: ArmT
    probability: float
    exploited: bool
    level: float
    propensities: Propensities | None
    expected: float | None


@dataclass(frozen=True, slots=True)
class OutcomesReported(Event):
    """Rewards or traffic came: what one request changed, in the order in which it is learned."""

    outcomes: tuple[TurnOutcome, ...]


@dataclass(frozen=True, slots=True)
class RewardCorrected(Event):
    """A reward that was reported is replaced by another total."""

    turn: int
    reward: float


class Lesson(NamedTuple, Generic[ArmT]):
    """What an arm brought before the first turn: the total reward, and the traffic."""

    arm: ArmT
    reward: float
    traffic: float


@dataclass(frozen=True, slots=True)
class HistoryLearned(Event, Generic[ArmT]):
    """Rewards from before the first turn were learned, in this order."""

    lessons: tuple[Lesson[ArmT], ...]


@dataclass(frozen=True, slots=True)
class ArmAdded(Event, Generic[ArmT]):
    """An arm came into the game, or back into it; one that is `held` waits for a low turn."""

    arm: ArmT
    lifetime: Lifetime
    held: bool


@dataclass(frozen=True, slots=True)
class ArmRemoved(Event, Generic[ArmT]):
    """An arm was taken out of the game."""

    arm: ArmT


@dataclass(frozen=True, slots=True)
class MultiplierExtended(Event):
    """Turns were appended to the multiplier: those after its last."""

    multiplier: Multiplier


@dataclass(frozen=True, slots=True)
class MultiplierReplaced(Event):
    """The forecast of the turns to come was replaced; `turn` is the last that keeps its own."""

    turn: int
    multiplier: Multiplier


class EventStore(Protocol):
    """Where a bandit's events go; a database needs these two methods and nothing else.

    One event is one request, so an append must happen completely or not at all.  A store refuses
    an event whose `seq` is not the next: two processes that write to one store then cannot both
    succeed, and a primary key on `seq` is all that a database needs for it.
    """

    def append(self, event: Event) -> None:
        """Keep an event for good, or raise: then the bandit is not changed either."""

    def __iter__(self) -> Iterator[Event]:
        """All events, oldest first."""


class MemoryStore:
    """Events in memory: what a bandit uses unless it is given another store.

    >>> import highseason as hs
    >>> store = hs.bandit.MemoryStore()
    >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5], store=store)
    >>> shelf.pull()
    'a'
    >>> [type(event).__name__ for event in store]
    ['BanditStarted', 'TurnDecided']
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._events = list(events)

    def append(self, event: Event) -> None:
        """Keep an event."""
        require_next(event, len(self._events))
        self._events.append(event)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def __len__(self) -> int:
        return len(self._events)


def require_next(event: Event, last: int) -> None:
    """Refuse an event that does not follow the last one of its store."""
    if event.seq != last + 1:
        raise StoreError(
            f"the store holds {last} events, so the next must be number {last + 1}, got "
            f"{event.seq}: another bandit writes to it; reload this one with Bandit.from_events"
        )
