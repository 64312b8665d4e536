"""What happened in an experiment, as columns over its turns, kept up with the database.

A page needs sums over all turns.  Reading 100,000 rows for each page would take longer than
everything else, so the columns stay in memory, and only turns that changed are read again.
"""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from highseason_service.cache import Recent
from highseason_service.database import Database
from highseason_service.tables import decisions, events, experiments

#: How many experiments are kept in memory.
REMEMBERED = 50

#: From this many new events on, everything is read again.
MANY = 2_000

_COLUMNS = (
    decisions.c.turn,
    decisions.c.arm,
    decisions.c.exploited,
    decisions.c.reward,
    decisions.c.visitors,
)


#: What each column has for a turn that is not decided.
_BLANK: dict[str, Any] = {
    "entry": np.int64(0),
    "arm": np.int32(-1),
    "exploited": np.False_,
    "reward": np.nan,
    "visitors": np.nan,
}


class ArmChange(NamedTuple):
    """An arm was added or removed, by the event with this number."""

    seq: int
    arm: str
    removed: bool


@dataclass
class PlayHistory:
    """The turns of an experiment; position t - 1 is turn t, and arms have numbers."""

    seq: int  # the number of the last event that is in it
    numbers: dict[str, int]  # the number of each arm that was played, by its id
    # the number of the event that decided each turn, 0 where it is not decided
    entry: NDArray[np.int64]
    arm: NDArray[np.int32]  # the number of the arm of each turn, -1 where it is not decided
    exploited: NDArray[np.bool_]  # whether the turn played the best arm so far
    reward: NDArray[np.float64]  # the turn's reward, NaN where there is none
    visitors: NDArray[np.float64]  # the visitors who came, NaN where it is not known
    changes: list[ArmChange]  # when arms came and went

    @classmethod
    def empty(cls) -> Self:
        """No turns at all."""
        return cls(0, {}, changes=[], **{name: np.full(0, value) for name, value in _BLANK.items()})

    def copy(self) -> Self:
        """A copy: pages that are being drawn keep what they have."""
        columns = {name: getattr(self, name).copy() for name in _BLANK}
        return replace(self, numbers=dict(self.numbers), changes=list(self.changes), **columns)

    @property
    def turns(self) -> int:
        """The latest turn that is decided."""
        return self.arm.size

    def is_decided(self, turn: int) -> bool:
        """Whether a turn is decided."""
        return turn <= self.turns and bool(self.arm[turn - 1] >= 0)

    def plays(self, before: int) -> dict[str, int]:
        """How often each arm was played in the turns before a turn."""
        counts = (self._all_plays - self._count(self.arm[before - 1 :])).tolist()
        return {arm: counts[number] for arm, number in self.numbers.items()}

    @cached_property
    def _all_plays(self) -> NDArray[np.int64]:
        return self._count(self.arm)  # pages ask about the latest turns: few are to be taken off

    def _count(self, arms: NDArray[np.int32]) -> NDArray[np.int64]:
        return np.bincount(arms[arms >= 0], minlength=len(self.numbers))

    def take(self, rows: Sequence[Any]) -> None:
        """Take in decided turns, as rows of the table."""
        if not rows:
            return
        turns, arms, exploited, reward, visitors = zip(*rows, strict=True)
        more = max(turns) - self.turns
        for name, blank in _BLANK.items() if more > 0 else ():
            setattr(self, name, np.append(getattr(self, name), np.full(more, blank)))
        places = np.array(turns) - 1
        number = self.numbers
        self.arm[places] = [number.setdefault(arm, len(number)) for arm in arms]
        self.exploited[places] = exploited
        self.reward[places] = np.array(reward, np.float64)  # None is NaN
        self.visitors[places] = np.array(visitors, np.float64)

    def number(self, rows: Sequence[Any]) -> None:
        """Take in which events decided turns, as pairs of turn and event."""
        if rows:
            turns, numbers = zip(*rows, strict=True)
            self.entry[np.array(turns) - 1] = numbers


class Histories:
    """The histories of the experiments that were looked at last."""

    def __init__(self, database: Database) -> None:
        self._database, self._lock = database, threading.Lock()
        self._known: Recent[PlayHistory] = Recent(REMEMBERED)

    def get(self, experiment: str) -> PlayHistory:
        """The history of an experiment as it is in the database now."""
        with self._lock, self._database.read() as connection:
            known = self._known.get(experiment, PlayHistory.empty())
            return self._known.keep(experiment, _caught_up(connection, experiment, known))


def _caught_up(connection: Connection, experiment: str, known: PlayHistory) -> PlayHistory:
    row = connection.execute(select(experiments.c.last_seq).where(experiments.c.id == experiment))
    last = row.scalar() or 0
    if last == known.seq:
        return known
    query = select(*_COLUMNS).where(decisions.c.experiment == experiment)
    changed = _changed_turns(connection, experiment, known.seq, last)
    if changed is None:
        fresh = PlayHistory.empty()
    else:
        fresh = known.copy()
        query = query.where(decisions.c.turn.in_(changed))
    fresh.take(connection.execute(query).all())
    decided = events.c.turn, events.c.seq
    fresh.number(_later(connection, experiment, fresh.seq, ("decided",), *decided))
    kinds, columns = ("arm_added", "arm_retired"), (events.c.seq, events.c.kind, events.c.body)
    fresh.changes += [
        ArmChange(seq, json.loads(body)["id"], kind == "arm_retired")
        for seq, kind, body in _later(connection, experiment, fresh.seq, kinds, *columns)
    ]
    fresh.seq = last
    return fresh


def _changed_turns(
    connection: Connection, experiment: str, after: int, last: int
) -> list[int] | None:
    """The turns that later events are about; None where there are too many to name."""
    if not after or last - after > MANY:
        return None
    columns = events.c.turn, events.c.event
    rows = _later(connection, experiment, after, ("decided", "rewarded", "corrected"), *columns)
    turns: set[int] = set()
    for turn, event in rows:
        reported = json.loads(event)["outcomes"] if turn is None else [(turn,)]
        turns.update(outcome[0] for outcome in reported)
    return sorted(turns) if len(turns) <= MANY else None


def _later(
    connection: Connection, experiment: str, after: int, kinds: Sequence[str], *columns: Any
) -> Sequence[Any]:
    """Columns of the later events of some kinds, oldest first."""
    mine = events.c.experiment == experiment, events.c.seq > after, events.c.kind.in_(kinds)
    return connection.execute(select(*columns).where(*mine).order_by(events.c.seq)).all()
