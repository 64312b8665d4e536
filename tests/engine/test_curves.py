from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import highseason as hs
from highseason.engine.results import BINS, Curves

WEIGHT = np.array([10.0, 30.0])


def filled(values: np.ndarray, blocks: int = 1) -> Curves:
    curves = Curves.empty(np.array([1, 2]), np.zeros(2), WEIGHT, policies=2)
    for part in np.array_split(values, blocks):
        curves.add(1, part.sum(axis=0), curves.binned(part))
    curves.add(0, np.zeros(2), curves.binned(np.zeros((1, 2))))
    return curves


def bin_width(value: float, weight: float) -> float:
    """How wide the bin is that holds `value`: bins are even in the square root."""
    return weight * ((np.sqrt(value / weight) + 1 / BINS) ** 2 - value / weight)


@given(
    shares=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40),
    q=st.floats(0.001, 1),
    blocks=st.integers(1, 3),
)
def test_means_are_exact_and_quantiles_right_to_a_bin(
    shares: list[tuple[float, float]], q: float, blocks: int
) -> None:
    values = np.array(shares) * WEIGHT
    curves = filled(values, blocks)
    np.testing.assert_allclose(curves.mean[1], values.mean(axis=0), rtol=1e-12, atol=1e-12)
    found = curves.quantile(q)[1]
    for column in range(2):
        ordered = np.sort(values[:, column])
        # a share q of the games stays below: between the neighbouring games, give or take a bin
        at = q * ordered.size
        low = ordered[max(0, int(np.ceil(at - 1e-9)) - 1)]
        high = ordered[min(ordered.size - 1, int(np.floor(at + 1e-9)))]
        assert low - bin_width(low, WEIGHT[column]) <= found[column] + 1e-9
        assert found[column] <= high + bin_width(high, WEIGHT[column]) + 1e-9


def test_quantiles_of_many_games_are_numpys() -> None:
    values = np.random.default_rng(0).beta(2, 5, size=(5000, 2)) * WEIGHT
    curves = filled(values, blocks=3)
    for q in (0.05, 0.25, 0.5, 0.9, 0.99):
        exact = np.quantile(values, q, axis=0)
        np.testing.assert_allclose(curves.quantile(q)[1], exact, atol=2e-3 * WEIGHT.max())


def test_the_least_game_is_the_quantile_of_zero() -> None:
    values = np.full((9, 2), 0.5) * WEIGHT
    np.testing.assert_allclose(filled(values).quantile(0.0)[1], 0.5 * WEIGHT, rtol=0.01)


@pytest.mark.parametrize("q", [-0.1, 1.1, float("nan")])
def test_a_quantile_lies_between_0_and_1(q: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        filled(np.ones((1, 2))).quantile(q)


def test_what_lies_outside_counts_in_the_outer_bins() -> None:
    values = np.array([[-1.0, 31.0]])
    curves = filled(values)
    assert curves.mean[1].tolist() == [-1.0, 31.0]
    assert curves.counts[1, 0, 0] == 1
    assert curves.counts[1, 1, -1] == 1


def test_curves_of_a_simulation_end_in_its_totals() -> None:
    G = hs.traffic.wave(90)
    result = hs.simulate(
        [hs.UCB(), hs.Greedy()], hs.rewards.bernoulli(arms=5), G, games=400, seed=1, curves=30
    )
    assert result.games is not None
    for metric in ("reward", "regret"):
        curve = result.curves[metric]
        np.testing.assert_allclose(curve.mean[:, -1], result.moments[metric].mean, rtol=1e-12)
        assert (np.diff(curve.mean, axis=1) >= 0).all()
        median = np.quantile(result.games[metric], 0.5, axis=1)
        np.testing.assert_allclose(curve.quantile(0.5)[:, -1], median, rtol=0.02)
        assert (curve.quantile(0.1) <= curve.quantile(0.9)).all()


def test_small_regrets_are_distinguished() -> None:
    # Even in the square root: a thousandth of the range is not all one bin.
    values = np.linspace(0, 1e-3, 50)[:, None] * WEIGHT
    assert np.count_nonzero(filled(values).counts[1, 0]) > 30


def test_losses_have_bins_of_their_own() -> None:
    least, most = np.array([-10.0]), np.array([10.0])
    curves = Curves.empty(np.array([1]), least, most, policies=1)
    values = np.array([[-9.0], [-5.0], [4.0]])
    curves.add(0, values.sum(axis=0), curves.binned(values))
    assert curves.quantile(0.5)[0, 0] == pytest.approx(-5.0, abs=0.05)
    assert curves.mean[0, 0] == pytest.approx(-10 / 3)
