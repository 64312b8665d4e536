"""The Beta distribution of kernels against SciPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from highseason.core.special import beta_call, log_beta, log_gamma, normal_call

shapes = st.floats(0.05, 900.0)


@given(st.floats(1e-3, 1e6))
def test_log_gamma(x: float) -> None:
    assert log_gamma(x) == pytest.approx(special.gammaln(x), rel=1e-12, abs=1e-12)


@given(shapes, shapes, st.floats(0.001, 0.999))
def test_tail_is_the_survival_function(a: float, b: float, x: float) -> None:
    _, tail, density = beta_call(a, b, log_beta(a, b), x)
    assert tail == pytest.approx(stats.beta.sf(x, a, b), rel=1e-8, abs=1e-11)
    assert density == pytest.approx(stats.beta.pdf(x, a, b), rel=1e-8, abs=1e-200)


@pytest.mark.parametrize(
    ("a", "b", "x"), [(0.5, 0.5, 0.7), (1, 1, 0.25), (3, 40, 0.2), (80, 20, 0.9)]
)
def test_call_is_the_integral_of_the_tail(a: float, b: float, x: float) -> None:
    call, _, _ = beta_call(a, b, log_beta(a, b), x)
    area, _ = integrate.quad(lambda y: stats.beta.sf(y, a, b), x, 1.0)
    assert call == pytest.approx(area, rel=1e-7)


@given(st.floats(0.01, 0.99), st.floats(2e3, 1e5), st.floats(-5.0, 5.0))
def test_normal_call_is_within_its_bounds(p: float, variance: float, z: float) -> None:
    """Over all p and z the errors reach 0.037 and 0.065: what is left out is of that order."""
    n = variance / (p * (1 - p))
    a, b, sd = p * n, (1 - p) * n, math.sqrt(p * (1 - p) / (n + 1))
    x = p + z * sd
    call, tail, _ = normal_call(a, b, x)
    assert tail == pytest.approx(stats.beta.sf(x, a, b), rel=0, abs=0.07 / variance)
    exact = p * stats.beta.sf(x, a + 1, b) - x * stats.beta.sf(x, a, b)
    assert call == pytest.approx(exact, rel=0, abs=0.04 * sd / variance)


@given(st.floats(0.02, 0.98), st.floats(0.5, 500.0), st.floats(0.0, 1.0))
def test_divergence_bounds_the_tail(p: float, n: float, share: float) -> None:
    """The bound on which the option index rests when it passes over an arm."""
    x = p + (1.0 - p) * (0.001 + 0.998 * share)
    divergence = special.rel_entr(p, x) + special.rel_entr(1.0 - p, 1.0 - x)
    assert stats.beta.sf(x, p * n, (1 - p) * n) <= np.exp(-n * divergence) * (1 + 1e-9)
