"""What a turn of the variable pool may cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.kernels.tails import beyond, too_few
from highseason.core.jitable import jitable


@jitable
def pool_cost(
    gaps: NDArray[np.float64], size: int, lam: float, twice_range_squared: float
) -> float:
    """The most a turn with a pool of `size` can cost per unit of G, after `lam`; gaps fall.

    An arm worse than the size-th best is in the pool with chance at most (1 + size) tail, and any
    arm in it is drawn with chance 1/size.
    """
    arms = gaps.size
    edge = gaps[arms - size]  # the gap of the size-th best arm
    near = too_few(lam)
    left, cost = 1.0, 0.0
    for j in range(arms):
        behind = gaps[j] - edge
        inside = 1.0
        if behind > 0.0:
            kappa = behind * behind / twice_range_squared
            inside = min(1.0, (1.0 + size) * (near + beyond(float(np.floor(lam)), kappa)))
        chance = min(left, inside / size)
        cost += gaps[j] * chance
        left -= chance
        if left <= 0.0:
            break
    return cost


def pool_kernel(
    gaps: NDArray[np.float64],
    sizes: NDArray[np.int64],
    twice_range_squared: float,
    out: NDArray[np.float64],
) -> None:
    """`pool_cost` for every turn after the first round; full pools are blind exploration.

    The cost depends on the size and on how many full pools there were, so a turn like the one
    before costs the same and is not worked out again.
    """
    arms = gaps.size
    full = arms  # every arm was tried once: as good as `arms` blind turns
    even = gaps.sum() / arms
    last_size, last_full, cost = -1, -1, 0.0
    for i in range(sizes.size):
        size = sizes[i]
        if size == arms:
            out[i] = even
            full += 1
            continue
        if size != last_size or full != last_full:
            last_size, last_full = size, full
            cost = pool_cost(gaps, size, full / (2.0 * arms), twice_range_squared)
        out[i] = cost
