"""How good a forecaster would have been: forecasts of the past, and measures of their errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from highseason.core.validation import whole_number
from highseason.core.warnings import quiet
from highseason.traffic.forecast import LEVELS, Forecast, Forecaster, ForecastError, ForecastWarning
from highseason.traffic.history import even
from highseason.traffic.series import Multiplier
from highseason.traffic.sources import as_multiplier

MEASURES = ("mase", "smape", "pinball", "coverage")


@dataclass(frozen=True)
class BacktestTrial:
    """One forecast of turns that are known by now."""

    forecaster: str  # its label
    origin: int  # the last turn it knew
    forecast: Forecast  # of the turns that came
    actual: Multiplier  # the turns that came; gaps in the series are left out of both
    errors: Mapping[str, float]  # by name of the measure


@dataclass(frozen=True)
class Backtest:
    """Several forecasters from several origins, each knowing only the turns before."""

    trials: tuple[BacktestTrial, ...]

    @property
    def forecasters(self) -> tuple[str, ...]:
        """The labels, in the order given."""
        return tuple(dict.fromkeys(trial.forecaster for trial in self.trials))

    def mean(self, measure: str, forecaster: str) -> float:
        """The mean of a measure over origins."""
        errors = [t.errors[measure] for t in self.trials if t.forecaster == forecaster]
        return float(np.mean(errors))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The means, by forecaster and measure."""
        return {f: {m: self.mean(m, f) for m in MEASURES} for f in self.forecasters}


def backtest(
    series: Any,
    forecasters: Sequence[Forecaster] | Mapping[str, Forecaster],
    turns: int,
    origins: int | Sequence[int] = 4,
    season: int = 7,
    confidence: float = 0.8,
) -> Backtest:
    """Forecast the end of a series from several origins, as if it were not known yet.

    Args:
        series: Anything `as_multiplier` takes.
        forecasters: The forecasters to compare, by label or each by its name.
        turns: How many turns ahead each looks.
        origins: Their number, `turns` apart and ending with the series; or the last known turns
            themselves.
        season: The season of the naive forecast that MASE divides by.
        confidence: The interval whose coverage is measured.

    >>> import highseason as hs
    >>> G = hs.traffic.wave(turns=100)
    >>> trials = backtest(G, [hs.traffic.RandomWalk()], turns=1, origins=20, season=1)
    >>> round(trials.mean("mase", "random-walk"), 1)
    0.9
    """
    G = as_multiplier(series)
    turns = whole_number("turns", turns, 1, ForecastError)
    if not isinstance(forecasters, Mapping):
        forecasters = {str(forecaster): forecaster for forecaster in forecasters}
    places = np.arange(G.turns) if G.calendar is None else even(G.calendar)[1]
    trials = []
    for origin in _origins(G.turns, turns, origins):
        past, ahead = G.window(1, origin), places[origin:] - places[origin - 1] - 1
        there = ahead[ahead < turns]
        if there.size == 0:
            raise ForecastError(f"no turn came within {turns} turns after turn {origin}")
        actual = G.window(origin + 1, origin + there.size)
        for label, forecaster in forecasters.items():
            with quiet(ForecastWarning):  # the errors show what such a forecast is worth
                whole = forecaster.fit(past).predict(int(there[-1]) + 1)
            table = None if whole.quantiles is None else whole.quantiles[:, there]
            forecast = Forecast(whole.mean[there], table, actual.calendar, label)
            errors = {
                "mase": mase(actual.values, forecast.mean, past.values, season),
                "smape": smape(actual.values, forecast.mean),
                "pinball": pinball(actual.values, forecast),
                "coverage": coverage(actual.values, forecast, confidence),
            }
            trials.append(BacktestTrial(label, origin, forecast, actual, errors))
    return Backtest(tuple(trials))


def _origins(n: int, turns: int, origins: int | Sequence[int]) -> list[int]:
    if isinstance(origins, int):
        count = whole_number("origins", origins, 1, ForecastError)
        starts = [n - turns * (count - i) for i in range(count)]
    else:
        starts = [whole_number("an origin", origin, 1, ForecastError) for origin in origins]
    if not starts or starts[0] < 2 or starts[-1] >= n:
        raise ForecastError(
            f"{n} turns are too few for forecasts of {turns} turns from these origins: "
            "ask for fewer or shorter ones"
        )
    return starts


def mase(actual: ArrayLike, mean: ArrayLike, past: ArrayLike, season: int) -> float:
    """Mean absolute error over that of seasonal naive, one season ahead, in the past.

    >>> mase([10, 20], [12, 22], past=[10, 20, 14, 24], season=2)
    0.5
    """
    before = np.asarray(past, dtype=np.float64)
    if before.size <= season:
        raise ForecastError(
            f"season must be below the {before.size} turns of the past, got {season}"
        )
    scale = float(np.mean(np.abs(before[season:] - before[:-season])))
    error = float(np.mean(np.abs(np.asarray(actual) - np.asarray(mean))))
    if scale == 0:
        return 0.0 if error == 0 else float("inf")
    return error / scale


def smape(actual: ArrayLike, mean: ArrayLike) -> float:
    """Mean of the absolute error over the mean of forecast and actual; from 0 to 2.

    >>> smape([10.0], [30.0])
    1.0
    """
    one, other = np.asarray(actual, dtype=np.float64), np.asarray(mean, dtype=np.float64)
    return float(np.mean(2 * np.abs(one - other) / (np.abs(one) + np.abs(other))))


def pinball(actual: ArrayLike, forecast: Forecast) -> float:
    """The quantile loss, averaged over turns and all `LEVELS`.

    >>> pinball([10.0], Forecast(np.array([10.0])))
    0.0
    """
    levels = np.array(LEVELS)[:, None]
    short = np.asarray(actual) - np.array([forecast.quantile(level) for level in LEVELS])
    return float(np.mean(np.maximum(levels * short, (levels - 1) * short)))


def coverage(actual: ArrayLike, forecast: Forecast, confidence: float = 0.8) -> float:
    """The share of turns inside their interval.

    >>> coverage([10.0, 50.0], Forecast(np.array([10.0, 20.0])))
    0.5
    """
    low, high = forecast.interval(confidence)
    came = np.asarray(actual, dtype=np.float64)
    tiny = 1e-12 * np.abs(came)
    return float(np.mean((came >= low - tiny) & (came <= high + tiny)))
