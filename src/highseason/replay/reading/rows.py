"""Rows of CSV and Parquet files, one by one, each with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from highseason.multipliers.wording import did_you_mean
from highseason.replay.reading.files import ByteFile
from highseason.replay.reading.journal import Journal
from highseason.replay.reading.parquet import arrow

_MARKS = (",", ";", "\t")
_ROWS = 1 << 16
NOT_CSV = "the row cannot be read as CSV"


class Row(NamedTuple):
    """The cells of a row and the line on which it ends (in Parquet: its number)."""

    line: int
    cells: Sequence[Any]

    @property
    def text(self) -> str:
        """The row as an example shows it."""
        return ",".join(map(str, self.cells))


@dataclass(frozen=True)
class Rows:
    """A table: the names of its columns, and its rows, which can be taken once."""

    path: Path
    names: tuple[str, ...]
    rows: Iterator[Row]

    def place(self, name: str) -> int:
        """Where a column stands."""
        if name not in self.names:
            raise ValueError(
                f"{self.path}, line 1: there is no column {name!r} among "
                f"{', '.join(self.names)}{did_you_mean(name, self.names)}"
            )
        return self.names.index(name)


def open_rows(path: Path, journal: Journal) -> Rows:
    """The rows of a CSV (also gzip) or Parquet file; the journal is told of those that are none."""
    with path.open("rb") as file:
        is_parquet = file.read(4) == b"PAR1"
    rows = _parquet_rows(path, journal) if is_parquet else _csv_rows(path, journal)
    header = next(rows, None)
    if header is None:
        raise ValueError(f"{path}, line 1: expected the names of the columns; the file is empty")
    return Rows(path, tuple(str(cell).strip() for cell in header.cells), rows)


class _Raw(io.RawIOBase):
    """A log's bytes as the file that Python's text reader wants."""

    def __init__(self, file: ByteFile) -> None:
        super().__init__()
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        return self._file.read_into(memoryview(room))


def _csv_rows(path: Path, journal: Journal) -> Iterator[Row]:
    """All rows, the header first.  The last row of a gzip that breaks off may be half a row."""
    with ByteFile(path) as file:
        raw = io.BufferedReader(_Raw(file), 1 << 18)
        text = io.TextIOWrapper(raw, "utf-8-sig", "backslashreplace", newline="")
        before: Row | None = None
        for row in _parsed(path, text, journal):
            if before is not None:
                yield before
            before = row
            if file.done != journal.done:
                journal.advance(file.done)
        if file.damage is not None:
            journal.damaged.append(f"{path}: {file.damage}")
            if before is not None:
                journal.lines += 1
                journal.skip(file.damage, str(path), before.line, before.text)
        elif before is not None:
            yield before


def _parsed(path: Path, text: io.TextIOWrapper, journal: Journal) -> Iterator[Row]:
    first = text.readline()
    mark = max(_MARKS, key=first.count)
    reader = csv.reader(_joined(first, text), delimiter=mark)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            journal.lines += 1
            journal.skip(NOT_CSV, str(path), reader.line_num, str(error))
            continue
        if cells:
            yield Row(reader.line_num, cells)
        else:
            journal.lines += 1
            journal.skipped["blank line"] += 1


def _joined(first: str, rest: io.TextIOWrapper) -> Iterator[str]:
    if first:
        yield first
    yield from rest


def _parquet_rows(path: Path, journal: Journal) -> Iterator[Row]:
    pa, parquet = arrow("pyarrow"), arrow("pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            yield Row(0, file.schema_arrow.names)
            number = 0
            for batch in file.iter_batches(_ROWS):
                columns = [_plain(pa, column).to_pylist() for column in batch.columns]
                for cells in zip(*columns, strict=True):
                    number += 1
                    yield Row(number, cells)
                journal.advance(path.stat().st_size * number // file.metadata.num_rows)
    except pa.ArrowException as error:
        raise ValueError(
            f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}"
        ) from error


def _plain(pa: Any, column: Any) -> Any:
    """Times to the microsecond: Python knows no finer ones."""
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.timestamp("us", column.type.tz), safe=False)
    return column
