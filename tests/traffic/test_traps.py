"""What real series do: gaps, repeats, clocks that change, closed hours, too short, constant."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import highseason as hs
from highseason.traffic import (
    CalendarRegression,
    ForecastError,
    Multiplier,
    MultiplierError,
    SeasonalNaive,
    from_series,
    from_values,
    read,
)
from highseason.traffic.history import History

WEEK = np.array([100.0, 100, 110, 120, 150, 200, 80])


def daily(turns: int, start: str = "2013-01-07") -> Multiplier:  # a Monday
    days = np.datetime64(start) + np.arange(turns)
    return from_values(np.resize(WEEK, turns), days)


def without(G: Multiplier, *rows: int) -> Multiplier:
    assert G.calendar is not None
    return Multiplier(np.delete(G.values, rows), np.delete(G.calendar, rows))


def test_gaps_are_filled_from_the_weeks_around() -> None:
    G = daily(70)
    history = History.of(without(G, 12, 13, 40))
    assert history.turns == 70
    assert history.values.tolist() == G.values.tolist()
    assert np.flatnonzero(~history.seen).tolist() == [12, 13, 40]
    full, holed = (CalendarRegression().fit(x).predict(7).mean for x in (G, without(G, 12, 13, 40)))
    np.testing.assert_allclose(full, holed, rtol=0.02)


def test_a_gap_at_the_end_is_forecast_from_where_the_series_ends() -> None:
    forecast = SeasonalNaive().fit(without(daily(30), 29)).predict(1)
    assert forecast.calendar is not None
    assert str(forecast.calendar[0]) == "2013-02-05"


def test_too_many_gaps_are_refused() -> None:
    with pytest.raises(ForecastError, match=r"of 70 turns are missing"):
        History.of(without(daily(70), *range(10, 40)))


def test_uneven_times_are_refused() -> None:
    days = np.array(["2013-01-01", "2013-01-02", "2013-01-03T09:00", "2013-01-04"], "datetime64[m]")
    with pytest.raises(ForecastError, match=r"not evenly spaced: 2013-01-03 09:00 .* 1 day"):
        History.of(Multiplier([1, 2, 3, 4], days))


def test_repeated_times_are_refused_by_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("time,visitors\n2013-10-27 01:00,5\n2013-10-27 01:00,6\n")
    with pytest.raises(MultiplierError, match=r"repeats the time .* clocks go back"):
        read(path)


def hourly(zone: str | None, start: str, days: int) -> pd.Series:
    index = pd.date_range(start, periods=24 * days, freq="h", tz="UTC" if zone else None)
    wall = index.tz_convert(zone) if zone else index
    return pd.Series(np.where(wall.hour == 12, 300.0, 20.0 + wall.hour), index=index)


def test_an_hour_that_the_clocks_skip_is_a_gap() -> None:
    local = hourly(None, "2013-03-01", 40)
    spring = local.drop(pd.Timestamp("2013-03-31 01:00"))
    forecast = CalendarRegression().fit(from_series(spring)).predict(24)
    assert int(forecast.mean.argmax()) == 12


def test_with_a_zone_the_rush_hour_stays_at_noon_when_clocks_change() -> None:
    utc = from_series(
        hourly("Europe/London", "2013-08-01", 87)
    )  # to 26 October; then clocks change
    in_zone = CalendarRegression(zone="Europe/London").fit(utc).predict(48).mean
    without_zone = CalendarRegression().fit(utc).predict(48).mean
    assert int(in_zone[24:].argmax()) == 12  # noon in London is noon in UTC again
    assert int(without_zone[24:].argmax()) == 11


def test_aware_and_naive_stamps_of_one_clock_agree() -> None:
    naive = hourly(None, "2013-01-07", 30)
    aware = naive.tz_localize("UTC")
    one, other = (CalendarRegression().fit(from_series(s)).predict(24).mean for s in (naive, aware))
    assert one.tolist() == other.tolist()


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ForecastError, match="'Europe/Leeds' is not a time zone"):
        CalendarRegression(zone="Europe/Leeds").fit(daily(30)).predict(1)


def test_closed_turns_without_a_calendar_are_forecast_closed() -> None:
    shop = np.where(np.arange(140) % 7 == 5, 1e-9, np.resize(WEEK, 140))
    forecast = CalendarRegression(periods=(7,)).fit(shop).predict(14)
    np.testing.assert_allclose(forecast.mean[[5, 12]], 1e-9)
    np.testing.assert_allclose(forecast.interval()[1][[5, 12]], 1e-9)
    np.testing.assert_allclose(forecast.mean[:5], WEEK[:5], rtol=0.05)


def test_a_season_never_seen_twice_is_refused() -> None:
    with pytest.raises(ForecastError, match=r"10 turns are too short .* use a one-step forecaster"):
        CalendarRegression().fit(daily(10))


def test_a_year_never_seen_is_left_out() -> None:
    assert History.of(daily(60)).seasons == (7.0,)
    assert History.of(daily(600)).seasons == (7.0, 365.25)


def test_two_years_of_weeks_know_the_year() -> None:
    weeks = np.datetime64("2023-01-02") + 7 * np.arange(104)
    assert len(History.of(from_values(100.0 + np.arange(104) % 52, weeks)).seasons) == 1


@pytest.mark.parametrize("name", ["blend", "calendar", "seasonal-naive"])
def test_a_constant_series_goes_on(name: str) -> None:
    days = np.datetime64("2013-01-01") + np.arange(100)
    forecast = hs.traffic.parse_forecaster(name).fit(Multiplier(np.full(100, 7.0), days)).predict(9)
    assert forecast.mean.tolist() == [7.0] * 9
    assert forecast.probability_above(7.0).tolist() == [1.0] * 9


def test_without_a_calendar_the_seasons_must_be_said() -> None:
    values = np.resize(WEEK, 70)
    with pytest.raises(ForecastError, match=r"no dates, .* blend:periods=7"):
        CalendarRegression().fit(values)
    forecast = CalendarRegression(periods=(7,)).fit(values).predict(7)
    np.testing.assert_allclose(forecast.mean, WEEK, rtol=0.02)
    assert forecast.calendar is None


def test_months_are_even_though_they_are_not() -> None:
    months = np.arange("2010-01", "2014-01", dtype="datetime64[M]").astype("datetime64[D]")
    season = 100 + 50 * (np.arange(48) % 12 == 11)
    forecast = CalendarRegression().fit(Multiplier(season, months)).predict(12)
    assert forecast.calendar is not None
    assert str(forecast.calendar[11]) == "2014-12-01"
    assert int(forecast.mean.argmax()) == 11


def test_one_turn_and_no_season_at_all() -> None:
    with pytest.raises(ForecastError, match="at least two"):
        CalendarRegression().fit(daily(1))
    years = np.arange("1990", "2010", dtype="datetime64[Y]").astype("datetime64[D]")
    with pytest.raises(ForecastError):
        CalendarRegression().fit(Multiplier(np.arange(1.0, 21.0), years))


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "holidays", None)
    days = np.datetime64("1969-01-01") + np.arange(60)  # of years that no other test asks for
    with pytest.raises(ImportError, match=r"highseason\[forecasting\]"):
        CalendarRegression(country="GB").fit(Multiplier(1.0 + np.arange(60), days)).predict(3)


@pytest.mark.parametrize("text", ["day,visitors\nTotal,5\n", "visitors\n10\n60\nTotal\n"])
def test_a_total_alone_and_a_word_in_a_single_column_are_questions(
    text: str, tmp_path: Path
) -> None:
    """Only what follows data, and has a cell beside it, can be left out."""
    file = tmp_path / "shop.csv"
    file.write_text(text)
    with pytest.raises(MultiplierError, match=r"line (2|4), column .*'Total' is not a"):
        hs.traffic.read(file)
