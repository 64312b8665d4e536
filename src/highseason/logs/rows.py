"""Rows of CSV and Parquet files, one by one, each with its line."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from highseason.core.specs import did_you_mean
from highseason.logs.files import ByteFile
from highseason.logs.journal import Journal, shortened
from highseason.logs.lines import TextLines
from highseason.logs.parquet import arrow

_MARKS = (",", ";", "\t")
_ROWS = 1 << 16
_SHOWN = 50  # names of columns in an error
NOT_CSV = "the row cannot be read as CSV"


class Row(NamedTuple):
    """The cells of a row and the line on which it begins (in Parquet: its number)."""

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
    hand_back: Callable[[], None]  # give all lines of the last row but its first once more

    def column_index(self, name: str) -> int:
        """Where a column stands."""
        if name not in self.names:
            shown = [shortened(known) for known in self.names[:_SHOWN]]
            more = len(self.names) - len(shown)
            raise ValueError(
                f"{self.path}, line 1: there is no column {name!r} among {', '.join(shown)}"
                f"{f' and {more:,} more' if more else ''}. "
                f"{did_you_mean(name, self.names[:_SHOWN])}"
            )
        return self.names.index(name)


@contextmanager
def open_rows(path: Path, journal: Journal) -> Iterator[Rows]:
    """The rows of a CSV (also gzip) or Parquet file; the journal is told of those that are none."""
    with path.open("rb") as file:
        is_parquet = file.read(4) == b"PAR1"
    if is_parquet:
        yield _with_header(path, _parquet_rows(path, journal), journal, lambda: None)
        return
    with ByteFile(path) as log:
        lines = TextLines(path, log, journal)
        yield _with_header(path, _csv_rows(lines, log, path, journal), journal, lines.hand_back)


def _with_header(
    path: Path, rows: Iterator[Row], journal: Journal, hand_back: Callable[[], None]
) -> Rows:
    header = next(rows, None)
    bad = next(iter(journal.all_examples), None)
    if header is None or bad is not None:
        what = "the file is empty" if bad is None else f"{bad.reason}: {bad.text}"
        line = 1 if bad is None else bad.line
        raise ValueError(f"{path}, line {line}: expected the names of the columns; {what}")
    return Rows(path, tuple(str(cell).strip() for cell in header.cells), rows, hand_back)


def _csv_rows(lines: TextLines, file: ByteFile, path: Path, journal: Journal) -> Iterator[Row]:
    """All rows, the header first.

    A row may go over several lines if all its quotes are in place.  Where they are not, only the
    line with which it began is no row: what came after it is read again.
    """
    mark = max(_MARKS, key=lines.peek().count)
    reader = csv.reader(lines, delimiter=mark, strict=True)
    while True:
        lines.begin_row()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            lines.hand_back()
            cells = _cells_of_a_line(lines.row[0].text, mark)
        line, text = lines.row[0]
        if file.done != journal.done:
            journal.advance(file.done)
        if cells:
            yield Row(line, cells)
            continue
        journal.lines += 1
        if text.strip():
            journal.skip(NOT_CSV, str(path), line, text.rstrip("\r\n"))
        else:
            journal.skipped["blank line"] += 1


def _cells_of_a_line(text: str, mark: str) -> list[str]:
    """The cells of a line that is not quite CSV, such as one with `"tea" ,`; none if it is not.

    >>> _cells_of_a_line('1,"tea" ,0', ","), _cells_of_a_line('1,"tea,0', ",")
    (['1', 'tea ', '0'], [])
    """
    if text.count('"') % 2:
        return []
    try:
        return next(csv.reader([text], delimiter=mark), [])
    except csv.Error:
        return []


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
    except (pa.ArrowException, OSError) as error:
        raise ValueError(
            f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}"
        ) from error


def _plain(pa: Any, column: Any) -> Any:
    """Times to the microsecond: Python knows no finer ones."""
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.timestamp("us", column.type.tz), safe=False)
    return column
