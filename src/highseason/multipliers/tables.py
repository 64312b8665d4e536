"""Files as tables: columns of cells, and for each record where in the file it stands."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.multipliers.calendars import Where
from highseason.multipliers.errors import MultiplierError
from highseason.multipliers.instants import Stamp, parse
from highseason.multipliers.validation import Values


@dataclass(frozen=True, eq=False)
class Column:
    """One column: its header (None where the file gives none) and its cells, as they were read."""

    position: int
    header: str | None
    cells: Sequence[Any] | NDArray[Any]
    zone: str | None = None  # of cells that are datetime64 in UTC

    @property
    def name(self) -> str:
        """The name by which the column is asked for.

        >>> Column(position=1, header=None, cells=[]).name
        'column 1'
        """
        return self.header or f"column {self.position}"

    @cached_property
    def numbers(self) -> Values:
        """The cells as numbers, NaN where a cell is none.

        >>> Column(1, "orders", ["3", "closed"]).numbers
        array([ 3., nan])
        """
        if not isinstance(self.cells, np.ndarray) or self.cells.dtype.kind == "O":
            return np.array([number_in(cell) for cell in self.cells], dtype=np.float64)
        if self.cells.dtype.kind in "iuf":
            return self.cells.astype(np.float64)
        return np.full(len(self.cells), np.nan)

    @cached_property
    def stamps(self) -> list[Stamp | None]:
        """The cells as points in time, None where a cell is none.

        >>> Column(1, "day", ["2013-12-26", "Boxing Day"]).stamps
        [Stamp(instant=np.datetime64('2013-12-26'), zone=None), None]
        """
        if isinstance(self.cells, np.ndarray) and self.cells.dtype.kind == "M":
            return [None if np.isnat(cell) else Stamp(cell, self.zone) for cell in self.cells]
        return [parse(str(cell)) for cell in self.cells]


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of a file, and the number of the ``unit`` (line or row) of each record."""

    source: str
    columns: tuple[Column, ...]
    unit: str
    numbers: Sequence[int]

    def where(self, column: Column) -> Where:
        """Return a function that says in words where row ``i`` of the column is.

        >>> orders = Column(1, "orders", ["3", "closed"])
        >>> Table("shop.csv", (orders,), "line", [2, 3]).where(orders)(1)
        "shop.csv, line 3, column 'orders'"
        """
        return lambda i: f"{self.source}, {self.unit} {self.numbers[i]}, column {column.name!r}"


Reader = Callable[[Path], Table]


def number_in(cell: Any) -> float:
    """Return the number in a cell, NaN where there is none.

    >>> number_in(" 12.5"), number_in("closed")
    (12.5, nan)
    """
    try:
        return float(cell)
    except (TypeError, ValueError):
        return np.nan


def read_table(path: Path, readers: dict[str, Reader]) -> Table:
    """Read a file with the reader that stands for the ending of its name."""
    name = path.name.lower()
    reader = next((read for ending, read in readers.items() if name.endswith(ending)), None)
    if reader is None:
        raise MultiplierError(
            f"cannot tell from its name what {path} holds: it must end in {', '.join(readers)}"
        )
    try:
        table = reader(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise MultiplierError(f"cannot read {path}: {reason}") from error
    if not table.numbers:
        raise MultiplierError(f"{path} holds no data: at least one row of values is needed")
    return table
