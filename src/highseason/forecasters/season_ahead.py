"""Forecasters that look a whole season ahead.

ETS, ARIMA and MSTL come from statsmodels (the extra `forecasting`) and work on logarithms.  The
calendar regression learns the effects of special days: they are taken out before such a model sees
the series, and added to its forecast.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.extras import require
from highseason.core.validation import whole_number
from highseason.core.warnings import quiet
from highseason.forecasters.base import (
    LEVELS,
    Fitted,
    Forecast,
    Forecaster,
    ForecastError,
    Numbers,
    normal_quantiles,
    observed,
)
from highseason.forecasters.design import Design, ridge
from highseason.forecasters.history import History
from highseason.multipliers import as_multiplier


@dataclass(frozen=True)
class SeasonAhead(Forecaster):
    """What they share; subclasses give `outlook`.

    Gaps are filled from the weeks around them.  Times of the week with almost no traffic are
    closed, and are forecast to be closed.  A constant past is forecast to stay constant.

    Attributes:
        holidays: Whether days such as Christmas and Black Friday have effects of their own.
        country: A country whose public holidays have, too, such as GB, GB-ENG or US.
        zone: The time zone of the shop, such as Europe/London, if the stamps are in UTC; it
            decides on which date and at which time of the week a turn falls.
        periods: The lengths of the seasons in turns, if there is no calendar or if they do not
            follow it.
    """

    holidays: bool = True
    country: str | None = None
    zone: str | None = None
    periods: tuple[int, ...] | None = None

    def fit(self, series: Any) -> FittedSeason:
        """Learn from a past: anything `as_multiplier` takes."""
        return FittedSeason(self, History.of(as_multiplier(series), self.periods, self.zone))

    @abstractmethod
    def outlook(self, history: History, turns: int) -> Numbers:
        """Quantiles of the logarithms of the next turns, a row per level of `LEVELS`."""


class FittedSeason(Fitted):
    """A season-ahead forecaster that knows a past; each prediction fits it again."""

    def __init__(self, forecaster: SeasonAhead, history: History) -> None:
        self._forecaster, self.history = forecaster, history

    def update(self, value: float) -> None:
        """Take one turn more."""
        self.history = self.history.then(observed(value))

    def predict(self, turns: int) -> Forecast:
        """Mean and quantiles of the next turns."""
        turns = whole_number("turns", turns, 1, ForecastError)
        history, n = self.history, self.history.turns
        if history.constant:
            table = np.full((len(LEVELS), turns), float(history.values[-1]))
        else:
            table = history.unlog(self._forecaster.outlook(history, turns))
            table[:, history.closed(n, n + turns)] = history.values.min()
        if not np.isfinite(table).all():
            raise ForecastError(
                f"{self._forecaster} gives no finite forecast: the series varies too much for it; "
                "use another forecaster, or clip the series"
            )
        stamps, name = history.stamps(n, n + turns), str(self._forecaster)
        spread = Forecast(np.maximum(table[LEVELS.index(0.5)], 1e-300), table, stamps, name)
        return Forecast(spread.atoms(99).mean(axis=0), table, stamps, name)


@dataclass(frozen=True)
class SeasonalNaive(SeasonAhead):
    """Repeat the last season; ignore special days.  The baseline for all others.

    The season is a week (or the longest season up to a week that the past holds twice), or `lag`
    turns: 364 for the same weekday a year ago.

    >>> SeasonalNaive(periods=(3,)).fit([1, 2, 3, 1, 2, 4]).predict(4).median
    array([1., 2., 4., 1.])
    """

    name = "seasonal-naive"

    holidays: bool = False
    lag: int | None = None

    def outlook(self, history: History, turns: int) -> Numbers:
        """Normal around the last season, with the spread of the changes from season to season."""
        lag = history.week if self.lag is None else self.lag
        if not 1 <= lag < history.turns:
            raise ForecastError(
                f"lag={lag} needs a past of more than {lag} turns, got {history.turns}"
            )
        logs = history.logs
        middle = np.resize(logs[-lag:], turns)
        both = history.seen[lag:] & history.seen[:-lag]
        changes = (logs[lag:] - logs[:-lag])[both]
        deviation = float(np.sqrt(np.mean(changes**2))) if changes.size else 0.0
        seasons = np.arange(turns) // lag + 1
        return normal_quantiles(middle, deviation * np.sqrt(seasons))


#: The number of earlier forecasts whose errors are used.
_ORIGINS = 12
#: With fewer past errors than this, ordinary and special days share theirs.
_FEW = 20


@dataclass(frozen=True)
class CalendarRegression(SeasonAhead):
    """Log traffic = time of the week + trend + waves of the year + special days + recent level.

    A ridge regression in which the weight of a turn halves every `halflife` years.  The deviation
    of the last `recent` weeks from it fades over `fade` weeks ahead.  Quantiles are those of the
    errors of the same forecaster from earlier turns.  Only the holidays of a `country` need an
    extra.

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
        errors, fell_on_special = self._past_errors(history, turns)
        table = np.empty((len(LEVELS), turns))
        special = design.is_special(history.turns, history.turns + turns)
        for kind in (False, True):
            chosen = errors[fell_on_special == kind]
            chosen = errors if chosen.size < _FEW else chosen
            table[:, special == kind] = np.quantile(chosen, LEVELS)[:, None] if chosen.size else 0.0
        return table + middle

    def _middle(self, history: History, turns: int, design: Design) -> Numbers:
        """The regression ahead, plus the deviation of the last weeks from it, which fades."""
        n, week, y = history.turns, float(history.week), history.logs
        rows, age = design.rows(0, n), n - 1 - np.arange(n)
        open_turns = history.seen & ~history.closed(0, n)
        weights = np.where(open_turns, 0.5 ** (age / history.year / self.halflife), 0.0)
        middle = float(weights @ y) / float(weights.sum())
        solution = ridge(rows, y - middle, weights, design.penalties())
        usual = open_turns & ~design.is_special(0, n)
        recent = np.where(usual, np.exp(-(age / week) / self.recent), 0.0)
        # As if one more week of turns had followed the calendar exactly.
        level = float(recent @ (y - middle - rows @ solution)) / (float(recent.sum()) + week)
        fading = level * np.exp(-np.arange(turns) / (self.fade * week))
        return np.asarray(middle + design.rows(n, n + turns) @ solution + fading)

    def _past_errors(self, history: History, turns: int) -> tuple[Numbers, NDArray[np.bool_]]:
        """Errors from origins in the later half of the past, and which fell on special days."""
        n = history.turns
        first = max(n // 2, 2 * history.week, min(n - turns, round(1.2 * history.year)))
        origins = np.unique(np.linspace(first, n - 1, _ORIGINS + 1)[:-1].astype(np.int64))
        missed, special = [], []
        for origin in origins.tolist():
            past = history.before(origin)
            if not past.seasons:
                continue
            ahead = min(turns, n - origin)
            design = Design.of(past, self.holidays, self.country)
            error = history.logs[origin : origin + ahead] - self._middle(past, ahead, design)
            kept = history.seen[origin : origin + ahead] & ~past.closed(origin, origin + ahead)
            missed.append(error[kept])
            special.append(design.is_special(origin, origin + ahead)[kept])
        return np.concatenate(missed), np.concatenate(special)


#: Orders (p, d, q) that ARIMA tries; the lowest corrected AIC wins.
_ORDERS = ((0, 1, 1), (1, 0, 1), (1, 1, 1))
#: Seasons of the past that ARIMA and ETS look at: older ones cost time and change nothing.
_LAST_SEASONS = 60

#: Means and deviations of the logarithms of the next turns.
_LogBand = tuple[Numbers, Numbers]


@dataclass(frozen=True)
class LibraryModel(SeasonAhead):
    """What the models of statsmodels share; subclasses give `band`."""

    def outlook(self, history: History, turns: int) -> Numbers:
        """The model's band without the effects of special days, and these added."""
        past, ahead = self._special_effects(history, turns)
        with quiet(Warning):  # how an optimiser converged does not help the user
            mean, deviation = self.band(history, history.logs - past, turns)
        return normal_quantiles(mean + ahead, deviation)

    @abstractmethod
    def band(self, history: History, logs: Numbers, turns: int) -> _LogBand:
        """Forecast the logarithms."""

    def _special_effects(self, history: History, turns: int) -> tuple[Numbers, Numbers]:
        """The effects of special days on the logarithms, in the past and in the turns ahead."""
        n, logs = history.turns, history.logs
        design = Design.of(history, self.holidays, self.country)
        rows, count = design.rows(0, n + turns), len(design.names)
        if not count:
            return np.zeros(n), np.zeros(turns)
        weights = (history.seen & ~history.closed(0, n)).astype(np.float64)
        solution = ridge(rows[:n], logs - logs.mean(), weights, design.penalties())
        return rows[:n, -count:] @ solution[-count:], rows[n:, -count:] @ solution[-count:]


@dataclass(frozen=True)
class ETS(LibraryModel):
    """Exponential smoothing in state-space form: additive errors, damped trend, one season.

    The season is the longest up to a week.

    >>> import highseason as hs
    >>> days = np.arange("2013-01-01", "2013-04-01", dtype="datetime64[D]")
    >>> G = hs.multipliers.from_values(100.0 + 50 * (np.arange(days.size) % 7 == 4), days)
    >>> int(ETS().fit(G).predict(7).mean.argmax())
    5
    """

    name = "ets"

    def band(self, history: History, logs: Numbers, turns: int) -> _LogBand:
        """statsmodels' ETSModel and its exact intervals."""
        return _ets(_recent(history, logs), history.week, turns)


@dataclass(frozen=True)
class ARIMA(LibraryModel):
    """Seasonal ARIMA: (p, d, q)(0, 1, 1) of the season up to a week, chosen by corrected AIC."""

    name = "arima"

    def band(self, history: History, logs: Numbers, turns: int) -> _LogBand:
        """statsmodels' SARIMAX, for a handful of orders."""
        sarimax = _statsmodels("tsa.statespace.sarimax").SARIMAX
        season, kept = history.week, _recent(history, logs)
        seasonal = (0, 1, 1, season) if 1 < season <= 48 else (0, 0, 0, 0)
        fits = [
            sarimax(kept, order=order, seasonal_order=seasonal, concentrate_scale=True).fit(
                disp=0, maxiter=40
            )
            for order in _ORDERS
        ]
        ahead = min(fits, key=lambda fit: float(fit.aicc)).get_forecast(turns)
        return np.asarray(ahead.predicted_mean), np.asarray(ahead.se_mean)


@dataclass(frozen=True)
class MSTL(LibraryModel):
    """Several seasons removed one after the other (day, week, year), ETS for the rest.

    Each season repeats its last cycle.  A year counts once the past holds two.
    """

    name = "mstl"

    def band(self, history: History, logs: Numbers, turns: int) -> _LogBand:
        """statsmodels' MSTL; the year of days has 365 turns there."""
        n = history.turns
        kept = [round(season) for season in history.seasons if season >= 1.5 and n >= 2 * season]
        if not kept:
            return _ets(logs, 1, turns)
        parts = _statsmodels("tsa.seasonal").MSTL(logs, periods=kept).fit()
        table = np.asarray(parts.seasonal).reshape(n, len(kept))
        mean, deviation = _ets(_recent(history, logs - table.sum(axis=1)), 1, turns)
        seasons = sum(np.resize(table[-length:, i], turns) for i, length in enumerate(sorted(kept)))
        return mean + seasons, deviation


def _statsmodels(module: str) -> Any:
    return require(f"statsmodels.{module}", extra="forecasting", purpose="this forecaster")


def _recent(history: History, logs: Numbers) -> Numbers:
    return logs[-min(history.turns, _LAST_SEASONS * max(7, history.week)) :]


def _ets(logs: Numbers, season: int, turns: int) -> _LogBand:
    import pandas as pd

    model = _statsmodels("tsa.exponential_smoothing.ets").ETSModel
    more = {"seasonal": "add", "seasonal_periods": season} if 1 < season <= 48 else {}
    fit = model(pd.Series(logs), error="add", trend="add", damped_trend=True, **more).fit(disp=0)
    ahead = fit.get_prediction(start=logs.size, end=logs.size + turns - 1)
    variance = np.asarray(ahead.forecast_variance, dtype=np.float64)
    return np.asarray(ahead.predicted_mean, dtype=np.float64), np.sqrt(variance)
