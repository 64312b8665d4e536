"""`highseason convert`: from a log to a table, and what is said on the way."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from highseason.logs import read_events
from studies.logged.generate import generate_events, generate_log

Call = Callable[..., Any]


def test_a_generated_log_is_converted(call: Call, tmp_path: Path) -> None:
    generate_log(tmp_path / "log", 1 / 1440, seed=3)
    answer = call(*"convert yahoo log --out events.parquet --json".split())
    assert (answer.code, answer.stderr) == (0, "")
    report = json.loads(answer.stdout)
    log = generate_events(1 / 1440, seed=3).events
    assert (report["events"], report["lines"], report["skipped"]) == (len(log), len(log), {})
    assert (report["format"], report["out"]) == ("r6b", "events.parquet")
    assert (read_events(tmp_path / "events.parquet").time == log.time).all()


def test_a_folder_gets_a_file_a_day(call: Call, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    files = generate_log(tmp_path / "logs", 2, zipped=True, events_per_second=0.01, articles=3)
    names = [path.name for path in files]
    assert names == [f"ydata-fp-td-clicks-v2_0.2011100{day}.gz" for day in (2, 3)]
    answer = call("convert", "yahoo", *(f"logs/{name}" for name in names), "--out", "new/e.parquet")
    assert answer.code == 0
    assert "3 arms, 1 pool;" in answer.stdout


def test_what_is_left_out_is_reported(call: Call, tmp_path: Path) -> None:
    good = "1317513600 id-2 1 |user 1 9 |id-1 |id-2\n"
    earlier = good.replace("1317513600", "1317513599")
    (tmp_path / "log").write_text(good + "1317513601 id-1 7 |user 1 |id-1\n" + earlier)
    (tmp_path / "cut").write_bytes(gzip.compress(good.encode() * 3)[:-8])
    answer = call("convert", "yahoo", "log", "cut", "--out", "e.parquet")
    assert answer.code == 0
    assert "the click is neither 0 nor 1" in answer.stdout
    assert "log, line 2: 1317513601 id-1 7" in answer.stdout
    assert "cut: the gzip file ends early; what could be read is kept" in answer.stderr
    assert "kept 1 event out of time order" in answer.stderr


def test_tables(call: Call, logs: Path) -> None:
    answer = call(*"convert open-bandit men.csv --position 1 --out men.parquet --json".split())
    assert json.loads(answer.stdout)["skipped"] == {"in another position": 1}
    words = "convert table shop.csv --time when --arm shown --reward paid --out s.parquet --json"
    answer = call(*words.split())
    assert json.loads(answer.stdout)["events"] == 2
    assert "assuming every arm was on offer" in answer.stderr
    assert read_events(logs / "s.parquet").reward.tolist() == [2.5, 0]


def test_milliseconds_are_read_and_reported(call: Call, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("time,arm,reward,pool,p\n1317513291000,a,1,a|b,0.5\n")
    answer = call(*"convert table t.csv --pool pool --propensity p --out e.parquet".split())
    assert answer.code == 0
    assert "numbers are read as unix milliseconds" in answer.line
    assert read_events(tmp_path / "e.parquet").time.tolist() == [1317513291]


WRONG = {
    "convert": ("Missing command", "convert --help"),
    "convert cows": ("'cows'", "open-bandit, table, yahoo"),
    "convert yahoo --out e.parquet": ("LOG", "--help"),
    "convert yahoo nowhere --out e.parquet": ("no file nowhere", "check the path"),
    "convert yahoo . --out e.parquet": ("is a folder", "name the files in it"),
    "convert yahoo shop.csv --out e.parquet": ("shop.csv, line 1", "expected lines such as"),
    "convert yahoo log --format r6a --out e.parquet": ("log, line 1", "expected lines such as"),
    "convert yahoo log --out .": ("is a folder", "a file in it"),
    "convert yahoo log --out ./log": ("--out log is the input file", "another name"),
    "convert table shop.csv --out shop.csv": ("is the input file", "another name"),
    "convert yahoo empty --out e.parquet": ("empty: no event in 0 lines", "expected"),
    "convert table header.csv --out e.parquet": ("header.csv: no event", "expected"),
    "convert open-bandit shop.csv --out e.parquet": ("shop.csv, line 1", "'timestamp'"),
    "convert open-bandit men.csv --campaign men --out e.parquet": ("line 1", "'campaign'"),
    "convert table shop.csv --time wen --out e.parquet": ("shop.csv, line 1", "mean 'when'?"),
    "convert table shop.csv --separator= --out e.parquet": ("separator", "must be some text"),
}


@pytest.mark.parametrize("line", WRONG)
def test_one_line_says_what_to_put_right(line: str, call: Call, logs: Path) -> None:
    (logs / "log").write_text("1317513600 id-2 1 |user 1 9 |id-1 |id-2\n")
    (logs / "empty").touch()
    (logs / "header.csv").write_text("time,arm,reward\n")
    before = {path.name: path.read_bytes() for path in logs.iterdir()}
    answer = call(*line.split())
    assert (answer.code, answer.stdout) == (2, "")
    problem, remedy = WRONG[line]
    assert problem in answer.line
    assert remedy in answer.line
    assert {path.name: path.read_bytes() for path in logs.iterdir()} == before
