"""Binomial, beta and gamma draws against SciPy's distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from highseason.core.compile import compiled
from highseason.core.random import draw, spread
from highseason.core.special import normal_quantile, quick_normal_quantile
from highseason.rewards.batches import BATCH, COUNT, SIZE, N, P, U, draw_batch
from highseason.rewards.counts import (
    STRETCHED,
    beta_draw,
    count_draw,
    gamma_quantile,
    gamma_ratio,
    normal,
    small_beta,
    way_of,
)

GRID = (np.arange(100_000) + 0.5) / 100_000


def _counts(u: np.ndarray, p: float, rho: float, out: np.ndarray) -> None:
    """The number of visitors stands in the first place of `out`."""
    n = out[0]
    for i in range(u.size):
        out[i] = count_draw(u[i], 3, n, p, rho)


def _small_rates(u: np.ndarray, mean: float, rho: float, out: np.ndarray) -> None:
    a = mean * (1.0 - rho)
    for i in range(u.size):
        out[i] = small_beta(a * gamma_ratio(normal(u[i]), rho / a), a, rho)


def _gammas(u: np.ndarray, shape: float, unused: float, out: np.ndarray) -> None:
    for i in range(u.size):
        out[i] = gamma_quantile(u[i], shape)


def _betas(u: np.ndarray, mean: float, rho: float, out: np.ndarray) -> None:
    for i in range(u.size):
        out[i] = beta_draw(u[i], 3, mean, rho)


def _batches(u: np.ndarray, p: float, rho: float, out: np.ndarray) -> None:
    """As `_counts`, eight at a time; visitors and rates differ within a batch."""
    batch, n = np.zeros(BATCH), out[0]
    for i in range(0, u.size, SIZE):
        for j in range(SIZE):
            batch[U + j], batch[N + j] = u[i + j], n + j * (n // 16.0)
            batch[P + j] = p * (1.0 - 0.05 * j)
        draw_batch(batch, SIZE, 3, rho)
        for j in range(SIZE):
            out[i + j] = batch[COUNT + j]


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


class BetaBinomial:
    """SciPy's, with a distribution function that is added up once and not for every count."""

    def __init__(self, n: int, p: float, rho: float) -> None:
        total = 1 / rho - 1
        self._exact = stats.betabinom(n, p * total, (1 - p) * total)
        self._cdf = np.cumsum(self._exact.pmf(np.arange(n + 1)))
        self.mean, self.var, self.std = self._exact.mean, self._exact.var, self._exact.std
        self.kurtosis = float(self._exact.stats("k")) + 3

    def cdf(self, at: np.ndarray) -> np.ndarray:
        return np.asarray(self._cdf[at.astype(int)])


def check_quantiles(counts: np.ndarray, exact: Any, distance: float = 0.002) -> None:
    """Counts at a grid of uniform numbers: their distribution, mean and variance."""
    at = np.unique(counts)
    shares = np.searchsorted(counts, at, side="right") / counts.size
    assert np.abs(shares - exact.cdf(at)).max() < distance
    assert counts.mean() == pytest.approx(exact.mean(), rel=1e-3, abs=2e-5)
    assert counts.var() == pytest.approx(exact.var(), rel=1e-3, abs=5e-5)
    assert (np.diff(counts) >= 0).all()


@pytest.mark.parametrize("n", [1, 2, 5, 12, 16, 30, 100, 400, 5_000, 1_000_000])
@pytest.mark.parametrize("p", [0.0005, 0.02, 0.2, 0.5, 0.77, 0.995])
def test_the_binomial_is_the_binomial(n: int, p: float) -> None:
    check_quantiles(drawn(_counts, GRID, p, 0, first=n), stats.binom(n, p), 0.0006)


@pytest.mark.parametrize("n", [1, 3, 10, 16])
@pytest.mark.parametrize("p", [0.003, 0.03, 0.5, 0.8])
@pytest.mark.parametrize("rho", [1e-6, 0.001, 0.05, 0.5, 0.999])
def test_among_few_visitors_the_beta_binomial_is_exact(n: int, p: float, rho: float) -> None:
    counts = drawn(_counts, GRID, p, rho, first=n)
    exact = BetaBinomial(n, p, rho)
    shares = np.searchsorted(counts, np.arange(n + 1), side="right") / GRID.size
    assert np.abs(shares - exact.cdf(np.arange(n + 1))).max() < 1.01 / GRID.size


@pytest.mark.parametrize("n", [40, 133, 500, 3_000, 100_000])
@pytest.mark.parametrize(("p", "worth"), [(0.004, 25), (0.03, 21), (0.2, 40), (0.5, 30), (0.9, 90)])
def test_counts_are_expanded_at_once_where_rates_vary_little(
    n: int, p: float, worth: float
) -> None:
    """`worth` is the smaller shape of the rates' beta distribution."""
    rho = 1 / (1 + worth / min(p, 1 - p))
    exact = BetaBinomial(n, p, rho)
    if exact.var() >= 4:
        check_quantiles(drawn(_counts, GRID, p, rho, first=n), exact)


@pytest.mark.parametrize("buyers", [8.1, 13, 60, 500])
@pytest.mark.parametrize("p", [0.004, 0.03, 0.069])
@pytest.mark.parametrize("worth", [1.92, 3, 12])
def test_counts_of_small_rates_are_stretched_rates(buyers: float, p: float, worth: float) -> None:
    n, rho = math.ceil(buyers / p), 1 / (1 + worth / p)
    assert way_of(n, p, rho) == STRETCHED
    check_quantiles(drawn(_counts, GRID, p, rho, first=n), BetaBinomial(n, p, rho))


@pytest.mark.parametrize("n", [25, 250, 4_000])
@pytest.mark.parametrize("buyers", [0.3, 2, 7.9])
@pytest.mark.parametrize("rho", [1e-7, 0.001, 0.01, 0.03])
def test_few_buyers_among_many_visitors_are_searched_for(n: int, buyers: float, rho: float) -> None:
    p = buyers / n
    counts = drawn(_counts, GRID, p, rho, first=n)
    exact = BetaBinomial(n, p, rho)
    if p * (1 / rho - 1) < 20 or exact.var() < 4:  # others are expanded
        shares = np.searchsorted(counts, np.arange(n + 1), side="right") / GRID.size
        assert np.abs(shares - exact.cdf(np.arange(n + 1))).max() < 1.1 / GRID.size


@pytest.mark.parametrize("n", [5, 30, 130, 1_000, 30_000])
@pytest.mark.parametrize("p", [0.004, 0.03, 0.3, 0.9])
@pytest.mark.parametrize("rho", [0, 1e-9, 0.001, 0.01, 0.1, 1])
def test_eight_at_a_time_are_the_same_counts(n: int, p: float, rho: float) -> None:
    u = uniforms(80 * SIZE)
    counts = drawn(_batches, u, p, rho, first=n)
    visitors = [n + j * (n // 16) for j in range(SIZE)]
    wanted = [
        drawn(_counts, u[j::SIZE].copy(), p * (1.0 - 0.05 * j), rho, first=visitors[j])
        for j in range(SIZE)
    ]
    assert counts.tolist() == np.array(wanted).T.ravel().tolist()


@given(
    u=st.floats(0, 1, exclude_max=True),
    n=st.integers(1, 2_000_000),
    p=st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1e-12, 0.5, 1 - 1e-9]),
    rho=st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1e-12, 1 - 1e-9]),
)
def test_any_count_is_a_whole_number_within_its_range(
    u: float, n: int, p: float, rho: float
) -> None:
    count = count_draw(u, 3, float(n), p, rho)
    assert 0 <= count <= n
    assert count == int(count)


@given(u=st.floats(0, 1, exclude_max=True), n=st.integers(1, 60), p=st.floats(0.001, 0.06))
def test_small_counts_are_exact(u: float, n: int, p: float) -> None:
    count = count_draw(u, 3, float(n), p, 0.0)
    below, upto = stats.binom.cdf([count - 1, count], n, p)
    assert below - 1e-12 <= u <= upto + 1e-12


@pytest.mark.parametrize("shape", [1.6, 2, 2.5, 3.7, 6, 20, 300, 1e5])
def test_gamma_quantiles_are_gamma(shape: float) -> None:
    values = drawn(_gammas, GRID, shape, 0)
    assert np.abs(special.gammainc(shape, values) - GRID).max() < 0.002
    assert values.mean() == pytest.approx(shape, rel=2e-4)
    assert values.var() == pytest.approx(stats.gamma.ppf(GRID, shape).var(), rel=9e-4)


@pytest.mark.parametrize("rho", [1e-4, 0.002, 0.01])
@pytest.mark.parametrize("mean", [0.017, 0.03, 0.069])
def test_small_rates_of_a_turn_have_their_mean_and_variance(mean: float, rho: float) -> None:
    rates = drawn(_small_rates, GRID, mean, rho)
    exact = stats.beta(mean * (1 / rho - 1), (1 - mean) * (1 / rho - 1))
    assert np.abs(exact.cdf(rates) - GRID).max() < 0.002
    assert rates.mean() == pytest.approx(mean, rel=3e-4)
    assert rates.var() == pytest.approx(exact.ppf(GRID).var(), rel=1e-3)


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


def check_draws(n: int, p: float, rho: float, count: int) -> None:
    """Random draws: within the tolerances, and what chance adds to them."""
    counts = drawn(_counts, uniforms(count), p, rho, first=n)
    exact = BetaBinomial(n, p, rho)
    at = np.unique(counts)
    shares = np.searchsorted(np.sort(counts), at, side="right") / count
    chance = 1.95 / math.sqrt(count)  # one in a thousand
    assert np.abs(shares - exact.cdf(at)).max() < 0.002 + chance, (n, p, rho)
    mean, variance = exact.mean(), exact.var()
    assert abs(counts.mean() / mean - 1) < 0.001 + 4 * exact.std() / mean / math.sqrt(count)
    off = abs(((counts - mean) ** 2).mean() / variance - 1)
    assert off < 0.001 + 4 * math.sqrt((exact.kurtosis - 1) / count), (n, p, rho)


@pytest.mark.parametrize("n", [3, 25, 300, 4000])
@pytest.mark.parametrize(("p", "rho"), [(0.03, 0.01), (0.3, 0.05), (0.02, 0.7), (0.002, 0.001)])
def test_visitors_are_beta_binomial(n: int, p: float, rho: float) -> None:
    check_draws(n, p, rho, 200_000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_visitors_are_beta_binomial_everywhere(seed: int) -> None:
    """Sizes, rates and correlations over their whole ranges."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        n = int(10 ** rng.uniform(0, 6))
        p = 10 ** rng.uniform(-3.5, math.log10(0.5))
        p = p if rng.random() < 0.8 else 1 - p
        check_draws(n, p, 10 ** rng.uniform(-5, -0.05), 2_000_000)


def test_with_correlation_1_a_turn_is_one_coin() -> None:
    assert set(drawn(_counts, uniforms(1000), 0.3, 1.0, first=50)) == {0.0, 50.0}


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


@given(st.floats(1e-7, 1 - 1e-7) | st.floats(1e-7, 1e-3))
def test_the_quick_quantile_is_close(u: float) -> None:
    assert quick_normal_quantile(u) == pytest.approx(normal_quantile(u), abs=4.1e-5)
