"""Gamma and beta variables of kernels against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core import types
from scipy import stats

from highseason.core.compile import compiled
from highseason.core.gamma import (
    _SURE,
    BATCH,
    DRAWN,
    A,
    B,
    beta_batch,
    beta_sample,
    gamma_sample,
    new_batch,
)
from highseason.core.jitable import jitable
from highseason.core.random import hash_at


def _many_gammas(shape: float, out: np.ndarray) -> None:
    for i in range(out.size):
        out[i] = gamma_sample(hash_at(11, i), shape)


def _many_betas(a: float, b: float, out: np.ndarray) -> None:
    for i in range(out.size):
        out[i] = beta_sample(hash_at(13, i), a, b)


def _in_batches(a: float, b: float, out: np.ndarray) -> None:
    (batch,) = new_batch()
    for first in range(0, out.size, BATCH):
        size = min(BATCH, out.size - first)
        for i in range(size):
            batch[A + i], batch[B + i] = a, b
        beta_batch(batch, size, 13, first)
        for i in range(size):
            out[first + i] = batch[DRAWN + i]


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


@pytest.mark.jit
@pytest.mark.parametrize(("a", "b"), [*PAIRS, (2.5, 0.8)])
def test_batches_have_the_bits_of_single_draws(betas, a: float, b: float) -> None:
    numbers = types.float64, types.float64, types.float64[::1]
    batches = compiled(jitable(_in_batches), types.void(*numbers))
    one_by_one, together, readable = np.empty(5000), np.empty(5000), np.empty(50)
    betas(a, b, one_by_one)
    batches(a, b, together)
    _in_batches(a, b, readable)
    assert together.tolist() == one_by_one.tolist()
    assert readable.tolist() == pytest.approx(one_by_one[:50].tolist(), rel=1e-12)


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
