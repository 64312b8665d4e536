"""The paper's study: resumable, the same for the same seed, verdicts that follow the numbers."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import highseason as hs
from highseason.report.figure import Picture
from highseason.results import Moments, SimulationResult
from highseason.studies.simulated import claims, settings
from highseason.studies.simulated import legacy as run
from highseason.studies.study import Outcome


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    out = tmp_path_factory.mktemp("report")
    return run(out, seed=3, quick=True, profile=["paper", "tuned"], threads=1)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_grid_is_the_papers_and_sigma_a_tenth() -> None:
    grid = settings.grid()
    assert len({setting.id for setting in grid}) == len(grid) == 108
    assert sum(setting.law.published for setting in grid) == 72
    assert {(s.arms, s.turns) for s in grid} == {
        (m, n) for m in (25, 50, 100, 200) for n in (500, 1000, 1500)
    }
    assert "normal-0.1-christmas-200-arms-1500-turns" in {setting.id for setting in grid}


@pytest.mark.parametrize("profile", settings.PROFILES)
def test_everybody_plays(profile: str) -> None:
    tuned = {policy.name: policy() for policy in (*settings.BASELINES, *settings.REGULATED)}
    labels = list(settings.players(profile, tuned))
    assert labels[:2] == ["epsilon-greedy", "ucb"]
    assert {"greedy", "uniform"} <= set(labels)
    assert ("ucb (tuned)" in labels) == (profile != "tuned")


def test_authors_have_other_shapes() -> None:
    setting = settings.HEADLINE
    assert setting.multiplier("paper") == hs.multipliers.wave(500)
    assert setting.multiplier("authors_code") == hs.multipliers.wave(500, variant="authors_code")


def test_all_files_are_there(report: Outcome) -> None:
    out = report.page.parent
    assert {path.name for path in report.files} == {
        "numbers.csv", "numbers.parquet", "claims.csv", "claims.parquet",
    }  # fmt: skip
    figures = {path.stem for path in (out / "figures").glob("*.svg")}
    assert {"multipliers", "multipliers-and-z", "exploration-chances", "pools"} <= figures
    # Twelve increase plots, and six for sigma 0.1, for each of two profiles.
    assert len([name for name in figures if name.startswith("increase-")]) == 36
    assert len([name for name in figures if name.startswith("rewards-")]) == 18
    numbers = rows(out / "numbers.csv")
    assert len(numbers) == 36 * (11 + 9)
    assert all(float(row["reward_se"]) > 0 for row in numbers)
    assert {"tuning", "simulating", "drawing", "writing"} == report.seconds.keys()


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


def test_the_page_stands_alone(report: Outcome) -> None:
    text = report.page.read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    for target in reader.loads:
        if not target.startswith(("data:image/svg+xml;", "#")):
            assert (report.page.parent / target).is_file(), target[:80]
    assert "http" not in re.sub(r"base64,[A-Za-z0-9+/=]+", "", text)
    assert "What the paper says against what we find" in text
    assert text.index("What was found") < text.index("<img ")
    assert text.count('class="sortable"') > 50
    assert "--seed 3" in text


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures cost most of the time, and have tests of their own."""

    def draw_nothing(drawings: dict[str, object], *_: object) -> dict[str, Picture]:
        return {name: Picture(name, "", b"<svg/>") for name in drawings}

    monkeypatch.setattr("highseason.studies.simulated.running.draw_all", draw_nothing)


@pytest.mark.usefixtures("undrawn")
def test_one_thread_or_two_give_the_same_bytes(report: Outcome, tmp_path: Path) -> None:
    run(tmp_path, seed=3, quick=True, profile=["paper", "tuned"], threads=2)
    for name in ("numbers.csv", "claims.csv"):
        assert (tmp_path / name).read_bytes() == (report.page.parent / name).read_bytes(), name


class EnoughError(Exception):
    """Somebody pulled the plug."""


@pytest.mark.usefixtures("undrawn")
def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    def stop(done: int, _: int) -> None:
        if done == 21:
            raise EnoughError

    whole = run(tmp_path / "whole", seed=1, quick=True, profile=["paper"])
    assert whole.reused == 0
    with pytest.raises(EnoughError):
        run(tmp_path / "cut", seed=1, quick=True, profile=["paper"], progress=stop)
    assert not (tmp_path / "cut/index.html").exists()
    again = run(tmp_path / "cut", seed=1, quick=True, profile=["paper"])
    assert again.reused == 21
    assert (tmp_path / "cut/numbers.csv").read_bytes() == (
        tmp_path / "whole/numbers.csv"
    ).read_bytes()
    other = run(tmp_path / "cut", seed=2, quick=True, profile=["paper"])
    assert other.reused == 0
    assert {row["seed"] for row in rows(tmp_path / "cut/numbers.csv")} == {"2"}


def test_an_unknown_profile_is_told() -> None:
    with pytest.raises(ValueError, match="there are: paper, authors_code, tuned"):
        run(Path("nowhere"), profile=["papr"])


# -- verdicts -------------------------------------------------------------------------------------


def made_up(**rewards: float) -> SimulationResult:
    """A result in which each policy earned what is said, with little noise."""
    labels = [*(p.name for p in (*settings.BASELINES, *settings.REGULATED)), "greedy", "uniform"]
    labels += ["epsilon-greedy (tuned)", "ucb (tuned)"]
    players = {label: hs.Greedy() for label in labels}
    result = hs.simulate(players, hs.rewards.bernoulli(arms=3), hs.multipliers.wave(30), games=40)
    noise = np.random.default_rng(1).normal(0, 0.05, (len(labels), 40))
    values = np.array([[rewards.get(label.replace("-", "_"), 100.0)] for label in labels]) + noise
    moments = result.moments | {"reward": Moments.of(values)}
    return replace(result, moments=moments)


REGULATED = dict.fromkeys(("epsilon_z", "soft_epsilon", "ucb_z", "soft_ucb"), 150.0)


def verdicts(**rewards: float) -> dict[str, str]:
    result = made_up(**rewards)
    law = settings.LAWS[0]
    found = {settings.Setting(law, "wave", m, n): result for m in (25, 50) for n in (500, 1000)}
    entries = [*claims.paper_claims(found, result), *claims.unsaid({"paper": found}, "paper")]
    return {claim.says: claim.verdict for claim in entries}


def verdict(found: dict[str, str], words: str) -> str:
    (one,) = [value for says, value in found.items() if words in says]
    return one


def test_a_verdict_follows_the_numbers() -> None:
    good = verdicts(**REGULATED, variable_pool=150.0)
    assert verdict(good, "beats both smarter baselines") == "holds"
    assert verdict(good, "10 and 80%") == "holds"
    assert verdict(good, "68%") == "not reproduced"
    bad = verdicts(epsilon_z=90, soft_epsilon=90, ucb_z=90, soft_ucb=90, variable_pool=90)
    assert verdict(bad, "beats both smarter baselines") == "not reproduced"
    assert verdict(bad, "10 and 80%") == "not reproduced"
    mixed = verdicts(**REGULATED, variable_pool=90.0)
    assert verdict(mixed, "beats both smarter baselines") == "holds partly"
    assert verdict(mixed, "pool performs consistently") == "not reproduced"
    assert verdict(verdicts(soft_epsilon=168.0), "68%") == "holds"


def test_greedy_is_judged_too() -> None:
    assert verdict(verdicts(greedy=120.0), "Plain greedy") == "holds"
    assert verdict(verdicts(**REGULATED), "Plain greedy") == "not reproduced"
    tuned = verdicts(**{"epsilon_greedy (tuned)": 160.0}, **REGULATED)
    assert verdict(tuned, "Tuned, epsilon-greedy") == "holds"
    assert verdict(tuned, "Tuned, ucb") == "not reproduced"


def test_the_published_epsilon_greedy_never_exploits(report: Outcome) -> None:
    told = {row["says"]: row for row in rows(report.page.parent / "claims.csv")}
    (row,) = [row for says, row in told.items() if "never exploits" in says]
    assert row["verdict"] == "holds"
    assert "24 of 24 settings" in row["evidence"]
