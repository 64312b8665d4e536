"""`highseason policies`: every policy, with what can be set."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import pytest

import highseason as hs
from highseason.policies import registry

Call = Callable[..., Any]


def test_json_tells_all_there_is(call: Call) -> None:
    answer = call("policies", "--json")
    assert (answer.code, answer.stderr) == (0, "")
    found = {entry["name"]: entry for entry in json.loads(answer.stdout)["policies"]}
    assert list(found) == list(registry())
    for name, policy in registry().items():
        entry = found[name]
        assert entry["class"] == policy.__name__
        defaults = policy().parameters()
        if "base" in defaults:
            defaults["base"] = str(defaults["base"])
        assert {p["name"]: p["default"] for p in entry["parameters"]} == defaults
        assert entry["profiles"] == policy.profiles
        assert entry["doc"]
        assert all(p["doc"] for p in entry["parameters"])


@pytest.mark.parametrize("name", registry())
def test_people_get_a_line_for_each(name: str, call: Call) -> None:
    lines = call("policies").stdout.splitlines()
    assert sum(line.split()[:1] == [name] for line in lines) == 1
    described = call("policies", name.upper()).stdout
    rows = {line.split()[0] for line in described.splitlines() if line}
    assert rows >= registry()[name]().parameters().keys() | registry()[name].profiles.keys()
    (path,) = re.findall(r"\(hs\.([\w.]+)\)", described)
    assert attrgetter(path)(hs) is registry()[name]


def test_parameters_are_explained(call: Call) -> None:
    text = call("policies", "ucb-z").stdout
    assert "turns with G >= z are high" in text
    assert "paper" in text
    assert "z=30" in text
    (entry,) = json.loads(call("policies", "ucb-z", "--json").stdout)["policies"]
    assert entry["name"] == "ucb-z"


def test_an_unknown_one_suggests_the_nearest(call: Call) -> None:
    answer = call("policies", "ucbz")
    assert answer.code == 2
    assert "Did you mean 'ucb-z'?" in answer.line
