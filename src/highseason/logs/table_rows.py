"""Rows of CSV and Parquet files in blocks, each row with its line.

A CSV row may go over several lines if its quotes are in place.  Where they are not, only the line
on which the row starts is lost: the lines after it are read again.  So a row of several lines is
kept only if it is an event.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import did_you_mean
from highseason.logs.cells import polars
from highseason.logs.conversion_log import BLANK, ConversionLog, shortened
from highseason.logs.events import arrow
from highseason.logs.line_blocks import LineBlock, line_blocks

NOT_CSV = "the row cannot be read as CSV"
TOO_SHORT = "the row has too few cells"
TOO_LONG_ROW = "the row has too many cells"
ROW_REASONS = ("", BLANK, NOT_CSV, TOO_SHORT, TOO_LONG_ROW)
_BLANK, _NOT_CSV, _SHORT, _LONG = range(1, 5)

_MARKS = (",", ";", "\t")
_BLOCK, _ROWS = 1 << 23, 1 << 16  # bytes of CSV and rows of Parquet read at a time
_SHOWN = 50  # names of columns in an error
_MOST_LINES = 100  # in one row; more are a quote that is never closed


@dataclass(frozen=True)
class RowBlock:
    """Consecutive rows."""

    cells: dict[str, Any]  # the wanted columns as Polars series
    lines: NDArray[np.int64]  # on which each row starts; in Parquet the row's number
    faults: NDArray[np.int8]  # for each row 0, or the index in `ROW_REASONS` of what is wrong
    text: Callable[[int], str]  # of a row, for an example
    spans: NDArray[np.int64]  # the number of lines of each row

    def kept(self, faults: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Which rows remain: not those on lines that belong to a good row of several lines."""
        kept = np.ones(self.lines.size, np.bool_)
        end = 0
        for row in np.flatnonzero((self.spans > 1) & (faults == 0)).tolist():
            if self.lines[row] >= end:
                end = int(self.lines[row] + self.spans[row])
                kept &= (self.lines <= self.lines[row]) | (self.lines >= end)
        return kept


class _Table:
    """A table that is read once: the names of its columns, then its rows."""

    def __init__(self, path: Path, log: ConversionLog, names: Sequence[str]) -> None:
        self.path, self.log = path, log
        self.names = tuple(name.strip() for name in names)

    def index(self, name: str) -> int:
        """The position of a column."""
        if self.names.count(name) > 1:
            raise ValueError(
                f"{self.path}, line 1: expected one column {name!r}, got "
                f"{self.names.count(name)}: rename the others"
            )
        if name not in self.names:
            shown = [shortened(known) for known in self.names[:_SHOWN]]
            more = len(self.names) - len(shown)
            hint = did_you_mean(name, shown)
            near = hint.startswith("Did")  # otherwise it repeats the names
            raise ValueError(
                f"{self.path}, line 1: expected a column {name!r}, got {', '.join(shown)}"
                f"{f' and {more:,} more' if more else ''}{f'. {hint}' if near else ''}"
            )
        return self.names.index(name)

    def blocks(self, columns: dict[str, str]) -> Iterator[RowBlock]:
        """The rows; `columns` names the column of each series of `RowBlock.cells`."""
        raise NotImplementedError


def open_table(path: Path, log: ConversionLog) -> _Table:
    """A CSV file (also gzip) or a Parquet file, recognised by its first bytes."""
    with path.open("rb") as file:
        is_parquet = file.read(4) == b"PAR1"
    return _ParquetTable(path, log) if is_parquet else _CsvTable(path, log)


class _CsvTable(_Table):
    def __init__(self, path: Path, log: ConversionLog) -> None:
        self._blocks = line_blocks(path, _BLOCK)
        line, header, self._rest = _first_line(path, self._blocks, log)
        self._line = line + 1
        self._mark = max(_MARKS, key=header.count)
        cells = _cells_of(header, self._mark)
        if "\r" in header:
            raise _no_header(
                path, line, "its lines end with bare carriage returns: save it with newlines"
            )
        if not cells:
            raise _no_header(path, line, f"{NOT_CSV}: {shortened(header)}")
        super().__init__(path, log, cells)

    def blocks(self, columns: dict[str, str]) -> Iterator[RowBlock]:
        """The rows of the file."""
        indices = {role: self.index(name) for role, name in columns.items()}
        waiting, line = b"", self._line  # the lines of a row that is not complete; where they are
        for block in chain([self._rest], self._blocks):
            data = waiting + bytes(block.data) if block.is_readable else waiting
            if data and not data.endswith(b"\n"):
                data += b"\n"
            rows = _CsvRows(data, self._mark, is_end=not block.is_readable)
            yield from rows.read(line, indices, len(self.names))
            waiting, line = rows.rest, line + rows.count
            line += self.log.unreadable(block, line)
            self.log.advance(block.bytes_read)


class _OddRow(NamedTuple):
    """A row whose quotes Python must look at: its cells, none if they are out of place."""

    row: int
    cells: list[str]
    span: int


class _CsvRows:
    """The rows of some lines; `rest` holds the lines of a row that is not complete."""

    def __init__(self, data: bytes, mark: str, is_end: bool) -> None:
        self._data, self._mark, self.rest = data, mark, b""
        self._ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
        self._odd: list[_OddRow] = []
        self._has_quote = b'"' in data
        if self._has_quote:
            self._read_quotes(is_end)

    @property
    def count(self) -> int:
        """The number of lines."""
        return self._ends.size

    @functools.cached_property
    def _counts(self) -> NDArray[np.int64]:
        """The number of cells of each line."""
        array = np.frombuffer(self._data, np.uint8)
        stops = np.flatnonzero((array == ord(self._mark)) | (array == ord("\n")))
        return np.diff(np.flatnonzero(array[stops] == ord("\n")), prepend=-1)

    def _is_regular(self, last: Any, width: int) -> bool:
        """Whether all rows have `width` cells: none is short (all fill the last), so none long."""
        marks = np.count_nonzero(np.frombuffer(self._data, np.uint8) == ord(self._mark))
        return (
            not self._has_quote and marks == (width - 1) * self.count and bool((last != "").all())
        )

    def text(self, row: int) -> str:
        """A line without its end."""
        begin = self._ends[row - 1] + 1 if row else 0
        line = self._data[begin : self._ends[row]]
        return line.decode("utf-8", "backslashreplace").removesuffix("\r")

    def _read_quotes(self, is_end: bool) -> None:
        """Count the cells of lines with quotes, and read those that are not in plain form."""
        lines = polars().read_lines(_as_utf8(self._data)).to_series()
        rows = np.flatnonzero(lines.str.contains('"', literal=True).to_numpy())
        quoted = lines.gather(rows)
        bare = quoted.str.replace_all('"[^"]*"', "")
        self._counts[rows] = bare.str.count_matches(self._mark, literal=True).to_numpy() + 1
        cell = f'("([^"]|"")*"|[^"{self._mark}]*)'
        is_plain = quoted.str.contains(f"^{cell}({self._mark}{cell})*$").to_numpy()
        for row in rows[~is_plain].tolist():
            odd = self._odd_row(row)
            if odd is None and not is_end:
                self._cut(row)
                return
            self._odd.append(odd or _OddRow(row, _cells_of(self.text(row), self._mark), 1))

    def _odd_row(self, row: int) -> _OddRow | None:
        """The row that starts on a line and may go over several; None if more lines are needed."""
        texts = [self.text(i) for i in range(row, min(row + _MOST_LINES, self.count))]
        reader = csv.reader((f"{text}\n" for text in texts), delimiter=self._mark, strict=True)
        try:
            return _OddRow(row, next(reader), reader.line_num)
        except csv.Error:
            if reader.line_num == len(texts) < _MOST_LINES:
                return None
            return _OddRow(row, _cells_of(texts[0], self._mark), 1)

    def _cut(self, stop: int) -> None:
        """Leave the lines from `stop` on, and rows that reach beyond it, to the next block."""
        for odd in reversed(self._odd):
            if odd.row + odd.span > stop:
                stop = odd.row
        size = int(self._ends[stop - 1]) + 1 if stop else 0
        self._data, self.rest = self._data[:size], self._data[size:]
        self._ends, self._counts = self._ends[:stop], self._counts[:stop]
        self._odd = [odd for odd in self._odd if odd.row < stop]

    def read(self, line: int, indices: dict[str, int], width: int) -> Iterator[RowBlock]:
        """The rows from `line` on, if any, with the cells of these columns out of `width`."""
        if not self.count:
            return
        spans, faults = np.ones(self.count, np.int64), np.zeros(self.count, np.int8)
        cells = self._cells(indices | {"": width - 1}, width)
        if not self._is_regular(cells.pop(""), width):
            self._find_faults(faults, spans, max(indices.values()), width)
        yield RowBlock(cells, line + np.arange(self.count), faults, self.text, spans)

    def _find_faults(self, faults: Any, spans: Any, last: int, width: int) -> None:
        sizes = np.diff(self._ends, prepend=-1) - 1
        for row in np.flatnonzero(sizes <= 1).tolist():
            faults[row] = 0 if self.text(row) else _BLANK
        for row, texts, span in self._odd:
            self._counts[row], spans[row] = len(texts), span
            faults[row] = 0 if texts else _NOT_CSV
        faults[(faults == 0) & (self._counts <= last)] = _SHORT
        faults[(faults == 0) & (self._counts > width)] = _LONG

    def _cells(self, indices: dict[str, int], width: int) -> dict[str, Any]:
        """The wanted columns; lines in plain form are read by Polars."""
        pl = polars()
        lines = self._data
        if self._odd:  # kept out of its sight
            parts = lines.split(b"\n")
            for odd in self._odd:
                parts[odd.row] = b""
            lines = b"\n".join(parts)
        first = f"{self._mark * (width - 1)}\n".encode()  # shows Polars all columns
        wanted = sorted(set(indices.values()))
        frame = pl.read_csv(
            first + _as_utf8(lines),
            has_header=False,
            separator=self._mark,
            quote_char='"' if self._has_quote else None,
            schema={f"{i}": pl.String for i in range(width)},
            columns=wanted,
            truncate_ragged_lines=True,
            empty_string_is_null=False,
        )[1:]
        if len(frame) != self.count:
            raise AssertionError(f"{self.count} lines gave {len(frame)} rows")
        rows = [odd.row for odd in self._odd]
        if not rows:
            return {role: frame[f"{i}"] for role, i in indices.items()}
        return {
            role: frame[f"{i}"].scatter(rows, [(odd.cells[i:] or [""])[0] for odd in self._odd])
            for role, i in indices.items()
        }


def _as_utf8(data: bytes) -> bytes:
    """The same text in UTF-8; bytes that are not are escaped."""
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", "backslashreplace").encode()
    return data


def _cells_of(text: str, mark: str) -> list[str]:
    """The cells of a line that is not quite CSV, such as one with `"tea" ,`; none if it is not.

    >>> _cells_of('1,"tea" ,0', ","), _cells_of('1,"tea,0', ",")
    (['1', 'tea ', '0'], [])
    """
    if text.count('"') % 2:
        return []
    try:
        return next(csv.reader([text], delimiter=mark), [])
    except csv.Error:
        return []


def _first_line(
    path: Path, blocks: Iterator[LineBlock], log: ConversionLog
) -> tuple[int, str, LineBlock]:
    """The number and text of the first line that is not blank, and the block of what follows."""
    line = 0
    for block in blocks:
        if not block.is_readable:
            what = f"{block.skip}: {shortened(bytes(block.data))}" if block.skip else block.damage
            raise _no_header(path, line + 1, what or "the file is empty")
        rest = bytes(block.data)
        while rest:
            header, _, rest = rest.partition(b"\n")
            line += 1
            if header.strip():
                text = header.decode("utf-8", "backslashreplace").removesuffix("\r")
                return line, text, block._replace(data=rest)
            log.skip(BLANK, path, line, header)
    raise AssertionError("a file ends with a block that says how")


def _no_header(path: Path, line: int, what: str) -> ValueError:
    return ValueError(f"{path}, line {line}: expected the names of the columns; {what}")


class _ParquetTable(_Table):
    def __init__(self, path: Path, log: ConversionLog) -> None:
        self._file = self._guarded(path, lambda: arrow("pyarrow.parquet").ParquetFile(path))
        super().__init__(path, log, self._file.schema_arrow.names)

    def blocks(self, columns: dict[str, str]) -> Iterator[RowBlock]:
        """The rows of the file."""
        pl = polars()
        for name in columns.values():
            self.index(name)
        size, rows, before = self.path.stat().st_size, self._file.metadata.num_rows, 0
        batches = self._file.iter_batches(_ROWS, columns=list(set(columns.values())))
        while (batch := self._guarded(self.path, lambda: next(batches, None))) is not None:
            frame = pl.from_arrow(batch)
            cells = {role: frame[name] for role, name in columns.items()}
            lines = before + 1 + np.arange(len(frame))
            before += len(frame)
            faults, spans = np.zeros(len(frame), np.int8), np.ones(len(frame), np.int64)
            text = functools.partial(_row_text, frame)
            yield RowBlock(cells, lines, faults, text, spans)
            self.log.advance(size * before // rows)

    @staticmethod
    def _guarded(path: Path, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except (arrow().ArrowException, OSError) as error:
            reason = str(error).splitlines()[0]
            raise ValueError(f"{path} cannot be read as Parquet: {reason}") from error


def _row_text(frame: Any, row: int) -> str:
    return ",".join(map(str, frame.row(row)))
