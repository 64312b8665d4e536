"""`highseason backup`: a copy of the service's database, while it runs."""

from pathlib import Path

import click

from highseason.cli import check_file, emit, options, with_examples
from highseason.core import counted
from highseason_service.commands import database_option, opened


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
    if "://" not in out:
        check_file(Path(out), "--out")
        with opened("backup", database) as source:
            source.backup(Path(out))
        emit(as_json, dict, lambda: None, [Path(out)])
        return
    with opened("backup", database) as source, opened("backup", out, create=True) as empty:
        copied = source.copy_to(empty)
    events, of = counted(copied["events"], "event"), counted(copied["experiments"], "experiment")
    text = f"copied {events} of {of}"
    emit(as_json, lambda: {"copied": copied}, lambda: click.echo(text))
