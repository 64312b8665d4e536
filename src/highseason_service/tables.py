"""The tables.  The event log is the truth; the others are read from it, or speed it up."""

import sqlalchemy as sa

metadata = sa.MetaData()

#: One row per experiment: what a change locks, and the number of its last event.
experiments = sa.Table(
    "experiments",
    metadata,
    sa.Column("id", sa.String(100), primary_key=True),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("policy", sa.String(1000), nullable=False),
    sa.Column("created_at", sa.String(40), nullable=False),
    sa.Column("last_seq", sa.Integer, nullable=False),
)

#: The append-only log.
events = sa.Table(
    "events",
    metadata,
    sa.Column("experiment", sa.String(100), sa.ForeignKey("experiments.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.String(40), nullable=False),
    sa.Column("kind", sa.String(30), nullable=False),
    sa.Column("turn", sa.Integer),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("event", sa.Text),
    sqlite_with_rowid=False,
)

#: One row per portion of a locked turn, which has one.  That a turn is decided once is kept by the
#: log, whose last number a change must find as it was.
decisions = sa.Table(
    "decisions",
    metadata,
    sa.Column("experiment", sa.String(100), sa.ForeignKey("experiments.id"), primary_key=True),
    sa.Column("turn", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("time", sa.String(40)),
    sa.Column("arm", sa.String(100), primary_key=True),
    sa.Column("probability", sa.Float(53), nullable=False),
    sa.Column("exploited", sa.Boolean, nullable=False),
    sa.Column("level", sa.Float(53), nullable=False),
    sa.Column("forecast_version", sa.Integer, nullable=False),
    sa.Column("decided_at", sa.String(40), nullable=False),
    sa.Column("reward", sa.Float(53)),
    sa.Column("visitors", sa.Float(53)),
    sa.Column("purchases", sa.Float(53)),  # of prices, in place of the reward: money follows
    sqlite_with_rowid=False,
)

#: Requests that came with an idempotency key, and what was answered.
requests = sa.Table(
    "requests",
    metadata,
    sa.Column("experiment", sa.String(100), sa.ForeignKey("experiments.id"), primary_key=True),
    sa.Column("key", sa.String(200), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)

#: Access tokens; of the secret only its hash is kept.
tokens = sa.Table(
    "tokens",
    metadata,
    sa.Column("hash", sa.String(64), primary_key=True),
    sa.Column("name", sa.String(100), nullable=False, unique=True),
    sa.Column("scope", sa.String(20), nullable=False),
    sa.Column("created_at", sa.String(40), nullable=False),
)
