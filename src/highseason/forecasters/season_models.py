"""ETS, ARIMA and MSTL, through statsmodels (the extra `forecasting`), on logarithms.

The calendar regression learns the effects of special days.  They are taken out before the model
sees the series, and added to its forecast.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from highseason.core.extras import require
from highseason.core.warnings import quiet
from highseason.forecasters.base import Numbers, normal_quantiles
from highseason.forecasters.design import Design, ridge
from highseason.forecasters.history import History
from highseason.forecasters.season_ahead import SeasonAhead

#: Orders (p, d, q) that ARIMA tries; the lowest corrected AIC wins.
_ORDERS = ((0, 1, 1), (1, 0, 1), (1, 1, 1))
#: Seasons of the past that ARIMA and ETS look at: older ones cost time and change nothing.
_LAST_SEASONS = 60


class LogBand(NamedTuple):
    """Means and deviations of the logarithms of the next turns."""

    mean: Numbers
    deviation: Numbers


@dataclass(frozen=True)
class LibraryModel(SeasonAhead):
    """What the three share; subclasses give `band`."""

    def outlook(self, history: History, turns: int) -> Numbers:
        """The model's band without the effects of special days, and these added."""
        past, ahead = _special_effects(self, history, turns)
        with quiet(Warning):  # how an optimiser converged does not help the user
            band = self.band(history, history.logs - past, turns)
        return normal_quantiles(band.mean + ahead, band.deviation)

    @abstractmethod
    def band(self, history: History, logs: Numbers, turns: int) -> LogBand:
        """Forecast the logarithms."""


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

    def band(self, history: History, logs: Numbers, turns: int) -> LogBand:
        """statsmodels' ETSModel and its exact intervals."""
        return _ets(logs[-_kept(history) :], history.week, turns)


@dataclass(frozen=True)
class ARIMA(LibraryModel):
    """Seasonal ARIMA: (p, d, q)(0, 1, 1) of the season up to a week, chosen by corrected AIC."""

    name = "arima"

    def band(self, history: History, logs: Numbers, turns: int) -> LogBand:
        """statsmodels' SARIMAX, for a handful of orders."""
        sarimax = _statsmodels("tsa.statespace.sarimax").SARIMAX
        season = history.week
        seasonal = (0, 1, 1, season) if 1 < season <= 48 else (0, 0, 0, 0)
        kept = logs[-_kept(history) :]
        fits = [
            sarimax(kept, order=order, seasonal_order=seasonal, concentrate_scale=True).fit(
                disp=0, maxiter=40
            )
            for order in _ORDERS
        ]
        best = min(fits, key=lambda fit: float(fit.aicc))
        ahead = best.get_forecast(turns)
        return LogBand(np.asarray(ahead.predicted_mean), np.asarray(ahead.se_mean))


@dataclass(frozen=True)
class MSTL(LibraryModel):
    """Several seasons removed one after the other (day, week, year), ETS for the rest.

    Each season repeats its last cycle.  A year counts once the past holds two.
    """

    name = "mstl"

    def band(self, history: History, logs: Numbers, turns: int) -> LogBand:
        """statsmodels' MSTL; the year of days has 365 turns there."""
        n = history.turns
        lengths = [round(season) for season in history.seasons if season > 1 and n >= 2 * season]
        kept: list[Any] = [length for length in lengths if length >= 2]
        if not kept:
            return _ets(logs, 1, turns)
        parts = _statsmodels("tsa.seasonal").MSTL(logs, periods=kept).fit()
        table = np.asarray(parts.seasonal).reshape(n, len(kept))
        left = _ets((logs - table.sum(axis=1))[-_kept(history) :], 1, turns)
        seasons = sum(np.resize(table[-length:, i], turns) for i, length in enumerate(sorted(kept)))
        return LogBand(left.mean + seasons, left.deviation)


def _statsmodels(module: str) -> Any:
    return require(f"statsmodels.{module}", extra="forecasting", purpose="this forecaster")


def _ets(logs: Numbers, season: int, turns: int) -> LogBand:
    import pandas as pd

    model = _statsmodels("tsa.exponential_smoothing.ets").ETSModel
    more = {"seasonal": "add", "seasonal_periods": season} if 1 < season <= 48 else {}
    fit = model(pd.Series(logs), error="add", trend="add", damped_trend=True, **more).fit(disp=0)
    ahead = fit.get_prediction(start=logs.size, end=logs.size + turns - 1)
    mean = np.asarray(ahead.predicted_mean, dtype=np.float64)
    return LogBand(mean, np.sqrt(np.asarray(ahead.forecast_variance, dtype=np.float64)))


def _kept(history: History) -> int:
    return min(history.turns, _LAST_SEASONS * max(7, history.week))


def _special_effects(model: SeasonAhead, history: History, turns: int) -> tuple[Numbers, Numbers]:
    """The effects of special days on the logarithms, in the past and in the turns ahead."""
    n = history.turns
    design = Design.of(history, model.holidays, model.country)
    if not design.names:
        return np.zeros(n), np.zeros(turns)
    rows = design.rows(0, n)
    weights = (history.seen & ~history.closed(0, n)).astype(np.float64)
    logs = history.logs
    count = len(design.names)
    effects = ridge(rows, logs - logs.mean(), weights, design.penalties())[-count:]
    return rows[:, -count:] @ effects, design.rows(n, n + turns)[:, -count:] @ effects
