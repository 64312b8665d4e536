"""The one reader of tables: text (CSV in any dialect, plain or gzip), Excel and Parquet files.

`dialect` decides how text is cut into cells, `layout` which rows are the table, and `columns` what
the cells mean.
"""

import csv
import gzip
import re
import zlib
from collections.abc import Iterator
from io import StringIO
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

from highseason.core.extras import require
from highseason.core.validation import one_of
from highseason.traffic import dialect
from highseason.traffic.columns import Column, FileTable
from highseason.traffic.dates import ORDERS, Order
from highseason.traffic.excel import read_sheet
from highseason.traffic.layout import Layout
from highseason.traffic.numerals import Mark
from highseason.traffic.times import TableError

MOST_BYTES = 1 << 31  # that a compressed file may unpack to

_TEXT_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
_ENDINGS = (*_TEXT_ENDINGS, ".xlsx", ".parquet")
_KINDS = {b"PAR1": "parquet", b"PK\x03\x04": "excel", b"\x1f\x8b": "text"}
_NOT_TABLES = {
    "is an Excel file of the old kind": (b"\xd0\xcf\x11\xe0",),
    "holds HTML or XML, not a table": (b"<html", b"<!doc", b"<?xml", b"<table", b"<meta"),
    "holds JSON, not a table": (b'{"', b"[{"),
    "is a PDF": (b"%pdf",),
}


class Conventions(NamedTuple):
    """How dates and numbers are written, where the user says so."""

    order: Order | None = None
    decimal: Mark | None = None


def read_table(path: Path, dates: Order | None = None, decimal: Mark | None = None) -> FileTable:
    """Read a file of any kind.

    Args:
        path: The file; what it holds is recognised by its first bytes and its name.
        dates: The order of day, month and year, where the file does not show it.
        decimal: The decimal mark, where the file does not show it.
    """
    for name, value, known in (("dates", dates, ORDERS), ("decimal", decimal, (",", "."))):
        if value is not None:
            one_of(name, value, known, TableError)
    try:
        table = _READERS[_kind(path)](path, Conventions(dates, decimal))
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror or error}") from error
    if not len(table.columns) or not len(table.columns[0].cells):
        raise TableError(f"{path} holds no data: at least one row of values is needed")
    return table


def _kind(path: Path) -> str:
    """What a file holds: by its first bytes, or else by its name."""
    name = path.name.lower()
    is_text = name.endswith(_TEXT_ENDINGS)
    if not name.endswith((*_ENDINGS, ".xls", ".xlsm")):
        raise TableError(
            f"cannot tell from its name what {path} holds: it must end in {', '.join(_ENDINGS)}"
        )
    with path.open("rb") as file:
        start = file.read(8)
    for what, starts in _NOT_TABLES.items():
        if start.lower().startswith(starts):
            raise TableError(f"{path} {what}: save it as .xlsx or as CSV")
    by_start = next((kind for mark, kind in _KINDS.items() if start.startswith(mark)), None)
    # Many programs export text as .xls.
    by_name = "text" if is_text or name.endswith(".xls") else "excel"
    return by_start or ("parquet" if name.endswith(".parquet") else by_name)


def _read_text(path: Path, conventions: Conventions) -> FileTable:
    """Read a text file; cells stay text, without the blanks around them."""
    text, note = _text(path)
    mark = dialect.find_delimiter(text)
    if dialect.is_one_column(text):
        if conventions.decimal is None:
            raise TableError(
                f"{path} could be one column with decimal commas or two columns: pass decimal=',' "
                "or decimal='.'"
            )
        mark = "\x1f" if conventions.decimal == "," else mark
    layout = Layout(str(path), "line", dialect.usual_width(text, mark))
    layout.extend(_rows(path, dialect.without_hint(text), mark, layout.width))
    return _table(layout, note, conventions)


def _table(layout: Layout, note: str, conventions: Conventions) -> FileTable:
    import pandas as pd

    headers, columns, lines = layout.finish()
    series = [pd.Series(cells, dtype=_dtype(cells)) for cells in columns]
    made = (Column(i, h, s, *conventions) for i, h, s in zip(count(1), headers, series))
    notes = [note] if note else []
    return FileTable(layout.source, tuple(made), layout.unit, lines, notes + layout.notes)


def _dtype(cells: list[Any]) -> Any:
    """Numbers of a spreadsheet are numbers; all else stays as it is."""
    is_typed = all(cell == "" or not isinstance(cell, str) for cell in cells)
    if is_typed and any(cell != "" for cell in cells):
        cells[:] = [None if cell == "" else cell for cell in cells]
        return float
    return object


_END = "\0 end"  # a line after the last: it comes as a row unless a quote is still open


def _rows(path: Path, text: str, mark: str, usual: int) -> Iterator[tuple[int, list[str]]]:
    """The rows from the first with content, without blank lines of wide tables; and their lines."""
    reader = csv.reader(chain(StringIO(text, newline=""), [_END]), delimiter=mark)
    begun = False
    try:
        for row in reader:
            if len(row) == usual > 1 and begun:
                yield reader.line_num, row
            elif row == [_END]:
                return
            elif row and row[-1].endswith(_END):
                break
            # In a plain list a blank line is a missing value: dropping it would move turns.
            elif any(map(str.strip, row)) or (begun and (len(row) > 1 or usual == 1)):
                begun = True
                yield reader.line_num, row or [""]
    except csv.Error as error:
        raise TableError(f"{path} is not a CSV file: {error}") from error
    raise TableError(f"{path} is not a CSV file: a quote is opened and never closed")


_LINE_END = re.compile(r"[\r\n]")


def _text(path: Path) -> dialect.Text:
    raw = path.read_bytes()
    try:
        if raw.startswith(b"\x1f\x8b") or path.name.lower().endswith(".gz"):
            raw = _unpacked(path)
        text, note = dialect.decode(raw)
    except (EOFError, zlib.error) as error:
        raise TableError(f"cannot unpack {path}: {error}") from error
    except UnicodeDecodeError as error:
        raise TableError(f"{path} is not {error.encoding} text: save it as UTF-8") from error
    end = _LINE_END.search(text, len(text.rstrip(" \t\r\n,;|")))  # rows of blanks at the end
    return dialect.Text(text[: end.start()] if end else text, note)


def _unpacked(path: Path) -> bytes:
    with gzip.open(path) as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise TableError(f"{path} unpacks to more than {MOST_BYTES / 1e6:,.0f} MB: split it")
    return raw


def _read_excel(path: Path, conventions: Conventions) -> FileTable:
    rows, note = read_sheet(path)
    width = max((len(row) for _, row in rows), default=0)
    padded = [[*row, *[None] * (width - len(row))] for _, row in rows]
    used = [i for i in range(width) if any(row[i] is not None for row in padded)]
    layout = Layout(str(path), "row", len(used))
    cells = ([row[i] if row[i] is not None else "" for i in used] for row in padded)
    layout.extend(zip((number for number, _ in rows), cells, strict=True))
    return _table(layout, note, conventions)


def _read_parquet(path: Path, conventions: Conventions) -> FileTable:
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
    cells = (_typed(frame.iloc[:, i]) for i in range(len(headers)))
    columns = (Column(i, h, c, *conventions) for i, h, c in zip(count(1), headers, cells))
    return FileTable(str(path), tuple(columns), "row", range(1, len(frame) + 1))


def _typed(series: Any) -> Any:
    """Numbers and times as they are; everything else as objects, None where missing."""
    if series.dtype.kind in "biufM":
        return series
    cells = series.astype(object)
    return cells.where(cells.notna(), None)


_READERS = {"text": _read_text, "excel": _read_excel, "parquet": _read_parquet}
