"""Gamma and beta variables for posterior sampling, inside compiled kernels.

Marsaglia and Tsang (2000): a gamma variable is the cube of a normal one, accepted with a
probability of 95% or more.  Every try has places of its own after the key, so a draw is a function
of the key however many tries it takes.  Up to the normal quantile, which is within 4e-5, the
distribution is exact, so that the probabilities of a choice can be computed.

The draws of `highseason.rewards.counts` take one uniform number, as a reward must; they are
expansions, whose distribution is only near the right one.
"""

import math

from highseason.core.jitable import jitable
from highseason.core.random import draw, hash_at
from highseason.core.special import quick_normal_quantile

#: More tries than any draw needs: the probability of that many is below 1e-40.
_TRIES = 32


@jitable
def gamma_sample(key: int, shape: float) -> float:
    """A gamma variable of this shape > 0 and scale 1, from the random numbers after `key`.

    One of shape s < 1 is one of shape s + 1 times U^(1/s), U uniform.
    """
    if shape < 1.0:
        share = math.exp(math.log(1.0 - draw(key, 0)) / shape)
        return gamma_of_large_shape(key, shape + 1.0) * share
    return gamma_of_large_shape(key, shape)


@jitable
def gamma_of_large_shape(key: int, shape: float) -> float:
    """The same for a shape of 1 or more."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    for attempt in range(1, _TRIES):
        x = quick_normal_quantile(draw(key, 2 * attempt))
        root = 1.0 + c * x
        if root > 0.0:
            v, s, u = root * root * root, x * x, draw(key, 2 * attempt + 1)
            if u < 1.0 - 0.0331 * s * s:
                return d * v
            if u > 0.0 and math.log(u) < 0.5 * s + d * (1.0 - v + math.log(v)):
                return d * v
    return shape


@jitable
def beta_sample(key: int, a: float, b: float) -> float:
    """A beta variable, a, b > 0: X / (X + Y) for two gamma variables."""
    x, y = gamma_sample(hash_at(key, 1), a), gamma_sample(hash_at(key, 2), b)
    return x / (x + y) if x + y > 0.0 else a / (a + b)
