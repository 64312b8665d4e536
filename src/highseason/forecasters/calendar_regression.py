"""The default: a regression on the calendar, plus the recent level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.forecasters.design import Design, ridge
from highseason.forecasters.forecast import LEVELS, Numbers
from highseason.forecasters.history import History
from highseason.forecasters.season_ahead import SeasonAhead

#: The number of earlier forecasts whose errors are used.
_ORIGINS = 12
#: With fewer past errors than this, ordinary and special days share theirs.
_FEW = 20


class _Errors(NamedTuple):
    """The errors of earlier forecasts, in logarithms, and which of them fell on special days."""

    missed: Numbers
    special: NDArray[np.bool_]


@dataclass(frozen=True)
class CalendarRegression(SeasonAhead):
    """Log traffic = time of the week + trend + waves of the year + special days + recent level.

    A ridge regression in which the weight of a turn halves every `halflife` years.  The deviation
    of the last `recent` weeks from it fades over `fade` weeks ahead.  Quantiles are those of the
    errors of the same forecaster from earlier turns.  Only the public holidays
    of a `country` need an extra.

    >>> import highseason as hs
    >>> days = np.arange("2013-01-01", "2015-01-01", dtype="datetime64[D]")
    >>> traffic = hs.multipliers.from_values(100 + 50 * (np.arange(days.size) % 7 == 4), days)
    >>> CalendarRegression().fit(traffic).predict(7).mean.round()
    array([100., 100., 150., 100., 100., 100., 100.])
    """

    name = "calendar"

    halflife: float = 4.0
    recent: float = 4.0
    fade: float = 26.0

    def outlook(self, history: History, turns: int) -> Numbers:
        """The forecast of the regression plus the quantiles of its past errors."""
        design = Design.of(history, self.holidays, self.country)
        middle = self._middle(history, turns, design)
        errors = self._past_errors(history, turns)
        table = np.empty((len(LEVELS), turns))
        special = np.array([day != "" for day in design.days(history.turns, history.turns + turns)])
        for kind in (False, True):
            table[:, special == kind] = _quantiles(errors, kind)[:, None]
        return table + middle

    def _middle(self, history: History, turns: int, design: Design) -> Numbers:
        n = history.turns
        rows, y = design.rows(0, n), history.logs
        open_turns = history.seen & ~history.closed(0, n)
        age = (n - 1 - np.arange(n)) / history.year
        weights = np.where(open_turns, 0.5 ** (age / self.halflife), 0.0)
        middle = float(weights @ y) / float(weights.sum())
        solution = ridge(rows, y - middle, weights, design.penalties())
        ahead: Numbers = middle + design.rows(n, n + turns) @ solution
        usual = open_turns & np.array([day == "" for day in design.days(0, n)])
        return ahead + self._level(history, y - middle - rows @ solution, usual, turns)

    def _level(
        self, history: History, rest: Numbers, usual: NDArray[np.bool_], turns: int
    ) -> Numbers:
        """The deviation of the last weeks from the calendar, fading."""
        week = float(history.week)
        age = (history.turns - 1 - np.arange(history.turns)) / week
        weights = np.where(usual, np.exp(-age / self.recent), 0.0)
        # As if one more week of turns had followed the calendar exactly.
        level = float(weights @ rest) / (float(weights.sum()) + week)
        return np.asarray(level * np.exp(-np.arange(turns) / (self.fade * week)))

    def _past_errors(self, history: History, turns: int) -> _Errors:
        """Errors from earlier origins, evenly spread over the later half of the past."""
        n = history.turns
        first = max(n // 2, 2 * history.week, min(n - turns, round(1.2 * history.year)))
        origins = np.unique(np.linspace(first, n - 1, _ORIGINS + 1)[:-1].astype(np.int64))
        missed: list[Numbers] = []
        special: list[NDArray[np.bool_]] = []
        for origin in origins.tolist():
            past = history.before(origin)
            if not past.seasons:
                continue
            ahead = min(turns, n - origin)
            design = Design.of(past, self.holidays, self.country)
            error = history.logs[origin : origin + ahead] - self._middle(past, ahead, design)
            kept = history.seen[origin : origin + ahead] & ~past.closed(origin, origin + ahead)
            days = np.array([day != "" for day in design.days(origin, origin + ahead)])
            missed.append(error[kept])
            special.append(days[kept])
        return _Errors(np.concatenate(missed), np.concatenate(special))


def _quantiles(errors: _Errors, special: bool) -> Numbers:
    """The quantiles of the errors on such days; of all errors if they are too few."""
    chosen = errors.missed[errors.special == special]
    if chosen.size < _FEW:
        chosen = errors.missed
    if chosen.size == 0:
        return np.zeros(len(LEVELS))
    return np.asarray(np.quantile(chosen, LEVELS))
