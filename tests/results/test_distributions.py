"""Tails against mpmath."""

from __future__ import annotations

import math

import pytest
from mpmath import betainc, gammainc, inf, mp, mpf

from highseason.results.distributions import chi_square_tail, student_quantile, student_tail

mp.dps = 40


@pytest.mark.parametrize("degrees", [1, 2, 3.7, 18, 198, 1e5])
@pytest.mark.parametrize("t", [0.0, 1e-3, 0.3, 1.97, -2.5, 12.0, 60.0])
def test_student(t: float, degrees: float) -> None:
    n = mpf(degrees)
    true = betainc(n / 2, mpf(1) / 2, 0, n / (n + mpf(t) ** 2), regularized=True)
    assert student_tail(t, degrees) == pytest.approx(float(true), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("degrees", [1, 2, 35, 651])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.9, 1.0, 1.2, 3.0])
def test_chi_square(share: float, degrees: float) -> None:
    x = share * degrees
    true = gammainc(mpf(degrees) / 2, mpf(x) / 2, inf, regularized=True)
    assert chi_square_tail(x, degrees) == pytest.approx(float(true), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("degrees", [1, 5.5, 198])
def test_quantiles_are_where_the_tail_is(level: float, degrees: float) -> None:
    t = student_quantile(level, degrees)
    assert student_tail(t, degrees) == pytest.approx(1 - level, rel=1e-9)


def test_ends() -> None:
    assert student_tail(math.inf, 3) == 0.0
    assert math.isnan(student_tail(math.nan, 3))
    assert math.isnan(student_tail(1.0, 0))
    assert math.isnan(student_quantile(0.95, 0))
    assert chi_square_tail(0.0, 3) == 1.0
    assert math.isnan(chi_square_tail(1.0, 0))
