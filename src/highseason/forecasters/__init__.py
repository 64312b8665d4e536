"""Forecasters H: what is known of G before it comes, one turn or a whole season ahead."""

from highseason.forecasters.averages import (
    MovingAverage,
    RandomWalk,
    SimpleAverage,
    WeightedMovingAverage,
)
from highseason.forecasters.backtest import Backtest, backtest
from highseason.forecasters.base import Fitted, Forecaster
from highseason.forecasters.calendar_regression import CalendarRegression
from highseason.forecasters.errors import ForecastError
from highseason.forecasters.forecast import LEVELS, Forecast, normal_quantiles
from highseason.forecasters.library_models import ARIMA, ETS, MSTL
from highseason.forecasters.measures import coverage, mase, pinball, smape
from highseason.forecasters.one_step import OneStep
from highseason.forecasters.registry import find, parse, registry
from highseason.forecasters.season_ahead import SeasonAhead
from highseason.forecasters.seasonal_naive import SeasonalNaive
from highseason.forecasters.smoothing import DoubleExponentialSmoothing, ExponentialSmoothing
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
    "coverage",
    "find",
    "mase",
    "normal_quantiles",
    "parse",
    "pinball",
    "registry",
    "smape",
    "special_days",
]
