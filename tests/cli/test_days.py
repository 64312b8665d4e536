"""Closed days have no turn in any answer; own days have the effects of earlier ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Call = Callable[..., Any]
On = Callable[[str], None]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Two years without Sundays, and without five other days."""
    days = np.arange("2021-11-15", "2023-11-14", dtype="datetime64[D]")
    open_days = np.arange(days.size) % 7 != 6
    open_days[[99, 201, 302, 403, 505]] = False
    values = 100 + 10 * (np.arange(days.size) % 7) + 5 * np.sin(1.7 * np.arange(days.size))
    rows = [f"{day},{v:.0f}" for day, v in zip(days[open_days], values[open_days], strict=True)]
    (tmp_path / "shop.csv").write_text("\n".join(["day,visitors", *rows]) + "\n")
    return tmp_path / "shop.csv"


def sundays(times: list[str]) -> list[str]:
    return [time for time in times if date.fromisoformat(time[:10]).weekday() == 6]


def test_forecast(call: Call, shop: Path) -> None:
    answer = call("forecast", str(shop), "--horizon", "24", "--json", "--out", "f.png")
    assert answer.code == 0, answer.stderr
    rows = json.loads(answer.stdout)["forecast"]
    assert (len(rows), sundays([row["time"] for row in rows])) == (24, [])
    assert (rows[0]["time"], rows[-1]["time"]) == ("2023-11-14", "2023-12-11")
    assert "note: " in answer.stderr
    assert "5 days are missing and no turn: 2022-02-22, 2022-06-04, " in answer.stderr


@pytest.mark.parametrize("ahead", [(), ("--ahead", "24")])
def test_plan(call: Call, on: On, shop: Path, ahead: tuple[str, ...]) -> None:
    on("2023-11-14")
    answer = call("plan", "-p", "ucb-z", "-m", str(shop), *ahead, "--arms", "3", "--json")
    assert answer.code == 0, answer.stderr
    document = json.loads(answer.stdout)
    assert document["turns"] == (24 if ahead else 620)
    assert sundays(document["times"]) == []


@pytest.mark.usefixtures("quick_advice")
def test_advise(call: Call, shop: Path) -> None:
    words = ("--ahead", "24", "--arms", "3", "--games", "20")
    answer = call("advise", "-m", str(shop), *words, "--json")
    assert answer.code == 0, answer.stderr
    assert json.loads(answer.stdout)["turns"] == 24
    page = call("advise", "-m", str(shop), *words, "--out", "advice.html")
    assert page.code == 0, page.stderr
    assert "Sun " not in page.stdout + Path("advice.html").read_text(encoding="utf-8")


@pytest.fixture
def named(tmp_path: Path) -> tuple[Path, Path]:
    """Two years with a sale in November 2022, and a file that names it and a coming one."""
    days = np.arange("2021-11-15", "2023-11-14", dtype="datetime64[D]")
    values = 100 + 5 * np.sin(1.7 * np.arange(days.size))
    values[np.isin(days, np.array(["2022-05-06", "2022-11-18"], "datetime64[D]"))] *= 3
    rows = [f"{day},{value:.1f}" for day, value in zip(days, values, strict=True)]
    (tmp_path / "shop.csv").write_text("\n".join(["day,visitors", *rows]) + "\n")
    events = "day,what\n2022-05-06,sale\n2022-11-18,sale\n2023-11-20,sale\n2023-11-21,closed\n"
    (tmp_path / "events.csv").write_text(events)
    return tmp_path / "shop.csv", tmp_path / "events.csv"


def test_own_days(call: Call, on: On, named: tuple[Path, Path]) -> None:
    shop, events = map(str, named)
    answer = call("forecast", shop, "--horizon", "14", "--events", events, "--json")
    assert answer.code == 0, answer.stderr
    assert answer.line.endswith(
        "ends on 2023-11-28, before today: give newer traffic, or forecast more turns"
    )
    rows = {row["time"]: row for row in json.loads(answer.stdout)["forecast"]}
    assert "2023-11-21" not in rows
    assert rows["2023-11-20"]["special_day"] == "sale"
    assert rows["2023-11-20"]["mean"] > 1.7 * rows["2023-11-22"]["mean"]
    on("2023-11-14")
    plan = call("plan", "-p", "ucb", "-m", shop, "--ahead", "14", "--events", events, "--json")
    assert plan.code == 0, plan.stderr
    assert json.loads(plan.stdout)["G"] == [row["mean"] for row in rows.values()]


def test_a_plan_without_own_days_names_the_unusual(
    call: Call, on: On, named: tuple[Path, Path]
) -> None:
    on("2023-11-14")
    for words in ("plan -p ucb --ahead 14 --arms 3 -m", "forecast --horizon 14"):
        answer = call(*words.split(), str(named[0]))
        assert answer.code == 0, answer.stderr
        assert answer.stderr.splitlines()[0] == (
            "highseason: note: Fri 17 Nov: last year 2.8 times a usual Friday; name it with "
            "--events if it is yours"
        )


def test_dates_of_own_days_are_read_as_those_of_the_traffic(
    call: Call, on: On, named: tuple[Path, Path]
) -> None:
    shop, events = map(str, named)
    on("2023-11-14")
    named[1].write_text("day,what\n06/05/2022,sale\n05/12/2023,sale\n")
    words = (shop, "--events", events)
    answer = call("forecast", *words)
    assert (answer.code, "pass --dates 'dmy' or" in answer.line) == (2, True), answer.stderr
    answer = call("forecast", *words, "--dates", "dmy", "--json")
    assert answer.code == 0, answer.stderr
    rows = {row["time"]: row["special_day"] for row in json.loads(answer.stdout)["forecast"]}
    assert [time for time, day in rows.items() if day == "sale"] == ["2023-12-05"]
    plan = call("plan", "-p", "ucb", *words, "--dates", "dmy", "--arms", "3")
    assert plan.code == 0, plan.stderr


def test_the_document_says_what_stderr_says(call: Call, named: tuple[Path, Path]) -> None:
    named[1].write_text("day,what\n2023-11-16,tv\n")
    answer = call("forecast", str(named[0]), "--events", str(named[1]), "--json", "--horizon", "7")
    assert answer.code == 0, answer.stderr
    said = [line.split(": ", 2)[2] for line in answer.stderr.splitlines()]
    assert json.loads(answer.stdout)["notes"] == said
    assert [note[:27] for note in said] == [
        "2023-11-16 is of the kind '",
        "Fri 17 Nov: last year 2.8 t",
        "the forecast ends on 2023-1",
    ]


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("plan", "-p", "ucb", "-m"), "--events is for a forecast: add --ahead"),
        (("forecast", "--model", "random-walk"), "--events has no effect on random-walk"),
        (("forecast", "--model", "seasonal-naive"), "--events has no effect on seasonal-naive"),
    ],
)
def test_own_days_need_a_forecast(
    call: Call, named: tuple[Path, Path], words: tuple[str, ...], printed: str
) -> None:
    answer = call(*words, str(named[0]), "--events", str(named[1]))
    assert (answer.code, printed in answer.line) == (2, True), answer.stderr
