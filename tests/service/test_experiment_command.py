"""`highseason experiment`, against a live service."""

from __future__ import annotations

import json
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from tests.service.conftest import MOMENT, Run, Server, settings

import highseason as hs
from highseason.cli import main
from highseason.traffic.timeline import Calendar
from highseason_service import Service
from highseason_service.errors import ClashError
from highseason_service.forecast import TrafficForecast
from highseason_service.security import create_token


def test_from_a_traffic_file_to_an_archive(run: Run, tmp_path: Path, live: Server) -> None:
    days = [f"2026-{month:02}-{day:02}" for month in (9, 10) for day in range(1, 31)]
    rows = "".join(f"{day},{200 + 100 * (i % 7 == 5)}\n" for i, day in enumerate(days))
    (tmp_path / "traffic.csv").write_text("date,visitors\n" + rows)
    create = f"create tea --arm 9.99 --arm 10.99=premium --range 0..12 -m {tmp_path}/traffic.csv"
    code, text = run(f"{create} --ahead 14 -p soft-ucb --rho 0.02 --seed 3")
    assert (code, "2 arms, 14 turns from 2026-10-31" in text) == (0, True), text
    assert f"{live.url}/experiments/tea" in text
    made = live.service.state("tea")
    assert (made.noise.count, made.noise.rho) == ("visitors", 0.02)
    code, arm = run("decide tea --turn 1")
    assert (code, arm.strip()) == (0, live.service.decision("tea", 1).arm)
    assert run("update tea --turn 1 --reward 900 --visitors 200 --key a")[1] == "turn 1: recorded\n"
    assert run("update tea --turn 1 --reward 900 --visitors 200")[1] == (
        "turn 1: known already, with these values: nothing has changed\n"
    )
    assert (
        "it was 900 from 200 visitors" in run("correct tea --turn 1 --reward 800 --visitors 200")[1]
    )
    assert run("plan tea --turns 1")[1].rstrip().endswith("100%")  # the cost is not known
    again = f"reforecast tea -m {tmp_path}/traffic.csv"
    said = run(f"{again} --ahead 4 --first 2026-11-02")[1]
    assert said.startswith("tea: new forecast for turns 3 to 6\n")
    assert "between 2026-10-31" in run(again)[1]
    coming = "2026-10-31,7\n2026-11-01,8\n2026-11-02,9\n"
    (tmp_path / "traffic.csv").write_text("date,visitors\n" + coming)
    assert run(again)[1] == "tea: new forecast for turns 2 to 3\n"  # the first is decided
    assert [one.forecast for one in live.service.plan("tea", 9)] == [8.0, 9.0]
    assert run("add-arm tea --arm 8.99=sale --start 3 --end 9 --now")[1] == "added 8.99\n"
    assert run("remove-arm tea --arm 9.99")[1] == "removed 9.99\n"
    assert "1 of 3 turns decided" in run("show tea")[1]
    assert len(json.loads(run("plan tea --turns 5 --json")[1])["plan"]) == 2
    assert "explores" in run("plan tea")[1]
    assert "more: --after 2" in run("events tea --limit 2")[1]
    assert len(json.loads(run("events tea --json")[1])["events"]) == 8
    assert run(f"export tea --out {tmp_path}/tea.parquet")[0] == 0
    assert len(hs.logs.read_events(tmp_path / "tea.parquet")) == 1
    assert run(f"export tea --out {tmp_path}/tea.csv")[0] == 0
    for change, status in (("pause", "paused"), ("resume", "running"), ("archive", "archived")):
        assert run(f"{change} tea")[1] == f"tea is {status}\n"
    assert run("list")[1].splitlines()[3].split()[:3] == ["tea", "tea", "archived"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("show nothing", "no experiment 'nothing'"),
        ("decide shelf --turn 4000", "outside the forecast"),
        ("update shelf --turn 9 --reward 1 --visitors 1", "not decided"),
        ("update shelf --turn 1 --reward nan --visitors 1", "expected a finite number"),
        ("create x --arm a --arm b", "greatest reward per visitor (--range): 0..1 if you report"),
        ("create x --arm a --arm b --rho 0.1", "leave `rho` out"),
        ("create x --arm a --arm b --policy uniform --rho 0.1", "no noise model"),
        ("create x --arm a --arm =1+1", "expected an arm such as 9.99"),
        ("create x --arm a --arm b --range 3", "two numbers"),
        ("export shelf --out events.txt", ".csv or .parquet"),
        ("list --url http://127.0.0.1:1", "highseason serve"),
        ("list --url nonsense", "cannot reach"),
        ("lsit", "list"),
        ("forecast tea --first 30", "Did you mean 'reforecast'?"),
    ],
)
def test_what_is_refused_is_bad_usage(run: Run, words: str, expected: str) -> None:
    code, text = run(words)
    assert (code, expected in text) == (2, True), text


def test_turns_have_dates(run: Run, live: Server) -> None:
    assert run("decide shelf --turn 2026-11-02")[0] == 0
    assert run("decide shelf --turn 2026-11-03T23:30")[0] == 0  # by the clock of Rome
    assert [one.turn for one in live.service.decisions("shelf")] == [3, 2]
    said = run("update shelf --turn 2026-11-02 --reward 90 --visitors 240")[1]
    assert said == "turn 2: recorded\n"
    assert "it was 90" in run("correct shelf --turn 2026-11-02 --reward 91 --visitors 240")[1]
    run("add-arm shelf --arm 8.99 --start 2026-11-20 --end 2026-12-01")
    sale = next(arm for arm in live.service.state("shelf").arms if arm.id == "8.99")
    assert (sale.start, sale.end) == (20, 31)
    code, text = run("decide shelf --turn 2027-11-17")
    assert (code, "outside the forecast" in text) == (2, True)
    live.service.create(settings("bare", forecast=TrafficForecast((5.0, 9.0))))
    code, text = run("decide bare --turn 2026-11-02")
    assert (code, "no calendar: give the number of the turn" in text) == (2, True)
    assert "such as 2026-11-17" in run("decide shelf --turn tomorrow")[1]


@pytest.mark.parametrize(
    ("every", "when", "expected"),
    [
        ("day", "2026-11-17", 6),  # the turn that starts on it, at eight
        ("day", "2026-11-17T00:00", 5),
        ("day", "2026-11-22", None),  # the last one ends on it
        ("hour", "2026-11-12", 1),
        ("week", "2026-11-17", 1),
    ],
)
def test_a_date_is_the_turn_that_starts_on_it(
    run: Run, live: Server, every: str, when: str, expected: int | None
) -> None:
    calendar = Calendar.starting("2026-11-12 08:00", every, "+01:00")
    live.service.create(settings("tea", forecast=TrafficForecast((5.0,) * 10, calendar)))
    code, text = run(f"decide tea --turn {when}")
    assert code == (0 if expected else 2), text
    assert [one.turn for one in live.service.decisions("tea")] == [expected] * bool(expected)


def test_without_a_turn_the_one_that_is_over_is_updated(run: Run, live: Server) -> None:
    first, second, today = (date.today() - timedelta(days) for days in (17, 10, 3))
    calendar = Calendar.starting(str(first), "week")  # two weeks are over, the third is not
    live.service.create(settings("tea", forecast=TrafficForecast((5.0,) * 9, calendar)))
    live.service.create(settings("bare", forecast=TrafficForecast((5.0, 9.0))))
    waiting = "turns of {} that wait for a reward: {}; give --turn"

    def update(experiment: str, *turns: int) -> str:
        for turn in turns:
            live.service.decide(experiment, turn)
        return " ".join(run(f"update {experiment} --reward 5 --visitors 5")[1].split())

    assert waiting.format("tea", "none") in update("tea")
    assert update("tea", 3, 1) == f"{first}: recorded"
    assert update("tea") == f"{today}: recorded"  # in the evening
    assert waiting.format("bare", "turn 1, turn 2") in update("bare", 1, 2)
    live.service.create(settings("two", forecast=TrafficForecast((5.0,) * 9, calendar)))
    assert waiting.format("two", f"{first}, {second}") in update("two", 1, 2, 3)


def test_the_file_of_the_past_is_an_argument(run: Run, live: Server, tmp_path: Path) -> None:
    days = [date.today() - timedelta(days=80 - i) for i in range(80)]
    rows = "".join(f"{day},{200 + 100 * (day.weekday() == 5)}\n" for day in days)
    (tmp_path / "past.csv").write_text("date,visitors\n" + rows)
    code, text = run(f"create tea {tmp_path}/past.csv --arm 9.99 --arm 10.99 --range 0..12")
    assert (code, f"60 turns from {date.today()} to" in text) == (0, True), text
    assert "before today" not in text
    assert live.service.state("tea").turns == 60
    assert "new forecast for turns 1 to 60" in run(f"reforecast tea {tmp_path}/past.csv")[1]


def test_an_experiment_may_stay_with_its_leader(run: Run, tmp_path: Path, live: Server) -> None:
    (tmp_path / "days.csv").write_text("date,visitors\n2026-11-02,5\n2026-11-03,6\n")
    words = f"create calm --arm a --arm b --range 0..1 -m {tmp_path}/days.csv --stay"
    assert run(words)[0] == 0
    assert live.service.state("calm").stay_with_leader
    body = {"stay_with_leader": False}
    answer = httpx.post(f"{live.url}/v1/experiments/calm/stay", json=body)
    assert not answer.json()["stay_with_leader"]


def test_a_token_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    service = Service(f"{tmp_path}/service.db", clock=lambda: MOMENT)
    service.create(settings())
    token = create_token(service.database, "till", "read")
    with Server(service) as server:
        words = ["experiment", "list", "--url", server.url]
        assert main(words, standalone_mode=False) == 2
        assert "a token is needed" in capsys.readouterr().err
        monkeypatch.setenv("HIGHSEASON_TOKEN", token)
        assert main(words, standalone_mode=False) == 0
        pause = ["experiment", "pause", "shelf", "--url", server.url]
        assert main(pause, standalone_mode=False) == 2
        assert "needs the scope 'admin'" in capsys.readouterr().err


def test_without_its_extra_the_command_names_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)
    for module in ("model", "commands.experiment"):
        monkeypatch.delitem(sys.modules, f"highseason_service.{module}", raising=False)
    assert main(["experiment", "list"], standalone_mode=False) == 1
    assert "pip install 'highseason[service]'" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::highseason.traffic.ForecastWarning")
def test_a_shop_closed_on_sundays(run: Run, tmp_path: Path, live: Server) -> None:
    days = [date(2026, 8, 3) + timedelta(i) for i in range(89)]  # from a Monday to a Friday
    rows = [f"{day},{200 + 20 * day.weekday()}\n" for day in days if day.weekday() < 6]
    (tmp_path / "traffic.csv").write_text("date,visitors\n" + "".join(rows))
    traffic = f"-m {tmp_path}/traffic.csv --ahead"
    code, text = run(f"create tea --arm 9 --arm 10 -p uniform {traffic} 12")
    assert (code, "12 turns from 2026-10-31 to 2026-11-13" in text) == (0, True), text
    made = live.service.state("tea")
    assert made.calendar == {"start": "2026-10-31", "every": "day", "zone": "UTC", "closed": [6]}
    coming = live.service.plan("tea", 12)
    assert {date.fromisoformat(turn.time[:10]).weekday() for turn in coming} == set(range(6))
    monday, sunday = (datetime(2026, 11, day, 10, tzinfo=UTC) for day in (2, 1))
    assert live.service.decide("tea", at=monday).turn == 2
    with pytest.raises(
        ClashError, match=r"closed: no turn follows turn 1 \(2026-10-31\) before 2026-11-02"
    ):
        live.service.decide("tea", at=sunday)
    with (tmp_path / "traffic.csv").open("a") as file:
        file.write("2026-10-31,300\n")
    said = run(f"reforecast tea {traffic} 14")[1]
    assert said.startswith("tea: new forecast for turns 2 to 15\n")
    assert live.service.plan("tea", 15)[-1].time.startswith("2026-11-17")
