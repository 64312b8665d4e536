"""The first five minutes of a shop without Python: from a file to an answer, a plan, a forecast.

The files are the sample and an Excel file as a German shop system exports it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

Call = Callable[..., Any]


def german_excel(path: Path) -> None:
    """A title, text in the German notation, and a total."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Besucher"
    sheet.append(["Filiale 7: Besucher 2025", None])
    sheet.append(["Datum", "Besucher"])
    total = 0
    for i in range(365):
        day = date(2025, 1, 1) + timedelta(days=i)
        visitors = 900 + 40 * (i % 7) + 2000 * (day.month == 12)
        total += visitors
        sheet.append([f"{day:%d.%m.%Y}", f"{visitors:,}".replace(",", ".")])
    sheet.append(["Summe", f"{total:,}".replace(",", ".")])
    book.save(path)


def fits(answer: Any) -> str:
    assert answer.code == 0, answer.stderr
    assert not [line for line in answer.stdout.splitlines() if len(line) > 80]
    return answer.stdout


@pytest.fixture(params=["visitors.csv", "Besucher.xlsx"])
def file(request: pytest.FixtureRequest, call: Call) -> list[str]:
    """A file, and the option that settles what it leaves open."""
    if request.param == "visitors.csv":
        fits(call("sample", "--last", "2025-12-31", "--out", request.param))
        return [request.param]
    german_excel(Path(request.param))
    question = call("forecast", request.param).line  # 1.020 could be a little over 1
    assert "pass --decimal ','" in question
    return [request.param, "--decimal", ","]


@pytest.mark.usefixtures("quick_advice")
def test_from_a_file_to_an_answer(file: list[str], call: Call) -> None:
    few = "--rates 2%..4% --turns 60 --arms 3 --games 5".split()
    advice = call("advise", "-m", *file, *few)
    text = fits(advice)
    assert "rate" in text
    assert "highseason plan" in text
    if len(file) > 1:
        assert "'Filiale 7: Besucher 2025'" in advice.stderr
        assert "Summe" in advice.stderr


def test_from_a_file_to_a_plan(file: list[str], call: Call) -> None:
    plan = fits(call("plan", "-p", "ucb-z", "-m", *file, "--arms", "4", "--out", "plan.png"))
    assert "wrote plan.png" in plan
    assert Path("plan.png").read_bytes().startswith(b"\x89PNG")


def test_from_a_file_to_next_month(file: list[str], call: Call) -> None:
    assert "2026-01-01" in fits(call("forecast", *file, "--horizon", "28"))
