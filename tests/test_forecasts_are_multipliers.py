"""A forecast is a multiplier at every door that asks for one, with its calendar; it is no past."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import caller

import highseason as hs
from highseason.cli import main
from highseason.traffic import Forecast, ForecastError, Multiplier
from highseason_service.forecast import TrafficForecast

pytestmark = pytest.mark.filterwarnings("ignore:the past is .. days long")

DAYS = pd.date_range("2026-01-05", periods=56)
SEASON = pd.Series(np.where(np.arange(56) % 7 == 5, 900.0, 300.0), DAYS)
NEXT = pd.Timestamp("2026-03-02")
ARMS, RANGE = ["9.99", "10.99"], (0, 12)
REWARDS = hs.rewards.visitors(arms=2)


def started(forecast: Any) -> Multiplier | None:
    return hs.Bandit(ARMS, multiplier=forecast, reward_range=RANGE).multiplier


def reforecast(forecast: Any) -> Multiplier | None:
    bandit = hs.Bandit(ARMS, multiplier=SEASON, reward_range=RANGE)
    bandit.pull("2026-03-01")
    bandit.reforecast(forecast)
    return bandit.multiplier and bandit.multiplier.window(57, None)


def extended(forecast: Any) -> Multiplier | None:
    bandit = hs.Bandit(ARMS, multiplier=SEASON, reward_range=RANGE)
    bandit.extend(forecast)
    return bandit.multiplier and bandit.multiplier.window(57, None)


DOORS: dict[str, Callable[[Any], Multiplier | None]] = {
    "as_multiplier": hs.traffic.as_multiplier,
    "Bandit": started,
    "Bandit.reforecast": reforecast,
    "Bandit.extend": extended,
    "Policy.plan": lambda G: hs.UCBZ().plan(G, 2).multiplier,
    "play": lambda G: hs.play("greedy", REWARDS, G).plan.multiplier,
    "advise": lambda G: hs.advise(G, 2, rates=(0.2, 0.8), games=4, workers=1).multiplier,
    "TrafficForecast": lambda G: TrafficForecast.of(G).multiplier,
}


@pytest.fixture(scope="module")
def forecast() -> Forecast:
    return hs.forecast(SEASON, 14)


@pytest.mark.usefixtures("quick_advice")
@pytest.mark.parametrize("door", DOORS)
def test_a_forecast_is_taken_with_its_calendar(door: str, forecast: Forecast) -> None:
    G = DOORS[door](forecast)
    assert G is not None
    assert G.values.tolist() == forecast.mean.tolist()
    assert (G.turn_at("2026-03-02"), G.turn_at("2026-03-15")) == (1, 14)


def test_where_no_multiplier_comes_back(forecast: Forecast) -> None:
    hs.tune("ucb", REWARDS, forecast, trials=2, games=2, workers=1)
    for G, expected in ((forecast, None), (SEASON[:14], forecast), (forecast, forecast)):
        hs.simulate("greedy", REWARDS, G, games=2, forecast=expected)
    hs.bounds.regret(hs.UCB(), [0.9, 0.5], multiplier=forecast)
    hs.report.multiplier(forecast)
    assert hs.adapters.to_river("greedy", multiplier=forecast).pull([0, 1]) in (0, 1)


def test_days_keep_the_zone_of_the_past() -> None:
    for model in ("blend", "random-walk"):
        ahead = hs.forecast(SEASON.tz_localize("Europe/Rome"), 14, model)
        assert hs.traffic.as_multiplier(ahead).zone == "Europe/Rome"
        assert hs.traffic.as_multiplier(ahead.window(3, 5)).turn_at(NEXT + pd.Timedelta("2D")) == 1


def test_the_job_of_every_morning() -> None:
    """The bandit starts with a forecast, and goes on with that of each day, asked for or not."""
    past = SEASON.copy()
    shelf = hs.Bandit(ARMS, multiplier=hs.traffic.Blend().fit(past).predict(60), reward_range=RANGE)
    for day in pd.date_range(NEXT, periods=4):
        shelf.update(shelf.pull(day), reward=1234.5, t=day, visitors=310)
        shelf.reforecast(hs.forecast(past, 60))  # begins with a day that is decided
        past[day] = 310.0
    shelf.reforecast(hs.forecast(past, 60))
    assert shelf.multiplier is not None
    assert shelf.multiplier.turns == 64
    assert len(shelf.decisions()) == 4


@pytest.mark.parametrize(
    "learn",
    [
        hs.forecast,
        hs.traffic.forecast,
        hs.traffic.Blend().fit,
        hs.traffic.RandomWalk().fit,
        lambda series: hs.traffic.backtest(series, [hs.traffic.RandomWalk()], 2),
        lambda series: hs.traffic.check(series, hs.traffic.RandomWalk(), 2),
    ],
)
def test_a_forecast_is_no_past(learn: Callable[[Any], Any], forecast: Forecast) -> None:
    with pytest.raises(ForecastError, match="expected the visitors who came, got a forecast"):
        learn(forecast)


def test_the_verb_is_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The same defaults, the same model, and the same days."""
    monkeypatch.chdir(tmp_path)
    call = caller(main)
    SEASON.rename_axis("day").rename("visitors").to_csv("traffic.csv")
    Path("days.csv").write_text("date,kind\n2026-01-12,sale\n2026-03-03,sale\n", encoding="utf-8")
    cases: list[tuple[tuple[str, ...], dict[str, Any]]] = [
        ((), {}),
        (("--events", "days.csv", "--no-holidays"), {"events": "days.csv", "holidays": False}),
        (("--model", "seasonal-naive:lag=14"), {"model": "seasonal-naive:lag=14"}),
    ]
    for words, given in cases:
        rows = json.loads(call("forecast", "traffic.csv", "--json", *words).stdout)["forecast"]
        assert [row["mean"] for row in rows] == hs.forecast("traffic.csv", **given).mean.tolist()
    with pytest.raises(ForecastError, match="events= has no effect on random-walk"):
        hs.forecast(SEASON, 7, "random-walk", events="days.csv")
