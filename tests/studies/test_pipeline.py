"""The pipeline: discovery, profiles, and when a stored piece is computed again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import highseason as hs
from highseason.traffic import wave
from studies import STUDIES, Study, pipeline
from studies.session import SimulationTask, StudySession
from studies.simulated.plots import shapes

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


def test_a_piece_is_computed_again_when_its_inputs_change(tmp_path: Path) -> None:
    computed: list[int] = []

    def compute() -> Any:
        computed.append(len(computed))
        return {"values": np.array([0.1, np.nan]), "label": "a"}

    def session() -> StudySession:
        return StudySession(STUDIES["simulated"], tmp_path)

    first, again, other = session(), session(), session()
    first.piece(["a", hs.UCB()], compute)
    piece = again.piece(["a", hs.UCB()], compute)
    np.testing.assert_array_equal(piece["values"], [0.1, np.nan])
    assert (piece["label"], first.reused, again.reused, computed) == ("a", 0, 1, [0])
    other.piece(["a", hs.UCB(P=3)], compute)
    assert (other.reused, computed) == (0, [0, 1])


def test_settings_are_played_by_several_workers(tmp_path: Path) -> None:
    tasks = [
        SimulationTask({"u": hs.UCB(), "g": hs.Greedy()}, rewards, wave(turns), 3, 7)
        for rewards in [hs.rewards.bernoulli(arms=4)]
        for turns in (20, 40, 10)  # neither rising nor falling
    ]
    with ThreadPoolExecutor(2) as workers:
        session = StudySession(STUDIES["simulated"], tmp_path, executor=workers)
        first = session.results("simulating", tasks[:2])
        again = session.results("simulating", tasks)
    for task, result in zip(tasks, again, strict=True):
        assert result.settings["turns"] == task.G.turns
        np.testing.assert_array_equal(result.games["reward"], task.result().games["reward"])
    assert [result.settings for result in first] == [result.settings for result in again[:2]]
    assert session.reused == 2
    assert len(list((tmp_path / "runs").iterdir())) == 3


def test_figures_are_also_pdf_on_request(tmp_path: Path) -> None:
    drawings = {"shapes": partial(shapes, [wave(turns=20)])}
    for pdf in (True, False):  # a file of the earlier run would show something else
        session = StudySession(STUDIES["simulated"], tmp_path, executor="serial", pdf=pdf)
        assert set(pipeline._draw(drawings, session)) == {"shapes"}
        kinds = {path.suffix for path in (tmp_path / "figures").iterdir()}
        assert kinds == ({".svg", ".pdf"} if pdf else {".svg"})
        assert ("--pdf" in session.command(5)) == pdf
