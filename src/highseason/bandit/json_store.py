"""Events as JSON, and a store that appends them to a file, one line per event."""

import os
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from highseason.bandit import events
from highseason.bandit.errors import DocumentError, StoreError, StoreWarning
from highseason.bandit.events import Event, Lesson, Lifetime, require_next
from highseason.bandit.json_values import (
    Read,
    dumps,
    flag,
    id_from_json,
    id_to_json,
    loads,
    number,
    read_many_propensities,
    read_multiplier,
    whole,
    write_multiplier,
    write_policy,
)
from highseason.bandit.ledger import TurnOutcome
from highseason.core.warnings import warn_user
from highseason.policies import NO_END, UNKNOWN_END

try:
    import fcntl
except ImportError:  # Windows has no such locks; the size of the file is checked all the same
    fcntl = None  # type: ignore[assignment]  # stands for the missing module

#: The version of the format; the first event of a store carries it.
VERSION = 1

_EVENTS: dict[str, type[Event]] = {
    name: kind
    for name, kind in vars(events).items()
    if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
}
_ENDS: dict[int, str | None] = {NO_END: None, UNKNOWN_END: "unknown"}


def event_to_json(event: Event) -> str:
    """An event as one line of JSON, without the line end.

    >>> event_to_json(events.ArmRemoved(3, "9.99"))
    '{"event":"ArmRemoved","seq":3,"arm":"9.99"}'
    """
    entry: dict[str, Any] = {"event": type(event).__name__}
    for name in event.__dataclass_fields__:
        value = getattr(event, name)
        entry[name] = _WRITE[name](value) if name in _WRITE and value is not None else value
    if event.seq == 1:
        entry["version"] = VERSION
    return dumps(entry)


def event_from_json(text: str | bytes) -> Event:
    """The event that `event_to_json` wrote; anything else is refused with the reason."""
    try:
        entry = loads(text)
    except (ValueError, RecursionError) as reason:
        raise DocumentError(f"not JSON ({reason})") from reason
    name = entry.get("event") if isinstance(entry, dict) else None
    if name not in _EVENTS:
        raise DocumentError(f"expected an event of a bandit, got {str(text)[:60]}")
    if entry.get("version", VERSION) != VERSION:
        raise DocumentError(
            f"the events have version {entry['version']}, but this highseason reads version "
            f"{VERSION}: upgrade highseason"
        )
    kind = _EVENTS[name]
    try:
        return kind(**{field: _READ[field](entry[field]) for field in kind.__dataclass_fields__})
    except KeyError as reason:
        raise DocumentError(f"{name} without {reason}") from reason
    except (TypeError, ValueError, AttributeError, OverflowError) as reason:
        raise DocumentError(f"{name}: {reason}") from reason


def _optional(read: Read) -> Read:
    return lambda entry: None if entry is None else read(entry)


def _several(each: Read) -> Read:
    return lambda entries: tuple(each(entry) for entry in entries)


def _in_order(kind: Callable[..., Any], *each: Read) -> Read:
    """A sequence of fixed length, read entry by entry and passed to `kind`."""
    return lambda entry: kind(*(read(part) for read, part in zip(each, entry, strict=True)))


def _write_lifetime(lifetime: Lifetime) -> tuple[int | str | None, str | None]:
    return _ENDS.get(lifetime.end, lifetime.end), lifetime.date


def _read_end(entry: Any) -> int:
    codes = {name: code for code, name in _ENDS.items()}
    return codes[entry] if entry in codes else whole(entry)


_maybe = _optional(number)
_read_lifetime = _in_order(Lifetime, _read_end, _optional(str))
#: How the fields of events are written, where they are not plain data; None is always null.
_WRITE: dict[str, Read] = {
    "arm": id_to_json,
    "arms": _several(id_to_json),
    "lessons": _several(lambda lesson: (id_to_json(lesson.arm), lesson.reward, lesson.traffic)),
    "lifetime": _write_lifetime,
    "lifetimes": _several(_write_lifetime),
    "multiplier": write_multiplier,
    "policy": write_policy,
}
_READ: dict[str, Read] = {
    "arm": id_from_json,
    "arms": _several(id_from_json),
    "document": str,
    "expected": _maybe,
    "exploited": flag,
    "held": flag,
    "known": flag,
    "lessons": _several(_in_order(Lesson, id_from_json, number, number)),
    "level": number,
    "lifetime": _read_lifetime,
    "lifetimes": _several(_read_lifetime),
    "multiplier": _optional(read_multiplier),
    "outcomes": _several(_in_order(TurnOutcome, whole, _maybe, _maybe)),
    "policy": dict,
    "probability": number,
    "propensities": _optional(lambda packed: read_many_propensities([len(packed[0])], *packed)[0]),
    "reward": number,
    "reward_range": _optional(_in_order(lambda *ends: ends, number, number)),
    "seed": whole,
    "seq": whole,
    "turn": whole,
}


class JsonLinesStore:
    """Events in a file, one JSON object per line; an append costs the same however long it is.

    An event counts once its line end is written.  So an append that is interrupted leaves a line
    without one, which is not an event: reading skips it with a `StoreWarning`, and the next append
    removes it.  One process may write to a file at a time.

    Args:
        path: The file; it is created by the first append.
        sync: Wait after each append until the data is on the disk, so that it survives a power
            cut too, not only the end of the program; much slower.

    >>> import highseason as hs
    >>> store = hs.bandit.JsonLinesStore(getfixture("tmp_path") / "shelf.jsonl")
    >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5], store=store)
    >>> shelf.update(shelf.pull(), reward=20, traffic=4)
    >>> again = hs.Bandit.from_events(store)
    >>> again.decisions() == shelf.decisions()
    True
    """

    def __init__(self, path: str | os.PathLike[str], *, sync: bool = False) -> None:
        self.path, self.sync = Path(path), sync
        self._file: int | None = None
        self._last, self._size = 0, 0  # the number of the last event, and where its line ends
        self._read = -1  # the size of the file when it was last read to its end

    def __iter__(self) -> Iterator[Event]:
        """All events, oldest first."""
        last = size = torn = 0
        if self.path.exists():
            with self.path.open("rb") as lines:
                for row, line in enumerate(lines, start=1):
                    if not line.endswith(b"\n"):
                        torn = len(line)
                        warn_user(
                            f"{self.path}, line {row} is incomplete ({torn} bytes without a line "
                            "end): writing it was interrupted, so this event did not happen; the "
                            "next append removes it",
                            StoreWarning,
                        )
                        break
                    yield self._event(row, line)
                    last, size = row, size + len(line)
        if self._file is None:
            self._last, self._size, self._read = last, size, size + torn

    def append(self, event: Event) -> None:
        """Write an event; if that fails, the file is as it was."""
        line = event_to_json(event).encode() + b"\n"
        file = self._open() if self._file is None else self._file
        require_next(event, self._last)
        if os.fstat(file).st_size != self._size:
            raise StoreError(
                f"{self.path} was changed by another program since event {self._last}: reload the "
                "bandit with Bandit.from_events"
            )
        try:
            if (written := os.write(file, line)) < len(line):
                raise OSError(f"only {written} of {len(line)} bytes could be written")
            if self.sync:
                os.fsync(file)
        except OSError as reason:
            os.ftruncate(file, self._size)
            raise StoreError(f"cannot write event {event.seq} to {self.path}: {reason}") from reason
        self._last, self._size = event.seq, self._size + len(line)

    def close(self) -> None:
        """Let another process write; the next append opens the file again."""
        if self._file is not None:
            self._closer()
            self._file = None

    def _open(self) -> int:
        # Without O_BINARY Windows would write other line ends.
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        file = os.open(self.path, flags, 0o666)
        self._closer = weakref.finalize(self, os.close, file)
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._closer()
            raise StoreError(
                f"{self.path} is open for writing elsewhere: only one bandit may write to it"
            ) from None
        if os.fstat(file).st_size != self._read:
            for _ in self:  # finds the last event, and where its line ends
                pass
        os.ftruncate(file, self._size)  # removes a torn line
        self._file = file
        return file

    def _event(self, row: int, line: bytes) -> Event:
        try:
            event = event_from_json(line)
        except DocumentError as reason:
            raise DocumentError(f"{self.path}, line {row}: {reason}") from reason
        if event.seq != row:
            raise DocumentError(f"{self.path}, line {row}: expected event {row}, got {event.seq}")
        return event
