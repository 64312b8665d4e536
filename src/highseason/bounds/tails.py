"""The pieces every theorem is made of: tails, what a mistaken leader costs, and the worst case."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.kernels.tails import beyond, too_few

Numbers = NDArray[np.float64]


def tail(lam: float, kappa: float) -> float:
    """Bound the chance that an average misleads after 2·lam expected blind pulls.

    floor(lam) e^(-lam/5) + the sum of e^(-kappa s) over s > floor(lam): the arm was pulled blindly
    at most lam times (Bernstein), or more often and still misjudged (Hoeffding, each s at a time).
    Any lower bound of lam may be used.  With kappa = 0, also by underflow, the sum is infinite.

    Args:
        lam: Half the expected number of blind pulls, the sure one of the first round included.
        kappa: D²/(2r²) for a gap D and rewards within a range r.

    >>> round(tail(50.0, 0.32), 6)
    0.00227
    >>> tail(0.5, 0.0)
    inf
    """
    return too_few(lam) + beyond(float(math.floor(lam)), kappa)


def leader_regret(gaps: Sequence[float] | Numbers, chances: Sequence[float] | Numbers) -> float:
    """The most that sum D_j p_j can be with 0 <= p_j <= chances_j and sum p_j <= 1.

    Only one arm leads at a time, so chances that add up to more than 1 are given to the largest
    gaps first.

    >>> leader_regret([0.5, 0.25, 0.0], [0.6, 0.8, 1.0])
    0.4
    """
    gap = np.asarray(gaps, dtype=np.float64)
    order = np.argsort(-gap, kind="stable")
    return float(leader_costs(gap[order], np.asarray(chances, dtype=np.float64)[order]))


def leader_costs(gaps: Numbers, chances: Numbers) -> Numbers:
    """`leader_regret` for gaps that fall, along the last axis of `chances`."""
    filled = np.minimum(1.0, np.cumsum(np.minimum(1.0, chances), axis=-1))
    shares = np.diff(filled, axis=-1, prepend=0.0)
    return np.asarray(shares @ gaps)


def trivial(gaps: Sequence[float] | Numbers, G: Sequence[float] | Numbers) -> float:
    """What the worst arm in every turn after the first round would cost.

    The sum of G(t) D_t over the first round, where arm t is played in turn t, plus the largest gap
    times the rest of G.

    >>> trivial([0.0, 0.5], [10.0, 20.0, 30.0, 40.0])
    45.0
    """
    return float(trivial_curve(np.asarray(gaps, np.float64), np.asarray(G, np.float64))[-1])


def trivial_curve(gaps: Numbers, G: Numbers) -> Numbers:
    """`trivial` for the game stopped at each turn."""
    costs = np.full(G.size, gaps.max())
    costs[: gaps.size] = gaps[: G.size]
    return np.cumsum(G * costs)
