"""Lines of a text file, of which a reader can hand back those that it took by mistake."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

from highseason.logs.files import ByteFile
from highseason.logs.journal import Journal

#: The longest line that is read, in characters.
LONGEST = 1 << 20
TOO_LONG = f"longer than {LONGEST} characters"

#: So many lines can be one row of a table; more are a quote that nobody closed.
MOST_LINES = 100


class Line(NamedTuple):
    """A line with its number, from 1."""

    number: int
    text: str


class TextLines:
    """An iterator over the texts of lines; `row` has those given since the last `begin_row`.

    Lines that are too long, and the last one of a gzip file that breaks off, which may be half a
    line, are told to the journal and not given.
    """

    def __init__(self, path: Path, file: ByteFile, journal: Journal) -> None:
        self._path, self._file, self._journal = path, file, journal
        raw = io.BufferedReader(_Raw(file), 1 << 18)
        self._text = io.TextIOWrapper(raw, "utf-8-sig", "backslashreplace", newline="")
        self._fresh = self._whole_lines()
        self._waiting: deque[Line] = deque()
        self.row: list[Line] = []

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        line = self._waiting.popleft() if self._waiting else next(self._fresh)
        self.row.append(line)
        if len(self.row) > MOST_LINES:
            raise csv.Error(f"a row of more than {MOST_LINES} lines")
        return line.text

    def begin_row(self) -> None:
        """What comes next is another row."""
        self.row = []

    def hand_back(self) -> None:
        """Give all lines of the row but its first once more."""
        self._waiting.extendleft(reversed(self.row[1:]))
        self.row = self.row[:1]

    def peek(self) -> str:
        """The next line, which is given once more; nothing at the end."""
        line = next(self._fresh, None)
        if line is None:
            return ""
        self._waiting.append(line)
        return line.text

    def _whole_lines(self) -> Iterator[Line]:
        before: Line | None = None
        for line in self._all_lines():
            if before is not None:
                yield before
            before = line
        if self._file.damage is None:
            if before is not None:
                yield before
            return
        self._journal.broke_off(str(self._path), self._file.damage)
        if before is not None:
            self._skip(self._file.damage, before)

    def _all_lines(self) -> Iterator[Line]:
        read = partial(self._text.readline, LONGEST + 1)
        for number, text in enumerate(iter(read, ""), 1):
            if len(text) <= LONGEST or _is_ended(text):
                yield Line(number, text)
                continue
            self._skip(TOO_LONG, Line(number, text))
            while text and not _is_ended(text):
                text = read()

    def _skip(self, reason: str, line: Line) -> None:
        self._journal.lines += 1
        self._journal.skip(reason, str(self._path), line.number, line.text.rstrip("\r\n"))


def _is_ended(text: str) -> bool:
    return text.endswith(("\n", "\r"))


class _Raw(io.RawIOBase):
    """A log's bytes as the file that Python's text reader wants."""

    def __init__(self, file: ByteFile) -> None:
        super().__init__()
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        return self._file.read_into(memoryview(room))
