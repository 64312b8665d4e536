"""The one reader of tables: CSV (comma, semicolon or tab, plain or gzip) and Parquet files.

`parse_number` decides how a cell becomes a number, `times` how it becomes a time, and `FileTable`
which column is which.
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
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

_TIME_FORMS = "ISO dates such as 2013-12-26 or 2013-12-26 12:00, or unix seconds"

_TIME_NAMES = frozenset(
    "time date day hour minute week month timestamp datetime ds ts when period".split()
)
_VALUE_NAMES = frozenset(
    "value traffic customers visitors footfall pageviews views orders count y g".split()
)
_COUNTER_NAMES = frozenset("t turn index row".split())


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
        if self.cells.dtype.kind not in "iufO":
            return np.full(len(self.cells), np.nan)
        try:
            return self.cells.to_numpy(dtype=np.float64)
        except (TypeError, ValueError):  # not all cells are numbers
            return np.array([parse_number(cell) for cell in self.cells], np.float64)

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

    @property
    def is_side(self) -> bool:
        """Whether it numbers or dates the rows rather than measures something."""
        nameless = self.header is None and self.position == 1
        counter = nameless or self.is_called(_COUNTER_NAMES)
        return self.is_called(_TIME_NAMES) or (counter and self.counts_rows)

    def is_called(self, names: frozenset[str]) -> bool:
        """Say whether the header is one of these names."""
        return self.header is not None and self.header.lower() in names


@dataclass(frozen=True, eq=False)
class FileTable:
    """The columns of a file, and the number of the ``unit`` (line or row) of each record."""

    source: str
    columns: tuple[Column, ...]
    unit: str
    numbers: Sequence[int]

    def where(self, column: Column) -> Where:
        """Return a function that describes where row ``i`` of the column is."""
        return lambda i: f"{self.source}, {self.unit} {self.numbers[i]}, column {column.name!r}"

    def column(self, name: str, option: str) -> Column:
        """Return the column that the user named with ``option``."""
        named = [column for column in self.columns if column.name == name]
        if len(named) == 1:
            return named[0]
        if named:
            raise TableError(
                f"{self.source} has {len(named)} columns called {name!r}: rename all but one"
            )
        hint = did_you_mean(name, [column.name for column in self.columns])
        raise TableError(f"{self.source} has no column {name!r} for {option}=. {hint}")

    def find_time(self) -> Column | None:
        """Return the time column: by its usual name, else the first of nothing but ISO dates."""
        if len(self.columns) == 1:
            return None
        named = [column for column in self.columns if column.is_called(_TIME_NAMES)]
        # Where most cells are times, the rest are slips, to be named in an error.
        likely = [one for one in named if np.mean(~np.isnat(one.times.instants)) > 0.5]
        dated = (column for column in self.columns if column.holds_only_dates)
        column = self._only(likely, "time") or next(dated, None)
        strange = [] if column else [one for one in named if not one.counts_rows]
        for one in strange:  # going on without a calendar would lose the user's dates silently
            raise TableError(
                f"{self.where(one)(0)}: {one.text(0)!r} is not a time: write {_TIME_FORMS}; "
                "or rename the column if it holds no times"
            )
        return column

    def find_value(self, time: Column | None) -> Column:
        """Return the value column: the only one left, the only numeric one, else by usual name."""
        left = [column for column in self.columns if column is not time and not column.is_side]
        if len(self.columns) == 1 or len(left) == 1:
            return (left or self.columns)[0]
        numeric = [column for column in left if np.mean(~np.isnan(column.numbers)) > 0.5]
        usual = [column for column in numeric if column.is_called(_VALUE_NAMES)]
        column = self._only(numeric if len(numeric) == 1 else usual or numeric, "value")
        if column is None:
            names = ", ".join(column.name for column in self.columns)
            raise TableError(f"{self.source} has no column of numbers besides its times: {names}")
        return column

    def _only(self, candidates: list[Column], option: str) -> Column | None:
        if len(candidates) > 1:
            names = ", ".join(column.name for column in candidates)
            raise TableError(
                f"{self.source} has several columns that could be the {option} column: {names}; "
                f"choose one, such as {option}={candidates[0].name!r}"
            )
        return candidates[0] if candidates else None

    def times(self, column: Column) -> Stamps:
        """Return the column as points in time; refuse any other cell."""
        for i in np.flatnonzero(np.isnat(column.times.instants)).tolist():
            text = column.text(i)
            reason = f"{text!r} is not a time: write {_TIME_FORMS}" if text else (
                "the time is missing: fill it in or drop the row"
            )  # fmt: skip
            raise TableError(f"{self.where(column)(i)}: {reason}")
        return column.times


def read_table(path: Path) -> FileTable:
    """Read a file with the reader for the ending of its name."""
    name = path.name.lower()
    reader = next((read for ending, read in _READERS.items() if name.endswith(ending)), None)
    if reader is None:
        raise TableError(
            f"cannot tell from its name what {path} holds: it must end in {', '.join(_READERS)}"
        )
    try:
        table = reader(path)
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror or error}") from error
    if not len(table.columns) or not len(table.columns[0].cells):
        raise TableError(f"{path} holds no data: at least one row of values is needed")
    return table


def _read_csv(path: Path) -> FileTable:
    """Read a CSV file; cells stay text, without the blanks around them."""
    import pandas as pd

    columns, lines = _cells(path)
    if not columns:
        raise TableError(f"{path} is empty: at least one row of values is needed")
    skipped = 0 if all(_is_data(column[0]) for column in columns) else 1
    headers = [(column[0] or None) if skipped else None for column in columns]
    texts = [pd.Series(column[skipped:], dtype=object) for column in columns]
    return FileTable(
        str(path), tuple(map(Column, count(1), headers, texts)), "line", lines[skipped:]
    )


def _is_data(cell: str) -> bool:
    # "nan" at the top of a plain list is a missing turn, not a name.
    is_number = cell.lower() == "nan" or not math.isnan(parse_number(cell))
    return is_number or parse_time(cell) is not None


def _cells(path: Path) -> tuple[list[list[str]], list[int]]:
    """The columns from the first to the last row with content, and the line of each row."""
    width, cells, lines = 0, [], []  # one flat list: a million rows would cost garbage collection
    for line, row in _rows(path):
        width = width or len(row)
        if len(row) != width:
            raise TableError(
                f"{path}, line {line}: {len(row)} cells where the first row has {width}: "
                "every row needs the same columns (quote text that holds a delimiter)"
            )
        cells += row
        lines.append(line)
    while not any(map(str.strip, cells[-width:])) and cells:
        del cells[-width:], lines[-1:]
    return [list(map(str.strip, cells[i::width])) for i in range(width)], lines


_DELIMITERS = (",", ";", "\t")
_LINE_END = re.compile(r"[\r\n]")
_END = "\0 end"  # a line after the last: it comes as a row unless a quote is still open


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows from the first with content, without blank lines of wide tables; and their lines."""
    text, width = _text(path), 0
    lines = chain(StringIO(text, newline=""), [_END])
    reader = csv.reader(lines, delimiter=_delimiter(text))
    try:
        for row in reader:
            # In a plain list a blank line is a missing value: dropping it would move turns.
            if len(row) == width > 1 or (width == 1 and row != [_END]):
                yield reader.line_num, row or [""]
            elif row == [_END]:
                return
            elif "".join(row).endswith(_END):
                break
            elif any(map(str.strip, row)) or (len(row) > 1 and width):
                width = width or len(row)
                yield reader.line_num, row
    except csv.Error as error:
        raise TableError(f"{path} is not a CSV file: {error}") from error
    raise TableError(f"{path} is not a CSV file: a quote is opened and never closed")


def _delimiter(text: str) -> str:
    first = next((line for line in StringIO(text, newline="") if line.strip()), "")
    return max(_DELIMITERS, key=re.sub(r'"[^"]*"', "", first).count)


def _text(path: Path) -> str:
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
    return text[: end.start()] if end else text


def _read_parquet(path: Path) -> FileTable:
    """Read a Parquet file; needs the extra ``highseason[files]``."""
    path.stat()  # a missing file is reported before a missing library
    parquet = require("pyarrow.parquet", extra="files", purpose="reading Parquet")
    try:
        table = parquet.ParquetFile(path).read()
    except ValueError as error:  # what pyarrow raises for files of another kind
        raise TableError(f"{path} is not a Parquet file: {error}") from error
    frame = table.to_pandas(ignore_metadata=True, date_as_object=False)
    # pandas writes an index that has no name under such a one.
    headers = [None if name.startswith("__index_level_") else name for name in table.column_names]
    cells = [_typed(frame.iloc[:, i]) for i in range(len(headers))]
    columns = tuple(map(Column, count(1), headers, cells))
    return FileTable(str(path), columns, "row", range(1, len(frame) + 1))


def _typed(series: Any) -> Any:
    """Numbers and times as they are; everything else as objects, None where missing."""
    if series.dtype.kind in "biufM":
        return series
    cells = series.astype(object)
    return cells.where(cells.notna(), None)


_READERS: dict[str, Callable[[Path], FileTable]] = {
    **dict.fromkeys((".csv", ".csv.gz", ".tsv", ".tsv.gz"), _read_csv),
    ".parquet": _read_parquet,
}
