"""Histories: successes and visitors by turn and arm, from tables and event logs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

#: What columns are called, most telling first.
_NAMES = {
    "turn": ("turn", "date", "day", "hour", "week", "time", "timestamp"),
    "arm": ("arm", "variant", "item_id", "item", "product", "price"),
    "successes": (
        "successes", "clicks", "click", "orders", "conversions", "buyers", "sales", "reward", "sum",
    ),
    "visitors": ("visitors", "impressions", "views", "pageviews", "sessions", "trials"),
    "squares": ("squares",),
}  # fmt: skip


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
    def traffic(self) -> NDArray[np.float64]:
        """The visitors of each turn, over all arms."""
        return np.bincount(self.turn, self.visitors, self.turns.size).astype(np.float64)


def read_history(
    frame: pd.DataFrame | str | Path, every: str | None = None, **columns: str | None
) -> VisitorHistory:
    """A history out of a table or a file.

    Args:
        frame: A table with a row per turn and arm (turn, arm, successes, visitors), or an event log
            with a row per visitor (turn or time, arm, reward); or the path of one, as CSV or
            Parquet.  Without an arm there is one arm.
        every: Gather times into turns of this length, such as "1D" or "1h".  Events with times are
            gathered into days.
        **columns: The names of the columns `turn`, `arm`, `successes`, `visitors` and `squares`
            where they are not obvious.

    >>> import pandas as pd
    >>> log = pd.DataFrame({"day": [1, 1, 1, 2], "arm": list("abba"), "click": [0, 1, 0, 1]})
    >>> history = read_history(log)
    >>> history.visitors, history.successes
    (array([1., 2., 1.]), array([0., 1., 1.]))
    """
    import pandas as pd

    table = frame if isinstance(frame, pd.DataFrame) else _read(Path(frame))
    names = {role: _find(table, role, columns.get(role)) for role in _NAMES}
    for role in columns.keys() - _NAMES.keys():
        raise ValueError(f"unknown column {role!r}. {did_you_mean(role, _NAMES)}")
    for role in ("turn", "successes"):
        if names[role] is None:
            raise ValueError(
                f"no column for the {role}: the columns are {', '.join(map(str, table.columns))}; "
                f"name one, such as {role}='{table.columns[0]}'"
            )
    return _gathered(table, names, every)


def _read(path: Path) -> pd.DataFrame:
    import pandas as pd

    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    return pd.read_csv(path)


def _find(table: pd.DataFrame, role: str, given: str | None) -> Any:
    if given is not None:
        if given not in table.columns:
            raise ValueError(f"no column {given!r}. {did_you_mean(given, map(str, table.columns))}")
        return given
    lower = {str(name).lower(): name for name in table.columns}
    return next((lower[name] for name in _NAMES[role] if name in lower), None)


def _gathered(table: pd.DataFrame, names: dict[str, Any], every: str | None) -> VisitorHistory:
    import pandas as pd

    rewards = _numbers(table, names["successes"])
    is_log = names["visitors"] is None
    visitors = np.ones(len(table)) if is_log else _numbers(table, names["visitors"])
    binary = bool(np.isin(rewards, (0.0, 1.0)).all()) if is_log else names["squares"] is None
    squares = rewards**2 if is_log else rewards
    if names["squares"] is not None:
        squares = _numbers(table, names["squares"])
    _check(rewards, visitors, binary)
    rows = pd.DataFrame(
        {
            "turn": _turns(table[names["turn"]], every, is_log),
            "arm": "all" if names["arm"] is None else table[names["arm"]].astype(str),
            "successes": rewards,
            "visitors": visitors,
            "squares": squares,
        }
    )
    sums = rows[rows["visitors"] > 0].groupby(["turn", "arm"], as_index=False).sum()
    turn, turns = pd.factorize(sums["turn"])
    arm, arms = pd.factorize(sums["arm"])
    return VisitorHistory(
        turn=turn.astype(np.int64),
        arm=arm.astype(np.int64),
        successes=sums["successes"].to_numpy(np.float64),
        visitors=sums["visitors"].to_numpy(np.float64),
        squares=None if binary else sums["squares"].to_numpy(np.float64),
        turns=np.asarray(turns),
        arms=tuple(map(str, arms)),
    )


def _numbers(table: pd.DataFrame, name: Any) -> NDArray[np.float64]:
    import pandas as pd

    numbers: NDArray[np.float64]
    numbers = pd.to_numeric(table[name], errors="coerce").to_numpy(np.float64)
    if not (np.isfinite(numbers) & (numbers >= 0)).all():
        row = int(np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))[0])
        raise ValueError(
            f"column {str(name)!r}, row {row + 1}: expected a number >= 0, got "
            f"{table[name].iloc[row]!r}"
        )
    return numbers


def _check(rewards: Any, visitors: Any, binary: bool) -> None:
    if binary and (rewards > visitors).any():
        row = int(np.flatnonzero(rewards > visitors)[0])
        raise ValueError(
            f"row {row + 1} has {rewards[row]:g} successes of {visitors[row]:g} visitors: for sums "
            "of money, give the sum of their squares too (squares='column'), or a log of events"
        )


def _turns(column: pd.Series[Any], every: str | None, is_log: bool) -> Any:
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column):
        if not (is_log and column.min() > 1e8):  # not seconds of the Unix epoch
            return column
        column = pd.to_datetime(column, unit="s")
    times = pd.to_datetime(column, errors="coerce", utc=True, format="mixed")
    if times.isna().any():
        return column
    return times.dt.floor(every or "1D") if every or is_log else times
