"""Games: `play` is the readable loop, `simulate` plays many at once; both choose the same arms."""

from highseason.games.forecast_cost import ForecastCost, forecast_cost
from highseason.games.play import Game, play
from highseason.games.simulate import simulate

__all__ = ["ForecastCost", "Game", "forecast_cost", "play", "simulate"]
