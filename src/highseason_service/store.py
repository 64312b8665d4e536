"""All SQL of the service: what is read, and what one transaction writes."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, Table, insert, select, tuple_, update

from highseason import __version__
from highseason.bandit import event_from_json, event_to_json
from highseason_service.model import DecisionRecord, Entry, Outcome, Summary
from highseason_service.tables import decisions, events, experiments, requests, snapshots, tokens

#: The most rows in one statement; a statement may have 32,766 parameters.
ROWS = 500


@dataclass
class Batch:
    """What the requests of one transaction change, written together at its end."""

    connection: Connection
    last_seq: dict[str, int]  # of the experiments that are locked
    new: list[dict[str, Any]] = field(default_factory=list)
    entries: list[tuple[str, Entry]] = field(default_factory=list)
    decided: dict[tuple[str, int], DecisionRecord] = field(default_factory=dict)
    outcomes: dict[tuple[str, int], Outcome] = field(default_factory=dict)
    answers: dict[tuple[str, str], tuple[str, Any]] = field(default_factory=dict)
    earlier: dict[tuple[str, str], tuple[str, Any]] = field(default_factory=dict)
    status: dict[str, str] = field(default_factory=dict)

    def look_up(self, keys: Iterable[tuple[str, str]]) -> None:
        """Read the digests and answers of earlier requests with these keys."""
        wanted = list(keys)
        if wanted:
            pair = tuple_(requests.c.experiment, requests.c.key)
            for row in self.connection.execute(select(requests).where(pair.in_(wanted))):
                self.earlier[row.experiment, row.key] = row.digest, json.loads(row.answer)

    def write(self) -> None:
        """Send everything to the database."""
        insert_rows(self.connection, experiments, self.new)
        insert_rows(self.connection, events, [_entry_row(*entry) for entry in self.entries])
        rows = [vars(record) | {"experiment": one} for (one, _), record in self.decided.items()]
        insert_rows(self.connection, decisions, rows)
        for experiment in {one for one, _ in self.outcomes}:
            mine = [outcome for (one, _), outcome in self.outcomes.items() if one == experiment]
            set_outcomes(self.connection, experiment, mine)
        rows = [
            {"experiment": experiment, "key": key, "digest": digest, "answer": json.dumps(answer)}
            for (experiment, key), (digest, answer) in self.answers.items()
        ]
        insert_rows(self.connection, requests, rows)
        self._write_experiments()

    def _write_experiments(self) -> None:
        last = {experiment: entry.seq for experiment, entry in self.entries}
        for experiment, seq in last.items():
            values: dict[str, Any] = {"last_seq": seq}
            if experiment in self.status:
                values["status"] = self.status[experiment]
            one = experiments.c.id == experiment
            self.connection.execute(update(experiments).where(one).values(values))

    def clear(self) -> None:
        """Forget what was written."""
        self.earlier |= self.answers
        for part in (self.new, self.entries):
            part.clear()
        for mapping in (self.decided, self.outcomes, self.answers, self.status):
            mapping.clear()


def _entry_row(experiment: str, entry: Entry) -> dict[str, Any]:
    body = json.dumps(entry.body, separators=(",", ":"))
    event = None if entry.event is None else event_to_json(entry.event)
    return {"experiment": experiment, **entry._asdict(), "body": body, "event": event}


def _entry(row: Row[Any]) -> Entry:
    event = None if row.event is None else event_from_json(row.event)
    return Entry(row.seq, row.at, row.kind, row.turn, json.loads(row.body), event)


def lock(connection: Connection, ids: Iterable[str]) -> Batch:
    """Lock experiments, in the order of their ids, so that two processes cannot wait in a ring."""
    query = select(experiments.c.id, experiments.c.last_seq).order_by(experiments.c.id)
    query = query.where(experiments.c.id.in_(sorted(set(ids)))).with_for_update()
    return Batch(connection, {row.id: row.last_seq for row in connection.execute(query)})


def _log(
    connection: Connection, experiment: str, chosen: Any, limit: int | None = None
) -> Iterable[Row[Any]]:
    query = select(events).where(events.c.experiment == experiment, chosen)
    return connection.execute(query.order_by(events.c.seq).limit(limit))


def entries(
    connection: Connection, experiment: str, after: int = 0, limit: int | None = None
) -> list[Entry]:
    """The event log of an experiment, oldest first."""
    return [_entry(row) for row in _log(connection, experiment, events.c.seq > after, limit)]


def entries_at(connection: Connection, experiment: str, numbers: Sequence[int]) -> list[Entry]:
    """Some entries of the event log, oldest first."""
    return [_entry(row) for row in _log(connection, experiment, events.c.seq.in_(numbers))]


def snapshot(connection: Connection, experiment: str) -> str | None:
    """The newest snapshot, if this version of highseason wrote it."""
    one = (snapshots.c.experiment == experiment) & (snapshots.c.written_by == __version__)
    return connection.execute(select(snapshots.c.state).where(one)).scalar()


def save_snapshot(connection: Connection, experiment: str, seq: int, state: str) -> None:
    """Keep a snapshot instead of the one before it."""
    connection.execute(snapshots.delete().where(snapshots.c.experiment == experiment))
    row = {"experiment": experiment, "seq": seq, "written_by": __version__, "state": state}
    connection.execute(insert(snapshots), [row])


def page(connection: Connection, experiment: str, after: int, limit: int) -> list[dict[str, Any]]:
    """A page of the event log, as it is stored."""
    rows = [row._asdict() for row in _log(connection, experiment, events.c.seq > after, limit)]
    for row in rows:
        del row["experiment"]
        row |= {"body": json.loads(row["body"]), "event": json.loads(row["event"] or "null")}
    return rows


def _record(row: Row[Any]) -> DecisionRecord:
    values: Any = row[1:]  # all but the experiment
    return DecisionRecord(*values)


def decision(connection: Connection, experiment: str, turn: int) -> DecisionRecord | None:
    """A locked turn, if it is."""
    one = (decisions.c.experiment == experiment) & (decisions.c.turn == turn)
    row = connection.execute(select(decisions).where(one)).first()
    return None if row is None else _record(row)


def latest(
    connection: Connection, experiment: str, before: int | None, limit: int | None
) -> list[DecisionRecord]:
    """The latest decisions, newest turn first."""
    query = select(decisions).where(decisions.c.experiment == experiment)
    if before is not None:
        query = query.where(decisions.c.turn < before)
    rows = connection.execute(query.order_by(decisions.c.turn.desc()).limit(limit))
    return [_record(row) for row in rows]


def all_decisions(connection: Connection, experiment: str) -> list[DecisionRecord]:
    """All decisions, by turn."""
    return latest(connection, experiment, None, None)[::-1]


def summaries(connection: Connection) -> list[Summary]:
    """All experiments, by id."""
    rows = connection.execute(select(experiments).order_by(experiments.c.id))
    return [Summary(*row) for row in rows]


def summary(connection: Connection, experiment: str) -> Summary | None:
    """One experiment, if there is one."""
    row = connection.execute(select(experiments).where(experiments.c.id == experiment)).first()
    return None if row is None else Summary(*row)


def token_scopes(connection: Connection) -> dict[str, str]:
    """The scope of each token, by its hash."""
    return {row.hash: row.scope for row in connection.execute(select(tokens))}


def token_names(connection: Connection) -> list[dict[str, str]]:
    """What tokens there are: name, scope, when they were made."""
    rows = connection.execute(select(tokens).order_by(tokens.c.created_at))
    return [{"name": r.name, "scope": r.scope, "created_at": r.created_at} for r in rows]


def add_token(connection: Connection, name: str, scope: str, digest: str, at: str) -> None:
    """Keep a token's hash."""
    row = {"name": name, "scope": scope, "hash": digest, "created_at": at}
    connection.execute(insert(tokens), [row])


def remove_token(connection: Connection, name: str) -> bool:
    """Forget a token; whether there was one."""
    return connection.execute(tokens.delete().where(tokens.c.name == name)).rowcount > 0


# Many rows in one statement: the interpreter is given up at each statement, and other threads take
# it, so that with a statement per row a transaction would wait for them as often as it has rows.


def insert_rows(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows, all of which have the same columns."""
    for part in _parts(rows):
        columns = tuple(part[0])
        statement = _insertion(table.name, columns, len(part), _mark(connection))
        values = tuple(row[name] for row in part for name in columns)
        connection.exec_driver_sql(statement, values)


def set_outcomes(connection: Connection, experiment: str, outcomes: Sequence[Outcome]) -> None:
    """Write the rewards and visitors of decided turns."""
    for part in _parts(outcomes):
        rewards = [value for one in part for value in (one.turn, one.reward)]
        visitors = [value for one in part for value in (one.turn, one.visitors)]
        turns = [one.turn for one in part]
        statement = _update(len(part), _mark(connection))
        connection.exec_driver_sql(statement, (*rewards, *visitors, experiment, *turns))


def _parts(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (rows[i : i + ROWS] for i in range(0, len(rows), ROWS))


def _mark(connection: Connection) -> str:
    """The driver's mark for a parameter."""
    return "?" if connection.dialect.name == "sqlite" else "%s"


@lru_cache(maxsize=2000)
def _insertion(table: str, columns: tuple[str, ...], rows: int, mark: str) -> str:
    row = "(" + ", ".join([mark] * len(columns)) + ")"
    names = ", ".join(f'"{name}"' for name in columns)
    return f"INSERT INTO {table} ({names}) VALUES " + ", ".join([row] * rows)


@lru_cache(maxsize=2000)
def _update(rows: int, mark: str) -> str:
    cast = mark if mark == "?" else f"CAST({mark} AS DOUBLE PRECISION)"
    cases = f"CASE turn {f'WHEN {mark} THEN {cast} ' * rows}END"
    turns = ", ".join([mark] * rows)
    return (
        f"UPDATE {decisions.name} SET reward = {cases}, visitors = {cases} "
        f"WHERE experiment = {mark} AND turn IN ({turns})"
    )
