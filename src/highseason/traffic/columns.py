"""Which rows of a file are its table, and which of its columns holds times, which values.

Titles above the table, totals and remarks below it are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import did_you_mean
from highseason.core.text import counted
from highseason.core.warnings import warn_user
from highseason.traffic.dates import (
    Order,
    Stamps,
    TableError,
    Times,
    format_time,
    is_month,
    is_time,
    read_clocks,
    read_times,
    read_unix,
    zone_name,
)
from highseason.traffic.numerals import Mark, Numbers, is_number, read_numbers

if TYPE_CHECKING:
    import pandas as pd

_TOTAL = re.compile(
    r"(?:grand |sub)?totals?\b|sum\b|sums\b|summe\b|gesamt|insgesamt|somme\b|suma\b|soma\b|totaal\b"
    r"|totale\b|Σ|average\b|avg\b|mean\b|median\b|durchschnitt|mittelwert|moyenne|promedio",
    re.I,
)
_REMARK = re.compile(r"[^\W\d].*[\s:]|[*#©]")  # some words, not one
_MOST_TITLES = 30
_START = re.compile(r"#\s*Start date:\s*([0-9]{8})", re.I)  # of Google Analytics
_MOST_NAMED = 40  # rows without a time, in an error


class FileNote(UserWarning):
    """How a file was read where that took a decision, such as 31.12.2025 or 1.030,50."""


class Layout:
    """Takes the rows of a file, and gives the names, columns and lines of its table."""

    def __init__(self, source: str, unit: str, width: int) -> None:
        self.source, self.unit, self.width = source, unit, width
        self.notes: list[str] = []
        self._waiting: list[tuple[int, list[Any]]] = []  # possible titles, then the row after them
        self._start = ""  # the day from which the table counts days
        self._actual = 0  # the width of the first row of the table
        self._cells: list[Any] = []  # one flat list: a million rows would cost garbage collection
        self._lines: list[int] = []
        self._remarks: list[tuple[int, list[Any]]] = []  # short rows, which only an end may have
        self._left_out: list[tuple[int, list[Any]]] = []

    def extend(self, rows: Iterable[tuple[int, list[Any]]]) -> None:
        """Take the next rows, each with its line."""
        cells, lines = self._cells, self._lines
        for line, row in rows:
            if len(row) == self._actual and not self._remarks:
                cells += row
                lines.append(line)
            elif self._actual:
                self._add_odd(line, row)
            else:
                self._waiting.append((line, row))
                if len(self._waiting) > _MOST_TITLES:
                    self._begin()

    def _begin(self) -> None:
        """Find the first row of the table among the first rows of the file."""
        rows = [row for _, row in self._waiting]
        first = 0
        while first < len(rows) - 1 and self._is_title(rows[first], rows[first + 1], first):
            first += 1
        titles = [_first_text(row) for row in rows[:first] if any(map(_is_filled, row))]
        self._start = next((found[1] for one in titles if (found := _START.match(one))), "")
        if titles:
            what = f"{titles[0]!r}" + (f" and {len(titles) - 1} more" if titles[1:] else "")
            self.notes.append(f"the {self.unit}s above the table are left out ({what})")
        self._actual = len(rows[first]) if rows else 0
        waiting, self._waiting = self._waiting[first:], []
        self.extend(waiting)

    def _is_title(self, row: list[Any], following: list[Any], index: int) -> bool:
        filled = [cell for cell in row if _is_filled(cell)]
        if not filled or str(row[0]).startswith("#"):
            return index > 0 or bool(filled)
        if len(filled) > 1 or is_data(filled[0]) or not _is_filled(row[0]):
            return False
        return len(row) < self.width or (len(row) > 1 and not all(map(is_data, following)))

    def _add_odd(self, line: int, row: list[Any]) -> None:
        extra = row[self._actual :]
        if self._remarks and str(self._remarks[0][1][0]).startswith("#"):
            return  # another table, below a comment
        if len(row) > self._actual and _is_total(row):
            self._left_out.append((line, row))
        elif self._remarks or len(row) < self._actual:
            if len(row) >= self._actual or not _is_remark(row):
                self._refuse(*(self._remarks[0] if self._remarks else (line, row)))
            self._remarks.append((line, row))
        elif any(map(_is_filled, extra)):
            self._refuse(line, row)
        else:
            self.extend([(line, row[: self._actual])])

    def _refuse(self, line: int, row: list[Any]) -> None:
        raise TableError(
            f"{self.source}, {self.unit} {line}: {len(row)} cells where the first row has "
            f"{self._actual}: every row needs the same columns (quote text that holds a delimiter)"
        )

    def finish(self) -> tuple[list[str | None], list[list[Any]], list[int]]:
        """The names (None where there is none), the columns and the lines of the table."""
        if self._waiting:
            self._begin()
        if not self._actual:
            raise TableError(f"{self.source} is empty: at least one row of values is needed")
        width, cells, lines = self._actual, self._cells, self._lines
        while cells and not any(map(_is_filled, cells[-width:])):
            del cells[-width:], lines[-1:]
        skipped = 0 if _is_first_record(cells[:width], cells[width : 2 * width]) else 1
        names = [(str(cell).strip() or None) if skipped else None for cell in cells[:width]]
        heading = cells[: skipped * width]
        del cells[: skipped * width], lines[:skipped]
        self._drop_headings(heading)
        self._drop_totals()
        columns = [_stripped(cells[i::width]) for i in range(width)]
        if self._start and names[0] == "Nth day" and all(map(str.isdecimal, columns[0])):
            first = date.fromisoformat(self._start)
            columns[0] = [str(first + timedelta(int(cell))) for cell in columns[0]]
            self.notes.append(f"its days are counted from the start date, {first}")
        return names, columns, lines

    def _drop_headings(self, heading: list[Any]) -> None:
        """Drop the heading where it comes again, as in files that were joined."""
        width, cells = self._actual, self._cells
        first = [i for i, cell in enumerate(cells[::width]) if heading and cell == heading[0]]
        again = [i for i in first if cells[i * width : (i + 1) * width] == heading]
        if again:
            at = ", ".join(str(self._lines[i]) for i in again[:3]) + ", …" * (len(again) > 3)
            self.notes.append(f"the heading comes again and is left out ({self.unit} {at})")
        for i in reversed(again):
            del cells[i * width : (i + 1) * width], self._lines[i]

    def _drop_totals(self) -> None:
        width, cells, lines = self._actual, self._cells, self._lines
        dropped = list(self._remarks)
        while len(lines) > 1 and width > 1:
            last = cells[-width:]
            if not (_is_total(last) or (_is_filled(last[0]) and _is_remark(last))):
                break
            dropped.insert(0, (lines[-1], last))
            del cells[-width:], lines[-1:]
        words = [i for i, cell in enumerate(cells[::width]) if str(cell).strip()[:1].isalpha()]
        totals = [i for i in words if width > 1 and _is_total(cells[i * width : (i + 1) * width])]
        for i in reversed(totals[: len(lines) - 1]):
            dropped.insert(0, (lines[i], [cells[i * width]]))
            del cells[i * width : (i + 1) * width], lines[i]
        if dropped := self._left_out + dropped:
            (line, row), *more = dropped
            text, what = repr(_first_text(row)), f"{self.unit} {line}"
            what = f"{len(dropped)} {self.unit}s ({text}, …) are" if more else f"{what} ({text}) is"
            self.notes.append(f"{what} left out: {'they are' if more else 'it is'} not data")


def is_data(cell: Any) -> bool:
    """Say whether a cell holds a number or a time rather than a name."""
    if not isinstance(cell, str):
        return cell is not None
    # "nan" at the top of a plain list is a missing turn, not a name.
    return cell.strip().lower() == "nan" or is_number(cell) or is_time(cell.strip())


def _is_first_record(first: list[Any], second: list[Any]) -> bool:
    """Whether the first row is data and not names: all of it is, or a time is above a time."""
    return all(map(is_data, first)) or any(
        isinstance(a, str) and isinstance(b, str) and is_time(a.strip()) and is_time(b.strip())
        for a, b in zip(first, second, strict=False)
    )


def _stripped(cells: list[Any]) -> list[Any]:
    try:
        texts = list(map(str.strip, cells))
    except TypeError:  # a spreadsheet's numbers
        return [cell.strip() if isinstance(cell, str) else cell for cell in cells]
    if any(text.startswith('="') for text in texts):  # so written that Excel leaves them alone
        return [re.sub(r'^="(.*)"$', r"\1", text) for text in texts]
    return texts


def _is_filled(cell: Any) -> bool:
    return bool(cell.strip()) if isinstance(cell, str) else cell is not None


def _first_text(row: list[Any]) -> str:
    text = next((str(cell).strip() for cell in row if _is_filled(cell)), "")
    return text if len(text) <= 40 else f"{text[:39]}…"


def _is_total(row: list[Any]) -> bool:
    """Whether a cell says that the row sums up the others; such a row has no date."""
    texts = [cell.strip() for cell in row if isinstance(cell, str)]
    return any(map(_TOTAL.match, texts)) and not any(map(is_time, texts))


def _is_remark(row: list[Any]) -> bool:
    filled = [cell for cell in row if _is_filled(cell)]
    is_text = len(filled) == 1 and isinstance(filled[0], str) and not is_data(filled[0])
    return is_text and _REMARK.match(filled[0].strip()) is not None


Where = Callable[[int], str]
"""Describes where row ``i`` (from 0) of the data came from."""

_TIME_FORMS = "dates such as 2013-12-26, 2013-12-26 12:00 or 26.12.2013, or unix seconds"

_TIME_NAMES = frozenset(
    "time date day hour minute week month timestamp datetime ds ts when period".split()
)
_YEAR_NAMES = frozenset("year yr jahr année annee año ano anno jaar".split())
_MONTH_NAMES = frozenset("month mnth monat mois mes mês mese maand".split())
_DAY_NAMES = frozenset("day tag jour dia día giorno dag".split())
_WEEK_NAMES = frozenset(
    "week wk cw yearweek isoweek woche kw kalenderwoche semaine semana settimana".split()
)
_FOREIGN_TIME_NAMES = frozenset(
    "datum zeit zeitpunkt zeitstempel stunde uhrzeit fecha hora heure ora dato dt dteday hr "
    "quarter 日付".split()
).union(_YEAR_NAMES, _MONTH_NAMES, _DAY_NAMES, _WEEK_NAMES)
_YEAR_AND_WEEK = re.compile(r"([0-9]{4})[-/]?([0-9]{2})|([0-9]{1,2})[-/.]([0-9]{4})")
_CLOCK_NAMES = frozenset("hr hour hours time clock stunde uhrzeit zeit heure hora ora".split())
_ORDER_NAMES = frozenset("orders customers bestellungen kunden anzahl".split())
_VALUE_NAMES = _ORDER_NAMES.union(
    "value traffic visitors count cnt footfall pageviews views y g besucher visiteurs visitantes "
    "visitatori bezoekers sessions users sitzungen nutzer besuche clicks hits impressions uniques "
    "visits klicks impressionen aufrufe seitenaufrufe clics visites visitas visite impresiones "
    "usuarios sesiones impressioni utenti sessioni clic klikken bezoeken gebruikers".split(),
    "page views,unique visitors,unique users,unique visits,eindeutige besucher".split(","),
    "visiteurs uniques,visitantes únicos,visitatori unici,unieke bezoekers,cliques".split(","),
)
#: Beside the traffic: that of another year, shares, averages and money.
_BESIDE = re.compile(
    r"previous|prior\b|last year|vorjahr|vorperiode|précédent|anterior|precedente|%|change\b|rate\b"
    r"|quote\b|average|avg\b|durchschnitt|duration|\bper\b|sales\b|revenue|umsatz|tax(es)?\b"
    r"|discounts?\b|returns\b|refunds?\b|shipping|charges?\b|costs?\b|kosten|steuer|rabatt",
    re.I,
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
        unix = read_unix(self.numbers)
        # Asked first, as a log has millions of them; 2025013112 is an hour of a date.
        if unix and unix.share == 1 and not read_times([self.text(0)]).share:
            return unix
        times = read_times(self.texts, self.order, self._is_called_time)
        return times if times.share > 0 else unix or times

    @property
    def texts(self) -> list[str]:
        """The cells as text, without blanks around them; weeks as ISO writes them."""
        cells = self.cells.to_numpy(dtype=object)
        try:
            texts = list(map(str.strip, cells))
        except TypeError:  # not all of them are texts
            texts = [_text(cell).strip() for cell in cells]
        return [_as_week(text) for text in texts] if self.is_called(_WEEK_NAMES) else texts

    @property
    def is_blank(self) -> NDArray[np.bool_]:
        """Which cells hold nothing."""
        if self.cells.dtype.kind == "O":
            return np.array([not text for text in self.texts])
        return self.cells.isna().to_numpy()

    @property
    def _is_called_time(self) -> bool:
        return self.is_chosen_time or self.is_called(_TIME_NAMES | _FOREIGN_TIME_NAMES)

    @cached_property
    def share_of_dates(self) -> float:
        """The share of cells that are dates or times, and not just numbers."""
        # The first cell settles it for most columns, without reading a million others.
        if self.cells.dtype.kind == "M":
            return float(self.cells.notna().mean())
        first = self.text(0)
        is_candidate = is_time(first) or re.fullmatch(r"[0-9]{8,14}", first) is not None
        if not is_candidate or self.cells.dtype.kind == "f":
            return 0.0
        return read_times(self.texts, self.order, self._is_called_time).share

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
        first = self.text(0)
        return self.is_called(_TIME_NAMES) or _has_digit(first) or is_month(first)

    def is_called(self, names: frozenset[str]) -> bool:
        """Say whether the header is one of these names; `Unique_Visitors` is `unique visitors`."""
        return plain_name(self.header or "") in names

    def take(self, rows: NDArray[np.intp]) -> Column:
        """The same with these rows."""
        return replace(self, cells=self.cells.iloc[rows])


def plain_name(header: str) -> str:
    """The words of a header.

    >>> plain_name("Unique_Visitors"), plain_name("Preis (€)")
    ('unique visitors', 'preis')
    """
    return re.sub(r"[\W_]+", " ", header).strip().lower()


def _as_week(text: str) -> str:
    """A week as ISO writes it, where a month is written alike: 202503, 2025-03, 3/2025."""
    match = _YEAR_AND_WEEK.fullmatch(text)
    return f"{match[1] or match[4]}-W{match[2] or match[3]}" if match else text


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


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

    def without_blanks(self, *needed: Column) -> FileTable:
        """Return the rows without a blank cell in these columns; a note counts the others."""
        blank = np.any([column.is_blank for column in needed], axis=0)
        if not blank.any():
            return self
        names = " or ".join(repr(column.name) for column in needed)
        self.notes.append(
            f"{counted(int(blank.sum()), 'row')} without {names} left out, the first at "
            f"{self.unit} {self.lines[int(np.argmax(blank))]}"
        )
        return self.take(np.flatnonzero(~blank))

    def take(self, rows: NDArray[np.intp]) -> FileTable:
        """The same with these rows."""
        columns, lines = (one.take(rows) for one in self.columns), self.lines
        return replace(self, columns=tuple(columns), lines=[lines[i] for i in rows.tolist()])

    def tell(self) -> None:
        """Warn of each note."""
        for note in self.notes:
            warn_user(f"{self.source}: {note}", FileNote)

    def dated_rows(self, time: Column, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """The rows but those without a time that add up all above them, or all since the last."""
        wrong = np.flatnonzero(np.isnat(time.time_reading.stamps.instants)).tolist()
        blank = [i for i in wrong if not time.text(i)]
        single, sums, below = values.copy(), list[int](), 0.0
        single[blank] = 0.0
        totals = np.nancumsum(single)
        for i in blank:
            is_sum = any(math.isclose(values[i], totals[i] - start) for start in (below, 0.0))
            if is_sum and (sums or i > 1):  # one row may be equal to the first by chance
                sums.append(i)
                below = totals[i]
        if sums:
            self.notes.append(
                f"{counted(len(sums), 'row')} without {time.name!r} left out, which add up those "
                f"above, the first at {self.unit} {self.lines[sums[0]]}"
            )
        return np.delete(np.arange(values.size), sums)

    def find_time(self) -> Column | None:
        """Return the time column: by its usual name, else the one with most dates.

        Where most cells are times, the rest are slips, to be named in an error.
        """
        if len(self.columns) == 1:
            return None
        named = [column for column in self.columns if column._is_called_time]
        likely = [one for one in named if one.time_reading.share > 0.5]
        column = self._only(likely, "time")
        if column is None:
            most = max(self.columns, key=lambda one: one.share_of_dates)
            column = most if most.share_of_dates > 0.5 else self._joined_dates(named)
        for one in [] if column else filter(lambda one: one.is_misread_time, named):
            raise TableError(
                f"{self.where(one)(0)}: {one.text(0)!r} is not a time: write {_TIME_FORMS}; "
                f"or rename the column if it holds no times{_serial_hint(one)}"
            )
        for one in [] if column else self.columns:
            if _has_digit(one.text(0)) and not np.isfinite(one.numbers).any():
                self.notes.append(
                    f"it has no dates: column {one.name!r} ({one.text(0)!r}) holds no times"
                )
        return column

    def _joined_dates(self, named: list[Column]) -> Column | None:
        """The dates that columns of years and weeks, or years, months and days make together.

        Years alone begin in January.
        """
        import pandas as pd

        years, months, days, weeks = (
            next((one for one in named if one.is_called(names)), None)
            for names in (_YEAR_NAMES, _MONTH_NAMES, _DAY_NAMES, _WEEK_NAMES)
        )
        if years is None:
            return None
        parts = (years, months, days) if months else (years, weeks)
        used = [part for part in parts if part is not None]
        mark, end = "-" if months else "-W", "" if used[1:] else "-01"
        rows = zip(*(part.texts for part in used), strict=True)
        texts = pd.Series([f"{mark.join(cells)}{end}" for cells in rows], dtype=object)
        name = " and ".join(part.name for part in used)
        joined = Column(0, name, texts, "ymd", is_chosen_time=True)
        if joined.time_reading.share < 1:
            return None
        first, begin = years.text(0), format_time(joined.time_reading.stamps.instants[0])
        together = ", ".join(repr(part.name) for part in used)
        self.notes.append(f"the time is columns {together} together" if used[1:] else
                          f"in column {name!r} {first!r} is read as {begin}")  # fmt: skip
        return joined

    def find_value(self, time: Column | None) -> Column:
        """Return the value column: the only one left, the only numeric one, else by usual name."""
        others = [one for one in self.columns if time is None or one.position != time.position]
        left = [column for column in others if not column.is_side]
        if len(self.columns) == 1 or len(left) == 1:
            return (left or self.columns)[0]
        numeric = [column for column in left if np.mean(~np.isnan(column.numbers)) > 0.5]
        counts = [column for column in numeric if not _BESIDE.search(column.name)] or numeric
        usual = [column for column in counts if column.is_called(_VALUE_NAMES)]
        if all(column.is_called(_ORDER_NAMES) for column in usual):
            usual = counts  # another column may hold the visitors
        column = self._only(usual, "value")
        rest = [repr(one.name) for one in numeric if one is not column and not one.counts_rows]
        if column is not None and rest:
            self.notes.append(f"the visitors are column {column.name!r}, not {', '.join(rest)}")
        if column is None:
            names = ", ".join(column.name for column in self.columns)
            raise TableError(f"{self.source} has no column of numbers besides its times: {names}")
        return column

    def _only(self, candidates: list[Column], option: str) -> Column | None:
        if len(candidates) > 1:
            names = tuple(column.name for column in candidates)
            likely = sorted(candidates, key=lambda one: one.is_called(_ORDER_NAMES))[0].name
            error = TableError(
                f"{self.source} has several columns that could be the {option} column: "
                f"{', '.join(names)}; choose one, such as {option}={likely!r}"
            )
            error.columns = names
            raise error
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
        wrong = np.flatnonzero(np.isnat(reading.stamps.instants)).tolist()
        if missing := [str(self.lines[i]) for i in wrong if not column.text(i)]:
            rows = ", ".join(missing[:_MOST_NAMED]) + ", …" * (len(missing) > _MOST_NAMED)
            raise TableError(
                f"{self.source}, {self.unit} {rows}, column {column.name!r}: the time is missing: "
                "fill it in or drop the row"
            )
        for i in wrong:
            reason = f"{column.text(i)!r} is not a time: write {_TIME_FORMS}"
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
            seconds = read_clocks(other.texts)
            for i in np.flatnonzero(np.isnan(seconds)).tolist():
                raise TableError(
                    f"{self.where(other)(i)}: {other.text(i)!r} is not a time of day: write hours "
                    "from 0 to 23, or 13:00"
                )
            whole = instants.astype("datetime64[s]") + seconds.astype("timedelta64[s]")
            if np.all(whole[1:] > whole[:-1]) or np.all(whole[1:] < whole[:-1]):
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
    day = np.datetime64("1899-12-30") + np.timedelta64(int(numbers[np.isfinite(numbers)][0]), "D")
    return (
        f" (a spreadsheet's day number? {column.text(0)} would be {format_time(day)}: "
        "format the column as dates)"
    )
