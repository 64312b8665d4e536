"""All SQL of the service: what is read, and what one transaction writes."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from highseason.bandit import event_from_json, event_to_json
from highseason_service.errors import NotFoundError
from highseason_service.model import DecisionRecord, Entry, Outcome, Settings, Summary
from highseason_service.tables import decisions, events, experiments, requests, tokens

# The statements of most requests: built once, as that takes longer than to run them.
_ONE, _TURN = experiments.c.id == bindparam("of"), decisions.c.turn == bindparam("of_turn")
_OF_ONE = decisions.c.experiment == bindparam("of")
_KEPT = (requests.c.experiment == experiments.c.id) & (requests.c.key == bindparam("of_key"))
_HEAD = (
    select(experiments.c.last_seq, requests.c.digest, requests.c.answer)
    .select_from(experiments.outerjoin(requests, _KEPT))
    .where(_ONE)
)
_LOCK = _HEAD.with_for_update(of=experiments)
_ADVANCE = update(experiments).where(_ONE).values(last_seq=bindparam("new_seq"))
_SET_STATUS = update(experiments).where(_ONE).values(status=bindparam("new_status"))
_NEW_EVENTS, _NEW_DECISION, _NEW_ANSWER = insert(events), insert(decisions), insert(requests)
_DECISION = select(decisions).where(_OF_ONE, _TURN)
_NEW_OUTCOME: dict[str, Any] = {n: bindparam(f"new_{n}") for n in ("reward", "visitors")}
_SET_OUTCOME = update(decisions).where(_OF_ONE, _TURN).values(_NEW_OUTCOME)


@dataclass
class Changes:
    """What one request changes in one experiment."""

    experiment: str
    entries: list[Entry] = field(default_factory=list)
    decided: DecisionRecord | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    status: str | None = None
    answer: tuple[str, str, Any] | None = None  # the request's key, its digest, and what it got

    def write(self, connection: Connection) -> None:
        """Write everything."""
        mine = {"experiment": self.experiment}
        if self.entries:
            connection.execute(_NEW_EVENTS, [mine | _entry_row(entry) for entry in self.entries])
            last = {"of": self.experiment, "new_seq": self.entries[-1].seq}
            connection.execute(_ADVANCE, last)
        if self.status is not None:
            connection.execute(_SET_STATUS, {"of": self.experiment, "new_status": self.status})
        if self.decided is not None:
            connection.execute(_NEW_DECISION, mine | vars(self.decided))
        if self.outcomes:
            rows = [
                {"of": self.experiment, "of_turn": o.turn, "new_reward": o.reward}
                | {"new_visitors": o.visitors}
                for o in self.outcomes
            ]
            connection.execute(_SET_OUTCOME, rows)
        if self.answer is not None:
            key, digest, answer = self.answer
            row = mine | {"key": key, "digest": digest, "answer": json.dumps(answer)}
            connection.execute(_NEW_ANSWER, row)


def add_experiment(connection: Connection, settings: Settings, created: Entry) -> None:
    """Begin an experiment with the first entry of its log."""
    row = {"id": settings.id, "name": settings.name, "policy": settings.policy}
    row |= {"status": "running", "created_at": created.at}
    connection.execute(insert(experiments), [row | {"last_seq": created.seq}])
    connection.execute(insert(events), [{"experiment": settings.id} | _entry_row(created)])


def _entry_row(entry: Entry) -> dict[str, Any]:
    body = json.dumps(entry.body, separators=(",", ":"))
    event = None if entry.event is None else event_to_json(entry.event)
    return {**entry._asdict(), "body": body, "event": event}


def _entry(row: Row[Any]) -> Entry:
    event = None if row.event is None else event_from_json(row.event)
    return Entry(row.seq, row.at, row.kind, row.turn, json.loads(row.body), event)


def head(
    connection: Connection, experiment: str, key: str | None = None, lock: bool = False
) -> tuple[int, tuple[str, Any] | None]:
    """The number of the last entry in the log, and the digest and answer kept for a key.

    `lock`ed, no one else changes the experiment.  Where PostgreSQL has waited for the lock, the
    number is that of now, but the answer as of before.
    """
    found = connection.execute(_LOCK if lock else _HEAD, {"of": experiment, "of_key": key}).first()
    if found is None:
        raise NotFoundError(f"there is no experiment {experiment!r}")
    last, digest, answer = found
    return last, None if digest is None else (digest, json.loads(answer))


def _log(
    connection: Connection, experiment: str, after: int, limit: int | None
) -> Iterable[Row[Any]]:
    query = select(events).where(events.c.experiment == experiment, events.c.seq > after)
    return connection.execute(query.order_by(events.c.seq).limit(limit))


def entries(
    connection: Connection, experiment: str, after: int = 0, limit: int | None = None
) -> list[Entry]:
    """The event log of an experiment, oldest first."""
    return [_entry(row) for row in _log(connection, experiment, after, limit)]


def page(connection: Connection, experiment: str, after: int, limit: int) -> list[dict[str, Any]]:
    """A page of the event log, as it is stored."""
    rows = [row._asdict() for row in _log(connection, experiment, after, limit)]
    for row in rows:
        del row["experiment"]
        row |= {"body": json.loads(row["body"]), "event": json.loads(row["event"] or "null")}
    return rows


def decision(connection: Connection, experiment: str, turn: int) -> DecisionRecord | None:
    """A locked turn, if it is."""
    row: Any = connection.execute(_DECISION, {"of": experiment, "of_turn": turn}).first()
    return None if row is None else DecisionRecord(*row[1:])  # all but the experiment


def latest(
    connection: Connection, experiment: str, before: int | None = None, limit: int | None = None
) -> list[DecisionRecord]:
    """The latest decisions, or all of them, newest turn first."""
    query = select(decisions).where(decisions.c.experiment == experiment)
    if before is not None:
        query = query.where(decisions.c.turn < before)
    rows: Any = connection.execute(query.order_by(decisions.c.turn.desc()).limit(limit))
    return [DecisionRecord(*row[1:]) for row in rows]


def summaries(connection: Connection) -> list[Summary]:
    """All experiments, by id."""
    rows = connection.execute(select(experiments).order_by(experiments.c.id))
    return [_summary(row) for row in rows]


def summary(connection: Connection, experiment: str) -> Summary:
    """One experiment, which must be there."""
    row = connection.execute(select(experiments).where(experiments.c.id == experiment)).first()
    if row is None:
        raise NotFoundError(f"there is no experiment {experiment!r}")
    return _summary(row)


def _summary(row: Row[Any]) -> Summary:
    values: Any = (*row, f"/experiments/{row.id}")
    return Summary(*values)


def all_tokens(connection: Connection) -> Sequence[Row[Any]]:
    """The tokens in the order in which they were made: hash, name, scope and when."""
    return connection.execute(select(tokens).order_by(tokens.c.created_at)).all()


def add_token(connection: Connection, name: str, scope: str, digest: str, at: str) -> None:
    """Keep a token's hash."""
    row = {"name": name, "scope": scope, "hash": digest, "created_at": at}
    connection.execute(insert(tokens), [row])


def remove_token(connection: Connection, name: str) -> bool:
    """Forget a token; whether there was one."""
    return connection.execute(tokens.delete().where(tokens.c.name == name)).rowcount > 0
