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
#: What a turn may have brought, by what a report calls it: of arms, and of arms that are prices.
_BROUGHT = {"reward": ("reward",), "purchases": ("purchases", "takings")}
#: Other names of columns; `price` only where arms are prices.
_ALSO = {"turn": "t", "price": "arm"}


class Report(NamedTuple):
    """One row of `update_many`: the arm, what its turn brought in all, and the visitors."""

    arm: Any
    reward: Any = None
    t: Any = None
    visitors: Any = None
    purchases: Any = None
    takings: Any = None


def reports_of(rows: Any, called: str = "reward") -> list[Report]:
    """The reports that rows, or the rows of a table, make; `called` is what a turn brought."""
    table = _table(rows)
    if table is not None:
        names, records = table
        _check_names(names, called)
        return [Report(**_record(record)) for record in records]
    return [_report(number, row, called) for number, row in enumerate(rows, start=1)]


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


def _report(number: int, row: Mapping[str, Any] | Sequence[Any], called: str) -> Report:
    try:
        if isinstance(row, Mapping) and {"reward", *_BROUGHT[called]} & row.keys():
            return Report(**{_ALSO.get(name, name): value for name, value in row.items()})
        # The letters of a text are no arm and no reward.
        if isinstance(row, str | Mapping) or not 1 < len(row) < 5:
            raise TypeError
        names = ("arm", called, "t", "visitors")
        return Report(**dict(zip(names, row, strict=False)))
    except TypeError:
        raise BanditError(
            f"row {number} must be ({'arm' if called == 'reward' else 'price'}, {called}, t, "
            f"visitors), the last two optional, got {row!r}"
        ) from None


def _table(table: Any) -> tuple[list[Any], list[dict[str, Any]]] | None:
    """The columns and rows of a table, known by what its library offers; None for others."""
    if isinstance(table, Mapping):
        names, cells = list(table), [list(column) for column in table.values()]
        if len(set(map(len, cells))) > 1:
            raise BanditError("the columns of a table must have the same number of rows")
        rows = [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]
    elif hasattr(table, "to_pylist") and hasattr(table, "column_names"):  # Arrow
        names, rows = table.column_names, table.to_pylist()
    elif hasattr(table, "to_dicts") and hasattr(table, "columns"):  # Polars
        names, rows = table.columns, table.to_dicts()
    elif hasattr(table, "to_dict") and hasattr(table, "columns"):  # pandas
        names, rows = table.columns, table.to_dict("records")
    elif hasattr(table, "__arrow_c_stream__"):
        arrow = require("pyarrow", extra="files", purpose="reading this table")
        return _table(arrow.table(table))
    else:
        return None
    return list(names), rows


def _check_names(names: list[Any], called: str) -> None:
    brought, arm = _BROUGHT[called], "arm" if called == "reward" else "price"
    known = (arm, *brought, "t", "turn", "visitors")
    for name in names:
        if name not in (*known, "arm"):
            people = name in ("traffic", "customers")
            hint = "Call it `visitors`." if people else did_you_mean(str(name), known)
            raise BanditError(f"a table of reports has no column {name!r}. {hint}")
    for name, other in _ALSO.items():
        if {name, other} <= set(names):
            raise BanditError(f"`{other}` and `{name}` are the same column: drop one of them")
    for needed in ((arm, "arm"), brought):
        if not set(needed) & set(names):
            raise BanditError(f"a table of reports needs the column {needed[0]!r}; it has {names}")


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    record = {_ALSO.get(name, name): value for name, value in row.items()}
    for name in ("t", "visitors", "purchases", "takings"):
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
