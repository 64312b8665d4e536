"""The paper's study: resumable, the same for the same seed, verdicts that follow the numbers."""

from __future__ import annotations

import html
import re
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.reference.browser import chromium, complaints

import highseason as hs
from highseason.core.random import game_keys
from studies import STUDIES, StudyReport, authors_code, paper, pipeline, reproduce
from studies.simulated import beyond, findings, plots, settings, side_results
from studies.simulated.claims import HOLDS, PARTLY

STUDY = STUDIES["simulated"]


def read(report: StudyReport, name: str) -> pd.DataFrame:
    return pd.read_csv(report.page.parent / f"{name}.csv")


def test_the_grid_is_the_papers_and_sigma_a_tenth() -> None:
    grid = settings.grid()
    assert len({setting.id for setting in grid}) == len(grid) == 108
    assert sum(setting.law.published for setting in grid) == 72
    assert {(s.arms, s.turns) for s in grid} == {
        (m, n) for m in (25, 50, 100, 200) for n in (500, 1000, 1500)
    }
    assert "normal-0.1-christmas-200-arms-1500-turns" in {setting.id for setting in grid}


@pytest.mark.parametrize("profile", settings.PROFILES)
def test_baselines_always_play(profile: str) -> None:
    tuned = {policy.name: policy() for policy in settings.SEVEN}
    labels = list(settings.players(profile, tuned))
    assert labels[:2] == ["epsilon-greedy", "ucb"]
    assert {"greedy", "uniform", "option-index (ours)"} <= set(labels)
    assert ("ucb (tuned)" in labels) == (profile != "tuned")


def test_authors_have_other_shapes() -> None:
    setting = settings.HEADLINE
    assert setting.multiplier("paper") == hs.traffic.wave(500)
    assert setting.multiplier("authors_code") == authors_code.wave(500)


def test_all_files_are_there(simulated_report: StudyReport) -> None:
    out = simulated_report.page.parent
    names = [path.name for path in simulated_report.files]
    assert len(names) == len(set(names))  # once each
    assert {"numbers.csv", "numbers.parquet", "comparisons.csv", "claims.csv"} <= set(names)
    figures = {path.stem for path in (out / "figures").glob("*.svg")}
    assert {"gains", "multipliers", "multipliers-and-z", "exploration", "pools"} <= figures
    # Twelve increase plots, and six for sigma 0.1, for each of two profiles.
    assert len([name for name in figures if name.startswith("increase-")]) == 36
    assert len([name for name in figures if name.startswith("rewards-")]) == 18
    numbers = read(simulated_report, "numbers")
    assert len(numbers) == 36 * (12 + 10)
    assert (numbers.reward_se > 0).all()
    assert {"tuning", "simulating", "drawing", "writing"} == simulated_report.seconds.keys()


@pytest.mark.soak
def test_every_figure_is_drawn(tmp_path: Path) -> None:
    report = reproduce(STUDY, tmp_path, quick=True, seed=3)
    drawn = [path.read_text(encoding="utf-8") for path in (tmp_path / "figures").glob("*.svg")]
    assert len(drawn) == 59
    assert all("</svg>" in text for text in drawn)
    assert report.seconds["drawing"] > 0


class Reader(HTMLParser):
    """What a page loads, and whether its tags close."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "img"):
            self.open.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_small_and_needs_no_network(simulated_report: StudyReport) -> None:
    text = simulated_report.page.read_text(encoding="utf-8")
    assert len(text) < 500_000
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    held = [target for target in reader.loads if target.startswith("data:image/svg+xml;")]
    assert len(held) == 1  # the headline; all other figures load when the reader scrolls there
    assert text.count('loading="lazy"') == 58
    for target in reader.loads:
        if not target.startswith(("data:", "#", paper.URL)):
            assert (simulated_report.page.parent / target).is_file(), target[:80]
    assert set(re.findall(r"https?://[^\"]+", text)) == {paper.URL}  # to be followed, not loaded
    assert "--seed 3" in text


def test_the_page_loads_in_a_browser(simulated_report: StudyReport) -> None:
    with chromium() as browser:
        assert complaints(browser, simulated_report.page) == {}


def test_the_page_names_the_paper_and_its_figures(simulated_report: StudyReport) -> None:
    text = simulated_report.page.read_text(encoding="utf-8").replace("&#39;", "'")
    assert paper.CITATION in text
    for number in (
        *("Figure 3", "Figure 4", "Figure 5", "Figures 6 and 16", "Like Figures 7 and 17–28"),
        *("Like Figures 10 and 29", "Like Figure 48", "Like Figures 9 and 49–60"),
    ):  # a quick sweep has other sizes
        assert f"<strong>{number}.</strong>" in text, number


def test_the_page_opens_with_the_paper_the_game_and_the_policies(
    simulated_report: StudyReport,
) -> None:
    text = simulated_report.page.read_text(encoding="utf-8")
    order = ["Stefano Tracà", "Journal of Machine Learning Research", "<nav", "The game.",
             "The policies.", 'id="findings"', "<img "]  # fmt: skip
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    linked = set(re.findall(r'<a href="#([^"]+)">', text))
    assert linked == set(re.findall(r'<section id="([^"]+)">', text))


def test_a_quick_sweep_judges_nothing_and_marks_its_pictures(
    simulated_report: StudyReport,
) -> None:
    assert set(read(simulated_report, "claims").verdict) == {findings.UNJUDGED}
    assert "too small to judge" in simulated_report.findings[0]
    mark = pipeline._render(False, True, partial(plots.shapes, [hs.traffic.wave(9)]))[0].svg
    plain = pipeline._render(False, False, partial(plots.shapes, [hs.traffic.wave(9)]))[0].svg
    assert b"quick sweep" in mark
    assert b"quick sweep" not in plain


@pytest.mark.usefixtures("undrawn", "small")
def test_without_the_table_over_k_there_is_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = beyond.frames
    for left_out in ("by_k", "condition_on_k"):
        monkeypatch.setattr(
            beyond, "frames",
            lambda *a, name=left_out: {k: v for k, v in frames(*a).items() if k != name},
        )  # fmt: skip
        with pytest.raises(KeyError, match=left_out):
            reproduce(STUDY, tmp_path, quick=True, profiles=["paper"], workers=1)
        assert not (tmp_path / "index.html").exists()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three settings instead of 36."""
    grid = settings.grid(quick=True)
    chosen = [s for s in grid if (s.shape, s.arms, s.turns) == ("wave", 10, 100)]
    monkeypatch.setattr("studies.simulated.run.grid", lambda _: chosen)


@pytest.mark.usefixtures("undrawn", "small")
def test_one_thread_or_two_give_the_same_bytes(tmp_path: Path) -> None:
    for workers in (1, 2):
        reproduce(STUDY, tmp_path / str(workers), seed=3, quick=True, workers=workers)
    for name in ("numbers.csv", "comparisons.csv", "claims.csv"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name


def test_the_numbers_say_what_each_policy_played_with(simulated_report: StudyReport) -> None:
    numbers = read(simulated_report, "numbers")
    ucb = numbers[(numbers.policy == "ucb") & (numbers.setting == numbers.setting.iloc[0])]
    paper, tuned = (ucb[ucb.profile == name].parameters.item() for name in ("paper", "tuned"))
    assert paper == "ucb"
    assert tuned.startswith("ucb:P=")


def test_one_claim_holds_and_two_hold() -> None:
    def said(*verdicts: str) -> str:
        claims = pd.DataFrame({"kind": "paper", "profile": "paper", "verdict": verdicts})
        nothing = pd.DataFrame(columns=["profile"])
        (line,) = findings._summary(claims, nothing, nothing)
        return line

    assert "3 claims, 1 holds, 2 hold partly and 0 could" in said(HOLDS, PARTLY, PARTLY)
    assert "3 claims, 2 hold, 1 holds partly and 0 could" in said(HOLDS, HOLDS, PARTLY)


@pytest.mark.usefixtures("undrawn", "small")
def test_own_policies_stand_beside_the_papers(tmp_path: Path) -> None:
    own = {"ucb": hs.UCB(P=0.5), "mine": hs.EpsilonGreedy(k=0.1)}
    how = {"quick": True, "profiles": ["paper"], "workers": 1}
    report = reproduce(STUDY, tmp_path, policies=own, k=20.0, **how)
    numbers = read(report, "numbers").groupby("policy").parameters.agg(set)
    assert numbers["ucb (yours)"] == {"ucb:P=0.5"}  # beside ours, which keeps its name
    assert numbers["mine"] == {"epsilon-greedy:k=0.1"}
    assert numbers["epsilon-z"] == {"epsilon-z:k=20,z=30"}
    assert {"ucb (yours)", "mine"} <= set(read(report, "comparisons").policy)
    text = report.page.read_text(encoding="utf-8")
    assert "--policy ucb --policy mine --k 20" in text


def test_table_2_stands_as_printed_with_its_bounds(simulated_report: StudyReport) -> None:
    rows = read(simulated_report, "table_2")
    assert rows["soft lower?"].str.startswith("yes").tolist() == [1, 0, 1, 1, 0, 0]
    game = hs.SoftEpsilonGreedy(k=11, unit=1), 0.8, hs.traffic.sine(1000)
    safe, printed = (side_results.decay_table(*game, form=form) for form in ("safe", "paper"))
    assert rows.soft_safe.tolist() == pytest.approx([row.soft for row in safe])
    assert rows.old_paper.tolist() == pytest.approx([row.old for row in printed])
    assert rows.G.tolist() == [row.season for row in safe]
    # Where G is high the paper's yes and no are right of the policies, though not of our bounds.
    lower = rows.soft_simulated < rows.old_simulated - 3 * (rows.old_simulated_se + 1e-9)
    high = rows.G == "high"
    assert lower[high].tolist() == rows["soft lower?"].str.startswith("yes")[high].tolist()
    assert (rows.soft_simulated <= rows.soft_safe).all()
    assert (rows.old_simulated <= rows.old_safe).all()


class EnoughError(Exception):
    """Somebody pulled the plug."""


@pytest.mark.usefixtures("undrawn", "small")
def test_an_interrupted_run_resumes(tmp_path: Path) -> None:
    def stop(done: int, _: int) -> None:
        if done == 7:
            raise EnoughError

    how = {"quick": True, "profiles": ["paper"], "workers": 1}
    whole = reproduce(STUDY, tmp_path / "whole", seed=1, **how)
    assert whole.reused == 0
    cut = tmp_path / "cut"
    with pytest.raises(EnoughError):
        reproduce(STUDY, cut, seed=1, progress=stop, **how)
    assert not (cut / "index.html").exists()
    again = reproduce(STUDY, cut, seed=1, **how)
    assert again.reused == 7
    assert (cut / "numbers.csv").read_bytes() == (tmp_path / "whole/numbers.csv").read_bytes()
    other = reproduce(STUDY, cut, seed=2, **how)
    assert other.reused == 0
    assert set(read(other, "numbers").seed) == {2}


@pytest.mark.usefixtures("undrawn", "small")
def test_progress_ends_at_its_total(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    reproduce(
        STUDY, tmp_path, quick=True, profiles=["paper"], workers=1,
        progress=lambda *step: seen.append(step),
    )  # fmt: skip
    assert [done for done, _ in seen] == list(range(1, len(seen) + 1))
    assert all(done <= total for done, total in seen)


def test_an_unknown_profile_is_reported() -> None:
    with pytest.raises(ValueError, match="expected one of paper, tuned, authors_code"):
        reproduce(STUDY, Path("nowhere"), profiles=["papr"])


# -- games beyond the grid ------------------------------------------------------------------------


def test_what_the_paper_says_is_quoted_with_its_place(simulated_report: StudyReport) -> None:
    claims = read(simulated_report, "claims")
    said = claims[claims.kind == "paper"]
    assert len(said) == 9
    assert said.claim.str.startswith("“").all()
    assert said.place.str.match("Section|Appendix").all()
    assert claims[claims.kind != "paper"].place.isna().all()  # ours are called ours


def test_the_second_condition_on_k_makes_the_baseline_random(
    simulated_report: StudyReport,
) -> None:
    asked = read(simulated_report, "condition_on_k")
    means = hs.rewards.bernoulli(arms=10).parameters(game_keys(3, range(settings.HEADLINE_GAMES)))
    ordered = np.sort(np.asarray(means).reshape(-1, 10), axis=1)
    needed = 4 / (ordered[:, -1] - ordered[:, -2]) ** 2
    row = asked[(asked.arms == 10) & (asked.turns == 200)].iloc[0]
    assert row.median_k == pytest.approx(np.median(needed))
    assert row.share_random == pytest.approx((np.maximum(needed, 10) * 10 >= 200).mean())


def test_claims_in_words_follow_their_games(simulated_report: StudyReport) -> None:
    two, constant = read(simulated_report, "two_values"), read(simulated_report, "constant_g")
    assert (two.least == two.greatest).all()  # z between the two values plays the same games
    same = constant.set_index("policy").the_same
    assert same[["epsilon-z", "soft-epsilon", "ucb-z"]].all()
    assert not same["soft-ucb"]  # log(1 + t) where UCB has log t
    peak = read(simulated_report, "early_peak")
    assert (peak.share_first < peak.share_last).mean() > 0.5
    bounds = read(simulated_report, "constant_bounds")
    alike = bounds[bounds.policy != "soft-ucb"]
    assert alike.bound.tolist() == pytest.approx(alike.base_bound.tolist(), rel=1e-12)
    sizes = read(simulated_report, "constant_pool")["size"]
    assert (sizes[0], sizes[9], sizes[10], sizes[25], sizes.iloc[-1]) == (25, 25, 22, 9, 1)
    long = read(simulated_report, "long_games")
    assert dict(zip(long.turns, long.played, strict=True)) == {
        100: "here", 1000: "here", 50_000: "make record", 500_000: "make record"
    }  # fmt: skip


def slow_leaders(policy: hs.Policy, cell: settings.SimulatedSetting, games: int) -> list[bool]:
    """Whether the highest estimate is the best arm's, by the readable loop and one's own sums."""
    G, found = cell.multiplier("paper").values, []
    for number in range(games):
        game = hs.play(policy, cell.rewards(), G, seed=3, game=number)
        learned = game.paid * G if policy.learns_scaled else game.paid
        sums, pulls = (np.bincount(game.arms, w, cell.arms) for w in (learned, np.ones(G.size)))
        means = np.asarray(
            cell.rewards().parameters(game_keys(3, range(number, number + 1)))
        ).reshape(-1)
        found.append(int(np.argmax(sums / pulls)) == int(np.argmax(means)))
    return found


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("shape", settings.SHAPES)
def test_who_leads_at_the_end_is_that_of_the_readable_loop(shape: str) -> None:
    cell = settings.SimulatedSetting(settings.LAWS[0], shape, 6, 90)
    players = beyond._naive(cell)
    task = beyond.LeadersTask(players, cell.rewards(), cell.multiplier("paper"), 12, 3)
    for row, policy in zip(task.result(), players.values(), strict=True):
        assert row.tolist() == slow_leaders(policy, cell, 12)


def test_naive_policies_end_with_the_best_arm_less_often(simulated_report: StudyReport) -> None:
    single = read(simulated_report, "leaders")
    together = read(simulated_report, "leaders_by_shape")
    assert len(single) == 24 * 3
    assert list(zip(together.policy, together.base, strict=True)) == list(beyond.PAIRS.items()) * 3
    for row in together.itertuples():
        rows = single[(single["shape"] == row.shape) & (single.policy == row.policy)]
        assert (row.share, row.base_share) == pytest.approx(
            (rows.share.mean(), rows.base_share.mean())
        )
        assert row.less == pytest.approx(row.share - row.base_share)
    assert (together.less < 0).mean() > 0.5
    naive = read(simulated_report, "naive")
    random = naive[naive.at_random]
    assert set(random.policy) == {"naive-epsilon"}
    assert (random.gain == 0).all()  # both draw the same arms


def test_the_page_needs_the_table_over_k(simulated_report: StudyReport) -> None:
    text = simulated_report.page.read_text(encoding="utf-8")
    assert "The constant that the paper leaves open" in text
    for name, value, source in paper.constants("simulated").rows:
        assert name in text, name
        assert html.escape(source, quote=False).replace("'", "&#39;") in text, source
        assert html.escape(value, quote=False) in text, value
    assert len(read(simulated_report, "by_k")) == len(beyond.KS)
