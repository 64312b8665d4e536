"""Gamma and beta variables for posterior sampling, inside compiled kernels.

Marsaglia and Tsang (2000): a gamma variable is the cube of a normal one, accepted with a
probability of 95% or more.  Every try has places of its own after the key, so a draw is a function
of the key however many tries it takes.  Up to the normal quantile, which is within 4e-5, the
distribution is exact, so that the probabilities of a choice can be computed.

The draws of `highseason.rewards.counts` take one uniform number, as a reward must; they are
expansions, whose distribution is only near the right one.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import inlined, jitable, jitable_as
from highseason.core.random import draw, hash_at
from highseason.core.special import inner_normal_quantile, is_inner, quick_normal_quantile

#: More tries than any draw needs: the probability of that many is below 1e-40.
_TRIES = 32
#: A try is accepted without a logarithm if its second number is below 1 - _SURE x⁴ / (9 d): the
#: squeeze of Marsaglia and Tsang at d = 2/3, the least.  With t = x / √(9 d) the probability of
#: refusing is 1 - exp(-d t⁴ r(t)) where r rises with |t|, so for a larger d the limit is safe too.
_SURE = 0.0331 * (2.0 / 3.0) * 9.0

#: How many beta variables are drawn at a time, and where a batch holds their names, their shapes
#: and the variables: in one array, because the compiler must see that they do not overlap.
BATCH = 16
NAME, A, B, DRAWN = range(0, 4 * BATCH, BATCH)


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
            if u < 1.0 - _SURE * c * c * s * s:
                return d * v
            if u > 0.0 and math.log(u) < 0.5 * s + d * (1.0 - v + math.log(v)):
                return d * v
    return shape


@jitable
def beta_sample(key: int, a: float, b: float) -> float:
    """A beta variable, a, b > 0: X / (X + Y) for two gamma variables."""
    x, y = gamma_sample(hash_at(key, 1), a), gamma_sample(hash_at(key, 2), b)
    return x / (x + y) if x + y > 0.0 else a / (a + b)


def _on_stack() -> Any:
    """`new_batch` as a kernel makes it, which takes no time."""
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic
    from numba.np.arrayobj import populate_array

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def batch(context: Any) -> Any:
        return types.Tuple((types.float64[::1],))(), build

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = context.get_value_type(types.float64)
        length, bytes_each = (context.get_constant(types.intp, n) for n in (4 * BATCH, 8))
        array = context.make_array(signature.return_type[0])(context, builder)
        populate_array(
            array,
            data=cgutils.alloca_once(builder, numbers, size=4 * BATCH),
            shape=[length],
            strides=[bytes_each],
            itemsize=bytes_each,
            meminfo=None,
        )
        return context.make_tuple(builder, signature.return_type, [array._getvalue()])

    return lambda: batch()


@jitable_as(_on_stack)
def new_batch() -> tuple[Any]:
    """Memory for a batch: a list, which is faster than an array where nothing is compiled.

    It comes as a tuple of one, because a compiled function for a GPU may not return an array.
    """
    return ([0.0] * (4 * BATCH),)


@inlined
def _first_try(key: int, shape: float) -> tuple[float, bool]:
    """`gamma_sample` if its first try is surely accepted, and whether it is, without branches."""
    d = max(shape, 1.0) - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    u = draw(key, 2)
    x = inner_normal_quantile(u)
    root, s = 1.0 + c * x, x * x
    sure = is_inner(u) & (shape >= 1.0) & (root > 0.0)
    return d * (root * root * root), sure & (draw(key, 3) < 1.0 - _SURE * c * c * s * s)


@jitable
def beta_batch(batch: NDArray[np.float64], size: int, family: int, place: int) -> None:
    """Up to `BATCH` variables at once, with vector instructions.

    They have the bits of `beta_sample(hash_at(family, place + i), a, b)`.
    """
    for i in range(size):
        key = hash_at(family, place + i)
        x, sure_of_x = _first_try(hash_at(key, 1), batch[A + i])
        y, sure_of_y = _first_try(hash_at(key, 2), batch[B + i])
        batch[DRAWN + i] = x / (x + y) if sure_of_x & sure_of_y else -1.0
    for i in range(size):
        if batch[DRAWN + i] < 0.0:
            batch[DRAWN + i] = beta_sample(hash_at(family, place + i), batch[A + i], batch[B + i])
