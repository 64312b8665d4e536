"""The Beta distribution inside compiled kernels, where SciPy cannot go."""

from __future__ import annotations

import math

from highseason.core.jitable import jitable
from highseason.core.special import normal_cdf, normal_density

_HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)
_TINY = 1e-300
#: Above this variance of a binomial count, a normal with a correction for skewness is used.
_NEARLY_NORMAL = 2000.0


@jitable
def log_gamma(x: float) -> float:
    """The logarithm of the gamma function for x > 0: Stirling's series, from 10 on."""
    product = 1.0
    while x < 10.0:
        product *= x
        x += 1.0
    r = 1.0 / x
    s = r * r
    series = r * (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0))))
    return (x - 0.5) * math.log(x) - x + _HALF_LOG_TWO_PI + series - math.log(product)


@jitable
def log_beta(a: float, b: float) -> float:
    """The logarithm of the beta function."""
    return log_gamma(a) + log_gamma(b) - log_gamma(a + b)


@jitable
def beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c = 1.0
    d = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    h = d
    for i in range(1, 1000):
        step = i * (b - i) * x / ((a + 2 * i - 1.0) * (a + 2 * i))
        d = 1.0 / (1.0 + step * d)
        c = 1.0 + step / c
        h *= d * c
        step = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1.0))
        d = 1.0 / (1.0 + step * d)
        c = 1.0 + step / c
        h *= d * c
        if abs(d * c - 1.0) < 1e-12:
            break
    return h


@jitable
def beta_call(a: float, b: float, log_norm: float, x: float) -> tuple[float, float]:
    """E(Y - x)⁺ and P(Y > x) of Y ~ Beta(a, b); `log_norm` is `log_beta(a, b)`, 0 < x < 1."""
    n = a + b
    p = a / n
    if p * b > _NEARLY_NORMAL:
        return normal_call(a, b, x)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - log_norm)
    if x < (a + 1.0) / (n + 2.0):
        tail = 1.0 - front * beta_fraction(a, b, x) / a
    else:
        tail = front * beta_fraction(b, a, 1.0 - x) / b
    return max(0.0, (p - x) * tail + front / n), tail


@jitable
def normal_call(a: float, b: float, x: float) -> tuple[float, float]:
    """The same by the normal distribution with a term for the skewness."""
    n = a + b
    p = a / n
    sd = math.sqrt(p * (1.0 - p) / (n + 1.0))
    skew = 2.0 * (b - a) * math.sqrt(n + 1.0) / ((n + 2.0) * math.sqrt(a * b)) / 6.0
    z = (x - p) / sd
    density, tail = normal_density(z), normal_cdf(-z)
    call = sd * (density - z * tail + skew * z * density)
    return max(0.0, call), max(0.0, tail + skew * (z * z - 1.0) * density)
