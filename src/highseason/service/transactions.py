"""How requests become transactions: one at a time in the writer, with the experiment in memory."""

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import Any, Self, TypeVar

from sqlalchemy import Connection

from highseason.bandit import Event
from highseason.service import snapshots
from highseason.service.brain import Brain
from highseason.service.cache import BrainCache
from highseason.service.database import Database
from highseason.service.errors import ClashError
from highseason.service.model import Entry
from highseason.service.store import Batch
from highseason.service.writer import Job, Writer

T = TypeVar("T")


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


class Transactions:
    """The part of the service that reads, queues changes, and waits for them."""

    def __init__(self, database: Database | str, clock: Callable[[], datetime] = now) -> None:
        self.database = database if isinstance(database, Database) else Database(database)
        self.clock = clock
        self.brains = BrainCache()
        self.writer = Writer(self.database, self.brains.forget, self._save_snapshots)

    def close(self) -> None:
        """Finish what is under way, and close the database."""
        self.writer.close()
        self.database.close()

    def _save_snapshots(self, idle: bool, ending: bool) -> None:
        for brain in list(self.brains.values()):
            new = brain.seq - brain.snapshot_seq
            if new >= snapshots.ENTRIES_AT_END if ending else snapshots.is_due(brain, idle):
                snapshots.save(self.database, brain)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, look: Callable[[Connection], T]) -> T:
        """Look at what is committed."""
        with self.database.read() as connection:
            return look(connection)

    def stamp(self) -> str:
        """The time, as the log keeps it."""
        return self.clock().astimezone(UTC).isoformat(timespec="microseconds")

    def enter(
        self,
        batch: Batch,
        brain: Brain,
        kind: str,
        turn: int | None,
        body: dict[str, Any],
        event: Event | None = None,
    ) -> Entry:
        """Append an entry to the log; the bandit knows its event already."""
        entry = Entry(brain.seq + 1, self.stamp(), kind, turn, body, event)
        brain.keep(entry)
        batch.entries.append((brain.settings.id, entry))
        batch.last_seq[brain.settings.id] = entry.seq
        return entry

    def submit(
        self,
        experiment: str,
        work: Callable[[Batch, Brain], T],
        key: str | None = None,
        request: Any = None,
        alone: bool = False,
    ) -> Future[T]:
        """Queue work on an experiment; with a key it is done once."""

        def job(batch: Batch) -> Any:
            brain = self.brains.current(batch, experiment)
            if key is None:
                return work(batch, brain)
            digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
            earlier = batch.answers.get((experiment, key)) or batch.earlier.get((experiment, key))
            if earlier is not None and earlier[0] != digest:
                raise ClashError(
                    f"the idempotency key {key!r} was used for another request: use a new key"
                )
            if earlier is not None:
                return earlier[1]
            answer = work(batch, brain)
            batch.answers[experiment, key] = digest, answer
            return answer

        return self.queue(experiment, job, alone, key)

    def change(self, experiment: str, work: Callable[[Batch, Brain], T], *more: Any) -> T:
        """As `submit`, and wait until it is committed."""
        return self.submit(experiment, work, *more).result()

    def look(self, experiment: str, view: Callable[[Brain], T]) -> T:
        """What `view` sees of an experiment, between two changes; it must not change anything."""
        return self.change(experiment, lambda batch, brain: view(brain))

    def queue(
        self, experiment: str, work: Callable[[Batch], T], alone: bool, key: str | None = None
    ) -> Future[T]:
        """Queue work that needs no experiment in memory."""

        def clean() -> bool:
            return not alone and self.brains.is_clean(experiment)

        return self.writer.submit(Job(experiment, work, alone, clean, key))
