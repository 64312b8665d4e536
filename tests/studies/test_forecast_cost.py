"""What a wrong forecast costs."""

from __future__ import annotations

import numpy as np
import pytest

import highseason as hs
from highseason.traffic import Forecast, normal_quantiles
from studies.unknown_traffic.backtest import backtest_cost
from studies.unknown_traffic.forecast_cost import forecast_cost

G = hs.traffic.christmas(turns=300)
REWARDS = hs.rewards.bernoulli(arms=10)


def test_a_right_forecast_costs_nothing_and_a_wrong_one_does() -> None:
    beliefs = {
        "right": Forecast(G.values),
        "upside down": Forecast(G.values.max() + 1 - G.values),
        "average": hs.traffic.SimpleAverage(),
    }
    cost = forecast_cost(hs.UCBZ(z=30), REWARDS, G, beliefs, games=300, seed=2)
    assert cost.labels == ("G known", *beliefs, "unregulated")
    assert cost.lost("right").value == 0
    assert cost.survives("right") == 1
    assert cost.lost("upside down").low > 0.05
    assert cost.survives("upside down") < 0.5
    assert cost.survives("unregulated") == 0
    assert cost.gain("G known").value == pytest.approx(
        cost.reward("G known") / cost.reward("unregulated") - 1
    )


def test_the_seasons_of_a_backtest() -> None:
    days = np.datetime64("2013-01-07") + np.arange(200)
    noise = np.exp(0.2 * np.random.default_rng(1).standard_normal(200))
    week = hs.traffic.from_values(np.resize([1.0, 1, 1, 1, 4, 9, 9], 200) * noise, days)
    forecasters = {
        "naive": hs.traffic.SeasonalNaive(),
        "average": hs.traffic.SimpleAverage(),
    }
    trials = hs.traffic.backtest(week, forecasters, turns=42, origins=3)
    cost = backtest_cost(hs.UCBZ(), hs.rewards.bernoulli(arms=5), trials, games=400)
    assert list(cost.costs) == [74, 116, 158]
    assert cost.lost("G known") == 0
    assert cost.survives("unregulated") == 0
    assert cost.lost("naive") < cost.lost("average")


def test_luck_is_shared() -> None:
    again = [
        forecast_cost(hs.SoftUCB(), REWARDS, G, {}, games=50, seed=4).reward("G known")
        for _ in range(2)
    ]
    direct = hs.simulate(hs.SoftUCB(), REWARDS, G, games=50, seed=4).mean("reward", 0)
    assert again == [direct, direct]


def test_pools_stay_whole_when_their_stakes_are_unsure() -> None:
    mean = np.full(50, 2.0)
    unsure = Forecast(mean, normal_quantiles(mean, np.full(50, 1.5)))
    sizes = hs.VariablePool(c=20, unit=1).plan(mean, 5, forecast=unsure).levels
    assert (sizes == np.floor(sizes)).all()
    assert sizes.min() >= 1
