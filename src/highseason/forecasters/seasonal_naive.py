"""Seasonal naive: as at the same place one season ago; the yardstick for all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from highseason.forecasters.errors import ForecastError
from highseason.forecasters.forecast import Numbers, normal_quantiles
from highseason.forecasters.history import History
from highseason.forecasters.season_ahead import SeasonAhead


@dataclass(frozen=True)
class SeasonalNaive(SeasonAhead):
    """The next turns are as those one season ago.  Knows no special days.

    The season is a week (or the longest season up to a week that the past has seen twice), or so
    many turns as `lag` says: 364 for the same weekday a year ago.

    >>> SeasonalNaive(periods=(3,)).fit([1, 2, 3, 1, 2, 4]).predict(4).median
    array([1., 2., 4., 1.])
    """

    name = "seasonal-naive"

    holidays: bool = False
    lag: int | None = None

    def outlook(self, history: History, turns: int) -> Numbers:
        """Normal around the last season, by how much seasons differed from the one before."""
        lag = history.week if self.lag is None else self.lag
        if not 1 <= lag < history.turns:
            raise ForecastError(
                f"lag={lag} needs a past of more than {lag} turns, not {history.turns}"
            )
        logs = history.logs
        middle = np.resize(logs[-lag:], turns)
        both = history.seen[lag:] & history.seen[:-lag]
        changes = (logs[lag:] - logs[:-lag])[both]
        deviation = float(np.sqrt(np.mean(changes**2))) if changes.size else 0.0
        seasons = np.arange(turns) // lag + 1
        return normal_quantiles(middle, deviation * np.sqrt(seasons))
