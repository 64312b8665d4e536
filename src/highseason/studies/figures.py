"""Draw the figures of a study, each as SVG for its page and as files beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from highseason.report.figure import Figure, Picture
from highseason.studies.legacy_work import Work

#: What every figure is saved as, beside the SVG that the page shows.
KINDS = ("png", "pdf")


def draw_all(
    drawings: Mapping[str, Callable[[], Figure]], folder: Path, work: Work, quick: bool = False
) -> dict[str, Picture]:
    """Draw and save them (`quick`: as SVG only); gives what the page shows, by file name."""
    pictures = {}
    for name, draw in drawings.items():
        with work.step("drawing"):
            figure = draw()
            pictures[name] = figure.picture()
            pictures[name].save(folder / f"{name}.svg")
            for kind in () if quick else KINDS:
                figure.save(folder / f"{name}.{kind}")
    return pictures
