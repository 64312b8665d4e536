"""Figures of all examples, and others, have the parts they had: they change only where it is meant.

After a change that is meant: `python -m tests.report.test_recorded`, and look at the figures.
"""

from __future__ import annotations

import doctest
import importlib
import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.axis
import matplotlib.collections
import matplotlib.image
import numpy as np
import pytest
from tests.report.variants import VARIANTS

from highseason.report.figure import Figure

RECORDED = Path(__file__).parent / "recorded.json"
ROOMS = ("bound", "interval", "log", "multiplier", "plan", "simulation")
#: Figures of studies that are recorded with those of a room.
STUDIED = {"bound": ["studies.minimum_pulls"]}


def figures_of(room: str) -> list[Figure]:
    """Every figure that the examples of a module show, in the order of their names."""
    shown: list[Figure] = []

    def show(value: Any) -> None:
        if isinstance(value, Figure):
            shown.append(value)

    names = [f"highseason.report.{room}_plots", *STUDIED.get(room, [])]
    modules = map(importlib.import_module, names)
    with pytest.MonkeyPatch.context() as patched:
        for test in (test for one in modules for test in doctest.DocTestFinder().find(one)):
            patched.setattr("sys.__displayhook__", show)  # the hook while an example runs
            doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None)
    return shown


def color(value: Any) -> str:
    try:
        return mpl.colors.to_hex(value, keep_alpha=True)
    except ValueError:
        return "none"


def numbers(values: Any) -> list[float]:
    """A few numbers that tell arrays apart."""
    try:
        flat = np.ravel(np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan))
    except (TypeError, ValueError):
        flat = np.asarray(values).astype("datetime64[s]").astype(np.float64).ravel()
    flat = flat[np.isfinite(flat)]
    if not flat.size:
        return []
    told = (flat[0], flat[-1], flat.mean())
    return [flat.size, *(float(f"{number:.4g}") for number in told)]


def dashes(line: Any) -> Any:
    """The lengths of its dashes and gaps, which only matplotlib's own field has."""
    return line._unscaled_dash_pattern[1]


def surface(patch: Any) -> list[Any]:
    colors = [color(patch.get_facecolor()), color(patch.get_edgecolor())]
    return [*colors, patch.get_fill(), patch.get_hatch(), patch.get_linewidth()]


def parts(figure: Figure) -> Iterator[list[Any]]:
    """What a figure consists of, once it is drawn."""
    figure.encode("png")
    yield ["figure", figure.title, figure.alt, *numbers(figure.canvas.get_size_inches())]
    for axes in figure.canvas.axes:
        yield ["axes", *[round(side, 1) for side in axes.get_position().bounds]]
        yield ["limits", *numbers(axes.get_xlim()), *numbers(axes.get_ylim())]
        yield ["ticks", *numbers(axes.get_xticks()), *numbers(axes.get_yticks())]
        yield ["spines", *(spine.get_visible() for spine in axes.spines.values())]
        yield ["grid", *(line.get_visible() for line in axes.get_ygridlines()[:1])]
    ticks = {
        id(line)
        for tick in figure.canvas.findobj(mpl.axis.Tick)
        for line in (tick.tick1line, tick.tick2line, tick.gridline)
    }
    for artist in figure.canvas.findobj():
        if not artist.get_visible() or id(artist) in ticks:
            continue
        look = [artist.get_alpha(), artist.get_zorder()]
        if isinstance(artist, mpl.text.Annotation):
            look += [artist.xy, artist.xyann, artist.get_rotation(), artist.get_ha()]
        if isinstance(artist, mpl.text.Text) and artist.get_text():
            yield ["text", artist.get_text(), artist.get_size(), color(artist.get_color()), *look]
        elif isinstance(artist, mpl.lines.Line2D) and len(artist.get_xdata(orig=False)):
            yield [
                "line", color(artist.get_color()), artist.get_linewidth(), str(artist.get_marker()),
                artist.get_markersize(), artist.get_markevery(), artist.get_fillstyle(),
                str(artist.get_linestyle()), dashes(artist), *look,
                *numbers(artist.get_xdata(orig=False)), *numbers(artist.get_ydata(orig=False)),
            ]  # fmt: skip
        elif isinstance(artist, mpl.patches.Rectangle):
            yield ["box", *surface(artist), *look, *numbers(artist.get_bbox())]
        elif isinstance(artist, mpl.patches.StepPatch):
            values, edges, _ = artist.get_data()
            yield ["steps", *surface(artist), *look, *numbers(values), *numbers(edges)]
        elif isinstance(artist, mpl.collections.Collection):
            paths = [path.vertices for path in artist.get_paths()]
            yield [
                "marks", [color(one) for one in artist.get_facecolor()[:3]],
                *numbers(artist.get_linewidth()), *look,
                *numbers(np.concatenate(paths) if paths else []),
                *numbers(artist.get_array() if artist.get_array() is not None else []),
            ]  # fmt: skip
        elif isinstance(artist, mpl.legend.Legend):
            yield ["legend", artist._ncols, str(artist._loc), artist.borderaxespad]
        elif isinstance(artist, mpl.image.AxesImage):
            yield ["image", *numbers(artist.get_array()), *artist.get_extent()]


#: What makes the figures, by name.
SOURCES: dict[str, Callable[[], list[Figure]]] = {
    **{room: partial(figures_of, room) for room in ROOMS},
    **{f"{room}, variants": make for room, make in VARIANTS.items()},
}


#: Other versions place ticks and axes otherwise.
DRAWN_BY = "matplotlib " + ".".join(mpl.__version__.split(".")[:2])


def described(name: str) -> list[list[Any]]:
    return json.loads(json.dumps([part for made in SOURCES[name]() for part in parts(made)]))


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.filterwarnings("ignore::highseason.traffic.ForecastWarning")
def test_figures_have_the_parts_that_were_recorded(name: str) -> None:
    file = json.loads(RECORDED.read_text(encoding="utf-8"))
    if file["drawn by"] != DRAWN_BY:
        stop = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        stop(f"recorded with {file['drawn by']}, but this is {DRAWN_BY}")
    recorded, found = file[name], described(name)
    assert len(found) == len(recorded)
    for one, other in zip(found, recorded, strict=True):
        assert one == other


if __name__ == "__main__":
    lines = [f'"drawn by": "{DRAWN_BY}"']
    for name in SOURCES:
        rows = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in described(name))
        lines.append(f'"{name}": [\n{rows}\n]')
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
