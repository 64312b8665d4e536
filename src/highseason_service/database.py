"""The database: how it is opened, how its schema is brought up to date, how changes are locked."""

import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from highseason_service.errors import SchemaError, UnavailableError

log = logging.getLogger("highseason_service")

#: Earlier SQLite versions may corrupt a WAL database when a checkpoint resets the log while
#: another connection writes.
SAFE_SQLITE = (3, 51, 3)

#: How long a change waits for another process, in seconds.
PATIENCE = 10

#: How long a connection may lie idle before it is checked, in seconds.
IDLE = 1.0

_MIGRATION_LOCK = 0x48534D47  # any number that no one else uses for an advisory lock


class Database(AbstractContextManager["Database"]):
    """One database, as a pool of connections that read and one connection that writes.

    Args:
        url: `sqlite:///file.db`, `postgresql://user:password@host/name`, or the path of a file.
    """

    def __init__(self, url: str) -> None:
        self.url = _url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            Path(self.url.database).parent.mkdir(parents=True, exist_ok=True)
        self.reading = self._engine("BEGIN", pool_size=8)
        self.writing = self._engine("BEGIN IMMEDIATE", pool_size=1)
        try:
            with self._unavailable():
                self._upgrade()
        except BaseException:
            self.close()
            raise

    def _engine(self, begin: str, pool_size: int) -> Engine:
        if not self.is_sqlite:
            connect = {"connect_timeout": PATIENCE}
            engine = create_engine(self.url, pool_size=pool_size, connect_args=connect)
            event.listen(engine, "checkin", _note_use)
            event.listen(engine, "checkout", _check_if_idle)
            return engine
        engine = create_engine(
            self.url,
            pool_size=pool_size,
            max_overflow=-1,
            module=sqlite_module(),
            connect_args={"timeout": PATIENCE, "check_same_thread": False},
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
        return engine

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees what is committed."""
        with self._unavailable(), self.reading.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes; what it does is on the disk when it ends."""
        with self._unavailable(), self.writing.begin() as connection:
            yield connection

    @contextmanager
    def _unavailable(self) -> Iterator[None]:
        try:
            yield
        except PoolTimeoutError as reason:
            raise UnavailableError(
                "all connections to the database are busy: try again"
            ) from reason
        except DBAPIError as reason:
            if reason.connection_invalidated or _is_outage(reason):
                brief = str(reason.orig).strip().partition("\n")[0]
                raise UnavailableError(
                    f"the database cannot be used now ({brief}): try again"
                ) from reason
            raise

    def _upgrade(self) -> None:
        """Bring the schema up to date, one process at a time; a newer schema is refused."""
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
        config.set_main_option("path_separator", "os")
        scripts = ScriptDirectory.from_config(config)
        known = {script.revision for script in scripts.walk_revisions()}
        with self.writing.begin() as connection:  # on SQLite this locks the file
            if not self.is_sqlite:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"))
            current = MigrationContext.configure(connection).get_current_revision()
            if current is not None and current not in known:
                raise SchemaError(
                    f"the database has schema {current}, but this highseason knows only "
                    f"{scripts.get_current_head()}: upgrade highseason"
                )
            if current != scripts.get_current_head():
                _run(config, scripts, connection)

    def backup(self, path: Path) -> None:
        """Copy a SQLite database as of one moment to a new file, while others write to it."""
        if not self.is_sqlite:
            raise ValueError("PostgreSQL has its own backup: pg_dump, or continuous archiving")
        if path.exists():
            raise ValueError(f"{path} exists: choose another name")
        with self._unavailable(), self.reading.connect() as connection:
            source: Any = connection.connection.driver_connection
            copy = sqlite_module().connect(path)
            try:
                source.backup(copy)  # all pages in one step, so that no writer makes it start again
            finally:
                copy.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self.reading.dispose()
        self.writing.dispose()


def _run(config: Config, scripts: ScriptDirectory, connection: Connection) -> None:
    def upgrade(revision: Any, _: Any) -> Any:
        return scripts._upgrade_revs("head", revision)

    with EnvironmentContext(config, scripts, fn=upgrade) as environment:
        environment.configure(connection=connection, transactional_ddl=True)
        environment.run_migrations()


def _url(text: str) -> Any:
    if "://" not in text:
        text = f"sqlite:///{text}"
    try:
        url = make_url(text)
    except ArgumentError as reason:
        raise ValueError(f"--database: {reason}") from reason
    backend = url.get_backend_name()
    if backend not in ("sqlite", "postgresql"):
        raise ValueError(
            f"--database expects sqlite:///file.db or postgresql://user@host/name, got {backend}"
        )
    if backend == "sqlite":
        if not url.database or url.database == ":memory:":
            raise ValueError("--database needs a file: a database in memory would not last")
        return url.set(drivername="sqlite+pysqlite")
    return url.set(drivername="postgresql+psycopg")


def sqlite_module() -> Any:
    """The newest SQLite at hand: Python's own, or that of the extra `sqlite`."""
    modules: list[Any] = [sqlite3]
    with suppress(ImportError):
        modules.append(import_module("pysqlite3.dbapi2"))
    return max(modules, key=lambda module: module.sqlite_version_info)


def warn_of_old_sqlite() -> None:
    """Log a known fault of SQLite, if this one has it."""
    used = sqlite_module()
    if used.sqlite_version_info < SAFE_SQLITE:
        log.warning(
            "SQLite %s has a rare fault that can corrupt a database which several processes write "
            "to (fixed in %s): pip install 'highseason[sqlite]' brings a newer SQLite; or use "
            "PostgreSQL, or serve the file from one process",
            used.sqlite_version,
            ".".join(map(str, SAFE_SQLITE)),
        )


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say so
    # A checkpoint after 16 MB instead of 4: it costs as much as several commits.
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "wal_autocheckpoint=4000",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _note_use(_: Any, record: Any) -> None:
    record.info["used"] = time.monotonic()


def _check_if_idle(connection: Any, record: Any, _: Any) -> None:
    """Replace a connection that the server has closed; one that was just used needs no check."""
    if time.monotonic() - record.info.get("used", 0.0) > IDLE:
        try:
            connection.execute("SELECT 1")
            connection.rollback()
        except Exception as reason:  # whatever it is, this connection is of no use
            raise DisconnectionError from reason


def _is_outage(reason: DBAPIError) -> bool:
    name = type(reason.orig).__name__
    return name in {
        "OperationalError",
        "InterfaceError",
        "AdminShutdown",
        "DiskFull",
    } or isinstance(reason.orig, OSError)
