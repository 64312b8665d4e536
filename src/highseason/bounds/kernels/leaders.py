"""What a mistaken leader, or a pool with bad arms, may cost after blind exploration."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable


@jitable
def beyond(pulls: float, kappa: float) -> float:
    """The sum of exp(-kappa s) over s > pulls: exp(-kappa pulls) / (exp(kappa) - 1)."""
    growth = math.expm1(kappa)
    if growth <= 0.0:  # kappa is 0, or underflowed: the sum is infinite
        return math.inf
    return math.exp(-kappa * pulls) / growth


@jitable
def too_few(lam: float) -> float:
    """floor(lam) exp(-lam/5): the part of the tail with too few blind pulls."""
    return math.floor(lam) * math.exp(-lam / 5.0)


def leader_kernel(
    gaps: NDArray[np.float64],
    kappas: NDArray[np.float64],
    lams: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """`leader_regret(gaps, min(1, 2 tail(lam, kappa)))` for each `lam`.

    `gaps` must fall.  Only one term of a tail, the same for all arms, changes with every turn; the
    other changes when floor(lam) does.
    """
    arms = gaps.size
    far = np.empty(arms)
    known = -1.0
    for i in range(lams.size):
        pulls = float(math.floor(lams[i]))
        if pulls != known:
            known = pulls
            for j in range(arms):
                far[j] = beyond(pulls, kappas[j])
        near = too_few(lams[i])
        left, cost = 1.0, 0.0
        for j in range(arms):
            probability = min(left, 2.0 * (near + far[j]))
            cost += gaps[j] * probability
            left -= probability
            if left <= 0.0:
                break
        out[i] = cost


@jitable
def pool_cost(
    gaps: NDArray[np.float64], size: int, lam: float, twice_range_squared: float
) -> float:
    """The most a turn with a pool of `size` can cost per unit of G, after `lam`; `gaps` must fall.

    An arm worse than the size-th best is in the pool with probability at most (1 + size) tail, and
    any arm in it is drawn with probability 1/size.
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
        probability = min(left, inside / size)
        cost += gaps[j] * probability
        left -= probability
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

    The cost depends on the size and on the number of full pools so far, so it is computed only when
    one of these changes.
    """
    arms = gaps.size
    full = arms  # the first round counts as `arms` blind turns
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
