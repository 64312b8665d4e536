"""Forecasters H: what is known of G in advance, one turn or a whole season ahead."""

from highseason.forecasters.backtest import Backtest as Backtest
from highseason.forecasters.backtest import backtest as backtest
from highseason.forecasters.base import LEVELS as LEVELS
from highseason.forecasters.base import Fitted as Fitted
from highseason.forecasters.base import Forecast as Forecast
from highseason.forecasters.base import Forecaster as Forecaster
from highseason.forecasters.base import ForecastError as ForecastError
from highseason.forecasters.base import ForecastWarning as ForecastWarning
from highseason.forecasters.base import normal_quantiles as normal_quantiles
from highseason.forecasters.base import parse as parse
from highseason.forecasters.base import registry as registry
from highseason.forecasters.blend import Blend as Blend
from highseason.forecasters.design import special_days as special_days
from highseason.forecasters.library import ARIMA as ARIMA
from highseason.forecasters.library import ETS as ETS
from highseason.forecasters.library import MSTL as MSTL
from highseason.forecasters.one_step import DoubleExponentialSmoothing as DoubleExponentialSmoothing
from highseason.forecasters.one_step import ExponentialSmoothing as ExponentialSmoothing
from highseason.forecasters.one_step import MovingAverage as MovingAverage
from highseason.forecasters.one_step import OneStep as OneStep
from highseason.forecasters.one_step import RandomWalk as RandomWalk
from highseason.forecasters.one_step import SimpleAverage as SimpleAverage
from highseason.forecasters.one_step import WeightedMovingAverage as WeightedMovingAverage
from highseason.forecasters.season_ahead import CalendarRegression as CalendarRegression
from highseason.forecasters.season_ahead import SeasonAhead as SeasonAhead
from highseason.forecasters.season_ahead import SeasonalNaive as SeasonalNaive
