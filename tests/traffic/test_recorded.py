"""The numbers of forecasts are those they were: they change only where that is meant.

After a change that is meant: `python -m tests.traffic.test_recorded`, and look at what differs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.reference.recorded import assert_recorded, defaults_of, record

from highseason.traffic import (
    Blend,
    CalendarRegression,
    ForecastWarning,
    Multiplier,
    backtest,
    parse_forecaster,
)
from highseason.traffic.explain import check, parts, trust
from highseason.traffic.forecast import Forecast, Forecaster
from highseason.traffic.own_days import unusual_days
from highseason.traffic.season_ahead import SeasonAhead

RECORDED = Path(__file__).parent / "recorded.json"


def noise(count: int, seed: int) -> NDArray[np.float64]:
    """Normal noise whose bits no release of NumPy may change."""
    return np.random.RandomState(seed).standard_normal(count)


def days(first: str, last: str) -> NDArray[np.datetime64]:
    return np.arange(first, last, dtype="datetime64[D]")


def shop(last: str, first: str = "2020-06-01", seed: int = 1, size: float = 0.1) -> Multiplier:
    """A week, a year, growth, a high season before Christmas, and noise."""
    when = days(first, last)
    t = np.arange(when.size)
    december = (when - when.astype("datetime64[Y]")).astype(int) > 345
    logs = 5 + 0.3 * np.sin(2 * np.pi * t / 365.25) + 0.4 * (t % 7 == 1) + 0.0003 * t
    return Multiplier(np.exp(logs + 1.1 * december + size * noise(when.size, seed)), when)


def with_gaps() -> Multiplier:
    """Closed on Sundays, with a few days missing."""
    G = shop("2022-05-10", "2020-11-01", 2)
    assert G.calendar is not None
    weekday = (G.calendar.astype("datetime64[D]").astype(int) + 3) % 7
    kept = (weekday != 6) & (np.arange(G.turns) % 37 != 5)
    return Multiplier(G.values[kept], G.calendar[kept])


def shifted() -> Multiplier:
    values = np.exp(0.1 * noise(500, 3))
    values[-24:] *= 1.7
    return Multiplier(100 * values, days("2020-02-01", "2021-06-15"))


def hours(weeks: int) -> Multiplier:
    """Busy from 8 to 20, quieter at weekends, almost nobody from 0 to 6."""
    t = np.arange(weeks * 168)
    level = np.where(t % 24 < 6, 1e-3, np.where((t % 24 >= 8) & (t % 24 < 20), 50.0, 8.0))
    level = level * np.where(t // 24 % 7 >= 5, 0.6, 1.0)
    level = np.where(t % 24 < 6, 1e-3, level * np.exp(0.2 * noise(t.size, 4)))
    return Multiplier(level, np.datetime64("2023-03-06T00") + t)


def evenly(first: str, count: int, months: int, seed: int) -> Multiplier:
    begins = np.datetime64(first, "M") + months * np.arange(count)
    season = 0.4 * np.sin(2 * np.pi * np.arange(count) * months / 12)
    return Multiplier(np.exp(4 + season + 0.1 * noise(count, seed)), begins.astype("datetime64[D]"))


def weeks() -> Multiplier:
    t = np.arange(150)
    values = np.exp(3 + 0.3 * np.cos(2 * np.pi * t / 52.18) + 0.1 * noise(t.size, 6))
    return Multiplier(values, np.datetime64("2019-01-07") + 7 * t)


def plain(count: int, seed: int) -> Multiplier:
    t = np.arange(count)
    return Multiplier(np.exp(2 + 0.5 * (t % 7 == 2) + 0.1 * noise(count, seed)))


def drifting() -> Multiplier:
    steps = 0.05 * np.cumsum(noise(400, 8)) + 0.1 * noise(400, 9)
    return Multiplier(100 * np.exp(steps), days("2021-01-01", "2022-02-05"))


def some_zeros() -> Multiplier:
    """A few days without anybody."""
    values = 100 * np.exp(0.2 * noise(120, 10))
    values[[11, 40, 41, 90]] = 1e-4
    return Multiplier(values, days("2023-01-01", "2023-05-01"))


SALES = {"2021-03-12": "sale", "2021-09-10": "sale", "2022-03-11": "Sale", "2022-05-20": "sale",
         "2022-05-26": "closed", "2022-06-03": "fair"}  # fmt: skip

#: A past, a forecaster and how many turns ahead.
FORECASTS: dict[str, tuple[Callable[[], Multiplier], Forecaster | str, int]] = {
    "shop, blend": (lambda: shop("2022-11-25"), "blend", 45),
    "shop, calendar": (lambda: shop("2022-11-25"), "calendar", 45),
    "shop, no holidays": (lambda: shop("2022-11-25"), "calendar:holidays=no", 45),
    "shop, country": (lambda: shop("2022-04-10"), "calendar:country=GB-ENG", 10),
    "one Christmas": (lambda: shop("2021-12-05", seed=11), "blend", 30),
    "no Christmas": (lambda: shop("2021-11-05", "2021-01-05", 12), "blend", 60),
    "naive": (lambda: shop("2022-11-25"), "seasonal-naive", 16),
    "naive, a year": (lambda: shop("2022-11-25"), "seasonal-naive:lag=364", 16),
    "closed Sundays": (with_gaps, "blend", 14),
    "own days": (with_gaps, Blend(events=SALES), 26),
    "own days, calendar": (with_gaps, CalendarRegression(events=SALES), 26),
    "a shift": (shifted, "blend", 14),
    "hours": (lambda: hours(7), "blend", 30),
    "hours of a zone": (lambda: hours(5), "calendar:zone=Europe/London", 500),
    "months": (lambda: evenly("2016-01", 60, 1, 5), "blend", 14),
    "months, calendar": (lambda: evenly("2016-01", 30, 1, 5), "calendar", 6),
    "quarters": (lambda: evenly("2010-01", 30, 3, 7), "blend", 5),
    "weeks": (weeks, "blend", 20),
    "three weeks": (lambda: shop("2022-02-01", "2022-01-11", 13), "blend", 9),
    "three weeks, calendar": (lambda: shop("2022-02-01", "2022-01-11", 13), "calendar", 9),
    "eight weeks": (lambda: shop("2022-03-10", "2022-01-11", 14), "blend", 40),
    "periods": (lambda: plain(150, 15), "blend:periods=7", 12),
    "two periods": (lambda: plain(200, 16), "blend:periods=7+35", 40),
    "drifting": (drifting, "blend", 40),
    "some zeros": (some_zeros, "blend", 10),
    "walk": (lambda: plain(40, 17), "random-walk", 6),
    "mean": (lambda: plain(40, 17), "simple-average", 6),
    "moving": (lambda: plain(40, 17), "moving-average:window=4", 9),
    "weighted": (lambda: plain(40, 17), "weighted-moving-average:window=4", 9),
    "smoothed": (lambda: plain(40, 17), "exponential-smoothing:alpha=0.3", 6),
    "Holt": (lambda: plain(40, 17), "double-exponential-smoothing:beta=0.2", 6),
}


def forecast_of(past: Multiplier, forecaster: Forecaster | str, turns: int) -> Forecast:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForecastWarning)
        kind = parse_forecaster(forecaster) if isinstance(forecaster, str) else forecaster
        return kind.fit(past).predict(turns)


def numbers_of(name: str) -> dict[str, Any]:
    """The mean and three quantiles of some turns; the first days, the last, and the notes."""
    make, forecaster, turns = FORECASTS[name]
    F = forecast_of(make(), forecaster, turns)
    some = np.unique(np.linspace(0, turns - 1, 9).astype(int))
    when = [] if F.calendar is None else F.calendar[[0, -1]].astype(str).tolist()
    rows = {str(level): F.quantile(level)[some] for level in (0.01, 0.1, 0.5, 0.9)}
    return {"when": when, "notes": F.notes, "mean": F.mean[some], **rows}


def explained() -> dict[str, Any]:
    """Parts, checks, days to look at and backtests."""
    G = shop("2022-12-10", seed=18)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForecastWarning)
        known = Blend(events={"2021-12-11": "sale", "2022-12-16": "sale"}).fit(G)
        past = check(G, CalendarRegression(), 14)
        months = check(evenly("2016-01", 60, 1, 5), CalendarRegression(), 3)
        trials = backtest(
            with_gaps(), [CalendarRegression(), parse_forecaster("seasonal-naive")], 9
        )
    values = G.values.copy()
    values[G.turn_of("2021-12-15") - 1] *= 3
    odd = Blend().fit(Multiplier(values, G.calendar))
    assert isinstance(odd.forecaster, SeasonAhead)
    return {
        "parts": {name: part[::3] for name, part in parts(known, 12).items()},
        "check": [*past, *months],
        "trust": [trust(past), trust(months)],
        "odd": unusual_days(odd.history, 14),
        "backtest": trials.to_dict(),
    }


CASES: dict[str, Callable[[], Any]] = {name: partial(numbers_of, name) for name in FORECASTS}
CASES |= {"explained": explained, "defaults": partial(defaults_of, "traffic")}


@pytest.mark.parametrize("name", CASES)
def test_a_forecast_has_the_numbers_that_were_recorded(name: str) -> None:
    assert_recorded(RECORDED, CASES, name)


if __name__ == "__main__":
    record(RECORDED, CASES)
