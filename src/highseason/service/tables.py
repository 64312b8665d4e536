"""The tables.  The event log is the truth; the others are read from it, or speed it up."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData()

_owner = ForeignKey("experiments.id")

#: One row per experiment: what a change locks, and the number of its last event.
experiments = Table(
    "experiments",
    metadata,
    Column("id", String(100), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("status", String(20), nullable=False),
    Column("policy", String(1000), nullable=False),
    Column("created_at", String(40), nullable=False),
    Column("last_seq", Integer, nullable=False),
)

#: The append-only log.
events = Table(
    "events",
    metadata,
    Column("experiment", String(100), _owner, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", String(40), nullable=False),
    Column("kind", String(30), nullable=False),
    Column("turn", Integer),
    Column("body", Text, nullable=False),
    Column("event", Text),
    sqlite_with_rowid=False,
)

#: One row per locked turn: the primary key is the promise that a turn is decided once.
decisions = Table(
    "decisions",
    metadata,
    Column("experiment", String(100), ForeignKey("experiments.id"), primary_key=True),
    Column("turn", Integer, primary_key=True, autoincrement=False),
    Column("time", String(40)),
    Column("arm", String(100), nullable=False),
    Column("probability", Float(53), nullable=False),
    Column("exploited", Boolean, nullable=False),
    Column("level", Float(53), nullable=False),
    Column("forecast_version", Integer, nullable=False),
    Column("decided_at", String(40), nullable=False),
    Column("reward", Float(53)),
    Column("visitors", Float(53)),
    sqlite_with_rowid=False,
)

#: Requests that came with an idempotency key, and what was answered.
requests = Table(
    "requests",
    metadata,
    Column("experiment", String(100), ForeignKey("experiments.id"), primary_key=True),
    Column("key", String(200), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("answer", Text, nullable=False),
    sqlite_with_rowid=False,
)

#: The newest snapshot of an experiment: it saves time at a start, and nothing depends on it.
snapshots = Table(
    "snapshots",
    metadata,
    Column("experiment", String(100), ForeignKey("experiments.id"), primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("written_by", String(50), nullable=False),
    Column("state", Text, nullable=False),
)

#: Access tokens; of the secret only its hash is kept.
tokens = Table(
    "tokens",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("name", String(100), nullable=False, unique=True),
    Column("scope", String(20), nullable=False),
    Column("created_at", String(40), nullable=False),
)
