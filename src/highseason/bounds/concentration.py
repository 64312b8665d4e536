"""What every theorem is built from: tails, the cost of a mistaken leader, and the worst case."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.kernels.leaders import beyond, too_few

Numbers = NDArray[np.float64]


def tail(lam: float, kappa: float) -> float:
    """Bound the probability that an average misleads after 2·lam expected blind pulls.

    floor(lam) e^(-lam/5) + the sum of e^(-kappa s) over s > floor(lam): the arm was pulled blindly
    at most lam times (Bernstein), or more often and still misjudged (Hoeffding, for each s).  Any
    lower bound on lam will do.  With kappa = 0, also by underflow, the sum is infinite.

    Args:
        lam: Half the expected number of blind pulls, including the one of the first round.
        kappa: D²/(2r²) for a gap D and rewards in a range r.

    >>> round(tail(50.0, 0.32), 6)
    0.00227
    >>> tail(0.5, 0.0)
    inf
    """
    return too_few(lam) + beyond(float(math.floor(lam)), kappa)


def leader_regret(
    gaps: Sequence[float] | Numbers, probabilities: Sequence[float] | Numbers
) -> float:
    """The maximum of sum D_j p_j with 0 <= p_j <= probabilities_j and sum p_j <= 1.

    Only one arm leads at a time, so probabilities that sum to more than 1 go to the largest gaps
    first.

    >>> leader_regret([0.5, 0.25, 0.0], [0.6, 0.8, 1.0])
    0.4
    """
    gap = np.asarray(gaps, dtype=np.float64)
    order = np.argsort(-gap, kind="stable")
    return float(leader_costs(gap[order], np.asarray(probabilities, dtype=np.float64)[order]))


def leader_costs(gaps: Numbers, probabilities: Numbers) -> Numbers:
    """`leader_regret` for falling gaps, along the last axis of `probabilities`."""
    filled = np.minimum(1.0, np.cumsum(np.minimum(1.0, probabilities), axis=-1))
    shares = np.diff(filled, axis=-1, prepend=0.0)
    return np.asarray(shares @ gaps)


def trivial(gaps: Sequence[float] | Numbers, G: Sequence[float] | Numbers) -> float:
    """The cost of the worst arm in every turn after the first round.

    The sum of G(t) D_t over the first round, where turn t plays arm t, plus the largest gap times
    the rest of G.

    >>> trivial([0.0, 0.5], [10.0, 20.0, 30.0, 40.0])
    45.0
    """
    return float(trivial_curve(np.asarray(gaps, np.float64), np.asarray(G, np.float64))[-1])


def trivial_curve(gaps: Numbers, G: Numbers) -> Numbers:
    """`trivial` for the game stopped at each turn."""
    costs = np.full(G.size, gaps.max())
    costs[: gaps.size] = gaps[: G.size]
    return np.cumsum(G * costs)
