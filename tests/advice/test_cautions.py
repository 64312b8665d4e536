"""Each case for caution is reported, and a healthy season is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import highseason as hs
from highseason.advice.cautions import cautions, greedy_is_as_good

T = np.arange(400)

CASES = {
    "high-early": (np.where(T < 200, 1000.0, 1.0), 10, "G is high early"),
    "no-low-turns": (100.0 + T % 7, 10, "no quiet turns"),
    "few-low-turns": (np.where(T > 394, 1.0, 40.0), 10, "5 quiet turns for 10 arms"),
    "nothing-to-learn": (np.linspace(1, 9, 20), 20, "20 turns for 20 arms"),
}


@pytest.mark.parametrize("code", CASES)
def test_it_is_reported_in_plain_words(code: str) -> None:
    values, arms, words = CASES[code]
    (text,) = [one.text for one in cautions(hs.traffic.from_values(values), arms)
               if one.code == code]  # fmt: skip
    assert words in text


@pytest.mark.parametrize("shape", ["wave", "christmas", "sine"])
def test_a_healthy_season_gives_no_alarm(shape: str) -> None:
    assert cautions(hs.traffic.as_multiplier(shape, turns=500), arms=10) == []


def test_short_and_long_horizons_differ() -> None:
    assert greedy_is_as_good(100, 25).code == "short-horizon"
    assert greedy_is_as_good(100_000, 2).code == "greedy-as-good"


def test_the_guide_explains_every_code() -> None:
    guide = Path(__file__).parents[2] / "docs/guides/advise.md"
    begun = guide.read_text(encoding="utf-8").partition("| code | meaning |")[2]
    table = begun.partition("\n\n")[0]
    rows = [row.split("|")[1] for row in table.splitlines()[2:]]
    explained = {code.strip("` ") for row in rows for code in row.split(",")}
    assert explained == {*CASES, "short-horizon", "greedy-as-good"}


def test_the_borders_are_where_they_are_said_to_be() -> None:
    assert greedy_is_as_good(50 * 4, 4).code == "short-horizon"
    assert greedy_is_as_good(50 * 4 + 1, 4).code == "greedy-as-good"
    for quiet, codes in ((0, ["no-low-turns"]), (1, ["few-low-turns"]), (4, [])):
        values = np.full(100, 10.0)
        values[20 : 20 + quiet] = 1.0
        assert [c.code for c in cautions(hs.traffic.from_values(values), arms=4)] == codes
    for early, codes in ((14.0, []), (16.0, ["high-early"])):  # against a mean of 9.4 and 9.6
        values = np.concatenate([np.full(10, early), np.tile([4.0, 13.8], 45)])
        assert [c.code for c in cautions(hs.traffic.from_values(values), arms=4)] == codes
