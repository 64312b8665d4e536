"""How good a forecaster would have been: the past forecast from several of its turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from highseason.forecasters.base import Forecaster, whole
from highseason.forecasters.errors import ForecastError
from highseason.forecasters.forecast import Forecast
from highseason.forecasters.grids import Grid
from highseason.forecasters.measures import coverage, mase, pinball, smape
from highseason.multipliers import Multiplier, as_multiplier

MEASURES = ("mase", "smape", "pinball", "coverage")


@dataclass(frozen=True)
class Trial:
    """One forecast of turns that have come.

    Attributes:
        forecaster: Its label.
        origin: The last turn that was known.
        forecast: What it said of the turns that came.
        actual: What came; gaps in the series are left out of both.
        errors: By name of the measure.
    """

    forecaster: str
    origin: int
    forecast: Forecast
    actual: Multiplier
    errors: Mapping[str, float]


@dataclass(frozen=True)
class Backtest:
    """Several forecasters from several origins, each knowing only what came before."""

    trials: tuple[Trial, ...]

    @property
    def forecasters(self) -> tuple[str, ...]:
        """Their labels, in the order given."""
        return tuple(dict.fromkeys(trial.forecaster for trial in self.trials))

    def mean(self, measure: str, forecaster: str) -> float:
        """The mean of a measure over origins."""
        return float(
            np.mean([t.errors[measure] for t in self.trials if t.forecaster == forecaster])
        )

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The means, by forecaster and measure."""
        return {f: {m: self.mean(m, f) for m in MEASURES} for f in self.forecasters}


def backtest(
    series: Any,
    forecasters: Sequence[Forecaster] | Mapping[str, Forecaster],
    turns: int,
    origins: int | Sequence[int] = 4,
    season: int = 7,
    level: float = 0.8,
) -> Backtest:
    """Forecast the end of a series from several origins, as if it had not come yet.

    Args:
        series: Anything `as_multiplier` takes.
        forecasters: Those to compare, by label or each by its name.
        turns: How far ahead each looks.
        origins: How many, one season of `turns` apart and ending with the series; or the last
            known turns themselves.
        season: The season of the naive forecast by which MASE divides.
        level: The interval whose coverage is measured.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=100)
    >>> trials = backtest(G, [hs.forecasters.RandomWalk()], turns=1, origins=20, season=1)
    >>> round(trials.mean("mase", "random-walk"), 1)
    0.9
    """
    G = as_multiplier(series)
    turns = whole("turns", turns)
    named = (
        dict(forecasters)
        if isinstance(forecasters, Mapping)
        else {str(forecaster): forecaster for forecaster in forecasters}
    )
    places = np.arange(G.turns) if G.calendar is None else Grid.under(G.calendar)[1]
    starts = _origins(G.turns, turns, origins)
    trials = [
        _trial(label, forecaster, G, places, origin, turns, season, level)
        for origin in starts
        for label, forecaster in named.items()
    ]
    return Backtest(tuple(trials))


def _origins(n: int, turns: int, origins: int | Sequence[int]) -> list[int]:
    if isinstance(origins, int):
        count = whole("origins", origins)
        found = [n - turns * (count - i) for i in range(count)]
    else:
        found = [whole("an origin", origin) for origin in origins]
    if not found or found[0] < 2 or found[-1] >= n:
        raise ForecastError(
            f"{n} turns are too few for forecasts of {turns} turns from these origins: "
            "ask for fewer or shorter ones"
        )
    return found


def _trial(
    label: str,
    forecaster: Forecaster,
    G: Multiplier,
    places: np.ndarray[Any, np.dtype[np.int64]],
    origin: int,
    turns: int,
    season: int,
    level: float,
) -> Trial:
    past = G.window(1, origin)
    ahead = places[origin:] - places[origin - 1] - 1
    there = ahead[ahead < turns]
    if there.size == 0:
        raise ForecastError(f"no turn came within {turns} turns after turn {origin}")
    actual = G.window(origin + 1, origin + there.size)
    whole_forecast = forecaster.fit(past).predict(int(there[-1]) + 1)
    forecast = Forecast(
        whole_forecast.mean[there],
        None if whole_forecast.quantiles is None else whole_forecast.quantiles[:, there],
        actual.calendar,
        label,
    )
    errors = {
        "mase": mase(actual.values, forecast.mean, past.values, season),
        "smape": smape(actual.values, forecast.mean),
        "pinball": pinball(actual.values, forecast),
        "coverage": coverage(actual.values, forecast, level),
    }
    return Trial(label, origin, forecast, actual, errors)
