"""Many experiments in a moment: copies of one, with its whole past, as if each had been played."""

from __future__ import annotations

import json

from sqlalchemy import insert, select

from highseason_service.database import Database
from highseason_service.tables import decisions, events, experiments


def copy(database: Database, experiment: str, count: int) -> None:
    """Copies of an experiment, as `NAME-1` and so on."""
    with database.write() as connection:
        for table in (experiments, events, decisions):
            owner = "id" if table is experiments else "experiment"
            rows = connection.execute(select(table).where(table.c[owner] == experiment))
            found = [dict(row) for row in rows.mappings()]
            for name in (f"{experiment}-{number}" for number in range(1, count + 1)):
                for row in found:
                    row[owner] = name
                    if row.get("kind") == "created":
                        row["body"] = json.dumps(json.loads(row["body"]) | {"id": name})
                if found:
                    connection.execute(insert(table), found)
