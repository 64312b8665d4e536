"""Excel workbooks: the values of the first sheet that holds any.

Sizes are checked before anything is unpacked: a file of a few kilobytes can hold terabytes.
"""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, time
from pathlib import Path
from typing import Any, NamedTuple

from highseason.core.extras import require
from highseason.traffic.times import TableError

MOST_BYTES = 1 << 29  # unpacked
MOST_CELLS = 20_000_000
_MOST_PARTS = 10_000


class Sheet(NamedTuple):
    """The rows of a sheet with their numbers, and a note on which sheet it is."""

    rows: list[tuple[int, list[Any]]]
    note: str = ""


def read_sheet(path: Path) -> Sheet:
    """Read the first visible sheet with content; needs the extra ``highseason[files]``.

    Formulas give the values that Excel stored with them.  A formula without one is an error.
    """
    path.stat()  # a missing file is reported before a missing library
    openpyxl = require("openpyxl", extra="files", purpose="reading Excel files")
    _check_size(path)
    with _as_table_error(path), path.open("rb") as file:  # opened here: its name may say anything
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        try:
            visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
            filled = [(sheet.title, rows) for sheet in visible if (rows := _rows(path, sheet))]
        finally:
            book.close()
        file.seek(0)
        if not filled:
            _refuse_formulas(openpyxl, path, file, visible[0].title if visible else "", {})
            return Sheet([])
        title, rows = filled[0]
        _refuse_formulas(openpyxl, path, file, title, dict(rows))
    others = ", ".join(repr(name) for name, _ in filled[1:])
    return Sheet(rows, f"only its first sheet {title!r} is read, not {others}" if others else "")


def _check_size(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise TableError(f"{path} is not an Excel file (.xlsx): {error}") from error
    size = sum(part.file_size for part in parts)  # zipfile unpacks no more than it says here
    if size > MOST_BYTES or len(parts) > _MOST_PARTS:
        raise TableError(
            f"{path} would unpack to {size / 1e6:,.0f} MB in {len(parts):,} parts, more than the "
            f"{MOST_BYTES / 1e6:,.0f} MB that are read: save it as CSV"
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


def _rows(path: Path, sheet: Any) -> list[tuple[int, list[Any]]]:
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
