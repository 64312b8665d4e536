"""The one pipeline: run a study, state its findings, draw its figures, write its page.

run(session) -> Results          tidy frames
findings(results) -> Findings    sentences and tables, computed from the frames
figures(results)                 how to draw each figure, by file name
page.html.j2                     the prose, around findings, figures and excerpts of the frames
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from highseason.core import text
from highseason.core.parallel import Executors, opened
from highseason.core.version import __version__
from highseason.engine import Table
from studies import frames, paper
from studies.session import StudySession
from studies.study import Findings, Results, Study, StudyReport
from studies.workers import with_source

if TYPE_CHECKING:
    from highseason.report.figure import Drawings, Figure, Picture


def reproduce(
    study: Study, out: Path, *, executor: Executors = None, workers: int | None = None,
    **options: Any,
) -> StudyReport:  # fmt: skip
    """Run a study and write its report.

    Args:
        study: One of `STUDIES`.
        out: The folder of the report; finished pieces in it are not computed again.
        executor: Where games are played: "local" (all cores), "serial", "ray", "dask",
            "ray://HOST:PORT", "dask://HOST:PORT", or any `concurrent.futures.Executor`.
        workers: How many workers; all there are if None.
        options: Those of `StudySession`.

    Raises:
        MissingDataError: Before any work, if it needs files that were not given.
    """
    from highseason.report.drawing import require_matplotlib

    require_matplotlib()
    session = StudySession(study, out, executor, **options)  # what is wrong is reported at once
    with opened(executor, workers) as pool, closing(session):
        session.executor = with_source(pool, sys.modules[__package__])
        return _report(session)


def _report(session: StudySession) -> StudyReport:
    study, out = session.study, session.out
    results: Results = study.part("run").run(session)
    shown = study.part("findings")
    drawings = shown.figures(results)
    session.expect_rest(len(drawings) + 2)
    with ThreadPoolExecutor(1) as aside:  # other processes draw meanwhile
        writing = aside.submit(_write_tables, shown.findings, results, out)
        pictures = _draw(drawings, session)
        with session.step("writing"):
            findings, written = writing.result()
    with session.step("writing"):
        page = _write_page(
            session, results, findings=findings, pictures=pictures, files=[f.name for f in written]
        )
    return StudyReport(page, findings.summary, session.seconds, written, session.reused)


def _write_tables(
    findings_of: Callable[[Any], Findings], results: Results, out: Path
) -> tuple[Findings, list[Path]]:
    """The findings, and the files with all frames."""
    findings = findings_of(results)
    tables = {**results.frames, **findings.frames}
    return findings, [path for name in tables for path in frames.write(tables[name], out, name)]


def _draw(drawings: Drawings, session: StudySession) -> dict[str, Picture]:
    """Save every figure; the page holds its headline and links to the others."""
    pictures, folder = {}, session.out / "figures"
    render = partial(_render, session.pdf, session.quick)
    rendered = session.here(render, drawings.values())
    for name in drawings:
        with session.step("drawing"):
            picture, pdf = next(rendered)
            picture.save(folder / f"{name}.svg")
            (folder / f"{name}.pdf").unlink(missing_ok=True)  # of an earlier run
            if pdf:
                (folder / f"{name}.pdf").write_bytes(pdf)
        linked = picture.linked(f"figures/{name}.svg")
        pictures[name] = picture if name == session.study.headline else linked
    return pictures


def _render(pdf: bool, quick: bool, draw: Callable[[], Figure]) -> tuple[Picture, bytes]:
    figure = draw()
    if quick:
        how: Any = {"ha": "right", "va": "top", "fontsize": 7, "color": "#b3401f"}
        figure.canvas.text(0.995, 0.995, "quick sweep: no conclusions", **how)
    return figure.picture(), figure.encode("pdf") if pdf else b""


def _write_page(session: StudySession, results: Results, **shown: Any) -> Path:
    from highseason.report import page

    study, here = session.study, Path(__file__).parent
    versions = [(name, version(name)) for name in ("numpy", "numba", "matplotlib")]
    made = [
        ("highseason", __version__), ("Python", platform.python_version()), *versions,
        ("seed", str(session.seed)), *results.facts.items(),
    ]  # fmt: skip
    html = page.render(
        here / study.name / "page.html.j2",
        [here / "templates"],
        title=study.title,
        study=study,
        run=session,
        command=session.command(results.games),
        results=results,
        provenance=Table(("", "value"), tuple(made), ("", "")),
        table=frames.excerpt,
        where=frames.where,
        text=text,
        paper=paper,
        **shown,
    )
    return page.save(html, session.out / "index.html")
