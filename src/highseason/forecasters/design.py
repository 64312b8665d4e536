"""The features of a turn: position in the week and in the year, trend, special day.

One row per turn, one column per feature; a ridge regression gives each its weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from highseason.forecasters.forecast import Numbers
from highseason.forecasters.history import History
from highseason.forecasters.special_days import indicators, special_days

#: The highest number of waves per year.
_WAVES = 6
#: How strongly weights are shrunk to zero, by kind of feature.
_WEEK, _TREND, _YEAR, _DAYS = 0.1, 1.0, 10.0, 0.5


@dataclass(frozen=True)
class Design:
    """Which features a past has, and their values for its turns and later ones."""

    history: History
    names: tuple[str, ...]
    country: str | None

    @classmethod
    def of(cls, history: History, holidays: bool, country: str | None) -> Design:
        """The features of this past; only special days that occur in it can be learned."""
        names: set[str] = set()
        if holidays and history.grid is not None and history.grid.daily:
            clocks = history.clocks(0, history.turns)
            assert clocks is not None
            seen = np.flatnonzero(history.seen)
            days = special_days(clocks, country)
            names = {days[i] for i in seen.tolist()} - {""}
        return cls(history, tuple(sorted(names)), country)

    def days(self, start: int, stop: int) -> list[str]:
        """The special day of each turn, empty for ordinary days."""
        clocks = self.history.clocks(start, stop)
        if not self.names or clocks is None:
            return [""] * (stop - start)
        return [day if day in self.names else "" for day in special_days(clocks, self.country)]

    def rows(self, start: int, stop: int) -> Numbers:
        """The features of the turns at these positions."""
        history = self.history
        phases = history.phases(start, stop)
        parts = [np.eye(history.week)[phases], self._trend(start, stop)[:, None]]
        parts += [self._waves(start, stop, season) for season in self._long()]
        if self.names:
            parts.append(indicators(self.days(start, stop), list(self.names)))
        return np.hstack(parts)

    def penalties(self) -> Numbers:
        """How strongly the weight of each feature is shrunk to zero."""
        waves = [2 * self._order(season) for season in self._long()]
        return np.concatenate([
            np.full(self.history.week, _WEEK), [_TREND], np.full(sum(waves), _YEAR),
            np.full(len(self.names), _DAYS),
        ])  # fmt: skip

    def _long(self) -> list[float]:
        return [season for season in self.history.seasons if season > self.history.week + 0.5]

    def _order(self, season: float) -> int:
        return min(_WAVES, int(season // 2))

    def _trend(self, start: int, stop: int) -> Numbers:
        """Years (or longest seasons) since the end of the past."""
        turns: Numbers = np.arange(start, stop, dtype=np.float64)
        return (turns - self.history.turns) / self.history.year

    def _waves(self, start: int, stop: int, season: float) -> Numbers:
        angle = 2 * np.pi * np.arange(start, stop) / season
        orders = range(1, self._order(season) + 1)
        table = np.column_stack([f(k * angle) for k in orders for f in (np.sin, np.cos)])
        return table.astype(np.float64)


def ridge(rows: Numbers, y: Numbers, weights: Numbers, penalties: Numbers) -> Numbers:
    """The weights of the features; a turn with `weights` of 0 is left out."""
    weighted = rows * weights[:, None]
    solution = np.linalg.solve(rows.T @ weighted + np.diag(penalties), weighted.T @ y)
    return np.asarray(solution, dtype=np.float64)
