"""Gamma and beta variables of kernels against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core import types
from scipy import stats

from highseason.core.compile import compiled
from highseason.core.gamma import beta_sample, gamma_sample
from highseason.core.jitable import jitable
from highseason.core.random import hash_at


def _many_gammas(shape: float, out: np.ndarray) -> None:
    for i in range(out.size):
        out[i] = gamma_sample(hash_at(11, i), shape)


def _many_betas(a: float, b: float, out: np.ndarray) -> None:
    for i in range(out.size):
        out[i] = beta_sample(hash_at(13, i), a, b)


@pytest.fixture(scope="module")
def gammas():
    return compiled(jitable(_many_gammas), types.void(types.float64, types.float64[::1]))


@pytest.fixture(scope="module")
def betas():
    numbers = types.float64, types.float64, types.float64[::1]
    return compiled(jitable(_many_betas), types.void(*numbers))


PAIRS = [(1, 1), (0.2, 0.3), (2, 1), (3, 40), (500, 1), (4e4, 9e4)]


@pytest.mark.parametrize("shape", [0.1, 0.7, 1.0, 1.5, 4.0, 300.0])
def test_gamma_variables_are_distributed_as_such(gammas, shape: float) -> None:
    out = np.empty(100_000)
    gammas(shape, out)
    assert stats.kstest(out, stats.gamma(shape).cdf).pvalue > 1e-4


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_beta_variables_are_distributed_as_such(betas, a: float, b: float) -> None:
    out = np.empty(100_000)
    betas(a, b, out)
    assert stats.kstest(out, stats.beta(a, b).cdf).pvalue > 1e-4
    assert stats.kstest(out, stats.beta(1.05 * a, b).cdf).pvalue < 1e-4  # it would notice


@pytest.mark.jit
@pytest.mark.parametrize(("a", "b"), [*PAIRS, (2.5, 0.8)])
def test_machine_code_gives_the_same_numbers(betas, a: float, b: float) -> None:
    out = np.empty(200)
    betas(a, b, out)
    assert out.tolist() == pytest.approx(
        [beta_sample(hash_at(13, i), a, b) for i in range(200)], rel=1e-12
    )
