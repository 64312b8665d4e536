"""The paper's six believe what their definitions say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import forecasters as plain

import highseason as hs
from highseason.core.jitable import jitable
from highseason.traffic import (
    DoubleExponentialSmoothing,
    ExponentialSmoothing,
    ForecastError,
    MovingAverage,
    OneStep,
    RandomWalk,
    SeasonalNaive,
    SimpleAverage,
    WeightedMovingAverage,
)

SIX = {
    RandomWalk(): plain.random_walk,
    SimpleAverage(): plain.simple_average,
    MovingAverage(): plain.moving_average,
    WeightedMovingAverage(): plain.weighted_moving_average,
    ExponentialSmoothing(): plain.exponential_smoothing,
    DoubleExponentialSmoothing(): plain.double_exponential_smoothing,
}
series = st.lists(st.floats(0.01, 1000), min_size=1, max_size=40)


@pytest.mark.jit
@pytest.mark.parametrize("forecaster", SIX, ids=str)
@given(G=series)
def test_beliefs_are_those_of_the_definition(forecaster: OneStep, G: list[float]) -> None:
    H = forecaster.path(G).values
    np.testing.assert_allclose(H, plain.beliefs(G, SIX[forecaster]), rtol=1e-9)


@pytest.mark.parametrize("forecaster", SIX, ids=str)
@given(G=st.lists(st.floats(0.01, 1000), min_size=2, max_size=40))
def test_one_turn_at_a_time_believes_the_same(forecaster: OneStep, G: list[float]) -> None:
    fitted = forecaster.fit(G[:1])
    found = [G[0]]
    for value in G[1:]:
        found.append(float(fitted.predict(1).mean[0]))
        fitted.update(value)
    assert found == forecaster.path(G).values.tolist()


def test_windows_other_than_five() -> None:
    G = np.arange(1.0, 30.0) ** 2 % 17 + 1
    for window in (1, 2, 7, 100):
        for kind, twin in (
            (MovingAverage, plain.moving_average),
            (WeightedMovingAverage, plain.weighted_moving_average),
        ):
            expected = plain.beliefs(G.tolist(), lambda seen, w=window, f=twin: f(seen, w))
            np.testing.assert_allclose(kind(window=window).path(G).values, expected, rtol=1e-12)


def test_a_falling_trend_stops_at_the_least_seen() -> None:
    G = [100.0, 60.0, 20.0, 1.0, 1.0]
    assert DoubleExponentialSmoothing().path(G).values.min() >= 1.0
    assert DoubleExponentialSmoothing().fit(G).predict(50).mean.min() >= 1.0


def test_spread_grows_as_it_should() -> None:
    G = 50 + 10 * np.sin(np.arange(60.0))
    wide = {str(f): np.diff(f.fit(G).predict(9).interval(0.8), axis=0)[0] for f in SIX}
    assert wide["random-walk"][3] > 1.4 * wide["random-walk"][0]
    assert wide["simple-average"][8] == pytest.approx(wide["simple-average"][0], rel=0.02)
    for widths in wide.values():
        assert (widths > 0).all()


def test_the_calendar_goes_on() -> None:
    days = np.arange("2013-12-20", "2013-12-25", dtype="datetime64[D]")
    fitted = RandomWalk().fit(hs.traffic.from_values([1, 2, 3, 4, 5], days))
    fitted.update(6)
    forecast = fitted.predict(2)
    assert forecast.calendar is not None
    assert forecast.calendar.astype(str).tolist() == ["2013-12-26", "2013-12-27"]


@pytest.mark.parametrize("wrong", ["moving-average:window=0", "exponential-smoothing:alpha=2",
                                   "moving-avrage", "moving-average:w=3",
                                   "moving-average:window=x"])  # fmt: skip
def test_bad_settings_are_refused(wrong: str) -> None:
    with pytest.raises(ForecastError):
        hs.traffic.parse_forecaster(wrong)


def test_a_name_with_its_settings_reads_back() -> None:
    for text in ("moving-average:window=7", "double-exponential-smoothing:alpha=0.2,beta=0.1"):
        assert str(hs.traffic.parse_forecaster(text)) == text
    assert hs.traffic.parse_forecaster("seasonal-naive:lag=364") == SeasonalNaive(lag=364)


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_what_cannot_have_come_is_refused(value: float) -> None:
    with pytest.raises(ForecastError, match="finite number above 0"):
        RandomWalk().fit([1, 2]).update(value)


def test_simulation_takes_a_forecaster() -> None:
    G = hs.traffic.wave(turns=200)
    rewards = hs.rewards.bernoulli(arms=5)
    policy = hs.UCBZ(z=30)
    forecast = hs.simulate(policy, rewards, G, games=20, forecast=RandomWalk())
    path = hs.simulate(policy, rewards, G, games=20, forecast=RandomWalk().path(G))
    assert forecast.plan_digests == path.plan_digests
    assert forecast.mean("reward", 0) == path.mean("reward", 0)


@jitable
def half_of_the_last(memory: np.ndarray, value: float) -> float:
    return value / 2


@dataclass(frozen=True)
class Pessimist(OneStep):
    step = staticmethod(half_of_the_last)

    def begin(self) -> np.ndarray:
        return np.zeros(1)


@pytest.mark.jit
def test_a_forecaster_of_ones_own() -> None:
    assert Pessimist().path([10.0, 40.0, 30.0]).values.tolist() == [10.0, 10.0, 20.0]
