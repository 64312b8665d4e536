"""`highseason advise`: words for people, JSON for programs, a picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import highseason as hs

Call = Callable[..., Any]
USUAL = "advise -m wave --turns 150 --arms 5 --games 60 --seed 2".split()


def test_json_is_the_librarys_advice(call: Call, tmp_path: Path) -> None:
    answer = call(*USUAL, "--json", "--out", "new/advice.png")
    assert (answer.code, answer.stderr) == (0, "")
    document = json.loads(answer.stdout)
    advice = hs.advise(hs.multipliers.wave(turns=150), 5, games=60, seed=2)
    assert document["policy"] == str(advice.policy)
    assert document["earned_share"] == advice.chosen.earned
    assert document["files"] == ["new/advice.png"]
    assert (tmp_path / "new/advice.png").read_bytes().startswith(b"\x89PNG")
    assert len(document["compared"]) == 8
    assert {"over_greedy", "over_runner_up", "over_unregulated", "when"} <= set(document)


def test_people_are_told_in_words(call: Call) -> None:
    answer = call(*USUAL)
    assert (answer.code, answer.stderr) == (0, "")
    for words in ("\nUse ", "How sure:", "When it explores:", "afe bound", "Watch out:"):
        assert words in answer.stdout


def test_a_file_and_what_is_known_of_the_arms(call: Call, traffic: Path) -> None:
    words = ["advise", "-m", str(traffic), "--arms", "3", "--games", "40", "--json"]
    known = json.loads(call(*words, "--gap", "0.2", "--means-between", "0.1,0.6").stdout)
    assert (known["gap"], known["between"], known["turns"]) == (0.2, [0.1, 0.6], 56)
    plain = json.loads(call(*words).stdout)
    assert (plain["gap"], plain["between"]) == (None, [0.0, 1.0])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("advise --arms 1", "at least 2"),
        ("advise --gap 0", "above 0"),
        ("advise --gap 2", "at most 1"),
        ("advise --means-between 1,0", "rising"),
        ("advise --means-between 1", "such as 0,1"),
        ("advise --games 1", "at least 2"),
        ("advise --seed -1", "seed"),
        ("advise -m no.csv", "check the path"),
        ("advise --out x.jpg", ".png, .svg or .pdf"),
    ],
)
def test_asked_wrongly(line: str, problem: str, call: Call) -> None:
    answer = call(*line.split(), "--json")
    assert (answer.code, answer.stdout) == (2, "")
    assert problem in answer.line
