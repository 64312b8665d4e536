"""Special functions that run inside compiled kernels, where SciPy cannot.

`normal_quantile` is Wichura's algorithm AS 241 (PPND16, Applied Statistics 37, 1988): relative
error about 1e-16, from rational functions, the central one without a logarithm.
"""

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import inlined, jitable, jitable_as

#: One number, or in Python an array of them.
Number = TypeVar("Number", float, NDArray[np.float64])

_ROOT_TWO = math.sqrt(2.0)
_LOG_TWO = math.log(2.0)
_ROOT_HALF_BITS = int(np.float64(math.sqrt(0.5)).view(np.int64))
_INVERSE_ODD = tuple(1.0 / odd for odd in range(21, 1, -2))
_INVERSE_LOG_TWO = 1.0 / _LOG_TWO
#: log 2 in two parts: the first has few bits, so that whole multiples of it are exact.
_LOG_TWO_HIGH, _LOG_TWO_LOW = float.fromhex("0x1.62e42fee00000p-1"), 1.90821492927058770002e-10
_INVERSE_FACTORIALS = tuple(1.0 / math.factorial(n) for n in range(13, 1, -1))
#: Added to a number, it leaves the nearest whole number in the last bits.
_SHIFT = 1.5 * 2.0**52
_DENSITY_AT_ZERO = 1.0 / math.sqrt(2.0 * math.pi)

# Coefficients of the rational functions, highest power first.
# fmt: off
_CENTRE_TOP = (
    2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
    4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
    1.3314166789178437745e2, 3.3871328727963666080e0,
)
_CENTRE_BOTTOM = (
    5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
    2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
    4.2313330701600911252e1, 1.0,
)
_TAIL_TOP = (
    7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
    1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0,
    4.63033784615654529590e0, 1.42343711074968357734e0,
)
_TAIL_BOTTOM = (
    1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
    1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0,
    2.05319162663775882187e0, 1.0,
)
_FAR_TAIL_TOP = (
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
    2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
    5.46378491116411436990e0, 6.65790464350110377720e0,
)
_FAR_TAIL_BOTTOM = (
    2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
    7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
    5.99832206555887937690e-1, 1.0,
)
# fmt: on


def _casts() -> tuple[Any, Any]:
    """The bits of a number as an integer, and back, for kernels."""
    from numba import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def as_bits(context: Any, x: Any) -> Any:
        return types.int64(types.float64), cast

    @intrinsic  # type: ignore[untyped-decorator]
    def as_float(context: Any, bits: Any) -> Any:
        return types.float64(types.int64), cast

    def cast(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(signature.return_type))

    return as_bits, as_float


def _bitwise_log(x: Any) -> Any:
    """`loop_log` as a kernel computes it: the exponent from the bits, and a series for the rest."""
    as_bits, as_float = _casts()

    def log(x: float) -> float:
        bits = as_bits(x)
        exponent = (bits - _ROOT_HALF_BITS) >> 52
        m = as_float(bits - (exponent << 52))  # from √½ to √2
        s = (m - 1.0) / (m + 1.0)
        z = s * s
        series = _INVERSE_ODD[0]
        for term in _INVERSE_ODD[1:]:
            series = series * z + term
        return float(exponent * _LOG_TWO + (2.0 * s + 2.0 * s * z * series))

    return log


def _bitwise_exp(x: Any) -> Any:
    """`loop_exp` as a kernel computes it: a power of two as bits, and a series for the rest."""
    as_bits, as_float = _casts()

    def exp(x: float) -> float:
        shifted = x * _INVERSE_LOG_TWO + _SHIFT  # its last bits are the nearest whole number
        whole = shifted - _SHIFT
        r = (x - whole * _LOG_TWO_HIGH) - whole * _LOG_TWO_LOW
        series = _INVERSE_FACTORIALS[0]
        for term in _INVERSE_FACTORIALS[1:]:
            series = series * r + term
        return float(as_float(as_bits(1.0 + (r + r * r * series)) + (as_bits(shifted) << 52)))

    return exp


@jitable_as(_bitwise_log)
def loop_log(x: Number) -> Number:
    """The logarithm of a normal x > 0; a kernel's loop computes several at once, to 4e-16.

    In Python also of an array, number by number: NumPy's own differs from machine to machine.
    """
    return each(math.log, x) if isinstance(x, np.ndarray) else math.log(x)


@jitable_as(_bitwise_exp)
def loop_exp(x: Number) -> Number:
    """The exponential of x from -700 to 700, in the same way."""
    return each(math.exp, x) if isinstance(x, np.ndarray) else math.exp(x)


def each(function: Callable[[float], float], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """A function of the `math` module of each number, with its bits; NumPy's own may differ."""
    return np.fromiter(map(function, x.tolist()), np.float64, x.size)


@jitable
def normal_quantile(u: float) -> float:
    """The `u`-quantile of the standard normal; 0 gives -inf and 1 gives inf."""
    q = u - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        return q * _ratio(_CENTRE_TOP, _CENTRE_BOTTOM, r)
    r = u if q < 0.0 else 1.0 - u
    if r <= 0.0:
        return -math.inf if q < 0.0 else math.inf
    r = math.sqrt(-math.log(r))
    if r <= 5.0:
        value = _ratio(_TAIL_TOP, _TAIL_BOTTOM, r - 1.6)
    else:
        value = _ratio(_FAR_TAIL_TOP, _FAR_TAIL_BOTTOM, r - 5.0)
    return -value if q < 0.0 else value


@jitable
def _ratio(top: tuple[float, ...], bottom: tuple[float, ...], r: float) -> float:
    """Two polynomials in `r` by Horner's scheme, highest power first, and their ratio."""
    above, below = top[0], bottom[0]
    for i in range(1, len(top)):
        above = above * r + top[i]
        below = below * r + bottom[i]
    return above / below


#: The quantile at multiples of 1/4096, for `quick_normal_quantile`.
_CELLS = 4096
_EDGE = 1.0 / 128.0
_BELOW_MEDIAN = np.array([normal_quantile(max(1, i) / _CELLS) for i in range(_CELLS // 2)])
_QUANTILES = np.concatenate([_BELOW_MEDIAN, [0.0], -_BELOW_MEDIAN[::-1]])


@jitable
def quick_normal_quantile(u: float) -> float:
    """The same within 4e-5, for draws: interpolated, except in the tails beyond 1/128."""
    return inner_normal_quantile(u) if is_inner(u) else normal_quantile(u)


@inlined
def is_inner(u: float) -> bool:
    """Whether `inner_normal_quantile` knows the quantile."""
    return (u >= _EDGE) & (u <= 1.0 - _EDGE)


@inlined
def inner_normal_quantile(u: float) -> float:
    """The interpolated quantile; a number of no meaning in the tails."""
    place = u * _CELLS
    cell = int(place)
    low = _QUANTILES[cell]
    return low + (place - cell) * (_QUANTILES[cell + 1] - low)  # type: ignore[no-any-return]


@jitable
def normal_cdf(x: float) -> float:
    """The distribution function of the standard normal."""
    return 0.5 * math.erfc(-x / _ROOT_TWO)


@jitable
def normal_density(x: float) -> float:
    """The standard normal density."""
    return _DENSITY_AT_ZERO * math.exp(-0.5 * x * x)


@jitable
def clipped_normal_mean(centre: float, sigma: float) -> float:
    """The mean of max(0, min(1, N(centre, sigma))), which is not `centre`.

    With a = -centre/sigma and b = (1-centre)/sigma it is
    centre (Phi(b) - Phi(a)) + sigma (phi(a) - phi(b)) + 1 - Phi(b).
    """
    a = -centre / sigma
    b = (1.0 - centre) / sigma
    inside = centre * (normal_cdf(b) - normal_cdf(a)) + sigma * (
        normal_density(a) - normal_density(b)
    )
    return inside + normal_cdf(-b)


@jitable
def bernoulli_kl(p: float, q: float) -> float:
    """The Kullback-Leibler divergence of Bernoulli variables with means p and q.

    p is in [0, 1] and 0 < q < 1.
    """
    first = p * math.log(p / q) if p > 0.0 else 0.0
    second = (1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0
    return first + second


#: Newton's method doubles the digits, so it ends long before this many steps.
_STEPS = 60


@jitable
def bernoulli_kl_upper(p: float, distance: float) -> float:
    """The largest q with `bernoulli_kl(p, q)` <= distance: p itself at 0, at most 1.

    The divergence is convex in q, so Newton's method falls to the root from any start above it:
    Pinsker's bound, p + sqrt(distance / 2), or what the second term alone allows.
    """
    if p >= 1.0 or distance <= 0.0:
        return min(p, 1.0)
    if p <= 0.0:
        return -math.expm1(-distance)
    entropy = p * math.log(p) + (1.0 - p) * math.log(1.0 - p)
    furthest = 1.0 - math.exp((entropy - distance) / (1.0 - p))
    q = min(p + math.sqrt(0.5 * distance), furthest)
    for _ in range(_STEPS):
        if not p < q < 1.0:
            return min(max(p, q), 1.0)
        excess = bernoulli_kl(p, q) - distance
        after = q - excess * q * (1.0 - q) / (q - p)
        if not abs(after - q) > 1e-15 * q:
            break
        q = after
    return q


@inlined
def share_of(x: Any, low: float, high: float) -> Any:
    """How far a reward lies from `low` to `high`, which is how policies learn it.

    In steps of 2^-40: a quotient's last bit depends on the unit of money, and would move ties.
    """
    return ((x - low) / (high - low) + 4096.0) - 4096.0


# -- the beta distribution -------------------------------------------------------------------------

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
