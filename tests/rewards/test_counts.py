"""Binomial, beta and gamma draws against SciPy's distributions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from highseason.core.compile import compiled
from highseason.core.random import draw, spread
from highseason.core.special import normal_quantile, quick_normal_quantile
from highseason.rewards.counts import beta_draw, binomial_quantile, gamma_quantile
from highseason.rewards.visitors import VisitorNoise, visitor_reward

GRID = (np.arange(100_000) + 0.5) / 100_000


def _binomials(u: np.ndarray, n: float, p: float, out: np.ndarray) -> None:
    for i in range(u.size):
        out[i] = binomial_quantile(u[i], n, p)


def _gammas(u: np.ndarray, shape: float, unused: float, out: np.ndarray) -> None:
    for i in range(u.size):
        out[i] = gamma_quantile(u[i], shape)


def _betas(u: np.ndarray, mean: float, rho: float, out: np.ndarray) -> None:
    for i in range(u.size):
        out[i] = beta_draw(u[i], 3, mean, rho)


def _rates(u: np.ndarray, rate: float, rho: float, out: np.ndarray) -> None:
    """The number of visitors stands in the first place of `out`."""
    noise, n = VisitorNoise(1.0, rho, 0.0), out[0]
    for i in range(u.size):
        out[i] = visitor_reward(u[i], rate, noise, n)


def drawn(
    fill: Callable[..., None], u: np.ndarray, *numbers: float, first: float = 0
) -> np.ndarray:
    from numba.core import types

    row, number = types.float64[::1], types.float64
    out = np.full(u.size, float(first))
    compiled(fill, types.void(row, number, number, row))(u, *map(float, numbers), out)
    return out


def uniforms(count: int) -> np.ndarray:
    return np.asarray(draw(np.uint64(7), np.arange(count, dtype=np.uint64)))


@pytest.mark.parametrize("n", [1, 2, 5, 12, 16, 30, 100, 400, 5_000, 1_000_000])
@pytest.mark.parametrize("p", [0.0005, 0.02, 0.2, 0.5, 0.77, 0.995])
def test_the_binomial_is_the_binomial(n: int, p: float) -> None:
    counts = drawn(_binomials, GRID, n, p)
    exact = stats.binom(n, p)
    at = np.unique(counts)
    distance = np.abs(np.searchsorted(counts, at, side="right") / GRID.size - exact.cdf(at)).max()
    assert distance < 0.0006
    assert counts.mean() == pytest.approx(exact.mean(), rel=5e-4, abs=2e-5)
    assert counts.var() == pytest.approx(exact.var(), rel=7e-4, abs=5e-5)
    assert (np.diff(counts) >= 0).all()


@given(
    u=st.floats(0, 1, exclude_max=True),
    n=st.integers(1, 2_000_000),
    p=st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1e-12, 0.5, 1 - 1e-9]),
)
def test_any_count_is_a_whole_number_within_its_range(u: float, n: int, p: float) -> None:
    count = binomial_quantile(u, float(n), p)
    assert 0 <= count <= n
    assert count == int(count)


@given(u=st.floats(0, 1, exclude_max=True), n=st.integers(1, 60), p=st.floats(0.001, 0.06))
def test_small_counts_are_exact(u: float, n: int, p: float) -> None:
    count = binomial_quantile(u, float(n), p)
    below, upto = stats.binom.cdf([count - 1, count], n, p)
    assert below - 1e-12 <= u <= upto + 1e-12


@pytest.mark.parametrize("shape", [3, 3.7, 6, 20, 300, 1e5])
def test_gamma_quantiles_are_gamma(shape: float) -> None:
    values = drawn(_gammas, GRID, shape, 0)
    assert np.abs(special.gammainc(shape, values) - GRID).max() < 2e-4
    assert values.mean() == pytest.approx(shape, rel=1e-4)
    assert values.var() == pytest.approx(stats.gamma.ppf(GRID, shape).var(), rel=9e-4)


@pytest.mark.parametrize("rho", [1e-4, 0.01, 0.05, 0.2, 0.5])
@pytest.mark.parametrize("mean", [0.02, 0.069, 0.071, 0.4, 0.9])
def test_rates_of_a_turn_are_beta(mean: float, rho: float) -> None:
    count = 400_000
    rates = drawn(_betas, uniforms(count), mean, rho)
    exact = stats.beta(mean * (1 / rho - 1), (1 - mean) * (1 / rho - 1))
    at = exact.ppf(np.linspace(0.002, 0.998, 499))
    at = at[at < 1.0 - 1e-9]  # so near to 1, numbers round
    shares = np.searchsorted(np.sort(rates), at, side="right") / count
    assert np.abs(shares - exact.cdf(at)).max() < 0.003
    fourth = ((rates - mean) ** 4).mean()
    assert rates.mean() == pytest.approx(mean, abs=4 * exact.std() / math.sqrt(count))
    error = math.sqrt((fourth - exact.var() ** 2) / count)
    assert rates.var() == pytest.approx(exact.var(), abs=4 * error)


@pytest.mark.parametrize("n", [1, 3, 25, 300])
@pytest.mark.parametrize(("rate", "rho"), [(0.03, 0.0), (0.03, 0.01), (0.3, 0.05), (0.02, 0.7)])
def test_visitors_are_beta_binomial(n: int, rate: float, rho: float) -> None:
    count = 200_000
    buyers = n * drawn(_rates, uniforms(count), rate, rho, first=n)
    exact = (
        stats.betabinom(n, rate * (1 / rho - 1), (1 - rate) * (1 / rho - 1))
        if rho
        else stats.binom(n, rate)
    )
    shares = np.bincount(buyers.round().astype(int), minlength=n + 1) / count
    distance = np.abs(np.cumsum(shares) - exact.cdf(np.arange(n + 1))).max()
    assert distance < 1.95 / math.sqrt(count)  # one in a thousand by chance
    assert buyers.var() == pytest.approx(n * rate * (1 - rate) * (1 + (n - 1) * rho), rel=0.03)


def test_with_correlation_1_a_turn_is_one_coin() -> None:
    assert set(drawn(_rates, uniforms(1000), 0.3, 1.0, first=50)) == {0.0, 1.0}


@given(u=st.integers(0, 2**53 - 1), place=st.integers(0, 40))
def test_further_numbers_lie_inside(u: int, place: int) -> None:
    value = spread(u * 2.0**-53, place)
    assert 0.0 < value < 1.0
    assert value == spread(u * 2.0**-53, place)


def test_further_numbers_are_independent_of_each_other_and_of_the_first() -> None:
    first = uniforms(20_000).tolist()
    table = np.array([[u, *(spread(u, place) for place in range(4))] for u in first])
    correlation = np.corrcoef(table.T) - np.eye(5)
    assert np.abs(correlation).max() < 4 / math.sqrt(len(first))
    for column in table.T:
        assert stats.kstest(column, "uniform").pvalue > 1e-4


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_the_quick_quantile_is_close(u: float) -> None:
    assert quick_normal_quantile(u) == pytest.approx(normal_quantile(u), abs=4.1e-5)
