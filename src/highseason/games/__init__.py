"""Games: `play` is the readable loop, `simulate` plays many at once; both choose the same arms."""

from highseason.games.forecast_cost import (
    BacktestCost,
    ForecastCost,
    backtest_cost,
    forecast_cost,
)
from highseason.games.play import Game, play
from highseason.games.simulate import simulate

__all__ = [
    "BacktestCost",
    "ForecastCost",
    "Game",
    "backtest_cost",
    "forecast_cost",
    "play",
    "simulate",
]
