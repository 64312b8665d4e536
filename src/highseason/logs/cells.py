"""Columns of a table as times, numbers and ids.

Polars reads what is written plainly.  The rest goes cell by cell through the small functions at the
top, which are the definition: Polars must never accept what they refuse.
"""

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.extras import require
from highseason.logs.events import arrow

_LARGEST = 2.0**62
_YEAR_1 = -62_135_596_800
_HOUR, _SIXTIETH = "([01][0-9]|2[0-3])", "[0-5][0-9]"
_ISO = (
    rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ]{_HOUR}:{_SIXTIETH}:{_SIXTIETH}(\.[0-9]{{1,6}})?"
    rf"(Z|[+-]{_HOUR}:{_SIXTIETH})?$"
)


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


def name_in(cell: str) -> str | None:
    r"""An id: any text on one line, but not an empty one.

    >>> name_in(" shoes "), name_in(""), name_in("tea\nmilk")
    ('shoes', None, None)
    """
    name = cell.strip()
    return None if "\n" in name or "\r" in name else name or None


def names_in(cell: str, separator: str) -> tuple[str, ...] | None:
    """The ids of a pool.

    >>> names_in("a|b |c", "|"), names_in("a||b", "|"), names_in("", "|")
    (('a', 'b', 'c'), None, None)
    """
    parts = [name_in(part) for part in cell.strip().split(separator)]
    names = tuple(part for part in parts if part is not None)
    return names if len(names) == len(parts) else None


Read = tuple[NDArray[Any], NDArray[np.bool_]]  # the values of a column, and which cells have one


def times(column: Any) -> Read:
    """The times of a Polars series."""
    pl = polars()
    if column.dtype.is_temporal():
        micros = column.cast(pl.Datetime("us")).to_physical()
        return micros.fill_null(0).to_numpy() // 1_000_000, micros.is_not_null().to_numpy()
    floats = column.cast(pl.Float64, strict=False).to_numpy()  # NaN where it fails
    is_time = np.abs(floats) < _LARGEST
    seconds = np.floor(np.where(is_time, floats, 0.0)).astype(np.int64)
    for read in (_iso_times, lambda text: _decoded(text, time_in)):
        _fill(column, seconds, is_time, read)
    return seconds, is_time


def numbers(column: Any) -> Read:
    """The finite numbers of a Polars series."""
    floats = column.cast(polars().Float64, strict=False).to_numpy()  # NaN where it fails
    is_number = np.isfinite(floats)
    values = np.where(is_number, floats, 0.0)
    _fill(column, values, is_number, lambda text: _decoded(text, number_in, np.float64))
    return values, is_number


def _fill(
    column: Any, values: NDArray[Any], is_good: NDArray[np.bool_], read: Callable[[Any], Read]
) -> None:
    """Read the cells of a column of texts that have no value so far."""
    if column.dtype == polars().String and not is_good.all():
        rows = np.flatnonzero(~is_good)
        values[rows], is_good[rows] = read(column.gather(rows).fill_null(""))


def _iso_times(text: Any) -> Read:
    """Times such as 2019-11-24T00:00:34.76+01:00."""
    wall = text.str.head(19).str.replace("T", " ", literal=True)
    parsed = wall.str.to_datetime("%Y-%m-%d %H:%M:%S", time_unit="ms", strict=False)
    seconds = parsed.dt.epoch("s").fill_null(_YEAR_1 - 1).to_numpy(writable=True)
    is_good = text.str.contains(_ISO).to_numpy() & (seconds >= _YEAR_1)
    zones = text.str.tail(6)
    rows = np.flatnonzero(zones.str.contains("^[+-]").to_numpy())
    seconds[rows] -= _decoded(zones.gather(rows), _offset)[0]
    return seconds, is_good


def _offset(zone: str) -> int:
    """The seconds by which a zone is ahead of UTC."""
    sign, hours, minutes = zone[0], zone[1:3], zone[4:6]
    is_zone = hours.isdecimal() and minutes.isdecimal()
    return int(f"{sign}1") * (int(hours) * 3600 + int(minutes) * 60) if is_zone else 0


def _decoded(column: Any, read: Callable[[str], Any], kind: Any = np.int64) -> Read:
    """What `read` gives for each cell, called once per distinct cell."""
    cells = encode(column)
    values = [read(cell) for cell in cells.values]
    is_good = np.array([value is not None for value in values], np.bool_)
    return np.array([value or 0 for value in values], kind)[cells.codes], is_good[cells.codes]


class Coded(NamedTuple):
    """A column as codes: row i holds `values[codes[i]]`; values come in order of appearance."""

    codes: NDArray[np.int64]
    values: list[Any]

    def take(self, rows: NDArray[Any]) -> Self:
        """Some of the rows."""
        return self._replace(codes=self.codes[rows])

    def where(self, is_good: Callable[[Any], bool]) -> NDArray[np.bool_]:
        """Which rows have a good value."""
        return np.array([is_good(value) for value in self.values], np.bool_)[self.codes]


def names(column: Any) -> Coded:
    """The ids of a Polars series; None where a cell holds none."""
    cells = encode(column.cast(polars().String).fill_null(""))
    return Coded(cells.codes, [name_in(cell) for cell in cells.values])


def pools(column: Any, separator: str) -> Coded:
    """The pools of a Polars series of texts or lists; None where a cell holds none."""
    if column.dtype.is_nested():
        column, separator = column.cast(polars().List(polars().String)).list.join("\0"), "\0"
    text = column.cast(polars().String).fill_null("")
    is_new = (text != text.shift()).fill_null(True).to_numpy()  # long texts, for many rows each
    runs = encode(text.gather(np.flatnonzero(is_new)))
    values = [names_in(cell, separator) for cell in runs.values]
    return Coded(runs.codes[np.cumsum(is_new) - 1], values)


def polars() -> Any:
    """The library, which is an extra."""
    return require("polars", extra="logs", purpose="reading logs")


def encode(column: Any) -> Coded:
    """The distinct values of a column: a NumPy array, a Polars series or an Arrow array.

    >>> encode(np.array([7, 9, 7]))
    Coded(codes=array([0, 1, 0]), values=[7, 9])
    """
    if hasattr(column, "to_arrow"):
        column = column.to_arrow()
    elif isinstance(column, np.ndarray):
        column = arrow().array(column)
    encoded = column.dictionary_encode()
    return Coded(encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist())


def encode_bytes(rows: NDArray[np.uint8]) -> Coded:
    """The same for texts of at most `rows.shape[1]` bytes, padded with zeros."""
    pa, (count, width) = arrow(), rows.shape
    buffers = [None, pa.py_buffer(rows)]
    coded = encode(pa.Array.from_buffers(pa.binary(width), count, buffers))
    return Coded(coded.codes, [value.rstrip(b"\0") for value in coded.values])


def by_pair(
    left: Coded, right: Coded, decide: Callable[[Any, Any], tuple[int, ...]]
) -> NDArray[np.int64]:
    """The numbers that `decide` gives each row's pair of values, as the rows of an array.

    It is called once per distinct pair, in order of appearance, so it may number arms and pools.
    """
    pairs = encode(left.codes * len(right.values) + right.codes)
    places = (divmod(pair, len(right.values)) for pair in pairs.values)
    answers = [decide(left.values[i], right.values[j]) for i, j in places]
    return np.array(answers or np.zeros((0, 3)), np.int64)[pairs.codes].T
