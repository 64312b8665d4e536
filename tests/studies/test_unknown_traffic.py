"""The study of an unknown G: its numbers, its verdicts and its page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import highseason as hs
from studies import STUDIES, StudyReport, reproduce
from studies.simulated.settings import SHAPES, SimulatedSetting
from studies.unknown_traffic.findings import judge
from studies.unknown_traffic.run import CELLS, ESTIMATORS


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> StudyReport:
    out = tmp_path_factory.mktemp("unknown")
    return reproduce(STUDIES["unknown_traffic"], out, games=400, seed=3, quick=True, workers=1)


@pytest.fixture(scope="module")
def changes(report: StudyReport) -> pd.DataFrame:
    return pd.read_csv(report.page.parent / "changes.csv")


@pytest.mark.parametrize(
    ("multiplier", "policy", "percent"),
    [
        ("wave", "epsilon-z", -33),
        ("step", "epsilon-z", -42),
        ("wave", "soft-epsilon", -42),
        ("christmas", "soft-epsilon", -19),
        ("step", "ucb-z", -27),
    ],
)
def test_the_simple_average_costs_what_was_measured_before(
    changes: pd.DataFrame, multiplier: str, policy: str, percent: float
) -> None:
    cell = changes[(changes.multiplier == multiplier) & (changes.policy == policy)]
    (row,) = cell[cell.estimator == "simple average"].to_dict("records")
    assert 100 * row["reward"] == pytest.approx(percent, abs=2.5)
    assert row["regret"] > 0


def test_the_random_walk_is_harmless(changes: pd.DataFrame) -> None:
    walk = changes[changes.estimator == "random walk"]
    assert len(walk) == 15
    assert (walk.reward.abs() < 0.02).all()


def test_verdicts(changes: pd.DataFrame) -> None:
    claims = judge(changes).set_index("claim")
    assert claims.verdict["The simple average is harmless."] == "not reproduced"
    assert claims.verdict.iloc[0] == "not reproduced"
    walk = claims[claims.estimator == "random walk"]
    assert walk.verdict.tolist() == ["holds"]
    assert len(claims) == 2 + len(ESTIMATORS)
    assert all(text[0].isupper() or text[0].isdigit() for text in claims.evidence)


def test_the_page_and_its_files(report: StudyReport, changes: pd.DataFrame) -> None:
    page = report.page.read_text(encoding="utf-8")
    assert "not judged" in page  # a quick sweep
    assert "<strong>Like Figure 65.</strong>" in page
    for cell in (SimulatedSetting(*c, 25, 500) for c in CELLS[:3]):
        assert (report.page.parent / f"figures/{cell.id}.svg").is_file()
    assert all(file.is_file() for file in report.files)
    assert len(changes) == 3 * 5 * 6
    assert len(report.findings) <= 3


def test_it_takes_one_profile(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="takes one profile"):
        reproduce(
            STUDIES["unknown_traffic"], tmp_path, profiles=["paper", "authors_code"], workers=1
        )


@pytest.mark.usefixtures("undrawn")
def test_other_sizes_and_own_policies(tmp_path: Path) -> None:
    own = {"mine": hs.Greedy()}
    how = {"quick": True, "games": 2, "workers": 1, "arms": 4, "turns": 60}
    report = reproduce(STUDIES["unknown_traffic"], tmp_path, policies=own, **how)
    changes = pd.read_csv(report.page.parent / "changes.csv")
    assert set(changes.cell) == {f"bernoulli-{s}-4-arms-60-turns" for s in SHAPES}
    assert "mine" in set(changes.policy)
    assert "--policy mine --arms 4 --turns 60" in report.page.read_text(encoding="utf-8")
