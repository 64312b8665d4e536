"""`highseason backup`: a copy of the service's database, while it runs."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from highseason.cli import check_file, emit, options, with_examples
from highseason.core import counted, require
from highseason_service.commands import database_option

if TYPE_CHECKING:
    from highseason_service.database import Database


@with_examples(
    "backup",
    "highseason backup --out copy.db",
    "highseason backup --database shop.db --out copy.db",
    "highseason backup --database shop.db --out postgresql://shop@db.example/shop",
)
@database_option
@options.option(
    "--out PLACE", "The file to write, or the URL of an empty database to fill.", required=True
)
def command(database: str, out: str, as_json: bool) -> None:
    """Copy the service's database while it runs.

    The copy is complete as of one moment.  To restore a file, stop the service and put it in the
    place of the database.  A URL moves everything from SQLite to PostgreSQL, or back; of a
    PostgreSQL database pg_dump makes backups.
    """
    require("sqlalchemy", "service", "highseason backup")
    from highseason_service.database import Database

    if "://" not in out:
        check_file(Path(out), "--out")
        with Database(database, create=False) as opened:
            opened.backup(Path(out))
        emit(as_json, dict, lambda: None, [Path(out)])
        return
    with Database(database, create=False) as opened, Database(out) as empty:
        copied = _copy(opened, empty)
    events, of = counted(copied["events"], "event"), counted(copied["experiments"], "experiment")
    text = f"copied {events} of {of}"
    emit(as_json, lambda: {"copied": copied}, lambda: click.echo(text))


def _copy(old: "Database", new: "Database") -> dict[str, int]:
    """Copy all rows as of one moment; gives how many, by table."""
    from sqlalchemy import insert, select

    from highseason_service.tables import metadata

    copied = {}
    with old.read() as source, new.write() as target:
        for table in metadata.sorted_tables:
            if target.execute(select(table).limit(1)).first() is not None:
                raise ValueError(f"--out has {table.name} already: choose an empty database")
            found = source.execute(select(table))
            copied[table.name] = 0
            for rows in found.mappings().partitions(1_000):
                target.execute(insert(table), list(map(dict, rows)))
                copied[table.name] += len(rows)
    return copied
