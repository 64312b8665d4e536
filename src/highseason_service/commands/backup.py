"""`highseason backup`: a copy of the service's database, while it runs."""

from pathlib import Path

from highseason.cli import check_file, emit, options, with_examples
from highseason.core import require
from highseason_service.commands import database_option


@with_examples(
    "backup",
    "highseason backup --out copy.db",
    "highseason backup --database shop.db --out copy.db",
)
@database_option
@options.path("--out", "The file to write; it must not exist.", required=True)
def command(database: str, out: Path, as_json: bool) -> None:
    """Copy the service's SQLite database while it runs.

    The copy is complete as of one moment.  To restore it, stop the service and put it in the
    place of the database.  For PostgreSQL use pg_dump.
    """
    require("sqlalchemy", "service", "highseason backup")
    from highseason_service.database import Database

    check_file(out, "--out")
    with Database(database, create=False) as opened:
        opened.backup(out)
    emit(as_json, dict, lambda: None, [out])
