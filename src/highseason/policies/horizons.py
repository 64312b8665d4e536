"""The effective horizon of every turn: what is still to come, over what a turn costs.

Exploring in turn t costs G(t) and pays on the weight W(t) that follows.  It can be done later too,
in turn s: that saves G(t) - G(s), and forgoes what the weight up to s would have brought.  A turn
hosts one play, so with K plays to make the alternative is the K-th best later turn:

    1/H(t) = max{ G(t)/W(t), K-th largest over s > t of (G(t) - G(s)) / (G(t+1) + … + G(s)) }
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled
from highseason.core.jitable import jitable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Turns are skipped in blocks of this many where none of them can be among the K best.
_BLOCK = 64


def effective_horizons(G: Floats, plays: int) -> Floats:
    """H of every turn, where `plays` exploring plays are outstanding; 0 in the last turn.

    Where fewer than `plays` turns follow, there is nothing to wait for: H = W/G.

    >>> effective_horizons(np.array([1.0, 1.0, 1.0, 1.0]), plays=1)
    array([3., 2., 1., 0.])
    >>> effective_horizons(np.array([10.0, 1.0, 10.0, 1.0]), plays=1).round(3)
    array([ 0.111, 11.   ,  0.1  ,  0.   ])
    """
    after = np.concatenate([np.cumsum(G[::-1])[::-1][1:], [0.0]])
    rates = np.empty(G.size)
    lows = np.minimum.reduceat(G, np.arange(0, G.size, _BLOCK)) if G.size else np.empty(0)
    least = np.append(np.minimum.accumulate(G[::-1])[::-1][1:], np.inf)
    scratch = np.empty(plays), np.empty(plays, np.int64), np.zeros(G.size, np.int64)
    _waiting_kernel()(G, after, lows, least, plays, *scratch, rates)
    with np.errstate(divide="ignore"):
        return np.where(after > 0.0, 1.0 / np.maximum(rates, G / np.maximum(after, 1e-300)), 0.0)


@functools.cache
def _waiting_kernel() -> Any:
    from numba.core import types as t

    floats, ints = t.float64[::1], t.int64[::1]
    readonly = t.Array(t.float64, 1, "C", readonly=True)
    return compiled(
        waiting_rates, t.void(readonly, floats, floats, floats, t.int64, floats, ints, ints, floats)
    )


def waiting_rates(
    G: Floats,
    after: Floats,
    lows: Floats,
    least: Floats,
    plays: int,
    best: Floats,
    places: Ints,
    marks: Ints,
    rates: Floats,
) -> None:
    """The K-th best rate at which waiting saves, for every turn; 0 where too few turns follow.

    The K best turns of the following turn are good ones here too, so their rates give a bound to
    start from; a block of turns is skipped if even its least G at its first turn stays below.
    """
    n = G.size
    for t in range(n - 1, -1, -1):
        rates[t] = 0.0
        left = n - 1 - t
        if left < plays:
            continue
        if left == plays:
            for i in range(plays):
                places[i] = t + 1 + i
        floor = G[t] / after[t] if after[t] > 0.0 else 0.0
        if G[t] <= least[t]:
            continue
        fill(G, after, t, best, places, marks)
        s = t + 1
        while s < n:
            end = min((s // _BLOCK + 1) * _BLOCK, n)
            bound = max(best[0], floor)
            if G[t] - least[s - 1] <= bound * (after[t] - after[s]):
                break
            if G[t] - lows[s // _BLOCK] > bound * (after[t] - after[s]):
                for other in range(s, end):
                    gain = G[t] - G[other]
                    if gain > best[0] * (after[t] - after[other]) and marks[other] != t + 1:
                        push(best, places, gain / (after[t] - after[other]), other)
            s = end
        rates[t] = max(0.0, best[0])


@jitable
def fill(G: Floats, after: Floats, t: int, best: Floats, places: Ints, marks: Ints) -> None:
    """The rates of the candidates in turn t, as a heap with the least on top."""
    for i in range(best.size):
        s = places[i]
        marks[s] = t + 1
        best[i] = (G[t] - G[s]) / (after[t] - after[s])
    for i in range(best.size // 2 - 1, -1, -1):
        sink(best, places, i)


@jitable
def push(best: Floats, places: Ints, rate: float, place: int) -> None:
    """Put a rate in the place of the least."""
    best[0], places[0] = rate, place
    sink(best, places, 0)


@jitable
def sink(best: Floats, places: Ints, i: int) -> None:
    """Restore the heap below position i."""
    while True:
        child = 2 * i + 1
        if child >= best.size:
            return
        if child + 1 < best.size and best[child + 1] < best[child]:
            child += 1
        if best[i] <= best[child]:
            return
        best[i], best[child] = best[child], best[i]
        places[i], places[child] = places[child], places[i]
        i = child
