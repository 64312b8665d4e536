"""What was used last: experiments in memory, up to date with the log, and what pages show.

A snapshot is an experiment as of one entry of its log, so that a start need not replay all of it.
Nothing depends on snapshots: one that is missing, damaged, of another version, or older than a
change that reaches back is not used, and the experiment is built from its log.
"""

import json
import logging
from collections import OrderedDict
from collections.abc import Iterable
from typing import TypeVar

from sqlalchemy import Connection

from highseason.bandit import DocumentError
from highseason_service import store
from highseason_service.brain import Brain, reaches_back
from highseason_service.database import Database
from highseason_service.errors import NotFoundError
from highseason_service.store import Batch

T = TypeVar("T")

log = logging.getLogger("highseason_service")

#: How many entries may follow a snapshot before the next, and what part of the log.  While there is
#: work, a snapshot waits until there are `PATIENT` times as many.
ENTRIES, PART, PATIENT = 5_000, 8, 4
#: The same for a service that ends: its next start is then fast.
ENTRIES_AT_END = 500
#: How many experiments are kept; others are rebuilt when they are asked for.
REMEMBERED = 100


class Recent(OrderedDict[str, T]):
    """A dictionary with at most `most` entries; the least recently kept is evicted.

    >>> recent = Recent[int](2)
    >>> recent.keep("a", 1), recent.keep("b", 2), recent.keep("a", 3), recent.keep("c", 4)
    (1, 2, 3, 4)
    >>> list(recent.items())
    [('a', 3), ('c', 4)]
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def keep(self, name: str, value: T) -> T:
        """Keep a value, as the latest."""
        self[name] = value
        self.move_to_end(name)
        while len(self) > self._most:
            self.popitem(last=False)
        return value


class BrainCache(Recent[Brain]):
    """The experiments used last, which only the writer's thread changes.

    Any thread may look one up, which may then not be up to date.  `rebuilt` counts how often one
    was built from its log.
    """

    def __init__(self) -> None:
        super().__init__(REMEMBERED)
        self.rebuilt = 0

    def current(self, batch: Batch, experiment: str) -> Brain:
        """The experiment, up to date with the log."""
        last = batch.last_seq.get(experiment)
        if last is None:
            raise NotFoundError(f"there is no experiment {experiment!r}")
        brain = self.get(experiment)
        if brain is None:
            brain = _from_snapshot(batch.connection, experiment)
            if brain is None or brain.seq != last:  # what the batch wrote is in the database
                return self.rebuild(batch, experiment)
            return self.keep(experiment, brain)
        if brain.seq != last:
            news = store.entries(batch.connection, experiment, brain.seq)
            if any(map(reaches_back, news)):
                return self.rebuild(batch, experiment)
            for entry in news:
                brain.follow(entry)
        return self.keep(experiment, brain)

    def rebuild(self, batch: Batch, experiment: str) -> Brain:
        """The experiment built from its log, with what the batch has not written yet."""
        if batch.entries:
            batch.write()
            batch.clear()
        self.rebuilt += 1
        return self.keep(experiment, Brain(store.entries(batch.connection, experiment)))

    def save_snapshots(self, database: Database, idle: bool, ending: bool) -> None:
        """Write the snapshots that are due."""
        for brain in list(self.values()):
            most = max(ENTRIES, brain.seq // PART) * (1 if idle else PATIENT)
            if brain.seq - brain.snapshot_seq >= (ENTRIES_AT_END if ending else most):
                _save_snapshot(database, brain)

    def forget(self, experiments: Iterable[str]) -> None:
        """Drop experiments whose changes were not committed."""
        for experiment in experiments:
            self.pop(experiment, None)

    def is_clean(self, experiment: str) -> bool:
        """Whether the experiment holds no event that waits for a transaction."""
        brain = self.get(experiment)
        return brain is None or not brain.outbox.new


def _save_snapshot(database: Database, brain: Brain) -> None:
    """Write a snapshot of an experiment that is up to date with its log."""
    experiment, state = brain.settings.id, json.dumps(brain.snapshot())
    with database.write() as connection:
        batch = store.lock(connection, [experiment])
        if batch.last_seq.get(experiment) == brain.seq:  # another process may have gone on
            store.save_snapshot(connection, experiment, brain.seq, state)
    brain.snapshot_seq = brain.seq


def _from_snapshot(connection: Connection, experiment: str) -> Brain | None:
    """The experiment from its snapshot and what followed; None if that is not possible."""
    text = store.snapshot(connection, experiment)
    if text is None:
        return None
    try:
        state = json.loads(text)
        later = store.entries(connection, experiment, state["seq"])
        if any(map(reaches_back, later)):
            return None
        heads = store.entries_at(connection, experiment, state["heads"])
        return Brain([*heads, *later], state)
    except (DocumentError, LookupError, TypeError, ValueError) as reason:
        log.warning("the snapshot of %s cannot be used: %s", experiment, reason)
        return None
