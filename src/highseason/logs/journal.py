"""What was read, what was left out and why: nothing is lost in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.logs.files import IS_DAMAGED

#: How many examples of each reason are kept, and how much of a line.
EXAMPLES, SHOWN = 3, 80

BACKWARDS = "time goes backwards"


@dataclass(frozen=True)
class Example:
    """One line or row that was left out, or kept with a warning."""

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
        lines: Lines (or rows) read; always `events` and all that is `skipped` together.
        events: Lines that became events.
        skipped: How many did not, by reason.
        examples: The first few of each reason: file, line, reason and the beginning of the text.
        backwards: Events earlier than the one before them; they are kept.
        damaged: Gzip files that end early or are damaged, and what that means; what could be read
            of them was kept.
        notes: What else a reader of the numbers should know.
        arms: How many arms there are.
        pools: How many pools.
        first_time: The earliest time of an event.
        last_time: The latest.
        bytes: How much was read from disk.
        seconds: How long it took.
        format: What the log was.
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
class Journal:
    """The same while it is being written: a reader tells it of every line."""

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
    done: int = 0  # bytes read from disk
    watched_by: Callable[[int], None] | None = None  # is told how many those are

    def advance(self, done: int) -> None:
        """So many bytes were read from disk by now."""
        self.done = done
        if self.watched_by is not None:
            self.watched_by(done)

    def skip(self, reason: str, file: str, line: int, text: bytes | str) -> None:
        """A line that is no event."""
        self.skipped[reason] += 1
        self.example(reason, file, line, text)

    def example(self, reason: str, file: str, line: int, text: bytes | str) -> None:
        """Keep it if it is among the first of its kind.

        >>> journal = Journal()
        >>> journal.skip("bad time", "log", 7, b"soon id-1 0")
        >>> print(journal.examples["bad time"][0])
        log, line 7: bad time: soon id-1 0
        """
        kept = self.examples.setdefault(reason, [])
        if len(kept) < EXAMPLES:
            kept.append(Example(file, line, reason, shortened(text)))

    def broke_off(self, file: str, why: str) -> None:
        """A gzip file could not be read to its end.

        >>> journal = Journal()
        >>> journal.skip("bad time", "log.gz", 7, "")
        >>> journal.broke_off("log.gz", IS_DAMAGED)
        >>> journal.damaged[0].partition("; ")[2]
        'events may be made up from some unknown line on (line 7 is the first that is no event)'
        """
        told = f"{file}: {why}"
        if why == IS_DAMAGED:  # bytes that are not the right ones can be unpacked for a long time
            bad = [example.line for example in self.all_examples if example.file == file]
            told += "; events may be made up from some unknown line on"
            told += f" (line {min(bad)} is the first that is no event)" if bad else ""
        self.damaged.append(told)

    def saw(self, time: NDArray[np.int64]) -> None:
        """Some more events."""
        self.events += time.size
        if time.size:
            self.first_time = min(self.first_time, int(time.min()))
            self.last_time = max(self.last_time, int(time.max()))

    @property
    def all_examples(self) -> tuple[Example, ...]:
        """Those kept, reason by reason."""
        return tuple(example for kept in self.examples.values() for example in kept)


def shortened(text: bytes | str) -> str:
    """The beginning of a text, with nothing in it that a terminal would obey."""
    piece = text[: SHOWN + 1]
    if isinstance(piece, bytes):
        piece = piece.decode("utf-8", "backslashreplace")
    piece = piece.removesuffix("\r")
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in piece)
    return shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + "…"
