"""The one reader of tables: CSV (comma, semicolon or tab, plain or gzip) and Parquet files.

`Dialect` decides how a file writes its table, `table.parse_number` how a cell becomes a number,
and `times` how it becomes a time.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import dropwhile, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from highseason.core.extras import require
from highseason.tabular.table import Column, FileTable, parse_number
from highseason.tabular.times import TableError, parse_time

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
