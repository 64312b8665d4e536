"""The study of an unknown G: its numbers, its verdicts and its page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from highseason.studies.unknown import legacy
from highseason.studies.unknown.analysis import Change, verdicts
from highseason.studies.unknown.run import play_cell
from highseason.studies.unknown.settings import CELLS, ESTIMATORS, policies


@pytest.fixture(scope="module")
def changes() -> list[Change]:
    return [c for cell in CELLS[:3] for c in play_cell(cell, policies(None), 400, seed=3)]


@pytest.mark.parametrize(
    ("multiplier", "policy", "percent"),
    [
        ("wave", "epsilon-z", -33),
        ("step", "epsilon-z", -46),
        ("wave", "soft-epsilon", -42),
        ("christmas", "soft-epsilon", -19),
        ("step", "ucb-z", -27),
    ],
)
def test_the_simple_average_costs_what_was_measured_before(
    changes: list[Change], multiplier: str, policy: str, percent: float
) -> None:
    wanted = (multiplier, policy, "simple average")
    (found,) = [c for c in changes if (c.multiplier, c.policy, c.estimator) == wanted]
    assert 100 * found.reward.value == pytest.approx(percent, abs=2.5)
    assert found.regret.value > 0


def test_the_random_walk_is_harmless(changes: list[Change]) -> None:
    mine = [c for c in changes if c.estimator == "random walk"]
    assert len(mine) == 15
    assert all(abs(c.reward.value) < 0.02 for c in mine)


def test_verdicts(changes: list[Change]) -> None:
    told = {verdict.claim: verdict.holds for verdict in verdicts(changes)}
    assert told["The simple average is harmless"] is False
    assert told["Estimating G by the random walk makes no difference that matters"] is True
    assert next(iter(told.values())) is False
    assert len(told) == 2 + len(ESTIMATORS)


def test_the_page_and_its_files(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    told = legacy(tmp_path, 3, 1, True, (), lambda *done: seen.append(done))
    assert seen[-1] == (6, 6)
    page = told.page.read_text()
    assert "does not hold" in page
    assert "data:image/" in page
    for file in told.files:
        assert file.is_file()
    stored = json.loads((tmp_path / "unknown.json").read_text())
    assert len(stored["cells"]) == 3 * 5 * 6
