"""One quick sweep of each study per session, shared by all tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from highseason.report.figure import Picture
from highseason.studies import STUDIES, StudyOutcome, pipeline, reproduce


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the figures: they cost most of the time, and have tests of their own."""

    def draw_nothing(drawings: dict[str, Callable[[], Any]], *_: Any) -> dict[str, Picture]:
        return {name: Picture(name, "", b"<svg/>") for name in drawings}

    monkeypatch.setattr(pipeline, "_draw", draw_nothing)


@pytest.fixture(scope="session")
def simulated_report(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    out = tmp_path_factory.mktemp("simulated")
    return reproduce(STUDIES["simulated"], out, quick=True, seed=3, threads=1)


@pytest.fixture(scope="session")
def timing_report(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    return reproduce(STUDIES["timing"], tmp_path_factory.mktemp("timing"), quick=True, seed=2)
