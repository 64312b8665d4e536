"""What to do on the coming days is what a bandit does that plays the same plan."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import highseason as hs
from highseason.advice.days import GAMES, Day, as_calendar, coming_days
from highseason.cli import main
from highseason.cli.commands.sample import command as sample
from highseason_service import Service
from highseason_service.forecast import TrafficForecast
from highseason_service.model import Arm, Settings

PRICES = ["9.99", "10.99", "11.99"]
#: A Monday before Black Friday, in the file and far from its end.
TODAY = date(2025, 11, 17)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> hs.traffic.Multiplier:
    file = tmp_path_factory.mktemp("shop") / "visitors.csv"
    CliRunner().invoke(sample, ["--last", "2025-12-31", "--out", str(file)])
    return hs.traffic.read(file)


@pytest.fixture(scope="module")
def days(shop: hs.traffic.Multiplier) -> list[Day]:
    plan = hs.policies.parse("option-index").plan(shop, 3)
    return coming_days(plan, hs.rewards.visitors(3), PRICES, today=TODAY)


def test_they_are_what_a_bandit_of_the_same_file_does(
    days: list[Day], shop: hs.traffic.Multiplier
) -> None:
    """Its choices and its plan, turn by turn, in the games that the list was made from."""
    rewards, tried = hs.rewards.visitors(3), np.zeros(len(days))
    for game in range(GAMES):
        bandit = hs.Bandit(PRICES, multiplier=shop, reward_range=(0, 1), seed=game)
        rates = rewards.parameters(np.array([game], np.uint64))[0]
        draw = np.random.default_rng(game)
        for i, day in enumerate(days):
            decision = bandit.decide(day.begins.date().isoformat())
            assert decision.turn == day.turn
            assert day.arm in (None, decision.arm)
            tried[i] += not decision.exploited
            rate = rates[PRICES.index(decision.arm)]
            paid = rewards.draw(draw.random(), rate, day.turn, day.visitors)
            bandit.update(decision.arm, paid * day.visitors, t=day.turn, visitors=day.visitors)
    assert [day.tries for day in days] == (tried / GAMES).tolist()


def test_the_first_day_is_what_the_service_decides(
    days: list[Day], shop: hs.traffic.Multiplier, tmp_path: Path
) -> None:
    with Service(f"{tmp_path}/shop.db", lambda: datetime(2025, 11, 17, 9, tzinfo=UTC)) as service:
        arms = tuple(Arm(price) for price in PRICES)
        policy = "option-index"
        forecast = TrafficForecast.of(shop)
        service.create(Settings("tea", "tea", arms, policy, forecast, (0.0, 1.0)))
        assert service.decide("tea", days[0].turn).arm == days[0].arm == "9.99"


def test_in_words(days: list[Day]) -> None:
    words = [str(day) for day in days]
    assert words[0] == "Mon 17 Nov, 91 visitors expected: try 9.99"
    assert words[11] == "Fri 28 Nov, Black Friday, 310 visitors expected: play the best so far"
    assert len(words) == 14
    assert any("or try another arm (" in word for word in words)


def test_without_dates_turns_are_counted_from_the_first() -> None:
    plan = hs.Greedy().plan([300, 2, 500], arms=2)
    found = coming_days(plan, hs.rewards.visitors(2))
    assert str(found[0]) == "Turn 1, 300 visitors expected: try arm 1"
    assert [day.what for day in found[1:]] == ["try arm 2", "play the best so far"]
    with pytest.raises(ValueError, match="needs dates"):
        as_calendar(found)


def test_a_calendar_program_can_read_them(days: list[Day]) -> None:
    text = as_calendar([*days, Day(1, days[0].begins, False, 9.0, "a; b", 0.0, None)])
    lines = text.split("\r\n")
    assert (lines[0], lines[-2], lines[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR", "")
    assert all(len(line.encode()) <= 75 for line in lines)
    assert "DTSTART;VALUE=DATE:20251117" in lines
    assert "DTSTART:20251117T000000" in lines
    unfolded = text.replace("\r\n ", "")
    assert "SUMMARY:Black Friday\\, 310 visitors expected: play the best so far\r\n" in unfolded


@pytest.mark.parametrize("ending", ["csv", "xlsx", "ics"])
def test_the_command_ends_with_them_and_writes_them(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two commands from nothing to what to do tomorrow."""
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(main, ["sample", "--out", "visitors.csv"])
    words = ["plan", "visitors.csv", "--arm", "9.99", "--arm", "10.99", "--out", f"p.{ending}"]
    answer = CliRunner().invoke(main, words)
    assert answer.exit_code == 0, answer.output
    today = date.today()
    assert f"  {today:%a} {today.day} {today:%b}, " in answer.stdout
    assert answer.stdout.count("visitors expected: ") == 14
    assert "try 9.99" in answer.stdout
    if ending == "ics":
        assert Path("p.ics").read_text(encoding="utf-8").count("BEGIN:VEVENT") == 14
    else:
        import pandas as pd

        frame = pd.read_csv("p.csv") if ending == "csv" else pd.read_excel("p.xlsx")
        assert frame["what to do"].iloc[0] == "try 9.99"
        assert len(frame) == 60
