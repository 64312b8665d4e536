"""Forecasters H: what is known of G in advance, one turn or a whole season ahead."""

from highseason.forecasters.backtest import Backtest, backtest
from highseason.forecasters.base import (
    LEVELS,
    Fitted,
    Forecast,
    Forecaster,
    ForecastError,
    normal_quantiles,
    parse,
    registry,
)
from highseason.forecasters.design import special_days
from highseason.forecasters.one_step import (
    DoubleExponentialSmoothing,
    ExponentialSmoothing,
    MovingAverage,
    OneStep,
    RandomWalk,
    SimpleAverage,
    WeightedMovingAverage,
)
from highseason.forecasters.season_ahead import CalendarRegression, SeasonAhead, SeasonalNaive
from highseason.forecasters.season_models import ARIMA, ETS, MSTL

__all__ = [
    "ARIMA",
    "ETS",
    "LEVELS",
    "MSTL",
    "Backtest",
    "CalendarRegression",
    "DoubleExponentialSmoothing",
    "ExponentialSmoothing",
    "Fitted",
    "Forecast",
    "ForecastError",
    "Forecaster",
    "MovingAverage",
    "OneStep",
    "RandomWalk",
    "SeasonAhead",
    "SeasonalNaive",
    "SimpleAverage",
    "WeightedMovingAverage",
    "backtest",
    "normal_quantiles",
    "parse",
    "registry",
    "special_days",
]
