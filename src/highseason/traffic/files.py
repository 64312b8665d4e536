"""The one reader of tables: text (CSV in any dialect, plain or gzip), Excel and Parquet files.

Here text is decoded and cut into cells, and workbooks are unpacked, their sizes checked first: a
file of a few kilobytes can hold terabytes.  `columns` decides which rows are the table, and what
the cells mean.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, time
from io import StringIO
from itertools import chain, count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from highseason.core.extras import require
from highseason.core.validation import one_of
from highseason.traffic.columns import Column, FileTable, Layout
from highseason.traffic.dates import ORDERS, Order, TableError
from highseason.traffic.numerals import Mark

if TYPE_CHECKING:
    import pandas as pd

DELIMITERS = ("\t", ";", "|", ",")  # where two fit equally well, the first of them
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_QUOTED = re.compile(r'"[^"]*"')
_EXCEL_HINT = re.compile(r"sep=(.)", re.I)
_SAMPLE = 200  # lines that decide
LATIN = "it is not UTF-8 and is read as Windows-1252 (Latin-1)"
_ONE_NUMBER = re.compile(r"\s*[-+]?[0-9]+,[0-9]+\s*")


def encoding_of(raw: bytes) -> str:
    """The encoding by the first bytes; UTF-8 where they say nothing.

    >>> encoding_of("é".encode("utf-16")), encoding_of("a,b".encode("utf-16-le"))
    ('utf-16', 'utf-16-le')
    """
    for bom, name in _BOMS.items():
        if raw.startswith(bom):
            return name
    sample = raw[:1000]
    for name, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if len(sample) > 3 and zeros.count(0) > 0.8 * len(zeros):
            return name
    return "utf-8"


def encoding_by_start(start: bytes) -> str:
    r"""The encoding of a file that is read in pieces; Windows-1252 if most letters say so.

    >>> encoding_by_start("Größe".encode("latin-1")), encoding_by_start("Größe".encode() + b"\xff")
    ('cp1252', 'utf-8')
    """
    name = encoding_of(start)
    if name != "utf-8" or start.isascii():
        return name
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    letters = [c for c in decoder.decode(start) if c > "\x7f"]  # the last one may be cut
    bad = sum("\udc80" <= c <= "\udcff" for c in letters)
    return "cp1252" if 2 * bad > len(letters) else name


def find_delimiter(text: str) -> str:
    r"""What separates the cells: the character that comes equally often in most lines.

    >>> find_delimiter("day;visitors\n2025-01-01;103,5\n2025-01-02;98,1\n")
    ';'
    """
    hint = _EXCEL_HINT.match(text)
    if hint:
        return hint[1]
    lines = sample_lines(text)
    counts = {mark: _usual_count(lines, mark) for mark in DELIMITERS}
    fits = {
        mark: (n, usual) for mark, (usual, n) in counts.items() if usual and 2 * n >= len(lines)
    }
    return max(fits, key=fits.__getitem__, default=",")


def is_one_column(text: str) -> bool:
    r"""Whether every line below a plain heading is one number with a comma.

    >>> is_one_column("visitors\n103,5\n98,1\n"), is_one_column("day,visitors\n1,5\n")
    (True, False)
    """
    lines = sample_lines(text)
    is_bare = bool(lines) and not any(mark in lines[0] for mark in DELIMITERS)
    return is_bare and len(lines) > 1 and all(map(_ONE_NUMBER.fullmatch, lines[1:]))


def sample_lines(text: str) -> list[str]:
    """The first lines with content, without what is in quotes; and without comments."""
    lines = _QUOTED.sub("", text[:100_000]).splitlines()
    filled = (line for line in lines if line.strip(" \t,;|") and not line.startswith("# "))
    return list(islice(filled, _SAMPLE))


def _usual_count(lines: list[str], mark: str) -> tuple[int, int]:
    """How often the mark is in most lines, and in how many lines it is that often."""
    counts = Counter(line.count(mark) for line in lines)
    return max(counts.items(), key=lambda item: (item[1], item[0]), default=(0, 0))


MOST_UNPACKED = 1 << 29  # unpacked
MOST_CELLS = 20_000_000
_MOST_PARTS = 10_000


def _read_sheet(path: Path) -> tuple[list[tuple[int, list[Any]]], str]:
    """The numbered rows of the first visible sheet with content, and a note if there are others.

    Formulas give the values that Excel stored with them.  A formula without one is an error.
    """
    path.stat()  # a missing file is reported before a missing library
    openpyxl = require("openpyxl", extra="files", purpose="reading Excel files")
    _check_size(path)
    with _as_table_error(path), path.open("rb") as file:  # opened here: its name may say anything
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        try:
            visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
            filled = [(sheet.title, rows) for sheet in visible if (rows := _rows_of(path, sheet))]
        finally:
            book.close()
        file.seek(0)
        if not filled:
            _refuse_formulas(openpyxl, path, file, visible[0].title if visible else "", {})
            return [], ""
        title, rows = filled[0]
        _refuse_formulas(openpyxl, path, file, title, dict(rows))
    others = ", ".join(repr(name) for name, _ in filled[1:])
    return rows, f"only its first sheet {title!r} is read, not {others}" if others else ""


def _check_size(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise TableError(f"{path} is not an Excel file (.xlsx): {error}") from error
    size = sum(part.file_size for part in parts)  # zipfile unpacks no more than it says here
    if size > MOST_UNPACKED or len(parts) > _MOST_PARTS:
        raise TableError(
            f"{path} would unpack to {size / 1e6:,.0f} MB in {len(parts):,} parts, more than the "
            f"{MOST_UNPACKED / 1e6:,.0f} MB that are read: save it as CSV"
        )


@contextmanager
def _as_table_error(path: Path) -> Iterator[None]:
    try:
        yield
    except (TableError, OSError, MemoryError):
        raise
    except Exception as error:  # whatever a damaged workbook makes the library stumble over
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TableError(
            f"{path} cannot be read as an Excel file ({text}): save it again, or as CSV"
        ) from error


def _rows_of(path: Path, sheet: Any) -> list[tuple[int, list[Any]]]:
    """The rows with content; a sheet may claim, or skip to, any size."""
    sheet.reset_dimensions()
    rows, cells = [], 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells += len(row) + 1
        if cells > MOST_CELLS:
            raise TableError(
                f"{path} has more than {MOST_CELLS:,} cells in sheet {sheet.title!r}: save the "
                "part that is needed as CSV"
            )
        values = [_value(cell) for cell in row]
        if any(cell is not None and cell != "" for cell in values):
            rows.append((number, values))
    return rows


def _value(cell: Any) -> Any:
    """Numbers as they are, times and everything else as text."""
    if isinstance(cell, bool) or cell is None:
        return None if cell is None else str(cell)
    if isinstance(cell, int | float):
        return cell
    if isinstance(cell, datetime):
        # Excel counts days in floating point: a full hour may come a few microseconds late.
        return cell.isoformat(" ", "seconds") if cell.time() != time() else cell.date().isoformat()
    return str(cell).strip()


def _refuse_formulas(
    openpyxl: Any, path: Path, file: Any, title: str, rows: dict[int, list[Any]]
) -> None:
    """Refuse a formula without a stored value, as programs write them that cannot calculate."""
    width = max(map(len, rows.values()), default=0)
    if rows and not any(None in row or len(row) < width for row in rows.values()):
        return
    book = openpyxl.load_workbook(file, read_only=True, data_only=False)
    try:
        sheet = book[title]
        sheet.reset_dimensions()
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            values = rows.get(number, [])
            for i, cell in enumerate(row):
                is_formula = isinstance(cell, str) and cell.startswith("=")
                is_formula = is_formula or type(cell).__name__.endswith("Formula")
                if is_formula and (i >= len(values) or values[i] is None):
                    raise TableError(
                        f"{path}, row {number}, column {i + 1} holds the formula {cell!s:.40} and "
                        "no value: open the file in Excel or LibreOffice and save it, or save CSV"
                    )
    finally:
        book.close()


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
    mark = find_delimiter(text)
    if is_one_column(text):
        if conventions.decimal is None:
            raise TableError(
                f"{path} could be one column with decimal commas or two columns: pass decimal=',' "
                "or decimal='.'"
            )
        mark = "\x1f" if conventions.decimal == "," else mark
    layout = Layout(str(path), "line", 1 + _usual_count(sample_lines(text), mark)[0])
    if hint := _EXCEL_HINT.match(text):
        text = text[hint.end() :]  # its line stays as a blank one
    layout.extend(_rows(path, text, mark, layout.width))
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


def _text(path: Path) -> tuple[str, str]:
    """The text of a file, and a note if that took a guess: no UTF-8 is Windows-1252."""
    raw, note = path.read_bytes(), ""
    try:
        if raw.startswith(b"\x1f\x8b") or path.name.lower().endswith(".gz"):
            with gzip.open(path) as file:
                raw = file.read(MOST_BYTES + 1)
            if len(raw) > MOST_BYTES:
                raise TableError(
                    f"{path} unpacks to more than {MOST_BYTES / 1e6:,.0f} MB: split it"
                )
        encoding = encoding_of(raw)
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            if encoding != "utf-8":
                raise
            text, note = raw.decode("cp1252", errors="replace"), LATIN
    except (EOFError, zlib.error) as error:
        raise TableError(f"cannot unpack {path}: {error}") from error
    except UnicodeDecodeError as error:
        raise TableError(f"{path} is not {error.encoding} text: save it as UTF-8") from error
    end = _LINE_END.search(text, len(text.rstrip(" \t\r\n,;|")))  # rows of blanks at the end
    return text[: end.start()] if end else text, note


def _read_excel(path: Path, conventions: Conventions) -> FileTable:
    """Read an Excel file; needs the extra ``highseason[files]``."""
    rows, note = _read_sheet(path)
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
    return table_of(frame, str(path), conventions)


def table_of(frame: pd.DataFrame, source: str, conventions: Conventions | None = None) -> FileTable:
    """A DataFrame as the table of a file."""
    columns = []
    for i, name in enumerate(frame.columns):
        # pandas writes an index that has no name under such a one.
        header = None if str(name).startswith("__index_level_") else str(name)
        cells: Any = frame.iloc[:, i]
        if cells.dtype.kind not in "biufM":  # neither numbers nor times
            cells = cells.astype(object).where(cells.notna(), None)
        columns.append(Column(i + 1, header, cells, *(conventions or ())))
    return FileTable(source, tuple(columns), "row", range(1, len(frame) + 1))


_READERS = {"text": _read_text, "excel": _read_excel, "parquet": _read_parquet}
