"""Pictures of bounds: what is in them; how they look is for people to judge."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

import highseason as hs
from highseason import report
from highseason.report.bound_plots import _power

G = hs.traffic.step(turns=400)
MEANS = [0.1, 0.9]
POLICIES = [hs.EpsilonZGreedy(k=20, z=30), hs.UCBZ(z=30)]


def texts(figure: report.Figure) -> list[str]:
    figure.encode("png")
    return [t.get_text() for t in figure.canvas.findobj(mpl.text.Text) if t.get_visible()]


@pytest.fixture(scope="module")
def bounds() -> list[hs.bounds.RegretBound]:
    return [hs.bounds.regret(policy, MEANS, multiplier=G) for policy in POLICIES]


@pytest.fixture(scope="module")
def played() -> hs.SimulationResult:
    stops = np.unique(np.geomspace(1, 400, 60).astype(int))
    arms = hs.rewards.bernoulli(means=MEANS)
    return hs.simulate(POLICIES, arms, G, games=40, seed=3, curves=stops)


def test_a_bound_shows_its_parts_and_the_games(
    bounds: list[hs.bounds.RegretBound], played: hs.SimulationResult
) -> None:
    figure = report.bound(bounds, played)
    words = texts(figure)
    assert {"part: exploration", "part: high", "the bound", "simulated: mean regret"} <= set(words)
    assert {"95% interval of the mean", "always the worst arm"} <= set(words)
    assert words.count("the bound") == 1  # one legend for all panels
    for axes, one in zip(figure.canvas.axes, bounds, strict=True):
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        assert axes.get_title("left") == one.policy
        drawn = {line.get_label(): line for line in axes.lines}
        assert drawn["the bound"].get_ydata()[-1] == one.total
        assert drawn["always the worst arm"].get_ydata()[-1] == one.trivial
    assert f"{played.mean('regret', 0):.4g}" in figure.alt


def test_a_bound_alone(bounds: list[hs.bounds.RegretBound]) -> None:
    figure = report.bound({"ours": bounds[0]})
    assert figure.title == "Regret: the bound"
    assert "simulated: mean regret" not in texts(figure)
    assert figure.canvas.axes[0].get_title("left") == "ours"


@pytest.mark.parametrize("policy", [hs.VariablePool(), hs.EpsilonZGreedy(k=26, z=30)])
def test_a_printed_form_that_breaks_down_can_be_drawn(policy: hs.Policy) -> None:
    one = hs.bounds.regret(policy, [0.5, 0.9], multiplier=G, form="paper")
    assert not one.valid
    assert "not valid as a bound" in texts(report.bound(one))


def test_a_single_game_has_no_interval(bounds: list[hs.bounds.RegretBound]) -> None:
    arms = hs.rewards.bernoulli(means=MEANS)
    one = hs.simulate(POLICIES[:1], arms, G, games=1, seed=3, curves=True)
    assert "95% interval of the mean" not in texts(report.bound(bounds[0], one))


def test_what_does_not_belong_together_is_refused(
    bounds: list[hs.bounds.RegretBound], played: hs.SimulationResult
) -> None:
    with pytest.raises(ValueError, match="no RegretBound to draw"):
        report.bound([])
    with pytest.raises(ValueError, match="same policies"):
        report.bound(bounds[0], played)
    other = hs.bounds.regret(POLICIES[0], [0.1, 0.5, 0.9], multiplier=G)
    with pytest.raises(ValueError, match="different games"):
        report.bound([other, other], played)
    arms = hs.rewards.bernoulli(means=MEANS)
    with pytest.raises(ValueError, match="curves=True"):
        report.bound(bounds[0], hs.simulate(POLICIES[0], arms, G, games=2))


def test_the_error_of_a_curve_is_that_of_the_games() -> None:
    arms = hs.rewards.bernoulli(arms=5)
    result = hs.simulate(hs.UCB(), arms, G, games=300, seed=3, curves=[1, 200, 400])
    curve = result.curves["regret"]
    assert curve.turns.tolist() == [1, 200, 400]
    assert curve.error[0, -1] == pytest.approx(result.error("regret", 0), rel=0.01)
    with pytest.raises(ValueError, match="between 1 and 400"):
        hs.simulate(hs.UCB(), arms, G, games=2, curves=[0, 5])


def test_powers_of_ten_are_written_out_where_they_are_short() -> None:
    written = [_power(10.0**exponent) for exponent in (-4, -3, 0, 5, 6, 12)]
    assert written == ["10⁻⁴", "0.001", "1", "100,000", "10⁶", "10¹²"]
