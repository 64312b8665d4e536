"""`highseason bound`: what a policy can cost, as a table, as JSON, as a picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import highseason as hs

Call = Callable[..., Any]
USUAL = "bound --policy epsilon-z:k=50,z=30 --means 0.9,0.8,0.5 --multiplier wave --turns 5000"


def strict(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("form", ["safe", "paper"])
def test_the_contract(form: str, call: Call) -> None:
    answer = call(*USUAL.split(), "--form", form, "--json")
    assert (answer.code, answer.stderr) == (0, "")
    document = strict(answer.stdout)
    expected = hs.bounds.regret(
        hs.EpsilonZGreedy(k=50, z=30), [0.9, 0.8, 0.5],
        multiplier=hs.traffic.wave(turns=5000), form=form,
    )  # fmt: skip
    assert document["total"] == expected.total
    assert document["parts"] == expected.parts
    assert (document["trivial"], document["form"]) == (expected.trivial, form)
    assert (document["valid"], document["vacuous"]) == (expected.valid, expected.vacuous)


def test_what_is_no_number_is_null(call: Call) -> None:
    words = "bound -p variable-pool --means .9,.5 --form paper --json".split()
    document = strict(call(*words).stdout)
    assert document["total"] is None
    assert document["parts"] == {"pool": None}
    assert (document["valid"], document["vacuous"]) == (False, True)


def test_people_get_a_table_and_a_sentence(call: Call) -> None:
    answer = call(*USUAL.split())
    assert (answer.code, answer.stderr) == (0, "")
    assert "The mean regret is at most 14,975.1, 35.7% of the worst case." in answer.stdout


def test_several_policies_are_several_bounds(call: Call) -> None:
    words = "bound -p ucb -p soft-ucb --means .9,.5 --json".split()
    assert [b["policy"] for b in strict(call(*words).stdout)["bounds"]] == ["ucb", "soft-ucb"]


def test_overlay_plays_and_draws(call: Call, tmp_path: Path) -> None:
    words = [*"bound -p ucb-z:z=30 --means .1,.9 -m step --turns 300 --games 30 --seed 4".split(),
             "--overlay", "new/bound.png"]  # fmt: skip
    document = strict(call(*words, "--json").stdout)
    assert (document["games"], document["seed"], document["file"]) == (30, 4, "new/bound.png")
    arms = hs.rewards.bernoulli(means=[0.1, 0.9])
    result = hs.simulate(hs.UCBZ(z=30), arms, hs.traffic.step(300), games=30, seed=4)
    assert document["regret_mean"] == pytest.approx(result.mean("regret", 0))
    assert (tmp_path / "new/bound.png").read_bytes().startswith(b"\x89PNG")
    expected = call(*words).stdout
    assert "mean regret of 30 games played: " in expected
    assert expected.splitlines()[-1] == "wrote new/bound.png"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("bound -p greedy --means .9,.5", "no theorem covers greedy"),
        ("bound -p ucb --means .9,.5 --turns 1", "at least as many turns as arms"),
        ("bound -p ucb", "--means"),
        (
            "bound -p soft-ucb-mortal --means .9,.5 --lifetimes articles",
            "START-END of each arm, such as 1-90,30-",
        ),
        ("bound --means .9,.5", "--policy option-index"),
        ("bound -p ucb --means .9,1.5", "between 0 and 1"),
        ("bound -p ucb --means .9,x", "such as 0.9,0.5"),
        ("bound -p ucb --means .9,.5 --form printed", "'safe', 'paper'"),
        ("bound -p ucb --means .9,.5 --overlay x.jpg", ".png, .svg or .pdf"),
        ("bound -p ucb --means .9,.5 --games 0", "at least 1"),
    ],
)
def test_asked_wrongly(line: str, problem: str, call: Call) -> None:
    for words in (line.split(), [*line.split(), "--json"]):
        answer = call(*words)
        assert (answer.code, answer.stdout) == (2, "")
        assert problem in answer.line
