"""Which rows of a file are its table: titles above, totals and remarks below are not."""

import re
from collections.abc import Iterable
from typing import Any

from highseason.traffic.dates import is_time
from highseason.traffic.numerals import is_number
from highseason.traffic.times import TableError

_TOTAL = re.compile(
    r"(?:grand |sub)?totals?\b|sum\b|sums\b|summe\b|gesamt|insgesamt|somme\b|suma\b|soma\b|totaal\b"
    r"|totale\b|Σ|average\b|avg\b|mean\b|median\b|durchschnitt|mittelwert|moyenne|promedio",
    re.I,
)
_REMARK = re.compile(r"[^\W\d].*[\s:]|[*#©]")  # some words, not one
_MOST_TITLES = 30


class Layout:
    """Takes the rows of a file, and gives the names, columns and lines of its table."""

    def __init__(self, source: str, unit: str, width: int) -> None:
        self.source, self.unit, self.width = source, unit, width
        self.notes: list[str] = []
        self._waiting: list[tuple[int, list[Any]]] = []  # possible titles, then the row after them
        self._actual = 0  # the width of the first row of the table
        self._cells: list[Any] = []  # one flat list: a million rows would cost garbage collection
        self._lines: list[int] = []
        self._remarks: list[tuple[int, list[Any]]] = []  # short rows, which only an end may have

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
        if titles:
            what = f"{titles[0]!r}" + (f" and {len(titles) - 1} more" if titles[1:] else "")
            self.notes.append(f"the {self.unit}s above the table are left out ({what})")
        self._actual = len(rows[first]) if rows else 0
        waiting, self._waiting = self._waiting[first:], []
        self.extend(waiting)

    def _is_title(self, row: list[Any], following: list[Any], index: int) -> bool:
        filled = [cell for cell in row if _is_filled(cell)]
        if not filled:
            return index > 0
        if len(filled) > 1 or is_data(filled[0]) or not _is_filled(row[0]):
            return False
        return len(row) < self.width or (len(row) > 1 and not all(map(is_data, following)))

    def _add_odd(self, line: int, row: list[Any]) -> None:
        extra = row[self._actual :]
        if self._remarks or len(row) < self._actual:
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
        dropped = [(line, _first_text(row)) for line, row in self._remarks]
        while len(lines) > 1 and width > 1 and _is_below_table(cells[-width:]):
            dropped.insert(0, (lines[-1], _first_text(cells[-width:])))
            del cells[-width:], lines[-1:]
        if len(lines) > 1 and width > 1 and _is_total(cells[:width]):
            dropped.insert(0, (lines[0], _first_text(cells[:width])))
            del cells[:width], lines[:1]
        for line, text in dropped:
            self.notes.append(f"{self.unit} {line} ({text!r}) is left out: it is not data")


def is_data(cell: Any) -> bool:
    """Say whether a cell holds a number or a time rather than a name."""
    if not isinstance(cell, str):
        return cell is not None
    # "nan" at the top of a plain list is a missing turn, not a name.
    return cell.strip().lower() == "nan" or is_number(cell) or is_time(cell.strip())


def _is_first_record(first: list[Any], second: list[Any]) -> bool:
    """Whether the first row is data and not names: all of it is, or a time is above a time."""
    pairs = zip(first, second, strict=False)
    texts = ((a, b) for a, b in pairs if isinstance(a, str) and isinstance(b, str))
    return all(map(is_data, first)) or any(
        is_time(a.strip()) and is_time(b.strip()) for a, b in texts
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


def _is_below_table(row: list[Any]) -> bool:
    return _is_total(row) or (_is_filled(row[0]) and _is_remark(row))
