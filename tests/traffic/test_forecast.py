"""A forecast's quantiles, chances, and the plans made from them."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

import highseason as hs
from highseason.traffic import LEVELS, Forecast, ForecastError, normal_quantiles

MEAN = np.array([10.0, 30.0, 60.0])
DEVIATION = np.array([2.0, 5.0, 9.0])
F = Forecast(MEAN, normal_quantiles(MEAN, DEVIATION))


@pytest.mark.parametrize("level", [0.003, 0.1, 0.35, 0.5, 0.81, 0.999])
def test_between_and_beyond_the_levels_it_is_exact_for_normal_turns(level: float) -> None:
    expected = [NormalDist(m, s).inv_cdf(level) for m, s in zip(MEAN, DEVIATION, strict=True)]
    np.testing.assert_allclose(F.quantile(level), expected)


@pytest.mark.parametrize("z", [1.0, 9.0, 30.0, 33.0, 70.0, 200.0])
def test_the_chance_of_a_high_turn(z: float) -> None:
    expected = [1 - NormalDist(m, s).cdf(z) for m, s in zip(MEAN, DEVIATION, strict=True)]
    np.testing.assert_allclose(F.probability_above(z), expected, atol=1e-9)


def test_without_a_spread_the_mean_is_all_there_is() -> None:
    sure = F.sure()
    assert sure.probability_above(30.0).tolist() == [0.0, 1.0, 1.0]
    assert sure.interval()[0].tolist() == MEAN.tolist()
    assert sure.atoms().tolist() == [MEAN.tolist()]


def test_a_turn_that_is_certain() -> None:
    flat = Forecast(np.array([5.0]), np.full((len(LEVELS), 1), 5.0))
    assert flat.probability_above(5.0).tolist() == [1.0]
    assert flat.probability_above(5.1).tolist() == [0.0]


def test_equally_likely_values_have_the_mean() -> None:
    np.testing.assert_allclose(F.atoms(99).mean(axis=0), MEAN, rtol=1e-3)


def test_what_is_no_forecast_is_refused() -> None:
    with pytest.raises(ForecastError, match="15 rows of 3"):
        Forecast(MEAN, np.ones((2, 3)))
    with pytest.raises(ForecastError, match="strictly between"):
        F.quantile(1.0)


def test_a_sure_forecast_that_is_right_is_knowledge() -> None:
    G = hs.traffic.christmas(turns=200)
    for policy in (hs.UCBZ(), hs.SoftUCB(), hs.SoftEpsilonGreedy(), hs.EpsilonZGreedy(k=3)):
        known = policy.plan(G, arms=5).levels
        ahead = policy.plan(G, arms=5, forecast=Forecast(G.values)).levels
        np.testing.assert_allclose(ahead, known, rtol=1e-12)


def test_the_chance_that_a_turn_is_low_decides_how_much_it_explores() -> None:
    mean = np.full(100, 30.0)
    mean[50:] = 40.0
    forecast = Forecast(mean, normal_quantiles(mean, np.full(100, 5.0)))
    numbers = hs.UCBZ(z=35).plan(mean, arms=2, forecast=forecast).levels
    full = hs.UCB().plan(mean, arms=2).levels
    share = numbers[2:] / full[2:]
    np.testing.assert_allclose(share, 1 - forecast.probability_above(35)[2:], atol=1 / 19)


def test_a_plan_wants_a_forecast_and_not_a_season_ahead_forecaster() -> None:
    with pytest.raises(ValueError, match="the forecast has 3 turns, the multiplier 2"):
        hs.UCBZ(z=30).plan([1, 40], arms=1, forecast=F)
