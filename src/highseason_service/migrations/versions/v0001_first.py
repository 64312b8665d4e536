"""The first schema: experiments, their events and decisions, requests, tokens."""

from alembic import op

from highseason_service.tables import metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables, none of which has changed since; a version that changes one keeps it here.

    Without row ids SQLite keeps one tree of a table instead of two.
    """
    metadata.create_all(op.get_bind())
