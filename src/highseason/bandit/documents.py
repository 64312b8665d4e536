"""A live bandit kept: its events in a store, or as one JSON document, from which it goes on.

Random numbers are functions of (seed, turn), so the seed is all of the random state.
"""

import copy
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Generic, Self

import msgspec

from highseason.bandit.errors import DocumentError, StoreError
from highseason.bandit.events import (
    BanditStarted,
    Event,
    EventStore,
    event_from_json,
    event_to_json,
    read_policy,
)
from highseason.bandit.game import LiveGame
from highseason.bandit.ledger import ArmT, MemoryStore
from highseason.core.atomic import atomic_write
from highseason.core.version import __version__
from highseason.core.warnings import quiet
from highseason.policies import Policy
from highseason.traffic import CalendarWarning

FORMAT, VERSION = "highseason bandit", 5


class _Document(msgspec.Struct, kw_only=True):
    format: str
    version: int
    written_by: str = "another highseason"
    events: list[msgspec.Raw] = []


def write(events: Iterable[Event]) -> str:
    """The whole bandit as text."""
    document = _Document(
        format=FORMAT,
        version=VERSION,
        written_by=f"highseason {__version__}",
        events=[msgspec.Raw(event_to_json(event).encode()) for event in events],
    )
    return msgspec.json.encode(document).decode()


def read(text: str | bytes) -> list[Event]:
    """The events that `write` wrote; anything else is refused with the reason."""
    try:
        document = msgspec.json.decode(text, type=_Document)
    except msgspec.ValidationError as reason:
        raise DocumentError(f"not a document of Bandit.to_json: {reason}") from reason
    except (TypeError, ValueError, RecursionError) as reason:
        raise DocumentError(f"not a JSON document: {reason}") from reason
    if document.format != FORMAT:
        raise DocumentError(f'not a bandit: expected "format": "{FORMAT}"')
    if document.version != VERSION:
        raise DocumentError(
            f"the document has version {document.version} (written by {document.written_by}), but "
            f"highseason {__version__} reads version {VERSION}"
        )
    return [event_from_json(bytes(event)) for event in document.events]


@quiet(CalendarWarning)  # they were shown when the turns were appended
def replayed(events: Iterable[Event], policy: Policy | None) -> LiveGame[Any]:
    """The game that wrote these events."""
    rest = iter(events)
    first = next(rest, None)
    if not isinstance(first, BanditStarted):
        raise DocumentError("the store holds no bandit: create one with Bandit(…, store=store)")
    try:
        game = LiveGame.start(first, read_policy(first.policy, policy))
    except DocumentError:
        raise
    except (ValueError, TypeError) as reason:
        raise DocumentError(f"corrupt event 1: {reason}") from reason
    for event in rest:
        game.replay(event)
    return game


def filled(store: EventStore | None, events: Iterable[Event]) -> EventStore:
    """An empty store with these events; one in memory if none is given."""
    store = MemoryStore() if store is None else store
    if next(iter(store), None) is not None:
        raise StoreError(
            "the store already holds the events of a bandit: continue it with "
            "Bandit.from_events(store), or pass an empty store"
        )
    for event in events:
        store.append(event)
    return store


class Stored(Generic[ArmT]):
    """A live game with the store of its events: saved, loaded, copied, and followed."""

    def _take(self, game: LiveGame[ArmT], store: EventStore) -> Self:
        self._game, self._store, self._lock = game, store, threading.RLock()
        return self

    def _change(self, ask: Callable[[LiveGame[ArmT]], Event | None], confirm: bool = True) -> None:
        """Store what a request makes, then apply it: what cannot be stored does not happen."""
        with self._lock:
            event = ask(self._game)
            if event is not None:
                if not confirm:
                    self._game.require_in_range(event)
                self._store.append(event)
                self._game.apply(event)

    @property
    def store(self) -> EventStore:
        """The store that every change goes to, as an event."""
        return self._store

    @classmethod
    def from_events(cls, store: EventStore, policy: Policy | None = None) -> Self:
        """The bandit whose events a store holds; its next events go to the same store.

        Args:
            store: A store that a bandit wrote to.
            policy: Needed only for a policy without a name, which the registry does not have.

        Raises:
            DocumentError: The store holds no bandit, or an event is corrupt or of a later version.
        """
        return cls.__new__(cls)._take(replayed(store, policy), store)

    def follow(self, event: Event) -> None:
        """Take in the next event of the same history, which another process has stored."""
        with self._lock:
            self._game.replay(event)

    def to_json(self) -> str:
        """Everything as one JSON document: `from_json` continues identically.

        The document holds the events of the store, and grows with the game; to save after every
        decision, pass a `store` instead.  Ids must be str, int, float, bool, None, or tuples of
        these.
        """
        with self._lock:
            return write(self._store)

    @classmethod
    def from_json(
        cls, text: str | bytes, policy: Policy | None = None, store: EventStore | None = None
    ) -> Self:
        """The bandit that `to_json` wrote.

        Args:
            text: The document.
            policy: Needed only for a policy without a name, which the registry does not have.
            store: An empty store, which gets the events of the document and those that follow.

        Raises:
            DocumentError: The document is corrupt, or another version wrote it.
        """
        events = read(text)
        game = replayed(events, policy)
        return cls.__new__(cls)._take(game, filled(store, events))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the document of `to_json` to a file, which is complete or not there at all."""
        with atomic_write(Path(path)) as unfinished:
            unfinished.write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        policy: Policy | None = None,
        store: EventStore | None = None,
    ) -> Self:
        """The bandit that `save` wrote; the other arguments are those of `from_json`."""
        try:
            return cls.from_json(Path(path).read_bytes(), policy, store)
        except DocumentError as reason:
            raise DocumentError(f"{path}: {reason}") from reason

    def __getstate__(self) -> dict[str, Any]:
        """A copy keeps its events in memory: two that write to one file would contradict."""
        with self._lock:
            # Copied now: the game goes on changing when the lock is released.
            return {"game": copy.deepcopy(self._game), "events": tuple(self._store)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._take(state["game"], MemoryStore(state["events"]))
