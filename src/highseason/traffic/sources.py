"""Multipliers by formula (the paper's shapes) and from data: arrays, pandas Series, files."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Number
from os import PathLike
from pathlib import Path
from typing import Any, ParamSpec

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.core.specs import did_you_mean
from highseason.core.text import counted
from highseason.core.validation import positive_number, raised_as, whole_number
from highseason.traffic.columns import Column, FileTable
from highseason.traffic.dates import Order, Stamps, TableError, format_time
from highseason.traffic.files import Conventions, read_table, table_of
from highseason.traffic.numerals import Mark
from highseason.traffic.series import Multiplier
from highseason.traffic.timeline import (
    Calendar,
    MultiplierError,
    SparseError,
    Timeline,
    Values,
    first_wrong,
    floored,
    remedy,
    to_values,
)

P = ParamSpec("P")

SHAPES: dict[str, Callable[..., Multiplier]] = {}
"""Every shape by name; each takes ``turns`` and needs nothing else."""


def shape(function: Callable[P, Multiplier]) -> Callable[P, Multiplier]:
    """Register a function in ``SHAPES``, where the command line and the checks look.

    >>> sorted(SHAPES)
    ['christmas', 'constant', 'sine', 'step', 'wave']
    """

    @functools.wraps(function)
    def made(*args: P.args, **kwargs: P.kwargs) -> Multiplier:
        return replace(function(*args, **kwargs), is_shape=True)

    SHAPES[function.__name__] = made
    return made


@shape
def wave(turns: int) -> Multiplier:
    """Rise and fall like the days of a week: G(t) = 21 + 20 sin(t/4).

    >>> wave(turns=3).values.round(2)
    array([25.95, 30.59, 34.63])
    """
    return Multiplier(_wave(_clock(turns)), name="wave")


@shape
def christmas(turns: int) -> Multiplier:
    """The wave with a peak of 1000 in which almost everything is earned.

    The peak is 0.8n ≤ t ≤ 0.9n.

    >>> christmas(turns=10).values.round(2)
    array([  25.95,   30.59,   34.63,   37.83,   39.98,   40.95,   40.68,
           1000.  , 1000.  ,   32.97])
    """
    t = _clock(turns)
    n = t.size
    # Whole numbers: 0.9 n is inexact in floating point.
    peak = (8 * n <= 10 * t) & (10 * t <= 9 * n)
    return Multiplier(np.where(peak, 1000.0, _wave(t)), name="christmas")


@shape
def step(turns: int) -> Multiplier:
    """Two alternating levels.

    1 and 40 by tenths of the game: 40 where floor(10 t/n) is odd, and in the last turn.

    >>> step(turns=10).values
    array([40.,  1., 40.,  1., 40.,  1., 40.,  1., 40., 40.])
    """
    t = _clock(turns)
    n = t.size
    high = ((10 * t // n) % 2 == 1) | (t == n)
    return Multiplier(np.where(high, 40.0, 1.0), name="step")


@shape
def constant(turns: int, value: float = 1.0) -> Multiplier:
    """The same stakes in every turn: the standard bandit.

    >>> constant(turns=3, value=5).values
    array([5., 5., 5.])
    """
    value = positive_number("value", value, MultiplierError)
    return Multiplier(np.full(_clock(turns).size, value), name="constant")


@shape
def sine(turns: int) -> Multiplier:
    """The multiplier of the paper's figure of exploration probabilities: G(t) = 20 + 19 sin(t/2).

    >>> sine(turns=3).values.round(2)
    array([29.11, 35.99, 38.95])
    """
    return Multiplier(20.0 + 19.0 * np.sin(_clock(turns) / 2.0), name="sine")


def _wave(t: NDArray[np.int64]) -> Values:
    return np.asarray(21.0 + 20.0 * np.sin(0.25 * t))


def _clock(turns: int) -> NDArray[np.int64]:
    turns = whole_number("turns", turns, 1, MultiplierError)
    return np.arange(1, 1 + turns, dtype=np.int64)


#: What a row without visitors counts where rows are added up: sums do not change.
_NEXT_TO_NOTHING = 1e-300
#: What a DataFrame is called in notes and errors.
_FRAME = "the table"
#: How many missing turns a note names.
_SHOWN = 7


def from_values(
    array: ArrayLike,
    calendar: object = None,
    name: str = "values",
    *,
    floor: float | None = None,
    zone: str | None = None,
) -> Multiplier:
    """Build a multiplier from a sequence of numbers.

    Args:
        array: One number per turn.
        calendar: One time per turn (dates, datetimes, ISO texts, ``datetime64`` or a pandas
            index), or None.
        name: A label for tables and figures.
        floor: Raise values between 0 and the floor to it; for the zeros of closed hours.
        zone: The time zone whose days and hours count, such as ``"Europe/Rome"``. Times with a
            zone are converted to it; others are read by its clock.

    >>> from_values([0, 40], floor=1).values
    array([ 1., 40.])
    """
    values, times = floored(to_values(array), floor), calendar
    if calendar is not None and np.any(values == 0):
        line = Timeline.of(calendar, zone)
        kept = np.flatnonzero(_open_rows(line, values == 0)[0])
        values, times = values[kept], line.take(kept)
    return Multiplier(values, times, name, zone)  # type: ignore[arg-type]  # turned into an array there


def from_series(series: Any, *, floor: float | None = None, name: str | None = None) -> Multiplier:
    """Build a multiplier from a pandas Series; a DatetimeIndex or PeriodIndex is its calendar.

    >>> import pandas as pd
    >>> days = pd.date_range("2013-12-25", periods=2)
    >>> from_series(pd.Series([10, 60], index=days, name="visitors"))
    <Multiplier visitors: 2 turns, 10 to 60, 2013-12-25 to 2013-12-26>
    """
    try:
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):  # text somewhere: let the message name the turn
        values = series.to_numpy()
    index = series.index
    if hasattr(index, "to_timestamp"):
        index = index.to_timestamp()
    label = "series" if series.name is None else str(series.name)
    return from_values(
        values, index if index.dtype.kind == "M" else None, name or label, floor=floor
    )


@raised_as(MultiplierError, TableError)
def read(
    path: str | PathLike[str] | Any,
    time: str | None = None,
    value: str | None = None,
    floor: float | None = None,
    name: str | None = None,
    zone: str | None = None,
    dates: Order | None = None,
    decimal: Mark | None = None,
    every: int | str | None = None,
) -> Multiplier:
    r"""Read a multiplier from a CSV (also gzipped), Excel or Parquet file, or a DataFrame.

    A plain list of numbers is enough. With several columns, the time column is the one with a
    usual name (``time``, ``date``, ``day``, ``hour``, …) or the first with only dates; the
    value column is the only numeric one left or the one with a usual name (``value``,
    ``visitors``, ``orders``, …). If several fit, the error lists them.

    Numbers and dates may be written as any country writes them, if the whole column leaves no
    doubt: a `FileNote` says how they were read. Where there is doubt, as with 01/02/2025 in every
    row, the error names the argument that settles it.

    Args:
        path: The file; its name ends in ``.csv``, ``.tsv``, ``.txt`` (also with ``.gz``),
            ``.xlsx`` or ``.parquet``. A DataFrame may have its times in the index.
        time: The time column: dates, times, or unix seconds (which are in UTC).
        value: The value column.
        floor: Raise values between 0 and the floor to it; for the zeros of closed hours. Empty
            cells stay an error: a missing count is not a count of zero.
        name: A label; by default the value column if named, else the file's name.
        zone: The time zone whose days and hours count, such as ``"Europe/Rome"``; by default
            the zone of the times, if they all name the same. Times with different offsets
            (+01:00 in winter, +02:00 in summer) need it; otherwise they count in UTC, with a
            warning.
        dates: The order of day, month and year where the file leaves it open: ``"dmy"``,
            ``"mdy"`` or ``"ymd"``.
        decimal: The decimal mark where the file leaves it open: ``","`` or ``"."``.
        every: Join rows to turns of this length, as `Multiplier.resample` does: ``"1D"`` adds up
            the hours of a day. Hours may then be 0, or come twice.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "shop.csv"
    ...     _ = path.write_text("day,visitors\n2013-12-25,0\n2013-12-26,60\n")
    ...     read(path, floor=1)
    <Multiplier shop: 2 turns, 1 to 60, 2013-12-25 to 2013-12-26>
    """
    table = any_table(path, Conventions(dates, decimal))
    path = Path(table.source)
    values_column = None if value is None else table.column(value, "value")
    times_column = table.find_time() if time is None else table.column(time, "time")
    if values_column is None:
        values_column = table.find_value(times_column)
    if times_column is not None and values_column.position == times_column.position:
        raise TableError(f"{path}: column {values_column.name!r} cannot be time and value")
    least = _NEXT_TO_NOTHING if floor is None and every is not None else floor
    calendar: Any = None
    values = table.numbers(values_column)
    if times_column is not None:
        kept = table.dated_rows(times_column, values)
        table, values = table.take(kept), values[kept]
        times_column, values_column = times_column.take(kept), values_column.take(kept)
    values = floored(values, least)
    rows = np.arange(values.size)
    if times_column is not None:
        calendar, rows = _calendar(table, times_column, zone, values, every is not None)
        try:
            opened, notes = _open_rows(calendar, values[rows] == 0, to_join=every is not None)
        except SparseError as reason:
            raise SparseError(f"{path}: {reason}") from reason
        table.notes.extend(notes)
        calendar, rows = calendar.take(np.flatnonzero(opened)), rows[opened]
    _check_values(table, values_column, np.where(np.isin(np.arange(values.size), rows), values, 1))
    values = values[rows]
    if calendar is None and values.size > 3 and math.isclose(values[-1], values[:-1].sum()):
        table.notes.append("its last value is the sum of the others: drop it if it is a total")
    stem = values_column.name if path.name == _FRAME else path.name.split(".")[0] or path.name
    G = Multiplier(values, calendar, name or value or stem)
    if every is not None:
        G = _joined(G, int(every) if str(every).isdecimal() else every, table)
    table.tell()
    return G


def _joined(G: Multiplier, every: int | str, table: FileTable) -> Multiplier:
    """Rows joined to turns; turns without anybody are closed times, or wrong."""
    G = G.resample(every)
    opened, zero = np.ones(G.turns, np.bool_), G.values < 1e6 * _NEXT_TO_NOTHING
    if G.timeline is not None:
        opened, notes = _open_rows(G.timeline, zero)
        table.notes.extend(note for note in notes if "closed" in note)
    for i in np.flatnonzero(zero & opened).tolist():
        when = f"turn {i + 1}" if G.timeline is None else G.timeline.show(i)
        raise TableError(f"{table.source}: {when} adds up to 0: {remedy(0.0)}")
    line: Any = None if G.timeline is None else G.timeline.take(np.flatnonzero(opened))
    return Multiplier(G.values[opened], line, G.name)


def any_table(source: Any, conventions: Conventions, name: str = _FRAME) -> FileTable:
    """The table of a file or DataFrame; an index of times is its first column."""
    if isinstance(source, str | PathLike):
        return read_table(Path(source), *conventions)
    frame = source.to_pandas() if hasattr(source, "to_pandas") else source  # of Polars
    if hasattr(frame.index, "to_timestamp"):
        frame = frame.to_timestamp()
    if frame.index.dtype.kind == "M":
        frame = frame.rename_axis(frame.index.name or "time").reset_index()
    return table_of(frame, name, conventions)


def _calendar(
    table: FileTable, column: Column, zone: str | None, values: Values, add: bool
) -> tuple[Timeline, NDArray[np.intp]]:
    """When the turns are, and the rows in their order: many exports begin with the newest.

    A day that is there twice counts once; rows of the same time with other values are a mistake,
    unless they are to `add` up.
    """
    stamps, where = table.times(column), table.where(column)
    times, rows = stamps.instants, np.arange(values.size)
    if times[0] > times[-1] and np.all(times[1:] <= times[:-1]):
        table.notes.append("its rows run from the newest to the oldest and are turned round")
        rows = rows[::-1]
    again = np.append(False, times[rows][1:] == times[rows][:-1])
    if add:
        values[rows[~again]] = np.add.reduceat(values[rows], np.flatnonzero(~again))
    else:
        again[1:] &= values[rows][1:] == values[rows][:-1]
        again &= times[rows].astype("datetime64[D]") == times[rows]  # an hour may come twice
    for i in rows[again][:1].tolist():
        what = "added up" if add else "left out, with the same value"
        table.notes.append(f"{counted(int(again.sum()), 'row')} of a time that is there twice "
                           f"{'is' if again.sum() == 1 else 'are'} {what}, the first at "
                           f"{table.unit} {table.lines[i]} ({format_time(times[i])})")  # fmt: skip
    rows = rows[~again]
    kept = Stamps(times[rows], stamps.zones[rows])
    return Timeline.of(kept, zone, lambda i: where(int(rows[i]))), rows


def _open_rows(
    line: Timeline, zero: NDArray[np.bool_], to_join: bool = False
) -> tuple[NDArray[np.bool_], list[str]]:
    """Which rows are turns: zeros of closed times are not; and notes on these and missing turns."""
    try:
        grid, places, zone = Calendar.around(line, idle=zero)
    except MultiplierError as reason:  # uneven
        if isinstance(reason, SparseError) and not to_join:
            raise
        return np.ones(zero.size, np.bool_), []
    opened, notes = grid.is_open(np.arange(int(places[-1]) + 1), zone), []
    rows = ~zero | opened[places]
    if not rows.all():
        notes.append(f"{counted(int((~rows).sum()), 'zero')} at closed times are no turns")
    opened[places] = False
    missing = np.flatnonzero(opened)
    if missing.size and (grid.step is None or grid.step >= np.timedelta64(1, "m")):
        unit = grid.every if grid.every.isalpha() else "turn"
        shown = [format_time(time) for time in grid.walls(missing[:_SHOWN], zone)]
        more = [f"{missing.size - _SHOWN} more"] if missing.size > _SHOWN else []
        notes.append(
            f"{counted(missing.size, unit)} {'is' if missing.size == 1 else 'are'} missing and no "
            f"turn: {', '.join(shown + more)}"
        )
    return rows, notes


def _check_values(table: FileTable, column: Column, values: Values) -> None:
    i = first_wrong(values)
    if i is None:
        return
    text, value = column.text(i), float(values[i])
    shown = repr(text if len(text) <= 60 else f"{text[:59]}…")
    reason = f"{shown} cannot be used: {remedy(value)}"
    if not text:
        reason = "the cell is empty: fill the gap, or drop the row"
    elif math.isnan(value) and text.lower().lstrip("+-") != "nan":
        reason = (
            f"{shown} is not a number: write it like the others, or plainly, such as 1234.5, "
            "or drop the row"
        )
    raise TableError(f"{table.where(column)(i)}: {reason}")


def as_multiplier(x: Any, turns: int | None = None, *, floor: float | None = None) -> Multiplier:
    """Turn whatever a user passes as G into a multiplier.

    Args:
        x: A Multiplier, a Forecast, a sequence of numbers, a pandas Series or DataFrame, the path
            of a CSV, Excel or Parquet file, or the name of a shape (which needs ``turns``).
        turns: The number of turns; any other length is refused.
        floor: Raise values between 0 and the floor to it; for the zeros of closed hours.

    >>> as_multiplier("wave", turns=500)
    <Multiplier wave: 500 turns, 1.0002 to 41>
    >>> as_multiplier([1, 2, 3])
    <Multiplier values: 3 turns, 1 to 3>
    """
    multiplier = _coerced(x, turns, floor)
    if turns is not None and multiplier.turns != turns:
        raise MultiplierError(
            f"the multiplier {multiplier.name} has {multiplier.turns} turns, not {turns}: "
            "leave the number of turns out, or cut the multiplier with window()"
        )
    return multiplier


def _coerced(x: Any, turns: int | None, floor: float | None) -> Multiplier:
    if isinstance(x, str) and x in SHAPES:
        if turns is None:
            raise MultiplierError(f"the shape {x!r} needs a number of turns: pass turns=")
        x = SHAPES[x](turns)
    elif callable(made := getattr(x, "multiplier", None)):  # a Forecast
        x = made()
    if isinstance(x, Multiplier):
        return x if floor is None else x.floor(floor)
    if isinstance(x, PathLike) or (isinstance(x, str) and Path(x).suffix):
        return read(x, floor=floor)
    if isinstance(x, str):
        raise MultiplierError(
            f"unknown shape {x!r}. {did_you_mean(x, SHAPES)} A file is given by its path, such "
            "as traffic.csv"
        )
    if hasattr(x, "columns"):  # of pandas or Polars, neither of which is imported here
        return read(x, floor=floor)
    if hasattr(x, "to_numpy") and hasattr(x, "index"):
        return from_series(x, floor=floor)
    if isinstance(x, Number):  # before arrays: NumPy's numbers look like one
        raise MultiplierError(
            f"{x} is one number, not one per turn: for a constant G use constant(turns, value={x})"
        )
    if hasattr(x, "__array__") or (isinstance(x, Sequence) and not isinstance(x, bytes)):
        return from_values(x, floor=floor)
    raise MultiplierError(
        f"{type(x).__name__} is not a multiplier: give a Multiplier, a Forecast, numbers, a pandas "
        "Series or DataFrame, a path, or a shape's name"
    )
