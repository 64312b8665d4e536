"""The options of every command that takes traffic, and files as people have them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from click import Command

from highseason.cli import main

Call = Callable[..., Any]
TRAFFIC = ("--time", "--value", "--floor", "--every", "--zone", "--dates", "--decimal")
GERMAN = "Besucher Filiale 12;;\nDatum;Besucher;Umsatz\n" + "".join(
    f"{day:02}.01.2025;{1 + day // 20}.{day:03};{day}.345,50 €\n" for day in range(1, 31)
)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def command(name: str) -> Command:
    found = main.get_command(None, name)  # type: ignore[arg-type]  # needs no context
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["plan", "advise", "simulate", "tune", "bound", "forecast"])
def test_every_command_that_takes_traffic_has_its_options(name: str) -> None:
    known = {option for parameter in command(name).params for option in parameter.opts}
    assert known.issuperset(TRAFFIC)


def test_a_german_export_in_one_command(call: Call) -> None:
    Path("export.csv").write_bytes((GERMAN + "Summe;x;y\n").encode("cp1252"))
    answer = call("plan", "-p", "ucb-z", "-m", "export.csv", "--arms", "3", "--json")
    assert answer.code == 0
    plan = json.loads(answer.stdout)
    assert (plan["G"][0], plan["G"][-1]) == (1001, 2030)
    assert plan["times"][-1] == "2025-01-30"
    assert answer.stderr.startswith("highseason: note: export.csv: it is not UTF-8")
    for said in ("'Besucher Filiale 12'", "line 33 ('Summe')", "'1.001' is read as 1001"):
        assert said in answer.stderr


@pytest.mark.parametrize(
    ("rows", "question", "option", "first"),
    [
        ("01.01.2025;1.030\n02.01.2025;980", "pass --decimal ',' or", "--decimal=,", 1030),
        ("01/02/2025;10\n02/02/2025;20", "pass --dates 'dmy' or", "--dates=mdy", 10),
    ],
)
def test_a_question_names_the_option_that_settles_it(
    rows: str, question: str, option: str, first: float, call: Call
) -> None:
    Path("shop.csv").write_text(f"Datum;Besucher\n{rows}\n", encoding="utf-8")
    words = ("plan", "-p", "ucb-z", "-m", "shop.csv", "--arms", "2", "--json")
    answer = call(*words)
    assert answer.code == 2
    assert question in answer.line
    answer = call(*words, option)
    assert json.loads(answer.stdout)["G"][0] == first


#: Commands that play games of a file, and where the document says in which world.
PLAYS = {
    "simulate": "simulate -p greedy --arms 2 --games 4",
    "tune": "tune ucb --arms 2 --games 4 --trials 2 --search spread",
    "advise": "advise --arms 2 --games 4",
    "bound": "bound -p ucb --means .9,.5 --games 4 --overlay bound.svg",
}


def test_every_command_that_takes_a_multiplier_is_asked_for_its_world() -> None:
    names = main.list_commands(None)  # type: ignore[arg-type]  # needs no context
    takes = {name for name in names if any(p.name == "multiplier" for p in command(name).params)}
    assert takes == {*PLAYS, "plan"}  # which plays no game


@pytest.mark.usefixtures("quick_advice")
@pytest.mark.parametrize("name", PLAYS)
@pytest.mark.parametrize(
    ("traffic", "world"),
    [
        ("wave.csv", "visitors"),  # a file may have the name of a shape, and no dates
        ("dated.csv", "visitors"),
        ("wave.csv --turns 8 --floor 130", "visitors"),
        ("wave --turns 9", "bernoulli"),
        ("wave --turns 9 --floor 30", "bernoulli"),
    ],
)
def test_the_same_traffic_is_the_same_world_for_every_command(
    name: str, traffic: str, world: str, call: Call
) -> None:
    counts = [100 + 40 * (t % 3) for t in range(12)]
    Path("wave.csv").write_text("\n".join(map(str, counts)) + "\n", encoding="utf-8")
    rows = [f"2025-01-{t + 1:02},{count}" for t, count in enumerate(counts)]
    Path("dated.csv").write_text("\n".join(["day,visitors", *rows]) + "\n", encoding="utf-8")
    answer = call(*PLAYS[name].split(), "--json", "-m", *traffic.split())
    assert answer.code == 0, answer.stderr
    document = json.loads(answer.stdout)
    assert document.get("reported", document)["rewards"].partition(":")[0] == world


def test_hours_become_days_everywhere(call: Call) -> None:
    rows = [f"2025-01-0{1 + hour // 24},{hour % 24},{10 + hour}" for hour in range(48)]
    Path("hour.csv").write_text("\n".join(["dteday,hr,cnt", *rows]) + "\n", encoding="utf-8")
    words = ("-m", "hour.csv", "--every", "1D", "--arms", "2", "--json")
    answer = call("plan", "-p", "ucb-z", *words)
    assert json.loads(answer.stdout)["G"] == [516, 1092]
    assert "note: hour.csv: the time is columns 'dteday' and 'hr' together" in answer.stderr
    answer = call("plan", "-p", "ucb-z", "-m", "hour.csv", "--every", "24", "--json")
    assert json.loads(answer.stdout)["G"] == [516, 1092]


def test_a_zone_moves_the_days(call: Call) -> None:
    rows = [f"2025-01-01T{hour:02}:00Z,{1 + hour}" for hour in range(24)]
    Path("hour.csv").write_text("\n".join(["time,visitors", *rows]) + "\n", encoding="utf-8")
    words = ("plan", "-p", "ucb-z", "-m", "hour.csv", "--arms", "2", "--json")
    plan = json.loads(call(*words, "--zone", "Asia/Tokyo").stdout)
    assert plan["times"][0].startswith("2025-01-01")
    assert "09:00" in plan["times"][0]


@pytest.mark.parametrize("option", ["--every=1D", "--zone=UTC", "--dates=dmy", "--time=day"])
def test_a_shape_is_not_a_file(option: str, call: Call) -> None:
    answer = call("plan", "-p", "ucb-z", "-m", "wave", option)
    assert answer.code == 2
    assert f"{option.partition('=')[0]} says how to read a file" in answer.line


def test_the_sample_is_a_file_to_start_with(call: Call) -> None:
    yesterday = date.today() - timedelta(days=1)
    assert call("sample").stdout.splitlines()[-1].startswith(f"{yesterday},")
    words = ["sample", "--last", "2025-12-31"]
    printed = call(*words).stdout
    assert call(*words, "--out", "visitors.csv").stdout == "wrote visitors.csv\n"
    assert Path("visitors.csv").read_text(encoding="utf-8") == printed
    answer = call("plan", "-p", "ucb-z", "-m", "visitors.csv", "--arms", "3", "--json")
    assert answer.code == 0
    assert "the season ended on 2025-12-31; for the coming days, give FILE" in answer.line
    plan = json.loads(answer.stdout)
    assert (len(plan["G"]), plan["times"][0]) == (731, "2024-01-01")
    assert plan["G"] == json.loads(call(*words, "--json").stdout)["visitors"]
