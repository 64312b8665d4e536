"""From a log in any format to events: in memory, or as an event table on disk."""

from __future__ import annotations

import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from highseason.core.atomic import atomic_write
from highseason.core.specs import Registry
from highseason.logs.conversion_log import ConversionLog, ConversionReport
from highseason.logs.events import EventBatch, Events, EventWriter, Pools

Progress = Callable[[int, int], None]

_ROWS = 1 << 18  # events written at a time
_LAST_TIME = 10**11  # the year 5138 in seconds; milliseconds reach it in 1973


class IdIndex:
    """Numbers arms and pools.

    >>> ids = IdIndex()
    >>> ids.arm("b"), ids.arm("a"), ids.arm("b")
    (0, 1, 0)
    >>> ids.pool([1, 0]), ids.pool([0, 1, 1]), ids.pool([1])
    (0, 0, 1)
    >>> ids.arms, len(ids.pools)
    (('b', 'a'), 2)
    """

    def __init__(self) -> None:
        self._arms: dict[str, int] = {}
        self._numbers: dict[bytes, int] = {}
        self._pools: list[NDArray[np.int32]] = []

    def arm(self, name: str) -> int:
        """The number of an arm."""
        return self._arms.setdefault(name, len(self._arms))

    def pool(self, arms: Iterable[int]) -> int:
        """The number of the pool of these arms, in any order."""
        members = np.unique(np.fromiter(arms, np.int32))
        number = self._numbers.setdefault(members.tobytes(), len(self._pools))
        if number == len(self._pools):
            self._pools.append(members)
        return number

    def open_pool(self) -> int:
        """The number of a pool whose arms are known only when the log ends."""
        self._pools.append(np.zeros(0, np.int32))
        return len(self._pools) - 1

    def close_pool(self, number: int, arms: Iterable[int]) -> None:
        """Give an open pool its arms."""
        self._pools[number] = np.fromiter(arms, np.int32)

    @property
    def arms(self) -> tuple[str, ...]:
        """The ids of the arms by their numbers."""
        return tuple(self._arms)

    @property
    def pools(self) -> Pools:
        """The table of pools."""
        return Pools.of(self._pools)


class LogFormat(ABC):
    """A log and how to read it.

    A new format is one file in `logs/formats`: a dataclass that derives from this class.  It is
    found by its `name`, and `highseason convert NAME` takes its fields as options (their
    `metadata` may hold `help` and `metavar`).

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
    """All formats by name: every `LogFormat` in the modules of `logs.formats`.

    >>> sorted(log_formats())
    ['open-bandit', 'table', 'yahoo']
    """
    registry: Registry[type[LogFormat]] = Registry("log format")
    package = import_module("highseason.logs.formats")
    for module in pkgutil.iter_modules(package.__path__):
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
    columns = concatenated(list(_batches(log, ids, record)))._asdict()
    return Events(**columns, arms=ids.arms, pools=ids.pools), record.report(ids.arms, ids.pools)


def convert(log: LogFormat, out: Path | str, progress: Progress | None = None) -> ConversionReport:
    r"""Write a log as an event table, in memory that does not grow with the log.

    The table gets its name when it is complete: an interrupted conversion leaves nothing under the
    name `out`.  Needs the extra `highseason[logs]`.

    Args:
        log: The log, such as `YahooLog(paths)` or `TableLog(path)`.
        out: The Parquet file to write.
        progress: Called with the bytes read so far and the bytes of all files.

    >>> import tempfile
    >>> from highseason.logs import YahooLog, read_events
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log, out = Path(folder) / "day", Path(folder) / "events.parquet"
    ...     _ = log.write_text("1317513291 id-2 1 |user 1 9 |id-1 |id-2\n")
    ...     report = convert(YahooLog((log,)), out)
    ...     read_events(out).arms, report.lines, report.events
    (('id-1', 'id-2'), 1, 1)
    """
    ids, record = IdIndex(), _record(log, progress)
    with atomic_write(Path(out)) as unfinished, EventWriter(unfinished) as writer:
        for batch in _joined(_batches(log, ids, record)):
            writer.write(batch, ids.arms)
        writer.finish(ids.arms, ids.pools)
    return record.report(ids.arms, ids.pools)


def _record(source: LogFormat, progress: Progress | None) -> ConversionLog:
    if progress is None:
        return ConversionLog()
    total = sum(path.stat().st_size for path in source.paths if path.exists())
    return ConversionLog(on_progress=lambda done: progress(min(done, total), total))


def _batches(source: LogFormat, ids: IdIndex, log: ConversionLog) -> Iterator[EventBatch]:
    """The batches of a log; at least one."""
    yield from source.batches(ids, log)
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
