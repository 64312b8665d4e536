"""The columns of a file, and which of them holds times, which values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import did_you_mean
from highseason.tabular.dates import Order, Times, is_time, read_clocks, read_times, read_unix
from highseason.tabular.numerals import Mark, Numbers, read_numbers
from highseason.tabular.times import Stamps, TableError, format_time, zone_name

if TYPE_CHECKING:
    import pandas as pd


Where = Callable[[int], str]
"""Describes where row ``i`` (from 0) of the data came from."""

_TIME_FORMS = "dates such as 2013-12-26, 2013-12-26 12:00 or 26.12.2013, or unix seconds"

_TIME_NAMES = frozenset(
    "time date day hour minute week month timestamp datetime ds ts when period".split()
)
_FOREIGN_TIME_NAMES = frozenset(
    "datum tag zeit zeitpunkt zeitstempel woche monat stunde uhrzeit kw fecha dia día hora semana "
    "mes jour heure semaine mois giorno ora settimana mese dato dt dteday hr quarter".split()
)
_CLOCK_NAMES = frozenset("hr hour hours time clock stunde uhrzeit zeit heure hora ora".split())
_VALUE_NAMES = frozenset(
    "value traffic customers visitors footfall pageviews views orders count cnt y g besucher "
    "kunden bestellungen anzahl visiteurs visitantes visitatori bezoekers".split()
)
_COUNTER_NAMES = frozenset("t turn index row".split())


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a file: its header (None where the file gives none) and its cells.

    ``order`` and ``decimal`` say how dates and numbers are written, where the user said so.
    """

    position: int
    header: str | None
    cells: pd.Series[Any]
    order: Order | None = None
    decimal: Mark | None = None
    is_chosen_time: bool = False  # the user says that it holds times

    @property
    def name(self) -> str:
        """The header, or else the position."""
        return self.header or f"column {self.position}"

    def text(self, i: int) -> str:
        """Return cell ``i`` as text, empty where it is missing."""
        return _text(self.cells.iloc[i])

    @cached_property
    def number_reading(self) -> Numbers:
        """The cells as numbers, and how sure that is."""
        if self.cells.dtype.kind not in "iufO":
            return Numbers(np.full(len(self.cells), np.nan))
        if self.cells.dtype.kind != "O":
            return Numbers(self.cells.to_numpy(dtype=np.float64))
        return read_numbers(self.cells.to_numpy(), self.decimal)

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The cells as numbers, NaN for any other cell."""
        return self.number_reading.values

    @cached_property
    def time_reading(self) -> Times:
        """The cells as points in time, and how sure that is: dates, or all of them unix seconds."""
        if self.cells.dtype.kind == "M":
            times = self.cells.dt
            zone = None if times.tz is None else zone_name(times.tz, None)
            instants = np.asarray(times.tz_convert(None) if zone else self.cells)
            return Times(Stamps(instants, np.full(instants.size, zone, dtype=np.object_)))
        times = read_times(self._texts, self.order, self._is_called_time)
        return times if times.share > 0 else read_unix(self.numbers) or times

    @property
    def times(self) -> Stamps:
        """The cells as points in time, NaT for any other cell."""
        return self.time_reading.stamps

    @property
    def _texts(self) -> list[str]:
        cells = self.cells.to_numpy(dtype=object)
        try:
            return list(map(str.strip, cells))
        except TypeError:  # not all of them are texts
            return [_text(cell).strip() for cell in cells]

    @property
    def _is_called_time(self) -> bool:
        return self.is_chosen_time or self.is_called(_TIME_NAMES | _FOREIGN_TIME_NAMES)

    @property
    def clocks(self) -> NDArray[np.float64]:
        """The cells as times of day in seconds, NaN for any other cell."""
        return read_clocks(self._texts)

    @property
    def holds_only_dates(self) -> bool:
        """Whether every cell is a date or time, and not just a number."""
        # The first cell settles it for most columns, without reading a million others.
        if self.cells.dtype.kind == "M":
            return not bool(self.cells.isna().any())
        first = self.text(0)
        is_candidate = is_time(first) or re.fullmatch(r"[0-9]{8,14}", first) is not None
        if not is_candidate or self.cells.dtype.kind == "f":
            return False
        reading = read_times(self._texts, self.order, self._is_called_time)
        return not bool(np.isnat(reading.stamps.instants).any())

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
        return self._is_called_time or (counter and self.counts_rows)

    @property
    def is_misread_time(self) -> bool:
        """Whether it is called a time without holding any: its dates would be lost silently."""
        if self.counts_rows or not self._is_called_time:
            return False
        return self.is_called(_TIME_NAMES) or any(c.isdigit() for c in self.text(0))

    def is_called(self, names: frozenset[str]) -> bool:
        """Say whether the header is one of these names."""
        return self.header is not None and self.header.lower() in names


def _text(cell: Any) -> str:
    if isinstance(cell, str):  # "nan" was written there
        return cell
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if str(cell) in ("None", "nan", "NaT") else str(cell)


@dataclass(frozen=True, eq=False)
class FileTable:
    """The columns of a file, and the number of the ``unit`` (line or row) of each record.

    ``notes`` says how the file was read where that took a decision.
    """

    source: str
    columns: tuple[Column, ...]
    unit: str
    lines: Sequence[int]
    notes: list[str] = field(default_factory=list)

    def where(self, column: Column) -> Where:
        """Return a function that describes where row ``i`` of the column is."""
        return lambda i: f"{self.source}, {self.unit} {self.lines[i]}, column {column.name!r}"

    def column(self, name: str, option: str) -> Column:
        """Return the column that the user named with ``option``."""
        named = [column for column in self.columns if column.name == name]
        if len(named) == 1:
            return replace(named[0], is_chosen_time=option == "time")
        if named:
            raise TableError(
                f"{self.source} has {len(named)} columns called {name!r}: rename all but one"
            )
        hint = did_you_mean(name, [column.name for column in self.columns])
        raise TableError(f"{self.source} has no column {name!r} for {option}=. {hint}")

    def find_time(self) -> Column | None:
        """Return the time column: by its usual name, else the first of nothing but dates."""
        if len(self.columns) == 1:
            return None
        named = [column for column in self.columns if column._is_called_time]
        # Where most cells are times, the rest are slips, to be named in an error.
        likely = [one for one in named if one.time_reading.share > 0.5]
        dated = (column for column in self.columns if column.holds_only_dates)
        column = self._only(likely, "time") or next(dated, None)
        for one in [] if column else filter(lambda one: one.is_misread_time, named):
            raise TableError(
                f"{self.where(one)(0)}: {one.text(0)!r} is not a time: write {_TIME_FORMS}; "
                f"or rename the column if it holds no times{_serial_hint(one)}"
            )
        return column

    def find_value(self, time: Column | None) -> Column:
        """Return the value column: the only one left, the only numeric one, else by usual name."""
        others = [one for one in self.columns if time is None or one.position != time.position]
        left = [column for column in others if not column.is_side]
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

    def numbers(self, column: Column) -> NDArray[np.float64]:
        """Return the column as numbers, NaN for any other cell; refuse what has two meanings."""
        reading, why = column.number_reading, ""
        if reading.question:
            proof = next((one for one in self.columns if one.number_reading.mark == ","), None)
            if proof is not None and "decimal=" in reading.question:
                reading, why = read_numbers(column.cells.to_numpy(), ","), proof.name
        if reading.question:
            raise TableError(f"{self.source}, column {column.name!r}: {reading.question}")
        because = f" (column {why!r} has decimal commas)" if why else ""
        self._add_note(column, reading.note and f"{reading.note}{because}")
        if column.header is not None and not np.isnan(read_numbers([column.header]).values[0]):
            self.notes.append(
                f"its first {self.unit} is taken for the names of the columns, such as "
                f"{column.header!r}"
            )
        return reading.values

    def times(self, column: Column) -> Stamps:
        """Return the column as points in time; refuse any other cell and what has two meanings."""
        reading = column.time_reading
        for i in np.flatnonzero(np.isnat(reading.stamps.instants)).tolist():
            text = column.text(i)
            reason = f"{text!r} is not a time: write {_TIME_FORMS}" if text else (
                "the time is missing: fill it in or drop the row"
            )  # fmt: skip
            raise TableError(f"{self.where(column)(i)}: {reason}{_serial_hint(column)}")
        if reading.question:
            raise TableError(f"{self.source}, column {column.name!r}: {reading.question}")
        self._add_note(column, reading.note)
        return self._with_clock(column, reading.stamps)

    def _with_clock(self, column: Column, stamps: Stamps) -> Stamps:
        """Add the time of day from another column where the dates alone repeat."""
        instants = stamps.instants
        if not np.any(instants[1:] == instants[:-1]):
            return stamps
        for other in self.columns:
            if other.position == column.position or not other.is_called(_CLOCK_NAMES):
                continue
            seconds = other.clocks
            if np.isnan(seconds).any():
                continue
            whole = instants.astype("datetime64[s]") + seconds.astype("timedelta64[s]")
            if np.all(whole[1:] > whole[:-1]):
                self.notes.append(
                    f"the time is columns {column.name!r} and {other.name!r} together"
                )
                return stamps._replace(instants=whole)
        return stamps

    def _add_note(self, column: Column, note: str) -> None:
        if note:
            self.notes.append(f"in column {column.name!r} {note}")


def _serial_hint(column: Column) -> str:
    """A hint for the day numbers of a spreadsheet, which count from 1900."""
    numbers = column.numbers
    is_serial = bool(np.mean((numbers > 20_000) & (numbers < 80_000)) > 0.5)
    if not is_serial:
        return ""
    day = np.datetime64("1899-12-30") + int(numbers[np.isfinite(numbers)][0])
    return (
        f" (a spreadsheet's day number? {column.text(0)} would be {format_time(day)}: "
        "format the column as dates)"
    )
