"""Counts, rates and amounts from uniform numbers, inside compiled kernels: binomial, beta, gamma.

A draw is a function of the turn's uniform number `u` and of the further numbers that belong to it
(`spread`), always the same ones for the same purpose.  How close each draw is to its distribution
is measured in `tests/rewards/test_counts.py`: binomial and gamma quantiles are within a Kolmogorov
distance of 0.0006, and 0.1% of mean and variance; beta draws agree within sampling error.
"""

from __future__ import annotations

import math

from highseason.core.jitable import jitable
from highseason.core.random import spread
from highseason.core.special import quick_normal_quantile

#: Counts with a variance below this are searched from 0; the expansion is for all others.
_SEARCHED_BELOW = 4.0
#: Where a search may stop: nothing beyond can be reached by a uniform number.
_NO_MASS = 1e-20
#: The smallest shape for which the quantile of a gamma variable is expanded.
_EXPANDED_FROM = 3.0
#: Beta variables with a mean below the one and a sum of shapes above the other need one gamma only.
_SMALL, _MANY = 0.07, 12.0
#: How many further numbers a gamma variable may take: its own, and one per step of its shape.
GAMMA_NUMBERS = 4
#: The uniform numbers nearest to 0 and 1 that are used; at 0 and 1 the normal quantile is infinite.
_LEAST, _MOST = 2.0**-54, 1.0 - 2.0**-53


@jitable
def binomial_quantile(u: float, n: float, p: float) -> float:
    """The `u`-quantile of the number of successes among `n`, each with probability `p`."""
    if p <= 0.0 or p >= 1.0:
        return 0.0 if p <= 0.0 else n
    variance = n * p * (1.0 - p)
    if variance >= _SEARCHED_BELOW:
        return _expanded(u, n, p, variance)
    return _searched(u, n, p) if p <= 0.5 else n - _searched(1.0 - u, n, 1.0 - p)


@jitable
def _searched(u: float, n: float, p: float) -> float:
    """Exact: add up the probabilities of 0, 1, 2 … until they pass `u`."""
    odds = p / (1.0 - p)
    mass = _power(1.0 - p, int(n))
    left = u - mass
    k = 0.0
    while left >= 0.0 and k < n and mass > _NO_MASS:
        mass *= odds * (n - k) / (k + 1.0)
        k += 1.0
        left -= mass
    return k


@jitable
def _power(base: float, exponent: int) -> float:
    """By squaring: the same bits in Python and in compiled code, and fast."""
    result = 1.0
    while exponent > 0:
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return result


@jitable
def _expanded(u: float, n: float, p: float, variance: float) -> float:
    """The Cornish-Fisher expansion of a smooth variable that gives the binomial when rounded.

    Rounding adds 1/12 to a variance and -1/120 to a fourth cumulant (Sheppard), so the smooth
    variable has that much less.
    """
    z = quick_normal_quantile(min(max(u, _LEAST), _MOST))
    smooth = variance - (1 / 12)
    inverse, root = 1.0 / smooth, math.sqrt(smooth)
    spot, both = p * (1.0 - p), variance * inverse
    skew = both * (1.0 - 2.0 * p) * inverse * root
    excess = (both * (1.0 - 6.0 * spot) + inverse * (1 / 120)) * inverse
    fifth = (1.0 - 12.0 * spot) * inverse  # over the skew
    s, square = z * z, skew * skew
    even = skew * (
        (s - 1.0) * (1 / 6)
        + square * ((12.0 * s - 53.0) * s + 17.0) * (1 / 324)
        - excess * ((s - 5.0) * s + 2.0) * (1 / 24)
        + fifth * ((s - 6.0) * s + 3.0) * (1 / 120)
    )
    odd = z * (1.0 + excess * (s - 3.0) * (1 / 24) - square * (2.0 * s - 5.0) * (1 / 36))
    return min(max(math.floor(n * p + root * (odd + even) + 0.5), 0.0), n)


@jitable
def beta_draw(u: float, place: int, mean: float, rho: float) -> float:
    """A rate around `mean` with variance rho·mean·(1 - mean): a beta variable.

    It is X / (X + Y) for two gamma variables.  With rho 1 it is 0 or 1.
    """
    if mean <= 0.0 or mean >= 1.0:
        return mean
    if rho >= 1.0:
        return 1.0 if spread(u, place) >= 1.0 - mean else 0.0
    total = 1.0 / rho - 1.0
    if mean < _SMALL and total > _MANY:
        return _small_beta(gamma_draw(u, place, mean * total), mean * total, total)
    x = gamma_draw(u, place, mean * total)
    y = gamma_draw(u, place + GAMMA_NUMBERS, (1.0 - mean) * total)
    if x + y <= 0.0:  # too near to 0 for numbers; the ratio does not depend on the sum
        return 1.0 if spread(u, place) >= 1.0 - mean else 0.0
    return x / (x + y)


@jitable
def _small_beta(x: float, a: float, total: float) -> float:
    """A beta variable near 0 is 1 - exp(-x/N) for a gamma variable x; this N gives its mean."""
    middle = total - 0.5 * a
    return 1.0 - math.exp(-x / (middle - 0.5 - (a * a - 1.0) / (12.0 * middle)))


@jitable
def gamma_draw(u: float, place: int, shape: float) -> float:
    """A gamma variable of this shape, with mean `shape`.

    One of shape s is one of shape s + 1 times V^(1/s), V uniform: so small shapes are raised first.
    """
    logarithm, number = 0.0, place
    while shape < _EXPANDED_FROM:
        number += 1
        logarithm += math.log(spread(u, number)) / shape
        shape += 1.0
    value = gamma_quantile(spread(u, place), shape)
    return value if logarithm == 0.0 else value * math.exp(logarithm)


@jitable
def gamma_quantile(u: float, shape: float) -> float:
    """The `u`-quantile of a gamma variable whose shape is at least 3.

    The cube root of a gamma variable is nearly normal (Wilson and Hilferty 1931).  This is its
    Cornish-Fisher expansion in t = 1/sqrt(shape), up to t^6.
    """
    z = quick_normal_quantile(u)
    t = 1.0 / math.sqrt(shape)
    s, tt = z * z, t * t
    odd = (1 / 3) + tt * ((3.0 - s) * (1 / 324) - tt * ((3.0 * s + 40.0) * s + 45.0) * (1 / 23328))
    last = (((s + 90.0) * s + 402.0) * s + 363.0) * (1 / 229635)
    even = -(1 / 9) + tt * (((s + 4.0) * s - 7.0) * (1 / 1215) + tt * last)
    root = max(1.0 + t * z * odd + tt * even, 0.0)
    return shape * root * root * root
