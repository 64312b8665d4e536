"""The study of timing: equal budgets, other games, and real traffic where there is some."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from studies import StudyOutcome
from studies.timing.run import PAIRS, real_seasons, regret_saved

DATA = Path(__file__).parents[2].parent / "shared" / "data"


def test_it_answers_for_every_regulated_policy(timing_report: StudyOutcome) -> None:
    answers = pd.read_csv(timing_report.page.parent / "answers.csv").set_index("policy")
    assert answers.against.to_dict() == PAIRS
    assert (answers.seasons == 9).all()
    assert len(timing_report.findings) == 3
    assert "Real traffic was left out" in timing_report.findings[-1]
    text = timing_report.page.read_text(encoding="utf-8")
    for policy, base in PAIRS.items():
        assert f"{policy} against {base}" in text
    assert "leeds_footfall_hourly.csv.gz: no --data was given" in text


def test_text_and_table_give_one_number_with_one_sign(timing_report: StudyOutcome) -> None:
    answers = pd.read_csv(timing_report.page.parent / "answers.csv")
    text = timing_report.page.read_text(encoding="utf-8")
    for saved in answers.regret_saved:
        number = f"{100 * saved:+.1f}"
        assert f"regret saved {number}" in text
        assert f">{number}%<" in text


def test_every_season_and_policy_has_its_numbers(timing_report: StudyOutcome) -> None:
    numbers = pd.read_csv(timing_report.page.parent / "numbers.csv")
    assert len(numbers) == 9 * 8
    assert numbers.groupby("season").seed.nunique().eq(1).all()
    assert numbers.seed.nunique() == numbers.season.nunique() == 9


def test_gains_are_against_the_same_rule() -> None:
    import highseason as hs

    players = {"ucb": hs.UCB(), "ucb-z": hs.UCBZ(z=30)}
    G = hs.multipliers.christmas(100)
    result = hs.simulate(players, hs.rewards.bernoulli(arms=5), G, games=100)
    gain, saved = result.gain("ucb-z", "ucb"), regret_saved(result, "ucb-z", "ucb")
    assert gain.value == result.mean("reward", 1) / result.mean("reward", 0) - 1
    assert saved.value == pytest.approx(1 - result.mean("regret", 1) / result.mean("regret", 0))
    assert saved.low < saved.value < saved.high


def test_a_folder_without_the_files_is_reported(tmp_path: Path) -> None:
    seasons, missing = real_seasons(tmp_path)
    assert seasons == []
    assert len(missing) == 2
    assert "not in the folder" in missing[0]


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data: {DATA} does not exist")
def test_real_seasons() -> None:
    seasons, missing = real_seasons(DATA)
    assert missing == []
    found = {season.id: season.G for season in seasons}
    assert found["leeds-christmas-hours"].values.max() == 19820
    assert found["leeds-days"].turns == pytest.approx(365, abs=13)
    assert found["shop-hours"].values.min() >= 1
