"""CSV files: comma, semicolon or tab, plain or gzip, with a header or without."""

import csv
import gzip
import zlib
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

from highseason.multipliers.errors import MultiplierError
from highseason.multipliers.instants import parse
from highseason.multipliers.tables import Column, Table, number_in

_DELIMITERS = (",", ";", "\t")


class Record(NamedTuple):
    """The cells of one record and the line of the file on which it ends."""

    line: int
    cells: list[str]


def read_csv(path: Path) -> Table:
    r"""Read a CSV file; cells stay text, with the blanks around them taken off.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "traffic.csv"
    ...     _ = path.write_text("day;visitors\n2013-12-26;40\n")
    ...     [column.name for column in read_csv(path).columns]
    ['day', 'visitors']
    """
    records = _records(_text(path), path)
    if not records:
        raise MultiplierError(f"{path} is empty: at least one row of values is needed")
    header = None if _is_data(records[0]) else records[0]
    rows = records if header is None else records[1:]
    width = len(records[0].cells)
    _check_widths(records, width, path)
    columns = [[row.cells[i] for row in rows] for i in range(width)]
    names = [None] * width if header is None else [cell or None for cell in header.cells]
    return Table(
        str(path),
        tuple(Column(i + 1, names[i], columns[i]) for i in range(width)),
        "line",
        [row.line for row in rows],
    )


def _text(path: Path) -> str:
    raw = path.read_bytes()
    try:
        if path.name.lower().endswith(".gz"):
            raw = gzip.decompress(raw)
        return raw.decode("utf-8-sig")
    except (EOFError, zlib.error) as error:
        raise MultiplierError(f"cannot unpack {path}: {error}") from error
    except UnicodeDecodeError as error:
        raise MultiplierError(f"{path} is not UTF-8 text: save it as CSV in UTF-8") from error


def _records(text: str, path: Path) -> list[Record]:
    try:
        reader = csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text))
        records = [Record(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except csv.Error as error:
        raise MultiplierError(f"{path} is not a CSV file: {error}") from error
    filled = [i for i, record in enumerate(records) if any(record.cells)]
    records = records[filled[0] : filled[-1] + 1] if filled else []
    return _without_blank_lines(records)


def _without_blank_lines(records: list[Record]) -> list[Record]:
    # In a plain list of numbers a blank line is a missing value: dropping it would move every
    # later turn. Between rows of several cells it is only a blank line.
    if records and len(records[0].cells) == 1:
        return [record if record.cells else Record(record.line, [""]) for record in records]
    return [record for record in records if record.cells]


def _delimiter(text: str) -> str:
    first = next((line for line in text.splitlines() if line.strip()), "")
    return max(_DELIMITERS, key=lambda mark: len(next(csv.reader([first], delimiter=mark), [])))


def _is_data(record: Record) -> bool:
    # "nan" at the top of a plain list is a missing turn, not a name.
    return all(
        cell.lower() == "nan" or not np.isnan(number_in(cell)) or parse(cell)
        for cell in record.cells
    )


def _check_widths(records: list[Record], width: int, path: Path) -> None:
    for record in records:
        if len(record.cells) != width:
            raise MultiplierError(
                f"{path}, line {record.line}: {len(record.cells)} cells where the first row has "
                f"{width}: every row needs the same columns (quote text that holds a delimiter)"
            )
