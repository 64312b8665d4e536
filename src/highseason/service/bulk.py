"""Many rows in one statement.

The interpreter is given up at each statement, and other threads take it: with a statement per row,
a transaction would wait for them as often as it has rows.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Table

from highseason.service.model import Outcome
from highseason.service.tables import decisions

#: The most rows in one statement; a statement may have 32,766 parameters.
ROWS = 500


def insert_rows(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows, all of which have the same columns."""
    for part in _parts(rows):
        columns = tuple(part[0])
        statement = _insertion(table.name, columns, len(part), _mark(connection))
        values = tuple(row[name] for row in part for name in columns)
        connection.exec_driver_sql(statement, values)


def set_outcomes(connection: Connection, experiment: str, outcomes: Sequence[Outcome]) -> None:
    """Write the rewards and visitors of decided turns."""
    for part in _parts(outcomes):
        rewards = [value for one in part for value in (one.turn, one.reward)]
        visitors = [value for one in part for value in (one.turn, one.visitors)]
        turns = [one.turn for one in part]
        statement = _update(len(part), _mark(connection))
        connection.exec_driver_sql(statement, (*rewards, *visitors, experiment, *turns))


def _parts(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (rows[i : i + ROWS] for i in range(0, len(rows), ROWS))


def _mark(connection: Connection) -> str:
    """The driver's mark for a parameter."""
    return "?" if connection.dialect.name == "sqlite" else "%s"


@lru_cache(maxsize=2000)
def _insertion(table: str, columns: tuple[str, ...], rows: int, mark: str) -> str:
    row = "(" + ", ".join([mark] * len(columns)) + ")"
    names = ", ".join(f'"{name}"' for name in columns)
    return f"INSERT INTO {table} ({names}) VALUES " + ", ".join([row] * rows)


@lru_cache(maxsize=2000)
def _update(rows: int, mark: str) -> str:
    cast = mark if mark == "?" else f"CAST({mark} AS DOUBLE PRECISION)"
    cases = f"CASE turn {f'WHEN {mark} THEN {cast} ' * rows}END"
    turns = ", ".join([mark] * rows)
    return (
        f"UPDATE {decisions.name} SET reward = {cases}, visitors = {cases} "
        f"WHERE experiment = {mark} AND turn IN ({turns})"
    )
