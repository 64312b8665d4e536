"""A column of text as numbers, however its country writes them.

Whether 1.030 is a thousand and thirty or just over one is decided over the whole column: one cell
such as 0.5 or 1.030,50 settles it.  Where none does, the column is a question, never a guess.
"""

import math
import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Mark = Literal[",", "."]
Cells = Sequence[Any] | NDArray[Any]

_CURRENCY = (
    r"(?:US\$|CA\$|AU\$|A\$|C\$|R\$|[$€£¥₹₽₩₺₴₪฿₫₱円元]|kr\.?|zł|Kč|Ft|lei|S?Fr\.|Rs\.?|"
    "EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|INR|BRL|CAD|AUD|NZD|MXN|ZAR)"
)
_CELL = re.compile(
    rf"(?P<sign>[-+−]?)\s*(?P<before>{_CURRENCY})?\s*(?P<inner>[-+−]?)"
    r"(?P<digits>[0-9.,](?:[0-9.,'’\s]*[0-9.,])?)(?P<power>[eE][-+]?[0-9]+)?"
    rf"\s*(?P<after>{_CURRENCY}|%)?"
)
_GROUPED = r"[1-9][0-9]{{0,2}}(?:{0}[0-9]{{3}})+"
_INDIAN = "[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"


def _pattern(mark: str, *groups: str) -> re.Pattern[str]:
    whole = "|".join(["[0-9]+", *groups, *map(_GROUPED.format, "' ")])
    return re.compile(rf"(?:{whole})(?:{mark}[0-9]*)?|{mark}[0-9]+")


_PATTERNS: dict[Mark, re.Pattern[str]] = {
    ".": _pattern(r"\.", _GROUPED.format(","), _INDIAN),
    ",": _pattern(",", _GROUPED.format(r"\.")),
}
# A number that Python reads, but which may be thousands: 1.030, and not 0.030 or 1030.500.
_MAYBE_GROUPED = re.compile(r"\s*[-+]?[1-9][0-9]{0,2}\.[0-9]{3}\s*")


class AmbiguousError(ValueError):
    """A numeral has two readings."""


class Numbers(NamedTuple):
    """A column as numbers, NaN where a cell is none; how it was read, or what has to be asked."""

    values: NDArray[np.float64]
    note: str = ""
    question: str = ""
    mark: Mark | None = None  # the decimal mark that the cells prove


class _Cell(NamedTuple):
    """What one cell is with a decimal point and with a decimal comma, and what stands around it."""

    point: float = math.nan
    comma: float = math.nan
    unit: str = ""


def read_numbers(cells: Cells, decimal: Mark | None = None) -> Numbers:
    """Read a column of text; numbers among the cells are taken as they are.

    >>> read_numbers(["1.030,50", "980"]).values.tolist()
    [1030.5, 980.0]
    >>> read_numbers(["1.030", "980"]).question
    "'1.030' could be 1030 or 1.03: pass decimal=',' or decimal='.'"
    """
    if decimal != ",":
        floats = _floats(cells)
        if floats is not None and (decimal == "." or _is_settled(cells)):
            return Numbers(floats)
    import pandas as pd

    try:
        codes, distinct = pd.factorize(np.asarray(cells, dtype=object), use_na_sentinel=False)
    except TypeError:  # lists and the like, as Parquet files hold them
        return Numbers(np.full(len(cells), np.nan))
    reading = _decide(list(distinct), decimal)
    return reading._replace(values=reading.values[codes])


def read_number(text: str, whole: bool = False) -> float:
    """One number that someone typed; what has two readings is refused with both of them.

    Args:
        text: The number, with the marks of any country.
        whole: Whether it counts something: of two readings, the only whole number is meant.

    >>> read_number("1.234,50"), read_number("1756,03"), read_number("1.398", whole=True)
    (1234.5, 1756.03, 1398.0)
    >>> read_number("1.398")
    Traceback (most recent call last):
    ...
    highseason.traffic.numerals.AmbiguousError: '1.398' could be 1398 or 1.398: write 1398 or 1.3980
    """
    one = _parse(text)
    known = sorted((n for n in (one.point, one.comma) if not math.isnan(n)), key=abs)
    if not known or one.unit == "%":
        raise ValueError(f"expected a number, such as 1234.5, got {text!r}")
    small, large = known[0], known[-1]
    if small != large and not (whole and not small.is_integer()):
        question = f"{text!r} could be {large:.15g} or {small:.15g}"
        raise AmbiguousError(f"{question}: write {large:.15g} or {small:.4f}")
    return large


def read_share(text: str) -> float:
    """A share that someone typed, perhaps as a percentage.

    >>> read_share("19%"), read_share("8,1 %"), read_share("0.19")
    (0.19, 0.081, 0.19)
    """
    body = text.strip()
    number = read_number(body.removesuffix("%"))
    return round(number / 100, 15) if body.endswith("%") else number


def is_number(cell: str) -> bool:
    """Say whether a cell is a number by any of the conventions."""
    one = _parse(cell)
    return not (math.isnan(one.point) and math.isnan(one.comma))


def _floats(cells: Cells) -> NDArray[np.float64] | None:
    try:
        return np.asarray(cells, dtype=object).astype(np.float64)
    except (TypeError, ValueError):  # not all cells are plain numbers
        return None


def _is_settled(cells: Cells) -> bool:
    """Whether points can only be decimal points, or there are none."""
    dotted = (cell for cell in cells if isinstance(cell, str) and "." in cell)
    maybe = next(dotted, None)
    if maybe is None or not _MAYBE_GROUPED.fullmatch(maybe):
        return True
    return not all(map(_MAYBE_GROUPED.fullmatch, dotted))


def _parse(cell: Any) -> _Cell:
    if not isinstance(cell, str):
        return _plain(cell)
    match = _CELL.fullmatch(cell.strip())
    if match is None:
        return _plain(cell)
    unit = match["before"] or match["after"] or ""
    sign, inner = (match[name].replace("−", "-") for name in ("sign", "inner"))
    if (match["before"] and match["after"]) or (sign and inner) or (unit and match["power"]):
        return _Cell()
    digits = re.sub(r"\s", " ", match["digits"].replace("’", "'"))
    tail, grouped = (match["power"] or "") if unit != "%" else "e-2", not match["power"]
    point, comma = (_value(digits, mark, sign + inner, tail, grouped) for mark in _PATTERNS)
    return _Cell(point, comma, unit)


def _plain(cell: Any) -> _Cell:
    """What Python makes of a cell, such as a number of a spreadsheet, or inf."""
    floats = _floats([cell])
    value = math.nan if floats is None else float(floats[0])
    return _Cell(value, value)


def _value(digits: str, mark: Mark, sign: str, tail: str, grouped: bool) -> float:
    whole, _, fraction = digits.partition(mark)
    if not (_PATTERNS[mark].fullmatch(digits) and (grouped or whole.isdecimal() or not whole)):
        return math.nan
    return float(f"{sign}{re.sub('[^0-9]', '', whole)}.{fraction}{tail}")


def _decide(texts: list[Any], decimal: Mark | None) -> Numbers:
    parsed = [_parse(cell) for cell in texts]
    point, comma = (np.array([getattr(one, key) for one in parsed]) for key in ("point", "comma"))
    proves_point = np.flatnonzero(~np.isnan(point) & np.isnan(comma))
    proves_comma = np.flatnonzero(np.isnan(point) & ~np.isnan(comma))
    differs = np.flatnonzero(np.isfinite(point) & np.isfinite(comma) & (point != comma))
    mark: Mark | None = decimal or (
        "," if proves_comma.size else "." if proves_point.size else None
    )
    values = comma if mark == "," else point
    question = _mixture(parsed)
    if decimal is None and proves_point.size and proves_comma.size:
        # The fewer are the slips: they stay without a value, and the error names the first.
        values = comma if proves_comma.size > proves_point.size else point
    elif decimal is None and mark is None and differs.size:
        i = int(differs[0])
        less, more = sorted((point[i], comma[i]))
        first, second = (",", ".") if point[i] < comma[i] else (".", ",")
        question = question or (
            f"{texts[i]!r} could be {more:.15g} or {less:.15g}: "
            f"pass decimal={first!r} or decimal={second!r}"
        )
    return Numbers(values, _note(texts, values), question, None if question else mark)


def _mixture(parsed: list[_Cell]) -> str:
    units = {one.unit for one in parsed if not math.isnan(one.point) or not math.isnan(one.comma)}
    if "%" in units and len(units) > 1:
        return "some cells have a percent sign and others do not: write all the same way"
    if len(units - {""}) > 1:
        return f"the cells are in several currencies ({', '.join(sorted(units - {''}))}): use one"
    return ""


def _note(texts: list[Any], values: NDArray[np.float64]) -> str:
    """The first cell that Python would read differently, and how it was read."""
    for text, value in zip(texts, values.tolist(), strict=True):
        if isinstance(text, str) and not math.isnan(value):
            floats = _floats([text])
            if floats is None or floats[0] != value:
                return f"{text!r} is read as {value:.15g}"
    return ""
