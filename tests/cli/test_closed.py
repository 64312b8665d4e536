"""A shop that is closed on Sundays has no Sunday in any answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Call = Callable[..., Any]


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
def test_plan(call: Call, shop: Path, ahead: tuple[str, ...]) -> None:
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
    assert "Sun " not in page.stdout + Path("advice.html").read_text()
