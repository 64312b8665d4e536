"""What a mistaken leader may cost in each turn of an ε policy."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.kernels.tails import beyond, too_few


def leader_kernel(
    gaps: NDArray[np.float64],
    kappas: NDArray[np.float64],
    lams: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """`leader_regret(gaps, min(1, 2 tail(lam, kappa)))` for each `lam`.

    `gaps` fall.  Of a tail only one term, the same for all arms, moves with every turn; the other
    changes when floor(lam) does.
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
            chance = min(left, 2.0 * (near + far[j]))
            cost += gaps[j] * chance
            left -= chance
            if left <= 0.0:
                break
        out[i] = cost
