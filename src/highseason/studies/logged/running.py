"""Replay the log for every table and profile, and write the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from highseason.report.drawing import require_matplotlib
from highseason.studies import numbers
from highseason.studies.figures import draw_all
from highseason.studies.legacy_store import Store
from highseason.studies.legacy_work import Work
from highseason.studies.logged.data import read
from highseason.studies.logged.drawings import drawings
from highseason.studies.logged.findings import headlines
from highseason.studies.logged.page import Made, report_page
from highseason.studies.logged.playing import Stage
from highseason.studies.logged.results import (
    records,
    run_records,
    timing_records,
    world_records,
)
from highseason.studies.logged.sessions import Session
from highseason.studies.logged.settings import FULL, PROFILES, QUICK
from highseason.studies.session import Progress
from highseason.studies.study import Outcome, Source

SOURCE = Source(
    "--yahoo",
    "For the study logged: your own Yahoo! R6B log, which is a file, a folder of files (plain or "
    "gzip), or a table that `highseason convert` made. Without it a log is made up, and called so.",
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
    """The paper's study on logged clicks: see `highseason.studies.study.Study`.

    `games` is how many runs each policy gets.  Profiles: `paper` and `tuned`.
    """
    profiles = _profiles(profile)
    effort = QUICK if quick else FULL
    effort = replace(effort, runs=games or effort.runs)
    require_matplotlib()
    work = Work(0, progress)
    with work.step("reading"):
        given = read(files, effort, seed, progress)  # a bar of its own: a log may be long
    store = Store(out / "runs")
    session = Session(given, effort, Stage(store, given.digest, seed, threads, work), quick)
    work.steps = session.steps(profiles)
    session.play(profiles)
    blocks, worlds = session.blocks, session.worlds
    with work.step("writing"):
        found = headlines(given, blocks, worlds)
        written = [
            *numbers.write(records(blocks, given.kind), out, "numbers"),
            *numbers.write(run_records(blocks, given.kind), out, "runs"),
            *numbers.write(timing_records(blocks, worlds, given.kind), out, "timing"),
        ]
        if worlds is not None:
            written += numbers.write(world_records(worlds, blocks, given.kind), out, "worlds")
    pictures = draw_all(dict(drawings(given, blocks, worlds)), out / "figures", work, quick)
    made = Made(given, blocks, worlds, found, pictures, effort, profiles, seed, quick, written)
    with work.step("writing"):
        page = report_page(made).save(out / "index.html")
    return Outcome(page, found, work.seconds, written, len(store.found))


def _profiles(asked: Sequence[str]) -> list[str]:
    for name in asked:
        if name not in PROFILES:
            raise ValueError(f"no profile is called {name!r}; there are: {', '.join(PROFILES)}")
    return list(dict.fromkeys(asked)) or list(PROFILES)
