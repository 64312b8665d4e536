"""What is in the figures of studies; how they look is for people to judge."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

import highseason as hs
from highseason.report import Figure
from studies.simulated import plots, side_results


def texts(figure: Figure) -> list[str]:
    """All words in a figure, once it is drawn."""
    figure.encode("png")
    return [t.get_text() for t in figure.canvas.findobj(mpl.text.Text) if t.get_visible()]


@pytest.fixture(scope="module")
def result() -> hs.SimulationResult:
    arms, G = hs.rewards.bernoulli(arms=5), hs.traffic.christmas(turns=60)
    return hs.simulate([hs.UCB(), hs.Greedy()], arms, G, games=10)


def test_a_grid_has_the_bars_of_every_setting(result: hs.SimulationResult) -> None:
    labels = ["ucb", "greedy"]
    settings = {(row, column): result for row in ("a", "b", "c") for column in ("d", "e")}
    del settings["b", "e"]
    figure = plots.reward_grid(settings, labels, "Grid")
    means = [result.mean("reward", label) for label in labels]
    for axes, count in zip(figure.canvas.axes, (3, 2), strict=True):
        ends = [bar.get_extents().x1 for bar in axes.collections[1].get_paths()]
        assert ends == means * count
    words = texts(figure)
    assert {"a, d", "b, d", "c, d", "a, e", "c, e"} <= set(words)
    assert "b, e" not in words
    assert words.count("greedy") == 3


def test_increases_are_in_one_panel_per_group(result: hs.SimulationResult) -> None:
    settings = {("5 arms", "10"): result, ("9 arms", "10"): result, ("5 arms", "20"): result}
    figure = plots.increase(settings, "ucb", ["greedy"], "Increase")
    (axes,) = figure.canvas.axes
    x, y = axes.containers[0].lines[0].get_data()
    gain = 100 * result.gain("greedy", "ucb").value
    # Nothing joins the panels.
    assert y.tolist() == pytest.approx([np.nan, gain, gain, np.nan, gain], nan_ok=True)
    assert (np.diff(x) > 0).all()
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["10", "20", "10"]
    assert {"5 arms", "9 arms"} <= set(texts(figure))


def test_exploration_chances_mark_both_phases() -> None:
    figure = plots.exploration(side_results.exploration_figure())
    words = texts(figure)
    assert {"n' = 22", "w = 603", "ε-greedy", "soft ε-greedy"} <= set(words)
    assert len(figure.encode("png")) < 250_000
    assert "w = 603" in figure.alt


def test_a_phase_beyond_the_axis_is_not_marked() -> None:
    short = side_results.exploration_figure(multiplier=hs.traffic.sine(100))
    assert not any(word.startswith("w =") for word in texts(plots.exploration(short)))
