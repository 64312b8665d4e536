"""How many visitors buy, against SciPy's distributions."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from highseason.core.compile import compiled
from highseason.core.random import draw, further
from highseason.core.special import normal_quantile, quick_normal_quantile
from highseason.rewards.visitors import _expanded, beta_draw, count_draw

GRID = (np.arange(100_000) + 0.5) / 100_000


def _counts(u: np.ndarray, p: float, rho: float, out: np.ndarray) -> None:
    """The number of visitors stands in the first place of `out`."""
    n = out[0]
    for i in range(u.size):
        out[i] = count_draw(u[i], n, p, rho)


def _betas(u: np.ndarray, mean: float, rho: float, out: np.ndarray) -> None:
    for i in range(u.size):
        out[i] = beta_draw(u[i], 3, mean, rho)


def drawn(
    fill: Callable[..., None], u: np.ndarray, *numbers: float, first: float = 0
) -> np.ndarray:
    from numba import types

    row, number = types.float64[::1], types.float64
    out = np.full(u.size, float(first))
    compiled(fill, types.void(row, number, number, row))(u, *map(float, numbers), out)
    return out


@functools.cache
def uniforms(count: int) -> np.ndarray:
    return np.asarray(draw(np.uint64(7), np.arange(count, dtype=np.uint64)))


class BetaBinomial:
    """SciPy's, with a distribution function that is added up once and not for every count."""

    def __init__(self, n: int, p: float, rho: float) -> None:
        total = 1 / rho - 1
        self._exact = stats.betabinom(n, p * total, (1 - p) * total)
        self.pmf = self._exact.pmf(np.arange(n + 1))
        self._cdf = np.cumsum(self.pmf)
        self.mean, self.var, self.std = self._exact.mean, self._exact.var, self._exact.std
        self.kurtosis = float(self._exact.stats("k")) + 3

    def cdf(self, at: np.ndarray) -> np.ndarray:
        return np.asarray(self._cdf[at.astype(int)])


@pytest.mark.parametrize("n", [1, 2, 5, 12, 16, 30, 100, 400, 5_000, 1_000_000])
@pytest.mark.parametrize("p", [0.0005, 0.02, 0.2, 0.5, 0.77, 0.995])
def test_the_binomial_is_the_binomial(n: int, p: float) -> None:
    """Counts at a grid of uniform numbers: their distribution, mean and variance."""
    counts, exact = drawn(_counts, GRID, p, 0, first=n), stats.binom(n, p)
    at = np.unique(counts)
    shares = np.searchsorted(counts, at, side="right") / counts.size
    assert np.abs(shares - exact.cdf(at)).max() < 0.0006
    assert counts.mean() == pytest.approx(exact.mean(), rel=1e-3, abs=2e-5)
    assert counts.var() == pytest.approx(exact.var(), rel=1e-3, abs=5e-5)
    assert (np.diff(counts) >= 0).all()


@given(
    u=st.floats(0, 1, exclude_max=True),
    n=st.integers(0, 2_000_000),
    p=st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1e-12, 0.5, 1 - 1e-9]),
    rho=st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1e-12, 1 - 1e-9]),
)
def test_any_count_is_a_whole_number_within_its_range(
    u: float, n: int, p: float, rho: float
) -> None:
    count = count_draw(u, float(n), p, rho)
    assert 0 <= count <= n
    assert count == int(count)
    assert count_draw(u, float(n), 0.0, rho) == 0
    assert count_draw(u, float(n), 1.0, rho) == n


@given(u=st.floats(0, 1, exclude_max=True), n=st.integers(1, 60), p=st.floats(0.001, 0.06))
def test_small_counts_are_exact(u: float, n: int, p: float) -> None:
    count = count_draw(u, float(n), p, 0.0)
    below, upto = stats.binom.cdf([count - 1, count], n, p)
    assert below - 1e-12 <= u <= upto + 1e-12


@given(u=st.floats(0, 1, exclude_max=True), p=st.floats(0, 1), rho=st.floats(0, 1))
def test_one_visitor_is_one_coin_and_no_visitor_buys_nothing(
    u: float, p: float, rho: float
) -> None:
    assume(abs(u - (1 - p)) > 1e-12)
    assert count_draw(u, 1.0, p, rho) == float(u >= 1 - p)
    assert count_draw(u, 0.0, p, rho) == 0.0


@pytest.mark.parametrize("rho", [1e-4, 0.01, 0.05, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("mean", [0.02, 0.069, 0.071, 0.4, 0.9])
def test_rates_of_a_turn_are_beta(mean: float, rho: float) -> None:
    count = 400_000
    rates = drawn(_betas, uniforms(count), mean, rho)
    exact = stats.beta(mean * (1 / rho - 1), (1 - mean) * (1 / rho - 1))
    at = exact.ppf(np.linspace(0.002, 0.998, 499))
    at = at[at < 1.0 - 1e-9]  # so near to 1, numbers round
    shares = np.searchsorted(np.sort(rates), at, side="right") / count
    assert np.abs(shares - exact.cdf(at)).max() < 2.3 / math.sqrt(count)
    fourth = ((rates - mean) ** 4).mean()
    assert rates.mean() == pytest.approx(mean, abs=4 * exact.std() / math.sqrt(count))
    error = math.sqrt((fourth - exact.var() ** 2) / count)
    assert rates.var() == pytest.approx(exact.var(), abs=4 * error)


def check_draws(n: int, p: float, rho: float, count: int) -> None:
    """Random draws: as near to the distribution as chance allows."""
    counts = drawn(_counts, uniforms(count), p, rho, first=n)
    exact = BetaBinomial(n, p, rho)
    at = np.unique(counts)
    shares = np.searchsorted(np.sort(counts), at, side="right") / count
    distance = np.abs(shares - exact.cdf(at)).max()
    assert distance < 0.0006 + 1.95 / math.sqrt(count), (n, p, rho)  # one in a thousand
    mean, variance = exact.mean(), exact.var()
    assert abs(counts.mean() / mean - 1) < 0.001 + 4 * exact.std() / mean / math.sqrt(count)
    off = abs(((counts - mean) ** 2).mean() / variance - 1)
    assert off < 0.001 + 4 * math.sqrt((exact.kurtosis - 1) / count), (n, p, rho)


@pytest.mark.parametrize("n", [2, 3, 16, 25, 300, 4000])
@pytest.mark.parametrize("p", [0.002, 0.03, 0.5, 0.9])
@pytest.mark.parametrize("rho", [1e-4, 0.01, 0.1, 0.5, 0.999])
def test_visitors_are_beta_binomial(n: int, p: float, rho: float) -> None:
    check_draws(n, p, rho, 200_000)


@pytest.mark.parametrize(("p", "rho"), [(0.03, 1e-4), (0.03, 0.01), (0.4, 0.999)])
def test_a_million_visitors_are_beta_binomial(p: float, rho: float) -> None:
    check_draws(1_000_000, p, rho, 200_000)


@pytest.mark.parametrize("n", [2, 30, 1000])
@pytest.mark.parametrize("p", [0.03, 0.5])
@pytest.mark.parametrize("rho", [0.99, 0.999, 0.999999])
def test_nearly_alike_visitors_disagree_as_often_as_they_should(
    n: int, p: float, rho: float
) -> None:
    """Turns in which some buy and others do not: rare, and half as rare if rates underflow."""
    counts = drawn(_counts, uniforms(2_000_000), p, rho, first=n)
    exact = BetaBinomial(n, p, rho)
    mixed = float(exact.pmf[1:n].sum())
    chance = 4 * math.sqrt(mixed / counts.size)
    assert np.mean((counts > 0) & (counts < n)) == pytest.approx(mixed, abs=chance)
    shares = counts / n
    disagreement = p * (1 - p) * (1 - rho) * (1 - 1 / n)
    assert (shares * (1 - shares)).mean() == pytest.approx(disagreement, abs=chance / 4)


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


def test_further_numbers_are_independent_of_each_other_and_of_the_first() -> None:
    first = uniforms(20_000).tolist()
    table = np.array([[u, *(draw(further(u), place) for place in range(4))] for u in first])
    correlation = np.corrcoef(table.T) - np.eye(5)
    assert np.abs(correlation).max() < 4 / math.sqrt(len(first))
    for column in table.T:
        assert stats.kstest(column, "uniform").pvalue > 1e-4


@given(st.floats(1e-7, 1 - 1e-7) | st.floats(1e-7, 1e-3))
def test_the_quick_quantile_is_close(u: float) -> None:
    assert quick_normal_quantile(u) == pytest.approx(normal_quantile(u), abs=4.1e-5)


@pytest.mark.parametrize(("n", "p"), [(40, 0.12), (60, 0.45), (900, 0.005), (25, 0.3)])
def test_the_expansion_is_that_of_cornish_and_fisher(n: int, p: float) -> None:
    """With the cumulants of a binomial, less those of rounding."""
    q, v = 1 - p, n * p * (1 - p)
    sd = math.sqrt(v - 1 / 12)
    third, fourth = v * (q - p) / sd**3, (v * (1 - 6 * p * q) + 1 / 120) / sd**4
    fifth = v * (q - p) * (1 - 12 * p * q) / sd**5
    for z in np.linspace(-3.5, 3.5, 3001).tolist():
        w = z + third * (z**2 - 1) / 6
        w += fourth * (z**3 - 3 * z) / 24 - third**2 * (2 * z**3 - 5 * z) / 36
        w += fifth * (z**4 - 6 * z**2 + 3) / 120 - third * fourth * (z**4 - 5 * z**2 + 2) / 24
        w += third**3 * (12 * z**4 - 53 * z**2 + 17) / 324
        assert _expanded(z, n, p) == min(max(math.floor(n * p + sd * w + 0.5), 0), n)


def test_a_rate_with_correlation_1_is_0_or_1_as_often_as_its_mean_says() -> None:
    luck = (np.arange(4000) + 0.5) / 4000
    drawn = [beta_draw(float(u), 0, 0.3, 1.0) for u in luck]
    assert set(drawn) == {0.0, 1.0}
    assert np.mean(drawn) == pytest.approx(0.3, abs=0.03)
