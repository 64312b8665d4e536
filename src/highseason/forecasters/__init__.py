"""Forecasters H: what is known of G before it comes, one turn or a whole season ahead."""

from highseason.forecasters.averages import (
    MovingAverage,
    RandomWalk,
    SimpleAverage,
    WeightedMovingAverage,
)
from highseason.forecasters.base import Fitted, Forecaster
from highseason.forecasters.errors import ForecastError
from highseason.forecasters.forecast import LEVELS, Forecast, normal_quantiles
from highseason.forecasters.one_step import OneStep
from highseason.forecasters.registry import find, parse, registry
from highseason.forecasters.smoothing import DoubleExponentialSmoothing, ExponentialSmoothing

__all__ = [
    "LEVELS",
    "DoubleExponentialSmoothing",
    "ExponentialSmoothing",
    "Fitted",
    "Forecast",
    "ForecastError",
    "Forecaster",
    "MovingAverage",
    "OneStep",
    "RandomWalk",
    "SimpleAverage",
    "WeightedMovingAverage",
    "find",
    "normal_quantiles",
    "parse",
    "registry",
]
