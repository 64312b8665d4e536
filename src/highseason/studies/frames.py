"""Frames: estimates as columns, rows by their values, excerpts for pages, files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from highseason.results import Estimate, Table

if TYPE_CHECKING:
    import pandas as pd

#: The columns of an estimate: the value has the bare name.
_ENDS = ("", "_se", "_low", "_high")


def columns(name: str, estimate: Estimate) -> dict[str, float]:
    """An estimate as four columns.

    >>> columns("gain", Estimate(0.1, 0.01, 0.08, 0.12))
    {'gain': 0.1, 'gain_se': 0.01, 'gain_low': 0.08, 'gain_high': 0.12}
    """
    values = (estimate.value, estimate.error, estimate.low, estimate.high)
    return {f"{name}{end}": value for end, value in zip(_ENDS, values, strict=True)}


def estimate(row: Mapping[Any, Any], name: str) -> Estimate:
    """The estimate in four columns of a row."""
    return Estimate(*(row[f"{name}{end}"] for end in _ENDS))


def estimates(
    frame: pd.DataFrame, name: str, row: str = "title", series: str = "policy"
) -> dict[str, dict[str, Estimate]]:
    """Estimates by two columns, as interval plots take them."""
    rows: dict[str, dict[str, Estimate]] = {}
    for each in frame.to_dict("records"):
        rows.setdefault(each[row], {})[each[series]] = estimate(each, name)
    return rows


def where(frame: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """The rows in which columns have these values."""
    for name, value in values.items():
        frame = frame[frame[name] == value]
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
