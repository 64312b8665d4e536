"""Counts of eight turns at a time, with vector instructions: the bits of `count_draw`.

Eight draws in a row differ in their way (searched, expanded, stretched).  Each way that one of them
takes is computed for all eight, without branches, and every draw keeps what is its own.  Draws in
two steps, which are rare, are made one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import inlined, jitable
from highseason.rewards.counts import (
    ALONE,
    BINOMIAL,
    EXPANDED,
    FEW,
    LARGE,
    NEVER,
    NO_MASS,
    SEARCHED,
    STRETCHED,
    TWO_STEPS,
    count_draw,
    expanded,
    expanded_binomial,
    large_binomial,
    next_share,
    none_of_many,
    normal,
    search_terms,
    stretched,
    way_of,
)

Floats = NDArray[np.float64]

#: Draws at a time.
SIZE = 8
#: Where a batch, one array, holds eight numbers of each kind: what is given (uniform numbers,
#: visitors, rates), the counts drawn, and what is needed in between.  A single array, because the
#: compiler must see that they do not overlap.
U, N, P, COUNT, _Z, _MASS, _LEFT, _WAY, _A, _B = range(0, 10 * SIZE, SIZE)
BATCH = 10 * SIZE


@jitable
def draw_batch(batch: Floats, size: int, place: int, rho: float) -> None:
    """Fill the counts with `count_draw(u, place, n, p, rho)`; `size` is eight.

    It is an argument because the compiler unrolls loops of known length instead of vectorising.
    """
    ways = _choose_ways(batch, size, rho)
    if ways & (1 << SEARCHED):
        _search(batch, size, rho)
    if ways & ~(1 << SEARCHED):
        for i in range(size):
            batch[_Z + i] = normal(batch[U + i])
    if ways & (1 << EXPANDED):
        _expand(batch, size, rho)
    if ways & (1 << BINOMIAL):
        _expand_binomial(batch, size)
    if ways & (1 << STRETCHED):
        _stretch(batch, size, rho)
    if ways & (1 << TWO_STEPS):
        for i in range(size):
            if batch[_WAY + i] == TWO_STEPS:
                batch[COUNT + i] = count_draw(batch[U + i], place, batch[N + i], batch[P + i], rho)


@inlined
def _choose_ways(batch: Floats, size: int, rho: float) -> int:
    """The way of each draw, and all of them as bits; what is rare counts as in two steps."""
    ways = 0
    for i in range(size):
        n, p, way = batch[N + i], batch[P + i], TWO_STEPS
        if n > FEW and NEVER <= p <= 0.5 and rho < 1.0 and not 0.0 < n * rho <= ALONE:
            way = way_of(n, p, rho)
        batch[_WAY + i] = way
        ways |= 1 << way
    return ways


@inlined
def _expand(batch: Floats, size: int, rho: float) -> None:
    for i in range(size):
        count = expanded(batch[_Z + i], batch[N + i], batch[P + i], rho)
        batch[COUNT + i] = count if batch[_WAY + i] == EXPANDED else batch[COUNT + i]


@inlined
def _expand_binomial(batch: Floats, size: int) -> None:
    for i in range(size):
        z, n, p = batch[_Z + i], batch[N + i], batch[P + i]
        large = large_binomial(z, n, p)
        count = expanded_binomial(z, n, p) if n * p * (1.0 - p) < LARGE else large
        batch[COUNT + i] = count if batch[_WAY + i] == BINOMIAL else batch[COUNT + i]


@inlined
def _stretch(batch: Floats, size: int, rho: float) -> None:
    for i in range(size):
        count = stretched(batch[_Z + i], batch[N + i], batch[P + i], rho)
        batch[COUNT + i] = count if batch[_WAY + i] == STRETCHED else batch[COUNT + i]


@inlined
def _search(batch: Floats, size: int, rho: float) -> None:
    """All eight searches, step by step, until the last of them is over."""
    if rho > 0.0:
        for i in range(size):
            batch[_MASS + i] = none_of_many(batch[N + i], batch[P + i], rho)
    else:
        _powers(batch, size)
    live, k = 0, 0.0
    for i in range(size):
        left = batch[U + i] - batch[_MASS + i]
        left = left if batch[_WAY + i] == SEARCHED else -1.0
        batch[_LEFT + i] = left
        batch[COUNT + i] = 0.0
        batch[_A + i], batch[_B + i] = search_terms(batch[N + i], batch[P + i], rho)
        live += left >= 0.0
    while live > 0:
        live, alike, more = 0, k * rho, k + 1.0
        for i in range(size):
            n, left = batch[N + i], batch[_LEFT + i]
            mass = batch[_MASS + i] * next_share(k, n, batch[_A + i], batch[_B + i], alike)
            batch[COUNT + i] = more if left >= 0.0 else batch[COUNT + i]
            left = left - mass if mass > NO_MASS else -1.0
            batch[_LEFT + i] = left
            batch[_MASS + i] = mass
            live += left >= 0.0
        k = more
    for i in range(size):
        batch[COUNT + i] = min(batch[COUNT + i], batch[N + i])


@inlined
def _powers(batch: Floats, size: int) -> None:
    """The probability that none buys, as `_power` computes it."""
    bits, place = 0, 0
    for i in range(size):
        bits |= int(batch[N + i])
        batch[_MASS + i], batch[_Z + i] = 1.0, 1.0 - batch[P + i]
    while bits >> place > 0:
        for i in range(size):
            batch[_MASS + i] *= batch[_Z + i] if int(batch[N + i]) >> place & 1 else 1.0
            batch[_Z + i] *= batch[_Z + i]
        place += 1
