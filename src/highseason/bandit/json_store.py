"""Events as JSON, and a store that appends them to a file, one line per event."""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from highseason.bandit.errors import DocumentError, StoreError, StoreWarning
from highseason.bandit.events import (
    ArmAdded,
    ArmRemoved,
    BanditRestored,
    BanditStarted,
    Event,
    Lifetime,
    MultiplierExtended,
    OutcomesReported,
    TurnDecided,
    TurnOutcome,
    require_next,
)
from highseason.bandit.serialization import (
    dumps,
    flag,
    id_from_json,
    id_to_json,
    number,
    read_multiplier,
    read_propensities,
    whole,
    write_multiplier,
    write_policy,
)
from highseason.core.warnings import warn_user
from highseason.rules import NO_END, UNKNOWN_END

try:
    import fcntl
except ImportError:  # Windows has no such locks; the size of the file is checked all the same
    fcntl = None  # type: ignore[assignment]  # stands for the missing module

#: The version of the format; the first event of a store carries it.
VERSION = 1

_EVENTS: dict[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        BanditStarted,
        BanditRestored,
        TurnDecided,
        OutcomesReported,
        ArmAdded,
        ArmRemoved,
        MultiplierExtended,
    )
}
_ENDS: dict[int, str | None] = {NO_END: None, UNKNOWN_END: "unknown"}


# -- events as JSON --------------------------------------------------------------------------------


def event_to_json(event: Event) -> str:
    """An event as one line of JSON, without the line end.

    >>> event_to_json(ArmRemoved(3, "9.99"))
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
        entry = json.loads(text)
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


def _optional(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda entry: None if entry is None else read(entry)


def _several(each: Callable[[Any], Any]) -> Callable[[Iterable[Any]], tuple[Any, ...]]:
    return lambda entries: tuple(each(entry) for entry in entries)


def _write_lifetime(lifetime: Lifetime) -> tuple[int | str | None, str | None]:
    return _ENDS.get(lifetime.end, lifetime.end), lifetime.date


def _read_lifetime(entry: tuple[Any, Any]) -> Lifetime:
    end, date = entry
    codes = {name: code for code, name in _ENDS.items()}
    return Lifetime(codes[end] if end in codes else whole(end), _optional(str)(date))


def _read_outcome(entry: tuple[Any, Any, Any]) -> TurnOutcome:
    turn, reward, traffic = entry
    return TurnOutcome(whole(turn), _optional(number)(reward), _optional(number)(traffic))


def _read_range(entry: tuple[Any, Any]) -> tuple[float, float]:
    low, high = entry
    return number(low), number(high)


#: How the fields of events are written, where they are not plain data; None is always null.
_WRITE: dict[str, Callable[[Any], Any]] = {
    "arm": id_to_json,
    "arms": _several(id_to_json),
    "lifetime": _write_lifetime,
    "lifetimes": _several(_write_lifetime),
    "multiplier": write_multiplier,
    "policy": write_policy,
}
_READ: dict[str, Callable[[Any], Any]] = {
    "arm": id_from_json,
    "arms": _several(id_from_json),
    "document": str,
    "expected": _optional(number),
    "exploited": flag,
    "held": flag,
    "known": flag,
    "level": number,
    "lifetime": _read_lifetime,
    "lifetimes": _several(_read_lifetime),
    "multiplier": _optional(read_multiplier),
    "outcomes": _several(_read_outcome),
    "policy": dict,
    "probability": number,
    "propensities": _optional(lambda packed: read_propensities(*packed)),
    "reward_range": _optional(_read_range),
    "seed": whole,
    "seq": whole,
    "turn": whole,
}


# -- the file --------------------------------------------------------------------------------------


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
        """Nothing is read or written yet."""
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
