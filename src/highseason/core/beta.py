"""The Beta distribution inside compiled kernels, where SciPy cannot go."""

import math

from highseason.core.jitable import inlined, jitable
from highseason.core.special import Number, loop_log, normal_cdf, normal_density

_HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)
#: Above this variance of a binomial count, a normal with a correction for skewness is used.
_NEARLY_NORMAL = 2000.0


@jitable
def stirling(x: Number) -> Number:
    """The logarithm of the gamma function for x >= 8, to 1e-14: Stirling's series."""
    r = 1.0 / x
    s = r * r
    series = 1.0 / 1260.0 - s * (1.0 / 1680.0 - s * (1.0 / 1188.0 - s * (691.0 / 360360.0)))
    series = r * (1.0 / 12.0 - s * (1.0 / 360.0 - s * series))
    return (x - 0.5) * loop_log(x) - x + _HALF_LOG_TWO_PI + series


@inlined
def log_eight_rising(x: Number) -> Number:
    """The logarithm of x (x + 1) … (x + 7): that of gamma at x + 8, less that at x."""
    t = x * (x + 7.0)
    return loop_log(((t * (t + 6.0)) * (t + 10.0)) * (t + 12.0))


@jitable
def log_gamma(x: float) -> float:
    """The logarithm of the gamma function for x > 0."""
    return stirling(x) if x >= 8.0 else stirling(x + 8.0) - log_eight_rising(x)


@jitable
def log_beta(a: float, b: float) -> float:
    """The logarithm of the beta function."""
    return log_gamma(a) + log_gamma(b) - log_gamma(a + b)


@jitable
def beta_fraction(a: float, b: float, x: float) -> float:
    """The incomplete beta function at x < (a+1)/(a+b+2), divided by x^a (1-x)^b / B(a, b).

    The even part of its continued fraction, by the forward recurrence: numerator and denominator
    are scaled in each step so that a step takes one division that the next has to wait for.
    """
    n, first, step = a + b, a + 1.0 - (a + b) * x, 2.0 - x
    q = (a + 1.0) / (a * first)
    q_before, p_before = 0.0, q  # divided by the numerator, which is thereby 1
    for m in range(1, 1000):
        w, k = a + 2.0 * m, a + m
        v = w - 1.0
        r = m * (b - m) * x / v
        c = r * x * (k - 1.0) * (n + m - 1.0) / v
        d = m + r + k * (first + m * step) / (w + 1.0)
        scale, before = 1.0 / (d + c * p_before), q
        q_before, p_before, q = q * scale, scale, (d * q + c * q_before) * scale
        if abs(q - before) <= 1e-12 * abs(q):
            break
    return q


@jitable
def beta_call(a: float, b: float, log_norm: float, x: float) -> tuple[float, float, float]:
    """E(Y - x)⁺, P(Y > x) and the density at x of Y ~ Beta(a, b).

    `log_norm` is `log_beta(a, b)`, and 0 < x < 1.
    """
    n = a + b
    p = a / n
    if p * b > _NEARLY_NORMAL:
        return normal_call(a, b, x)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - log_norm)
    if x < (a + 1.0) / (n + 2.0):
        tail = 1.0 - front * beta_fraction(a, b, x)
    else:
        tail = front * beta_fraction(b, a, 1.0 - x)
    return max(0.0, (p - x) * tail + front / n), tail, front / (x * (1.0 - x))


@jitable
def normal_call(a: float, b: float, x: float) -> tuple[float, float, float]:
    """The same by the normal distribution with a term for the skewness.

    With v = a b / (a + b), the first is within 0.04 sd / v, the second within 0.07 / v.
    """
    n = a + b
    p = a / n
    sd = math.sqrt(p * (1.0 - p) / (n + 1.0))
    skew = 2.0 * (b - a) * math.sqrt(n + 1.0) / ((n + 2.0) * math.sqrt(a * b)) / 6.0
    z = (x - p) / sd
    density, tail = normal_density(z), normal_cdf(-z)
    call = sd * (density - z * tail + skew * z * density)
    corrected = tail + skew * (z * z - 1.0) * density
    return max(0.0, call), max(0.0, corrected), density / sd
