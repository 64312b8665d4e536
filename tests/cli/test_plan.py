"""`highseason plan`: when a policy explores, as a picture, as numbers and in words."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import highseason as hs

Call = Callable[..., Any]


def test_json_holds_the_plan(call: Call) -> None:
    answer = call(*"plan -p ucb-z:z=30 -m wave --turns 100 --arms 5 --json".split())
    assert (answer.code, answer.stderr) == (0, "")
    document = json.loads(answer.stdout)
    plan = hs.UCBZ(z=30).plan(hs.traffic.wave(turns=100), arms=5)
    assert document["policy"] == "ucb-z:z=30"
    assert (document["turns"], document["arms"]) == (100, 5)
    assert document["levels"] == plan.levels.tolist()
    assert document["exploration"] == plan.exploration.tolist()
    assert document["G"] == plan.multiplier.values.tolist()
    assert document["when"]["turns"] == 100
    assert document["plan_digest"] == plan.digest
    assert "times" not in document


@pytest.mark.parametrize("name", hs.policies.registry())
def test_every_policy_has_a_document_also_around_another(name: str, call: Call) -> None:
    answer = call("plan", "-p", name, *"-m wave --turns 20 --arms 3 --json".split())
    assert answer.code == 0, answer.stderr
    parameters = json.loads(answer.stdout)["parameters"]
    assert parameters.keys() == hs.policies.parse(name).parameters().keys()


def test_expressions_of_G_are_shown_as_numbers(call: Call) -> None:
    document = json.loads(call(*"plan -p ucb-z:z=q0.75 -m Wave --turns 100 --json".split()).stdout)
    assert document["parameters"]["z"] == "q0.75"
    assert document["resolved"]["z"] == pytest.approx(
        hs.traffic.Threshold.of("q0.75").resolve(hs.traffic.wave(turns=100).values)
    )


def test_several_policies_are_several_plans(call: Call) -> None:
    document = json.loads(call(*"plan -p ucb -p soft-ucb --turns 50 --json".split()).stdout)
    assert [plan["policy"] for plan in document["plans"]] == ["ucb", "soft-ucb"]


def test_a_calendar_brings_its_times(call: Call, traffic: Path) -> None:
    words = ["plan", "-p", "ucb-z", "-m", str(traffic), "--arms", "4"]
    document = json.loads(call(*words, "--json").stdout)
    assert (document["times"][0], document["times"][-1]) == ("2026-01-01", "2026-02-25")
    assert "begins" in document["when"]["most"][0]
    assert "2026-01-01 to 2026-02-25" in call(*words).stdout


def test_the_table_shows_when_it_explores(call: Call) -> None:
    answer = call(*"plan -p ucb-z:z=30 -m christmas --turns 500 --arms 25".split())
    assert (answer.code, answer.stderr) == (0, "")
    lines = answer.stdout.splitlines()
    assert lines[0] == "christmas: 500 turns, G from 1 to 1,000; 25 arms"
    row = next(line.split() for line in lines if line.startswith("ucb-z:z=30 "))
    assert (row[1], row[-2]) == ("30", "100%")
    assert " ".join(row[-5:-2]) == "202 of 475"


def test_a_plan_as_a_table(call: Call, traffic: Path, tmp_path: Path) -> None:
    words = ["plan", "-p", "ucb", "-p", "ucb-z", "-m", str(traffic), "--arms", "4"]
    assert call(*words, "--out", "new/plan.csv").stdout.splitlines()[-1] == "wrote new/plan.csv"
    with (tmp_path / "new/plan.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["policy", "turn", "time", "G", "level", "exploration"]
    assert len(rows) == 2 * 56
    plan = hs.UCBZ().plan(hs.traffic.read(traffic), arms=4)
    assert [float(row["level"]) for row in rows[56:]] == plan.levels.tolist()
    assert (rows[55]["turn"], rows[55]["time"]) == ("56", "2026-02-25")


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_plan_as_a_picture(suffix: str, call: Call, tmp_path: Path) -> None:
    assert call("plan", "-p", "ucb-z", "--turns", "60", "--out", f"new/plan.{suffix}").code == 0
    start = (tmp_path / f"new/plan.{suffix}").read_bytes()[:200]
    assert {"png": b"\x89PNG", "svg": b"<svg", "pdf": b"%PDF"}[suffix] in start


def test_a_profile_is_for_bare_names(call: Call) -> None:
    words = "plan -p ucb-z --profile paper -m wave --turns 60 --json".split()
    assert json.loads(call(*words).stdout)["parameters"] == hs.UCBZ.profile("paper").parameters()


def test_a_seed_is_taken(call: Call) -> None:
    words = "plan -p ucb-z -m wave --turns 60 --json".split()
    assert call(*words, "--seed", "5").stdout == call(*words).stdout


def test_a_threshold_on_the_wrong_scale_gets_a_warning(call: Call) -> None:
    answer = call(*"plan -p ucb-z:z=3000 -m wave --arms 2".split())
    assert answer.code == 0
    assert "z = 3,000 is above every G" in answer.line


def test_a_calendar_of_a_chosen_size(call: Call, traffic: Path, tmp_path: Path) -> None:
    words = ["plan", "-p", "ucb-z", "-m", str(traffic), "--arms", "4"]
    answer = call(*words, "--calendar", "--size", "6x3", "--out", "c.png")
    assert answer.code == 0, answer.stderr
    with Image.open(tmp_path / "c.png") as picture:
        assert picture.size == (1200, 600)
    assert "name its file" in call(*words, "--calendar").line
    assert "WIDTHxHEIGHT" in call(*words, "--size", "big", "--out", "c.png").line
    for rest in ((), ("--out", "c.csv")):
        assert "--size is for a figure" in call(*words, "--size", "6x3", *rest).line
    assert "one turn per day" in call("plan", "-p", "ucb", "--calendar", "--out", "c.png").line
