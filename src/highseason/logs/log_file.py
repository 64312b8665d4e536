"""A log in a file that is read by the worker that replays it."""

import functools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from highseason.logs.arm_lifespans import always_on_offer
from highseason.logs.conversion import moment
from highseason.logs.events import Events, read_events
from highseason.logs.prepared_log import PreparedLog

#: How many logs a process keeps: the policies of one follow each other.
_KEPT = 4


@dataclass(frozen=True)
class LogFile:
    """An event table in a file, and what of it is replayed.

    Attributes:
        path: The file, as workers see it too.
        bin: As in `replay`.
        arms: The ids of the arms to study; "always" for those in every pool; all if None.
        between: Use only events from the first to the second of these times.
    """

    path: str | os.PathLike[str]
    bin: float = 1
    arms: tuple[str, ...] | str | None = None
    between: tuple[int, int] | None = None

    def read(self) -> PreparedLog:
        """Read the file and prepare the log."""
        events = read_events(Path(self.path))
        try:
            if self.between is not None:
                events = _between(events, *self.between)
            arms = _always(events) if self.arms == "always" else self.arms
            return PreparedLog.of(events, self.bin, arms)
        except ValueError as reason:
            raise ValueError(f"{self.path}: {reason}") from reason


@dataclass(eq=False)
class _Slot:
    """The place of one log, which the first thread that needs it fills."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    log: PreparedLog | None = None


@functools.lru_cache(_KEPT)
def _slot(file: LogFile, version: tuple[int, int]) -> _Slot:
    return _Slot()


def cached(file: LogFile) -> PreparedLog:
    """The log of a file, read once for all policies that replay it one after the other."""
    try:
        status = Path(file.path).stat()
    except OSError:
        return file.read()  # which says what is wrong
    slot = _slot(file, (status.st_mtime_ns, status.st_size))
    with slot.lock:
        if slot.log is None:
            slot.log = file.read()
        return slot.log


@contextmanager
def forgetting_files() -> Iterator[None]:
    """Let go of all logs that were read, at the end."""
    try:
        yield
    finally:
        _slot.cache_clear()


def _always(events: Events) -> tuple[str, ...]:
    arms = always_on_offer(events)
    if not arms:
        raise ValueError(
            "no arm is on offer in every event, so arms='always' leaves none: cut the log with "
            "between=, or find a stretch with 'highseason slice'"
        )
    return arms


def _between(events: Events, start: int, end: int) -> Events:
    """The events of that time; an empty selection is a mistake, not a result."""
    part = events.between(start, end)
    if len(part) == 0 and len(events) > 0:
        first, last = int(events.time.min()), int(events.time.max())
        raise ValueError(
            f"no event between {moment(start)} and {moment(end)}: the log goes from "
            f"{moment(first)} to {moment(last)}"
        )
    return part
