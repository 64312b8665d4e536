"""The commands of the service, which join `highseason` through the group `highseason.commands`."""

from highseason.cli import options

database_option = options.option(
    "--database URL",
    "A SQLite file, sqlite:///file.db, or postgresql://user@host/name.",
    default="highseason.db",
    envvar="HIGHSEASON_DATABASE",
)
