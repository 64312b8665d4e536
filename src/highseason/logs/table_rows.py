"""Rows of CSV, Excel and Parquet files in blocks, each row with its line.

Polars splits the lines of a CSV file.  A line with a quote, or with too few or too many cells, goes
through Python's reader: its row may go over several lines, and where a quote is never closed, only
its line is lost.
"""

import csv
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
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

    cells: dict[Any, Any]  # the wanted columns, by position or role, as Polars series
    lines: NDArray[np.int64]  # on which each row starts; elsewhere the row's number
    faults: NDArray[np.int8]  # for each row 0, or the index in `ROW_REASONS` of what is wrong
    text: Callable[[int], str]  # of a row, for an example


@dataclass(frozen=True)
class LogTable:
    """A table that is read once: the names of its columns, then its rows."""

    path: Path
    names: tuple[str, ...]
    read: Callable[[list[int]], Iterator[RowBlock]]  # the columns at these positions, rising

    def blocks(self, columns: dict[str, str]) -> Iterator[RowBlock]:
        """The rows; `columns` names the column of each series of `RowBlock.cells`."""
        places = {role: self._index(name) for role, name in columns.items()}
        for block in self.read(sorted({*places.values()})):
            cells = {role: block.cells[i].alias(columns[role]) for role, i in places.items()}
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

    def read(positions: list[int]) -> Iterator[RowBlock]:
        begin = 0
        with _reading_parquet(path):
            rows = table.select(polars().len()).collect().item()
            for frame in table.select(polars().nth(positions)).collect_batches(chunk_size=_ROWS):
                end = begin + len(frame)
                cells = dict(zip(positions, frame.get_columns(), strict=True))
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
        filled = data.lstrip(b"\r\n")
        text = filled.partition(b"\n")[0].decode().removesuffix("\r")
        if text:
            line += data.count(b"\n") - filled.count(b"\n")
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

    def read(self, positions: list[int]) -> Iterator[RowBlock]:
        """The rows with the cells at these positions."""
        begin, rest = self.begin, None  # `rest`: the lines of a row that is not complete
        frames = self.file.frames(partial(self._split, positions), begin)
        for line, frame, is_open in chain(frames, [(0, None, False)]):
            is_end = is_open or frame is None
            if rest is None:
                begin = line
            else:
                frame = rest if frame is None else polars().concat([rest, frame])
            if frame is not None:
                end, block = self._block(begin, frame, positions, is_end, is_open)
                begin, rest = begin + end, frame[end:] if end < len(frame) else None
                yield block

    def _split(self, positions: list[int], lines: Any) -> Any:
        """A lazy frame of lines, the cells between their marks, and whether these are not a row."""
        line, cells = polars().col("line"), polars().col("cells").list
        split = lines.with_columns(cells=line.str.split(self.mark))
        is_row = ~line.str.contains('"', literal=True) & cells.len().is_between(
            positions[-1] + 1, self.width
        )
        wanted = {f"{i}": cells.get(i, null_on_oob=True) for i in positions}
        wanted[f"{positions[-1]}"] = wanted[f"{positions[-1]}"].str.strip_suffix("\r")
        return split.select(line, **wanted, odd=~is_row)

    def _block(
        self, begin: int, frame: Any, positions: list[int], is_end: bool, is_open: bool
    ) -> tuple[int, RowBlock]:
        """The rows of a frame, up to one that is not complete; and how many lines they take."""
        end, last = len(frame), positions[-1]
        faults, rows = np.zeros(end, np.int8), np.arange(end)
        columns = {i: frame[f"{i}"] for i in positions}
        if (odd := frame["odd"].arg_true()).len():
            lines, after, is_first = frame["line"].to_list(), 0, np.ones(end, np.bool_)
            cells = {i: column.to_list() for i, column in columns.items()}
            for at in odd.to_list():
                if at < after:  # in a row of several lines
                    continue
                row, span = self._row(lines[at : at + _MOST_LINES], positions, is_end)
                if not span:
                    end = at
                    break
                after = at + span
                is_first[at + 1 : after] = False
                for i, column in cells.items():
                    column[at] = row[i] if i < len(row) else ""
                if not row:
                    faults[at] = _BROKEN if lines[at].strip() else _BLANK
                else:
                    faults[at] = _SHORT if len(row) <= last else _LONG * (len(row) > self.width)
            rows = np.flatnonzero(is_first[:end])
            columns = {
                i: polars().Series(column, dtype=polars().String).gather(rows)
                for i, column in cells.items()
            }
        if is_open and len(_cells_of(frame["line"][-1], self.mark)) == last + 1 < self.width:
            faults[-1] = _CUT

        def text(row: int) -> str:
            return str(frame["line"][int(rows[row])])

        return end, RowBlock(columns, begin + rows, faults[rows], text)

    def _row(self, lines: list[str], positions: list[int], is_end: bool) -> tuple[list[str], int]:
        """The row that these lines begin with, and how many it takes: none if it goes on later."""
        reader = csv.reader((f"{line}\n" for line in lines), delimiter=self.mark, strict=True)
        try:
            row, span = next(reader), reader.line_num
        except csv.Error:
            if not is_end and reader.line_num == len(lines) < _MOST_LINES:
                return [], 0
            return _cells_of(lines[0], self.mark), 1
        if span > 1 and any("\n" in cell for i in positions for cell in row[i : i + 1]):
            return [], 1  # only a remark goes over several lines
        return row, span


def _cells_of(text: str, mark: str) -> list[str]:
    """The cells of a line that is not quite CSV, such as one with `"tea" ,`; none if it is not.

    >>> _cells_of('1,"tea" ,0', ","), _cells_of('1,"tea,0', ",")
    (['1', 'tea ', '0'], [])
    """
    try:
        return [] if text.count('"') % 2 else next(csv.reader([text], delimiter=mark), [])
    except csv.Error:
        return []
