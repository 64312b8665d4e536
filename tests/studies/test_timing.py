"""The study of timing: equal budgets, other games, and real traffic where there is some."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from highseason.studies.study import Outcome
from highseason.studies.timing import run, settings
from highseason.studies.timing.analysis import regret_saved, reward_gain

DATA = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run(tmp_path_factory.mktemp("timing"), quick=True, seed=2)


def test_it_answers_for_every_regulated_policy(report: Outcome) -> None:
    for policy, base in settings.PAIRS.items():
        assert any(line.startswith(f"{policy} against {base}") for line in report.findings)
    assert "left out" in report.findings[-1]
    text = report.page.read_text(encoding="utf-8")
    assert "leeds_footfall_hourly.csv.gz: no --data was given" in text


def test_every_season_and_policy_has_its_numbers(report: Outcome) -> None:
    with (report.page.parent / "numbers.csv").open(encoding="utf-8", newline="") as file:
        numbers = list(csv.DictReader(file))
    assert len(numbers) == 9 * 8
    seeds = {row["season"]: row["seed"] for row in numbers}
    assert len(set(seeds.values())) == len(seeds) == 9


def test_gains_are_against_the_same_rule() -> None:
    import highseason as hs

    players = {"ucb": hs.UCB(), "ucb-z": hs.UCBZ(z=30)}
    G = hs.multipliers.christmas(100)
    result = hs.simulate(players, hs.rewards.bernoulli(arms=5), G, games=100)
    gain, saved = reward_gain(result, "ucb-z"), regret_saved(result, "ucb-z")
    assert gain.value == result.mean("reward", 1) / result.mean("reward", 0) - 1
    assert saved.value == pytest.approx(1 - result.mean("regret", 1) / result.mean("regret", 0))
    assert saved.low < saved.value < saved.high


def test_a_folder_without_the_files_is_told(tmp_path: Path) -> None:
    seasons, missing = settings.real(tmp_path)
    assert seasons == []
    assert len(missing) == 2
    assert "not in the folder" in missing[0]


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data: {DATA} does not exist")
def test_real_seasons() -> None:
    seasons, missing = settings.real(DATA)
    assert missing == []
    found = {season.id: season.G for season in seasons}
    assert found["leeds-christmas-hours"].values.max() == 19820
    assert found["leeds-days"].turns == pytest.approx(365, abs=13)
    assert found["shop-hours"].values.min() >= 1
