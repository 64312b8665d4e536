"""Snapshots: an experiment as of one entry of its log, so that a start need not replay all of it.

Nothing depends on them.  One that is missing, damaged, of another version, or older than a change
that reaches back is not used, and the experiment is built from its log.
"""

import json
import logging

from sqlalchemy import Connection

from highseason.bandit import DocumentError
from highseason.service import store
from highseason.service.brain import Brain, reaches_back
from highseason.service.database import Database

log = logging.getLogger("highseason.service")

#: How many entries may follow a snapshot before the next, and what part of the log.  While there is
#: work, a snapshot waits until there are `PATIENT` times as many.
ENTRIES, PART, PATIENT = 5_000, 8, 4
#: The same for a service that ends: its next start is then fast.
ENTRIES_AT_END = 500


def is_due(brain: Brain, idle: bool) -> bool:
    """Whether an experiment needs a new snapshot."""
    most = max(ENTRIES, brain.seq // PART) * (1 if idle else PATIENT)
    return brain.seq - brain.snapshot_seq >= most


def save(database: Database, brain: Brain) -> None:
    """Write a snapshot of an experiment that is up to date with its log."""
    experiment, state = brain.settings.id, json.dumps(brain.snapshot())
    with database.write() as connection:
        batch = store.lock(connection, [experiment])
        if batch.last_seq.get(experiment) == brain.seq:  # another process may have gone on
            store.save_snapshot(connection, experiment, brain.seq, state)
    brain.snapshot_seq = brain.seq


def load(connection: Connection, experiment: str) -> Brain | None:
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
