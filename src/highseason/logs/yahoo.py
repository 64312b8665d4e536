"""Yahoo! front page logs, R6A and R6B: several files, plain or gzip, in memory that stays flat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from highseason.logs.book import Book
from highseason.logs.files import ByteFile
from highseason.logs.journal import BACKWARDS, EXAMPLES, SHOWN, Journal
from highseason.logs.kernels import yahoo as kernel
from highseason.logs.kernels.build import scan_kernel
from highseason.logs.pool_texts import PoolTexts
from highseason.logs.source import Batch, existing, no_event

Format = Literal["r6a", "r6b"]
_FORMATS: dict[str, int] = {"r6a": kernel.R6A, "r6b": kernel.R6B}
_NAMES = {number: name for name, number in _FORMATS.items()}

EXPECTED = {
    "": (
        "lines such as '1317513291 id-560620 0 |user 1 9 |id-552077 |id-560620' (R6B) or "
        "'1241160900 109513 0 |user 2:0.1 1:1.0 |109498 2:0.3 1:1.0 |109513 2:0.2 1:1.0' (R6A)"
    ),
    "r6a": "lines such as '1241160900 109513 0 |user 2:0.1 1:1.0 |109498 2:0.3 |109513 2:0.2'",
    "r6b": "lines such as '1317513291 id-560620 0 |user 1 9 |id-552077 |id-560620'",
}

TOO_LONG = f"longer than {kernel.LONGEST} bytes"

#: Why a line is no event, in words.
REASONS = {
    kernel.TOO_LONG: TOO_LONG,
    kernel.BLANK: "blank line",
    kernel.FIELDS: "not three words (time, article, click) before the first |",
    kernel.TIME: "the time is not a whole number",
    kernel.CLICK: "the click is neither 0 nor 1",
    kernel.USER: "no |user part",
    kernel.EMPTY_POOL: "no pool of articles",
    kernel.BAD_ID: "an article of the pool has no readable id",
    kernel.NOT_OFFERED: "the article shown is not in its pool",
    kernel.OTHER: "a line of the other Yahoo! format",
}

_BLOCK = 1 << 22  # bytes of a log in memory at a time
_ROWS = 1 << 18  # events handed on at a time
_NOTES = 1 << 12
_PATIENCE = 10_000  # lines without one good one, after which it is no such log


@dataclass(frozen=True)
class YahooLog:
    r"""A log of the Yahoo! front page.

    Args:
        paths: Its files, in the order in which they are to be read; plain or gzip.
        format: "r6a" or "r6b"; None takes that of the first good line.

    >>> import tempfile
    >>> from highseason.logs import collect
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "day"
    ...     _ = path.write_text(
    ...         "1317513291 id-2 1 |user 1 9 |id-1 |id-2\n"
    ...         "1317513292 id-3 0 |user 1 9 |id-1 |id-2\n"
    ...     )
    ...     events, report = collect(YahooLog((path,)))
    >>> len(events), events.arms, report.skipped
    (1, ('id-1', 'id-2'), {'the article shown is not in its pool': 1})
    """

    paths: tuple[Path, ...]
    format: Format | None = None

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in _FORMATS:
            raise ValueError(f"the format is {self.format!r}; it must be r6a or r6b")
        object.__setattr__(self, "paths", tuple(Path(path) for path in self.paths))

    @property
    def expected(self) -> str:
        """What a good line looks like."""
        return EXPECTED[self.format or ""]

    def batches(self, book: Book, journal: Journal) -> Iterator[Batch]:
        """Read all files, one after the other."""
        reading = _Reading(self, book, journal)
        for path in existing(self.paths):
            yield from reading.file(path)
        yield from reading.rest()


class _Reading:
    """One reading of a log: where it is, and the batch that is being filled."""

    def __init__(self, log: YahooLog, book: Book, journal: Journal) -> None:
        self._log, self._journal = log, journal
        self._texts = PoolTexts(book)
        self._state = np.zeros(kernel.STATES, np.int64)
        self._state[kernel.FORMAT] = _FORMATS.get(log.format or "", kernel.UNKNOWN)
        self._state[kernel.LOOKED_AT] = -1
        self._state[kernel.LAST_TIME] = kernel.NO_END
        self._notes = np.zeros((_NOTES, 4), np.int64)
        self._block = np.zeros(_BLOCK, np.uint8)
        self._batch = _fresh_batch()

    def file(self, path: Path) -> Iterator[Batch]:
        """The full batches up to the end of a file."""
        self._state[kernel.LINE] = 0
        room = self._block.data
        filled, before = 0, self._journal.done
        too_long = False
        with ByteFile(path) as file:
            while True:
                came = file.read_into(room[filled:])
                self._journal.advance(before + file.done)
                filled += came
                final = came == 0
                if too_long:
                    filled, too_long = self._to_next_line(filled)
                yield from self._scan(path, filled, final and file.damage is None)
                filled = self._keep_rest(filled)
                if final:
                    break
                if filled > kernel.LONGEST:
                    self._skip_rest(path, TOO_LONG, filled)
                    filled, too_long = 0, True
            if file.damage is not None:
                self._journal.broke_off(str(path), file.damage)
                if filled:
                    self._skip_rest(path, file.damage, filled)

    def rest(self) -> Iterator[Batch]:
        """What the last batch holds."""
        if self._state[kernel.ROW]:
            yield self._take_batch()

    def _scan(self, path: Path, filled: int, final: bool) -> Iterator[Batch]:
        state = self._state
        state[kernel.POSITION] = 0
        while True:
            line = int(state[kernel.LINE])
            row = int(state[kernel.ROW])
            state[kernel.NOTE] = 0
            why = scan_kernel()(
                self._block, filled, final, self._texts.known, state, *self._batch[:4], self._notes
            )
            self._journal.lines += int(state[kernel.LINE]) - line
            self._journal.saw(self._batch.time[row : state[kernel.ROW]])
            self._tell(path)
            if why == kernel.ROWS_FULL:
                yield self._take_batch()
            elif why == kernel.NEW_POOL:
                self._learn_pool()
            elif why == kernel.WRONG_FORMAT:
                raise ValueError(
                    f"{path}, line {state[kernel.LINE]}: not a line of the format "
                    f"{self._log.format}: expected {self._log.expected}"
                )
            elif why == kernel.MORE:
                return

    def _learn_pool(self) -> None:
        """Read the pool at which the kernel stopped, unless its line is no event anyway."""
        state = self._state
        text = self._block[state[kernel.POOL_FROM] : state[kernel.POOL_TO]].tobytes()
        shown = self._block[state[kernel.SHOWN_FROM] : state[kernel.SHOWN_TO]].tobytes()
        state[kernel.REFUSED] = self._texts.remember(
            int(state[kernel.SLOT]), text, shown, bool(state[kernel.IS_OTHER])
        )

    def _take_batch(self) -> Batch:
        rows = int(self._state[kernel.ROW])
        full, self._batch = self._batch, _fresh_batch()
        self._state[kernel.ROW] = 0
        return Batch(full.time[:rows], full.arm[:rows], full.reward[:rows], full.pool[:rows])

    def _keep_rest(self, filled: int) -> int:
        """Move a line that is not complete to the front."""
        position = int(self._state[kernel.POSITION])
        rest = filled - position
        self._block[:rest] = self._block[position:filled].copy()
        return rest

    def _to_next_line(self, filled: int) -> tuple[int, bool]:
        """Drop what is left of a line that was too long; whether it goes on still."""
        ends = np.flatnonzero(self._block[:filled] == ord("\n"))
        if not ends.size:
            return 0, True
        rest = filled - int(ends[0]) - 1
        self._block[:rest] = self._block[filled - rest : filled].copy()
        return rest, False

    def _skip_rest(self, path: Path, reason: str, filled: int) -> None:
        self._state[kernel.LINE] += 1
        self._journal.lines += 1
        text = self._block[: min(filled, SHOWN + 1)].tobytes()
        self._journal.skip(reason, str(path), int(self._state[kernel.LINE]), text)

    def _tell(self, path: Path) -> None:
        """Tell the journal what the kernel noted."""
        notes = self._notes[: self._state[kernel.NOTE]]
        journal = self._journal
        faults, first = np.unique(notes[:, 1], return_index=True)
        for fault in faults[np.argsort(first)].tolist():  # as they were met
            some = notes[notes[:, 1] == fault]
            reason = REASONS.get(fault, BACKWARDS)
            if fault == kernel.BACKWARDS:
                journal.backwards += len(some)
            else:
                journal.skipped[reason] += len(some)
            for line, _, begin, end in some[:EXAMPLES].tolist():
                text = self._block[begin : min(end, begin + SHOWN + 1)].tobytes()
                journal.example(reason, str(path), line, text)
        journal.format = _NAMES.get(int(self._state[kernel.FORMAT]), "")
        if journal.events == 0 and journal.lines - journal.skipped["blank line"] > _PATIENCE:
            raise ValueError(no_event(self._log.paths, journal, self._log.expected))


def _fresh_batch() -> Batch:
    return Batch(
        np.empty(_ROWS, np.int64),
        np.empty(_ROWS, np.int32),
        np.empty(_ROWS, np.uint8),
        np.empty(_ROWS, np.int32),
    )
