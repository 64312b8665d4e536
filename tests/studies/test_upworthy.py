"""The study on real clicks: its halves, its statistics, its page, and data that is not there."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.studies.conftest import write_archive

from highseason.policies import Policy
from studies import STUDIES, MissingDataError, StudyReport, reproduce
from studies.paper import PAIRS
from studies.session import StudySession
from studies.upworthy.data import (
    TESTS,
    VIEWS,
    Archive,
    big_enough,
    halves,
    quietest_share,
    read,
)
from studies.upworthy.decks import play_decks
from studies.upworthy.findings import left_out, past_the_end
from studies.upworthy.run import FOLDS, Draw, PlayedDraw, tuned
from studies.upworthy.settings import (
    QUICK,
    QUICK_SETTINGS,
    SETTINGS,
    TUNED,
    HeadlineSetting,
    default,
    space,
)

STUDY = STUDIES["upworthy"]
DATA = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files as the archive's."""
    return write_archive(tmp_path_factory.mktemp("archive"), days=140)


@pytest.fixture(scope="module")
def data(folder: Path) -> Archive:
    return read([folder])


@pytest.fixture(scope="module")
def report(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> StudyReport:
    return reproduce(STUDY, tmp_path_factory.mktemp("report"), quick=True, seed=3, files=[folder])


def test_the_files_are_read(folder: Path, data: Archive) -> None:
    assert (data.tests, len(data.decks), data.views.turns) == (11, 10, 140)
    assert data.decks.cards[1, :5].tolist() == [2010] * 5
    assert data.decks.ones[0, :4].tolist() == [20, 27, 34, 41]
    for order in ([TESTS, VIEWS], [VIEWS, TESTS]):
        assert read([folder / name for name in order]).digest == data.digest


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.id)
def test_nothing_is_tuned_on_what_is_reported(
    data: Archive, setting: HeadlineSetting, seed: int
) -> None:
    reported = []
    for fold in FOLDS:
        draw = Draw(data, setting, QUICK, seed)
        tuning, shown = draw.to_tune_on(fold, 2), draw.to_report(fold)
        assert not set(tuning.tests.tolist()) & set(shown.tests.tolist())
        starts = [{str(G.calendar[0]) for G in games.seasons} for games in (tuning, shown)]  # type: ignore[index]
        assert not starts[0] & starts[1]
        assert tuning.seed != shown.seed
        reported += shown.tests.tolist()
    assert sorted(set(reported)) == list(range(10))  # and every test is reported
    assert {tuple(half.tolist()) for half in halves(10, 0)} != {
        tuple(half.tolist()) for half in halves(10, 1)
    }


def test_a_test_starts_on_different_days(data: Archive) -> None:
    games = Draw(data, SETTINGS[0], QUICK, 0).to_report(0)
    for test in set(games.tests.tolist()):
        days = games.season[games.tests == test].tolist()
        assert len(days) == len(set(days)) == QUICK.games


@pytest.mark.parametrize("kind", TUNED, ids=lambda kind: kind.name)
def test_every_policy_may_try_equally_many(kind: type[Policy]) -> None:
    tried = space(kind).candidates(24)
    assert len(set(map(str, tried))) == 24
    assert tried[0] == kind()


def test_a_tuned_policy_loses_least_of_its_candidates(data: Archive, tmp_path: Path) -> None:
    session = StudySession(STUDY, tmp_path, quick=True)
    draw = Draw(data, SETTINGS[2], QUICK, 0)
    winners = tuned(session, draw, fold=0)
    games = draw.to_tune_on(0, QUICK.budget.rounds[-1][1])
    tried = {str(p): p for p in space(TUNED[0]).candidates(QUICK.budget.rounds[0][0])}
    lost = play_decks(tried, games)["regret"].sum(axis=1)
    order = [list(tried)[i] for i in np.argsort(lost)]
    finalists, _ = QUICK.budget.rounds[1]
    assert order.index(str(winners["ucb"])) < finalists


def test_intervals_take_the_games_of_a_test_together(data: Archive) -> None:
    games = Draw(data, SETTINGS[0], QUICK, 0).to_report(0)
    count = len(games)
    rewards = np.vstack([np.arange(count) % 5 + 3.0, np.arange(count) % 3 + 2.0])
    totals = {"reward": rewards, "regret": rewards[::-1] + 0.0}
    players = {"ucb-z": [TUNED[1]()], "ucb": [TUNED[0]()]}
    played = PlayedDraw(SETTINGS[0], games, players, totals)
    twice = PlayedDraw(
        SETTINGS[0],
        replace(games, tests=np.tile(games.tests, 2), season=np.tile(games.season, 2)),
        players,
        {name: np.tile(values, 2) for name, values in totals.items()},
    )
    once, again = (each.gain("reward", "ucb-z", "ucb") for each in (played, twice))
    assert once.value == pytest.approx(rewards[0].sum() / rewards[1].sum() - 1)
    assert again.error == pytest.approx(once.error)  # the same games again are no news
    won, lost = played.won_and_lost("ucb-z", "ucb")
    assert won == 1.0 - lost == 1.0
    assert sum(group.sum() for group in played.groups()) == count
    parts = [played.gain("reward", "ucb-z", "ucb", group).value for group in played.groups()]
    response = played.dose_response("ucb-z", "ucb")
    assert response.value == pytest.approx(parts[-1] - parts[0])


def games_in(data: Archive, season: list[int]) -> PlayedDraw:
    """One game of the first tests each, in these windows, and no policy to play them."""
    games = Draw(data, SETTINGS[0], QUICK, 0).to_report(0)
    chosen = replace(games, tests=np.arange(len(season)), season=np.array(season))
    return PlayedDraw(SETTINGS[0], chosen, {}, {})


def test_groups_hold_the_windows_that_were_played(data: Archive) -> None:
    played = games_in(data, [3, 8, 3, 8, 8, 3, 8])  # two of the twelve
    high = int(played.spreads[8] > played.spreads[3])
    parts = [group.tolist() for group in played.groups()]
    assert parts[high] == [False, True, False, True, True, False, True]
    assert parts[1 - high] == [not here for here in parts[high]]
    assert played.in_all_groups() == 0
    assert games_in(data, [5] * 4).in_all_groups() == 4  # all in the only group


def test_the_page_and_its_numbers(report: StudyReport) -> None:
    text = report.page.read_text(encoding="utf-8")
    assert "A quick sweep" in text
    assert "Matias et al." in text
    for policy, base in PAIRS.items():
        assert f"Clicks of {policy} against {base}" in text
    numbers = pd.read_csv(report.page.parent / "numbers.csv", keep_default_na=False)
    assert len(numbers) == len(QUICK_SETTINGS) * (2 * len(TUNED) + 2)
    for row in numbers.itertuples():
        overdrawn = float(str(row.overdrawn))
        assert overdrawn == 0 if "one-deck" in str(row.setting) else 0 <= overdrawn < 1
        untuned = [str(label).endswith("default") for label in (row.policy, row.against)]
        assert row.against in ("", "greedy") or untuned[0] == untuned[1]
    assert {"greedy", "uniform", "ucb", default("ucb")} <= set(numbers.policy)


def test_the_page_says_what_is_so(report: StudyReport, data: Archive) -> None:
    text = report.page.read_text(encoding="utf-8").replace("&nbsp;", " ")
    assert "other tests and other start days." in text
    assert "10 of 11 tests have 4 arms or more, and all of them are played." in text
    tuning, reported = (
        {day for start in starts.tolist() for day in range(start, start + 28)}
        for starts in Draw(data, SETTINGS[0], QUICK, 3).start_days()
    )
    share = 100 * len(tuning & reported) / len(reported)
    assert share > 0
    assert f"in windows to report, {share:.0f}% (4 weeks) also lie in a window to tune on" in text
    # Four games cannot be in five groups.
    assert "of 10 tests, those with games in every group number 0 (4 weeks)." in text
    assert "in all other tests both have the same." in text
    assert "nan" not in re.sub(r'src="data:[^"]*"', "", text)
    assert not re.search(r">[+-]0\.0+%<", text)


def test_reshuffled_cards_are_reported_where_there_are_any() -> None:
    def numbers(**overdrawn: float) -> pd.DataFrame:
        rows = [{"title": t, "policy": "ucb", "overdrawn": share} for t, share in overdrawn.items()]
        return pd.DataFrame(rows)

    start = "Cards dealt after a deck was used up and reshuffled: "
    each = "under 1% (ucb) to under 1% (ucb) in a"
    assert past_the_end(numbers(a=0.001)) == f"{start}{each}."
    assert past_the_end(numbers(b=0.0, a=0.001)) == f"{start}{each}; none in 1 other setting."
    assert past_the_end(numbers(b=0.0, c=0.0)) == f"{start}none in 2 settings."


@pytest.mark.usefixtures("undrawn")
def test_the_same_seed_gives_the_same_numbers(
    folder: Path, report: StudyReport, tmp_path: Path
) -> None:
    again = reproduce(STUDY, tmp_path, quick=True, seed=3, workers=1, files=[folder])
    for name in ("numbers.csv", "doses.csv"):
        mine, theirs = (each.page.parent / name for each in (again, report))
        assert mine.read_bytes() == theirs.read_bytes()
    resumed = reproduce(STUDY, tmp_path, quick=True, seed=3, workers=1, files=[folder])
    assert resumed.reused == 2 * len(QUICK_SETTINGS)


def test_without_the_files_it_says_what_to_give(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(MissingDataError, match=r"--upworthy FOLDER.*Matias et al"):
        reproduce(STUDY, tmp_path, quick=True, workers=1)
    with pytest.raises(MissingDataError, match=f"no {TESTS} and no {VIEWS}"):
        read([tmp_path])
    with pytest.raises(MissingDataError, match="one folder, or twice a file"):
        read([folder / TESTS])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("id,impressions,clicks\na,1,1", "expected test_id"),
        ("test_id,impressions,clicks\na,100,3\na,10,11", "line 3.*11 clicks of 10"),
        ("test_id,impressions,clicks\na,0,0", "line 2.*at least one impression"),
        ("test_id,impressions,clicks\na,ten,0", "line 2.*'ten' is not a count"),
        ("test_id,impressions,clicks\na,10.5,0", "line 2.*'10.5' is not a count"),
        ("test_id,impressions,clicks\na,10,1\na,10,2", "no test with 4 arms"),
    ],
)
def test_wrong_files_are_reported(tmp_path: Path, folder: Path, rows: str, message: str) -> None:
    path = tmp_path / "tests.csv"
    path.write_text(rows + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read([path, folder / VIEWS])


def archive(folder: Path, days: int, small: int = 0, sizes: int = 2000) -> Path:
    """Six tests of this size and some of 5 impressions an arm, and so many days of page views."""
    folder.mkdir()
    rows = ["test_id,impressions,clicks"]
    rows += [f"t{test},{sizes},{20 + arm}" for test in range(6) for arm in range(4)]
    rows += [f"small{test},5,1" for test in range(small) for _ in range(4)]
    with gzip.open(folder / TESTS, "wt", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")
    dates = np.datetime64("2013-01-01") + np.arange(days)
    views = ["date,pageviews", *(f"{day},{1000 + i}" for i, day in enumerate(dates))]
    (folder / VIEWS).write_text("\n".join(views) + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(("days", "quick"), [(19, True), (37, True), (100, False), (127, False)])
def test_page_views_of_too_few_days_are_reported_before_any_work(
    tmp_path: Path, days: int, quick: bool
) -> None:
    short = archive(tmp_path / "short", days)
    needed = 28 + 6 + 4 if quick else 84 + 40 + 4
    with pytest.raises(MissingDataError, match=f"cover {days} days; {needed} are needed for"):
        reproduce(STUDY, tmp_path / "report", quick=quick, workers=1, files=[short])
    assert not (tmp_path / "report").exists()


@pytest.mark.usefixtures("undrawn")
def test_page_views_of_just_enough_days_are_played(tmp_path: Path) -> None:
    short = archive(tmp_path / "short", 38)
    done = reproduce(STUDY, tmp_path / "report", quick=True, workers=1, files=[short])
    assert "4 of 5 start days" in done.findings[0]


@pytest.mark.usefixtures("undrawn")
def test_small_tests_are_left_out_counted_and_named(tmp_path: Path) -> None:
    one = archive(tmp_path / "one", 60, small=1)
    done = reproduce(STUDY, tmp_path / "a", quick=True, workers=1, files=[one])
    assert done.findings[0].startswith("6 tests")
    line = "Left out, having too few impressions for a card on every day: 1 test (small0)."
    assert done.findings[-1] == line
    text = done.page.read_text(encoding="utf-8")
    assert line in text
    assert "7 of 7 tests have 4 arms or more; 6 of them are played." in text
    many = big_enough(read([archive(tmp_path / "many", 60, small=14)]), QUICK_SETTINGS)
    assert (many.tests, len(many.decks), len(many.too_small)) == (20, 6, 14)
    assert "14 tests (small0, small1," in left_out(many.too_small)[0]
    assert left_out(many.too_small)[0].endswith("small9 and 4 more).")
    none = archive(tmp_path / "none", 60, sizes=25)
    with pytest.raises(ValueError, match="0 of 6 tests have cards for every day of 28"):
        reproduce(STUDY, tmp_path / "b", quick=True, workers=1, files=[none])


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.id)
def test_what_is_left_can_be_played_in_every_window(
    data: Archive, setting: HeadlineSetting
) -> None:
    share = quietest_share(data.views.values, setting)
    starts = range(1, data.views.turns - setting.days + 2)
    seasons = [data.views.window(start, start + setting.days - 1) for start in starts]
    assert share == pytest.approx(
        1 / setting.days if setting.even else min(G.values.min() / G.values.sum() for G in seasons)
    )
    one = Draw(data, setting, QUICK, 0).to_report(0)
    replace(one, seasons=seasons, cards=np.full(len(data.decks), int(1 / share) + 1))
    with pytest.raises(ValueError, match="cards are too few"):
        replace(one, seasons=seasons, cards=np.full(len(data.decks), 0.98 / share))


@pytest.mark.realdata
@pytest.mark.usefixtures("undrawn")
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data: {DATA} does not exist")
def test_on_the_archive(tmp_path: Path) -> None:
    given = read([DATA])
    assert (given.tests, len(given.decks), given.views.turns) == (1927, 1812, 850)
    assert big_enough(given, SETTINGS).too_small == ()
    done = reproduce(STUDY, tmp_path, quick=True, workers=1, files=[DATA])
    assert done.findings[0].startswith("80 tests")
    page = done.page.read_text(encoding="utf-8")
    assert "1,812 of 1,927 tests have 4 arms or more; 80 of them are played." in page
    numbers = pd.read_csv(tmp_path / "numbers.csv")
    shares = numbers[numbers.setting == "four-weeks"].set_index("policy").expected_share
    # Uniform play gets the mean of the arms, three quarters of the best; UCB's default P is lost.
    uniform, untuned, tuned = (shares[policy] for policy in ("uniform", default("ucb"), "ucb"))
    assert uniform == pytest.approx(0.77, abs=0.03)
    assert abs(untuned - uniform) < 0.03
    assert tuned > uniform + 0.1
