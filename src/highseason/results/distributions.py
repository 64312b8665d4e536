"""Tails of the t and the χ² distribution, by hand: SciPy is not among what we stand on.

Both rest on continued fractions evaluated from the front (modified Lentz), which converge within a
few dozen steps where they are used and to near machine precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable

_TINY = 1e-300
_ENOUGH = 1e-15
_STEPS = 100_000


def student_tail(t: float, degrees: float) -> float:
    """The chance that |T| is at least |t|: the two-sided p-value of a t statistic.

    >>> round(student_tail(2.0, 10), 6)
    0.073388
    """
    if math.isnan(t) or not degrees > 0:
        return math.nan
    if math.isinf(t):
        return 0.0
    whole = degrees + t * t
    return _incomplete_beta(degrees / 2, 0.5, degrees / whole, t * t / whole)


def student_quantile(level: float, degrees: float) -> float:
    """The t with |T| <= t with chance `level`: half the width of an interval, in standard errors.

    >>> round(student_quantile(0.95, 10), 4)
    2.2281
    """
    if not degrees > 0:
        return math.nan
    low, high = 0.0, 1.0
    while student_tail(high, degrees) > 1 - level and high < 1e12:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if student_tail(middle, degrees) > 1 - level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def chi_square_tail(x: float, degrees: float) -> float:
    """The chance that a χ² with so many degrees of freedom is at least x.

    >>> round(chi_square_tail(18.307, 10), 4)
    0.05
    """
    if math.isnan(x) or not degrees > 0:
        return math.nan
    if x <= 0:
        return 1.0
    a, z = degrees / 2, x / 2
    return 1.0 - _lower_gamma(a, z) if z < a + 1 else _upper_gamma(a, z)


def _incomplete_beta(a: float, b: float, x: float, y: float) -> float:
    """The regularised incomplete beta function I_x(a, b); y is 1 - x, kept for when it is tiny."""
    if x <= 0 or y <= 0:
        return float(x > 0)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(y)
    )
    if x > (a + 1) / (a + b + 2):  # the other end converges faster
        return 1.0 - front * _beta_fraction(b, a, y) / b
    return front * _beta_fraction(a, b, x) / a


def _beta_fraction(a: float, b: float, x: float) -> float:
    def term(n: int) -> tuple[float, float]:
        if n == 1:
            return 1.0, 1.0
        m = (n - 1) // 2
        if n % 2 == 0:
            return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), 1.0
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), 1.0

    return _fraction(term)


def _upper_gamma(a: float, x: float) -> float:
    def term(n: int) -> tuple[float, float]:
        if n == 1:
            return 1.0, x + 1 - a
        return -(n - 1) * (n - 1 - a), x + 2 * n - 1 - a

    return math.exp(a * math.log(x) - x - math.lgamma(a)) * _fraction(term)


def _lower_gamma(a: float, x: float) -> float:
    part = total = 1.0 / a
    for n in range(1, _STEPS):
        part *= x / (a + n)
        total += part
        if part < total * _ENOUGH:
            break
    return total * math.exp(a * math.log(x) - x - math.lgamma(a))


def _fraction(term: Callable[[int], tuple[float, float]]) -> float:
    """a1 / (b1 + a2 / (b2 + …)), with (an, bn) = term(n)."""
    value, c, d = _TINY, _TINY, 0.0
    for n in range(1, _STEPS):
        a, b = term(n)
        d = b + a * d or _TINY
        c = b + a / c or _TINY
        d = 1.0 / d
        value *= c * d
        if abs(c * d - 1.0) < _ENOUGH:
            break
    return value
