"""What a reader read, what it skipped and why: no line is lost silently."""

import time
from collections import Counter
from collections.abc import Callable, Sequence, Sized
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import counted
from highseason.logs.events import EventBatch

#: The number of examples kept per reason, and the length of their texts.
EXAMPLES, SHOWN = 3, 80

BACKWARDS = "time goes backwards"
BLANK = "blank line"
CUT = "the file ends within this line"

ENDS_EARLY = "the gzip file ends early"
IS_DAMAGED = "the gzip file is damaged"

#: Lines without an event after which a file is taken for something else.
_PATIENCE = 10_000


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
        noted = faults.astype(np.int64)
        if times.size:
            self.first_time = min(self.first_time, int(times.min()))
            self.last_time = max(self.last_time, int(times.max()))
            is_earlier = times < np.append(self._previous_time, times[:-1])
            if is_earlier.any():
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
                if len(self.examples.get(reason, ())) < EXAMPLES:
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

    def can_append(self, later: Self, batches: Sequence[EventBatch]) -> bool:
        """Whether a file that was read by itself reads the same after this part of the log."""
        same_format = later.format in ("", self.format) or not self.events
        in_order = not batches or int(batches[0].time[0]) >= self._previous_time
        return same_format and in_order and not later.damaged

    def append(self, later: Self) -> None:
        """Add the report on the next file, which was read by itself."""
        for name in ("lines", "events", "backwards"):
            setattr(self, name, getattr(self, name) + getattr(later, name))
        if later.events:
            self.first_time = min(self.first_time, later.first_time)
            self.last_time = max(self.last_time, later.last_time)
            self._previous_time, self.format = later._previous_time, later.format
        self.skipped.update(later.skipped)
        for reason, examples in later.examples.items():
            kept = self.examples.setdefault(reason, [])
            kept += examples[: EXAMPLES - len(kept)]
        self.notes += [note for note in later.notes if note not in self.notes]
        self.advance(self.bytes_read + later.bytes_read)

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
