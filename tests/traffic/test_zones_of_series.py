"""Series whose stamps know their zone: hours across a clock change, and days of 23 and 25 hours."""

from __future__ import annotations

import numpy as np
import pandas as pd

import highseason as hs


def hourly() -> hs.traffic.Multiplier:
    hours = pd.date_range("2024-02-01", periods=24 * 80, freq="h", tz="Europe/London")
    by_the_clock = hours.hour.to_numpy()
    return hs.traffic.from_series(pd.Series(100.0 + 10.0 * by_the_clock, index=hours))


def test_hours_follow_the_clock_across_a_change() -> None:
    forecast = hs.traffic.CalendarRegression().fit(hourly()).predict(48)
    assert np.argmax(forecast.mean[:24]) == 22  # 23h in London: the season runs by its clock


def test_days_of_any_length_are_even() -> None:
    days = hourly().resample("1D")
    assert hs.traffic.SeasonalNaive().fit(days).predict(3).mean.shape == (3,)


def test_a_path_of_beliefs_keeps_the_zone() -> None:
    assert hs.traffic.RandomWalk().path(hourly()).zone == "Europe/London"
