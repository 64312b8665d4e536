"""How a bandit is kept: its store of events, its document, and its copies."""

import copy
import os
import threading
from pathlib import Path
from typing import Any, Self

from highseason.bandit import documents
from highseason.bandit.errors import DocumentError, StoreError
from highseason.bandit.events import BanditRestored, Event, EventStore, MemoryStore
from highseason.bandit.ledger import ArmT
from highseason.bandit.session import BanditSession
from highseason.bandit.view import BanditView
from highseason.core.atomic import atomic_write
from highseason.core.warnings import quiet
from highseason.policies import Policy
from highseason.traffic import CalendarWarning


class StoredBandit(BanditView[ArmT]):
    """The part of `Bandit` that writes, reads and copies it."""

    def _begin(self, session: BanditSession[ArmT], event: Event, store: EventStore | None) -> None:
        store = MemoryStore() if store is None else store
        if next(iter(store), None) is not None:
            raise StoreError(
                "the store already holds the events of a bandit: continue it with "
                "Bandit.from_events(store), or pass an empty store"
            )
        store.append(event)
        session.seq = event.seq
        self._session, self._store, self._lock = session, store, threading.RLock()

    def _record(self, event: Event | None) -> None:
        """Store an event, then apply it: what cannot be stored does not happen."""
        if event is not None:
            self._store.append(event)
            self._session.apply(event)

    @classmethod
    def from_events(cls, store: EventStore, policy: Policy | None = None) -> Self:
        """The bandit whose events a store holds; its next events go to the same store.

        Args:
            store: A store that a bandit wrote to.
            policy: Needed only for a policy without a name, which the registry does not have.

        Raises:
            DocumentError: The store holds no bandit, or an event is corrupt or of a later version.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.UniformRandom(), [5] * 9)
        >>> _ = [shelf.pull() for _ in range(5)]
        >>> again = hs.Bandit.from_events(hs.bandit.MemoryStore(shelf.store))
        >>> [again.pull(t) for t in range(1, 10)] == [shelf.pull(t) for t in range(1, 10)]
        True
        """
        bandit = cls.__new__(cls)
        with quiet(CalendarWarning):  # it was shown when the turns were appended
            session = documents.replayed(store, policy)
        bandit._session, bandit._store, bandit._lock = session, store, threading.RLock()
        return bandit

    def follow(self, event: Event) -> None:
        """Take in the next event of the same history, which another process has stored."""
        with self._lock:
            self._session.replay(event)

    def to_json(self) -> str:
        """Everything as one JSON document: `from_json` continues identically.

        Ids must be str, int, float, bool, None, or tuples of these.  The document grows with the
        game; to save after every decision, pass a `store` instead.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.UniformRandom(), [5] * 9)
        >>> twin = hs.Bandit.from_json(shelf.to_json())
        >>> [shelf.pull(t) for t in range(1, 10)] == [twin.pull(t) for t in range(1, 10)]
        True
        """
        with self._lock:
            return documents.write(self._session)

    @classmethod
    def from_json(
        cls, text: str | bytes, policy: Policy | None = None, store: EventStore | None = None
    ) -> Self:
        """The bandit that `to_json` wrote.

        Args:
            text: The document.
            policy: Needed only for a policy without a name, which the registry does not have.
            store: An empty store for the events from now on; the document is its first.

        Raises:
            DocumentError: The document is corrupt, or another version wrote it.
        """
        bandit = cls.__new__(cls)
        session = documents.read(text, policy)
        document = text if isinstance(text, str) else text.decode()
        bandit._begin(session, BanditRestored(1, document), store)
        return bandit

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the document of `to_json` to a file, which is complete or not there at all.

        >>> import highseason as hs
        >>> path = getfixture("tmp_path") / "shelf.json"
        >>> shelf = hs.Bandit(["a", "b"], hs.UniformRandom(), [5] * 9)
        >>> shelf.save(path)
        >>> hs.Bandit.load(path).pull() == shelf.pull()
        True
        """
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
            # Copied now: the session goes on changing when the lock is released.
            return {"session": copy.deepcopy(self._session), "events": tuple(self._store)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._session, self._store = state["session"], MemoryStore(state["events"])
        self._lock = threading.RLock()
