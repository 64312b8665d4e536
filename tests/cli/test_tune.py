"""`highseason tune`: parameters, and what they give on other games."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
SMALL = "--multiplier wave --arms 5 --turns 100 --trials 5 --games 20 --search spread".split()


def test_json_has_everything(call: Call) -> None:
    answer = call("tune", "ucb-z", *SMALL, "--seed", "3", "--json")
    assert (answer.code, answer.stderr) == (0, "")
    document = json.loads(answer.stdout)
    assert document["policy"].startswith("ucb-z")
    assert document["search_seed"] != document["reported"]["seed"] == 3
    assert [curve["parameter"] for curve in document["sensitivity"]] == ["z", "P"]
    assert len(document["trials"]) == 5


def test_a_policy_around_another_is_tuned(call: Call) -> None:
    words = "tune soft+ucb -m wave --turns 20 --arms 3 --trials 2 --games 4 --search spread --json"
    document = json.loads(call(*words.split()).stdout)
    assert document["parameters"]["base"].startswith("ucb")


def test_the_figure_is_written(call: Call, tmp_path: Path) -> None:
    answer = call("tune", "epsilon-z:z=30", "--parameter", "k", *SMALL, "--out", "k.svg")
    assert answer.code == 0
    assert "as given" in answer.stdout
    assert (tmp_path / "k.svg").is_file()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ucb-x"], "Did you mean"),
        (["ucb", "--parameter", "z"], "has no parameter 'z' to tune; it has: P"),
        (["greedy"], "nothing to tune"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(call: Call, words: list[str], expected: str) -> None:
    answer = call("tune", *words)
    assert (answer.code, answer.stdout) == (2, "")
    assert expected in answer.line
