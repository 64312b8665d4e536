"""Multipliers from a user's own data: arrays, pandas Series, CSV and Parquet files."""

import math
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from highseason.multipliers.calendars import Moments
from highseason.multipliers.columns import find_time, find_value, named_column
from highseason.multipliers.csv_files import read_csv
from highseason.multipliers.errors import MultiplierError
from highseason.multipliers.parquet_files import read_parquet
from highseason.multipliers.series import Multiplier
from highseason.multipliers.tables import Column, Reader, Table, read_table
from highseason.multipliers.times import calendar_of
from highseason.multipliers.validation import Values, floored, remedy, to_values
from highseason.multipliers.zones import zone_of

READERS: dict[str, Reader] = {
    ".csv": read_csv,
    ".csv.gz": read_csv,
    ".tsv": read_csv,
    ".tsv.gz": read_csv,
    ".parquet": read_parquet,
}
"""Which reader stands for which ending of a file's name."""


def from_values(
    array: ArrayLike,
    calendar: object = None,
    name: str = "values",
    *,
    floor: float | None = None,
    zone: str | None = None,
) -> Multiplier:
    """Make a multiplier of a sequence of numbers.

    Args:
        array: One number per turn.
        calendar: One time per turn (dates, datetimes, ISO texts or ``datetime64``), or None.
        name: A label for tables and figures.
        floor: Raise values from 0 up to it to it; for the zeros of closed hours.
        zone: The time zone whose days and hours count, such as ``"Europe/Rome"``. Times that
            say their zone are converted to it; others are taken as what its clock says.

    >>> from_values([0, 40], floor=1).values
    array([ 1., 40.])
    """
    values = floored(to_values(array), floor)
    return Multiplier(values, calendar, name, zone)  # type: ignore[arg-type]  # turned into an array there


def from_series(series: Any, *, floor: float | None = None, name: str | None = None) -> Multiplier:
    """Make a multiplier of a pandas Series; a DatetimeIndex or PeriodIndex is its calendar.

    >>> import pandas as pd
    >>> days = pd.date_range("2013-12-25", periods=2)
    >>> from_series(pd.Series([10, 60], index=days, name="visitors"))
    <Multiplier visitors: 2 turns, 10 to 60, 2013-12-25 to 2013-12-26>
    """
    try:
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):  # text somewhere: let the message name the turn
        values = series.to_numpy()
    label = "series" if series.name is None else str(series.name)
    return from_values(values, _index_times(series.index), name or label, floor=floor)


def _index_times(index: Any) -> object:
    if hasattr(index, "to_timestamp"):
        index = index.to_timestamp()
    if getattr(index, "tz", None) is not None:
        return _zoned(index)
    times = np.asarray(index)
    return times if times.dtype.kind == "M" else None


def _zoned(index: Any) -> object:
    offset = None if index.hasnans else index[0].utcoffset() if len(index) else None
    zone = zone_of(index.tz, offset)
    return Moments(np.asarray(index.tz_convert("UTC").tz_localize(None)), zone)


def read(
    path: str | PathLike[str],
    time: str | None = None,
    value: str | None = None,
    floor: float | None = None,
    name: str | None = None,
    zone: str | None = None,
) -> Multiplier:
    r"""Read a multiplier from a CSV file (also gzipped) or a Parquet file.

    A plain list of numbers will do. With several columns the time column is the one with a
    usual name (``time``, ``date``, ``day``, ``hour``, …) or the first that holds only ISO
    dates; the value column is the only numeric one left or the one with a usual name
    (``value``, ``visitors``, ``orders``, …). Where that leaves a choice, the error lists it.

    Args:
        path: The file; its name ends in ``.csv``, ``.csv.gz``, ``.tsv``, ``.tsv.gz`` or
            ``.parquet``.
        time: The time column: ISO dates and times, or unix seconds (which are in UTC).
        value: The value column.
        floor: Raise values from 0 up to it to it; for the zeros of closed hours. Empty cells stay
            an error: nobody counted is not the same as nobody came. If hours will be joined
            to days (``resample``), a tiny floor such as 1e-9 leaves the sums what they are.
        name: A label; by default the value column if named, else the file's name.
        zone: The time zone whose days and hours count, such as ``"Europe/Rome"``; by default
            the one that the times say, if they all say the same. Times that differ in their
            offset (+01:00 in winter, +02:00 in summer) need it: else they count in UTC, with
            a warning.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "shop.csv"
    ...     _ = path.write_text("day,visitors\n2013-12-25,0\n2013-12-26,60\n")
    ...     read(path, floor=1)
    <Multiplier shop: 2 turns, 1 to 60, 2013-12-25 to 2013-12-26>
    """
    path = Path(path)
    table = read_table(path, READERS)
    values_column = None if value is None else named_column(table, value, "value")
    times_column = find_time(table) if time is None else named_column(table, time, "time")
    if values_column is None:
        values_column = find_value(table, times_column)
    if values_column is times_column:
        raise MultiplierError(f"{path}: column {values_column.name!r} cannot be time and value")
    calendar = None if times_column is None else calendar_of(table, times_column, zone)
    values = _values(table, values_column, floor)
    name = name or value or path.name.split(".")[0] or path.name
    return Multiplier(values, calendar, name)  # type: ignore[arg-type]  # turned into an array there


def _values(table: Table, column: Column, floor: float | None) -> Values:
    values = floored(column.numbers, floor)
    wrong = np.flatnonzero(~((values > 0) & np.isfinite(values)))
    if wrong.size:
        i = int(wrong[0])
        where = table.where(column)(i)
        raise MultiplierError(f"{where}: {_cell_complaint(column.cells[i], float(values[i]))}")
    return values


def _cell_complaint(cell: Any, value: float) -> str:
    text = "" if cell is None else str(cell)
    if not text:
        return "the cell is empty: fill the gap, or drop the row"
    if math.isnan(value) and text.lower().lstrip("+-") != "nan":
        return (
            f"{text!r} is not a number: write it plainly, such as 1234.5 "
            "(no thousands separator, no unit), or drop the row"
        )
    return f"{text!r} cannot be used: {remedy(value)}"
