"""Every policy meets: who takes part, who is judged on what, and what the page says."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.studies.conftest import sparsely_drawn, write_archive

import highseason as hs
from highseason.engine import Estimate
from studies import STUDIES, StudyReport, reproduce
from studies.crossfit import crossfit, geometric_mean
from studies.frames import where
from studies.paper import SAME_RULE
from studies.vs_option_index.entrants import (
    COUNTING,
    ENTRANTS,
    OPTION,
    TWIN,
    UNTUNED,
    entrants_of,
    lineup,
)
from studies.vs_option_index.findings import goals
from studies.vs_option_index.run import BEST, BEST_OF_ALL, Met
from studies.vs_option_index.settings import (
    all_settings,
    real_seasons,
    traffic_settings,
    visitors_settings,
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> StudyReport:
    """All parts; page views of a year and a half serve as real traffic."""
    data = write_archive(tmp_path_factory.mktemp("data"), days=540)
    return sparsely_drawn("vs_option_index", tmp_path_factory.mktemp("meets"), data=data)


@pytest.fixture(scope="module")
def ratios(report: StudyReport) -> pd.DataFrame:
    return pd.read_csv(report.page.parent / "ratios.csv")


def test_everyone_meets_the_option_index_in_every_setting(ratios: pd.DataFrame) -> None:
    assert set(ratios.world) == set(STUDIES["vs_option_index"].parts)
    for _, rows in where(ratios, tuned=True).groupby("setting"):
        assert {each.label for each in ENTRANTS if each.label != OPTION} <= set(rows.rival)
        assert {BEST, BEST_OF_ALL} <= set(rows.rival)
    np.testing.assert_allclose(ratios.ratio, ratios.option_regret / ratios.rival_regret, rtol=1e-12)
    assert (ratios.ratio_low <= ratios.ratio).all()
    assert (ratios.ratio <= ratios.ratio_high).all()
    counting = ratios.rival.str.endswith(COUNTING)
    assert set(ratios.world[counting]) == {"visitors", "traffic", "decks"}
    made_for_them = {"soft-ucb-mortal", "ucb-l", "ucb-l, by age"}
    assert made_for_them <= set(where(ratios, world="mortal").rival)
    assert not made_for_them & set(ratios.rival[ratios.world != "mortal"])


def test_textbook_policies_meet_their_regulated_selves(report: StudyReport) -> None:
    pairs = pd.read_csv(report.page.parent / "regulated.csv")
    for name in ("thompson", "kl-ucb", "constant-epsilon"):
        for how in ("threshold", "soft", "ahead"):
            rows = where(pairs, policy=f"{name}, {how}")
            assert set(rows.against) == {name}
            assert rows.setting.nunique() == pairs.setting.nunique()
            assert (rows.ratio_low <= rows.ratio).all()


def test_regulated_policies_meet_the_same_rule_equally_tuned(report: StudyReport) -> None:
    pairs = where(pd.read_csv(report.page.parent / "pairs.csv"), world="timing")
    tuned = pairs[~pairs.policy.str.endswith(UNTUNED)].set_index("policy")
    assert SAME_RULE.items() <= tuned.against.to_dict().items()
    regulated = where(pd.read_csv(report.page.parent / "regulated.csv"), world="timing")
    for policy, rows in where(regulated, policy=SAME_RULE).groupby("policy"):
        assert tuned.gain[policy] == pytest.approx(rows.gain.mean())
        assert tuned.gain_low[policy] < tuned.gain[policy] < tuned.gain_high[policy]
        assert tuned["mean"][policy] == pytest.approx(np.exp(np.log(rows.ratio).mean()))


def test_forecasts_cost_something_everyone_is_asked(report: StudyReport) -> None:
    rows = pd.read_csv(report.page.parent / "forecasts.csv")
    assert set(rows.world) == {"traffic"}
    for _, group in rows.groupby("setting"):
        assert {OPTION, "soft-ucb", "thompson", TWIN} <= set(group.policy)
    twin = rows[rows.policy.isin([TWIN, "greedy"])]
    assert (twin.lost == 0).all()  # they do not look at G
    assert (rows.lost != 0).any()


@pytest.mark.usefixtures("undrawn")
def test_a_part_is_played_alone(report: StudyReport, tmp_path: Path) -> None:
    """Its pieces are those of the whole; what needs data that is not there is left out."""
    out = tmp_path / "alone"
    shutil.copytree(report.page.parent / "runs", out / "runs")
    study = STUDIES["vs_option_index"]
    alone = reproduce(study, out, quick=True, workers=1, parts=["decks", "mortal"])
    assert alone.reused == 6
    assert "decks" not in set(pd.read_csv(out / "ratios.csv").world)
    assert "Upworthy's headline tests: no --data was given" in alone.findings[-1]


def test_the_page_states_goals(report: StudyReport) -> None:
    text = report.page.read_text(encoding="utf-8")
    assert "Goals set beforehand" in text
    assert len(report.findings) == 2
    frame = pd.read_csv(report.page.parent / "goals.csv")
    assert len(frame) == 7
    assert all(goal.replace("'", "&#39;") in text for goal in frame.goal)


def test_the_settings_are_those_of_the_paper_and_sixty_with_visitors() -> None:
    everywhere = all_settings(quick=False, data=None)
    counts = pd.Series([meeting.world for meeting in everywhere]).value_counts()
    assert counts.to_dict() == {"paper": 108, "visitors": 60, "mortal": 8, "timing": 9}
    assert len({meeting.id for meeting in everywhere}) == 185


def test_published_constants_are_for_the_settings_of_the_paper_alone() -> None:
    first = all_settings(quick=True, data=None)[0]
    who = lineup(first, 4, entrants_of(first))
    (row,) = who.families["epsilon-greedy" + UNTUNED]
    assert who.policies[row] == hs.EpsilonGreedy(k=14)
    (row,) = who.families[OPTION]  # nothing to tune
    assert who.policies[row] == hs.OptionIndex()
    assert len(who.families["soft-ucb"]) == 4
    counted = next(visitors_settings(quick=True))
    who = lineup(counted, 4, entrants_of(counted))
    assert who.policies[who.families["ucb" + UNTUNED][0]] == hs.UCB(count="turns")
    assert {who.policies[row].count for row in who.families["ucb" + COUNTING]} == {"visitors"}  # type: ignore[attr-defined]
    assert who.policies[who.families[OPTION][0]] == hs.OptionIndex(count="visitors")


def test_the_best_of_several_is_chosen_on_the_other_half() -> None:
    first = all_settings(quick=True, data=None)[0]
    who = lineup(first, 3, entrants_of(first))
    lost = np.full((len(who.policies), 8), 0.5)
    row = who.families["soft-ucb"][1]
    lost[row, 0::2], lost[row, 1::2] = 0.1, 0.9  # good on one half, bad on the other
    met = Met.of(lost, who, seed=0)
    assert row in met.fit.chosen[BEST]
    assert met.fit.means[BEST] == pytest.approx(0.7)  # chosen by luck, and judged without it
    assert met.fit.means[BEST + UNTUNED] == 0.5


def test_errors_contain_the_luck_of_tuning() -> None:
    """Over many sets of games, intervals of a tuned policy's loss cover what it is on average."""
    rng = np.random.default_rng(1)
    truth, covered = np.array([0.30, 0.32, 0.34]), 0
    spread: list[float] = []
    for _ in range(200):
        losses = np.vstack([rng.normal(truth[:, None], 0.2, (3, 60)), rng.normal(0.5, 0.1, 60)])
        fit = crossfit(losses, {"tuned": [0, 1, 2], "other": [3]}, seed=len(spread))
        spread.append(fit.means["tuned"])
        gap = fit.saved("tuned", "other")
        covered += gap.low <= 0.5 - 0.314 <= gap.high
    assert 0.90 <= covered / 200 <= 0.99
    assert 0.30 < np.mean(spread) < 0.33


def test_tuning_on_other_games() -> None:
    tuning = np.array([[0.1, 0.1], [0.3, 0.3], [9.0, 9.0]])
    losses = np.array([[0.5] * 4, [0.2] * 4, [0.4] * 4])
    fit = crossfit(losses, {"tuned": [0, 1], "other": [2]}, tuning=tuning)
    assert fit.chosen["tuned"] == (0, 0)  # the best of the games of tuning, not of these
    assert fit.ratio("tuned", "other").value == pytest.approx(1.25)


def test_a_geometric_mean_is_even_in_factors() -> None:
    mean = geometric_mean([Estimate(0.25, 0.025, 0.2, 0.3), Estimate(1.0, 0.1, 0.8, 1.2)])
    assert mean.value == pytest.approx(0.5)
    assert mean.value / mean.low == pytest.approx(mean.high / mean.value)
    assert mean.error == pytest.approx(0.5 * np.hypot(0.1, 0.1) / 2)


def test_goals_are_judged_by_their_numbers(ratios: pd.DataFrame) -> None:
    good = ratios.assign(ratio=0.4, ratio_low=0.35, ratio_high=0.45, ratio_se=0.02)
    assert {row["reached"] for row in goals(good)} == {"reached"}
    bad = ratios.assign(ratio=1.3, ratio_low=1.2, ratio_high=1.4, ratio_se=0.05)
    assert {row["reached"] for row in goals(bad)} == {"missed"}
    twin = where(good, rival=TWIN)
    assert len(twin) == good.setting.nunique()


DATA = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data: {DATA} does not exist")
def test_real_seasons() -> None:
    found = {name: G for name, G, *_ in real_seasons(DATA)}
    assert found["leeds-christmas-hours"].values.max() == 19820
    assert found["leeds-days"].turns == pytest.approx(365, abs=13)
    assert found["shop-hours"].values.min() >= 1


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data: {DATA} does not exist")
def test_real_traffic_and_headlines(tmp_path: Path) -> None:
    (coins, visitors) = traffic_settings(quick=True, data=DATA)
    assert coins.G.turns == visitors.G.turns == 180
    assert coins.forecast is not None
    assert len(coins.forecast) == 180
