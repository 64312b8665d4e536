"""Gamma and beta variables of kernels against SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import types
from scipy import special, stats

from highseason.core.compile import compiled
from highseason.core.gamma import (
    _SURE,
    BETA_NUMBERS,
    GAMMA_NUMBERS,
    _first_try,
    beta_sample,
    gamma_sample,
)
from highseason.core.jitable import jitable
from highseason.core.random import draw
from highseason.core.special import quick_normal_quantile

COUNT = 100_000
#: The Kolmogorov distance that one sample in 20,000 exceeds by chance.
CHANCE = 2.3 / math.sqrt(COUNT)


def _many_gammas(shape: float, out: np.ndarray) -> None:
    for i in range(out.size):
        out[i] = gamma_sample(11, i * BETA_NUMBERS, shape)


def _many_betas(a: float, b: float, out: np.ndarray) -> None:
    for i in range(out.size):
        out[i] = beta_sample(13, i * BETA_NUMBERS, a, b)


@pytest.fixture(scope="module")
def gammas():
    return compiled(jitable(_many_gammas), types.void(types.float64, types.float64[::1]))


@pytest.fixture(scope="module")
def betas():
    numbers = types.float64, types.float64, types.float64[::1]
    return compiled(jitable(_many_betas), types.void(*numbers))


PAIRS = [(1, 1), (0.2, 0.3), (2, 1), (3, 40), (500, 1), (4e4, 9e4), (0.4, 13), (30, 970)]


@pytest.mark.parametrize("shape", [0.02, 0.1, 0.7, 0.999, 1.0, 1.5, 4.0, 300.0, 1e7])
def test_gamma_variables_are_distributed_as_such(gammas, shape: float) -> None:
    out = np.empty(COUNT)
    gammas(shape, out)
    assert stats.kstest(out, stats.gamma(shape).cdf).statistic < CHANCE
    error = 4 / math.sqrt(COUNT)
    assert out.mean() == pytest.approx(shape, abs=error * math.sqrt(shape))
    assert out.var() == pytest.approx(shape, rel=error * math.sqrt(2 + 6 / shape))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_beta_variables_are_distributed_as_such(betas, a: float, b: float) -> None:
    out = np.empty(COUNT)
    betas(a, b, out)
    assert stats.kstest(out, stats.beta(a, b).cdf).statistic < CHANCE
    assert stats.kstest(out, stats.beta(1.05 * a, b).cdf).pvalue < 1e-4  # it would notice


@pytest.mark.parametrize("mean", [0.02, 0.5, 0.97])
@pytest.mark.parametrize("total", [1e-6, 1e-3, 0.1])
def test_beta_variables_of_tiny_shapes_are_not_only_0_and_1(
    betas, mean: float, total: float
) -> None:
    """Gamma variables of such shapes are too small for numbers."""
    out = np.empty(10 * COUNT)
    a, b = mean * total, (1 - mean) * total
    betas(a, b, out)
    for low, high in ((0.0, 1e-200), (1e-200, 1e-9), (1e-9, 0.5), (0.5, 1 - 1e-9)):
        exact = special.betainc(a, b, high) - special.betainc(a, b, low)
        share = np.mean((out > low) & (out <= high)) + (low == 0.0) * np.mean(out == 0.0)
        assert share == pytest.approx(exact, abs=4 * math.sqrt(exact / out.size) + 3 / out.size)


@pytest.mark.jit
@pytest.mark.parametrize(("a", "b"), [*PAIRS, (2.5, 0.8), (1e-310, 1e-5)])
def test_machine_code_gives_the_same_numbers(betas, a: float, b: float) -> None:
    out = np.empty(200)
    betas(a, b, out)
    assert out.tolist() == pytest.approx(
        [beta_sample(13, i * BETA_NUMBERS, a, b) for i in range(200)], rel=1e-12
    )


@pytest.mark.parametrize("shape", [1.0, 1.1, 2.0, 7.0, 100.0, 1e5])
def test_what_is_accepted_without_a_logarithm_would_be_accepted_with_one(shape: float) -> None:
    d = shape - 1 / 3
    x = np.linspace(-9, 9, 20_001)
    t = x / np.sqrt(9 * d)
    x, t = x[t > -1], t[t > -1]
    accepted = np.exp(0.5 * x**2 + d * (1 - (1 + t) ** 3 + 3 * np.log1p(t)))
    sure = 1 - _SURE / (9 * d) * x**4
    assert (sure <= accepted + 1e-9).all()
    assert sure[abs(x) < 1].min() > 0.5  # and it accepts most


def test_shapes_below_one_follow_scipy() -> None:
    drawn = [gamma_sample(7, i * BETA_NUMBERS, 0.4) for i in range(3000)]
    assert stats.kstest(drawn, stats.gamma(0.4).cdf).pvalue > 0.001


def marsaglia_and_tsang(key: int, place: int, shape: float) -> float:
    """The logarithm of a gamma variable as their paper has it, without a squeeze."""
    if shape < 1.0:
        boost = math.log(1.0 - draw(key, place)) / shape
        return marsaglia_and_tsang(key, place, shape + 1.0) + boost
    d = shape - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        x, u = quick_normal_quantile(draw(key, place + 1)), draw(key, place + 2)
        v = (1 + c * x) ** 3
        if v > 0 and (u == 0 or math.log(u) < x * x / 2 + d - d * v + d * math.log(v)):
            return math.log(d * v)
        place += 2


@pytest.mark.parametrize("shape", [1e-3, 0.4, 0.999, 1.0, 1.7, 40.0, 1e6])
def test_every_draw_is_that_of_the_paper(shape: float) -> None:
    for place in range(0, 800 * GAMMA_NUMBERS, GAMMA_NUMBERS):
        one = marsaglia_and_tsang(5, place, shape)
        other = marsaglia_and_tsang(5, place + GAMMA_NUMBERS, 1.3)
        assert gamma_sample(5, place, shape) == pytest.approx(math.exp(one), rel=1e-9)
        share = 1 / (1 + math.exp(min(700.0, other - one)))
        assert beta_sample(5, place, shape, 1.3) == pytest.approx(share, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(("shape", "most"), [(1.0, 0.92), (3.0, 0.96), (300.0, 0.98)])
def test_most_draws_need_no_logarithm(shape: float, most: float) -> None:
    sure = [_first_try(3, place, shape)[1] for place in range(0, 3000 * 2, 2)]
    assert np.mean(sure) > most
