"""What happens to a live bandit, as events; their JSON, and the file that keeps them.

Every change is one event: the bandit checks a request, appends the event to its store, and only
then changes itself.  Applying the events of a store in order therefore gives the same bandit again.
"""

import json
import math
import os
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, Protocol, Self, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct

from highseason.bandit.errors import BanditError, DocumentError, StoreError, StoreWarning
from highseason.bandit.ledger import ArmT, Propensities, TurnOutcome, not_next
from highseason.core.warnings import warn_user
from highseason.policies import NO_END, UNKNOWN_END, Policy
from highseason.policies import from_json as policy_from_json
from highseason.rewards import Offer
from highseason.traffic import Multiplier
from highseason.traffic.timeline import Timeline

try:
    import fcntl
except ImportError:  # Windows has no such locks; the size of the file is checked all the same
    fcntl = None  # type: ignore[assignment]  # stands for the missing module

#: The version of the format; the first event of a store carries it.
VERSION: Literal[1] = 1


class Event(Struct, frozen=True, tag_field="event", tag=True):
    """Something that happened; `seq` is its number in its store, from 1 and without gaps."""

    seq: int


class Lifetime(NamedTuple):
    """How long an arm is in the game.

    Attributes:
        end: Its last turn; None if it stays, "unknown" if it will go at an unknown time.
        date: The date of the end, if it was given as one: `extend` may move its turn.
    """

    end: int | Literal["unknown"] | None = None
    date: str | None = None

    @property
    def last_turn(self) -> int:
        """Its last turn, as the engine counts."""
        if self.end is None:
            return NO_END
        return UNKNOWN_END if self.end == "unknown" else self.end


class BanditStarted(Event, Generic[ArmT], frozen=True):
    """A bandit was created; always the first event of its store.

    Attributes:
        policy: The policy, or its JSON form where the event was read from text.
        seed: The seed of its random numbers.
        reward_range: The least and the greatest reward per visitor, if given.
        multiplier: G or its forecast, a `Multiplier`; None if each turn comes with what is expected
            of it.
        known: Whether the multiplier is the number of visitors itself.
        arms: The ids of the arms.
        lifetimes: How long each arm stays, in the same order.
        version: The version of the format.
        offers: What each arm offers, in the same order, where arms are prices.
    """

    policy: Any
    seed: int
    reward_range: tuple[float, float] | None
    multiplier: Any
    known: bool
    arms: tuple[ArmT, ...]
    lifetimes: tuple[Lifetime, ...]
    version: Literal[1] = VERSION
    offers: tuple[Offer, ...] | None = None


class TurnDecided(Event, Generic[ArmT], frozen=True):
    """An arm was chosen for a turn.

    Attributes:
        turn: The turn, from 1.
        arm: The id of the arm.
        probability: How likely the arm was: its propensity.
        exploited: Whether the turn was pure exploitation.
        level: The plan's exploration level.
        propensities: The probabilities of all arms, in the order in which they were added; None
            if this arm was certain.
        expected: The visitors expected, for a bandit without a multiplier.
    """

    turn: int
    arm: ArmT
    probability: float
    exploited: bool
    level: float
    propensities: Propensities | None
    expected: float | None


class OutcomesReported(Event, Generic[ArmT], frozen=True):
    """Rewards or visitors came: what one request changed, in the order in which it is learned.

    Here and in the next two, of an arm that is a price the rewards are purchases.
    """

    outcomes: tuple[TurnOutcome[ArmT], ...]


class RewardCorrected(Event, Generic[ArmT], frozen=True):
    """A reward that was reported for an arm in a turn is replaced by another total."""

    turn: int
    arm: ArmT
    reward: float


class Lesson(NamedTuple, Generic[ArmT]):
    """What an arm brought before the first turn: the total reward, and the visitors.

    `turn` is the one that the row was given with, if it was: a whole number, or a time as text.
    """

    arm: ArmT
    reward: float
    visitors: float
    turn: int | str | None = None


class HistoryLearned(Event, Generic[ArmT], frozen=True):
    """Rewards from before the first turn were learned, in this order."""

    lessons: tuple[Lesson[ArmT], ...]


class ArmAdded(Event, Generic[ArmT], frozen=True):
    """An arm came into the game, or back into it; one that is `held` waits for a low turn.

    `offer` is what it offers, where arms are prices.
    """

    arm: ArmT
    lifetime: Lifetime
    held: bool
    offer: Offer | None = None


class ArmRemoved(Event, Generic[ArmT], frozen=True):
    """An arm was taken out of the game."""

    arm: ArmT


class WorthChanged(Event, frozen=True):
    """What a turn brought is worth something else from now on, and all of it is learned again.

    Attributes:
        offers: Where arms are prices: what each offers, in the order in which they were added.
        reward_range: Of other arms: the least and the greatest reward per visitor.
    """

    offers: tuple[Offer, ...] | None = None
    reward_range: tuple[float, float] | None = None


class MultiplierExtended(Event, frozen=True):
    """Turns were appended to the multiplier: those after its last."""

    multiplier: Any


class MultiplierReplaced(Event, frozen=True):
    """The forecast of the turns to come was replaced; `turn` is the last that keeps its own."""

    turn: int
    multiplier: Any


_AnyEvent: TypeAlias = (
    BanditStarted[Hashable]
    | TurnDecided[Hashable]
    | OutcomesReported[Hashable]
    | RewardCorrected[Hashable]
    | HistoryLearned[Hashable]
    | ArmAdded[Hashable]
    | ArmRemoved[Hashable]
    | WorthChanged
    | MultiplierExtended
    | MultiplierReplaced
)

# -- as JSON --------------------------------------------------------------------------------------


class Season(Struct, kw_only=True):
    """A multiplier as JSON has it; the calendar is in UTC where there is a zone."""

    name: str
    values: list[float]
    calendar: list[str] | None
    zone: str | None

    @classmethod
    def of(cls, G: Multiplier) -> Self:
        """A multiplier as it is written."""
        line = G.timeline
        # With a zone in UTC: a wall clock may show the same hour twice.
        calendar = None if line is None else np.datetime_as_string(line.instants).tolist()
        return cls(name=G.name, values=G.values.tolist(), calendar=calendar, zone=G.zone)

    def multiplier(self) -> Multiplier:
        """The multiplier that `of` wrote."""
        moments: Any = None
        if self.calendar is not None:
            instants = np.array(self.calendar, dtype="datetime64")
            moments = Timeline(instants, "UTC" if self.zone else None)
        return Multiplier(np.array(self.values, np.float64), moments, self.name, self.zone)


def id_to_json(arm: Any) -> Any:
    """An arm id as JSON.  Exact types only, so that `id_from_json` gives back what went in.

    >>> id_to_json(("shelf", 3))
    {'tuple': ['shelf', 3]}
    """
    if type(arm) is tuple:
        return {"tuple": [id_to_json(part) for part in arm]}
    if type(arm) is float and math.isinf(arm):
        return {"float": str(arm)}
    if type(arm) not in _PLAIN or arm != arm:  # NaN is not even equal to itself
        raise BanditError(
            f"the arm {arm!r} ({type(arm).__name__}) cannot be written as JSON: use ids that are "
            "str, int, float, bool, None, or tuples of these"
        )
    return arm


_PLAIN = (str, int, float, bool, type(None))


def id_from_json(entry: Any) -> Hashable:
    """The arm id that `id_to_json` wrote.

    >>> id_from_json({"tuple": ["shelf", 3]})
    ('shelf', 3)
    """
    match entry:
        case {"tuple": [*parts]}:
            return tuple(id_from_json(part) for part in parts)
        case {"float": "inf" | "-inf" as infinite}:
            return float(infinite)
        case str() | int() | float() | None:
            return entry
    raise DocumentError(f"{entry!r} is not an arm id")


def write_policy(policy: Policy | Mapping[str, Any]) -> Any:
    """A policy as plain data; one that already is stays as it is."""
    return json.loads(policy.to_json()) if isinstance(policy, Policy) else policy


def read_policy(entry: Policy | Mapping[str, Any], given: Policy | None) -> Policy:
    """The policy that `write_policy` wrote, or the given one if it plays the same."""
    if given is not None:
        for one in (given, given.counting("visitors"), given.counting("turns")):
            if write_policy(one) == write_policy(entry):
                return one
        raise DocumentError(f"this bandit was written with another policy than {given}: {entry}")
    if isinstance(entry, Policy):
        return entry
    try:
        return policy_from_json(json.dumps(entry))
    except (TypeError, ValueError) as reason:
        raise DocumentError(
            f"{reason}; import the module that defines the policy, or pass it as policy=…"
        ) from reason


#: How the fields are written that JSON has no type for.
_WRITE: dict[str, Callable[[Any], Any]] = {
    "arm": id_to_json,
    "arms": lambda arms: [id_to_json(arm) for arm in arms],
    "lessons": lambda lessons: [(id_to_json(arm), *brought) for arm, *brought in lessons],
    "multiplier": lambda G: None if G is None else Season.of(G),
    "outcomes": lambda outcomes: [one._replace(arm=id_to_json(one.arm)) for one in outcomes],
    "policy": write_policy,
}
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_AnyEvent, dec_hook=lambda _, entry: id_from_json(entry)).decode


def event_to_json(event: Event) -> str:
    """An event as one line of JSON, without the line end.

    >>> event_to_json(ArmRemoved(3, "9.99"))
    '{"event":"ArmRemoved","seq":3,"arm":"9.99"}'
    """
    names = _WRITE.keys() & event.__struct_fields__
    plain = {name: _WRITE[name](getattr(event, name)) for name in names}
    return _encode(msgspec.structs.replace(event, **plain)).decode()


def event_from_json(text: str | bytes) -> Event:
    """The event that `event_to_json` wrote; anything else is refused with the reason."""
    try:
        event: Event = _decode(text)
        if (entry := getattr(event, "multiplier", None)) is not None:
            G = msgspec.convert(entry, Season).multiplier()
            event = msgspec.structs.replace(event, multiplier=G)
    except msgspec.ValidationError as reason:
        raise DocumentError(
            f"expected an event as this highseason writes it: {reason}; upgrade highseason if a "
            "later one wrote it"
        ) from reason
    except (ValueError, RecursionError) as reason:
        raise DocumentError(f"not JSON, or no event: {reason}") from reason
    return event


# -- stores ---------------------------------------------------------------------------------------


class EventStore(Protocol):
    """Where a bandit's events go; a database needs these two methods and nothing else.

    One event is one request, so an append must happen completely or not at all.  A store refuses
    an event whose `seq` is not the next: two processes that write to one store then cannot both
    succeed, and a primary key on `seq` is all that a database needs for it.
    """

    def append(self, event: Event) -> None:
        """Keep an event permanently, or raise: then the bandit is not changed either."""

    def __iter__(self) -> Iterator[Event]:
        """All events, oldest first."""


class JsonLinesStore:
    """Events in a file, one JSON object per line; an append costs the same however long it is.

    An event counts once its line end is written.  So an append that is interrupted leaves a line
    without one, which is not an event: reading skips it with a `StoreWarning`, and the next append
    removes it.  One process may write to a file at a time.

    Args:
        path: The file; it is created by the first append.
        sync: Wait after each append until the data is on the disk, so that it survives a power
            cut too, not only the end of the program; much slower.

    >>> import highseason as hs
    >>> store = hs.bandit.JsonLinesStore(getfixture("tmp_path") / "shelf.jsonl")
    >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5], store=store)
    >>> shelf.update(shelf.pull(), reward=20, visitors=4)
    >>> again = hs.Bandit.from_events(store)
    >>> again.decisions() == shelf.decisions()
    True
    """

    def __init__(self, path: str | os.PathLike[str], *, sync: bool = False) -> None:
        self.path, self.sync = Path(path), sync
        self._file: int | None = None
        self._last, self._size = 0, 0  # the number of the last event, and where its line ends
        self._read = -1  # the size of the file when it was last read to its end

    def __iter__(self) -> Iterator[Event]:
        """All events, oldest first."""
        last = size = torn = 0
        if self.path.exists():
            with self.path.open("rb") as lines:
                for row, line in enumerate(lines, start=1):
                    if not line.endswith(b"\n"):
                        torn = len(line)
                        warn_user(
                            f"{self.path}, line {row} is incomplete ({torn} bytes without a line "
                            "end): writing it was interrupted, so this event did not happen; the "
                            "next append removes it",
                            StoreWarning,
                        )
                        break
                    yield self._event(row, line)
                    last, size = row, size + len(line)
        if self._file is None:
            self._last, self._size, self._read = last, size, size + torn

    def append(self, event: Event) -> None:
        """Write an event; if that fails, the file is as it was."""
        line = event_to_json(event).encode() + b"\n"
        file = self._open() if self._file is None else self._file
        if event.seq != self._last + 1:
            raise not_next(event, self._last)
        if os.fstat(file).st_size != self._size:
            raise StoreError(
                f"{self.path} was changed by another program since event {self._last}: reload the "
                "bandit with Bandit.from_events"
            )
        try:
            if (written := os.write(file, line)) < len(line):
                raise OSError(f"only {written} of {len(line)} bytes could be written")
            if self.sync:
                os.fsync(file)
        except OSError as reason:
            os.ftruncate(file, self._size)
            raise StoreError(f"cannot write event {event.seq} to {self.path}: {reason}") from reason
        self._last, self._size = event.seq, self._size + len(line)

    def close(self) -> None:
        """Let another process write; the next append opens the file again."""
        if self._file is not None:
            self._closer()
            self._file = None

    def _open(self) -> int:
        # Without O_BINARY Windows would write other line ends.
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        file = os.open(self.path, flags, 0o666)
        self._closer = weakref.finalize(self, os.close, file)
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._closer()
            raise StoreError(
                f"{self.path} is open for writing elsewhere: only one bandit may write to it"
            ) from None
        if os.fstat(file).st_size != self._read:
            for _ in self:  # finds the last event, and where its line ends
                pass
        os.ftruncate(file, self._size)  # removes a torn line
        self._file = file
        return file

    def _event(self, row: int, line: bytes) -> Event:
        try:
            event = event_from_json(line)
        except DocumentError as reason:
            raise DocumentError(f"{self.path}, line {row}: {reason}") from reason
        if event.seq != row:
            raise DocumentError(f"{self.path}, line {row}: expected event {row}, got {event.seq}")
        return event
