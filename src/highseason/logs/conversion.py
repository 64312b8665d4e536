"""From a log in any format to events: in memory, or as an event table on disk.

A report says what was read, what was skipped and why: no line is lost silently.
"""

import pkgutil
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from highseason.core.atomic import atomic_write
from highseason.core.specs import Registry
from highseason.core.text import counted
from highseason.logs.events import EventBatch, Events, EventWriter, IdIndex, moment

Progress = Callable[[int, int], None]

#: The number of examples kept per reason, and the length of their texts.
EXAMPLES, SHOWN = 3, 80

BACKWARDS = "time goes backwards"
BLANK = "blank line"
CUT = "the file ends within this line"

ENDS_EARLY = "the gzip file ends early"
IS_DAMAGED = "the gzip file is damaged"

#: Lines without an event after which a file is taken for something else.
_PATIENCE = 10_000

_ROWS = 1 << 18  # events written at a time
_LAST_TIME = 10**11  # the year 5138 in seconds; milliseconds reach it in 1973


@dataclass(frozen=True)
class Example:
    """One line or row that was skipped, or kept with a warning."""

    file: str
    line: int
    reason: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}: {self.text}"


@dataclass(frozen=True)
class ConversionReport:
    """How a conversion went.

    Attributes:
        lines: Lines (or rows) read: always `events` plus the sum of `skipped`.
        events: Lines that became events.
        skipped: The number of lines skipped, by reason.
        examples: The first few lines of each reason: file, line, reason and start of the text.
        backwards: Events earlier than their predecessor; they are kept.
        damaged: Gzip files that are truncated or corrupt; what could be read of them is kept.
        notes: What the reader assumed.
        arms: The number of arms.
        pools: The number of pools.
        first_time: The earliest time of an event.
        last_time: The latest.
        bytes: Bytes read from disk.
        seconds: How long it took.
        format: The log's format.
    """

    lines: int
    events: int
    skipped: dict[str, int]
    examples: tuple[Example, ...]
    backwards: int
    damaged: tuple[str, ...]
    notes: tuple[str, ...]
    arms: int
    pools: int
    first_time: int
    last_time: int
    bytes: int
    seconds: float
    format: str

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain types, for JSON."""
        return asdict(self)


@dataclass
class ConversionLog:
    """The report while a log is being read; readers record every line here."""

    lines: int = 0
    events: int = 0
    backwards: int = 0
    first_time: int = np.iinfo(np.int64).max
    last_time: int = np.iinfo(np.int64).min
    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[Example]] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    format: str = ""
    bytes_read: int = 0
    on_progress: Callable[[int], None] | None = None  # called with `bytes_read`
    _previous_time: int = np.iinfo(np.int64).min  # of the last event
    _begin: float = field(default_factory=time.perf_counter)

    def advance(self, bytes_read: int) -> None:
        """Note the number of bytes read so far."""
        self.bytes_read = max(self.bytes_read, bytes_read)
        if self.on_progress is not None:
            self.on_progress(self.bytes_read)

    def skip(self, reason: str, file: Path, line: int, text: bytes | str) -> None:
        """Record a line that is not an event."""
        self.lines += 1
        self.skipped[reason] += 1
        self._add_example(reason, file, line, text)

    def record(
        self,
        file: Path,
        lines: NDArray[np.int64],
        faults: NDArray[np.int8],
        reasons: Sequence[str],
        times: NDArray[np.int64],
        text: Callable[[int], bytes | str],
    ) -> None:
        """Record rows in their order; `faults` has 0 for events, else the index of the reason."""
        self.lines += lines.size
        self.events += times.size
        noted = faults
        if times.size:
            self.first_time = min(self.first_time, int(times.min()))
            self.last_time = max(self.last_time, int(times.max()))
            is_earlier = times < np.append(self._previous_time, times[:-1])
            if is_earlier.any():
                noted = faults.copy()
                noted[np.flatnonzero(faults == 0)[is_earlier]] = len(reasons)
            self._previous_time = int(times[-1])
        rows = np.flatnonzero(noted)
        kinds, first = np.unique(noted[rows], return_index=True)
        for kind in kinds[np.argsort(first)].tolist():  # in the order of the log
            of_kind = rows[noted[rows] == kind]
            reason = BACKWARDS if kind == len(reasons) else reasons[kind]
            if kind == len(reasons):
                self.backwards += of_kind.size
            else:
                self.skipped[reason] += of_kind.size
            for row in of_kind[:EXAMPLES].tolist():
                self._add_example(reason, file, int(lines[row]), text(row))

    def add_damage(self, file: Path, damage: str) -> None:
        """Note that a file could not be read to its end."""
        message = f"{file}: {damage}"
        if damage == IS_DAMAGED:  # wrong bytes can unpack into lines for a long time
            bad = [one.line for one in self.all_examples if one.file == str(file)]
            message += "; events after the damage may be garbage"
            message += f" (first line that is not an event: {min(bad)})" if bad else ""
        self.damaged.append(message)

    def check_patience(self, paths: tuple[Path, ...], expected: str) -> None:
        """Stop with an error where thousands of lines hold no event."""
        if self.events == 0 and self.lines - self.skipped[BLANK] > _PATIENCE:
            raise ValueError(self.no_event(paths, expected))

    def no_event(self, paths: tuple[Path, ...], expected: str) -> str:
        """The error for a log without events."""
        names = ", ".join(map(str, paths[:3])) + (" …" if len(paths) > 3 else "")
        first = f"; the first: {self.all_examples[0]}" if self.all_examples else ""
        damage = f"; {self.damaged[0]}" if self.damaged else ""
        where = "" if first or damage else f"{names}: "  # these name the file
        return (
            f"{where}no event in {counted(self.lines, 'line')}{first}{damage}; expected {expected}"
        )

    def report(self, arms: Sized, pools: Sized) -> ConversionReport:
        """The report on a log that was read to its end."""
        same = ("lines", "events", "backwards", "first_time", "last_time", "format")
        return ConversionReport(
            **{name: getattr(self, name) for name in same},
            skipped=dict(self.skipped.most_common()),
            examples=self.all_examples,
            damaged=tuple(self.damaged),
            notes=tuple(self.notes),
            arms=len(arms),
            pools=len(pools),
            bytes=self.bytes_read,
            seconds=time.perf_counter() - self._begin,
        )

    @property
    def all_examples(self) -> tuple[Example, ...]:
        """The examples kept, reason by reason."""
        return tuple(example for kept in self.examples.values() for example in kept)

    def _add_example(self, reason: str, file: Path, line: int, text: bytes | str) -> None:
        kept = self.examples.setdefault(reason, [])
        if len(kept) < EXAMPLES:
            kept.append(Example(str(file), line, reason, shortened(text)))


def shortened(text: bytes | str) -> str:
    r"""The start of a text, without characters that a terminal would obey.

    >>> shortened(b"soon\tid-1")
    'soon\\tid-1'
    """
    piece = text[: SHOWN + 1]
    if isinstance(piece, bytes):
        piece = piece.decode("utf-8", "backslashreplace")
    piece = piece.removesuffix("\r")
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in piece)
    return shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + "…"


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
    return dict(registry)


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
        for batch in _joined(_checked(log.batches(ids, record), log, record)):
            writer.write(batch, ids.arms)
        writer.finish(ids.arms, ids.pools)
    return record.report(ids.arms, ids.pools)


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
