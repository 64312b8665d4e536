"""One quick sweep of each study per session, shared by all tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from highseason.report.figure import Picture
from highseason.studies import STUDIES, StudyOutcome, pipeline, reproduce


class Blank:
    """A figure that takes no time to draw."""

    def picture(self) -> Picture:
        return Picture(
            "blank", "", b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
        )


def one_of_a_kind(drawings: dict[str, Callable[[], Any]]) -> dict[str, Callable[[], Any]]:
    """Leave out all but the first figure of each kind: `rewards-…`, `increase-…`."""
    firsts = {name.partition("-")[0]: name for name in reversed(drawings)}.values()
    return {name: draw if name in firsts else Blank for name, draw in drawings.items()}


@pytest.fixture(scope="session")
def simulated_report(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    out, draw = tmp_path_factory.mktemp("simulated"), pipeline._draw
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "_draw", lambda drawings, s: draw(one_of_a_kind(drawings), s))
        return reproduce(STUDIES["simulated"], out, quick=True, seed=3, workers=1)


@pytest.fixture(scope="session")
def timing_report(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    return reproduce(STUDIES["timing"], tmp_path_factory.mktemp("timing"), quick=True, seed=2)
