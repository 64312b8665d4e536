"""How many of a turn's visitors buy, inside compiled kernels.

A count is the binomial quantile at the turn's uniform number `u`.  Where visitors are alike, its
rate is a beta variable, drawn from further numbers that belong to `u`; the count is then
beta-binomial.  Small counts are searched, and exact; large ones are expanded, within a Kolmogorov
distance of 0.0006 (`tests/rewards/test_counts.py`).
"""

from __future__ import annotations

import math

from highseason.core.gamma import beta_sample
from highseason.core.jitable import inlined, jitable
from highseason.core.random import draw, further
from highseason.core.special import quick_normal_quantile

#: Counts with a variance below this are searched from 0; the expansion is for all others.
_SEARCHED_BELOW = 4.0
#: Where a search may stop: nothing beyond can be reached by a uniform number.
_NO_MASS = 1e-20
#: A correlation below this, times the visitors, is none: it would change nothing but roundings.
_ALONE = 1e-6
#: The uniform numbers nearest to 0 and 1 that are used; at 0 and 1 the normal quantile is infinite.
_LEAST, _MOST = 2.0**-54, 1.0 - 2.0**-53


@jitable
def count_draw(u: float, place: int, n: float, p: float, rho: float) -> float:
    """How many of `n` visitors buy, each with probability `p` and alike by the correlation `rho`.

    Further numbers stand from `place` on.
    """
    if (n - 1.0) * rho > _ALONE:
        if rho >= 1.0:  # all visitors decide alike
            return n if u >= 1.0 - p else 0.0
        p = beta_draw(u, place, p, rho)
    return n - _binomial(1.0 - u, n, 1.0 - p) if p > 0.5 else _binomial(u, n, p)


@inlined
def beta_draw(u: float, place: int, mean: float, rho: float) -> float:
    """A rate around `mean` with variance rho·mean·(1 - mean): a beta variable.

    With rho 1 it is 0 or 1.
    """
    if mean <= 0.0 or mean >= 1.0:
        return mean
    if rho >= 1.0:
        return 1.0 if draw(further(u), place) >= 1.0 - mean else 0.0
    worth = 1.0 / rho - 1.0
    return beta_sample(further(u), place, mean * worth, (1.0 - mean) * worth)


@inlined
def _binomial(u: float, n: float, p: float) -> float:
    """The `u`-quantile of the number of successes, where p is at most 1/2."""
    if n * p * (1.0 - p) >= _SEARCHED_BELOW:
        return _expanded(quick_normal_quantile(min(max(u, _LEAST), _MOST)), n, p)
    if u < 1.0 - n * p:  # no more than the probability that none buys
        return 0.0
    # Exact: add up the probabilities of 0, 1, 2 … until they pass `u`.
    mass, odds, k = _power(1.0 - p, int(n)), p / (1.0 - p), 0.0
    left = u - mass
    while left >= 0.0 and mass > _NO_MASS:
        mass *= odds * (n - k) / (k + 1.0)
        k += 1.0
        left -= mass
    return min(k, n)


@jitable
def _power(base: float, exponent: int) -> float:
    """By squaring: the same bits in Python and in compiled code, and fast."""
    result = 1.0
    while exponent > 0:
        result *= base if exponent & 1 else 1.0
        base *= base
        exponent >>= 1
    return result


@inlined
def _expanded(z: float, n: float, p: float) -> float:
    """The Cornish-Fisher expansion of a smooth variable that gives the binomial when rounded.

    Rounding adds 1/12 to a variance and -1/120 to a fourth cumulant (Sheppard), so the smooth
    variable has that much less.
    """
    variance = n * p * (1.0 - p)
    s = z * z
    smooth = variance - (1 / 12)
    inverse, root = 1.0 / smooth, math.sqrt(smooth)
    spot, both = p * (1.0 - p), variance * inverse
    skew = both * (1.0 - 2.0 * p) * inverse * root
    excess = (both * (1.0 - 6.0 * spot) + inverse * (1 / 120)) * inverse
    fifth = (1.0 - 12.0 * spot) * inverse  # over the skew
    square = skew * skew
    even = skew * (
        (s - 1.0) * (1 / 6)
        + square * ((12.0 * s - 53.0) * s + 17.0) * (1 / 324)
        - excess * ((s - 5.0) * s + 2.0) * (1 / 24)
        + fifth * ((s - 6.0) * s + 3.0) * (1 / 120)
    )
    odd = z * (1.0 + excess * (s - 3.0) * (1 / 24) - square * (2.0 * s - 5.0) * (1 / 36))
    count = float(math.floor(n * p + root * (odd + even) + 0.5))
    return min(max(count, 0.0), n)
