"""One quick sweep of each study per session, shared by all tests."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from highseason.report.figure import Picture
from studies import STUDIES, StudyReport, pipeline, reproduce
from studies.upworthy.data import TESTS, VIEWS


class Blank:
    """A figure that takes no time to draw."""

    canvas = Canvas()

    def picture(self) -> Picture:
        svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
        return Picture("blank", "", svg)


def one_of_a_kind(drawings: dict[str, Callable[[], Any]]) -> dict[str, Callable[[], Any]]:
    """Leave out all but the first figure of each kind: `rewards-…`, `increase-…`."""
    firsts = {name.partition("-")[0]: name for name in reversed(drawings)}.values()
    return {name: draw if name in firsts else Blank for name, draw in drawings.items()}


def sparsely_drawn(name: str, out: Path, **options: Any) -> StudyReport:
    """A quick sweep with one figure of each kind."""
    draw = pipeline._draw
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "_draw", lambda drawings, s: draw(one_of_a_kind(drawings), s))
        return reproduce(STUDIES[name], out, quick=True, workers=1, **options)


def write_archive(folder: Path, days: int) -> Path:
    """Files as Upworthy's: 10 tests with 4 to 6 arms, one with 3, and page views."""
    rows = ["test_id,arm,impressions,clicks"]
    rows += [
        f"t{test},{arm},{2000 + 10 * test},{20 + 7 * ((test + arm) % 4)}"
        for test in range(11)
        for arm in range(3 if test == 10 else 4 + test % 3)
    ]
    with gzip.open(folder / TESTS, "wt", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")
    views = ["date,pageviews"]
    for i, day in enumerate(np.datetime64("2013-01-01") + np.arange(days)):
        views.append(f"{day},{1000 + 900 * (i % 7 == 0) + 10 * i}")
    (folder / VIEWS).write_text("\n".join(views) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def simulated_report(tmp_path_factory: pytest.TempPathFactory) -> StudyReport:
    return sparsely_drawn("simulated", tmp_path_factory.mktemp("simulated"), seed=3)
