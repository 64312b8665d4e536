"""The versions of the database's schema, applied in order by Alembic."""
