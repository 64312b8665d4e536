"""Pictures of lifetimes and of replays: what is in them."""

from __future__ import annotations

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from tests.logs.logs import fixed_log, mortal_log, two_pools

from highseason import report
from highseason.logs import Events, replay, replay_many
from highseason.report.palette import ACCENT
from studies.logged import plots
from studies.logged.lifespans import best_slice, lifespans


def words_in(figure: report.Figure) -> str:
    figure.encode("png")
    return "\n".join(t.get_text() for t in figure.canvas.findobj(mpl.text.Text))


def test_a_bar_for_each_life_and_the_slice_stands_out() -> None:
    lifetimes = lifespans(mortal_log(500))
    chosen = best_slice(lifetimes, least_arms=3)
    figure = plots.lifespans(lifetimes, chosen)
    (bars,) = figure.canvas.findobj(mpl.collections.LineCollection)
    assert len(bars.get_segments()) == len(lifetimes)
    accent = np.array(mpl.colors.to_rgba(ACCENT))
    marked = [np.allclose(color, accent) for color in bars.get_colors()]
    assert sum(marked) == len(chosen.arms)
    assert f"{len(chosen.arms)} arms" in words_in(figure)
    assert f"Chosen: {len(chosen.arms)} arms" in figure.alt


def test_no_arms_no_failure() -> None:
    figure = plots.lifespans(lifespans(Events.of([], [], [], [])))
    assert figure.alt == "No arm was ever available."
    assert figure.encode("svg")


def test_one_run_shows_how_the_mean_ran() -> None:
    result = replay({"a": "ucb", "none": "greedy"}, fixed_log((0.2, 0.8), 2000))
    figure = report.replays(result)
    (drawn,) = [
        line for line in figure.canvas.axes[0].lines if str(line.get_label()).startswith("a ")
    ]
    assert drawn.get_ydata()[-1] == pytest.approx(result["a"].mean.value)
    assert "random arms" in words_in(figure)
    assert report.replays(replay("ucb", Events.of([], [], [], []))).encode("svg")


def test_many_runs_show_every_run() -> None:
    result = replay_many(
        {"e": "epsilon-greedy", "one": "uniform"}, fixed_log((0.2, 0.8), 600), runs=7
    )
    figure = report.replays(result)
    sizes = [len(line.get_xdata()) for line in figure.canvas.findobj(mpl.lines.Line2D)]
    assert sizes.count(7) == 2
    assert "e" in words_in(figure).splitlines()


def test_a_misleading_log_is_flagged_in_the_figure() -> None:
    tilted = fixed_log((0.2, 0.8), 2000, chances=(0.7, 0.3))
    for result in (replay("ucb", tilted), replay_many("uniform", tilted, runs=3)):
        figure = report.replays(result)
        assert "The log is not uniformly random: means are biased." in words_in(figure)
        assert "not uniformly random" in figure.alt
    unequal = report.replays(replay("ucb", two_pools(20_000)))
    assert "Small pools match more often" in words_in(unequal)
    assert "biased" not in words_in(report.replays(replay("ucb", fixed_log((0.2, 0.8), 2000))))


def test_losses_are_in_the_picture() -> None:
    log = fixed_log((0.2, 0.8), 2000)
    figure = report.replays(replay("uniform", replace(log, reward=-3.0 - log.reward)))
    low, high = figure.canvas.axes[0].get_ylim()
    assert low < -3.6 < high < 0


def test_legends_lie_on_nothing() -> None:
    names = ["ucb", "uniform", "soft-ucb", "greedy", "epsilon-greedy", "ucb:P=1", "ucb:P=3"]
    lifetimes = lifespans(mortal_log(500))
    for figure in (
        report.replays(replay({name: name for name in names}, fixed_log((0.2, 0.8), 2000))),
        plots.lifespans(lifetimes, best_slice(lifetimes, least_arms=3)),
    ):
        figure.encode("png")
        (legend,) = figure.canvas.legends
        box = legend.get_window_extent()
        (axes,) = figure.canvas.axes
        assert not box.overlaps(axes.get_window_extent())
        assert box.y0 >= 0


def test_published_means_are_marked_and_the_source_is_named() -> None:
    result = replay_many(
        {"e": "epsilon-greedy", "u": "uniform"}, fixed_log((0.2, 0.8), 600), runs=3
    )
    figure = report.replays(result, "A long title", {"u": 0.43}, "MADE UP")
    marks = [line for line in figure.canvas.findobj(mpl.lines.Line2D) if line.get_marker() == "D"]
    assert [(m.get_xdata().tolist(), m.get_ydata().tolist()) for m in marks] == [([0.43], [1])]
    assert "diamond: published" in words_in(figure)
    assert "MADE UP: 600 events" in words_in(figure)
    assert figure.alt.startswith("MADE UP. ")


def test_long_names_leave_the_title_inside() -> None:
    long = {"a policy whose label has many words in it": "ucb", "b": "uniform"}
    figure = report.replays(replay_many(long, fixed_log((0.2, 0.8), 600), runs=2, window=300))
    figure.canvas.draw_without_rendering()  # which lays it out
    axes = figure.canvas.axes[0]
    for text in (*figure.canvas.texts, axes.xaxis.label, *axes.get_yticklabels()):
        box = text.get_window_extent()
        assert box.x0 >= -1, text
        assert box.x1 <= figure.canvas.bbox.width + 1, text
