"""The study on logged clicks: it says what its log is, holds the paper's numbers, plays fair."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from highseason.logs import compare, write_events
from studies import STUDIES, StudyReport, reproduce
from studies.logged.data import (
    Dataset,
    StudiedLog,
    fixed_datasets,
    longest,
    published,
    read,
    whole,
    with_shuffled_G,
)
from studies.logged.generate import generate_events, generate_log
from studies.logged.replays import published_windows, spread_windows
from studies.logged.run import as_estimate
from studies.logged.settings import (
    BESIDE,
    EPSILON,
    MORTAL,
    OURS,
    POOL_OF_THE_CODE,
    PUBLISHED_SLICE,
    QUICK,
    STALE,
    TABLES,
    UCBS,
    PaperTable,
    contest,
    space,
    with_threshold,
)

STUDY = STUDIES["logged"]
STEPS: list[tuple[int, int]] = []


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> StudyReport:
    STEPS.clear()
    out = tmp_path_factory.mktemp("generated")
    return reproduce(
        STUDY, out, quick=True, seed=3, progress=lambda done, total: STEPS.append((done, total))
    )


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files as Yahoo! has them, two days of them."""
    folder = tmp_path_factory.mktemp("yahoo")
    generate_log(folder, days=1.2, seed=5, events_per_second=1.0)
    return folder


@pytest.fixture(scope="module")
def given(log: Path, tmp_path_factory: pytest.TempPathFactory) -> StudyReport:
    out = tmp_path_factory.mktemp("given")
    how = {"profiles": ["paper"], "workers": 1}
    return reproduce(STUDY, out, quick=True, seed=3, files=[log], **how)


@pytest.fixture(scope="module")
def data() -> StudiedLog:
    return read([], QUICK, seed=1)


def html(done: StudyReport) -> str:
    """The page without its pictures."""
    return re.sub(r'src="data:[^"]*"', "", done.page.read_text(encoding="utf-8"))


def frame(done: StudyReport, name: str) -> pd.DataFrame:
    return pd.read_csv(done.page.parent / f"{name}.csv")


def test_a_generated_log_is_called_so_wherever_one_looks(made: StudyReport) -> None:
    page = html(made)
    assert 'class="banner"' in page
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    assert len(captions) >= 11
    assert all("GENERATED log" in caption for caption in captions)
    assert all("GENERATED log" in alt for alt in re.findall(r'<img [^>]*alt="([^"]*)"', page))
    assert made.findings[0].startswith("GENERATED log, not the Yahoo! data")
    for name in ("blocks", "numbers", "runs", "timing", "logs"):
        assert set(frame(made, name)["log"]) == {"GENERATED log"}


def test_a_log_that_was_given_is_not(given: StudyReport) -> None:
    page = html(given)
    assert 'class="banner"' not in page
    assert "generated" not in page.lower()
    assert "2 files, ydata-fp-td-clicks-v2_0.20111002 first" in page
    assert not any("generated" in line.lower() for line in given.findings)
    assert set(frame(given, "numbers")["log"]) == {"given log"}
    assert not (given.page.parent / "logs.csv").exists()  # they would be generated


@pytest.mark.parametrize("report", ["made", "given"])
def test_the_tables_hold_the_published_numbers(report: str, request: pytest.FixtureRequest) -> None:
    page = html(request.getfixturevalue(report))
    tables = re.findall(r"<table>(.*?)</table>", page, re.DOTALL)
    printed = {
        (table.id, label): f"{mean:.4f}"
        for table in TABLES
        for label, mean in table.published.items()
    }
    assert sorted(printed.values()) == sorted(
        "0.0406 0.0493 0.0588 0.0688 0.0365 0.0441 0.0396 0.0523 0.0787 0.0840".split()
    )
    for number, table in zip(tables, TABLES, strict=False):
        cells = dict(re.findall(r"<tr><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td>", number))
        for label in table.players:
            shown = cells[label.replace("'", "&#39;")]
            assert shown == printed.get((table.id, label), "–")


def test_baselines_and_both_pools_are_always_there(given: StudyReport) -> None:
    policies = frame(given, "numbers").groupby("table").policy.agg(set)
    for table in TABLES:
        assert {*table.players, *BESIDE} == policies[table.id]
    assert {POOL_OF_THE_CODE, "variable-pool"} <= set(EPSILON.players)
    assert policies["contest"] == set(contest(MORTAL.players["ucb"], quick=True))


def test_the_option_index_meets_the_policies_for_articles_that_come_and_go(
    made: StudyReport,
) -> None:
    lines = [line for line in html(made).split("<li>") if "which is ours" in line]
    assert len(lines) == 2  # the paper's parameters, and tuned
    for label in ("soft-ucb-mortal", "ucb-l", "greedy"):
        assert all(re.search(rf"{label} [+-−]?0\.0\d+", line) for line in lines)
    numbers = frame(made, "numbers")
    assert set(numbers[numbers.policy == OURS].table) == {"mortal"}
    assert set(numbers[numbers.policy == OURS].parameters) == {"option-index"}


def test_z_is_the_papers_on_a_given_log_and_a_percentile_on_a_generated_one(
    made: StudyReport, given: StudyReport
) -> None:
    def zs(done: StudyReport) -> list[str]:
        numbers = frame(done, "numbers")
        return numbers[
            (numbers.policy == "ucb-z") & (numbers.profile == "paper")
        ].parameters.tolist()

    assert zs(given) == ["ucb-z:z=31"]
    (dataset,) = fixed_datasets(read([], QUICK, 3))
    assert zs(made) == [f"ucb-z:z={np.quantile(dataset.log.G, 0.75):g}"]


def test_the_page_has_five_findings_and_table_13_as_printed(made: StudyReport) -> None:
    page = html(made)
    findings = page[page.index('<section id="findings">') :]
    shown = findings[: findings.index("<details>")]
    assert shown.count("<li>") == len(made.findings) + 2 <= 5
    printed = page[page.index("Table 13, as the paper prints it") :].partition("</table>")[0]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", printed)
    assert cells == [
        *("ε-z Greedy", "z=31", "Variable Pool", "c=10, z=31", "UCB-L", "c=0.011", "UCB-z", "z=31")
    ]
    assert "authors&#39; notebook (repository ShrekFelix/Regulating-Greed-Over-Time" in page


def test_the_notebooks_indices_are_played_and_not_tuned(made: StudyReport) -> None:
    numbers = frame(made, "numbers")
    stale = numbers[numbers.policy.isin(STALE)]
    assert set(stale.policy) == set(STALE)
    assert set(stale.profile) == {"paper"}
    assert not stale.regulated.any()


def test_progress_ends_at_its_total(made: StudyReport) -> None:
    _, *rest = STEPS  # the log is read before the steps are known
    assert [done for done, _ in rest] == list(range(2, len(STEPS) + 1))
    assert rest[-1] == (len(STEPS), len(STEPS))


@pytest.mark.usefixtures("undrawn")
def test_the_same_command_resumes(made: StudyReport) -> None:
    before = (made.page.parent / "numbers.csv").read_bytes()
    again = reproduce(STUDY, made.page.parent, quick=True, seed=3, workers=1)
    assert again.reused > 60
    assert (made.page.parent / "numbers.csv").read_bytes() == before


def test_random_play_is_not_longer_than_the_game(made: StudyReport) -> None:
    page = html(made)
    assert "plays at random in all 400 turns" in page
    assert not re.search(r"up to turn [\d,]+ of 400", page)


def test_a_table_and_its_files_are_the_same_log(log: Path, tmp_path: Path) -> None:
    files = read([log], QUICK, 0)
    reverse = read(sorted(log.iterdir(), reverse=True), QUICK, 0)
    assert (np.diff(reverse.reported.time) >= 0).all()
    assert (len(reverse.reported), len(reverse.tuning)) == (len(files.reported), len(files.tuning))
    table = tmp_path / "events.parquet"
    write_events(files.reported, table)
    again = read([table], QUICK, 0)
    assert len(again.reported) + len(again.tuning) == len(files.reported)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_is_reported_was_tuned_on(seed: int) -> None:
    data = read([], QUICK, seed)
    assert data.reported.time[-1] <= data.tuning.time[0]
    assert len(data.tuning) > 0.2 * len(data.reported)


def test_a_log_too_short_is_refused() -> None:
    made = generate_events(1 / 8640, seed=1)
    ten_seconds = StudiedLog(made.events, made.events, made, "", "")
    with pytest.raises(ValueError, match="too short"):
        fixed_datasets(ten_seconds)


def test_the_published_slice_is_played_where_the_log_holds_it() -> None:
    first, last = PUBLISHED_SLICE
    made = generate_events(0.8, seed=4, start=first - 7200, events_per_second=0.3)
    log = StudiedLog(made.events, made.events, None, "", "")
    found = published(log)
    assert found is not None
    assert (found.start, found.end) == PUBLISHED_SLICE
    alive = (made.starts <= first) & (made.ends > last)
    assert set(found.arms) == {made.events.arms[i] for i in np.flatnonzero(alive)}
    assert [each.id for each in fixed_datasets(log)] == ["slice", "published-slice"]
    # … but never on a generated log, nor on one that begins too late.
    assert published(StudiedLog(made.events, made.events, made, "", "")) is None
    late = made.events.between(first + 1, last)
    assert published(StudiedLog(late, late, None, "", "")) is None


def test_windows_are_the_papers_where_there_is_room() -> None:
    made = generate_events(0.3, seed=1, articles=5)
    log = StudiedLog(made.events, made.events, made, "", "")
    dataset = whole(log, made.events)
    events = len(made.events)
    theirs = published_windows(dataset, 100, 2000, 100_000, 4_000)
    assert events > 496_000
    assert (theirs.window, theirs.step) == (100_000, 4_000)
    assert "smaller than the notebook's" not in str(theirs)
    small = Dataset("x", "x", whole(log, made.events.take(slice(0, 60_000))).log, None, None)
    fitted = published_windows(small, 100, 2000, 100_000, 4_000)
    assert fitted.window == 30_000
    assert "smaller than the notebook's" in str(fitted)
    assert fitted.window + 99 * fitted.step <= 60_000
    spread = spread_windows(small, 10, 2000)
    assert spread.window == 12_500  # 2,000 turns at 5 events each, and a quarter more
    assert spread.window + 9 * spread.step <= 60_000


def test_shuffling_keeps_how_busy_events_are_and_not_when(data: StudiedLog) -> None:
    log = whole(data, data.reported).log
    other = with_shuffled_G(log, seed=2)
    assert sorted(other.G) == sorted(log.G)
    assert abs(np.corrcoef(other.G, log.G)[0, 1]) < 0.02
    clocks = [c.bins.clock[c.bins.of] for c in (log, other)]
    assert (clocks[0] == clocks[1]).all()
    assert other.events is log.events


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.id)
def test_every_policy_may_try_equally_many(table: PaperTable, data: StudiedLog) -> None:
    G = whole(data, data.reported).log.G
    for label, policy in table.players.items():
        if label not in (OURS, *STALE, *BESIDE):
            tried = space(policy, G).candidates(16)
            assert len({str(one) for one in tried}) == 16, label
            assert tried[0] == policy.resolve_thresholds(G)


def test_only_policies_with_a_threshold_get_one() -> None:
    assert str(with_threshold(UCBS.players["ucb-z"], 31.0)) == "ucb-z:z=31"
    assert with_threshold(STALE["ucb-z, stale index"], 31.0).threshold == 31.0
    for label in ("ucb", "soft-ucb", "greedy", *list(STALE)[::2]):
        assert with_threshold(UCBS.players[label], 31.0) is UCBS.players[label]


def test_the_slice_is_the_longest_with_the_papers_number_of_articles(data: StudiedLog) -> None:
    slice_ = longest(data.reported)
    assert len(slice_.arms) >= 24
    assert slice_.unbroken(data.reported) == 1.0


def test_windows_that_share_nearly_all_give_no_interval() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random(40), rng.random(40)

    def ends(**options: float) -> tuple[float, float]:
        difference = as_estimate(compare(a, b, **options))  # type: ignore[arg-type]  # block is whole
        return difference.low, difference.high

    assert np.isnan(ends(block=20, independent=2.8)).all()
    enough = compare(a, b, block=4, independent=10.0)
    assert ends(block=4, independent=10.0) == enough.paired
    assert ends() == compare(a, b).bootstrap


@pytest.mark.parametrize("report", ["made", "given"])
def test_every_regulated_policy_is_asked_what_its_times_are_worth(
    report: str, request: pytest.FixtureRequest
) -> None:
    timing = frame(request.getfixturevalue(report), "timing")
    timing = timing[timing.profile == "paper"]
    assert timing.policy.tolist() == [*EPSILON.regulated, *UCBS.regulated]
    gain = timing["mean"] - timing.mean_with_G_shuffled
    assert timing.timing_difference.tolist() == pytest.approx(gain.tolist())
