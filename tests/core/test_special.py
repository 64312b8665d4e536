"""The normal distribution, against fifty digits of mpmath."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highseason.core import special
from highseason.core.compile import compiled
from highseason.core.special import (
    bernoulli_kl,
    bernoulli_kl_upper,
    clipped_normal_mean,
    inner_normal_quantile,
    is_inner,
    loop_exp,
    loop_log,
    normal_cdf,
    normal_density,
    normal_quantile,
    quick_normal_quantile,
)


@pytest.fixture(scope="module", autouse=True)
def fifty_digits() -> Iterator[None]:
    with mpmath.workdps(50):
        yield


# The three pieces of the algorithm, their borders, and the ends of what a generator can give.
POINTS = [
    2.0**-53, 1e-15, 1e-12, math.exp(-25.0), 1.3887943864964021e-11, 1e-9, 1e-6, 1e-3, 0.01,
    0.0749999, 0.075, 0.0750001, 0.1, 0.25, 0.4, 0.5 - 2.0**-53, 0.5, 0.5 + 2.0**-52, 0.6, 0.75,
    0.9, 0.925, 0.9250001, 0.99, 0.999, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12, 1 - 2.0**-50, 1 - 2.0**-53,
]  # fmt: skip


def exact_quantile(u: float) -> Any:
    """The root of Phi(x) = u, by Newton's method in fifty digits."""
    if u == 0.5:
        return mpmath.mpf(0)
    sign, tail = (-1, mpmath.mpf(u)) if u < 0.5 else (1, 1 - mpmath.mpf(u))
    x = mpmath.sqrt(-2 * mpmath.log(tail)) if tail < 0.1 else mpmath.mpf(1)
    for _ in range(80):
        wrong = mpmath.erfc(x / mpmath.sqrt(2)) / 2 - tail
        step = wrong / mpmath.npdf(x)
        x += step
        if abs(step) < mpmath.mpf(10) ** -40:
            break
    return sign * x


def relative_error(found: float, exact: Any) -> float:
    return float(abs(mpmath.mpf(found) - exact) / abs(exact)) if exact else abs(found)


@pytest.mark.parametrize("u", POINTS)
def test_quantile_has_full_precision(u: float) -> None:
    assert relative_error(normal_quantile(u), exact_quantile(u)) < 1e-15


@given(st.integers(1, 2**53 - 1))
def test_quantile_has_full_precision_wherever_a_generator_falls(n: int) -> None:
    u = n * 2.0**-53
    assert relative_error(normal_quantile(u), exact_quantile(u)) < 1e-15


def test_quantile_at_the_ends() -> None:
    assert normal_quantile(0.0) == -math.inf
    assert normal_quantile(1.0) == math.inf
    assert normal_quantile(0.5) == 0.0


@given(st.floats(1e-300, 0.5))
def test_quantile_rises(u: float) -> None:
    assert normal_quantile(u) <= normal_quantile(math.nextafter(u, 1.0)) + 1e-12
    assert normal_quantile(u) < normal_quantile(u * 1.01)


@given(st.integers(1, 2**52))
def test_quantile_is_odd(n: int) -> None:
    u = n * 2.0**-53
    assert normal_quantile(u) == pytest.approx(-normal_quantile(1.0 - u), rel=1e-14, abs=1e-15)


@given(st.floats(-8, 8))
def test_below_and_density(x: float) -> None:
    assert relative_error(normal_cdf(x), mpmath.ncdf(x)) < 1e-13
    assert relative_error(normal_density(x), mpmath.npdf(x)) < 1e-13


def integrated_mean(centre: float, sigma: float) -> Any:
    """The mean by numerical integration: of what is left between 0 and 1, and the lump at 1."""
    inside = mpmath.quad(lambda x: x * mpmath.npdf(x, centre, sigma), mpmath.linspace(0, 1, 12))
    return inside + 1 - mpmath.ncdf(1, centre, sigma)


@pytest.mark.parametrize("sigma", [0.1, 0.25, 1.0, 5.0])
@pytest.mark.parametrize("centre", [0.0, 0.1, 0.5, 0.77, 1.0])
def test_clipped_mean_is_the_integral(centre: float, sigma: float) -> None:
    assert clipped_normal_mean(centre, sigma) == pytest.approx(
        float(integrated_mean(centre, sigma)), rel=1e-13
    )


def test_clipped_means_of_the_paper() -> None:
    # With sigma = 1 all means lie in [0.316, 0.684] (reference, D10); with a small one they stay.
    assert round(clipped_normal_mean(0.0, 1.0), 3) == 0.316
    assert round(clipped_normal_mean(1.0, 1.0), 3) == 0.684
    assert clipped_normal_mean(0.5, 0.01) == 0.5


@given(st.floats(0, 1), st.floats(0.01, 10))
def test_clipped_mean_is_symmetric_and_rises(centre: float, sigma: float) -> None:
    mean = clipped_normal_mean(centre, sigma)
    assert 0.0 <= mean <= 1.0
    assert mean + clipped_normal_mean(1.0 - centre, sigma) == pytest.approx(1.0, abs=1e-12)
    assert clipped_normal_mean(min(1.0, centre + 0.05), sigma) >= mean


def fill(u: Any, centre: float, sigma: float, out: Any) -> None:
    for i in range(u.size):
        out[i, 0] = normal_quantile(u[i])
        out[i, 1] = clipped_normal_mean(u[i], sigma)


@pytest.mark.jit
@pytest.mark.parametrize("sigma", [0.1, 1.0])
def test_python_and_compiled_code_agree_to_the_last_bit(sigma: float) -> None:
    from numba import types

    u = np.array([0.0, *POINTS, *((np.arange(400) + 0.5) / 400)])
    out = np.empty((u.size, 2))
    vector, number = types.float64[::1], types.float64
    kernel = compiled(fill, types.void(vector, number, number, types.float64[:, ::1]))
    kernel(u, 0.0, sigma, out)
    assert out[:, 0].tolist() == [normal_quantile(x) for x in u.tolist()]
    assert out[:, 1].tolist() == [clipped_normal_mean(x, sigma) for x in u.tolist()]


def _take_logs(numbers: Any) -> None:
    for i in range(numbers.size):
        numbers[i] = loop_log(numbers[i])


def _take_exponentials(numbers: Any) -> None:
    for i in range(numbers.size):
        numbers[i] = loop_exp(numbers[i])


@pytest.mark.jit
def test_the_exponential_of_kernels() -> None:
    from numba import types

    numbers = np.linspace(-700.0, 700.0, 9973)
    numbers[:5] = 0.0, -0.0, 0.5 * math.log(2.0), -1e-300, -60.0
    expected = np.array([math.exp(number) for number in numbers])
    compiled(_take_exponentials, types.void(types.float64[::1]))(numbers)
    np.testing.assert_allclose(numbers, expected, rtol=5e-16, atol=0.0)
    assert (numbers[:2] == 1.0).all()


@pytest.mark.jit
def test_the_logarithm_of_kernels() -> None:
    from numba import types

    numbers = np.exp(np.linspace(-700.0, 700.0, 9973))
    numbers[:5] = 1.0, np.sqrt(0.5), np.sqrt(2.0), 1.0 + 2.0**-40, 1.0 - 2.0**-40
    expected = np.array([math.log(number) for number in numbers])
    compiled(_take_logs, types.void(types.float64[::1]))(numbers)
    np.testing.assert_allclose(numbers, expected, rtol=5e-16, atol=0.0)


def _as_bits(x: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


def _as_float(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", bits % 2**64))[0])


@pytest.mark.parametrize(
    ("of_kernels", "exact", "numbers"),
    [
        (special._bitwise_exp, mpmath.exp, np.linspace(-700.0, 700.0, 701)),
        (special._bitwise_exp, mpmath.exp, np.linspace(-1.0, 1.0, 201)),
        (special._bitwise_log, mpmath.log, np.exp(np.linspace(-700.0, 700.0, 701))),
        (special._bitwise_log, mpmath.log, np.linspace(0.4, 2.1, 201)),
    ],
)
def test_the_formulas_of_kernels_in_python(
    of_kernels: Callable[[Any], Callable[[float], float]],
    exact: Callable[[float], Any],
    numbers: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same source as in kernels, with the bits of a number from `struct`."""
    monkeypatch.setattr(special, "_casts", lambda: (_as_bits, _as_float))
    formula = of_kernels(0.0)
    for number in numbers.tolist():
        assert relative_error(formula(number), exact(number)) < 5e-16


def test_the_quick_quantile_is_near_and_exact_in_the_tails() -> None:
    edge = 1 / 128
    for u in np.linspace(0.001, 0.999, 3989).tolist():
        assert is_inner(u) == (edge <= u <= 1 - edge)
        wrong = abs(quick_normal_quantile(u) - normal_quantile(u))
        assert wrong < 4e-5 if is_inner(u) else wrong == 0.0
    assert is_inner(edge)
    assert is_inner(1 - edge)
    for cell in range(32, 4096 - 31):  # at the borders of its cells it is exact
        assert inner_normal_quantile(cell / 4096) == pytest.approx(normal_quantile(cell / 4096))


def exact_kl(p: Any, q: Any) -> Any:
    first = p * mpmath.log(p / q) if p else 0
    return first + ((1 - p) * mpmath.log((1 - p) / (1 - q)) if p < 1 else 0)


MEANS = [0.0, 1e-4, 0.003, 0.2, 0.5, 0.77, 0.95, 0.9999, 1.0]


@pytest.mark.parametrize("p", MEANS)
def test_the_divergence(p: float) -> None:
    for q in (1e-12, 1e-3, 0.2, 0.41, 0.5, 0.9, 0.999):
        exact = exact_kl(mpmath.mpf(p), mpmath.mpf(q))
        assert bernoulli_kl(p, q) == pytest.approx(float(exact), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("p", MEANS)
@pytest.mark.parametrize("distance", [1e-9, 1e-4, 0.01, 0.3, 1.0, 4.0, 20.0, 700.0])
def test_the_farthest_mean_within_a_distance(p: float, distance: float) -> None:
    """By bisection in fifty digits."""
    low, high = mpmath.mpf(p), mpmath.mpf(1)
    for _ in range(120):
        middle = (low + high) / 2
        is_near = middle < 1 and exact_kl(mpmath.mpf(p), middle) <= distance
        low, high = (middle, high) if is_near else (low, middle)
    assert bernoulli_kl_upper(p, distance) == pytest.approx(float(low), rel=1e-12, abs=1e-9 * p)
    assert 1 - bernoulli_kl_upper(p, distance) == pytest.approx(float(1 - low), rel=1e-7, abs=3e-16)


def test_no_distance_no_other_mean() -> None:
    assert [bernoulli_kl_upper(p, 0.0) for p in (0.0, 0.3, 1.0, 1.2)] == [0.0, 0.3, 1.0, 1.0]
    assert bernoulli_kl_upper(0.3, -1.0) == 0.3
