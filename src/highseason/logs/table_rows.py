"""Rows of CSV, Excel and Parquet files in blocks, each row with its line.

A CSV row may go over several lines if its quotes are in place.  Where they are not, only the line
on which the row starts is lost: the lines after it are read again.  So a row of several lines is
kept only if it is an event.
"""

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import did_you_mean
from highseason.logs.cells import polars
from highseason.logs.conversion_log import BLANK, CUT, ConversionLog, shortened
from highseason.logs.events import arrow
from highseason.logs.line_blocks import LineBlock, line_blocks
from highseason.traffic.columns import Column
from highseason.traffic.files import LATIN, encoding_by_start, read_table

_NOT_CSV = "the row cannot be read as CSV"
ROW_REASONS = (
    "", BLANK, _NOT_CSV, "the row has too few cells", "the row has too many cells", CUT
)  # fmt: skip
_BLANK, _BROKEN, _SHORT, _LONG, _CUT = range(1, 6)

_MARKS = (",", ";", "\t")
_BLOCK, _ROWS = 1 << 23, 1 << 16  # bytes of CSV and rows of Parquet read at a time
_START = 1 << 18  # bytes that decide on the encoding
_SHOWN = 50  # names of columns in an error
_MOST_LINES = 100  # in one row; more are a quote that is never closed


@dataclass(frozen=True)
class RowBlock:
    """Consecutive rows."""

    cells: dict[str, Any]  # the wanted columns as Polars series
    lines: NDArray[np.int64]  # on which each row starts; elsewhere the row's number
    faults: NDArray[np.int8]  # for each row 0, or the index in `ROW_REASONS` of what is wrong
    text: Callable[[int], str]  # of a row, for an example
    spans: dict[int, int] = field(default_factory=dict)  # the lines of rows of several lines

    def kept(self, faults: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Which rows remain: not those on lines that belong to a good row of several lines."""
        kept = np.ones(self.lines.size, np.bool_)
        for row, span in self.spans.items():
            if faults[row] == 0 and kept[row]:
                kept[row + 1 : row + span] = False
        return kept

    def text_of(self, rows: NDArray[np.int64]) -> Callable[[int], str]:
        """The texts of some rows."""
        return lambda row: self.text(int(rows[row]))


@dataclass(frozen=True)
class LogTable:
    """A table that is read once: the names of its columns, then its rows."""

    path: Path
    names: tuple[str, ...]
    read: Callable[[dict[str, int]], Iterator[RowBlock]]  # the columns at these positions

    def blocks(self, columns: dict[str, str]) -> Iterator[RowBlock]:
        """The rows; `columns` names the column of each series of `RowBlock.cells`."""
        return self.read({role: self._index(name) for role, name in columns.items()})

    def _index(self, name: str) -> int:
        count = self.names.count(name)
        if count > 1:
            raise ValueError(
                f"{self.path}, line 1: expected one column {name!r}, got {count}: rename the others"
            )
        if count == 0:
            shown = [shortened(known) for known in self.names[:_SHOWN]]
            more = len(self.names) - len(shown)
            hint = did_you_mean(name, shown)
            near = hint.startswith("Did")  # otherwise it repeats the names
            raise ValueError(
                f"{self.path}, line 1: expected a column {name!r}, got {', '.join(shown)}"
                f"{f' and {more:,} more' if more else ''}{f'. {hint}' if near else ''}"
            )
        return self.names.index(name)


def open_table(path: Path, log: ConversionLog) -> LogTable:
    """A CSV file (also gzip), an Excel file or a Parquet file, recognised by its first bytes."""
    with path.open("rb") as file:
        kind = file.read(4)
    return _OPENERS.get(kind, _open_csv)(path, log)


def _encoding(path: Path) -> str:
    """The encoding of a text file; empty for UTF-8, and where it cannot be told."""
    with path.open("rb") as raw:
        is_gzip = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        file: Any = gzip.GzipFile(fileobj=raw) if is_gzip else raw
        try:
            name = encoding_by_start(file.read(_START))
        except (OSError, EOFError, zlib.error):  # a damaged file: its reader says what is wrong
            return ""
    return "" if name.startswith("utf-8") else name


def _open_csv(path: Path, log: ConversionLog) -> LogTable:
    encoding = _encoding(path)
    if encoding == "cp1252":
        log.notes.append(LATIN)
    blocks = line_blocks(path, _BLOCK, encoding)
    line, header, rest = _first_line(path, blocks, log)
    mark = max(_MARKS, key=header.count)
    names = tuple(name.strip() for name in _cells_of(header, mark))
    if "\r" in header or not names:
        carriage = "its lines end with bare carriage returns: save it with newlines"
        what = carriage if "\r" in header else f"{_NOT_CSV}: {shortened(header)}"
        raise _no_header(path, line, what)
    read = partial(_csv_blocks, chain([rest], blocks), log, line + 1, mark, len(names))
    return LogTable(path, names, read)


def _first_line(
    path: Path, blocks: Iterator[LineBlock], log: ConversionLog
) -> tuple[int, str, LineBlock]:
    """The number and text of the first line that is not blank, and the block of what follows."""
    line, skipped = 0, ""
    for block in blocks:
        if block.skip:  # a later line may be the header
            line += log.unreadable(block, line + 1)
            skipped = skipped or f"line {line} is {block.skip}: {shortened(bytes(block.data))}"
            continue
        if not block.is_readable:
            raise _no_header(path, line + 1, block.damage or skipped or "the file is empty")
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


def _csv_blocks(
    blocks: Iterator[LineBlock],
    log: ConversionLog,
    line: int,
    mark: str,
    width: int,
    indices: dict[str, int],
) -> Iterator[RowBlock]:
    waiting = b""  # the lines of a row that is not complete
    for block in blocks:
        data = waiting + bytes(block.data) if block.is_readable else waiting
        rows = _CsvRows(data, mark, is_end=not block.is_readable)
        if rows.count:
            yield rows.read(line, indices, width)
        waiting, line = rows.rest, line + rows.count
        line += log.unreadable(block, line)
        log.advance(block.bytes_read)


class _CsvRows:
    """The rows of some lines; `rest` holds the lines of a row that is not complete."""

    def __init__(self, data: bytes, mark: str, is_end: bool) -> None:
        self._is_cut = bool(data) and not data.endswith(b"\n")
        self._data, self._mark, self.rest = data + b"\n" * self._is_cut, mark, b""
        self._odd: dict[int, tuple[list[str], int]] = {}  # rows for Python: their cells and lines
        self._has_quote = b'"' in data
        if self._has_quote:
            self._read_quotes(is_end)
        self.count = int(np.count_nonzero(self._is("\n")))

    def _is(self, character: str) -> NDArray[np.bool_]:
        return np.asarray(np.frombuffer(self._data, np.uint8) == ord(character))

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.flatnonzero(self._is("\n"))

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        """The number of cells of each line."""
        is_end = self._is("\n")
        stops = np.flatnonzero(self._is(self._mark) | is_end)
        counts = np.diff(np.flatnonzero(is_end[stops]), prepend=-1)
        if self._has_quote:
            rows = self._quoted[self._quoted < self.count]
            bare = self._lines.gather(rows).str.replace_all('"[^"]*"', "")
            counts[rows] = bare.str.count_matches(self._mark, literal=True).to_numpy() + 1
        return counts

    def _text(self, row: int) -> str:
        begin = self._ends[row - 1] + 1 if row else 0
        line = self._data[begin : self._ends[row]]
        return line.decode("utf-8", "backslashreplace").removesuffix("\r")

    def _read_quotes(self, is_end: bool) -> None:
        """Read the lines with quotes that are not in plain form."""
        self._lines = polars().read_lines(_as_utf8(self._data)).to_series()
        self._quoted = np.flatnonzero(self._lines.str.contains('"', literal=True).to_numpy())
        cell = f'("([^"]|"")*"|[^"{self._mark}]*)'
        quoted = self._lines.gather(self._quoted)
        is_plain = quoted.str.contains(f"^{cell}({self._mark}{cell})*$").to_numpy()
        for row in self._quoted[~is_plain].tolist():
            odd = self._odd_row(row)
            if odd is None and not is_end:
                self._cut(row)
                return
            self._odd[row] = odd or (_cells_of(self._text(row), self._mark), 1)

    def _odd_row(self, row: int) -> tuple[list[str], int] | None:
        """The cells of the row that starts on a line and its lines; None if it needs more."""
        texts = [self._text(i) for i in range(row, min(row + _MOST_LINES, self._ends.size))]
        reader = csv.reader((f"{text}\n" for text in texts), delimiter=self._mark, strict=True)
        try:
            return next(reader), reader.line_num
        except csv.Error:
            if reader.line_num == len(texts) < _MOST_LINES:
                return None
            return _cells_of(texts[0], self._mark), 1

    def _cut(self, stop: int) -> None:
        """Leave the lines from `stop` on, and rows that reach beyond it, to the next block."""
        for row, (_, span) in reversed(self._odd.items()):
            stop = row if row + span > stop else stop
        size = int(self._ends[stop - 1]) + 1 if stop else 0
        self._data, self.rest = self._data[:size], self._data[size:]
        self._ends = self._ends[:stop]
        self._odd = {row: odd for row, odd in self._odd.items() if row < stop}

    def read(self, line: int, indices: dict[str, int], width: int) -> RowBlock:
        """The rows from `line` on with the cells of these columns out of `width`."""
        cells = self._cells(indices | {"": width - 1}, width)
        spans = {row: span for row, (_, span) in self._odd.items() if span > 1}
        faults = np.zeros(self.count, np.int8)
        # Where the last cell of every row is filled, no row is short, and a sum finds long ones.
        is_filled = bool((cells.pop("") != "").all()) and not self._odd
        if not is_filled or np.count_nonzero(self._is(self._mark)) != (width - 1) * self.count:
            self._find_faults(faults, max(indices.values()) + 1, width)
        return RowBlock(cells, line + np.arange(self.count), faults, self._text, spans)

    def _find_faults(self, faults: NDArray[np.int8], needed: int, width: int) -> None:
        for row in np.flatnonzero(np.diff(self._ends, prepend=-1) <= 2).tolist():
            faults[row] = 0 if self._text(row) else _BLANK
        for row, (texts, _) in self._odd.items():
            self._counts[row] = len(texts)
            faults[row] = 0 if texts else _BROKEN
        faults[(faults == 0) & (self._counts < needed)] = _SHORT
        faults[(faults == 0) & (self._counts > width)] = _LONG
        # Without a newline, a last cell that is needed may be half a cell if others should follow.
        if (
            self._is_cut
            and not self.rest
            and faults[-1] == 0
            and self._counts[-1] == needed < width
        ):
            faults[-1] = _CUT

    def _cells(self, indices: dict[str, int], width: int) -> dict[str, Any]:
        """The wanted columns; lines in plain form are read by Polars."""
        pl, lines = polars(), self._data
        if self._odd:  # kept out of its sight
            parts = lines.split(b"\n")
            for row in self._odd:
                parts[row] = b""
            lines = b"\n".join(parts)
        first = f"{self._mark * (width - 1)}\n".encode()  # shows Polars all columns
        frame = pl.read_csv(
            first + _as_utf8(lines),
            has_header=False,
            separator=self._mark,
            quote_char='"' if self._has_quote else None,
            schema={f"{i}": pl.String for i in range(width)},
            columns=sorted(set(indices.values())),
            truncate_ragged_lines=True,
            empty_string_is_null=False,
        )[1:]
        if len(frame) != self.count:
            raise AssertionError(f"{self.count} lines gave {len(frame)} rows")
        cells = {role: frame[f"{i}"] for role, i in indices.items()}
        if self._odd:
            for role, i in indices.items():
                texts = [(odd[i:] or [""])[0] for odd, _ in self._odd.values()]
                cells[role] = cells[role].scatter(list(self._odd), texts)
        return cells


def _as_utf8(data: bytes) -> bytes:
    """The same text in UTF-8; bytes that are not are escaped."""
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", "backslashreplace").encode()
    return data


def _cells_of(text: str, mark: str) -> list[str]:
    """The cells of a line that is not quite CSV, such as one with `"tea" ,`; none if it is not.

    >>> _cells_of('1,"tea" ,0', ","), _cells_of('1,"tea,0', ",")
    (['1', 'tea ', '0'], [])
    """
    try:
        return [] if text.count('"') % 2 else next(csv.reader([text], delimiter=mark), [])
    except csv.Error:
        return []


def _open_parquet(path: Path, log: ConversionLog) -> LogTable:
    try:
        file = arrow("pyarrow.parquet").ParquetFile(path)
    except (arrow().ArrowException, OSError) as error:
        raise _not_parquet(path, error) from error
    names = tuple(file.schema_arrow.names)
    return LogTable(path, tuple(map(str.strip, names)), partial(_parquet_blocks, path, log, file))


def _parquet_blocks(
    path: Path, log: ConversionLog, file: Any, indices: dict[str, int]
) -> Iterator[RowBlock]:
    names = {role: file.schema_arrow.names[i] for role, i in indices.items()}
    size, rows, before = path.stat().st_size, file.metadata.num_rows, 0
    try:
        for batch in file.iter_batches(_ROWS, columns=list(set(names.values()))):
            frame = polars().from_arrow(batch)
            lines = before + 1 + np.arange(len(frame))
            before += len(frame)
            cells = {role: frame[name] for role, name in names.items()}
            faults = np.zeros(len(frame), np.int8)
            yield RowBlock(cells, lines, faults, partial(_row_text, frame))
            log.advance(size * before // rows)
    except (arrow().ArrowException, OSError) as error:
        raise _not_parquet(path, error) from error


def _not_parquet(path: Path, error: Exception) -> ValueError:
    return ValueError(f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}")


def _row_text(frame: Any, row: int) -> str:
    return ",".join(map(str, frame.row(row)))


def _open_excel(path: Path, log: ConversionLog) -> LogTable:
    sheet = read_table(path)
    log.notes.extend(sheet.notes)
    frame = polars().DataFrame({f"{i}": _typed(column) for i, column in enumerate(sheet.columns)})
    read = partial(_excel_blocks, path, log, frame, np.asarray(sheet.lines, np.int64))
    return LogTable(path, tuple(column.name for column in sheet.columns), read)


def _typed(column: Column) -> Any:
    """Numbers as whole numbers if they are, so that an id keeps its name; the rest as text."""
    if column.cells.dtype.kind == "O":
        texts = [column.text(i) for i in range(len(column.cells))]
        return polars().Series(texts, dtype=polars().String)
    numbers = polars().Series(column.numbers, nan_to_null=True)
    is_whole = bool((numbers.drop_nulls() % 1 == 0).all())
    return numbers.cast(polars().Int64) if is_whole else numbers


def _excel_blocks(
    path: Path, log: ConversionLog, frame: Any, lines: NDArray[np.int64], indices: dict[str, int]
) -> Iterator[RowBlock]:
    cells = {role: frame[f"{i}"] for role, i in indices.items()}
    yield RowBlock(cells, lines, np.zeros(len(frame), np.int8), partial(_row_text, frame))
    log.advance(path.stat().st_size)


_OPENERS = {  # by the first bytes; the last is Excel's old kind, whose error says what to do
    b"PAR1": _open_parquet,
    b"PK\x03\x04": _open_excel,
    b"\xd0\xcf\x11\xe0": _open_excel,
}
