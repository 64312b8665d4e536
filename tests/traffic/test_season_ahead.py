"""Season-ahead forecasters find what was put in, special days too, and say how sure they are."""

from __future__ import annotations

import warnings
from datetime import date, timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

import highseason as hs
from highseason.cli.commands.sample import _visitors
from highseason.traffic import (
    LEVELS,
    Blend,
    CalendarRegression,
    ForecastError,
    ForecastWarning,
    Multiplier,
    backtest,
    special_days,
)
from highseason.traffic.forecast import SHARES, coverage, normal_quantiles
from highseason.traffic.history import History, black_friday, easter, feast_days, ramadan
from highseason.traffic.season_ahead import (
    Trials,
    _agreeing,
    _growth,
    _inflation,
    _spread,
    _wider,
)


def shop(years: int = 4, noise: float = 0.1, seed: int = 1) -> Multiplier:
    """A weekly and a yearly rhythm; Boxing Day is four times, Christmas Day a tenth as busy."""
    days = np.arange("2010-01-01", f"{2010 + years}-01-01", dtype="datetime64[D]")
    t = np.arange(days.size)
    logs = 5 + 0.3 * np.sin(2 * np.pi * t / 365.25) + 0.4 * (t % 7 == 1)
    names = np.array(special_days(days))
    logs += np.log(4) * (names == "Boxing Day") + np.log(0.1) * (names == "Christmas Day")
    logs += noise * np.random.default_rng(seed).standard_normal(days.size)
    return Multiplier(np.exp(logs), days)


@pytest.mark.parametrize("name", ["blend", "calendar"])
def test_boxing_day_is_learned(name: str) -> None:
    G = shop()
    past, came = G.window(None, "2013-11-30"), G.window("2013-12-01", None)
    on = hs.traffic.parse_forecaster(name).fit(past).predict(31)
    off = hs.traffic.parse_forecaster(f"{name}:holidays=no").fit(past).predict(31)
    boxing = 25
    assert on.mean[boxing] == pytest.approx(came.values[boxing], rel=0.35)
    if name != "blend":  # it remembers last year's days by itself
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


def test_the_mean_is_a_mean_and_the_median_the_typical_day() -> None:
    days, means, medians = np.datetime64("2020-01-01") + np.arange(400), [], []
    for seed in range(16):
        noise = 0.6 * np.random.default_rng(seed).standard_normal(400)
        forecast = Blend().fit(Multiplier(100 * np.exp(noise), days)).predict(7)
        means.append(forecast.mean.mean())
        medians.append(forecast.median.mean())
    assert np.mean(means) == pytest.approx(100 * np.exp(0.6**2 / 2), rel=0.06)
    assert np.mean(medians) == pytest.approx(100, rel=0.06)


OURS = [name for name, kind in hs.traffic.forecasters().items() if "highseason" in kind.__module__]


@pytest.mark.parametrize("days", [650, 60])
@pytest.mark.parametrize("name", [*OURS, "seasonal-naive:lag=14"])
@pytest.mark.filterwarnings("ignore:the past is")
def test_the_forecast_of_a_day_does_not_depend_on_the_horizon(name: str, days: int) -> None:
    past = shop(2).window(None, "2011-11-20")
    known = hs.traffic.parse_forecaster(name).fit(past.window(past.turns - days + 1, None))
    long = known.predict(75)
    for turns in (7, 14):
        short = known.predict(turns)
        np.testing.assert_allclose(short.mean, long.mean[:turns], rtol=1e-9)
        for level in (0.1, 0.5, 0.9):
            came, asked = long.quantile(level)[:turns], short.quantile(level)
            np.testing.assert_allclose(asked, came, rtol=1e-9)


@pytest.mark.parametrize(
    ("every", "count", "turns"),
    [("30m", 2000, 336), ("1h", 1500, 168), ("12h", 300, 28), ("1D", 200, 28), ("7D", 110, 4)],
)
def test_forecasts_are_tried_for_as_long_whatever_is_asked_for(
    every: str, count: int, turns: int
) -> None:
    step = np.timedelta64(int(every[:-1]), every[-1])  # type: ignore[call-overload]  # a unit
    values = np.exp(0.1 * np.random.default_rng(0).standard_normal(count))
    G = Multiplier(values, np.datetime64("2021-03-01T00:00") + np.arange(count) * step)
    assert Blend()._trials(History.of(G)).steps.max() == turns
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForecastWarning)
        near, far = (Blend().fit(G).predict(ahead) for ahead in (turns, 3 * turns))
    np.testing.assert_allclose(near.quantiles, far.quantiles[:, :turns], rtol=1e-9)
    np.testing.assert_allclose(near.mean, far.mean[:turns], rtol=1e-9)


def test_forecasts_that_missed_in_one_direction_widen_intervals() -> None:
    errors = np.random.default_rng(1).standard_normal(240)
    origin, steps = np.repeat(np.arange(12), 20), np.resize(np.arange(1, 21), 240)
    trials = Trials(np.zeros(240), errors, steps, origin, np.ones(240))
    history = History.of(shop(1))
    even, aside = (_spread(trials, e, history, np.ones(1))[0] for e in (errors, errors + 1))
    assert np.ptp(aside) > 1.2 * np.ptp(even)


def sample_shop() -> Multiplier:
    """The shop of `highseason sample`, and the January after it."""
    days = np.arange("2024-01-01", "2026-02-01", dtype="datetime64[D]")
    return Multiplier([_visitors(day) for day in days.tolist()], days)


def test_the_high_season_of_the_sample() -> None:
    """Five times as busy from 8 to 24 December, once seen before."""
    G = sample_shop()
    days = ["11-11", "11-16", "11-21", "11-27", "12-03", "12-08", "12-13"]
    found = backtest(G, [Blend()], 28, [G.turn_of(f"2025-{day}") for day in days])
    assert found.mean("coverage", "blend") >= 0.75
    sums = [t.forecast.mean.sum() / t.actual.values.sum() - 1 for t in found.trials]
    assert np.abs(sums).mean() < 0.1


def test_what_was_seen_once_is_less_certain() -> None:
    days = np.arange("2020-01-01", "2023-12-01", dtype="datetime64[D]")
    busy = days.astype("datetime64[M]").astype(int) % 12 == 11
    noise = np.exp(0.1 * np.random.default_rng(0).standard_normal(days.size))
    G = Multiplier(100 * (1 + 2 * busy) * noise, days)
    widths = []
    for first in ("2020-06-01", "2022-06-01"):
        low, high = Blend().fit(G.window(first, None)).predict(20).interval(0.8)
        widths.append(np.log(high / low).mean())
    assert widths[1] > 1.1 * widths[0]


def quiet_days(seed: int) -> Multiplier:
    """Almost two years about 100, with a tenth of noise."""
    days = np.arange("2020-02-01", "2021-12-06", dtype="datetime64[D]")
    return Multiplier(
        100 * np.exp(0.1 * np.random.default_rng(seed).standard_normal(days.size)), days
    )


def test_a_day_that_stood_out_once_is_uncertain_but_its_mean_is_not_raised() -> None:
    G = quiet_days(0)
    values = G.values.copy()
    values[G.turn_of("2020-12-10") - 1 : G.turn_of("2020-12-11")] *= 6
    ahead = Blend().fit(Multiplier(values, G.calendar)).predict(60)
    low, high = ahead.interval(0.8)
    wide, raised = high / low, ahead.mean / ahead.median
    assert wide[4] > 1.5 * wide[50]
    assert raised[4] == pytest.approx(raised[50], rel=0.02)
    assert wide[12] > 1.1 * wide[50]  # it may come a week later


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


def test_feasts_move_through_the_year() -> None:
    easters = ["2016-03-27", "2019-04-21", "2022-04-17", "2024-03-31", "2038-04-25", "2049-04-18"]
    assert [str(easter(int(day[:4]))) for day in easters] == easters
    ramadans = {1437: "2016-06-06", 1441: "2020-04-24", 1444: "2023-03-23", 1445: "2024-03-11"}
    for year, day in ramadans.items():
        assert abs(ramadan(year) - date.fromisoformat(day)) <= timedelta(days=1)
    days = np.arange("2023-12-30", "2024-05-01", dtype="datetime64[D]")
    (easters_name, length, holy), (ramadans_name, month, fast) = feast_days(days)
    assert (easters_name, length, ramadans_name, month) == ("Easter", 15, "Ramadan", 33)
    assert days[holy == 10].astype(str).tolist() == ["2024-03-31"]
    assert days[fast == 0].astype(str).tolist() == ["2024-03-11"]
    assert np.sum(holy >= 0) == 15
    assert np.sum(fast >= 0) == 33


@pytest.mark.parametrize("feast", ["easter", "ramadan"])
def test_a_feast_is_expected_where_it_falls_this_year(feast: str) -> None:
    """Once seen, on other dates; a shop without it expects nothing."""
    days = np.arange("2021-06-01", "2023-03-06", dtype="datetime64[D]")
    begins, length = {"easter": ("2022-04-10", 9), "ramadan": ("2022-04-03", 33)}[feast]
    coming = {"easter": "2023-04-02", "ramadan": "2023-03-23"}[feast]
    noise = np.exp(0.05 * np.random.default_rng(1).standard_normal(days.size))
    inside = np.isin(days, np.datetime64(begins) + np.arange(length))
    medians = []
    for factor in (1.0, 2.0):
        ahead = Blend().fit(Multiplier(100 * noise * np.where(inside, factor, 1), days)).predict(60)
        at = int((np.datetime64(coming) - np.datetime64("2023-03-06")).astype(int))
        medians.append((ahead.median[at : at + length].mean(), ahead.median[: at - 1].mean()))
    plain, busy = np.array(medians)
    assert plain == pytest.approx(100, rel=0.06)
    assert busy[0] > 160
    assert busy[1] == pytest.approx(100, rel=0.1)


def test_a_week_that_moves_with_no_feast_stays_on_its_date() -> None:
    days = np.arange("2021-06-01", "2023-03-06", dtype="datetime64[D]")
    noise = np.exp(0.05 * np.random.default_rng(1).standard_normal(days.size))
    inside = np.isin(days, np.datetime64("2022-03-14") + np.arange(9))  # a sale, once
    ahead = Blend().fit(Multiplier(100 * noise * np.where(inside, 2, 1), days)).predict(40)
    assert ahead.median[8:17].mean() > 150
    assert ahead.median[27:36].mean() == pytest.approx(100, rel=0.1)  # the week before Easter


def test_a_sale_on_fixed_dates_is_not_taken_for_ramadan() -> None:
    """All of March; Ramadan began on 11 March and on 1 March, and next on 18 February."""
    days = np.arange("2023-06-01", "2026-02-01", dtype="datetime64[D]")
    noise = np.exp(0.08 * np.random.default_rng(1).standard_normal(days.size))
    inside = np.array([str(day)[5:7] == "03" for day in days])
    ahead = Blend().fit(Multiplier(100 * noise * np.where(inside, 1.4, 1), days)).predict(59)
    assert ahead.median[17:28].mean() == pytest.approx(100, rel=0.08)  # Ramadan before the sale
    assert ahead.median[49:].mean() == pytest.approx(140, rel=0.06)  # the sale after Ramadan


def test_a_rush_before_a_quiet_feast_moves_with_it() -> None:
    """The week before Easter is busy, Good Friday to Monday quiet: on average like any other."""
    days = np.arange("2023-01-15", "2026-04-13", dtype="datetime64[D]")
    logs = 0.1 * np.random.default_rng(3).standard_normal(days.size)
    for year in (2023, 2024, 2025, 2026):
        since = (days - np.datetime64(easter(year))) / np.timedelta64(1, "D")
        logs += np.log(1.8) * ((since >= -8) & (since <= -3))
        logs += np.log(0.4) * ((since >= -2) & (since <= 1))
    ahead = Blend().fit(Multiplier(300 * np.exp(logs[:-28]), days[:-28])).predict(28)
    assert coverage(300 * np.exp(logs[-28:]), ahead) >= 0.75
    feast = slice(*np.searchsorted(days[-28:], np.array(["2026-04-03", "2026-04-07"], "M8[D]")))
    assert ahead.median[feast] == pytest.approx(120, rel=0.25)


@pytest.mark.parametrize("factor", [2.0, 0.5])
def test_a_doubled_level_is_followed_whole(factor: float) -> None:
    """However quiet the noise: what lasts for weeks is not wild."""
    days = np.datetime64("2023-01-02") + np.arange(1028)
    noise = np.exp(0.08 * np.random.default_rng(0).standard_normal(1028))
    values = 300 * np.resize([1, 0.9, 1, 1.05, 1.3, 1.6, 0.8], 1028) * noise
    values[979:] *= factor
    with pytest.warns(ForecastWarning, match="traffic (rose|fell) by"):
        known = Blend().fit(Multiplier(values[:1000], days[:1000])).predict(28)
    assert known.mean.sum() == pytest.approx(values[1000:].sum(), rel=0.06)


def test_one_odd_day_at_the_end_is_no_level() -> None:
    days = np.datetime64("2023-01-02") + np.arange(1000)
    noise = np.exp(0.12 * np.random.default_rng(0).standard_normal(1000))
    values = 300 * np.resize([1, 0.9, 1, 1.05, 1.3, 1.6, 0.8], 1000) * noise
    usual = Blend().fit(Multiplier(values, days)).predict(28).mean.sum()
    for factor in (0.07, 4.0):  # an export before the evening, a coach party
        odd = np.append(values[:-1], factor * values[-1])
        known = Blend().fit(Multiplier(odd, days)).predict(28)
        assert known.notes == ()
        assert known.mean.sum() == pytest.approx(usual, rel=0.1)


def test_the_mean_is_what_came_over_what_was_forecast_whatever_was_doubted() -> None:
    """Doubted turns that were forecast too high, as after bursts of last year, lower no mean."""
    rng = np.random.default_rng(2)
    doubted = np.arange(240) % 8 == 0
    errors = np.where(doubted, -0.7, 0.1) + 0.05 * rng.standard_normal(240)
    errors -= errors.mean()
    trials = Trials(
        np.zeros(240), errors, np.ones(240, np.int64), np.arange(240) // 20, 1 + 4.0 * doubted
    )
    _, smear = _spread(trials, errors, History.of(shop(1)), np.ones(1))
    assert np.exp(smear) == pytest.approx(np.exp(errors).mean(), rel=1e-3)


def test_without_holidays_no_feast_moves_either() -> None:
    days = np.arange("2021-06-01", "2023-03-06", dtype="datetime64[D]")
    inside = np.isin(days, np.datetime64("2022-04-03") + np.arange(33))  # a Ramadan
    G = Multiplier(np.where(inside, 200.0, 100.0) + np.arange(days.size) % 7, days)
    feast = slice(17, 28)  # of the next one, before the dates of this one
    moves, stays = (Blend(holidays=one).fit(G).predict(40).median[feast].mean() for one in (1, 0))
    assert moves > 160
    assert stays < 120


def test_forecasts_are_tried_from_the_same_weeks_of_earlier_years() -> None:
    history = History.of(shop(5))
    n, origins = history.turns, set(Blend()._trials(history).origin.tolist())
    same = {n - 364 * year + days for year in (1, 2, 3) for days in (-7, 0, 7)}
    assert same <= origins
    assert min(origins - same) >= n // 2
    assert min(origins) > 1.2 * history.year  # before that, no season is known


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


def test_errors_of_one_origin_widen_intervals_of_the_others_within_limits() -> None:
    rng = np.random.default_rng(1)
    origin = np.repeat(np.arange(4), 50)
    errors = rng.standard_normal(200)
    reach = []
    for i in range(200):  # by the definition, one error after the other
        others = [errors[j] for j in range(200) if origin[j] != origin[i]]
        low, middle, high = (np.quantile(others, level) for level in (0.1, 0.5, 0.9))
        reach.append(abs(errors[i]) / (middle - low if errors[i] < 0 else high - middle))
    assert _inflation(errors, origin) == pytest.approx(np.quantile(reach, 0.9))
    many = np.arange(200) // 2  # half of one origin more hardly counts among a hundred
    assert _inflation(errors, many) == pytest.approx(1, abs=0.1)
    assert _inflation(errors, np.zeros(200, np.int64)) == 1.5  # one origin says nothing
    wild = np.where(origin % 2 == 0, 100.0, 1.0) * errors
    assert _inflation(wild, origin) < 3.0 == _inflation(wild[50:150] ** 3, origin[50:150])
    rare = np.where(np.arange(200) % 20 < 3, 1.0, 0.01)
    assert _inflation(rare, np.arange(200) // 20) == 0.8


def test_a_past_too_short_for_earlier_forecasts_is_no_wilder_than_its_changes() -> None:
    weeks = np.datetime64("2021-01-04") + 7 * np.arange(104)
    widths = []
    for seed in range(5):
        noise = 0.1 * np.random.default_rng(seed).standard_normal(104)
        past = Multiplier(100 * np.exp(noise), weeks)
        assert Blend()._trials(History.of(past)).came.size < 20
        low, high = Blend().fit(past).predict(2).interval(0.8)
        widths.append(np.log(high / low).mean() / 2 / 1.2816)
    assert 0.1 < np.mean(widths) < 0.2  # changes from year to year have a deviation of 0.14


def test_more_errors_widen_skewed_quantiles_around_their_median() -> None:
    levels = np.array(LEVELS)[:, None]
    table = np.hstack([np.exp(levels) - 1.2, -np.exp(-levels)])
    wider = _wider(table, np.array([0.5, 0.0]))
    middle = LEVELS.index(0.5)
    np.testing.assert_allclose(wider[middle], table[middle])
    np.testing.assert_allclose(wider[:, 1], table[:, 1])
    ends = table[[0, -1], 0] - table[middle, 0]
    expected = np.hypot(ends, 0.5 * 2.326348) * [-1, 1]
    np.testing.assert_allclose(wider[[0, -1], 0] - table[middle, 0], expected, rtol=1e-6)
    assert (np.diff(wider, axis=0) > 0).all()


def test_errors_grow_by_a_power_of_the_distance() -> None:
    steps = np.arange(1, 200)
    x = np.log(steps) - np.log(steps).mean()
    shrunk = (x @ x) / (x @ x + 1.0)  # towards no growth
    assert _growth(steps**0.3, steps) == pytest.approx(0.3 * shrunk, rel=0.01)
    assert _growth(steps**0.9, steps) == 0.5
    assert _growth(steps**-0.3, steps) == 0.0


@pytest.mark.parametrize(("months", "kept"), [(3, 1.0), (6, 1.0), (3, 0.95)])
def test_quarters_and_halves_of_a_year_have_a_season(months: int, kept: float) -> None:
    begins = np.arange("2000-01", "2020-01", months, dtype="datetime64[M]").astype("datetime64[D]")
    season = 100 + 10 * (np.arange(begins.size) % (12 // months))
    rows = np.random.default_rng(1).random(begins.size) <= kept  # some turns may be missing
    rows[-1] = True
    G = hs.traffic.from_values(season[rows], begins[rows])
    ahead = hs.traffic.Blend().fit(G).predict(12 // months)
    assert ahead.calendar is not None
    assert ahead.calendar.tolist() == (begins[: 12 // months] + np.timedelta64(7305, "D")).tolist()
    assert ahead.mean == pytest.approx(season[: 12 // months], rel=0.02)


def test_years_are_forecast_by_what_the_error_names() -> None:
    years = np.arange("1990", "2020", dtype="datetime64[Y]").astype("datetime64[D]")
    G = hs.traffic.from_values(np.arange(100, 130), years)
    with pytest.raises(hs.traffic.ForecastError, match="one-step forecaster, such as moving-av"):
        hs.traffic.Blend().fit(G)
    ahead = hs.traffic.parse_forecaster("moving-average").fit(G).predict(2)
    assert ahead.calendar is not None
    assert ahead.calendar.astype(str).tolist() == ["2020-01-01", "2021-01-01"]


def test_a_shift_of_level_is_noticed_followed_and_said() -> None:
    days = np.arange("2020-02-01", "2021-06-20", dtype="datetime64[D]")
    noise = np.exp(0.1 * np.random.default_rng(3).standard_normal(days.size))
    G = Multiplier(100 * noise, days)
    before = Blend().fit(G).predict(14)
    assert before.notes == ()
    values = G.values.copy()
    values[G.turn_of("2021-05-20") - 1 :] *= 1.6
    with pytest.warns(ForecastWarning, match=r"traffic rose by \d\d% from 2021-05-\d\d on"):
        after = Blend().fit(Multiplier(values, days)).predict(14)
    assert "the forecast follows the new level" in after.notes[0]
    assert after.median.mean() == pytest.approx(160, rel=0.1)
    ratio = [np.log(F.quantile(0.9) / F.quantile(0.1)).mean() for F in (before, after)]
    assert ratio[1] > 1.2 * ratio[0]


def days_of(values: NDArray[np.float64]) -> Multiplier:
    return Multiplier(values, np.datetime64("2021-01-10") + np.arange(values.size))


@pytest.mark.parametrize("deviation", [0.3, 0.8])
@pytest.mark.parametrize("turns", [300, 800])
@pytest.mark.filterwarnings("ignore::highseason.traffic.ForecastWarning")
def test_mean_and_quantiles_are_of_one_distribution(turns: int, deviation: float) -> None:
    means, hits = [], []
    for seed in range(16):
        logs = deviation * np.random.default_rng([3, seed]).standard_normal(turns + 28)
        ahead = Blend().fit(days_of(np.exp(logs[:turns]))).predict(28)
        assert ahead.atoms(999).mean() == pytest.approx(ahead.mean.mean(), rel=0.04)
        means.append(ahead.mean.mean())
        hits.append(coverage(np.exp(logs[turns:]), ahead))
    assert np.mean(means) == pytest.approx(np.exp(deviation**2 / 2), rel=0.2 * deviation)
    assert 0.7 < np.mean(hits) < 0.92


def test_quantiles_agree_with_a_mean_from_either_side() -> None:
    table = np.exp(normal_quantiles([0.0, 0.0, 0.0], [0.5, 1.0, 0.1]))
    mean, most = np.array([1.0, 1.5, 1.3]), np.full(3, 50.0)
    found, expected = _agreeing(table, mean, most)
    np.testing.assert_allclose(SHARES @ found, expected, rtol=0.0301)
    np.testing.assert_allclose(expected, mean)
    assert (np.diff(found, axis=0) >= 0).all()
    half = LEVELS.index(0.5) + 1
    np.testing.assert_array_equal(found[:half], table[:half])
    np.testing.assert_array_equal(found[:-1, 2], table[:-1, 2])  # only the last is drawn out
    assert found[-1, 2] > table[-1, 2]
    _, low = _agreeing(table, mean, table[-1])  # no further than what was ever seen
    assert low[2] < 1.05


def test_where_a_day_is_very_uncertain_the_mean_meets_its_quantiles() -> None:
    """Drawn in whole, intervals of Christmas Days would hold half of them."""
    table = np.exp(normal_quantiles([0.0], [1.4]))
    found, expected = _agreeing(table, np.array([1.0]), np.full(1, 50.0))
    upper = slice(LEVELS.index(0.5), None)
    np.testing.assert_allclose(np.log(found[upper]), 0.5 * np.log(table[upper]), rtol=1e-3)
    np.testing.assert_allclose(SHARES @ found, 1.03 * expected)
    assert 1 < expected[0] < 1.2


def test_a_mean_beyond_its_interval_is_said() -> None:
    """One day in fifty is a hundred times as busy."""
    rng = np.random.default_rng(1)
    values = np.exp(0.1 * rng.standard_normal(900)) * np.where(rng.random(900) < 0.02, 100, 1)
    with pytest.warns(ForecastWarning, match="lies outside the 80% interval: rare bursts"):
        ahead = Blend().fit(days_of(values)).predict(28)
    assert "turns lies outside" in ahead.notes[-1]
    assert np.mean(ahead.mean > ahead.quantile(0.9)) > 0.8


@pytest.mark.filterwarnings("ignore::highseason.traffic.ForecastWarning")
def test_bursts_that_the_last_year_did_not_have_count_less() -> None:
    means = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        quiet, burst = np.exp(0.15 * rng.standard_normal(1800)), rng.random(1800) < 0.04
        for last in (1800, 1435):
            busy = burst & (np.arange(1800) < last)
            means.append(Blend().fit(days_of(quiet * np.where(busy, 20, 1))).predict(7).mean.mean())
    again, old = np.mean(np.reshape(means, (3, 2)), axis=0)
    assert again == pytest.approx(1.76, rel=0.2)
    assert old - 1 < 0.3 * (again - 1)


@pytest.mark.parametrize(
    ("met", "least", "most"), [(12, 0.99, 1.01), (6, 0.85, 1), (3, 0.65, 0.9), (1, 0.1, 0.5)]
)
def test_a_burst_counts_by_how_many_forecasts_met_it(met: int, least: float, most: float) -> None:
    history = History.of(shop(1))
    turn, origin = np.resize(np.arange(20), 240), np.repeat(np.arange(12), 20)
    errors = np.where((turn == 7) & (origin < met), np.log(1000), 0.0)
    errors = errors - errors.mean()
    trials = Trials(np.zeros(240), errors, 1 + turn, history.turns - 12 + origin, np.ones(240))
    _, smear = _spread(trials, errors, history, np.ones(90))
    excess = np.exp(smear) - 1
    assert least < np.mean(excess) / (np.exp(errors).mean() - 1) < most


@pytest.mark.filterwarnings("ignore::highseason.traffic.ForecastWarning")
def test_the_mean_over_the_median_does_not_grow_beyond_the_forecasts_that_were_tried() -> None:
    rng, ratios = np.random.default_rng(3), []
    for _ in range(3):
        logs = np.cumsum(0.03 * rng.standard_normal(1000)) + 3 * (rng.random(1000) < 0.03)
        ahead = Blend().fit(days_of(np.exp(logs))).predict(200)
        ratios.append(ahead.mean[[60, 199]] / ahead.median[[60, 199]])
    near, far = np.mean(ratios, axis=0)
    assert far < 1.1 * near


@pytest.mark.parametrize("turns", [100, 300, 800])
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_a_shift_is_said_within_two_weeks(turns: int, factor: float) -> None:
    values = np.exp(0.1 * np.random.default_rng(turns).standard_normal(turns))
    moved = np.where(np.arange(turns) < turns - 14, 1, factor) * values
    moved, values = (
        np.resize([1, 0.9, 1, 1.05, 1.3, 1.6, 0.8], turns) * v for v in (moved, values)
    )
    assert not Blend().fit(days_of(values)).predict(7).notes
    with pytest.warns(ForecastWarning, match="traffic (rose|fell) by") as said:
        ahead = Blend().fit(days_of(moved)).predict(7)
    assert ahead.notes == (str(said[-1].message),)
    assert ("too short to show whether it lasts" in ahead.notes[0]) == (turns < 420)
