"""The commands of the service, which join `highseason` through the group `highseason.commands`."""

from typing import TYPE_CHECKING

from highseason.cli import options
from highseason.core import require

if TYPE_CHECKING:
    from highseason_service.database import Database

database_option = options.option(
    "--database URL",
    "A SQLite file, sqlite:///file.db, or postgresql://user@host/name.",
    default="highseason.db",
    envvar="HIGHSEASON_DATABASE",
)


def opened(command: str, url: str, create: bool = False) -> "Database":
    """The database that a command works on; `create` makes one that is not there."""
    require("sqlalchemy", "service", f"highseason {command}")
    from highseason_service.database import Database

    return Database(url, create)
