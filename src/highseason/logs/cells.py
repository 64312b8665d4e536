"""Columns of a table as times, numbers, ids and pools.

Polars reads what is written plainly, the readers of traffic files everything else: dates and
numbers as any country writes them.  A table comes in blocks, so its first block decides how it is
written.  A cell that is written otherwise later is not a number or a time: its row is skipped and
counted.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from highseason.logs.conversion import ConversionLog
from highseason.logs.events import arrow
from highseason.logs.text_file import polars
from highseason.traffic.columns import Column
from highseason.traffic.dates import Order, read_unix
from highseason.traffic.numerals import Mark, read_numbers

# 20250131, 202501 and 01.2025, not seconds of 1970.
_COMPACT = (
    "^(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:[0-9]{2}){0,4}$|^(?:0?[1-9]|1[0-2])[.](?:19|20)[0-9]{2}$"
)
_LARGEST = 2.0**62  # seconds

Numbers = NDArray[np.float64]


class Coded(NamedTuple):
    """A column as codes: row i holds `values[codes[i]]`; values come in order of appearance."""

    codes: NDArray[np.int32]
    values: list[Any]

    def take(self, rows: NDArray[Any]) -> Self:
        """Some of the rows, in their order."""
        if rows.size == self.codes.size:
            return self
        used = encode(self.codes[rows])
        return self._replace(codes=used.codes, values=[self.values[code] for code in used.values])

    def where(self, is_good: Callable[[Any], bool]) -> NDArray[np.bool_]:
        """Which rows have a good value."""
        return np.array([is_good(value) for value in self.values], np.bool_)[self.codes]

    def numbers(self, number: Callable[[Any], tuple[int, ...]]) -> NDArray[np.int32]:
        """What `number` gives the value of each row, as the columns of an array.

        It is called once per value, in order of appearance, so it may number arms and pools.
        """
        answers = [number(value) for value in self.values]
        return np.array(answers or np.zeros((0, 3)), np.int32).T.take(self.codes, axis=1)


def encode(column: Any) -> Coded:
    """The distinct values of a column: a NumPy array or a Polars series.

    >>> encode(np.array([7, 9, 7]))
    Coded(codes=array([0, 1, 0], dtype=int32), values=[7, 9])
    """
    values = arrow().array(column) if isinstance(column, np.ndarray) else column.to_arrow()
    encoded = values.dictionary_encode()
    return Coded(np.array(encoded.indices), encoded.dictionary.to_pylist())


def encode_runs(column: Any) -> Coded:
    """The same for a series whose texts are long and repeat for many rows."""
    is_new = np.append(True, column[1:] != column[:-1])[: len(column)]
    runs = encode(column.filter(polars().Series(is_new)))
    return runs._replace(codes=runs.codes[np.cumsum(is_new) - 1])


def pairs(left: Coded, right: Coded) -> Coded:
    """The pairs of values of two columns."""
    cells = encode(left.codes * np.int64(len(right.values)) + right.codes)
    places = (divmod(pair, len(right.values)) for pair in cells.values)
    return Coded(cells.codes, [(left.values[i], right.values[j]) for i, j in places])


def coded_ids(column: Any) -> Coded:
    """The ids of a series; None where a cell holds none."""
    cells = encode(_texts(column))
    return cells._replace(values=[id_in(cell) for cell in cells.values])


def coded_pools(column: Any, separator: str) -> Coded:
    """The pools of a series of texts or lists; None where a cell holds none."""
    if column.dtype.is_nested():
        column, separator = column.cast(polars().List(polars().String)).list.join("\0"), "\0"
    cells = encode_runs(_texts(column))
    return cells._replace(values=[ids_in(cell, separator) for cell in cells.values])


def _texts(column: Any) -> Any:
    text = column.cast(polars().String)
    return text.fill_null("") if text.null_count() else text


def id_in(cell: str) -> str | None:
    r"""An id: any text on one line, but not an empty one.

    >>> id_in(" shoes "), id_in(""), id_in("tea\nmilk")
    ('shoes', None, None)
    """
    name = cell.strip()
    return None if "\n" in name or "\r" in name else name or None


def ids_in(cell: str, separator: str) -> tuple[str, ...] | None:
    """The ids of a pool.

    >>> ids_in("a|b |c", "|"), ids_in("a||b", "|"), ids_in("", "|")
    (('a', 'b', 'c'), None, None)
    """
    parts = [id_in(part) for part in cell.strip().split(separator)]
    names = tuple(part for part in parts if part is not None)
    return names if len(names) == len(parts) else None


class ColumnReader:
    """Reads times and numbers as the table writes them.

    Args:
        path: The table, for errors.
        log: Takes notes on how columns are read.
        dates: The order of day, month and year, if the user says so.
        decimal: The decimal mark, if the user says so.
    """

    def __init__(
        self, path: Path, log: ConversionLog, dates: Order | None, decimal: Mark | None
    ) -> None:
        self._path, self._log, self._dates, self._decimal = path, log, dates, decimal
        self._marks: dict[str, Mark | None] = {}  # of columns that are not written plainly
        self._orders: dict[str, Order | None] = {}  # of columns with dates
        self._seen: set[str] = set()
        self._compact: set[str] = set()  # columns of dates such as 20250131
        self._thousandths: set[str] = set()  # columns of milliseconds

    def numbers(self, column: Any) -> Numbers:
        """The finite numbers of a series; NaN where a cell holds none."""
        name, values = column.name, _floats(column)
        if column.dtype == polars().String:
            if name not in self._seen:
                self._seen.add(name)
                self._decide_mark(column)
            rows = np.flatnonzero(np.isnan(values) | (name in self._marks))
            if rows.size:
                cells = encode(column.gather(rows).str.strip_chars())
                read = read_numbers(cells.values, self._marks.get(name, ".")).values
                values[rows] = read[cells.codes]
        return np.where(np.isfinite(values), values, np.nan)

    def _decide_mark(self, column: Any) -> None:
        cells = column.unique(maintain_order=True).str.strip_chars().to_list()
        reading = read_numbers(cells, self._decimal)
        if "decimal=" in reading.question:
            raise ValueError(f"{self._path}, column {column.name!r}: {reading.question}")
        if reading.note and not reading.question:  # rows with a stray percent sign are skipped
            self._log.notes.append(f"in column {column.name!r} {reading.note}")
            self._marks[column.name] = self._decimal or reading.mark

    def times(self, column: Any) -> Numbers:
        """The whole seconds of the Unix epoch of a series; NaN where a cell holds no time."""
        if column.dtype.is_temporal():
            return np.floor(_floats(column.cast(polars().Datetime("us")).dt.epoch("s")))
        name, is_text, seconds = column.name, column.dtype == polars().String, _floats(column)
        if name not in self._seen:
            self._seen.add(name)
            texts = column.filter(column != "").str.strip_chars() if is_text else column.head(0)
            if len(texts) and texts.str.contains(_COMPACT).all():
                self._compact.add(name)
            unix = read_unix(seconds[np.isfinite(seconds)])
            if unix and unix.note and unix.share == 1:
                self._log.notes.append(f"in column {name!r} {unix.note}")
                self._thousandths.add(name)
        seconds = np.floor(seconds / (1000 if name in self._thousandths else 1))
        seconds[~(np.abs(seconds) < _LARGEST)] = np.nan
        if is_text:
            rows = np.flatnonzero(np.isnan(seconds) | (name in self._compact))
            if rows.size:
                seconds[rows] = self._dates_of(column.gather(rows), len(column))
        return seconds

    def _dates_of(self, column: Any, count: int) -> Numbers:
        """The times of texts that are no numbers of seconds, out of `count` cells."""
        import pandas as pd

        # Fractions of a second do not count, and whole seconds repeat.
        text = column.str.strip_chars().str.replace(r"(:[0-9]{2})[.,][0-9]+", "${1}")
        cells, name = encode(text), column.name
        texts, order = pd.Series(cells.values, dtype=object), self._orders.get(name, self._dates)
        reading = Column(1, name, texts, order, is_chosen_time=True).time_reading
        is_slip = reading.share <= 0.5 or 2 * len(column) <= count
        if reading.question and not is_slip:
            raise ValueError(f"{self._path}, column {name!r}: {reading.question}")
        if reading.question:
            return np.full(len(column), np.nan)
        if name not in self._orders and not is_slip:
            self._orders[name] = self._dates or reading.order
            if reading.note:
                self._log.notes.append(f"in column {name!r} {reading.note}")
        instants = reading.stamps.instants.astype("datetime64[s]")
        return np.where(np.isnat(instants), np.nan, instants.astype(np.int64))[cells.codes]


def _floats(column: Any) -> Numbers:
    """Numbers that are written plainly; NaN for other cells."""
    values: Numbers = column.cast(polars().Float64, strict=False).to_numpy(writable=True)
    return values
