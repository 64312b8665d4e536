"""Forecasters H: what is known of G in advance, one turn or a whole season ahead."""

from highseason.forecasters.averages import (
    DoubleExponentialSmoothing,
    ExponentialSmoothing,
    MovingAverage,
    RandomWalk,
    SimpleAverage,
    WeightedMovingAverage,
)
from highseason.forecasters.backtest import Backtest, backtest
from highseason.forecasters.base import Fitted, Forecaster, parse, registry
from highseason.forecasters.calendar_regression import CalendarRegression
from highseason.forecasters.forecast import LEVELS, Forecast, ForecastError, normal_quantiles
from highseason.forecasters.library_models import ARIMA, ETS, MSTL
from highseason.forecasters.one_step import OneStep
from highseason.forecasters.season_ahead import SeasonAhead, SeasonalNaive
from highseason.forecasters.special_days import special_days

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
