"""Each check of forecasters meets one that breaks its promise, and only that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from highseason.checks import CheckFailed, check_forecaster
from highseason.checks.catalogue import coarse_mean, coarse_quantile
from highseason.checks.forecasters import past
from highseason.traffic import Fitted, Forecast, Forecaster, MovingAverage, Multiplier

Predict = Callable[[int], Forecast]


class Wrapped(Fitted):
    """A sound forecaster, but for a fault in what it predicts."""

    def __init__(self, fault: Callable[[Predict, int], Forecast], hears: bool, series: Any) -> None:
        self.inner, self.fault, self.hears = MovingAverage(7).fit(series), fault, hears

    def predict(self, turns: int) -> Forecast:
        return self.fault(self.inner.predict, turns)

    def update(self, value: float) -> None:
        if self.hears:
            self.inner.update(value)


@dataclass(frozen=True)
class Faulty(Forecaster):
    fault: Callable[[Predict, int], Forecast]
    hears: bool = True

    def fit(self, series: Any) -> Fitted:
        return Wrapped(self.fault, self.hears, series)


def with_means(change: Callable[[Any], Any]) -> Faulty:
    def fault(predict: Predict, turns: int) -> Forecast:
        forecast = predict(turns)
        object.__setattr__(forecast, "mean", change(forecast.mean))
        return forecast

    return Faulty(fault)


def last(value: float) -> Faulty:
    return with_means(lambda mean: np.append(mean[:-1], value))


def longer_at(asked: int) -> Faulty:
    return Faulty(lambda predict, turns: predict(turns + (turns == asked)))


def late(predict: Predict, turns: int) -> Forecast:
    forecast = predict(turns)
    assert forecast.calendar is not None
    return replace(forecast, calendar=forecast.calendar + np.timedelta64(1, "D"))


def upside_down(predict: Predict, turns: int) -> Forecast:
    forecast = predict(turns)
    assert forecast.quantiles is not None
    object.__setattr__(forecast, "quantiles", forecast.quantiles[::-1])
    return forecast


def with_probability(share: float) -> Faulty:
    class Certain(Forecast):
        def probability_above(self, z: float) -> Any:
            return np.full(len(self), share)

    def fault(predict: Predict, turns: int) -> Forecast:
        forecast = predict(turns)
        return Certain(forecast.mean, forecast.quantiles, forecast.calendar)

    return Faulty(fault)


RNG = np.random.default_rng(1)
FAULTY: list[tuple[Faulty, str]] = [
    *((longer_at(n), f"expected {n} turns, got {n + 1}") for n in (1, 2, 15)),
    *((last(value), "means must be finite and > 0") for value in (np.nan, np.inf, 0.0, -1.0)),
    (Faulty(late), "the first forecast turn must follow the last known one"),
    (Faulty(lambda predict, turns: replace(predict(turns), calendar=None)), "with a calendar"),
    (Faulty(lambda predict, turns: predict(turns).sure()), "must give quantiles, too"),
    (Faulty(upside_down), "a higher level must not have a lower quantile"),
    (with_probability(1.0001), "must lie between 0 and 1"),
    (with_probability(-0.0001), "must lie between 0 and 1"),
    (with_means(lambda mean: mean * RNG.uniform(1, 2)), "must have the same forecast"),
    (Faulty(lambda predict, turns: predict(turns), hears=False), "must equal fit with that value"),
    (with_means(lambda mean: mean + 5.0), "a series times 1,000 must have"),
    (with_means(lambda mean: mean * 1.001), "a constant series must have a constant"),
]


@pytest.mark.parametrize(("forecaster", "sentence"), FAULTY)
def test_a_fault_is_found(forecaster: Faulty, sentence: str) -> None:
    with pytest.raises(CheckFailed, match=sentence):
        check_forecaster(forecaster)


def test_without_a_fault_it_passes() -> None:
    check_forecaster(Faulty(lambda predict, turns: predict(turns)))
    for share in (0.0, 1.0):
        check_forecaster(with_probability(share))


@dataclass(frozen=True)
class Peeking(MovingAverage):
    """Knows the multiplier of one turn before it comes."""

    name = ""
    turn: int = 6

    def path(self, G: Any) -> Multiplier:
        path = super().path(G)
        values, G = path.values.copy(), np.asarray(getattr(G, "values", G))
        values[self.turn - 1] = G[self.turn - 1]
        return replace(path, values=values)


@dataclass(frozen=True)
class Bold(MovingAverage):
    name = ""
    first: float = 1.0
    later: float = 1.0

    def path(self, G: Any) -> Multiplier:
        path = super().path(G)
        factors = np.where(np.arange(path.turns) == 0, self.first, self.later)
        return replace(path, values=path.values * factors)


@pytest.mark.parametrize("turn", [6, 21, 40])
def test_a_forecast_that_peeks_is_found(turn: int) -> None:
    with pytest.raises(CheckFailed, match=f"of turn {turn} must not depend on G at that turn"):
        check_forecaster(Peeking(turn=turn))


def test_forecasts_of_a_first_turn_and_below_the_least() -> None:
    with pytest.raises(CheckFailed, match="the forecast of the first turn must be its value"):
        check_forecaster(Bold(first=1.01))
    with pytest.raises(CheckFailed, match="must not be below the least G seen so far"):
        check_forecaster(Bold(later=0.9))
    check_forecaster(Bold(later=1.1))


def test_the_past_is_the_same_in_every_version() -> None:
    """What a check finds can be looked into later."""
    assert past().turns == 120
    assert str(past().calendar[0]) == "2013-01-07"  # type: ignore[index]  # it has one
    waves = [1.0, 1.088765, 0.926126, 0.92101, 1.027688, 1.052423, 0.959807, 0.952739]
    week = [100, 100, 110, 120, 150, 200, 80, 100]
    np.testing.assert_allclose(past(8).values / week, waves, atol=1e-6)
    np.testing.assert_allclose(past(8, 3.0).values, 3 * past(8).values)


def test_the_mean_of_coarse_rewards_is_that_of_their_quantiles() -> None:
    u = (np.arange(20_000) + 0.5) / 20_000
    for level in (0.0, 0.2, 0.5, 0.77, 1.0):
        values = [coarse_quantile(share, level, 0.0) for share in u.tolist()]
        assert set(np.array(values) * 8) <= set(range(9))
        found = coarse_mean(np.array([level]))[0]
        assert found == pytest.approx(np.mean(values), abs=1e-3)
        assert found == pytest.approx(0.3 * 0.5 + 0.7 * level - 1 / 16, abs=1 / 16)
