"""`--ahead`: forecast and plan, simulate or advise in one command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import highseason as hs

Call = Callable[..., Any]


def test_a_plan_of_the_turns_ahead_is_that_of_their_forecast(call: Call, season: Path) -> None:
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


def test_hours_ahead_follow_the_clock_of_the_zone(call: Call, tmp_path: Path) -> None:
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


def test_a_past_too_short_for_the_year_is_noted(call: Call, season: Path) -> None:
    answer = call("plan", "-p", "ucb", "-m", str(season), "--turns", "365", "--ahead", "60")
    assert answer.code == 0, answer.stderr
    assert "too short to know the season of the year" in " ".join(answer.stderr.split())
