"""Snapshots of experiments."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the table of snapshots."""
    owner = sa.ForeignKey("experiments.id")
    op.create_table(
        "snapshots",
        sa.Column("experiment", sa.String(100), owner, primary_key=True),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("written_by", sa.String(50), nullable=False),
        sa.Column("state", sa.Text, nullable=False),
    )
