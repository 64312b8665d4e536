"""Rows of CSV, Excel and Parquet files in blocks, each row with its line.

Polars reads a CSV file as long as each line is a row with all cells that are needed, and none is
quoted.  From the first other row on, the file comes in blocks.  Polars reads a block if each of its
lines is a row with its quotes in place.  Any other block goes through Python's reader: a row may go
over several lines, and where a quote is never closed, only its line is lost.
"""

import csv
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import did_you_mean
from highseason.logs.conversion import BLANK, CUT, ConversionLog, shortened
from highseason.logs.text_file import TextFile, polars
from highseason.traffic.columns import Column
from highseason.traffic.files import find_delimiter, read_table

_NOT_CSV = "the row cannot be read as CSV"
ROW_REASONS = (
    "", BLANK, _NOT_CSV, "the row has too few cells", "the row has too many cells", CUT
)  # fmt: skip
_BLANK, _BROKEN, _SHORT, _LONG, _CUT = range(1, 6)

_ROWS = 1 << 16  # of Parquet read at a time
_MOST_LINES = 100  # in one row; more are a quote that is never closed


@dataclass(frozen=True)
class RowBlock:
    """Consecutive rows."""

    cells: dict[str, Any]  # the wanted columns as Polars series
    lines: NDArray[np.int64]  # on which each row starts; elsewhere the row's number
    faults: NDArray[np.int8]  # for each row 0, or the index in `ROW_REASONS` of what is wrong
    text: Callable[[int], str]  # of a row, for an example


@dataclass(frozen=True)
class LogTable:
    """A table that is read once: the names of its columns, then its rows."""

    path: Path
    names: tuple[str, ...]
    read: Callable[[dict[str, int]], Iterator[RowBlock]]  # the columns at these positions

    def blocks(self, columns: dict[str, str]) -> Iterator[RowBlock]:
        """The rows; `columns` names the column of each series of `RowBlock.cells`."""
        for block in self.read({role: self._index(name) for role, name in columns.items()}):
            cells = {role: column.alias(columns[role]) for role, column in block.cells.items()}
            yield replace(block, cells=cells)

    def _index(self, name: str) -> int:
        if (count := self.names.count(name)) > 1:
            raise ValueError(
                f"{self.path}, line 1: expected one column {name!r}, got {count}: rename the others"
            )
        if count == 0:
            hint = did_you_mean(name, map(shortened, self.names))
            raise ValueError(f"{self.path}, line 1: expected a column {name!r}. {hint}")
        return self.names.index(name)


def open_table(path: Path, log: ConversionLog) -> LogTable:
    """A CSV file (also gzip), an Excel file or a Parquet file, recognised by its first bytes."""
    pl = polars()
    with path.open("rb") as file:
        kind = file.read(4)
    if kind == b"PAR1":
        with _reading_parquet(path):
            names = pl.read_parquet_schema(path)
        return _typed_table(path, log, names, pl.scan_parquet(path, glob=False))
    if kind in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"):  # the error of the old kind says what to do
        sheet = read_table(path)
        log.notes.extend(sheet.notes)
        frame = pl.DataFrame({f"{i}": _typed(column) for i, column in enumerate(sheet.columns)})
        names = [column.name for column in sheet.columns]
        return _typed_table(path, log, names, frame.lazy(), np.asarray(sheet.lines, np.int64))
    return _open_csv(path, log)


def _typed_table(
    path: Path, log: ConversionLog, names: Iterable[str], table: Any, lines: Any = None
) -> LogTable:
    """A lazy frame as a table; its rows are on these lines, or are counted from 1."""

    def read(indices: dict[str, int]) -> Iterator[RowBlock]:
        begin, places = 0, sorted(set(indices.values()))
        with _reading_parquet(path):
            rows = table.select(polars().len()).collect().item()
            for frame in table.select(polars().nth(places)).collect_batches(chunk_size=_ROWS):
                end = begin + len(frame)
                cells = {role: frame.to_series(places.index(i)) for role, i in indices.items()}
                numbers = np.arange(begin + 1, end + 1) if lines is None else lines[begin:end]
                faults = np.zeros(len(frame), np.int8)
                yield RowBlock(cells, numbers, faults, partial(_row_text, frame))
                log.advance(path.stat().st_size * end // rows)
                begin = end

    return LogTable(path, tuple(map(str.strip, names)), read)


@contextmanager
def _reading_parquet(path: Path) -> Iterator[None]:
    try:
        yield
    except polars().exceptions.PolarsError as error:
        raise ValueError(
            f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}"
        ) from error


def _row_text(frame: Any, row: int) -> str:
    return ",".join(map(str, frame.row(row)))


def _typed(column: Column) -> Any:
    """Numbers as whole numbers if they are, so that an id keeps its name; the rest as text."""
    if column.cells.dtype.kind == "O":
        return polars().Series(column.texts, dtype=polars().String)
    numbers = polars().Series(column.numbers, nan_to_null=True)
    is_whole = bool((numbers.drop_nulls() % 1 == 0).all())
    return numbers.cast(polars().Int64) if is_whole else numbers


def _open_csv(path: Path, log: ConversionLog) -> LogTable:
    file = TextFile(path, log)
    line, text = 1, ""
    for line, data in file.blocks():
        lines = BytesIO(data)
        while not text and lines.tell() < len(data):
            text = lines.readline().decode().rstrip("\n").removesuffix("\r")
            line += not text
        if text:
            break
    names = _cells_of(text, mark := find_delimiter(text))
    if "\r" in text or not names:
        what = f"{_NOT_CSV}: {shortened(text)}"
        if "\r" in text:
            what = "its lines end with bare carriage returns: save it with newlines"
        elif not text:
            what = next(iter(log.damaged), "the file is empty")
        raise ValueError(f"{path}, line {line}: expected the names of the columns; {what}")
    rows = _CsvRows(file, line + 1, mark, len(names))
    return LogTable(path, tuple(map(str.strip, names)), rows.read)


@dataclass(frozen=True)
class _CsvRows:
    """The rows from line `begin` on, below a header of `width` cells."""

    file: TextFile
    begin: int
    mark: str
    width: int

    def read(self, indices: dict[str, int]) -> Iterator[RowBlock]:
        """The rows with the cells at these positions."""
        pl, begin, positions = polars(), self.begin, sorted(set(indices.values()))
        rows = pl.scan_csv(
            self.file.path,
            glob=False,
            has_header=False,
            skip_lines=self.begin - 1,
            separator=self.mark,
            quote_char=None,
            schema={f"{i}": pl.String for i in range(self.width)},
            empty_string_is_null=False,
        )
        for frame in self.file.scan(rows.select(f"{i}" for i in positions)):
            # A cell that is empty, or begins with a blank or a quote, needs more care.
            if any((column < "#").any() for column in frame):
                break
            lines = begin + np.arange(len(frame))
            cells = {role: frame[f"{i}"] for role, i in indices.items()}
            faults = np.zeros(lines.size, np.int8)
            yield RowBlock(cells, lines, faults, partial(_row_text, frame))
            begin += lines.size
        if not self.file.is_read:
            yield from self._read_blocks(begin, indices)

    def _read_blocks(self, begin: int, indices: dict[str, int]) -> Iterator[RowBlock]:
        waiting = b""  # the lines of a row that is not complete
        for line, data in chain(self.file.blocks(begin), [(0, b"")]):
            begin, text = (begin, waiting + data) if waiting else (line, data)
            waiting = b""
            if text:
                block = self._by_polars(begin, text, indices)
                if block is None:
                    block, begin, waiting = self._by_python(begin, text, indices, not data)
                yield block

    def _by_polars(self, begin: int, data: bytes, indices: dict[str, int]) -> RowBlock | None:
        """The rows of a block if each of its lines is one."""
        pl, is_cut, last = polars(), not data.endswith(b"\n"), max(indices.values())
        count = data.count(b"\n") + is_cut
        first = f"{self.mark * self.width}\n".encode()  # one cell more than a row should have
        try:
            frame = pl.read_csv(
                b"".join((first, data)),
                has_header=False,
                separator=self.mark,
                quote_char='"' if b'"' in data else None,
                schema={f"{i}": pl.String for i in range(self.width + 1)},
                columns=sorted({*indices.values(), self.width}),
                truncate_ragged_lines=True,
                empty_string_is_null=False,
            )[1:]
        except pl.exceptions.ComputeError:  # quotes that are not in place
            return None
        if len(frame) != count or data.count(b'"') % 2:
            return None
        faults, lines = np.zeros(count, np.int8), cache(lambda: data.split(b"\n"))

        def text(row: int) -> str:
            return lines()[row].decode().removesuffix("\r")

        faults[(frame[f"{self.width}"] != "").to_numpy()] = _LONG
        for row in np.flatnonzero((frame[f"{last}"] == "").to_numpy()).tolist():
            faults[row] = self._fault(text(row), _cells_of(text(row), self.mark), last)
        if is_cut and len(_cells_of(text(count - 1), self.mark)) == last + 1 < self.width:
            faults[-1] = _CUT
        cells = {role: frame[f"{i}"] for role, i in indices.items()}
        return RowBlock(cells, begin + np.arange(count), faults, text)

    def _by_python(
        self, begin: int, data: bytes, indices: dict[str, int], is_end: bool
    ) -> tuple[RowBlock, int, bytes]:
        """The rows of a block; and the first line and the text of a row that is not complete."""
        lines, at, last = data.removesuffix(b"\n").decode().split("\n"), 0, max(indices.values())
        starts, rows = [], []
        while at < len(lines):
            some = lines[at : at + _MOST_LINES]
            reader = csv.reader((f"{line}\n" for line in some), delimiter=self.mark, strict=True)
            try:
                row, span = next(reader), reader.line_num
            except csv.Error:
                if not is_end and reader.line_num == len(some) < _MOST_LINES:
                    break
                row, span = _cells_of(lines[at], self.mark), 1
            if span > 1 and any("\n" in row[i] for i in indices.values() if i < len(row)):
                row, span = [], 1  # only a remark goes over several lines
            starts.append(at)
            rows.append(row)
            at += span
        faults = [
            self._fault(lines[start], row, last) for start, row in zip(starts, rows, strict=True)
        ]
        cells = {
            role: polars().Series([(row[i:] or [""])[0] for row in rows], dtype=polars().String)
            for role, i in indices.items()
        }
        places = np.array(starts, np.int64)
        block = RowBlock(
            cells,
            begin + places,
            np.array(faults, np.int8),
            lambda row: lines[starts[row]].removesuffix("\r"),
        )
        return block, begin + at, "".join(f"{line}\n" for line in lines[at:]).encode()

    def _fault(self, text: str, row: list[str], last: int) -> int:
        """What is wrong with the cells of a row of which the one at `last` is needed."""
        if not row:
            return _BROKEN if text.strip() else _BLANK
        return _SHORT if len(row) <= last else _LONG if len(row) > self.width else 0


def _cells_of(text: str, mark: str) -> list[str]:
    """The cells of a line that is not quite CSV, such as one with `"tea" ,`; none if it is not.

    >>> _cells_of('1,"tea" ,0', ","), _cells_of('1,"tea,0', ",")
    (['1', 'tea ', '0'], [])
    """
    try:
        return [] if text.count('"') % 2 else next(csv.reader([text], delimiter=mark), [])
    except csv.Error:
        return []
