"""From a log in any format to events: in memory, or as an event table on disk."""

import functools
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import field, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from highseason.core.atomic import atomic_write
from highseason.core.executors import Executors, Pool, opened
from highseason.core.parallel import map_blocks
from highseason.core.specs import Registry
from highseason.logs.conversion_log import ConversionLog, ConversionReport
from highseason.logs.events import EventBatch, Events, EventWriter
from highseason.logs.id_index import IdIndex

Progress = Callable[[int, int], None]

_ROWS = 1 << 18  # events written at a time
_LAST_TIME = 10**11  # the year 5138 in seconds; milliseconds reach it in 1973


class LogFormat(ABC):
    """A log and how to read it.

    A new format is one file in `logs` whose name ends in `_format`: a dataclass that derives from
    this class.  It is found by its `name`, and `highseason convert NAME` takes its fields as
    options (their `metadata` may hold `help` and `metavar`).

    Attributes:
        name: The name of its command.
        examples: Command lines for its help.
    """

    name: ClassVar[str]
    examples: ClassVar[tuple[str, ...]]
    paths: tuple[Path, ...]

    @property
    @abstractmethod
    def expected(self) -> str:
        """What a good line looks like, for an error message."""

    @abstractmethod
    def batches(self, ids: IdIndex, log: ConversionLog) -> Iterator[EventBatch]:
        """Read the log from the beginning.

        All arms and pools are in `ids` when this ends, and all lines of a batch are recorded in
        `log` when the batch is yielded.
        """


def option(default: Any, text: str, **metadata: str) -> Any:
    """A field of a format with a default and its help."""
    return field(default=default, metadata={"help": text, **metadata})


def log_formats() -> dict[str, type[LogFormat]]:
    """All formats by name: every `LogFormat` in the modules `logs.*_format`.

    >>> sorted(log_formats())
    ['open-bandit', 'table', 'yahoo']
    """
    registry: Registry[type[LogFormat]] = Registry("log format")
    package = import_module("highseason.logs")
    for module in pkgutil.iter_modules(package.__path__):
        if not module.name.endswith("_format"):
            continue
        for entry in vars(import_module(f"{package.__name__}.{module.name}")).values():
            if isinstance(entry, type) and issubclass(entry, LogFormat) and hasattr(entry, "name"):
                registry.register(entry.name, entry)
    return registry.entries()


def existing(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """The same paths, or an error if one is not a file."""
    if not paths:
        raise ValueError("expected at least one log file, got none")
    for path in paths:
        if path.is_dir():
            raise ValueError(f"{path} is a folder: name the files in it")
        if not path.exists():
            raise ValueError(f"there is no file {path}: check the path")
    return paths


def collect(log: LogFormat, progress: Progress | None = None) -> tuple[Events, ConversionReport]:
    """Read a log into memory.

    Args:
        log: The log, such as `YahooLog(paths)` or `TableLog(path)`.
        progress: Called with the bytes read so far and the bytes of all files.
    """
    ids, record = IdIndex(), _record(log, progress)
    columns = concatenated(list(_checked(log.batches(ids, record), log, record)))._asdict()
    return Events(**columns, arms=ids.arms, pools=ids.pools), record.report(ids.arms, ids.pools)


def convert(
    log: LogFormat,
    out: Path | str,
    progress: Progress | None = None,
    *,
    executor: Executors = None,
    workers: int | None = None,
) -> ConversionReport:
    r"""Write a log as an event table, in memory that does not grow with the log.

    The table gets its name when it is complete: an interrupted conversion leaves nothing under the
    name `out`.  Needs the extra `highseason[logs]`.

    Args:
        log: The log, such as `YahooLog(paths)` or `TableLog(path)`.
        out: The Parquet file to write.
        progress: Called with the bytes read so far and the bytes of all files.
        executor: Where several files are read, each by one worker: "local" (all cores), "serial",
            "ray", "dask", "ray://HOST:PORT", "dask://HOST:PORT", or any
            `concurrent.futures.Executor`.  Workers on other machines must see the same files.
        workers: How many workers; all there are if None.

    >>> import tempfile
    >>> from highseason.logs import YahooLog, read_events
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log, out = Path(folder) / "day", Path(folder) / "events.parquet"
    ...     _ = log.write_text("1317513291 id-2 1 |user 1 9 |id-1 |id-2\n")
    ...     report = convert(YahooLog((log,)), out)
    ...     read_events(out).arms, report.lines, report.events
    (('id-1', 'id-2'), 1, 1)
    """
    if len(log.paths) > 1 and "paths" in vars(log):  # a field, so it can be replaced by one file
        with opened(executor, workers) as pool, suppress(FilesDisagreeError):
            if not pool.inline:
                existing(log.paths)
                return _write(log, out, progress, pool)
    return _write(log, out, progress)


def _write(
    log: LogFormat, out: Path | str, progress: Progress | None, pool: Pool | None = None
) -> ConversionReport:
    ids, record = IdIndex(), _record(log, progress)
    batches = log.batches(ids, record) if pool is None else read_files(log, ids, record, pool)
    with atomic_write(Path(out)) as unfinished, EventWriter(unfinished) as writer:
        for batch in _joined(_checked(batches, log, record)):
            writer.write(batch, ids.arms)
        writer.finish(ids.arms, ids.pools)
    return record.report(ids.arms, ids.pools)


class FilesDisagreeError(Exception):
    """What a file means depends on the files before it: they must be read one after the other."""


def read_files(source: Any, ids: IdIndex, log: ConversionLog, pool: Pool) -> Iterator[EventBatch]:
    """The batches of all files, read at the same time, in their order and numbered by `ids`.

    Raises:
        FilesDisagreeError: Before the batches of a file that has to be read after the others.
    """
    parts = map_blocks(functools.partial(_try_file, source), source.paths, pool)
    for part in parts:
        if part is None or not log.can_append(part[2], part[0]):
            raise FilesDisagreeError
        batches, own, its_log = part
        log.append(its_log)
        arms, members = np.array([ids.arm(name) for name in own.arms], np.int32), own.pools
        pools = np.array([ids.pool(arms[members[i]]) for i in range(len(members))], np.int32)
        for batch in batches:
            yield batch._replace(arm=arms[batch.arm], pool=pools[batch.pool])


def _try_file(source: Any, path: Path) -> tuple[list[EventBatch], IdIndex, ConversionLog] | None:
    """What one file holds, numbered by itself; None where it cannot be read so."""
    ids, log = IdIndex(), ConversionLog()
    try:
        batches = list(replace(source, paths=(path,)).batches(ids, log))
    except ValueError:  # perhaps not an error after the files before it
        return None
    return batches, ids, log


def _record(source: LogFormat, progress: Progress | None) -> ConversionLog:
    if progress is None:
        return ConversionLog()
    total = sum(path.stat().st_size for path in source.paths if path.exists())
    return ConversionLog(on_progress=lambda done: progress(min(done, total), total))


def _checked(
    batches: Iterator[EventBatch], source: LogFormat, log: ConversionLog
) -> Iterator[EventBatch]:
    """The batches of a log; at least one."""
    yield from batches
    if log.events == 0:
        raise ValueError(log.no_event(source.paths, source.expected))
    if log.first_time > _LAST_TIME:
        log.notes.append(
            f"the first time is {moment(log.first_time)}: if the log counts milliseconds, "
            "divide them by 1000 and convert it again"
        )
    if log.lines != log.events + log.skipped.total():
        raise AssertionError(f"lines were lost: {log}")


def _joined(batches: Iterator[EventBatch]) -> Iterator[EventBatch]:
    """The same events in batches of about `_ROWS`, which make good row groups."""
    waiting: list[EventBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(part.time.size for part in waiting) >= _ROWS:
            yield concatenated(waiting)
            waiting = []
    if waiting:
        yield concatenated(waiting)


def concatenated(batches: list[EventBatch]) -> EventBatch:
    """The events of all batches."""
    columns: Iterator[Any] = zip(*batches, strict=True)
    joined: list[Any] = [None if c[0] is None else np.concatenate(c) for c in columns]
    return EventBatch(*joined)


def moment(seconds: int) -> str:
    """A time of a log as a date in UTC, or the bare number where it cannot be one.

    >>> moment(1317513600), moment(300), moment(10**18)
    ('2011-10-02 00:00:00', '300', '1000000000000000000 seconds')
    """
    if seconds < 10**8:  # counted from something other than 1970
        return str(seconds)
    if seconds >= 10**11:
        return f"{seconds} seconds"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
