"""When regulating pays: the settings of the map, their traits, and rules judged on unseen ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from studies import STUDIES, StudyOutcome, reproduce
from studies.frames import where
from studies.meets.settings import counted, shape_of
from studies.pays import rules
from studies.pays.run import PAIRS, PAPER
from studies.pays.settings import FULL, LEVELS, Traits, map_settings


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    return reproduce(STUDIES["pays"], tmp_path_factory.mktemp("pays"), quick=True, workers=1)


def test_every_pair_is_compared_in_every_setting(report: StudyOutcome) -> None:
    gains = pd.read_csv(report.page.parent / "gains.csv")
    assert (gains.groupby("setting").size() == len(PAIRS) + 1).all()
    assert set(gains.part) == {"fitted", "unseen"}
    assert (gains.gain_low <= gains.gain).all()
    four = where(gains, policy=("ucb-z", "soft-ucb", "epsilon-z", "soft-epsilon"))
    mean = where(gains, policy=PAPER).set_index("setting").gain
    np.testing.assert_allclose(four.groupby("setting").gain.mean().sort_index(), mean.sort_index())
    text = report.page.read_text(encoding="utf-8")
    assert "gain ≈" in text
    assert "Real traffic was left out: no --data with real traffic" in text


def test_unseen_settings_have_other_levels() -> None:
    unseen = LEVELS["fresh"]
    for fitted in (LEVELS["fitted"], LEVELS["unseen"]):
        for name in ("rates", "visitors", "arms", "turns_per_arm"):
            assert not set(getattr(fitted, name)) & set(getattr(unseen, name))
        assert set(fitted.rhos) & set(unseen.rhos) == {0.0}
    counts = FULL.settings
    everywhere = [m.id for part, count in counts.items() for m in map_settings(part, count)]
    assert len(set(everywhere)) == sum(counts.values())


def test_traits_are_those_of_the_setting() -> None:
    G = shape_of("step", 100)
    traits = Traits.of(counted("fitted", "x", G, 5, "0.03+-0.003", 500, 0.002))
    prior = 0.03 * 0.97 / 0.003**2
    effective = 500 / (1 + 499 * 0.002)
    assert traits.tells == pytest.approx(effective / prior)
    assert traits.load == pytest.approx(5 / 100 * (1 + 0.3 * prior / effective))
    assert traits.varies == pytest.approx((1 + 0.3 * prior * 0.002) / (1 + 0.3 * prior / effective))
    assert traits.peakiness == pytest.approx(1 - 1 / G.values.mean())
    early = Traits.of(next(m for m in map_settings("fitted", 60) if m.G.name == "early-50"))
    assert early.position < 0.3


def _settings(count: int, seed: int) -> pd.DataFrame:
    """Settings in which regulating gains 1% where a turn tells much and G has peaks."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.uniform(0, 1, count) for name in Traits._fields})
    frame["turns_per_arm"] *= 60
    frame["regret"] = rng.uniform(0, 0.1, count)
    pays = (frame.tells >= 0.3) & (frame.peakiness >= 0.5)
    frame["gain"] = np.where(pays, 0.01, 0.0) + rng.normal(0, 0.001, count)
    frame["gain_se"] = 0.001
    return frame.assign(gain_low=frame.gain - 0.002, gain_high=frame.gain + 0.002)


def test_a_checklist_finds_what_regulating_depends_on() -> None:
    fitted, unseen = _settings(150, seed=1), _settings(80, seed=2)
    found = rules.FittedRule.on(fitted)
    assert str(found.checklists[0.003]).startswith("tells ≥ 0.3 and peakiness ≥ 0.5")
    judged = {row["rule"]: row for row in rules.judged(unseen, found, 0.003)}
    assert judged["checklist"]["net"] > 0.9 * (unseen.gain - 0.003).clip(lower=0).mean()
    assert judged["checklist"]["right"] > judged["always no"]["right"]
    assert judged["always no"]["net"] == 0
    assert judged["always yes"]["yes"] == 80


@pytest.mark.parametrize("k", [5.0, None])
def test_a_formula_is_recovered(k: float | None) -> None:
    traits = _settings(200, seed=3)
    truth = rules.Formula(0.5, 2, 0.5, 1, k)
    known = traits.assign(gain=truth.predict(traits))
    fitted = rules.fit_formula(known) if k else rules.fit_formula(known, (None,))
    assert (fitted.b, fitted.c, fitted.d, fitted.k) == (2, 0.5, 1, k)
    assert fitted.factor == pytest.approx(0.5)
    groups = rules.calibration(known, fitted.predict(traits))
    assert [row["settings"] for row in groups] == [40] * 5
    assert all(row["predicted"] == pytest.approx(row["measured"]) for row in groups)
