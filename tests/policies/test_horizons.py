"""Effective horizons against their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import highseason as hs
from highseason.policies.plan import effective_horizons


def slow_horizons(G: NDArray[np.float64], plays: int) -> NDArray[np.float64]:
    """The definition, turn by turn."""
    out = np.zeros(G.size)
    for t in range(G.size - 1):
        later = G[t + 1 :]
        rates = np.sort((G[t] - later) / np.cumsum(later))[::-1]
        waiting = rates[plays - 1] if rates.size >= plays else 0.0
        out[t] = 1.0 / max(G[t] / later.sum(), waiting)
    return out


@given(
    st.lists(st.floats(0.01, 100.0), min_size=1, max_size=300).map(np.array),
    st.integers(1, 40),
)
def test_horizons_follow_the_definition(G: NDArray[np.float64], plays: int) -> None:
    np.testing.assert_allclose(effective_horizons(G, plays), slow_horizons(G, plays), rtol=1e-9)


def test_long_smooth_and_steep_games() -> None:
    t = np.arange(2000.0)
    for G in (np.sin(t / 300) + 1.1, 1 / (1 + t / 50), 1 + t, np.ones(2000), 1 + t % 7):
        np.testing.assert_allclose(effective_horizons(G, 25), slow_horizons(G, 25), rtol=1e-8)


def test_a_constant_multiplier_leaves_nothing_to_wait_for() -> None:
    np.testing.assert_array_equal(effective_horizons(np.ones(5), 2), [4, 3, 2, 1, 0])


def test_the_crest_of_the_wave_waits_for_the_trough() -> None:
    wave = hs.traffic.wave(turns=500)
    G = wave.values
    horizons = effective_horizons(G, 25)
    waited = G[:-1] * horizons[:-1] / np.cumsum(G[::-1])[::-1][1:]
    assert horizons[18] > 9900  # the trough: W/G
    assert waited[18] == pytest.approx(1.0)
    assert waited[5] < 0.11  # the crest: a tenth of W/G


def test_among_many_arms_the_plan_waits_for_as_many_turns_as_a_search_takes() -> None:
    G = hs.traffic.wave(turns=400)
    for arms, plays in ((7, 7), (40, 40), (41, 40), (1000, 40)):
        levels = hs.OptionIndex().plan(G, arms=arms).levels
        np.testing.assert_array_equal(levels, effective_horizons(G.values, plays))


def test_without_waiting_and_then_without_a_price() -> None:
    G = hs.traffic.wave(turns=60)
    weight = np.cumsum(G.values[::-1])[::-1] - G.values
    now = hs.OptionIndex(wait=False).plan(G, arms=5).levels
    np.testing.assert_allclose(now, weight / G.values, atol=1e-12)
    assert (hs.OptionIndex().plan(G, arms=5).levels <= now * (1 + 1e-12)).all()
    unregulated = hs.OptionIndex(regulated=False).plan(G, arms=5).levels
    np.testing.assert_array_equal(unregulated, np.arange(59.0, -1.0, -1.0))


def test_where_turns_come_one_at_a_time_the_past_stands_for_the_future() -> None:
    planner = hs.OptionIndex().planner(arms=3)
    assert [planner.level(g) for g in (2.0, 4.0, 1.0)] == [1.0, 1.5, 7.0]
    planner = hs.OptionIndex(regulated=False).planner(arms=3)
    assert [planner.level(g) for g in (2.0, 4.0, 1.0)] == [1.0, 2.0, 3.0]


def test_a_forecast_of_the_season_counts_with_its_mean() -> None:
    past = hs.traffic.wave(turns=80)
    forecast = hs.traffic.SeasonalNaive(periods=(20,)).fit(past).predict(40)
    G = hs.traffic.wave(turns=40)
    levels = hs.OptionIndex().plan(G, arms=3, forecast=forecast).levels
    np.testing.assert_array_equal(levels, effective_horizons(forecast.mean, 3))


def test_a_wrapper_plans_as_the_policy_within() -> None:
    G = hs.traffic.christmas(turns=90)
    inner = hs.OptionIndex()
    wrapped = hs.policies.PeakGrabber(inner).plan(G, arms=4).levels
    np.testing.assert_array_equal(wrapped, inner.plan(G, arms=4).levels)
