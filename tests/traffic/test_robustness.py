"""Short, long, rising and partly closed pasts: no crash, no absurd number, no false certainty."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest

import highseason as hs
from highseason.traffic import (
    CalendarRegression,
    Forecast,
    ForecastWarning,
    Multiplier,
    parse_forecaster,
)

OWN = ["blend", "calendar", "seasonal-naive"]


def noisy(turns: int, minutes: int, level: float = 100.0, seed: int = 0) -> Multiplier:
    """A rhythm of the day and of the week, with noise."""
    stamps = np.datetime64("2024-01-01T00:00") + np.arange(turns) * np.timedelta64(minutes, "m")
    hours = np.arange(turns) * minutes / 60
    logs = 0.5 * np.sin(2 * np.pi * hours / 24) + 0.3 * np.sin(2 * np.pi * hours / 168)
    noise = 0.2 * np.random.default_rng(seed).standard_normal(turns)
    return Multiplier(level * np.exp(logs + noise), stamps)


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize(("turns", "minutes"), [(14, 1440), (15, 1440), (336, 60), (337, 60)])
def test_two_weeks_of_history_are_not_certain(name: str, turns: int, minutes: int) -> None:
    low, high = parse_forecaster(name).fit(noisy(turns, minutes)).predict(7).interval(0.8)
    assert (high > 1.2 * low).all()


@pytest.mark.parametrize("minutes", [30, 15, 5])
@pytest.mark.parametrize("weeks", [1.5, 1.7, 2.0, 2.1])
@pytest.mark.parametrize("name", OWN[:2])
def test_turns_below_an_hour_need_no_whole_weeks(name: str, minutes: int, weeks: float) -> None:
    day = 1440 // minutes
    G = noisy(int(weeks * 7 * day) + 1, minutes)
    forecast = parse_forecaster(name).fit(G).predict(day)
    assert G.values.min() < forecast.mean.min() < forecast.mean.max() < G.values.max()


@pytest.mark.parametrize("name", OWN[:2])
def test_minutes_need_little_memory(name: str) -> None:
    G = noisy(60_000, 1)
    tracemalloc.start()
    forecast = parse_forecaster(name).fit(G).predict(1440)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6  # a column for each minute of the week would take 4.8 GB
    assert forecast.mean.max() > 1.5 * forecast.mean.min()


def with_closed_hours(share: float = 0.15) -> Multiplier:
    """Open from 9 to 18, with visitors in most of these hours."""
    rng, hours = np.random.default_rng(3), np.arange(24 * 56)
    clock = hours % 24
    rate = np.where((clock >= 9) & (clock < 18), 40 * np.exp(-(((clock - 13) / 3.0) ** 2)) + 2, 0)
    visitors = rng.poisson(rate) * (rng.random(hours.size) >= share)
    return Multiplier(np.maximum(visitors, 1e-9), np.datetime64("2023-01-02T00") + hours)


@pytest.mark.parametrize("name", OWN)
def test_closed_hours_do_not_inflate_the_mean(name: str) -> None:
    G = with_closed_hours()
    forecast = parse_forecaster(name).fit(G).predict(63)  # a week
    usual = 24 / 9 * G.values.mean()
    assert 0.7 * usual < forecast.mean.mean() < 1.3 * usual
    assert forecast.mean.max() < 1.25 * G.values.max()


@pytest.mark.parametrize("name", ["blend", "calendar"])
def test_a_steep_end_is_not_drawn_out(name: str) -> None:
    days = np.datetime64("2023-01-02") + np.arange(120)
    logs = np.maximum(0, np.arange(120) - 105) * 0.1
    noise = 0.05 * np.random.default_rng(0).standard_normal(120)
    G = Multiplier(100 * np.exp(logs + noise), days)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForecastWarning)
        forecast = parse_forecaster(name).fit(G).predict(60)
    assert forecast.median.max() < 1.4 * G.values.max()
    assert forecast.mean.max() < 2.0 * G.values.max()


def one_year(turns: int = 365) -> Multiplier:
    """Quiet until December."""
    days = np.datetime64("2025-01-01") + np.arange(turns)
    return Multiplier(
        np.where(np.arange(turns) % 365 >= 334, 600.0, 100.0 + np.arange(turns) % 7), days
    )


def predict(G: Multiplier, turns: int) -> Forecast:
    return CalendarRegression().fit(G).predict(turns)


def test_one_year_is_too_short_to_know_the_season() -> None:
    with pytest.warns(ForecastWarning, match="365 days long, too short to know the season"):
        predict(one_year(), 28)


def test_the_default_leans_on_the_only_year_it_knows() -> None:
    with pytest.warns(ForecastWarning):
        forecast = hs.traffic.Blend().fit(one_year()).predict(28)
    low, high = forecast.interval(0.8)
    assert forecast.mean[7] < 450 < 600 < high[7]  # last January was 100, December 600
    assert low[7] < 150


def test_a_week_ahead_or_a_longer_past_need_no_warning() -> None:
    predict(one_year(), 7)
    predict(one_year(600), 28)
    hs.traffic.backtest(one_year(), [CalendarRegression()], turns=28, origins=2)
