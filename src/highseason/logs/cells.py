"""Columns of a table as times, numbers and ids.

Polars reads what is written plainly.  The rest goes cell by cell through the small functions at the
top, which are the definition: Polars must never accept what they refuse.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.extras import require

_LARGEST = 2.0**62


def time_in(cell: str) -> int | None:
    """Whole seconds of the Unix epoch, from a number or an ISO time (UTC without a zone).

    >>> time_in("1317513291.7"), time_in("2019-11-24T00:00:34.762830Z"), time_in("soon")
    (1317513291, 1574553634, None)
    """
    number = number_in(cell)
    if number is not None:
        return math.floor(number) if abs(number) < _LARGEST else None
    try:
        when = datetime.fromisoformat(cell.strip())
    except ValueError:
        return None
    return math.floor((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())


def number_in(cell: str) -> float | None:
    """A finite number.

    >>> number_in(" 0.5"), number_in("inf"), number_in("")
    (0.5, None, None)
    """
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def name_in(cell: str | None) -> str | None:
    r"""An id: any text on one line, but not an empty one.

    >>> name_in(" shoes "), name_in(""), name_in(None), name_in("tea\nmilk")
    ('shoes', None, None, None)
    """
    name = (cell or "").strip()
    return None if "\n" in name or "\r" in name else name or None


def names_in(cell: str | None, separator: str) -> dict[str, None] | None:
    """The ids of a pool, in their order.

    >>> names_in("a|b |c", "|"), names_in("a||b", "|"), names_in("", "|")
    ({'a': None, 'b': None, 'c': None}, None, None)
    """
    parts = [name_in(part) for part in (cell or "").strip().split(separator)]
    names = [part for part in parts if part is not None]
    return dict.fromkeys(names) if len(names) == len(parts) else None


def times(column: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The times of a Polars series, and which of its cells are times."""
    pl = polars()
    if column.dtype.is_temporal():
        micros = column.cast(pl.Datetime("us")).to_physical()
        return micros.fill_null(0).to_numpy() // 1_000_000, micros.is_not_null().to_numpy()
    floats = column.cast(pl.Float64, strict=False).to_numpy()  # NaN where it fails
    is_time = np.abs(floats) < _LARGEST
    seconds = np.floor(np.where(is_time, floats, 0.0)).astype(np.int64)
    if is_time.all() or column.dtype != pl.String:
        return seconds, is_time
    rows = np.flatnonzero(~is_time)
    seconds[rows], is_time[rows] = _iso_times(column.gather(rows).fill_null(""))
    rows = np.flatnonzero(~is_time)
    seconds[rows], is_time[rows] = _decoded(column.gather(rows).fill_null(""), time_in)
    return seconds, is_time


def _iso_times(text: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Times such as 2019-11-24T00:00:34.76+01:00, by their parts: few of each are distinct."""
    parts = (
        _decoded(text.str.head(13), _hour),
        _decoded(text.str.slice(13, 3), _sixtieth),
        _decoded(text.str.slice(16, 3), _sixtieth),
        _decoded(text.str.slice(19).str.replace(r"^\.[0-9]{1,6}", ""), _offset),
    )
    hour, minute, second, offset = (values for values, _ in parts)
    is_good = np.logical_and.reduce([is_good for _, is_good in parts])
    return hour + 60 * minute + second - offset, is_good


def _decoded(
    column: Any, read: Callable[[str], Any], kind: Any = np.int64
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """What `read` gives for each cell, called once per distinct cell, and where it is not None."""
    cells = encode(column)
    values = [read(cell) for cell in cells.values]
    is_good = np.array([value is not None for value in values], np.bool_)
    return np.array([value or 0 for value in values], kind)[cells.codes], is_good[cells.codes]


def _hour(text: str) -> int | None:
    is_plain = re.fullmatch(r"\d{4}-\d\d-\d\d[T ]\d\d", text)
    return time_in(f"{text}:00") if is_plain else None


def _sixtieth(text: str) -> int | None:
    return int(text[1:]) if re.fullmatch(":[0-5][0-9]", text) else None


def _offset(zone: str) -> int | None:
    """The seconds by which a zone is ahead of UTC; None if it is not one."""
    if zone in ("", "Z"):
        return 0
    if not re.fullmatch("[+-]([01][0-9]|2[0-3]):[0-5][0-9]", zone):
        return None
    return int(f"{zone[0]}1") * (int(zone[1:3]) * 3600 + int(zone[4:6]) * 60)


def numbers(column: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The finite numbers of a Polars series, and which of its cells are such numbers."""
    pl = polars()
    floats = column.cast(pl.Float64, strict=False).to_numpy()  # NaN where it fails
    is_number = np.isfinite(floats)
    values = np.where(is_number, floats, 0.0)
    if column.dtype == pl.String and not is_number.all():
        rows = np.flatnonzero(~is_number)
        texts = column.gather(rows).fill_null("")
        values[rows], is_number[rows] = _decoded(texts, number_in, np.float64)
    return values, is_number


def names(column: Any) -> Coded:
    """The ids of a Polars series; None where a cell holds none."""
    cells = encode(_as_text(column))
    return Coded(cells.codes, [name_in(cell) for cell in cells.values])


def pools(column: Any, separator: str) -> Coded:
    """The pools of a Polars series of texts or lists; None where a cell holds none."""
    if column.dtype.is_nested():
        column, separator = column.cast(polars().List(polars().String)).list.join("\0"), "\0"
    cells = encode_runs(_as_text(column))
    return Coded(cells.codes, [names_in(cell, separator) for cell in cells.values])


def _as_text(column: Any) -> Any:
    text = column.cast(polars().String)
    return text.fill_null("") if text.null_count() else text


def polars() -> Any:
    """The library, which is an extra."""
    return require("polars", extra="logs", purpose="reading logs")


class Coded(NamedTuple):
    """A column as codes: row i holds `values[codes[i]]`; values come in order of appearance."""

    codes: NDArray[np.int64]
    values: list[Any]


def encode(column: Any) -> Coded:
    """The distinct values of a column: a NumPy array, a Polars series or an Arrow array.

    >>> encode(np.array([7, 9, 7]))
    Coded(codes=array([0, 1, 0]), values=[7, 9])
    """
    if hasattr(column, "to_arrow"):
        column = column.to_arrow()
    elif isinstance(column, np.ndarray):
        column = _arrow().array(column)
    encoded = column.dictionary_encode()
    return Coded(encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist())


def encode_bytes(rows: NDArray[np.uint8]) -> Coded:
    """The same for texts of at most `rows.shape[1]` bytes, padded with zeros."""
    pa, (count, width) = _arrow(), rows.shape
    buffers = [None, pa.py_buffer(rows)]
    coded = encode(pa.Array.from_buffers(pa.binary(width), count, buffers))
    return Coded(coded.codes, [value.rstrip(b"\0") for value in coded.values])


def encode_runs(column: Any) -> Coded:
    """The same for a Polars series of long texts that repeat for many rows."""
    is_new = (column != column.shift()).fill_null(True).to_numpy()
    starts = np.flatnonzero(is_new)
    runs = encode(column.gather(starts))
    return Coded(runs.codes[np.cumsum(is_new) - 1], runs.values)


def by_pair(
    left: Coded, right: Coded, decide: Callable[[Any, Any], tuple[int, int, int]]
) -> NDArray[np.int64]:
    """The fault, arm and pool that `decide` gives each row's pair, as three rows of an array.

    It is called once per distinct pair, in order of appearance, so it may number arms and pools.
    """
    pairs = encode(left.codes * len(right.values) + right.codes)
    answers = [
        decide(left.values[pair // len(right.values)], right.values[pair % len(right.values)])
        for pair in pairs.values
    ]
    return np.array(answers, np.int64).reshape(-1, 3)[pairs.codes].T


def _arrow() -> Any:
    return require("pyarrow", extra="logs", purpose="reading logs")
