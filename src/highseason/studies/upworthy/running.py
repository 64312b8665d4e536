"""Tune every policy alike on each half of the tests, play the other half, and compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from highseason.report.drawing import require_matplotlib
from highseason.studies import numbers
from highseason.studies.figures import draw_all
from highseason.studies.legacy_store import Store
from highseason.studies.legacy_work import Work
from highseason.studies.session import Progress
from highseason.studies.study import Outcome, Source
from highseason.studies.upworthy.data import Data, read
from highseason.studies.upworthy.drawings import drawings
from highseason.studies.upworthy.findings import headlines, left_out
from highseason.studies.upworthy.page import Made, report_page
from highseason.studies.upworthy.playing import FOLDS, Played, played, start_days, tuned
from highseason.studies.upworthy.settings import (
    FULL,
    QUICK,
    QUICK_SETTINGS,
    SETTINGS,
    Effort,
    Setting,
)
from highseason.studies.upworthy.sizes import big_enough
from highseason.studies.upworthy.tables import dose_records, records

SOURCE = Source(
    "--upworthy",
    "For the study upworthy: a folder with the archive's tests and page views, or (twice) the two "
    "files.",
)


def run(
    out: Path,
    games: int | None = None,
    seed: int = 0,
    quick: bool = False,
    profile: Sequence[str] = (),
    progress: Progress | None = None,
    threads: int | None = None,
    data: Path | None = None,
    files: Sequence[Path] = (),
) -> Outcome:
    """The study on real outcomes: see `highseason.studies.study.Study`.

    `games` is how many start days each test gets.  Its players are tuned, and as they come.
    """
    effort, settings = (QUICK, QUICK_SETTINGS) if quick else (FULL, SETTINGS)
    effort = replace(effort, games=games or effort.games)
    given = _checked(read(files), settings, effort, seed)
    require_matplotlib()
    store = Store(out / "runs")
    work = Work(3 * len(settings) + 7, progress)
    results: list[Played] = []
    for setting in settings:
        winners = []
        for fold in FOLDS:
            with work.step("tuning"):
                winners.append(tuned(given, setting, effort, seed, fold, store, threads))
        with work.step("simulating"):
            results.append(played(given, setting, effort, seed, winners, threads))
    with work.step("writing"):
        found = [*headlines(results), *left_out(given)]
        written = [
            *numbers.write(records(results), out, "numbers"),
            *numbers.write(dose_records(results), out, "doses"),
        ]
    pictures = draw_all(dict(drawings(results)), out / "figures", work, quick)
    made = Made(given, results, found, pictures, effort, seed, quick, written)
    with work.step("writing"):
        page = report_page(made).save(out / "index.html")
    return Outcome(page, found, work.seconds, written, len(store.found))


def _checked(data: Data, settings: Sequence[Setting], effort: Effort, seed: int) -> Data:
    """What can be played in all settings; told now if there is too little, not after the first."""
    for setting in settings:
        start_days(data, setting, effort, seed)
    return big_enough(data, settings)
