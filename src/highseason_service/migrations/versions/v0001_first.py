"""The first schema: experiments, their events and decisions, requests, tokens."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables; without row ids SQLite keeps one tree of a table instead of two."""
    op.create_table(
        "experiments",
        sa.Column("id", sa.String(100), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("policy", sa.String(1000), nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
        sa.Column("last_seq", sa.Integer, nullable=False),
    )
    op.create_table(
        "events",
        _experiment(),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("kind", sa.String(30), nullable=False),
        sa.Column("turn", sa.Integer),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("event", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "decisions",
        _experiment(),
        sa.Column("turn", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("time", sa.String(40)),
        sa.Column("arm", sa.String(100), nullable=False),
        sa.Column("probability", sa.Float(53), nullable=False),
        sa.Column("exploited", sa.Boolean, nullable=False),
        sa.Column("level", sa.Float(53), nullable=False),
        sa.Column("forecast_version", sa.Integer, nullable=False),
        sa.Column("decided_at", sa.String(40), nullable=False),
        sa.Column("reward", sa.Float(53)),
        sa.Column("visitors", sa.Float(53)),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "requests",
        _experiment(),
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tokens",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(100), nullable=False, unique=True),
        sa.Column("scope", sa.String(20), nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
    )


def _experiment() -> sa.Column[str]:
    owner = sa.ForeignKey("experiments.id")
    return sa.Column("experiment", sa.String(100), owner, primary_key=True)
