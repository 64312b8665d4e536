"""Histories: successes and visitors by turn and arm, from tables and event logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import did_you_mean
from highseason.core.text import counted, exact
from highseason.traffic.columns import Column, FileTable, plain_name
from highseason.traffic.dates import Order
from highseason.traffic.files import Conventions, read_table, table_of
from highseason.traffic.numerals import Mark
from highseason.traffic.series import Period, periods
from highseason.traffic.timeline import Timeline

if TYPE_CHECKING:
    import pandas as pd

#: What columns are called, most telling first.
_NAMES = {
    "turn": ("turn", "date", "day", "hour", "week", "time", "timestamp", "datum"),
    "arm": ("arm", "variant", "item_id", "item", "product", "price"),
    "successes": (
        "successes", "clicks", "click", "orders", "purchases", "conversions", "buyers", "sales",
        "reward", "sum", "bestellungen", "käufe", "verkäufe", "commandes", "pedidos", "ordini",
    ),
    "visitors": (
        "visitors", "impressions", "views", "pageviews", "sessions", "trials", "unique visitors",
        "besucher", "sitzungen", "besuche", "visiteurs", "visitantes", "visitatori", "bezoekers",
    ),
    "squares": ("squares",),
}  # fmt: skip
#: The same of sales, where an arm is a price, and purchases may be known by what they brought.
_OF_SALES = {
    "turn": _NAMES["turn"],
    "arm": ("price", "unit price", "preis", "verkaufspreis", "prix", "precio", "prezzo", "prijs"),
    "successes": (*_NAMES["successes"], "sold"),
    "visitors": _NAMES["visitors"],
    "takings": ("takings", "revenue", "turnover", "umsatz", "erlös", "ingresos", "ricavi", "omzet"),
}  # fmt: skip
#: What a column of sales is called in messages.
_CALLED = {"turn": "date", "arm": "price", "successes": "purchases", "visitors": "visitors"}


@dataclass(frozen=True, eq=False)
class VisitorHistory:
    """One entry per turn and arm that was shown in it.

    Attributes:
        turn: The index of the turn.
        arm: The index of the arm.
        successes: How many visitors bought; the sum of their rewards where `squares` are known.
        visitors: How many came.
        squares: The sum of squared rewards, for rewards other than 0 and 1; None for successes.
        turns: What the turns are called.
        arms: What the arms are called.
    """

    turn: NDArray[np.int64]
    arm: NDArray[np.int64]
    successes: NDArray[np.float64]
    visitors: NDArray[np.float64]
    squares: NDArray[np.float64] | None
    turns: NDArray[Any]
    arms: tuple[str, ...]

    @property
    def visitors_per_turn(self) -> NDArray[np.float64]:
        """Over all arms."""
        return np.bincount(self.turn, self.visitors, self.turns.size).astype(np.float64)


def read_history(
    frame: pd.DataFrame | str | Path,
    every: str | None = None,
    *,
    zone: str | None = None,
    dates: Order | None = None,
    decimal: Mark | None = None,
    **columns: str | None,
) -> VisitorHistory:
    """A history out of a table or a file, which are read as `hs.traffic.read` reads them.

    Rows of the same turn and arm are added up.  A `FileNote` says what was assumed: how dates and
    numbers were read, and which rows were added up or, without a turn or an arm, left out.

    Args:
        frame: A table with a row per turn and arm (turn, arm, successes, visitors), or an event log
            with a row per visitor (turn or time, arm, reward); or a file of one, as CSV, Excel or
            Parquet.  Without an arm there is one arm.
        every: Gather times into turns of this length, such as "1D", "1h" or "1W" (from Monday).
            Events with times are gathered into days.
        zone: The time zone whose days and hours count, such as "Europe/Rome".
        dates: The order of day, month and year, if the table leaves it open: dmy, mdy or ymd.
        decimal: The decimal mark, if the table leaves it open: a comma or a point.
        **columns: The names of the columns `turn`, `arm`, `successes`, `visitors` and `squares`
            where they are not obvious.

    >>> import pandas as pd
    >>> log = pd.DataFrame({"day": [1, 1, 1, 2], "arm": list("abba"), "click": [0, 1, 0, 1]})
    >>> history = read_history(log)
    >>> history.visitors, history.successes
    (array([1., 2., 1.]), array([0., 1., 1.]))
    """
    table = _table(frame, dates, decimal)
    for role in columns.keys() - _NAMES.keys():
        raise ValueError(f"unknown column {role!r}. {did_you_mean(role, _NAMES)}")
    found = {role: _find(table, role, columns.get(role)) for role in _NAMES}
    for role in ("turn", "successes"):
        if found[role] is None:
            names = [column.name for column in table.columns]
            raise ValueError(
                f"no column for the {role}: the columns are {', '.join(names)}; name one, such as "
                f"{role}={names[0]!r}"
            )
    table, found = _without_blanks(table, found)
    history = _gathered(table, found, every, zone)
    table.tell()
    return history


def read_sales(
    frame: pd.DataFrame | str | Path,
    *,
    zone: str | None = None,
    dates: Order | None = None,
    decimal: Mark | None = None,
) -> pd.DataFrame:
    """Past sales, a row for each day and price, as `Bandit.fit` takes them.

    Rows of the same day and price are added up.

    Args:
        frame: A table with a date, a price, visitors, and purchases or what they brought (takings),
            under the names that people give them; or a file of one, as CSV, Excel or Parquet.
        zone: As in `read_history`.
        dates: As in `read_history`.
        decimal: As in `read_history`.

    Returns:
        The columns t (the days, counted from 1), price, purchases and visitors.

    >>> import pandas as pd
    >>> days = {"Datum": ["1.3.2026", "2.3.2026"], "Preis": [9.99, 10.99]}
    >>> sold = {"Bestellungen": [12, 9], "Besucher": [300, 280]}
    >>> read_sales(pd.DataFrame(days | sold), dates="dmy").values.tolist()
    [[1.0, 9.99, 12.0, 300.0], [2.0, 10.99, 9.0, 280.0]]
    """
    import pandas as pd

    table = _table(frame, dates, decimal)
    found: dict[str, Any] = {role: _find(table, role, None, _OF_SALES) for role in _OF_SALES}
    takings = None if found["successes"] is not None else found["takings"]
    found["successes"] = found["successes"] or takings
    found["turn"] = found["turn"] or table.find_time()
    for role, called in _CALLED.items():
        if found[role] is None:
            names = ", ".join(column.name for column in table.columns)
            also = " or the takings" if role == "successes" else ""
            raise ValueError(
                f"{table.source}: no column for the {called}{also}: the columns are {names}; "
                f"rename one to {called!r}"
            )
    table, found = _without_blanks(table, found)
    prices = table.numbers(found["arm"])
    for i in np.flatnonzero(~((prices > 0) & np.isfinite(prices))).tolist():
        where, text = table.where(found["arm"])(i), found["arm"].text(i)
        raise ValueError(f"{where}: expected a price above 0, got {text!r}")
    found["arm"] = replace(found["arm"], cells=pd.Series(list(map(exact, prices.tolist()))))
    if takings is not None:
        sold = _sold(table, found["successes"], prices)
        found["successes"] = replace(found["successes"], cells=pd.Series(sold))
    bought, came = (_numbers(table, found[role]) for role in ("successes", "visitors"))
    for i in np.flatnonzero(bought > came).tolist():
        raise ValueError(
            f"{table.where(found['successes'])(i)}: {bought[i]:g} purchases from {came[i]:g} "
            "visitors. Are these pieces? Give orders: how many of the visitors bought"
        )
    is_dated = found["turn"].time_reading.share > 0.5
    history = _gathered(table, found | {"squares": None}, "1D" if is_dated else None, zone)
    table.tell()
    columns = {"t": history.turn + 1, "price": np.array(history.arms, float)[history.arm]}
    return pd.DataFrame(
        columns | {"purchases": history.successes, "visitors": history.visitors}
    ).sort_values(["t", "price"], ignore_index=True)


def _sold(table: FileTable, column: Column, prices: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many sales takings are, to the cent."""
    takings = _numbers(table, column)
    sold = np.rint(takings / prices)
    for i in np.flatnonzero(np.abs(sold * prices - takings) >= 0.005 + 1e-9 * takings).tolist():
        raise ValueError(
            f"{table.where(column)(i)}: {takings[i]:.2f} is no whole number of sales at "
            f"{exact(float(prices[i]))}: add a column of purchases"
        )
    return sold


def _table(
    frame: pd.DataFrame | str | Path, dates: Order | None, decimal: Mark | None
) -> FileTable:
    import pandas as pd

    if isinstance(frame, pd.DataFrame):
        return table_of(frame, "the history", Conventions(dates, decimal))
    return read_table(Path(frame), dates, decimal)


def _without_blanks(
    table: FileTable, found: dict[str, Column | None]
) -> tuple[FileTable, dict[str, Any]]:
    """The rows with a turn and an arm."""
    table = table.without_blanks(*(one for role in ("turn", "arm") if (one := found[role])))
    return table, {role: one and table.columns[one.position - 1] for role, one in found.items()}


def _find(
    table: FileTable,
    role: str,
    given: str | None,
    names: Mapping[str, Sequence[str]] = _NAMES,
) -> Column | None:
    if given is not None:
        return table.column(given, role)
    every = ((name, column) for name in names[role] for column in table.columns)
    named = [column for name, column in every if column.is_called(frozenset((plain_name(name),)))]
    if rest := ", ".join(repr(one.name) for one in named[1:]):
        table.notes.append(f"column {named[0].name!r} is taken for the {role}, not {rest}")
    return named[0] if named else None


def _gathered(
    table: FileTable, found: dict[str, Any], every: str | None, zone: str | None
) -> VisitorHistory:
    import pandas as pd

    numbers = {
        role: _numbers(table, column)
        for role in ("successes", "visitors", "squares")
        if (column := found[role]) is not None
    }
    rewards, is_log = numbers["successes"], "visitors" not in numbers
    visitors = numbers.get("visitors", np.ones(rewards.size))
    binary = bool(np.isin(rewards, (0.0, 1.0)).all()) if is_log else "squares" not in numbers
    if binary and (rewards > visitors).any():
        row = int(np.flatnonzero(rewards > visitors)[0])
        raise ValueError(
            f"row {row + 1} has {rewards[row]:g} successes of {visitors[row]:g} visitors: for sums "
            "of money, give the sum of their squares too (squares='column'), or a log of events"
        )
    arm = found["arm"]
    turns, turn = _turns(table, found["turn"], every, is_log, zone)
    rows = pd.DataFrame(
        {
            "turn": turn,
            "arm": "all" if arm is None else arm.texts,
            "successes": rewards,
            "visitors": visitors,
            "squares": numbers.get("squares", rewards**2 if is_log else rewards),
        }
    )
    again = rows.duplicated(["turn", "arm"]).to_numpy()
    if again.any() and not (is_log or every):
        table.notes.append(
            f"{counted(int(again.sum()), 'row')} with the turn and the arm of another added to it, "
            f"the first at {table.unit} {table.lines[int(np.argmax(again))]}"
        )
    sums = rows[rows["visitors"] > 0].groupby(["turn", "arm"], as_index=False).sum()
    turn, held = pd.factorize(sums["turn"])
    arm_index, arms = pd.factorize(sums["arm"])
    return VisitorHistory(
        turn=turn.astype(np.int64),
        arm=arm_index.astype(np.int64),
        successes=sums["successes"].to_numpy(np.float64),
        visitors=sums["visitors"].to_numpy(np.float64),
        squares=None if binary else sums["squares"].to_numpy(np.float64),
        turns=turns[held],
        arms=tuple(map(str, arms)),
    )


def _numbers(table: FileTable, column: Column) -> NDArray[np.float64]:
    is_flag = column.cells.dtype.kind == "b"
    numbers = column.cells.to_numpy(np.float64) if is_flag else table.numbers(column)
    for i in np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0))).tolist():
        where = table.where(column)(i)
        raise ValueError(f"{where}: expected a number >= 0, got {column.text(i)!r}")
    return numbers


def _turns(
    table: FileTable, column: Column, every: str | None, is_log: bool, zone: str | None
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The turns as times if they are, as numbers, or else by their names; and that of each row."""
    dated = Timeline.of_rows(table, column, zone)
    if dated is None:
        for name, value in (("every", every), ("zone", zone)):
            if value is not None:
                where, text = table.where(column)(0), column.text(0)
                raise ValueError(
                    f"{where}: {name}= needs times, and {text!r} is none: leave it out"
                )
        names = column.texts if np.isnan(column.numbers).any() else column.numbers
        return np.unique(np.asarray(names), return_inverse=True)
    timeline, turn = dated
    if every or is_log:
        number, starts_of = periods(timeline, Period.of(every or "1D"))
        held, period = np.unique(number, return_inverse=True)
        timeline, turn = Timeline(starts_of(held), timeline.zone), period[turn]
    return timeline.wall, turn
