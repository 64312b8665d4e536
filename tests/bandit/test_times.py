"""Times: the turn during which a moment falls, and the date of a decision."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

import highseason as hs
from highseason.bandit import PastForecastError
from highseason.traffic import MultiplierError

ROME = ZoneInfo("Europe/Rome")


def bandit_on(times: Any, zone: str | None = None) -> hs.Bandit[str]:
    G = hs.traffic.Multiplier(np.full(len(times), 5.0), times, zone=zone)
    return hs.Bandit(["a", "b"], hs.UniformRandom(), G, seed=7)


DAYS = np.arange("2024-10-25", "2024-10-30", dtype="datetime64[D]")  # clocks go back on the 27th


@pytest.mark.parametrize(
    ("when", "turn"),
    [
        (datetime(2024, 10, 25, 14, 30), 1),
        (datetime(2024, 10, 29, 23, 59, 59, 999_999), 5),
        ("2024-10-26 08:15", 2),
        (np.datetime64("2024-10-26T08:15:01"), 2),
        (pd.Timestamp("2024-10-27 12:00"), 3),
        (date(2024, 10, 28), 4),
    ],
)
def test_a_time_is_one_of_the_turn_that_is_going_on(when: Any, turn: int) -> None:
    for bandit in (bandit_on(DAYS), bandit_on(DAYS, "Europe/Rome")):
        assert bandit.decide(when).turn == turn
        assert bandit.pull(when) == bandit.pull(turn)


@pytest.mark.parametrize(
    ("when", "turn"),
    [
        (datetime(2024, 10, 24, 22, 0, tzinfo=UTC), 1),  # midnight in Rome
        (datetime(2024, 10, 26, 21, 59, tzinfo=UTC), 2),
        (datetime(2024, 10, 27, 22, 59, tzinfo=UTC), 3),  # a day of 25 hours
        (datetime(2024, 10, 27, 23, 0, tzinfo=UTC), 4),
        (datetime(2024, 10, 27, 23, 59, tzinfo=ROME), 3),
        (datetime(2024, 10, 29, 18, 0, tzinfo=ZoneInfo("America/New_York")), 5),
        ("2024-10-27 23:30+01:00", 3),
    ],
)
def test_a_time_with_a_zone(when: Any, turn: int) -> None:
    assert bandit_on(DAYS, "Europe/Rome").decide(when).turn == turn


def test_the_last_day_may_have_25_hours() -> None:
    bandit = bandit_on(DAYS[:3], "Europe/Rome")
    assert bandit.decide(datetime(2024, 10, 27, 22, 59, tzinfo=UTC)).turn == 3
    with pytest.raises(PastForecastError, match="past the forecast"):
        bandit.pull(datetime(2024, 10, 27, 23, 0, tzinfo=UTC))


def test_now() -> None:
    today = datetime.now(UTC).date()
    days = [today + timedelta(days=offset) for offset in (-1, 0, 1)]
    made = bandit_on(np.array(days, "datetime64[D]"), "UTC").decide(datetime.now(UTC))
    assert made.turn in (2, 3)  # midnight may have passed meanwhile
    assert made.date is not None


def test_an_hour_that_comes_twice() -> None:
    hours = np.arange("2024-10-26T22", "2024-10-27T04", dtype="datetime64[h]")  # UTC
    bandit = bandit_on(pd.DatetimeIndex(hours, tz="UTC").tz_convert("Europe/Rome"))
    with pytest.raises(MultiplierError, match=r"shows .* twice: add its offset"):
        bandit.pull(datetime(2024, 10, 27, 2, 30))
    assert bandit.decide(datetime(2024, 10, 27, 2, 30, tzinfo=ROME)).turn == 3
    assert bandit.decide(datetime(2024, 10, 27, 2, 30, tzinfo=ROME, fold=1)).turn == 4


def test_weekends_have_no_turns() -> None:
    days = np.array(["2024-11-28", "2024-11-29", "2024-12-02", "2024-12-03"], "datetime64[D]")
    bandit = bandit_on(days)
    assert bandit.decide("2024-11-29 20:00").turn == 2
    with pytest.raises(MultiplierError, match="no turn falls on"):
        bandit.pull("2024-11-30 10:00")


def test_weeks_and_months() -> None:
    weeks = bandit_on(np.arange("2024-11-04", "2024-12-02", 7, dtype="datetime64[D]"))
    assert [weeks.decide(day).turn for day in ("2024-11-10", date(2024, 11, 28))] == [1, 4]
    months = bandit_on(np.array(["2023-12-01", "2024-01-01", "2024-02-01"], "datetime64[D]"))
    assert months.decide("2024-02-29 12:00").turn == 3
    with pytest.raises(PastForecastError):
        months.pull("2024-03-01 00:00")


def test_before_and_after_the_season() -> None:
    with pytest.raises(MultiplierError, match="before the first turn"):
        bandit_on(DAYS).pull(datetime(2024, 10, 24, 23, 59))
    with pytest.raises(PastForecastError):
        bandit_on(DAYS).pull(datetime(2024, 10, 30))
    with pytest.raises(MultiplierError, match="calendar has none"):
        bandit_on(DAYS).pull(datetime(2024, 10, 26, 12, tzinfo=UTC))


def test_reports_take_times_too() -> None:
    bandit = bandit_on(DAYS)
    arm = bandit.pull("2024-10-26")
    bandit.update(arm, 3.0, datetime(2024, 10, 26, 22, 0), visitors=4)
    assert bandit.decision(2).reward == 3.0


# the date of a decision


def test_the_date_of_a_decision() -> None:
    assert bandit_on(DAYS).decide(2).date == date(2024, 10, 26)
    hours = np.arange("2024-10-26T22", "2024-10-27T04", dtype="datetime64[h]")
    assert bandit_on(hours).decide(2).date == datetime(2024, 10, 26, 23)
    bandit = bandit_on(DAYS, "Europe/Rome")
    for turn in range(1, 6):
        begin = bandit.decide(turn).date
        assert isinstance(begin, datetime)
        assert begin.tzinfo is not None
        assert begin.isoformat() == f"2024-10-{24 + turn}T00:00:00+0{2 if turn < 4 else 1}:00"
        assert bandit.decide(begin).turn == turn
    assert hs.Bandit(["a"], hs.Greedy(), [5]).decide().date is None
    assert hs.Bandit(["a"], hs.Greedy()).decide(expected=5).date is None
