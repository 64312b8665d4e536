"""Closed times have no turn, in the past and in the future; missing turns are missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import highseason as hs
from highseason.traffic import Calendar, FileNote, Multiplier, Timeline, read
from highseason.traffic.history import History

WEEK = np.array([100.0, 100, 110, 120, 150, 200, 80])  # from Monday
DAYS = np.arange("2021-01-04", "2023-11-14", dtype="datetime64[D]")  # from a Monday to a Monday
WEEKDAY = np.arange(DAYS.size) % 7
SUNDAY = WEEKDAY == 6
VISITORS = WEEK[WEEKDAY] * np.exp(0.1 * np.random.default_rng(1).standard_normal(DAYS.size))

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def one(days: np.ndarray, values: np.ndarray) -> Path:
        rows = [f"{day},{value:.0f}" for day, value in zip(days, values, strict=True)]
        (tmp_path / "shop.csv").write_text("\n".join(["time,visitors", *rows]) + "\n")
        return tmp_path / "shop.csv"

    return one


def hours(first: int = 9, last: int = 20, days: int = 120) -> Multiplier:
    """A shop that is open from 9 to 20, by the clock of Rome, which is put back in October."""
    clock = np.arange("2023-08-01T00", "2023-12-01T00", dtype="datetime64[h]")[: 24 * days]
    kept = (np.arange(clock.size) % 24 >= first) & (np.arange(clock.size) % 24 < last)
    values = 50 + 20 * np.sin(np.arange(clock.size)[kept] % 24)
    return Multiplier(values, clock[kept], zone="Europe/Rome")


def weekdays(calendar: np.ndarray | None) -> set[int]:
    assert calendar is not None
    return set(((calendar.astype("datetime64[D]") - DAYS[0]).astype(int) % 7).tolist())


@pytest.mark.parametrize("name", ["blend", "calendar", "seasonal-naive", "moving-average"])
def test_a_shop_closed_on_sundays(name: str) -> None:
    G = Multiplier(VISITORS[~SUNDAY], DAYS[~SUNDAY])
    forecast = hs.traffic.parse_forecaster(name).fit(G).predict(24)
    assert forecast.calendar is not None
    assert weekdays(forecast.calendar) == {0, 1, 2, 3, 4, 5}
    assert str(forecast.calendar[0]) == "2023-11-14"
    assert str(forecast.calendar[-1]) == "2023-12-11"  # four weeks
    if name != "moving-average":
        usual = WEEK[(forecast.calendar - DAYS[0]).astype(int) % 7]
        np.testing.assert_allclose(forecast.mean, usual, rtol=0.4)


def test_an_update_goes_on_after_a_closed_day() -> None:
    G = Multiplier(VISITORS[~SUNDAY][:600], DAYS[~SUNDAY][:600])  # to a Saturday
    known = hs.traffic.CalendarRegression().fit(G)
    known.update(VISITORS[~SUNDAY][600])
    longer = Multiplier(VISITORS[~SUNDAY][:601], DAYS[~SUNDAY][:601])
    assert G.calendar is not None
    assert weekdays(G.calendar[-1:]) == {5}
    one, other = known.predict(9), hs.traffic.CalendarRegression().fit(longer).predict(9)
    assert one.calendar.tolist() == other.calendar.tolist()
    np.testing.assert_allclose(one.mean, other.mean)


@pytest.mark.parametrize("zone", [None, "Europe/Rome"])
def test_an_hourly_shop_open_from_9_to_20(zone: str | None) -> None:
    G = hours()
    G = G if zone else Multiplier(G.values, G.calendar)
    ahead = hs.traffic.Blend().fit(G).predict(33).multiplier()
    assert ahead.calendar is not None
    clock = ahead.calendar.astype("datetime64[h]")
    assert [str(hour)[11:] for hour in clock[:11]] == [f"{hour:02}" for hour in range(9, 20)]
    assert str(clock[0]) == "2023-11-29T09"
    assert str(clock[-1]) == "2023-12-01T19"
    week = hours(days=7)  # too short for the hours of a week: those of the day
    assert len(Calendar.around(week.timeline)[0].closed) == 7 * 13


def test_joining_hours_keeps_first_and_last_days_that_are_full() -> None:
    assert hours().resample("1D").turns == 120
    cut = hours().window("2023-08-01 12:00", "2023-11-28 15:00")
    assert cut.resample("1D").turns == 118


def test_a_shop_that_recently_opened_on_sundays() -> None:
    for weeks, closed in ((1, (6,)), (3, ())):
        kept = ~SUNDAY | (np.arange(DAYS.size) >= DAYS.size - 7 * weeks)
        assert History.of(Multiplier(VISITORS[kept], DAYS[kept])).grid.closed == closed


def test_a_shop_that_gave_up_its_sundays() -> None:
    kept = ~SUNDAY | (np.arange(DAYS.size) < DAYS.size - 400)
    assert History.of(Multiplier(VISITORS[kept], DAYS[kept])).grid.closed == (6,)


def test_a_shop_open_three_days_a_week() -> None:
    kept = np.isin(WEEKDAY, [1, 3, 5])
    forecast = hs.traffic.Blend().fit(Multiplier(VISITORS[kept], DAYS[kept])).predict(9)
    assert weekdays(forecast.calendar) == {1, 3, 5}


def test_missing_days_are_named_and_forecast_as_open(write: Write) -> None:
    gone = np.isin(np.arange(DAYS.size), [100, 201, 302, 403, 504])
    kept = ~SUNDAY & ~gone
    with pytest.warns(FileNote, match=r"5 days are missing and no turn: 2021-04-14, 2021-07-24, "):
        G = read(write(DAYS[kept], VISITORS[kept]))
    assert G.turns == kept.sum()
    assert weekdays(hs.traffic.Blend().fit(G).predict(12).calendar) == {0, 1, 2, 3, 4, 5}


def test_zeros_on_sundays_are_closed(write: Write) -> None:
    with pytest.warns(FileNote, match=r"149 zeros at closed times are no turns$"):
        G = read(write(DAYS, np.where(SUNDAY, 0, VISITORS)))
    assert weekdays(G.calendar) == {0, 1, 2, 3, 4, 5}
    values = hs.traffic.from_values(np.where(SUNDAY, 0, VISITORS), DAYS)
    assert values.calendar.tolist() == G.calendar.tolist()
    floored = hs.traffic.from_values(np.where(SUNDAY, 0, VISITORS), DAYS, floor=1e-9)
    assert floored.turns == DAYS.size  # as asked for
    ahead = hs.traffic.Blend().fit(floored).predict(24)
    assert ahead.mean == pytest.approx(hs.traffic.Blend().fit(values).predict(24).mean)
    assert weekdays(ahead.calendar) == {0, 1, 2, 3, 4, 5}


def test_zeros_at_other_times_need_a_floor(write: Write) -> None:
    path = write(DAYS, np.where(SUNDAY | (np.arange(DAYS.size) == 50), 0, VISITORS))
    with pytest.raises(hs.traffic.MultiplierError, match=r"line 52, .*'0' cannot be used"):
        read(path)


def test_a_backtest_compares_open_days() -> None:
    values = np.where(SUNDAY, 1e-9, VISITORS)
    models = [hs.traffic.SeasonalNaive(), hs.traffic.CalendarRegression()]
    closed = hs.traffic.backtest(Multiplier(VISITORS[~SUNDAY], DAYS[~SUNDAY]), models, 24, [800])
    assert closed.trials[0].actual.turns == 24
    assert closed.mean("mase", "calendar") < 1.5
    floored = hs.traffic.backtest(Multiplier(values, DAYS), models, 24, [933])
    assert [trial.actual.turns for trial in floored.trials] == [24, 24]
    assert weekdays(floored.trials[0].actual.calendar) == {0, 1, 2, 3, 4, 5}
    # The same turns are known and come: closed Sundays, absent or zero, make no forecast better.
    absent = hs.traffic.backtest(Multiplier(VISITORS[~SUNDAY], DAYS[~SUNDAY]), models, 24, [800])
    zeros = hs.traffic.backtest(Multiplier(values, DAYS), models, 24, [933])
    for name in ("calendar", "seasonal-naive"):
        assert zeros.mean("mase", name) == pytest.approx(absent.mean("mase", name))


def test_errors_of_a_few_open_hours_are_those_of_a_week() -> None:
    few = hours(first=10, last=14)  # no two of them are seven hours apart
    trial = hs.traffic.backtest(few, [hs.traffic.SeasonalNaive()], 28, 2)
    assert 0 <= trial.mean("mase", "seasonal-naive") < 1.5


def test_almost_nothing_is_missing_rather_than_closed() -> None:
    days = DAYS[np.arange(DAYS.size) % 50 < 2]
    with pytest.raises(hs.traffic.ForecastError, match="turns are missing"):
        hs.traffic.Blend().fit(Multiplier(np.ones(days.size) + np.arange(days.size) % 3, days))


@pytest.mark.parametrize("closed", [[7], [-1], list(range(7))])
def test_what_no_week_can_close_is_refused(closed: list[int]) -> None:
    with pytest.raises(hs.traffic.MultiplierError, match="some of the 7 times of a week"):
        Calendar.starting("2026-12-01", closed=closed)


def test_a_calendar_of_just_these_turns() -> None:
    line = Timeline.of(["2026-12-05", "2026-12-07"])
    assert Calendar.starting("2026-12-05").only(line.instants).closed == (6,)
    opened = hours().timeline
    shop = Calendar.starting("2023-08-01 09:00", "hour", "Europe/Rome").only(opened.instants)
    assert shop.instants(opened.instants.size).tolist() == opened.instants.tolist()
