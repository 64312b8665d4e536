"""Reports and histories as people have them: rows, DataFrames of pandas or Polars, Arrow tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.errors import BanditError
from highseason.core.extras import require
from highseason.core.specs import did_you_mean
from highseason.traffic.files import table_of
from highseason.traffic.timeline import Timeline

#: Reports, or a table of them.
Rows: TypeAlias = Iterable[Mapping[str, Any] | Sequence[Any]] | Any
#: The columns of a table; `turn` is another name for `t`.
_COLUMNS = ("arm", "reward", "t", "turn", "visitors")


class Report(NamedTuple):
    """One row of `update_many`: the arm, its turn's total reward, and the visitors."""

    arm: Any
    reward: Any
    t: Any = None
    visitors: Any = None


def reports_of(rows: Any) -> list[Report]:
    """The reports that rows, or the rows of a table, make."""
    records = _records(rows)
    if records is not None:
        return [Report(**record) for record in records]
    return [_report(number, row) for number, row in enumerate(rows, start=1)]


def in_order(reports: list[Report]) -> list[Report]:
    """The reports by their turn, where they have one."""
    turns: Any = [report.t for report in reports]
    if all(turn is None for turn in turns):
        return reports
    try:
        if all(isinstance(turn, str) for turn in turns):
            turns = _places(turns)
        return [reports[row] for row in sorted(range(len(turns)), key=turns.__getitem__)]
    except TypeError:
        raise BanditError(
            "the rows cannot be put in order: give each a turn, all numbers or all times, or none"
        ) from None


def _places(texts: list[str]) -> NDArray[Any]:
    """Where turns come that are written as text: dates as people write them, or numbers."""
    import pandas as pd

    table = table_of(pd.DataFrame({"turn": texts}), "the history")
    try:
        dated = Timeline.of_rows(table, table.columns[0], "UTC")
    except ValueError as reason:  # `fit` has no option that says their order
        text = str(reason).partition(": pass dates=")[0]
        raise BanditError(f"{text}: write dates as 2024-12-31") from reason
    table.tell()
    places = table.columns[0].numbers if dated is None else dated[1]
    if np.isnan(places).any():
        raise TypeError
    return places


def _report(number: int, row: Mapping[str, Any] | Sequence[Any]) -> Report:
    try:
        if isinstance(row, str):  # its letters would be taken for an arm and a reward
            raise TypeError
        return Report(**row) if isinstance(row, Mapping) else Report(*row)
    except TypeError:
        raise BanditError(
            f"row {number} must be (arm, reward, t, visitors), the last two optional, got {row!r}"
        ) from None


def _records(table: Any) -> list[dict[str, Any]] | None:
    """The rows of a table, whose libraries are recognised by what they offer; None for others."""
    if hasattr(table, "to_pylist") and hasattr(table, "column_names"):  # Arrow
        names, rows = table.column_names, table.to_pylist()
    elif hasattr(table, "to_dicts") and hasattr(table, "columns"):  # Polars
        names, rows = table.columns, table.to_dicts()
    elif hasattr(table, "to_dict") and hasattr(table, "columns"):  # pandas
        names, rows = table.columns, table.to_dict("records")
    elif hasattr(table, "__arrow_c_stream__"):
        arrow = require("pyarrow", extra="files", purpose="reading this table")
        return _records(arrow.table(table))
    else:
        return None
    _check_names(list(names))
    return [_record(row) for row in rows]


def _check_names(names: list[Any]) -> None:
    for name in names:
        if name not in _COLUMNS:
            people = name in ("traffic", "customers")
            hint = "Call it `visitors`." if people else did_you_mean(str(name), _COLUMNS)
            raise BanditError(f"a table of reports has no column {name!r}. {hint}")
    if {"t", "turn"} <= set(names):
        raise BanditError("`t` and `turn` are the same column: drop one of them")
    for name in ("arm", "reward"):
        if name not in names:
            raise BanditError(f"a table of reports needs the column {name!r}; it has {names}")


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    record = {"t" if name == "turn" else name: value for name, value in row.items()}
    for name in ("t", "visitors"):
        if _is_missing(record.get(name)):
            record[name] = None
    turn = record.get("t")
    if isinstance(turn, float) and turn.is_integer():  # pandas, where another turn is missing
        record["t"] = int(turn)
    return record


def _is_missing(value: Any) -> bool:
    """None, NaN, and what pandas calls NaT and NA, neither of which may be compared."""
    lacks = type(value).__name__ in ("NaTType", "NAType")
    return value is None or lacks or (isinstance(value, float) and value != value)
