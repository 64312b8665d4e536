"""When regulating pays: the settings of the map, their traits, and a rule judged on unseen ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from studies import STUDIES, StudyReport, reproduce
from studies.frames import where
from studies.vs_option_index.settings import counted, shape_of
from studies.when_it_pays import rule
from studies.when_it_pays.run import PAIRS, PAPER
from studies.when_it_pays.settings import FULL, LEVELS, Traits, map_settings


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> StudyReport:
    return reproduce(
        STUDIES["when_it_pays"], tmp_path_factory.mktemp("pays"), quick=True, workers=1
    )


def test_every_pair_is_compared_in_every_setting(report: StudyReport) -> None:
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


def _settings(count: int) -> pd.DataFrame:
    """Settings in which regulating gains what the rule says, but for a little noise."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({name: rng.uniform(0, 1, count) for name in Traits._fields})
    frame["gain"] = rule.predicted(frame) + rng.normal(0, 1e-4, count)
    frame["gain_se"] = 1e-4
    return frame.assign(gain_low=frame.gain - 2e-4, gain_high=frame.gain + 2e-4)


def test_the_rule_is_judged_beside_rules_that_know_nothing() -> None:
    settings = _settings(80)
    judged = {row["rule"]: row for row in rule.judged(settings, 0.01)}
    assert judged["formula"]["right"] > 0.95
    assert judged["formula"]["net"] > 0.95 * (settings.gain - 0.01).clip(lower=0).mean()
    assert judged["always no"]["net"] == 0
    assert judged["always yes"]["yes"] == 80
    assert judged["always no"]["right"] + judged["always yes"]["right"] == pytest.approx(1)
    groups = rule.calibration(settings)
    assert [row["settings"] for row in groups] == [16] * 5
    assert all(row["predicted"] == pytest.approx(row["measured"], abs=1e-4) for row in groups)


def test_the_rule_is_that_of_the_guide() -> None:
    setting = pd.DataFrame([{"spread": 1 / 3, "load": 0.1, "peakiness": 0.81, "position": 0.5}])
    expected = 2.2 / 3 * 0.1 / (1 + 20 * 0.1) * 0.81**0.5 * (1 - 0.5) ** 2
    assert rule.predicted(setting)[0] == pytest.approx(expected)
