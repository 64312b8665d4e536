"""`highseason replay`: what the library finds, in words and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.logs.logs import mortal_log

from highseason.logs import read_events, replay, replay_many, write_events

Call = Callable[..., Any]


def test_replay_tells_what_the_library_finds(call: Call, event_table: Path) -> None:
    answer = call(
        "replay", "events.parquet", "-p", "soft-ucb", "-p", "ucb", "--seed", "4", "--json"
    )
    assert (answer.code, answer.stderr) == (0, "")
    document = json.loads(answer.stdout)
    result = replay(["soft-ucb", "ucb"], read_events(event_table), seed=4)
    for entry, found in zip(document["policies"], result.runs, strict=True):
        assert (entry["name"], entry["mean"]) == (found.label, found.mean.value)
        assert entry["read"] == entry["used"] + sum(entry["rejected"].values())
        assert entry["verdict"] == result.verdict(found.label)
    assert document["log"]["uniformity"]["holds"] is True


def test_people_see_the_reasons_and_a_verdict(call: Call, event_table: Path) -> None:
    answer = call("replay", "events.parquet", "-p", "ucb", "--turns", "300")
    for words in ("looks uniform", "another arm chosen", "Handle with care: only 300"):
        assert words in answer.stdout


def test_runs_in_another_order(call: Call, event_table: Path) -> None:
    words = "replay events.parquet -p ucb --runs 3 --how repeat --times 1 --json".split()
    plain, shuffled = (json.loads(call(*words, *more).stdout) for more in ([], ["--shuffle"]))
    assert [found["policies"][0]["how"] for found in (plain, shuffled)] == ["repeat"] * 2
    assert len(set(plain["policies"][0]["means"])) == 1  # UCB draws nothing
    assert len(set(shuffled["policies"][0]["means"])) > 1


def test_many_runs(call: Call, event_table: Path) -> None:
    words = "replay events.parquet -p epsilon-greedy -p ucb --runs 3 --window 3000 --step 1000"
    answer = call(*words.split(), "--times", "2", "--json", "--workers", "1", "--out", "runs.svg")
    document = json.loads(answer.stdout)
    found = replay_many(
        ["epsilon-greedy", "ucb"],
        read_events(event_table),
        runs=3, window=3000, step=1000, times=2,
    )  # fmt: skip
    for entry, runs in zip(document["policies"], found.policies, strict=True):
        assert entry["means"] == runs.means.tolist()
    assert Path(document["files"][0]).exists()


def test_several_files_are_several_logs(call: Call, event_table: Path) -> None:
    log, files = read_events(event_table), ["events.parquet", "half.parquet"]
    write_events(log.take(slice(len(log) // 2)), event_table.with_name(files[1]))
    answer = call("replay", *files, "-p", "uniform", "-p", "ucb", "--out", "x.svg", "--json")
    document = json.loads(answer.stdout)
    assert document["policies"][1]["means"] == [
        replay("ucb", read_events(event_table.with_name(file)))["ucb"].mean.value for file in files
    ]
    assert [document["log"][file]["events"] for file in files] == [len(log), len(log) // 2]
    assert "2 logs, each replayed by itself" in call("replay", *files, "-p", "ucb").stdout


def test_only_some_time_and_some_arms(call: Call, event_table: Path) -> None:
    log = read_events(event_table)
    start = int(log.time[0])
    words = ["--between", str(start), str(start + 99), "--arms", ",".join(log.arms[:2]), "--json"]
    document = json.loads(call("replay", "events.parquet", "-p", "ucb", *words).stdout)
    assert document["log"]["events"] == int((log.time < start + 100).sum())
    words[1:3] = map(str, np.array([start, start + 99], "datetime64[s]"))
    assert json.loads(call("replay", "events.parquet", "-p", "ucb", *words).stdout) == document
    assert document["log"]["arms"] == 2
    assert document["policies"][0]["rejected"]["arm not studied"] > 0


def test_arms_that_are_always_there_there_may_be_none(call: Call, tmp_path: Path) -> None:
    write_events(mortal_log(300), tmp_path / "mortal.parquet")
    answer = call(*"replay mortal.parquet -p ucb --arms always".split())
    assert answer.code == 2
    assert "--arms 'always' leaves none" in answer.line


def test_help_tells_the_defaults(call: Call) -> None:
    expected = " ".join(call("replay", "--help").stdout.split())
    for default in (4, 100000, 4000):
        assert f"(with --runs). [default: {default}]" in expected


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        ("replay gone.parquet -p ucb", 2, "there is no file gone.parquet"),
        ("replay events.parquet", 2, "no policy given"),
        ("replay events.parquet -p ucb --arms q", 2, "the log has no arm 'q'"),
        ("replay events.parquet -p ucb --bin 0", 2, "expected a number above 0, got '0'"),
        ("replay events.parquet -p ucb --between 5 tea", 2, "neither whole seconds nor a date"),
        ("replay events.parquet -p ucb --runs 5", 2, "window of 100,000: give a smaller --window"),
        ("replay events.parquet -p ucb --window 50", 2, "--window needs --runs"),
        ("replay events.parquet -p ucb --shuffle", 2, "--shuffle needs --runs"),
        ("replay events.parquet -p ucb --reweigh accept", 2, "leave --reweigh out"),
        ("replay events.parquet -p ucb-l --unknown-lifetimes", 2, "needs to know when they end"),
        ("replay events.parquet -p ucb --out x.gif", 2, "the name must end in"),
        (
            "replay events.parquet -p ucb --between 0 1",
            2,
            "between 0 and 1: the log goes from 2011-10-02 00:00:00 to",
        ),
        ("replay events.parquet -p ucb --between 1700000000 9", 2, "the log goes from"),
        ("replay events.parquet -p ucb --bin 1e-300", 2, "bin=1e-300 is too short"),
        (
            "replay traffic.csv -p ucb",
            2,
            "turn it into an event table: highseason convert table traf",
        ),
        ("replay . -p ucb", 2, ". is a folder: name an event table in it"),
        ("replay traffic.csv -p ucb", 2, "traffic.csv is a CSV; turn it into an event table"),
        ("replay cut.parquet -p ucb", 2, "cut.parquet cannot be read as Parquet"),
        ("replay broken.parquet -p ucb", 2, "broken.parquet cannot be read as Parquet"),
        ("convert table broken.parquet --out e.parquet", 2, "broken.parquet cannot be read"),
    ],
)
def test_what_goes_wrong_is_one_line(
    words: str, code: int, expected: str, call: Call, event_table: Path, traffic: Path
) -> None:
    whole = event_table.read_bytes()
    event_table.with_name("cut.parquet").write_bytes(whole[:-100])
    event_table.with_name("broken.parquet").write_bytes(whole[:500] + bytes(500) + whole[1000:])
    answer = call(*words.split())
    assert answer.code == code, answer.stderr
    assert expected in answer.line
    assert answer.stdout == ""


def test_money_is_replayed_with_its_range(call: Call, event_table: Path) -> None:
    log = read_events(event_table)
    write_events(replace(log, reward=60.0 * log.reward), "money.parquet")
    refused = call("replay", "money.parquet", "-p", "ucb")
    assert (refused.code, refused.stdout) == (2, "")
    assert "such as --range 0..60" in refused.stderr
    answer = call("replay", "money.parquet", "-p", "ucb", "--range", "0..60", "--json")
    [found], plain = json.loads(answer.stdout)["policies"], replay("ucb", log)["ucb"]
    assert found["used"] == plain.turns
    assert found["mean"] == pytest.approx(60.0 * plain.mean.value)
