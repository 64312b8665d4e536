"""Counts, rates and amounts from uniform numbers, inside compiled kernels: binomial, beta, gamma.

A draw is a function of the turn's uniform number `u` and of the further numbers that belong to it
(`spread`), always the same ones for the same purpose.  Small counts are searched, and exact; large
ones are expanded.  A beta-binomial count takes one number unless its rate varies much; then it is
drawn in two steps: the rate, then the count.

How close each draw is to its distribution is measured in `tests/rewards/test_counts.py`: within a
Kolmogorov distance of 0.002, and 0.1% of mean and variance.
"""

from __future__ import annotations

import math

from highseason.core.jitable import inlined, jitable
from highseason.core.random import spread
from highseason.core.special import quick_loop_log, quick_normal_quantile

#: Among so few visitors every count is searched from 0, exactly.
FEW = 16.0
#: Counts with a variance below this are searched from 0; the expansion is for all others.
SEARCHED_BELOW = 4.0
#: From this variance on, two terms of the expansion will do.
LARGE = 400.0
#: Up to so many buyers are searched for even among many visitors.
_FEW_BUYERS = 8.0
#: Where a search may stop: nothing beyond can be reached by a uniform number.
NO_MASS = 1e-20
#: Rates below this are 0: their shapes would be too near to 0 for numbers.
NEVER = 1e-200
#: A correlation below this, times the visitors, is none: it would change nothing but roundings.
ALONE = 1e-6
#: Rates that vary so little (the first shape of their beta distribution) need no draw of their own:
#: the count is expanded at once.
_AT_ONCE = 20.0
#: From this first shape on, counts of small rates are those of a beta variable, stretched.
_STRETCHED_FROM = 1.9
#: The smallest shape for which the quantile of a gamma variable is expanded.
_EXPANDED_FROM = 1.6
#: Beta variables with a mean and a rho below these need one gamma only.
_SMALL, _MANY = 0.07, 1.0 / 13.0
#: The uniform numbers nearest to 0 and 1 that are used; at 0 and 1 the normal quantile is infinite.
_LEAST, _MOST = 2.0**-54, 1.0 - 2.0**-53
#: How a count is drawn: see `way_of`.
SEARCHED, BINOMIAL, EXPANDED, STRETCHED, TWO_STEPS = 0, 1, 2, 3, 4
#: How many further numbers a gamma variable may take: its own, and one per step of its shape.
GAMMA_NUMBERS = 4


@jitable
def count_draw(u: float, place: int, n: float, p: float, rho: float) -> float:
    """How many of `n` visitors buy, each with probability `p` and alike by the correlation `rho`.

    The count is beta-binomial.  Further numbers stand from `place` on.
    """
    if p > 0.5:  # searches and expansions are for the rarer of the two
        return n - _rare_draw(1.0 - u, place, n, 1.0 - p, rho)
    return _rare_draw(u, place, n, p, rho)


@jitable
def _rare_draw(u: float, place: int, n: float, p: float, rho: float) -> float:
    if p < NEVER:
        return 0.0
    if rho >= 1.0:  # all visitors decide alike
        return n if u >= 1.0 - p else 0.0
    rho = rho if n * rho > ALONE else 0.0
    way = way_of(n, p, rho)
    if way == SEARCHED:
        if u < 1.0 - n * p:  # no more than the probability that none buys
            return 0.0
        return _searched(u, _none(n, p, rho), n, p, rho)
    if way == EXPANDED:
        return expanded(normal(u), n, p, rho)
    if way == STRETCHED:
        return stretched(normal(u), n, p, rho)
    if way == TWO_STEPS:
        p = beta_draw(u, place, p, rho)
        if p > 0.5:
            return n - binomial(1.0 - u, n, 1.0 - p)
    return binomial(u, n, p)


@inlined
def way_of(n: float, p: float, rho: float) -> int:
    """How a count of rare buyers is drawn."""
    if rho <= 0.0:
        return SEARCHED if n * p * (1.0 - p) < SEARCHED_BELOW else BINOMIAL
    if n <= FEW:
        return SEARCHED
    gentle = p * (1.0 - rho) >= _AT_ONCE * rho
    if gentle and n * p * (1.0 - p) * (1.0 + (n - 1.0) * rho) >= SEARCHED_BELOW:
        return EXPANDED
    if n * p <= _FEW_BUYERS:
        return SEARCHED if (1.0 - p) * (1.0 - rho) >= _AT_ONCE * rho else TWO_STEPS
    small = p < _SMALL and rho < _MANY and p * (1.0 - rho) >= _STRETCHED_FROM * rho
    return STRETCHED if small else TWO_STEPS


@jitable
def binomial(u: float, n: float, p: float) -> float:
    """The `u`-quantile of the number of successes, where p is at most 1/2."""
    variance = n * p * (1.0 - p)
    if variance >= LARGE:
        return large_binomial(normal(u), n, p)
    if variance >= SEARCHED_BELOW:
        return expanded_binomial(normal(u), n, p)
    return _searched(u, _power(1.0 - p, int(n)), n, p, 0.0)


@inlined
def _none(n: float, p: float, rho: float) -> float:
    """The probability that none of the visitors buys."""
    if rho <= 0.0:
        return _power(1.0 - p, int(n))
    return _urn(n, p, rho) if n <= FEW else none_of_many(n, p, rho)


@jitable
def _urn(n: float, p: float, rho: float) -> float:
    """For few visitors: each adds a ball of their own decision to Pólya's urn."""
    no, every, number = 1.0, 1.0, 0.0
    for _ in range(int(n)):
        no *= (1.0 - p) * (1.0 - rho) + number
        every *= 1.0 - rho + number
        number += rho
    return no / every


@inlined
def none_of_many(n: float, p: float, rho: float) -> float:
    """The same as the ratio of gamma functions that it is, by Stirling's formula."""
    r = rho / (1.0 - rho)
    q, nr = 1.0 - p, n * r
    more, rest, part = 1.0 + nr, q + nr, p * nr
    power = (rest * (1.0 / r) - 0.5) * _log_ratio(part / (part + 2.0 * q * more))
    power -= n * _log_ratio(p / (2.0 - p)) + p * (1.0 / r) * quick_loop_log(more)
    power -= nr * r * (more - q * rest) / (q * more * rest) * (1 / 12)
    x = power * (1 / 64)  # from -0.2 to 0
    xx = x * x
    e = 1.0 + x + xx * (1 / 2 + x * (1 / 6) + xx * (1 / 24 + x * (1 / 120) + xx * (1 / 720)))
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    return e * e


@inlined
def _log_ratio(s: float) -> float:
    """The logarithm of (1 + s)/(1 - s), for s from 0 to 1/3, in pairs: these need not wait."""
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    low = 1.0 + z * (1 / 3) + z2 * (1 / 5 + z * (1 / 7))
    high = 1 / 9 + z * (1 / 11) + z2 * (1 / 13 + z * (1 / 15)) + z4 * (1 / 17 + z * (1 / 19))
    return 2.0 * s * (low + z4 * high)


@jitable
def _searched(u: float, mass: float, n: float, p: float, rho: float) -> float:
    """Exact: add up the probabilities of 0, 1, 2 … until they pass `u`; `mass` is that of 0."""
    left, k = u - mass, 0.0
    a, b = search_terms(n, p, rho)
    while left >= 0.0 and mass > NO_MASS:
        mass *= next_share(k, n, a, b, k * rho)
        k += 1.0
        left -= mass
    return min(k, n)


@inlined
def search_terms(n: float, p: float, rho: float) -> tuple[float, float]:
    """What all steps of a search have in common."""
    return p * (1.0 - rho), (1.0 - p) * (1.0 - rho) + (n - 1.0) * rho


@inlined
def next_share(k: float, n: float, a: float, b: float, alike: float) -> float:
    """The probability of k + 1 buyers over that of k; `alike` is k rho."""
    return ((n - k) * (a + alike)) / ((k + 1.0) * (b - alike))


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
def normal(u: float) -> float:
    """The `u`-quantile of the standard normal, which is finite here at 0 and 1 too."""
    return quick_normal_quantile(min(max(u, _LEAST), _MOST))


@inlined
def large_binomial(z: float, n: float, p: float) -> float:
    """The first terms of the expansion below: the next ones move a count by less than 0.01."""
    spread_out = math.sqrt(n * p * (1.0 - p)) * z
    return whole(n * p + spread_out + (1.0 - 2.0 * p) * (z * z - 1.0) * (1 / 6), n)


@inlined
def expanded_binomial(z: float, n: float, p: float) -> float:
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
    return whole(n * p + root * (odd + even), n)


@inlined
def whole(count: float, n: float) -> float:
    """The nearest whole number from 0 to n."""
    return min(max(float(math.floor(count + 0.5)), 0.0), n)


@inlined
def expanded(z: float, n: float, p: float, rho: float) -> float:
    """The expansion of a smooth variable that gives the beta-binomial when rounded.

    Its first three cumulants are those of a shifted gamma variable, whose quantile is expanded in
    its skewness; the Cornish-Fisher terms for the differences of the fourth and the fifth are
    added.  Rounding adds 1/12 to a variance and -1/120 to a fourth cumulant (Sheppard), so the
    smooth variable has that much less.  The fifth cumulant is exact for binomial and negative
    binomial counts.
    """
    r = rho / (1.0 - rho)
    spot, nr = p * (1.0 - p), n * r
    # The second cumulant, and the third and the fourth over it.
    one, two, three = 1.0 + r, 1.0 + 2.0 * r, 1.0 + 3.0 * r
    below = 1.0 / (one * two * three)
    more = nr * (1.0 + nr)
    variance = n * spot * (1.0 + nr) * two * three * below
    third = (1.0 + 2.0 * nr) * (1.0 - 2.0 * p) * one * three * below
    fourth = (one * (1.0 - r + 6.0 * (more - spot)) - spot * more * (30.0 + 36.0 * r)) * below
    # Skewness, excess, and what is left of the excess and of the fifth beyond a gamma variable's.
    smooth = variance - (1 / 12)
    inverse, root = 1.0 / smooth, math.sqrt(smooth)
    both = variance * inverse
    skew = both * third * inverse * root
    square = skew * skew
    rest = (both * fourth + inverse * (1 / 120)) * inverse - 1.5 * square
    fifth = skew * ((2.0 * fourth - 1.0) * both * inverse - 3.0 * square)
    s = z * z
    w = _cube_root(z, 0.5 * skew)
    lift = 0.5 * skew * w
    y = w * (3.0 + lift * (3.0 + lift))
    y += rest * (
        (z * (s - 3.0) - skew * ((s - 5.0) * s + 2.0)) * (1 / 24)
        - (rest + 3.0 * square) * z * ((3.0 * s - 24.0) * s + 29.0) * (1 / 384)
    )
    y += fifth * ((s - 6.0) * s + 3.0) * (1 / 120)
    return whole(n * p + root * y, n)


@inlined
def stretched(z: float, n: float, p: float, rho: float) -> float:
    """A beta variable with the mean and the skewness of the share that buys, stretched and rounded.

    Its correlation h/(1 - 2h - h²), near to rho, gives it this skewness; here h is `top/bottom`.
    The stretch gives the count its variance.  Two terms were fitted: what is lost at 0 (0.1), and
    the variance of `small_beta` (0.09).
    """
    r = rho / (1.0 - rho)
    spot, nr = p * (1.0 - p), n * r
    variance = n * spot * (1.0 + nr) * (1.0 / (1.0 + r))
    third = variance * (1.0 + 2.0 * nr) * (1.0 / (1.0 + 2.0 * r))
    smooth = variance - (1 / 12)
    top, bottom = third * third * spot, 4.0 * smooth * smooth * smooth
    part = top * bottom
    total = bottom * bottom - 2.0 * part - top * top
    alike, tt = part / total, part / (p * (total - part))
    a = p * (1.0 - alike)
    rate = small_beta(a * gamma_ratio(z, tt), a, alike)
    stretch = (smooth + 0.1 * tt) * (1.0 + 0.09 * p * p) / (spot * alike)
    return whole(n * p + (rate - p) * math.sqrt(stretch), n)


@inlined
def _cube_root(z: float, t: float) -> float:
    """((Q/shape)^(1/3) - 1)/t for the quantile Q of a gamma variable of shape 1/t².

    The cube root of a gamma variable is nearly normal (Wilson and Hilferty 1931).  This is its
    Cornish-Fisher expansion in t, up to t^6; a negative t is for a variable skewed the other way.
    """
    s, tt = z * z, t * t
    odd = (1 / 3) + tt * ((3.0 - s) * (1 / 324) - tt * ((3.0 * s + 40.0) * s + 45.0) * (1 / 23328))
    last = (((s + 90.0) * s + 402.0) * s + 363.0) * (1 / 229635)
    even = -(1 / 9) + tt * (((s + 4.0) * s - 7.0) * (1 / 1215) + tt * last)
    return z * odd + t * even


@jitable
def beta_draw(u: float, place: int, mean: float, rho: float) -> float:
    """A rate around `mean` with variance rho·mean·(1 - mean): a beta variable.

    It is X / (X + Y) for two gamma variables.  With rho 1 it is 0 or 1.
    """
    if mean <= 0.0 or mean >= 1.0:
        return mean
    if rho >= 1.0:
        return 1.0 if spread(u, place) >= 1.0 - mean else 0.0
    # Shapes times rho; the sum of shapes is 1/rho - 1.
    a, b = mean * (1.0 - rho), (1.0 - mean) * (1.0 - rho)
    if mean < _SMALL and rho < _MANY:
        return small_beta(_gamma_share(u, place, a, rho), a, rho)
    x = _gamma_share(u, place, a, rho)
    y = _gamma_share(u, place + GAMMA_NUMBERS, b, rho)
    if x + y <= 0.0:  # too near to 0 for numbers; the ratio does not depend on the sum
        return 1.0 if spread(u, place) >= 1.0 - mean else 0.0
    return x / (x + y)


@inlined
def small_beta(x: float, a: float, rho: float) -> float:
    """A beta variable near 0 is 1 - exp(-x/N) for a gamma variable x; this N gives its mean.

    N is M - 1/2 - (a² - 1)/(12 M) with M = 1/rho - 1 - a/2; x, a and M are multiplied by rho.
    """
    M = 1.0 - rho - 0.5 * a
    N, x = 12.0 * M * M - 6.0 * M * rho - (a * a - rho * rho), 12.0 * M * x
    # Padé's approximant y(1 + y²/60)/(1 + y/2 + y²/10 + y³/120) at x/N, by N³
    square, tenth = N * N, x * x * 0.1
    top = x * (square + tenth * (1 / 6))
    return top / (N * (square + 0.5 * x * N + tenth) + x * tenth * (1 / 12))


@inlined
def _gamma_share(u: float, place: int, a: float, rho: float) -> float:
    """A gamma variable of shape a/rho, times rho."""
    if a < _EXPANDED_FROM * rho:
        return rho * gamma_draw(u, place, a / rho)
    return a * gamma_ratio(normal(spread(u, place)), rho / a)


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
    """The `u`-quantile of a gamma variable whose shape is at least 1.6."""
    return shape * gamma_ratio(normal(u), 1.0 / shape)


@inlined
def gamma_ratio(z: float, tt: float) -> float:
    """The quantile of a gamma variable of shape 1/tt over its mean, where that of a normal is z.

    The last step gives it its mean and variance.
    """
    t = math.sqrt(tt)
    root = max(1.0 + t * _cube_root(z, t), 0.0)
    value = root * root * root
    power = tt * tt * tt
    return value + power * ((1.0 - value) * 0.0094 - value * 0.0036 * tt)
