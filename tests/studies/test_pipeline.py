"""The pipeline: discovery, profiles, and when a stored piece is computed again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import highseason as hs
from highseason.traffic import wave
from studies import STUDIES, Study, paper, pipeline
from studies.session import SimulationTask, StudySession
from studies.simulated.plots import shapes
from studies.store import Store, source_digest

ROOT = Path(__file__).parents[2]


def test_every_folder_is_a_study() -> None:
    folder = ROOT / "studies"
    folders = {path.parent.name for path in folder.glob("*/__init__.py")}
    assert set(STUDIES) == folders
    assert all(STUDIES[name].name == name for name in folders)


def test_profiles_are_checked() -> None:
    study = Study("x", "X", "gains", ("paper", "tuned", "authors_code"), 2)
    assert study.choose_profiles([]) == ("paper", "tuned")
    assert study.choose_profiles(["tuned", "tuned"]) == ("tuned",)
    with pytest.raises(ValueError, match="expected one of paper, tuned, authors_code"):
        study.choose_profiles(["papr"])


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package in miniature."""
    for name in (
        "cli/commands/tune.py", "report/page.py", "advice/advise.py", "rules/ucb.py",
        "games/kernels/lanes.py", "studies/pipeline.py", "studies/simulated/run.py",
        "studies/simulated/settings.py", "studies/simulated/findings.py", "studies/logged/run.py",
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "matters"),
    [
        ("cli/commands/tune.py", False),
        ("report/page.py", False),
        ("advice/advise.py", False),
        ("studies/simulated/findings.py", False),
        ("studies/logged/run.py", False),
        ("studies/simulated/run.py", True),
        ("studies/simulated/settings.py", True),
        ("rules/ucb.py", True),
        ("games/kernels/lanes.py", True),
    ],
)
def test_only_sources_that_compute_invalidate_stored_runs(
    package: Path, name: str, matters: bool
) -> None:
    folder = package / "studies"
    before = source_digest(package, folder, "simulated")
    with (package / name).open("a") as file:
        file.write("# a typo fixed\n")
    assert (source_digest(package, folder, "simulated") != before) == matters


@dataclass(frozen=True)
class Piece:
    values: NDArray[np.float64]
    label: str
    nothing: None = None


def test_a_piece_is_computed_again_when_its_inputs_change(tmp_path: Path) -> None:
    def compute() -> Piece:
        return Piece(np.array([0.1, np.nan]), "a")

    store = Store(tmp_path, "simulated")
    store.record("a/b", [1], Piece, compute)
    again = Store(tmp_path, "simulated")
    piece = again.record("a/b", [1], Piece, compute)
    np.testing.assert_array_equal(piece.values, [0.1, np.nan])
    assert (piece.label, piece.nothing, again.reused, again.computed) == ("a", None, {"a/b"}, set())
    other = Store(tmp_path, "simulated")
    other.record("a/b", [2], Piece, compute)
    assert (other.reused, other.computed) == (set(), {"a/b"})


@pytest.mark.parametrize("small", [0, 10_000_000])
def test_settings_are_played_by_several_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    monkeypatch.setattr("studies.session._SMALL", small)
    tasks = [
        SimulationTask(str(turns), {"u": hs.UCB(), "g": hs.Greedy()}, rewards, wave(turns), 3, 7)
        for rewards in [hs.rewards.bernoulli(arms=4)]
        for turns in (20, 40, 10)  # neither rising nor falling
    ]
    with ThreadPoolExecutor(2) as workers:
        session = StudySession(
            STUDIES["simulated"], tmp_path, None, 0, True, (), workers, None, (),
            Store(tmp_path, "simulated"),
        )  # fmt: skip
        tasks[1].result().save(tmp_path / "40.npz")  # made from something else, it is played again
        first = session.simulate_many(tasks[:2])
        again = session.simulate_many(tasks)
    for task, result in zip(tasks, again, strict=True):
        assert result.settings["turns"] == task.G.turns
        np.testing.assert_array_equal(result.games["reward"], task.result().games["reward"])
    assert [result.settings for result in first] == [result.settings for result in again[:2]]
    assert session.store.computed == {"10", "20", "40"}
    assert {path.stem for path in tmp_path.glob("*.npz")} == {"10", "20", "40"}


def test_the_guide_lists_every_figure_and_table_of_the_paper() -> None:
    guide = (ROOT / "docs/guides/reproduce.md").read_text(encoding="utf-8")
    for item in paper.ITEMS:
        command = item.command if item.command.startswith("–") else f"`{item.command}`"
        assert f"| {item.number} | {item.content} | {item.section} | {command} |" in guide


def test_figures_are_also_pdf_on_request(tmp_path: Path) -> None:
    drawings = {"shapes": partial(shapes, [wave(turns=20)])}
    for pdf in (True, False):  # a file of the earlier run would show something else
        session = StudySession(
            STUDIES["simulated"], tmp_path, None, 0, True, (), "serial", None, (),
            Store(tmp_path, "simulated"), pdf=pdf,
        )  # fmt: skip
        assert set(pipeline._draw(drawings, session)) == {"shapes"}
        kinds = {path.suffix for path in (tmp_path / "figures").iterdir()}
        assert kinds == ({".svg", ".pdf"} if pdf else {".svg"})
        assert ("--pdf" in session.command(5)) == pdf
