"""How far off forecasts were: MASE, sMAPE, pinball loss and the coverage of intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from highseason.forecasters.errors import ForecastError
from highseason.forecasters.forecast import LEVELS, Forecast


def mase(actual: ArrayLike, mean: ArrayLike, past: ArrayLike, season: int) -> float:
    """Mean absolute error over that of seasonal naive, one season ahead, in the past.

    >>> mase([10, 20], [12, 22], past=[10, 20, 14, 24], season=2)
    0.5
    """
    before = np.asarray(past, dtype=np.float64)
    if before.size <= season:
        raise ForecastError(f"a past of {before.size} turns has no season of {season} to compare")
    scale = float(np.mean(np.abs(before[season:] - before[:-season])))
    error = float(np.mean(np.abs(np.asarray(actual) - np.asarray(mean))))
    if scale == 0:
        return 0.0 if error == 0 else float("inf")
    return error / scale


def smape(actual: ArrayLike, mean: ArrayLike) -> float:
    """Mean of the absolute error over the mean of both numbers; from 0 to 2.

    >>> smape([10.0], [30.0])
    1.0
    """
    one, other = np.asarray(actual, dtype=np.float64), np.asarray(mean, dtype=np.float64)
    return float(np.mean(2 * np.abs(one - other) / (np.abs(one) + np.abs(other))))


def pinball(actual: ArrayLike, forecast: Forecast) -> float:
    """The quantile loss, averaged over turns and over all levels that forecasters give.

    >>> pinball([10.0], Forecast(np.array([10.0])))
    0.0
    """
    came = np.asarray(actual, dtype=np.float64)
    losses = []
    for level in LEVELS:
        short = came - forecast.quantile(level)
        losses.append(np.mean(np.maximum(level * short, (level - 1) * short)))
    return float(np.mean(losses))


def coverage(actual: ArrayLike, forecast: Forecast, level: float = 0.8) -> float:
    """The share of turns that fell into their interval.

    >>> coverage([10.0, 50.0], Forecast(np.array([10.0, 20.0])))
    0.5
    """
    low, high = forecast.interval(level)
    came = np.asarray(actual, dtype=np.float64)
    tiny = 1e-12 * np.abs(came)
    return float(np.mean((came >= low - tiny) & (came <= high + tiny)))
