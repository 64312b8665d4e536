"""Numbers and times of a log table as its country writes them, made plain for the readers.

A table is read in blocks, so its first block decides for all.  A cell that is written otherwise
later is not a number or a time: its row is skipped and counted.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.logs.cells import encode, polars, times
from highseason.logs.conversion_log import ConversionLog
from highseason.logs.table_rows import RowBlock
from highseason.traffic.dates import Order, read_times
from highseason.traffic.numerals import Mark, read_numbers

_COMPACT = re.compile(r"(?:19|20)[0-9]{6}(?:[0-9]{2}){0,3}")  # 20250131, not seconds of 1970

Reader = Callable[[list[str]], NDArray[np.float64]]
"""What a column's texts are, NaN for those that are nothing."""


@dataclass(frozen=True)
class TableConventions:
    """How a table writes dates and numbers, where the user says so; and where notes go."""

    path: Path
    columns: dict[str, str]  # the names of its columns by their roles
    log: ConversionLog  # takes the notes on how columns are read
    dates: Order | None  # the order of day, month and year
    decimal: Mark | None

    def plain(self, blocks: Iterator[RowBlock]) -> Iterator[RowBlock]:
        """The same rows with plain numbers and times."""
        readers: dict[str, Reader | None] = {}
        deciders = {"time": self._times, "reward": self._numbers, "propensity": self._numbers}
        for block in blocks:
            cells = dict(block.cells)
            for role, decide in deciders.items():
                column = cells.get(role)
                if column is None or column.dtype != polars().String or not len(column):
                    continue
                if role not in readers:
                    readers[role] = decide(column, self.columns[role])
                cells[role] = _applied(readers[role], column)
            yield replace(block, cells=cells)

    def _numbers(self, column: Any, name: str) -> Reader | None:
        """How to read numbers that are not written plainly; None if they are."""
        reading = read_numbers(_distinct(column), self.decimal)
        if "decimal=" in reading.question:
            self._refuse(name, reading.question)
        if not reading.note or reading.question:  # rows with a stray percent sign are skipped
            return None
        self.log.notes.append(f"in column {name!r} {reading.note}")
        mark = self.decimal or reading.mark
        return lambda texts: read_numbers(texts, mark).values

    def _times(self, column: Any, name: str) -> Reader | None:
        """How to read times that are neither ISO nor seconds; None if they are."""
        texts = _distinct(column)
        is_plain = float(times(column)[1].mean()) > 0.5
        if is_plain and not all(map(_COMPACT.fullmatch, filter(None, texts))):
            return None
        reading = read_times(texts, self.dates)
        if reading.share <= 0.5:
            return None
        self._refuse(name, reading.question)
        if reading.note:
            self.log.notes.append(f"in column {name!r} {reading.note}")
        order = self.dates or reading.order
        return lambda texts: _seconds(texts, order)

    def _refuse(self, name: str, question: str) -> None:
        if question:
            raise ValueError(f"{self.path}, column {name!r}: {question}")


def _distinct(column: Any) -> list[str]:
    return [text.strip() for text in encode(column.fill_null("")).values]


def _applied(reader: Reader | None, column: Any) -> Any:
    if reader is None:
        return column
    coded = encode(column.fill_null(""))
    values = reader([text.strip() for text in coded.values])
    return polars().Series(column.name, values[coded.codes])


def _seconds(texts: list[str], order: Order | None) -> NDArray[np.float64]:
    instants = read_times(texts, order).stamps.instants.astype("datetime64[s]")
    return np.where(np.isnat(instants), np.nan, instants.astype(np.int64))
