"""Frames: estimates as columns and in words, rows by their values, excerpts for pages, files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from highseason.core.text import with_range
from highseason.engine import Estimate, Table, with_interval

if TYPE_CHECKING:
    import pandas as pd

Rows = list[dict[str, Any]]

#: The columns of an estimate: the value has the bare name.
_ENDS = ("", "_se", "_low", "_high")


def columns(name: str, estimate: Estimate | None) -> dict[str, float]:
    """An estimate as four columns; NaN where there is none.

    >>> columns("gain", Estimate(0.1, 0.01, 0.08, 0.12))
    {'gain': 0.1, 'gain_se': 0.01, 'gain_low': 0.08, 'gain_high': 0.12}
    """
    e = estimate or Estimate(*(math.nan,) * 4)
    return dict(zip((name + end for end in _ENDS), (e.value, e.error, e.low, e.high), strict=True))


def estimate(row: Mapping[Any, Any], name: str) -> Estimate:
    """The estimate in four columns of a row."""
    return Estimate(*(row[f"{name}{end}"] for end in _ENDS))


def ranged(row: Any, name: str, digits: int = 1) -> str:
    """The change in the columns of a row, as a percentage with its interval."""
    value, low, high = (getattr(row, f"{name}{end}") for end in ("", "_low", "_high"))
    return with_range(value, low, high, digits)


def estimates(
    frame: pd.DataFrame, name: str, row: str = "title", series: str = "policy"
) -> dict[str, dict[str, Estimate]]:
    """Estimates by two columns, as interval plots take them."""
    rows: dict[str, dict[str, Estimate]] = {}
    for each in frame.to_dict("records"):
        rows.setdefault(each[row], {})[each[series]] = estimate(each, name)
    return rows


def averaged(rows: pd.DataFrame, name: str) -> Estimate:
    """The mean of an estimate over settings, whose games are independent."""
    errors = rows[f"{name}_se"]
    return with_interval(
        float(rows[name].mean()), math.sqrt(float((errors**2).sum())) / len(errors)
    )


def where(frame: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """The rows in which each column has the value given, or one of several."""
    for name, value in values.items():
        several = isinstance(value, Iterable) and not isinstance(value, str)
        frame = frame[frame[name].isin(list(value) if several else [value])]
    return frame


def excerpt(frame: pd.DataFrame, shown: Mapping[str, tuple[str, str]]) -> Table:
    """Some columns as a table: for each its heading and its format."""
    rows = zip(*(frame[name].tolist() for name in shown), strict=True)
    headings, formats = zip(*shown.values(), strict=True)
    return Table(headings, tuple(rows), formats)


def write(frame: pd.DataFrame, folder: Path, name: str) -> list[Path]:
    """Write `name.csv`, and `name.parquet` if pyarrow is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    table, binary = folder / f"{name}.csv", folder / f"{name}.parquet"
    frame.to_csv(table, index=False, lineterminator="\n")
    try:
        frame.to_parquet(binary, index=False)
    except ImportError:
        return [table]
    return [table, binary]
