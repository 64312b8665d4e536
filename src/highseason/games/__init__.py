"""Games: `play` is the readable loop, `simulate` plays many at once; both choose the same arms."""

from highseason.games.forecast_cost import BacktestCost as BacktestCost
from highseason.games.forecast_cost import ForecastCost as ForecastCost
from highseason.games.forecast_cost import backtest_cost as backtest_cost
from highseason.games.forecast_cost import forecast_cost as forecast_cost
from highseason.games.play import Game as Game
from highseason.games.play import play as play
from highseason.games.simulate import simulate as simulate
