"""The database: how it is opened, how its schema is brought up to date, how changes are locked."""

import logging
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from alembic.config import Config
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, insert, make_url, select, text
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from highseason_service.errors import SchemaError, UnavailableError
from highseason_service.tables import metadata

log = logging.getLogger("highseason_service")

#: Earlier SQLite versions may corrupt a WAL database when a checkpoint resets the log while
#: another connection writes.
SAFE_SQLITE = (3, 51, 3)

#: How long a change waits for another process, in seconds.
PATIENCE = 10

#: How long a transaction of PostgreSQL may do nothing before it is ended, in seconds: its process
#: was stopped, or its machine is gone.
IDLE = 30

#: Classes of SQLSTATE that say that PostgreSQL cannot do now what would be right otherwise.
OUTAGES = frozenset({"08", "25", "40", "53", "55", "57", "58"})

_MIGRATION_LOCK = 0x48534D47  # any number that no one else uses for an advisory lock


class Database(AbstractContextManager["Database"]):
    """One database; in SQLite one connection writes, as only one can.

    Args:
        url: `sqlite:///file.db`, `postgresql://user:password@host/name`, or the path of a file.
        create: Make a database that is not there, and bring its schema up to date; without it, it
            must be there, and `read` changes nothing, not even beside a file.
    """

    def __init__(self, url: str, create: bool = True) -> None:
        self.url = _url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            path = Path(self.url.database)
            if create and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(0o600)  # hashes of tokens are in it
            if not path.exists():
                raise ValueError(f"--database {path} does not exist")
            # No one writes to a file without a log of changes: it needs no locks beside it.
            still = {"mode": "ro"} if Path(f"{path}-wal").exists() else {"immutable": "1"}
            file = path.absolute().as_uri()
            looking = self.url.set(database=file, query={**still, "uri": "true"})
            self.reading = self._sqlite(self.url if create else looking, "BEGIN", 8, -1)
            self.asking = self.reading
            # Requests queue for one connection: SQLite itself would ask again and again.
            self.writing = self._sqlite(self.url, "BEGIN IMMEDIATE", 1, 0)
        else:
            self.asking = self._postgresql()
            self.writing = self.asking.execution_options(isolation_level="READ COMMITTED")
            self.reading = self.asking.execution_options(isolation_level="REPEATABLE READ")
        self._probing = threading.Lock()
        self._closed, self._active, self._gate = False, 0, threading.Condition()
        self._outage, self._written_at = "", 0.0  # why nothing can be written, if so
        try:
            with self._unavailable():
                self._upgrade(create)
        except BaseException:
            self.close()
            raise

    def _postgresql(self) -> Engine:
        limits = f"-c lock_timeout={PATIENCE}s -c idle_in_transaction_session_timeout={IDLE}s"
        given = self.url.query.get("options", "")
        return create_engine(
            self.url,
            isolation_level="AUTOCOMMIT",
            pool_size=24,
            max_overflow=0,
            pool_timeout=PATIENCE,
            pool_pre_ping=True,
            pool_use_lifo=True,  # the latest is the one whose statements are prepared
            connect_args={"connect_timeout": PATIENCE, "options": f"{limits} {given}"},
        )

    def _sqlite(self, url: Any, begin: str, pool_size: int, max_overflow: int) -> Engine:
        engine = create_engine(
            url,
            pool_size=pool_size,
            max_overflow=max_overflow,
            pool_timeout=PATIENCE,
            module=sqlite_module(),
            connect_args={"timeout": PATIENCE, "check_same_thread": False},
        )
        if url is self.url:
            event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
        return engine

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees what is committed, all of it as of one moment."""
        with self._unavailable(), self.reading.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes; what it does is on the disk when it ends."""
        with self._unavailable():
            with self.writing.begin() as connection:
                yield connection
            self.has_written()

    @contextmanager
    def ask(self) -> Iterator[Connection]:
        """A connection for single statements: on PostgreSQL each is a transaction of its own."""
        with self._unavailable(), self.asking.connect() as connection:
            yield connection

    def has_written(self) -> None:
        """Note that something was committed."""
        self._written_at = time.monotonic()
        if self._outage:
            log.warning("the database can be used again")
            self._outage = ""

    def check_writable(self) -> None:
        """Raise `UnavailableError` where nothing can be written; it is tried once a second."""
        if not self._outage and time.monotonic() - self._written_at < 1.0:
            return
        if self._probing.acquire(blocking=False):
            try:
                with self.write() as connection:
                    connection.execute(text("UPDATE alembic_version SET version_num = version_num"))
            finally:
                self._probing.release()
        elif self._outage:
            raise UnavailableError(self._outage)

    @contextmanager
    def _unavailable(self) -> Iterator[None]:
        with self._gate:
            if self._closed:
                raise UnavailableError("the service is shutting down: try again")
            self._active += 1
        try:
            yield
        except PoolTimeoutError as reason:
            raise UnavailableError(
                "all connections to the database are busy: try again"
            ) from reason
        except DBAPIError as reason:
            if reason.connection_invalidated or _is_outage(reason):
                brief = str(reason.orig).strip().partition("\n")[0]
                outage = f"the database cannot be used now ({brief}): try again"
                if not self._outage:
                    log.warning("%s", outage)
                self._outage = outage
                raise UnavailableError(outage) from reason
            raise
        finally:
            with self._gate:
                self._active -= 1
                self._gate.notify_all()

    def _upgrade(self, create: bool) -> None:
        """Bring the schema up to date, one process at a time; a newer schema is refused."""
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
        config.set_main_option("path_separator", "os")
        scripts = ScriptDirectory.from_config(config)
        known = {script.revision for script in scripts.walk_revisions()}
        # To bring it up to date, SQLite locks the file.
        with (self.writing if create else self.reading).begin() as connection:
            if create and not self.is_sqlite:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"))
            current = MigrationContext.configure(connection).get_current_revision()
            if current is not None and current not in known:
                raise SchemaError(
                    f"the database has schema {current}, but this highseason knows only "
                    f"{scripts.get_current_head()}: upgrade highseason"
                )
            if current is None and not create:
                raise ValueError("--database is not a database of highseason: it has no tables")
            if create and current != scripts.get_current_head():
                options: dict[str, Any] = {"transactional_ddl": True}
                options["fn"] = lambda revision, _: scripts._upgrade_revs("head", revision)
                with Operations.context(MigrationContext.configure(connection, opts=options)) as op:
                    op.migration_context.run_migrations()

    def backup(self, path: Path) -> None:
        """Copy a SQLite database as of one moment to a new file, while others write to it."""
        if not self.is_sqlite:
            raise ValueError("PostgreSQL has its own backup: pg_dump, or continuous archiving")
        if path.exists():
            raise ValueError(f"{path} exists: choose another name")
        with self._unavailable(), self.reading.connect() as connection:
            source: Any = connection.connection.driver_connection
            path.touch(0o600)
            with closing(sqlite_module().connect(path)) as copy:
                source.backup(copy)  # all pages in one step, so that no writer makes it start again

    def copy_to(self, empty: "Database") -> dict[str, int]:
        """Copy all rows as of one moment to an empty database; gives how many, by table."""
        copied = {}
        with self.read() as source, empty.write() as target:
            for table in metadata.sorted_tables:
                if target.execute(select(table).limit(1)).first() is not None:
                    raise ValueError(f"--out has {table.name} already: choose an empty database")
                found = source.execute(select(table))
                copied[table.name] = 0
                for rows in found.mappings().partitions(1_000):
                    target.execute(insert(table), list(map(dict, rows)))
                    copied[table.name] += len(rows)
        return copied

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections, once what is under way is done with them."""
        with self._gate:
            self._closed = True
            self._gate.wait_for(lambda: not self._active, PATIENCE)
        self.reading.dispose()
        self.writing.dispose()


def _url(text: str) -> Any:
    if "://" not in text:
        text = f"sqlite:///{text}"
    try:
        url = make_url(text)
    except ArgumentError as reason:
        raise ValueError(f"--database: {reason}") from reason
    backend, drivers = url.get_backend_name(), {"sqlite": "pysqlite", "postgresql": "psycopg"}
    if backend not in drivers:
        raise ValueError(
            f"--database expects sqlite:///file.db or postgresql://user@host/name, got {backend}"
        )
    if backend == "sqlite" and url.database in (None, "", ":memory:"):
        raise ValueError("--database needs a file: a database in memory would not last")
    return url.set(drivername=f"{backend}+{drivers[backend]}")


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


def _is_outage(reason: DBAPIError) -> bool:
    state = getattr(reason.orig, "sqlstate", None) or ""
    return isinstance(reason, (OperationalError, InterfaceError)) or state[:2] in OUTAGES
