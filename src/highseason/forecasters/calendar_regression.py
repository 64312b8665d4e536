"""The default: a regression on the calendar, and what the last weeks were above or below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.forecasters.design import Design, ridge
from highseason.forecasters.forecast import LEVELS, Numbers
from highseason.forecasters.history import History
from highseason.forecasters.season_ahead import SeasonAhead

#: Past errors are taken from this many earlier forecasts.
_ORIGINS = 12
#: With fewer past errors than this, all kinds of days share theirs.
_FEW = 20


class _Errors(NamedTuple):
    """What earlier forecasts missed by, in logarithms, and which of it fell on special days."""

    missed: Numbers
    special: NDArray[np.bool_]


@dataclass(frozen=True)
class CalendarRegression(SeasonAhead):
    """Log traffic = place in the week + trend + waves of the year + special days + recent level.

    A ridge regression in which a turn counts half as much as one `halflife` years later; what the
    last `recent` weeks were above or below it fades as it looks ahead.  Quantiles are those of the
    errors that the same forecaster would have made from earlier turns.  Needs no extra, but for the
    public holidays of a `country`.

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
        """The regression's forecast with the quantiles of its past errors around it."""
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
        found = ridge(rows, y - middle, weights, design.penalties())
        ahead: Numbers = middle + design.rows(n, n + turns) @ found
        usual = open_turns & np.array([day == "" for day in design.days(0, n)])
        return ahead + self._level(history, y - middle - rows @ found, usual, turns)

    def _level(
        self, history: History, rest: Numbers, usual: NDArray[np.bool_], turns: int
    ) -> Numbers:
        """What the last weeks were above or below the calendar, fading."""
        week = float(history.week)
        age = (history.turns - 1 - np.arange(history.turns)) / week
        weights = np.where(usual, np.exp(-age / self.recent), 0.0)
        # As if one more week of turns had been exactly as the calendar says.
        level = float(weights @ rest) / (float(weights.sum()) + week)
        return np.asarray(level * np.exp(-np.arange(turns) / (self.fade * week)))

    def _past_errors(self, history: History, turns: int) -> _Errors:
        """From earlier turns, evenly spread over the later half of the past."""
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
    """The quantiles of the errors on such days; of all errors where there are too few."""
    chosen = errors.missed[errors.special == special]
    if chosen.size < _FEW:
        chosen = errors.missed
    if chosen.size == 0:
        return np.zeros(len(LEVELS))
    return np.asarray(np.quantile(chosen, LEVELS))
