"""Season-ahead forecasters find what was put in, special days too, and say how sure they are."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

import highseason as hs
from highseason.traffic import (
    Blend,
    CalendarRegression,
    ForecastError,
    Multiplier,
    backtest,
    special_days,
)
from highseason.traffic.history import History, black_friday
from highseason.traffic.season_ahead import _recent


def shop(years: int = 4, noise: float = 0.1, seed: int = 1) -> Multiplier:
    """A weekly and a yearly rhythm; Boxing Day is four times, Christmas Day a tenth as busy."""
    days = np.arange("2010-01-01", f"{2010 + years}-01-01", dtype="datetime64[D]")
    t = np.arange(days.size)
    logs = 5 + 0.3 * np.sin(2 * np.pi * t / 365.25) + 0.4 * (t % 7 == 1)
    names = np.array(special_days(days))
    logs += np.log(4) * (names == "Boxing Day") + np.log(0.1) * (names == "Christmas Day")
    logs += noise * np.random.default_rng(seed).standard_normal(days.size)
    return Multiplier(np.exp(logs), days)


@pytest.mark.parametrize("name", ["blend", "calendar", "ets", "mstl"])
def test_boxing_day_is_learned(name: str) -> None:
    G = shop()
    past, came = G.window(None, "2013-11-30"), G.window("2013-12-01", None)
    on = hs.traffic.parse_forecaster(name).fit(past).predict(31)
    off = hs.traffic.parse_forecaster(f"{name}:holidays=no").fit(past).predict(31)
    boxing = 25
    assert on.mean[boxing] == pytest.approx(came.values[boxing], rel=0.35)
    if name != "mstl":  # its year remembers last year's days by itself
        assert off.mean[boxing] < 0.5 * came.values[boxing]
    assert np.abs(on.mean - came.values).mean() < np.abs(off.mean - came.values).mean()


def test_the_default_beats_seasonal_naive_and_knows_how_sure_it_is() -> None:
    known = [hs.traffic.SeasonalNaive(), Blend(), CalendarRegression()]
    found = backtest(shop(5), known, turns=60, origins=4)
    for name in ("blend", "calendar"):
        assert found.mean("mase", name) < 0.8 * found.mean("mase", "seasonal-naive")
        assert 0.7 < found.mean("coverage", name) < 0.9
        assert found.mean("pinball", name) < found.mean("pinball", "seasonal-naive")


def test_a_level_that_moves_is_followed_and_widens_the_interval() -> None:
    """Where the level drifts, errors grow with the distance; calibration must notice."""
    hits, widths = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        logs = np.cumsum(0.05 * rng.standard_normal(400)) + 0.1 * rng.standard_normal(400)
        days = np.datetime64("2020-01-01") + np.arange(400)
        trial = backtest(Multiplier(100 * np.exp(logs), days), [Blend()], 30, [340, 370])
        hits.append(trial.mean("coverage", "blend"))
        low, high = trial.trials[0].forecast.interval(0.8)
        widths.append(np.log(high / low)[[0, 29]])
    assert 0.65 < np.mean(hits) < 0.95
    first, last = np.mean(widths, axis=0)
    assert last > 1.3 * first


def test_the_mean_is_not_inflated_by_the_tail_of_logarithms() -> None:
    days = np.datetime64("2020-01-01") + np.arange(200)
    G = Multiplier(100 * np.exp(np.random.default_rng(0).standard_normal(200)), days)
    blend, calendar = (f.fit(G).predict(14) for f in (Blend(), CalendarRegression()))
    assert np.median(blend.mean / blend.median) < 1.15
    assert np.median(calendar.mean / calendar.median) > 1.4


def test_arima_finds_the_week() -> None:
    days = np.datetime64("2013-01-07") + np.arange(80)
    noise = np.exp(0.05 * np.random.default_rng(0).standard_normal(80))
    forecast = (
        hs.traffic.ARIMA()
        .fit(Multiplier(np.resize([10.0, 10, 10, 10, 30, 40, 5], 80) * noise, days))
        .predict(7)
    )
    # Turn 80 is a Thursday, so the next days run from Thursday to Wednesday.
    np.testing.assert_allclose(forecast.mean, [10, 30, 40, 5, 10, 10, 10], rtol=0.25)


def test_update_is_a_fit_with_one_turn_more() -> None:
    G = shop(2)
    fitted = CalendarRegression().fit(G.window(1, 700))
    fitted.update(G.values[700])
    again = CalendarRegression().fit(G.window(1, 701)).predict(5)
    assert fitted.predict(5).mean.tolist() == again.mean.tolist()


def test_special_days_have_names() -> None:
    assert black_friday(2024) == date(2024, 11, 29)
    days = np.array(["2013-11-29", "2013-12-02", "2013-12-24", "2014-01-01", "2014-02-03"])
    assert special_days(days.astype("datetime64[D]")) == [
        "Black Friday", "Cyber Monday", "Christmas Eve", "New Year's Day", "",
    ]  # fmt: skip


def test_public_holidays_of_a_country() -> None:
    easter = np.array(["2013-04-01"], "datetime64[D]")
    assert special_days(easter, "GB-ENG") == ["Easter Monday"]
    assert special_days(easter, "US") == [""]
    with pytest.raises(ForecastError, match="public holidays of 'XX'"):
        special_days(easter, "XX")


def test_backtests_need_room() -> None:
    with pytest.raises(ForecastError, match="too few"):
        backtest(shop(1), [CalendarRegression()], turns=200, origins=2)


def test_special_days_of_hours_and_of_years_that_begin_in_the_past() -> None:
    hours = np.arange("2013-12-24T22", "2013-12-27T02", dtype="datetime64[h]")
    one_by_one = [special_days(hour.reshape(1))[0] for hour in hours]
    assert special_days(hours) == one_by_one
    assert set(special_days(hours)) > {"Boxing Day"}
    days = np.arange("2012-12-30", "2014-01-03", dtype="datetime64[D]")
    assert special_days(days) == [special_days(day.reshape(1))[0] for day in days]


@pytest.mark.parametrize(("season", "kept"), [(1, 60 * 7), (7, 60 * 7), (12, 60 * 12)])
def test_smoothing_looks_at_sixty_seasons_of_a_week_or_more(season: int, kept: int) -> None:
    history = History.of(Multiplier(1.0 + np.arange(900) % 12), periods=(season,))
    logs = np.arange(900.0)
    assert _recent(history, logs).tolist() == logs[-kept:].tolist()
    short = History.of(Multiplier(1.0 + np.arange(50) % 12), periods=(season,))
    assert _recent(short, logs[:50]).size == 50
