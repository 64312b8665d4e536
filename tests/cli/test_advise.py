"""`highseason advise`: words for people, JSON for programs, a picture or a page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import highseason as hs

Call = Callable[..., Any]
USUAL = "advise -m wave --turns 40 --arms 3 --games 20 --seed 2".split()


@pytest.mark.usefixtures("quick_advice")
def test_json_is_the_librarys_advice(call: Call, tmp_path: Path) -> None:
    answer = call(*USUAL, "--json", "--out", "new/advice.png")
    assert (answer.code, answer.stderr) == (0, "")
    document = json.loads(answer.stdout)
    advice = hs.advise(hs.traffic.wave(turns=40), 3, games=20, seed=2)
    assert document["policy"] == str(advice.policy)
    assert document["earned_share"] == advice.comparison.chosen.earned
    assert document["rewards"] == "bernoulli"
    assert document["files"] == ["new/advice.png"]
    assert (tmp_path / "new/advice.png").read_bytes().startswith(b"\x89PNG")
    assert len(document["compared"]) == len(advice.comparison.compared)
    assert document["bounds"] is None


@pytest.mark.usefixtures("quick_advice")
def test_words_come_verdict_first(call: Call) -> None:
    answer = call(*USUAL, "--bounds")
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.stdout.startswith("Use ")
    for words in ("Assumed: the paper's world", "What to do next:", "afe bound", "--turns 40"):
        assert words in answer.stdout


@pytest.mark.usefixtures("quick_advice")
def test_a_file_counts_visitors_and_rates_are_fitted_to_a_history(
    call: Call, traffic: Path, tmp_path: Path
) -> None:
    words = ["advise", "-m", str(traffic), "--turns", "20", "--arms", "2", "--games", "20"]
    answer = call(*words, "--rates", "2%..4%", "--rho", "0.01", "--out", "advice.html", "--json")
    known = json.loads(answer.stdout)
    assert (known["rates"], known["rho"], known["turns"]) == ("2% to 4%", 0.01, 20)
    assert "What to do next" in (tmp_path / "advice.html").read_text(encoding="utf-8")
    rng = np.random.default_rng(1)
    rows = [f"{t},{arm},{rng.binomial(900, 0.03)},900" for t in range(30) for arm in "ab"]
    (tmp_path / "past.csv").write_text("\n".join(["turn,arm,successes,visitors", *rows]) + "\n")
    fitted = json.loads(call(*words, "--history", "past.csv", "--json").stdout)
    assert fitted["rewards"].startswith("visitors")
    assert fitted["rho"] < 0.01


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("advise --arms 1", "at least 2"),
        ("advise --gap 0", "above 0"),
        ("advise --gap 2", "at most 1"),
        ("advise --rates 1..0", "rising"),
        ("advise --rates 1", "not a number"),
        ("advise --rho 2", "from 0 to 1"),
        ("advise --rho 0.1", "no meaning"),
        ("advise --history past.csv --rho 0.1", "leave those out"),
        ("advise --games 1", "at least 2"),
        ("advise --seed -1", "seed"),
        ("advise -m no.csv", "check the path"),
        ("advise --out x.jpg", ".html"),
    ],
)
def test_asked_wrongly(line: str, problem: str, call: Call) -> None:
    answer = call(*line.split(), "--json")
    assert (answer.code, answer.stdout) == (2, "")
    assert problem in answer.line


@pytest.mark.usefixtures("quick_advice")
def test_the_dates_of_a_history_are_told_beside_a_shape_too(call: Call, tmp_path: Path) -> None:
    days = [f"0{i}/0{month}/2024" for month in (1, 2) for i in range(1, 7)]
    rows = [f"{day},{'ab'[i % 2]},500,{9 + 5 * i % 7}" for i, day in enumerate(days)]
    (tmp_path / "past.csv").write_text("\n".join(["date,arm,visitors,orders", *rows]) + "\n")
    words = ["advise", "-m", "wave", "--turns", "12", "--arms", "2", "--games", "2"]
    asked = call(*words, "--history", "past.csv")
    assert asked.code == 2
    assert "pass --dates 'dmy' or --dates 'mdy'" in asked.line
    told = call(*words, "--history", "past.csv", "--dates", "dmy")
    assert told.code == 0, told.stderr
    assert "--dates" not in told.stdout  # no part of the traffic
    assert call(*words, "--dates", "dmy").code == 2
