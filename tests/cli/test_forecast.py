"""`highseason forecast`: numbers, files, and what it says when it cannot."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Call = Callable[..., Any]


def test_json(call: Call, season: Path) -> None:
    answer = call("forecast", str(season), "--horizon", "40", "--backtest", "2", "--json")
    assert answer.code == 0, answer.stderr
    printed = json.loads(answer.stdout)
    assert (printed["horizon"], printed["past_turns"], printed["model"]) == (40, 1050, "blend")
    assert len(printed["forecast"]) == 40
    first = printed["forecast"][0]
    assert first["time"] == "2013-11-16"
    assert first["low"] <= first["mean"] <= first["high"]
    days = {row["time"]: row["special_day"] for row in printed["forecast"]}
    assert days["2013-11-29"] == "Black Friday"
    assert 0 <= printed["backtest"]["coverage"] <= 1


def test_csv_and_figure(call: Call, season: Path) -> None:
    for name in ("f.csv", "f.png"):
        answer = call("forecast", str(season), "--horizon", "14", "--out", name)
        assert answer.code == 0, answer.stderr
        assert answer.stdout.endswith(f"wrote {name}\n")
    with Path("f.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 14
    assert float(rows[0]["low"]) <= float(rows[0]["high"])
    assert Path("f.png").read_bytes().startswith(b"\x89PNG")


def test_special_days_are_those_of_the_clock_of_the_zone(call: Call, tmp_path: Path) -> None:
    hours = np.arange("2013-10-01", "2013-11-27T05", dtype="datetime64[h]")
    rows = [f"{hour}:00Z,{100 + 50 * (i % 24 > 12)}" for i, hour in enumerate(hours)]
    (tmp_path / "hours.csv").write_text("\n".join(["time,visitors", *rows]) + "\n")
    (tmp_path / "events.csv").write_text("day,kind\n2013-11-28,sale\n")
    words = ("forecast", "hours.csv", "--zone", "America/New_York", "--horizon", "72")
    answer = call(*words, "--events", "events.csv", "--json")
    assert answer.code == 0, answer.stderr
    named = {row["time"]: row["special_day"] for row in json.loads(answer.stdout)["forecast"]}
    sales, fridays = ([t for t in named if named[t] == d] for d in ("sale", "Black Friday"))
    assert (sales[0], sales[-1]) == ("2013-11-28T05:00:00", "2013-11-29T04:00:00")
    assert (fridays[0], len(fridays)) == ("2013-11-29T05:00:00", 24)
    assert "time (UTC)" in call(*words).stdout


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("--model", "prophet"), "unknown forecaster 'prophet'"),
        (("--model", "calendar:waves=3"), "calendar has no setting 'waves'"),
        (("--model", "random-walk", "--country", "GB"), "--country has no effect on random-walk"),
        (("--model", "seasonal-naive", "--country", "GB"), "--country has no effect on seasonal-n"),
        (("--country", "XX"), "public holidays of 'XX'"),
        (("--every", "fortnight"), "not a length of time"),
        (("--out", "f.doc"), "must end in"),
    ],
)
def test_bad_usage_is_reported_in_one_line(
    words: tuple[str, ...], printed: str, call: Call, season: Path
) -> None:
    answer = call("forecast", str(season), *words)
    assert (answer.code, answer.stdout) == (2, "")
    assert printed in answer.line


def test_a_file_that_is_not_there(call: Call) -> None:
    answer = call("forecast", "nowhere.csv")
    assert (answer.code, answer.stdout) == (2, "")
    assert "there is no file nowhere.csv" in answer.line


def test_turns_without_dates_have_no_days(call: Call) -> None:
    Path("counts.csv").write_text(
        "visitors\n" + "\n".join(str(5 + t % 7) for t in range(60)), encoding="utf-8"
    )
    answer = call(
        "forecast",
        "counts.csv",
        "--model",
        "seasonal-naive:lag=7,periods=7",
        "--horizon",
        "7",
        "--json",
    )
    assert answer.code == 0, answer.stderr
    rows = json.loads(answer.stdout)["forecast"]
    expected = pytest.approx([5 + t % 7 for t in range(60, 67)])
    assert [row["mean"] for row in rows] == expected
    assert all("time" not in row and row["special_day"] == "" for row in rows)


def test_earlier_forecasts_from_these_weeks(call: Call, season: Path) -> None:
    words = ("forecast", str(season), "--horizon", "14", "--model", "seasonal-naive", "--check")
    answer = call(*words)
    assert answer.code == 0, answer.stderr
    assert "forecast from  held by 80%  sum off by  a year before: held" in answer.stdout
    assert "2012-11-17" in answer.stdout
    assert "In these weeks of earlier years the 80% interval held" in answer.stdout
    checked = json.loads(call(*words, "--json").stdout)["check"]
    assert [row["begins"] for row in checked["forecasts"]] == [
        "2012-11-10",
        "2012-11-17",
        "2012-11-24",
    ]
    assert set(checked["forecasts"][0]) == {
        "begins", "held", "sum_off", "last_year_held", "last_year_sum_off",
    }  # fmt: skip
    assert "trust its sum" in checked["verdict"]


def test_a_shift_of_level_is_said_on_stderr_and_in_the_document(call: Call) -> None:
    days = np.arange("2021-01-04", "2023-06-01", dtype="datetime64[D]")
    noise = 0.08 * np.random.default_rng(3).standard_normal(days.size)
    visitors = np.resize([200, 180, 200, 220, 280, 400, 340], days.size) * np.exp(noise)
    visitors[-30:] *= 1.5
    rows = [f"{day},{value:.0f}" for day, value in zip(days, visitors, strict=True)]
    Path("shop.csv").write_text("\n".join(["date,visitors", *rows]) + "\n", encoding="utf-8")
    answer = call("forecast", "shop.csv", "--horizon", "7", "--json")
    assert answer.code == 0, answer.stderr
    note, past = json.loads(answer.stdout)["notes"]
    assert past.endswith("before today: give newer traffic, or forecast more turns")
    assert note.startswith("traffic rose by 43% from 2023-05-02 on: the forecast follows")
    assert note in answer.stderr
