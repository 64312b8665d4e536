"""`--ahead`: forecast and plan, simulate or advise in one command."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import highseason as hs

Call = Callable[..., Any]


On = Callable[[str], None]


def test_a_plan_of_the_turns_ahead_is_that_of_their_forecast(
    call: Call, on: On, season: Path
) -> None:
    on("2013-11-16")
    answer = call(
        "plan", "-p", "ucb-z", "-m", str(season), "--ahead", "60", "--arms", "5", "--json"
    )
    assert answer.code == 0, answer.stderr
    document = json.loads(answer.stdout)
    ahead = hs.traffic.Blend().fit(hs.traffic.read(season)).predict(60)
    assert document["times"][0] == "2013-11-16"
    assert document["G"] == pytest.approx(ahead.mean.tolist())
    assert document["levels"] == hs.UCBZ().plan(ahead.multiplier(), 5).levels.tolist()


@pytest.mark.usefixtures("quick_advice")
@pytest.mark.parametrize(
    "words", [("simulate", "-p", "ucb", "--games", "20"), ("advise", "--games", "20")]
)
def test_other_commands_use_the_turns_ahead(
    call: Call, season: Path, words: tuple[str, ...]
) -> None:
    answer = call(*words, "-m", str(season), "--ahead", "30", "--arms", "3", "--json")
    assert answer.code == 0, answer.stderr
    assert json.loads(answer.stdout)["turns"] == 30


def test_hours_ahead_follow_the_clock_of_the_zone(call: Call, on: On, tmp_path: Path) -> None:
    on("2024-03-22")
    hours = np.datetime64("2024-02-01T00") + np.arange(24 * 50)
    path = tmp_path / "hours.csv"
    rows = [f"{hour}:00Z,{100 + i % 24}" for i, hour in enumerate(hours)]
    path.write_text("\n".join(["time,visitors", *rows]) + "\n")
    answer = call(
        "plan", "-p", "ucb", "-m", str(path), "--zone", "Europe/Rome", "--ahead", "3", "--arms",
        "2", "--json",
    )  # fmt: skip
    assert answer.code == 0, answer.stderr
    assert json.loads(answer.stdout)["times"][0].startswith("2024-03-22T01:00")


def test_a_shape_has_no_past(call: Call) -> None:
    answer = call("plan", "-p", "ucb", "-m", "wave", "--ahead", "30")
    assert answer.code == 2
    assert "'wave' is a shape" in answer.stderr


def test_a_past_too_short_for_the_year_is_noted(call: Call, on: On, season: Path) -> None:
    on("2012-01-01")
    answer = call("plan", "-p", "ucb", "-m", str(season), "--turns", "365", "--ahead", "60")
    assert answer.code == 0, answer.stderr
    assert "too short to know the season of the year" in " ".join(answer.stderr.split())


@pytest.mark.usefixtures("few_games", "quick_advice")
@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "FILE", "--arms", "3"),
        ("tune", "epsilon-z", "FILE", "--arms", "3", "--trials", "3"),
        ("bound", "FILE", "-p", "ucb-z", "--means", "0.5,0.9"),
        ("plan", "FILE", "--arms", "3"),
        ("advise", "FILE", "--arms", "3"),
    ],
    ids=lambda words: words[0],
)
def test_a_shop_gives_its_file_as_an_argument(call: Call, words: tuple[str, ...]) -> None:
    """And the next two months are meant, from today on."""
    call("sample", "--out", "shop.csv")
    answer = call(*("shop.csv" if word == "FILE" else word for word in words), "--json")
    assert answer.code == 0, answer.stderr
    assert '"turns": 60' in answer.stdout
    assert "before today" not in answer.stderr


@pytest.mark.parametrize(
    "words", ["forecast --horizon 28", "simulate -p greedy --games 2 --ahead 28 -m"]
)
def test_a_forecast_that_is_past_says_so(call: Call, words: str) -> None:
    last = date.today() - timedelta(days=10)
    call("sample", "--last", "2025-12-31", "--out", "old.csv")
    call("sample", "--last", str(last), "--out", "days.csv")
    call("sample", "--out", "now.csv")
    old, days, now = (call(*words.split(), f"{name}.csv").stderr for name in ("old", "days", "now"))
    assert "the forecast ends on 2026-01-28, before today: give newer traffic" in old
    assert f"the forecast begins on {last + timedelta(days=1)}, before today\n" in days
    assert "today" not in now


def test_so_it_does_in_python() -> None:
    G = hs.traffic.Multiplier([5, 6, 7, 5, 6, 7], calendar=days_from("2025-01-01", 6))
    forecast = hs.traffic.MovingAverage().fit(G).predict(3)
    assert repr(forecast).startswith("<Forecast by moving-average: 3 turns, ends on 2025-01-09, be")
    assert forecast.past(date(2025, 1, 8)) == "begins on 2025-01-07, before today"
    assert forecast.past(date(2025, 1, 7)) == ""
    assert hs.traffic.MovingAverage().fit([5, 6]).predict(3).past() == ""
    weeks = hs.traffic.Forecast([5.0, 6.0], calendar=["2026-11-09", "2026-11-16"])
    assert weeks.past(date(2026, 11, 15)) == "", "the first week is not over"
    assert weeks.past(date(2026, 11, 16)) == "begins on 2026-11-09, before today"
    assert weeks.past(date(2026, 11, 23)).startswith("ends on 2026-11-22, before today")


def days_from(first: str, count: int) -> list[str]:
    return (np.datetime64(first) + np.arange(count)).astype(str).tolist()
