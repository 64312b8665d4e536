"""All SQL of requests: what is read, and what one transaction writes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Select,
    Table,
    bindparam,
    insert,
    select,
    text,
    tuple_,
    update,
)

from highseason.bandit import event_from_json, event_to_json
from highseason_service.errors import NotFoundError
from highseason_service.model import DecisionRecord, Entry, Settings, Summary
from highseason_service.tables import decisions, events, experiments, requests, tokens

# The statements of most requests: built once, as that takes longer than to run them.
_ONE, _TURN = experiments.c.id == bindparam("of"), decisions.c.turn == bindparam("its_turn")
_OF_ONE = decisions.c.experiment == bindparam("of")
_KEPT = (requests.c.experiment == experiments.c.id) & (requests.c.key == bindparam("of_key"))
_HEAD = (
    select(experiments.c.last_seq, requests.c.digest, requests.c.answer)
    .select_from(experiments.outerjoin(requests, _KEPT))
    .where(_ONE)
)
_LOCK = _HEAD.with_for_update(of=experiments)
_UNCHANGED = experiments.c.last_seq == bindparam("old_seq")
_ADVANCE = update(experiments).where(_ONE, _UNCHANGED).values(last_seq=bindparam("new_seq"))
_SET_STATUS = update(experiments).where(_ONE).values(status=bindparam("new_status"))
_INSERT = {table: insert(table) for table in (events, decisions, requests)}
_DECISION = select(decisions).where(_OF_ONE, _TURN)
_DECIDED = select(decisions).where(
    tuple_(decisions.c.experiment, decisions.c.turn).in_(bindparam("pairs", expanding=True))
)
_NEWS = (events.c.experiment == bindparam("of")) & (events.c.seq > bindparam("after"))
_LOG = select(events).where(_NEWS).order_by(events.c.seq)
_OUTLINE = _LOG.where(events.c.kind.in_(("created", "arm_added", "forecast_replaced")))
_COUNTS = text(
    """SELECT count(*) AS decided,
    coalesce(max(CASE WHEN coalesce(reward, purchases) IS NOT NULL THEN turn END), 0),
    count(CASE WHEN coalesce(reward, purchases) IS NULL AND turn <= :past THEN 1 END)
    FROM decisions WHERE experiment = :of"""
)
_PORTION = _TURN & (decisions.c.arm == bindparam("its_arm"))
_BROUGHT = "reward", "purchases", "visitors"
_NEW_OUTCOME: dict[str, Any] = {name: bindparam(f"its_{name}") for name in _BROUGHT}
_SET_OUTCOME = update(decisions).where(_OF_ONE, _PORTION).values(_NEW_OUTCOME)

#: The same as parts of one statement: the row is locked first, and the others need it.
_ADVANCED = _ADVANCE.returning(experiments.c.id).cte("advanced")
_OF_ADVANCED = decisions.c.experiment == _ADVANCED.c.id
_REWARDED = update(decisions).where(_OF_ADVANCED, _PORTION).values(_NEW_OUTCOME).cte("rewarded")


@cache
def _at_once(tables: tuple[Table, ...], rewarded: bool) -> Select[Any]:
    """Add a row to each of the tables, if no one has changed the experiment; gives its id."""
    parts = [_REWARDED] if rewarded else []
    for table in tables:
        own = (bindparam(f"{table.name}_{c.name}", type_=c.type) for c in [*table.c][1:])
        row = select(_ADVANCED.c.id, *own)
        parts.append(insert(table).from_select(table.c.keys(), row).cte(f"new_{table.name}"))
    return select(_ADVANCED.c.id).add_cte(*parts)


@dataclass
class Changes:
    """What one request changes in one experiment."""

    experiment: str
    entries: list[Entry] = field(default_factory=list)
    decided: DecisionRecord | None = None
    #: Turn, arm, and what the table has of them from now on.
    outcomes: list[tuple[int, str, dict[str, Any]]] = field(default_factory=list)
    status: str | None = None
    answer: tuple[str, str, Any] | None = None  # the request's key, its digest, and what it got

    @property
    def is_brief(self) -> bool:
        """Whether one statement can write it on PostgreSQL: an entry, and what goes with it."""
        return len(self.entries) == 1 and len(self.outcomes) <= 1 and self.status is None

    def write(self, connection: Connection, before: int) -> bool:
        """Write everything, unless the experiment has another entry since that number."""
        mine = {"of": self.experiment, "old_seq": before, "new_seq": before + len(self.entries)}
        rows: list[tuple[Table, dict[str, Any]]] = [(events, _entry_row(e)) for e in self.entries]
        if self.decided is not None:
            rows.append((decisions, vars(self.decided)))
        if self.answer is not None:
            key, digest, answer = self.answer
            rows.append((requests, {"key": key, "digest": digest, "answer": json.dumps(answer)}))
        outcomes = [
            {f"its_{name}": came.get(name) for name in _BROUGHT}
            | {"its_turn": turn, "its_arm": arm}
            for turn, arm, came in self.outcomes
        ]
        if self.is_brief and connection.dialect.name == "postgresql":
            values: dict[str, Any] = dict(*outcomes, **mine)
            for table, row in rows:
                values |= {f"{table.name}_{name}": value for name, value in row.items()}
            statement = _at_once(tuple(table for table, _ in rows), bool(outcomes))
            return connection.execute(statement, values).first() is not None
        if not connection.execute(_ADVANCE, mine).rowcount:
            return False
        for table, row in rows:
            connection.execute(_INSERT[table], {"experiment": self.experiment} | row)
        if self.status is not None:
            connection.execute(_SET_STATUS, {"of": self.experiment, "new_status": self.status})
        if outcomes:
            connection.execute(_SET_OUTCOME, [{"of": self.experiment} | one for one in outcomes])
        return True


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
    return connection.execute(_LOG.limit(limit), {"of": experiment, "after": after})


def entries(
    connection: Connection, experiment: str, after: int = 0, limit: int | None = None
) -> list[Entry]:
    """The event log of an experiment, oldest first."""
    return [_entry(row) for row in _log(connection, experiment, after, limit)]


def outline(connection: Connection, experiment: str, after: int) -> list[Entry]:
    """The entries that say what an experiment is: its settings, arms and forecasts."""
    return [_entry(row) for row in connection.execute(_OUTLINE, {"of": experiment, "after": after})]


def page(connection: Connection, experiment: str, after: int, limit: int) -> list[dict[str, Any]]:
    """A page of the event log, as it is stored."""
    rows = [row._asdict() for row in _log(connection, experiment, after, limit)]
    for row in rows:
        del row["experiment"]
        row |= {"body": json.loads(row["body"]), "event": json.loads(row["event"] or "null")}
    return rows


def decision(connection: Connection, experiment: str, turn: int) -> DecisionRecord | None:
    """A locked turn, if it is."""
    row: Any = connection.execute(_DECISION, {"of": experiment, "its_turn": turn}).first()
    return None if row is None else DecisionRecord(*row[1:])  # all but the experiment


def decided(connection: Connection, turns: Mapping[str, int]) -> dict[str, DecisionRecord]:
    """A turn of each of many experiments, if it is locked."""
    wanted, found = list(turns.items()), dict[str, DecisionRecord]()
    for begin in range(0, len(wanted), 500):  # a statement has a limited number of parameters
        for row in connection.execute(_DECIDED, {"pairs": wanted[begin : begin + 500]}):
            values: Any = row[1:]
            found[row.experiment] = DecisionRecord(*values)
    return found


def counts(connection: Connection, experiment: str, past: int) -> Sequence[int]:
    """How many turns are decided, the last with a reward, and how many up to `past` have none."""
    return connection.execute(_COUNTS, {"of": experiment, "past": past}).one()


def latest(
    connection: Connection, experiment: str, before: int | None = None, limit: int | None = None
) -> list[DecisionRecord]:
    """The latest decisions, or all of them, newest turn first."""
    query = select(decisions).where(decisions.c.experiment == experiment)
    if before is not None:
        query = query.where(decisions.c.turn < before)
    rows: Any = connection.execute(query.order_by(decisions.c.turn.desc()).limit(limit))
    return [DecisionRecord(*row[1:]) for row in rows]


def history(connection: Connection, experiment: str) -> tuple[Any, Any]:
    """What each decided turn played and brought, in order, and the log of decisions and arms."""
    columns = decisions.c["turn", "arm", "exploited", "reward", "visitors", "purchases"]
    played = select(*columns).where(decisions.c.experiment == experiment).order_by(*columns[:2])
    kinds = events.c.kind.in_(("decided", "arm_added", "arm_retired"))
    log = select(*events.c["kind", "turn", "seq", "body"]).order_by(events.c.seq)
    log = log.where(events.c.experiment == experiment, kinds)
    return connection.execute(played).all(), connection.execute(log).all()


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
