"""Which column holds the times and which the values, where the user did not say."""

from collections.abc import Sequence

import numpy as np

from highseason.multipliers.errors import MultiplierError
from highseason.multipliers.instants import parse
from highseason.multipliers.tables import Column, Table
from highseason.multipliers.times import TIME_FORMS, holds_times
from highseason.multipliers.wording import did_you_mean

TIME_NAMES = frozenset(
    "time date day hour minute week month timestamp datetime ds ts when period".split()
)
VALUE_NAMES = frozenset(
    "value traffic customers visitors footfall pageviews views orders count y g".split()
)
COUNTER_NAMES = frozenset("t turn index row".split())


def named_column(table: Table, name: str, option: str) -> Column:
    """Return the column of that name.

    >>> table = Table("shop.csv", (Column(1, "orders", ["3"]),), "line", [2])
    >>> named_column(table, "order", "value")
    Traceback (most recent call last):
    ...
    highseason.multipliers.errors.MultiplierError: shop.csv has no column 'order' for value=; \
did you mean 'orders'? Its columns: orders
    """
    found = [column for column in table.columns if column.name == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise MultiplierError(
            f"{table.source} has {len(found)} columns called {name!r}: rename all but one"
        )
    known = [column.name for column in table.columns]
    hint = did_you_mean(name, known) or "."
    raise MultiplierError(
        f"{table.source} has no column {name!r} for {option}={hint} Its columns: {', '.join(known)}"
    )


def find_time(table: Table) -> Column | None:
    """Return the time column: by its usual name, else the first whose cells are all ISO dates."""
    if len(table.columns) == 1:
        return None
    named = [column for column in table.columns if _called(column, TIME_NAMES)]
    likely = [column for column in named if holds_times(column)]
    if len(likely) > 1:
        raise MultiplierError(_choose(table, likely, "time"))
    if likely:
        return likely[0]
    for column in table.columns:
        if _only_dates(column):
            return column
    strange = [column for column in named if not _counts_turns(column)]
    if strange:
        # Going on without a calendar would lose the user's dates without a word.
        cell, where = strange[0].cells[0], table.where(strange[0])
        raise MultiplierError(
            f"{where(0)}: {str(cell)!r} is not a time: write {TIME_FORMS}; "
            "or rename the column if it holds no times"
        )
    return None


def find_value(table: Table, time: Column | None) -> Column:
    """Return the value column: the only one left, the only numeric one, else by usual name."""
    left = [column for column in table.columns if column is not time and not _is_side(column)]
    if len(table.columns) == 1:
        left = list(table.columns)
    if len(left) == 1:
        return left[0]
    numeric = [column for column in left if _numeric_share(column) > 0.5]
    if len(numeric) == 1:
        return numeric[0]
    usual = [column for column in numeric if _called(column, VALUE_NAMES)]
    if len(usual) == 1:
        return usual[0]
    if numeric:
        raise MultiplierError(_choose(table, usual or numeric, "value"))
    names = ", ".join(column.name for column in table.columns)
    raise MultiplierError(f"{table.source} has no column of numbers beside its times: {names}")


def _only_dates(column: Column) -> bool:
    # The first cell settles it for most columns, without reading a million others.
    return parse(str(column.cells[0])) is not None and all(column.stamps)


def _called(column: Column, names: frozenset[str]) -> bool:
    return column.header is not None and column.header.lower() in names


def _is_side(column: Column) -> bool:
    """Say whether a column numbers or dates the rows rather than measures anything."""
    nameless = column.header is None and column.position == 1
    counter = nameless or _called(column, COUNTER_NAMES)
    return _called(column, TIME_NAMES) or (counter and _counts_turns(column))


def _counts_turns(column: Column) -> bool:
    numbers = column.numbers
    return bool(numbers[0] in (0.0, 1.0) and np.all(np.diff(numbers) == 1.0))


def _numeric_share(column: Column) -> float:
    return float(np.mean(~np.isnan(column.numbers)))


def _choose(table: Table, candidates: Sequence[Column], option: str) -> str:
    names = ", ".join(column.name for column in candidates)
    return (
        f"{table.source} has several columns that could be the {option} column: {names}; "
        f"choose one, such as {option}={candidates[0].name!r}"
    )
