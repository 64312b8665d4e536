"""`highseason noise`: the findings in words and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Call


@pytest.mark.parametrize("name", ["history.csv", "history.parquet"])
def test_words_and_rates(name: str, call: Call, history: Path) -> None:
    answer = call("noise", name)
    assert answer.code == 0
    assert "Visitors of the same turn are alike: rho" in answer.stdout
    assert "--rewards visitors:rates=" in answer.stdout
    assert all(price in answer.stdout for price in ("8", "9", "10"))
    assert max(map(len, answer.stdout.splitlines())) <= 80


def test_json_has_the_numbers(call: Call, history: Path) -> None:
    document = json.loads(call("noise", "history.csv", "--json").stdout)
    assert document["rho"]["low"] < 0.01 < document["rho"]["high"]
    assert document["day"] is None
    assert set(document["rates"]) == {"8", "9", "10"}
    assert len(document["turns"]["effective"]) == 90


def test_many_arms_are_counted_in_words(call: Call) -> None:
    rows = [f"{turn},{arm},{3 + (turn + arm) % 5},100" for turn in range(4) for arm in range(13)]
    Path("many.csv").write_text("turn,arm,successes,visitors\n" + "\n".join(rows), encoding="utf-8")
    answer = call("noise", "many.csv")
    assert answer.code == 0, answer.stderr
    assert "13 arms; --json lists their rates." in answer.stdout


def test_columns_can_be_named(call: Call, history: Path) -> None:
    same = call("noise", "history.csv", "--successes", "orders", "--visitors", "sessions")
    assert same.stdout == call("noise", "history.csv").stdout
    wrong = call("noise", "history.csv", "--visitors", "session")
    assert (wrong.code, wrong.stdout) == (2, "")
    assert "Did you mean 'sessions'?" in wrong.stderr
