"""Gamma and beta variables inside compiled kernels.

Marsaglia and Tsang (2000): a gamma variable is the cube of a normal one, accepted with a
probability of 95% or more.  Every try has positions of its own after the key, so a draw is a
function of the key however many tries it takes.  Up to the normal quantile, which is within 4e-5,
the distribution is exact.
"""

import math

from highseason.core.jitable import inlined, jitable
from highseason.core.random import draw
from highseason.core.special import inner_normal_quantile, is_inner, quick_normal_quantile

#: More tries than any draw needs: the probability of that many is below 1e-40.
_TRIES = 31
#: How many positions after the key belong to a gamma variable, and to a beta variable.
GAMMA_NUMBERS = 2 * _TRIES + 1
BETA_NUMBERS = 2 * GAMMA_NUMBERS
#: A try is accepted without a logarithm if its second number is below 1 - _SURE x⁴ / (9 d): the
#: squeeze of Marsaglia and Tsang at d = 2/3, the least.  With t = x / √(9 d) the probability of
#: refusing is 1 - exp(-d t⁴ r(t)) where r rises with |t|, so for a larger d the limit is safe too.
_SURE = 0.0331 * (2.0 / 3.0) * 9.0
#: Smaller shapes are taken for this one: their inverses would not be numbers.
_LEAST = 1e-300


@jitable
def gamma_sample(key: int, place: int, shape: float) -> float:
    """A gamma variable of this shape > 0 and scale 1; its numbers start at `place` after `key`."""
    if shape < 1.0:
        return math.exp(_log_gamma_sample(key, place, shape))
    value, sure = _first_try(key, place, shape)
    return value if sure else _tried(key, place, shape)


@inlined
def beta_sample(key: int, place: int, a: float, b: float) -> float:
    """A beta variable, a, b > 0: X / (X + Y) for two gamma variables."""
    if a < 1.0 or b < 1.0:
        return _small_beta(key, place, a, b)
    x, sure_of_x = _first_try(key, place, a)
    y, sure_of_y = _first_try(key, place + GAMMA_NUMBERS, b)
    if not sure_of_x:
        x = _tried(key, place, a)
    if not sure_of_y:
        y = _tried(key, place + GAMMA_NUMBERS, b)
    return x / (x + y)


@jitable
def _small_beta(key: int, place: int, a: float, b: float) -> float:
    """The same where a shape is below 1.

    Such gamma variables can be too small for a number, so their logarithms are compared.
    """
    odds = _log_gamma_sample(key, place, a) - _log_gamma_sample(key, place + GAMMA_NUMBERS, b)
    ratio = math.exp(-abs(odds))
    return (ratio if odds < 0.0 else 1.0) / (1.0 + ratio)


@inlined
def _first_try(key: int, place: int, shape: float) -> tuple[float, bool]:
    """A gamma variable of shape >= 1 if its first try is surely accepted, and whether it is.

    Without branches, which makes it twice as fast as the loop below.  The root is above 0: c is at
    most 1/√6 and x, inside, at least -2.42.
    """
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    u = draw(key, place + 1)
    x = inner_normal_quantile(u)
    root, s = 1.0 + c * x, x * x
    sure = is_inner(u) & (draw(key, place + 2) < 1.0 - _SURE * c * c * s * s)
    return d * (root * root * root), sure


@jitable
def _tried(key: int, place: int, shape: float) -> float:
    """A gamma variable of shape >= 1, after as many tries as it takes."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    for number in range(place + 1, place + GAMMA_NUMBERS, 2):
        x = quick_normal_quantile(draw(key, number))
        root = 1.0 + c * x
        if root > 0.0:
            v, s, u = root * root * root, x * x, draw(key, number + 1)
            if u < 1.0 - _SURE * c * c * s * s or u <= 0.0:
                return d * v
            if math.log(u) < 0.5 * s + d * (1.0 - v + math.log(v)):
                return d * v
    return shape


@jitable
def _log_gamma_sample(key: int, place: int, shape: float) -> float:
    """The logarithm of a gamma variable; one of shape s < 1 is one of s + 1 times U^(1/s)."""
    if shape >= 1.0:
        return math.log(_tried(key, place, shape))
    share = math.log(1.0 - draw(key, place)) / max(shape, _LEAST)
    return math.log(_tried(key, place, shape + 1.0)) + share
