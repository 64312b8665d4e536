"""A file as a table: typed columns, the line of each row, and which column is which."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

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
