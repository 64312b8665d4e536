"""The models of statsmodels as peers of our forecasters: ETS, ARIMA and MSTL, on logarithms.

The effects of special days are taken out by our regression before a model sees the series, and
added to its forecast.  Importing this makes them known by name: `ets`, `arima`, `mstl`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import pandas as pd
from statsmodels.tsa import seasonal
from statsmodels.tsa.exponential_smoothing.ets import ETSModel
from statsmodels.tsa.statespace.sarimax import SARIMAX

from highseason.core.warnings import quiet
from highseason.traffic import SeasonAhead, normal_quantiles
from highseason.traffic.forecast import Numbers
from highseason.traffic.history import Design, History
from highseason.traffic.season_ahead import Outlook

#: Orders (p, d, q) that ARIMA tries; the lowest corrected AIC wins.
_ORDERS = ((0, 1, 1), (1, 0, 1), (1, 1, 1))
#: The longest season that ETS and ARIMA can learn.
_LONGEST = 48
#: Seasons of the past that ARIMA and ETS look at: older ones cost time and change nothing.
_LAST_SEASONS = 60

#: Means and deviations of the logarithms of the next turns.
_LogBand = tuple[Numbers, Numbers]


@dataclass(frozen=True)
class LibraryModel(SeasonAhead):
    """What the models of statsmodels share; subclasses give `band`."""

    def outlook(self, history: History, turns: int) -> Outlook:
        """The model's band without the effects of special days, and these added."""
        n, logs = history.turns, history.logs
        design, effects = Design.of(history, self.holidays, self.country), np.zeros(n + turns)
        if design.names or design.kinds:
            weights = (history.seen & ~history.closed(0, n)).astype(np.float64)
            fit = design.fit(logs - logs.mean(), weights)
            effects = fit.of_special_days(0, n + turns) + fit.of_own_days(0, n + turns)
        with quiet(Warning):  # how an optimiser converged does not help the user
            mean, deviation = self.band(history, logs - effects[:n], turns)
        return Outlook(normal_quantiles(mean + effects[n:], deviation))

    @abstractmethod
    def band(self, history: History, logs: Numbers, turns: int) -> _LogBand:
        """Forecast the logarithms."""


@dataclass(frozen=True)
class ETS(LibraryModel):
    """Exponential smoothing in state-space form: additive errors, damped trend, one season.

    The season is a week, or the longest of at most 48 turns.

    >>> import highseason as hs
    >>> days = np.arange("2013-01-01", "2013-04-01", dtype="datetime64[D]")
    >>> G = hs.traffic.from_values(100.0 + 50 * (np.arange(days.size) % 7 == 4), days)
    >>> int(ETS().fit(G).predict(7).mean.argmax())
    5
    """

    name = "ets"

    def band(self, history: History, logs: Numbers, turns: int) -> _LogBand:
        """statsmodels' ETSModel and its exact intervals."""
        season = max((s for s in history.seasons if s <= _LONGEST), default=1)
        return _ets(_recent(history, logs), round(season), turns)


@dataclass(frozen=True)
class ARIMA(LibraryModel):
    """Seasonal ARIMA: (p, d, q)(0, 1, 1) of the season up to a week, chosen by corrected AIC."""

    name = "arima"

    def band(self, history: History, logs: Numbers, turns: int) -> _LogBand:
        """statsmodels' SARIMAX, for a handful of orders."""
        season, kept = history.week, _recent(history, logs)
        seasonal = (0, 1, 1, season) if 1 < season <= _LONGEST else (0, 0, 0, 0)
        fits = [
            SARIMAX(kept, order=order, seasonal_order=seasonal, concentrate_scale=True).fit(
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
        parts = seasonal.MSTL(logs, periods=kept).fit()
        table = np.asarray(parts.seasonal).reshape(n, len(kept))
        mean, deviation = _ets(_recent(history, logs - table.sum(axis=1)), 1, turns)
        seasons = sum(np.resize(table[-length:, i], turns) for i, length in enumerate(sorted(kept)))
        return mean + seasons, deviation


def _recent(history: History, logs: Numbers) -> Numbers:
    return logs[-min(history.turns, _LAST_SEASONS * max(7, history.week)) :]


def _ets(logs: Numbers, season: int, turns: int) -> _LogBand:
    more = {"seasonal": "add", "seasonal_periods": season} if 1 < season <= _LONGEST else {}
    fit = ETSModel(pd.Series(logs), error="add", trend="add", damped_trend=True, **more).fit(disp=0)
    ahead = fit.get_prediction(start=logs.size, end=logs.size + turns - 1)
    variance = np.asarray(ahead.forecast_variance, dtype=np.float64)
    return np.asarray(ahead.predicted_mean, dtype=np.float64), np.sqrt(variance)
