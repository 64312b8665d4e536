"""The size of figures, and calendars."""

from __future__ import annotations

import numpy as np
import pytest

import highseason as hs
from highseason import report
from highseason.engine import with_interval
from highseason.report.drawing import PAGE_WIDTH, WIDTH, _fitting, drawing, legend_below
from highseason.report.interval_plots import interval_panels

G = hs.traffic.from_values(
    100 + 80 * (np.arange(60) % 7 > 4), np.datetime64("2025-01-01") + np.arange(60), name="visitors"
)
PLANS = {"ucb": hs.UCB().plan(G, arms=3), "ucb-z": hs.UCBZ().plan(G, arms=3)}


def test_figures_are_wide_and_narrower_on_a_page() -> None:
    figure = report.plan(PLANS)
    assert figure.canvas.get_figwidth() == 8.0
    picture = figure.picture()
    assert picture.width == pytest.approx(5.4 * 96, abs=1)
    assert figure.canvas.get_figwidth() == 8.0


def test_a_chosen_size() -> None:
    with report.figure_size(6, 3):
        figure = report.plan(PLANS)
    assert figure.canvas.get_size_inches().tolist() == [6, 3]
    assert figure.picture().width == 6 * 96
    assert report.plan(PLANS).canvas.get_figwidth() == 8.0
    with pytest.raises(ValueError, match="width"), report.figure_size(0, 3):
        pass


def test_a_calendar_has_a_square_for_every_day() -> None:
    figure = report.calendar(PLANS)
    traffic, ucb, last = (axes for axes in figure.canvas.axes if axes.get_title(loc="left"))
    (mesh,) = traffic.collections
    squares = np.ma.filled(mesh.get_array(), np.nan)
    assert squares.shape == (7, 9)
    assert squares[2, 0] == 100  # 2025-01-01, a Wednesday
    assert np.isnan(squares[0, 0])
    assert np.nansum(squares) == G.total
    assert ucb.get_title(loc="left") == "exploration of ucb"
    assert [t.get_text() for t in last.get_xticklabels()] == ["Jan\n2025", "Feb", "Mar"]


def test_a_calendar_of_prices_is_dark_where_exploring_is_cheap() -> None:
    figure = report.calendar({**PLANS, "ours": hs.OptionIndex().plan(G, arms=3)})
    priced, scale = figure.canvas.axes[3], figure.canvas.axes[-1]
    assert priced.get_title(loc="left") == "ours: price of exploring (dark: cheap)"
    (mesh,) = priced.collections
    colors = mesh.get_cmap()(mesh.norm([mesh.norm.vmin, 1.0])).sum(axis=1)
    assert colors[0] < colors[1]
    assert mesh.norm.vmin == pytest.approx(1 / hs.OptionIndex().plan(G, arms=3).levels.max())
    assert scale.get_ylabel() == "% of what is to come"


def test_a_calendar_needs_days() -> None:
    with pytest.raises(ValueError, match="one turn per day"):
        report.calendar(hs.UCB().plan([1, 2, 3], arms=1))
    other = hs.UCB().plan(2 * G, arms=3)
    with pytest.raises(ValueError, match="different multipliers"):
        report.calendar([PLANS["ucb"], other])


SHORT = "ucb ucb-z soft-ucb greedy uniform epsilon-z soft-epsilon thompson kl-ucb cap pool ucb-l"
LONG = ["random walk", "simple average", "moving average", "weighted moving average",
        "exponential smoothing", "double exponential smoothing"]  # fmt: skip


@pytest.mark.parametrize("entries", range(1, 13))
@pytest.mark.parametrize("names", [SHORT.split(), [f"{n}{i}" for i in "12" for n in LONG]])
def test_a_legend_lies_within_its_figure(names: list[str], entries: int) -> None:
    for width in (PAGE_WIDTH, WIDTH):
        margins = {"left": 0.1, "top": 0.9}
        with drawing("Title", [5.0], width=width, margins=margins) as (canvas, [axes]):
            for name in names[:entries]:
                axes.plot([0, 1], label=name)
            legend_below(canvas, [axes], columns=4, foot=0.5)
        for shown in {width, PAGE_WIDTH}:  # a page narrows a figure
            canvas.set_figwidth(shown)
            canvas.draw_without_rendering()
            legend, figure = canvas.legends[0].get_window_extent(), canvas.bbox
            assert figure.x0 <= legend.x0 < legend.x1 <= figure.x1, (width, shown)
            assert figure.y0 <= legend.y0 < legend.y1 <= axes.get_window_extent().y0


def test_a_legend_has_the_most_columns_that_fit() -> None:
    labels = ["aaaa", "bb", "c"]  # each needs 9 letters more, for its line and the gap
    for columns, letters, wanted in ((3, 34, 3), (3, 33.9, 2), (2, 34, 2), (3, 23, 2), (3, 22, 1)):
        assert _fitting(labels, columns, letters) == wanted


@pytest.mark.parametrize(("names", "height"), [("ab", 3.4), ("abcde", 5.05)])
def test_panels_of_intervals_are_as_high_as_their_rows(names: str, height: float) -> None:
    rows = {str(i): {name: with_interval(0.01, 0.001) for name in names} for i in range(5)}
    panels = {"two": {i: rows[i] for i in "01"}, "three": {i: rows[i] for i in "234"}}
    figure = interval_panels(panels, "gain", "Gains")
    assert figure.canvas.get_size_inches().tolist() == pytest.approx([7.2, height])
