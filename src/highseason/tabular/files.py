"""The one reader of tables: CSV (comma, semicolon or tab, plain or gzip) and Parquet files.

`Dialect` decides how a file writes its table, `parse_number` how a cell becomes a number, `times`
how it becomes a time, and `FileTable` which column is which.
"""

from __future__ import annotations

import csv
import gzip
import math
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from itertools import dropwhile, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.extras import require
from highseason.core.specs import did_you_mean
from highseason.tabular.times import (
    Stamps,
    TableError,
    parse_time,
    parse_times,
    unix_times,
    zone_name,
)

if TYPE_CHECKING:
    import pandas as pd


Where = Callable[[int], str]
"""Describes where row ``i`` (from 0) of the data came from."""

TIME_FORMS = "ISO dates such as 2013-12-26 or 2013-12-26 12:00, or unix seconds"

TIME_NAMES = frozenset(
    "time date day hour minute week month timestamp datetime ds ts when period".split()
)
VALUE_NAMES = frozenset(
    "value traffic customers visitors footfall pageviews views orders count y g".split()
)
COUNTER_NAMES = frozenset("t turn index row".split())


def parse_number(cell: Any) -> float:
    """Return the number in a cell, NaN for any other cell."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        return math.nan


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a file: its header (None where the file gives none) and its cells."""

    position: int
    header: str | None
    cells: pd.Series[Any]

    @property
    def name(self) -> str:
        """The header, or else the position."""
        return self.header or f"column {self.position}"

    def text(self, i: int) -> str:
        """Return cell ``i`` as text, empty where it is missing."""
        cell = self.cells.iloc[i]
        if isinstance(cell, str):  # "nan" was written there
            return cell
        return "" if str(cell) in ("None", "nan", "NaT") else str(cell)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The cells as numbers, NaN for any other cell."""
        kind = self.cells.dtype.kind
        if kind in "iuf":
            return self.cells.to_numpy(dtype=np.float64)
        if kind != "O":
            return np.full(len(self.cells), np.nan)
        cells = self.cells.to_numpy()
        try:
            return np.fromiter(map(float, cells), np.float64, cells.size)
        except (TypeError, ValueError):  # not all cells are numbers
            return np.fromiter(map(parse_number, cells), np.float64, cells.size)

    @cached_property
    def iso_times(self) -> Stamps:
        """The cells as points in time, read as dates and times only."""
        if self.cells.dtype.kind != "M":
            return parse_times([str(cell).strip() for cell in self.cells.to_numpy(dtype=object)])
        times = self.cells.dt
        zone = None if times.tz is None else zone_name(times.tz, None)
        instants = np.asarray(times.tz_convert(None) if zone else self.cells)
        return Stamps(instants, np.full(instants.size, zone, dtype=np.object_))

    @cached_property
    def times(self) -> Stamps:
        """The cells as points in time: ISO, or else all of them unix seconds."""
        stamps = self.iso_times
        return stamps if not np.isnat(stamps.instants).all() else unix_times(self.numbers)

    @property
    def holds_times(self) -> bool:
        """Whether most cells are times; the rest are then slips, to be named in an error."""
        return bool(np.mean(~np.isnat(self.times.instants)) > 0.5)

    @property
    def holds_only_dates(self) -> bool:
        """Whether every cell is an ISO date or time."""
        # The first cell settles it for most columns, without reading a million others.
        first = self.cells.dtype.kind == "M" or parse_time(self.text(0)) is not None
        return first and not np.isnat(self.iso_times.instants).any()

    @property
    def counts_rows(self) -> bool:
        """Whether the cells number the rows, from 0 or from 1."""
        numbers = self.numbers
        return bool(numbers[0] in (0.0, 1.0) and np.all(np.diff(numbers) == 1.0))

    def is_called(self, names: frozenset[str]) -> bool:
        """Say whether the header is one of these names."""
        return self.header is not None and self.header.lower() in names


@dataclass(frozen=True, eq=False)
class FileTable:
    """The columns of a file, and the number of the ``unit`` (line or row) of each record."""

    source: str
    columns: tuple[Column, ...]
    unit: str
    number_of: Callable[[int], int]

    def where(self, column: Column) -> Where:
        """Return a function that describes where row ``i`` of the column is."""
        return lambda i: f"{self.source}, {self.unit} {self.number_of(i)}, column {column.name!r}"

    def column(self, name: str, option: str) -> Column:
        """Return the column that the user named with ``option``."""
        named = [column for column in self.columns if column.name == name]
        if len(named) == 1:
            return named[0]
        if named:
            raise TableError(
                f"{self.source} has {len(named)} columns called {name!r}: rename all but one"
            )
        known = [column.name for column in self.columns]
        hint = did_you_mean(name, known)
        raise TableError(f"{self.source} has no column {name!r} for {option}=. {hint}")

    def find_time(self) -> Column | None:
        """Return the time column: by its usual name, else the first of nothing but ISO dates."""
        if len(self.columns) == 1:
            return None
        named = [column for column in self.columns if column.is_called(TIME_NAMES)]
        likely = [column for column in named if column.holds_times]
        if len(likely) > 1:
            raise TableError(self._ask_for(likely, "time"))
        if likely:
            return likely[0]
        for column in self.columns:
            if column.holds_only_dates:
                return column
        strange = [column for column in named if not column.counts_rows]
        if strange:
            # Going on without a calendar would lose the user's dates without a word.
            raise TableError(
                f"{self.where(strange[0])(0)}: {strange[0].text(0)!r} is not a time: write "
                f"{TIME_FORMS}; or rename the column if it holds no times"
            )
        return None

    def find_value(self, time: Column | None) -> Column:
        """Return the value column: the only one left, the only numeric one, else by usual name."""
        left = [column for column in self.columns if column is not time and not _is_side(column)]
        if len(self.columns) == 1:
            left = list(self.columns)
        if len(left) == 1:
            return left[0]
        numeric = [column for column in left if np.mean(~np.isnan(column.numbers)) > 0.5]
        if len(numeric) == 1:
            return numeric[0]
        usual = [column for column in numeric if column.is_called(VALUE_NAMES)]
        if len(usual) == 1:
            return usual[0]
        if numeric:
            raise TableError(self._ask_for(usual or numeric, "value"))
        names = ", ".join(column.name for column in self.columns)
        raise TableError(f"{self.source} has no column of numbers besides its times: {names}")

    def times(self, column: Column) -> Stamps:
        """Return the column as points in time; refuse any other cell."""
        stamps = column.times
        missing = np.flatnonzero(np.isnat(stamps.instants))
        if missing.size:
            i = int(missing[0])
            text = column.text(i)
            reason = f"{text!r} is not a time: write {TIME_FORMS}" if text else (
                "the time is missing: fill it in or drop the row"
            )  # fmt: skip
            raise TableError(f"{self.where(column)(i)}: {reason}")
        return stamps

    def _ask_for(self, candidates: Sequence[Column], option: str) -> str:
        names = ", ".join(column.name for column in candidates)
        return (
            f"{self.source} has several columns that could be the {option} column: {names}; "
            f"choose one, such as {option}={candidates[0].name!r}"
        )


def _is_side(column: Column) -> bool:
    """Whether a column numbers or dates the rows rather than measures something."""
    nameless = column.header is None and column.position == 1
    counter = nameless or column.is_called(COUNTER_NAMES)
    return column.is_called(TIME_NAMES) or (counter and column.counts_rows)


_DELIMITERS = (",", ";", "\t")
_LINE_END = re.compile(r"[\r\n]")
_BLANK_TOP = re.compile(r'(?:[\s,;"]*[\r\n])?')


class Record(NamedTuple):
    """The cells of one record, and the line of the file on which it ends."""

    line: int
    cells: list[str]


@dataclass(frozen=True)
class Dialect:
    """How a text file writes its table: the place to widen what is accepted."""

    delimiter: str

    @classmethod
    def of(cls, text: str) -> Dialect:
        """Read the dialect off the first line with content."""
        first = next((line for line in StringIO(text, newline="") if line.strip()), "")
        return cls(max(_DELIMITERS, key=re.sub(r'"[^"]*"', "", first).count))


@dataclass(frozen=True)
class _CsvFile:
    """The text of a CSV file; pandas splits it, the csv module finds the line of an error."""

    path: Path
    text: str
    dialect: Dialect

    @classmethod
    def open(cls, path: Path) -> _CsvFile:
        """Unpack and decode the file."""
        raw = path.read_bytes()
        try:
            if path.name.lower().endswith(".gz"):
                raw = gzip.decompress(raw)
            text = raw.decode("utf-8-sig")
        except (EOFError, zlib.error) as error:
            raise TableError(f"cannot unpack {path}: {error}") from error
        except UnicodeDecodeError as error:
            raise TableError(f"{path} is not UTF-8 text: save it as CSV in UTF-8") from error
        end = _LINE_END.search(text, len(text.rstrip(" \t\r\n,;")))  # rows of blanks at the end
        text = text[: end.start()] if end else text
        return cls(path, text, Dialect.of(text))

    def records(self) -> Iterator[Record]:
        """Yield the records from the first with content, without blank lines of wide tables."""
        reader = csv.reader(StringIO(self.text, newline=""), delimiter=self.dialect.delimiter)
        rows = (Record(reader.line_num, [cell.strip() for cell in row]) for row in reader)
        width = 0
        try:
            for record in dropwhile(lambda record: not any(record.cells), rows):
                width = width or len(record.cells)
                # In a plain list a blank line is a missing value: dropping it would move turns.
                if width == 1:
                    yield record if record.cells else Record(record.line, [""])
                elif record.cells not in ([], [""]):
                    yield record
        except csv.Error as error:
            raise TableError(f"{self.path} is not a CSV file: {error}") from error

    def line(self, i: int) -> int:
        """Return the line of record ``i``; only errors ask, so it is worth reading again."""
        return next(islice(self.records(), i, None)).line

    def columns(self, width: int) -> list[list[str]]:
        """Return the cells column by column, a header included."""
        import pandas as pd

        mark = self.dialect.delimiter
        top = _BLANK_TOP.match(self.text)
        body = self.text[top.end() :] if top else self.text
        if "\r" in body:  # pandas loses an empty cell after a blank line that ends in \r
            body = body.replace("\r\n", "\n").replace("\r", "\n")
        try:
            frame = pd.read_csv(
                StringIO(body), sep=mark, header=None, dtype=object, na_filter=False,
                skip_blank_lines=width > 1,
            )  # fmt: skip
        except pd.errors.ParserError as error:
            self._check_widths(width)
            raise TableError(f"{self.path} is not a CSV file: {str(error).strip()}") from error
        # pandas refuses long rows and fills up short ones without a word: a count finds those.
        if '"' in body or body.count(mark) != (width - 1) * len(frame):
            self._check_widths(width)
        columns = [[cell.strip() for cell in frame[i]] for i in range(width)]
        while not any(column[-1] for column in columns):  # blank rows at the end
            for column in columns:
                column.pop()
        return columns

    def _check_widths(self, width: int) -> None:
        for line, cells in self.records():
            if len(cells) != width:
                raise TableError(
                    f"{self.path}, line {line}: {len(cells)} cells where the first row has "
                    f"{width}: every row needs the same columns (quote text that holds a delimiter)"
                )


def read_table(path: Path) -> FileTable:
    """Read a file with the reader for the ending of its name."""
    name = path.name.lower()
    reader = next((read for ending, read in READERS.items() if name.endswith(ending)), None)
    if reader is None:
        raise TableError(
            f"cannot tell from its name what {path} holds: it must end in {', '.join(READERS)}"
        )
    try:
        table = reader(path)
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror or error}") from error
    if not len(table.columns) or not len(table.columns[0].cells):
        raise TableError(f"{path} holds no data: at least one row of values is needed")
    return table


def read_csv(path: Path) -> FileTable:
    r"""Read a CSV file; cells stay text, without the blanks around them."""
    import pandas as pd

    file = _CsvFile.open(path)
    first = next(file.records(), None)
    if first is None:
        raise TableError(f"{path} is empty: at least one row of values is needed")
    skipped = 0 if _is_data(first) else 1
    columns = tuple(
        Column(i + 1, (first.cells[i] or None) if skipped else None,
               pd.Series(cells[skipped:], dtype=object))
        for i, cells in enumerate(file.columns(len(first.cells)))
    )  # fmt: skip
    return FileTable(str(path), columns, "line", lambda i: file.line(i + skipped))


def _is_data(record: Record) -> bool:
    # "nan" at the top of a plain list is a missing turn, not a name.
    return all(
        cell.lower() == "nan" or not np.isnan(parse_number(cell)) or parse_time(cell)
        for cell in record.cells
    )


def read_parquet(path: Path) -> FileTable:
    """Read a Parquet file; needs the extra ``highseason[files]``."""
    path.stat()  # a missing file is reported before a missing library
    parquet = require("pyarrow.parquet", extra="files", purpose="reading Parquet")
    try:
        table = parquet.ParquetFile(path).read()
    except ValueError as error:  # what pyarrow raises for files of another kind
        raise TableError(f"{path} is not a Parquet file: {error}") from error
    frame = table.to_pandas(ignore_metadata=True, date_as_object=False)
    columns = tuple(
        Column(i + 1, _header(name), _typed(frame.iloc[:, i]))
        for i, name in enumerate(table.column_names)
    )
    return FileTable(str(path), columns, "row", lambda i: i + 1)


def _header(name: str) -> str | None:
    # pandas writes an index that has no name under this one.
    return None if name.startswith("__index_level_") else name


def _typed(series: Any) -> Any:
    """Numbers and times as they are; everything else as objects, None where missing."""
    if series.dtype.kind in "biufM":
        return series
    cells = series.astype(object)
    return cells.where(cells.notna(), None)


READERS: dict[str, Callable[[Path], FileTable]] = {
    ".csv": read_csv,
    ".csv.gz": read_csv,
    ".tsv": read_csv,
    ".tsv.gz": read_csv,
    ".parquet": read_parquet,
}
"""The reader for each ending of a file's name."""
