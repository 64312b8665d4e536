"""Events of a synthetic log; every number is a function of (seed, second, event).

A second draws its number of events, an event the article shown and the click.  So a log can be
generated in pieces of any length, and the pieces fit.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled
from highseason.core.jitable import jitable
from highseason.core.random import draw, hash_at

DAY = 86_400
_PEAK = 36_000.0  # so that the paper's thirteen hours are as busy as they were
_BLOCK = 600  # the seconds of a burst

#: Poisson numbers with a larger mean are drawn in parts: exp(-mean) must not vanish.
_LARGEST = 64.0

#: What the numbers of a second are for: the first of them count its events …
_EVENTS_AT = 1 << 20
#: … and those of an event, which stand in a family of their own: what is shown, is it clicked.
_SHOWN, _CLICKED = 0, 1


class Offer(NamedTuple):
    """The articles on offer and their click rates."""

    since: NDArray[np.int64]  # the first second of each pool
    offsets: NDArray[np.int64]  # the pools, as in `Pools`
    members: NDArray[np.int32]
    reach: NDArray[np.float64]  # the running sum of the propensities within each pool
    rates: NDArray[np.float64]  # the click rate of each article in the middle of its lifetime …
    slopes: NDArray[np.float64]  # … its loss per second …
    middles: NDArray[np.float64]  # … and that middle


@jitable
def poisson(key: int, first: int, mean: float) -> int:
    """A Poisson number with this mean, by inversion of the random number at `first`."""
    chance = math.exp(-mean)
    reached = chance
    u = draw(key, first)
    count = 0
    while u >= reached and chance > 0.0:
        count += 1
        chance *= mean / count
        reached += chance
    return count


def count_events(
    level: float,
    rhythm: float,
    bursts: float,
    burst_key: int,
    key: int,
    start: int,
    counts: NDArray[np.int64],
) -> None:
    """The number of events of each second, from `start` on: a daily wave with bursts.

    `level` is the mean number between bursts, `rhythm` the height of the wave over it, and `bursts`
    the probability that a block of seconds is a burst.
    """
    for i in range(counts.size):
        second = start + i
        angle = 2.0 * math.pi * (second % DAY - _PEAK) / DAY
        mean = level * (1.0 + rhythm * math.cos(angle))
        block = second // _BLOCK
        if draw(burst_key, 2 * block) < bursts:
            mean *= 1.0 + 2.0 * draw(burst_key, 2 * block + 1)
        parts = max(1, math.ceil(mean / _LARGEST))
        luck = hash_at(key, second)
        counts[i] = 0
        for part in range(parts):
            counts[i] += poisson(luck, part, mean / parts)


def fill_events(
    offer: Offer,
    key: int,
    start: int,
    counts: NDArray[np.int64],
    time: NDArray[np.int64],
    arm: NDArray[np.int32],
    reward: NDArray[np.uint8],
    pool: NDArray[np.int32],
) -> None:
    """The events, in the order of the seconds."""
    row = 0
    now = np.searchsorted(offer.since, start, side="right") - 1
    for i in range(counts.size):
        at = start + i
        while now + 1 < offer.since.size and offer.since[now + 1] <= at:
            now += 1
        begin, end = offer.offsets[now], offer.offsets[now + 1]
        second = hash_at(key, at)
        for event in range(counts[i]):
            luck = hash_at(second, _EVENTS_AT + event)
            u = draw(luck, _SHOWN)
            position = np.searchsorted(offer.reach[begin:end], u, side="right")
            shown = offer.members[begin + min(position, end - begin - 1)]
            chance = offer.rates[shown] - offer.slopes[shown] * (at - offer.middles[shown])
            time[row] = at
            arm[row] = shown
            reward[row] = 1 if draw(luck, _CLICKED) < chance else 0
            pool[row] = now
            row += 1


@functools.cache
def kernels() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """`count_events` and `fill_events`, compiled."""
    from numba.core import types

    t: Any = types
    whole, short, real = t.int64[::1], t.int32[::1], t.float64[::1]
    key, second = t.uint64, t.int64
    offer = t.NamedTuple((whole, whole, short, real, real, real, real), Offer)
    count = t.void(t.float64, t.float64, t.float64, key, key, second, whole)
    fill = t.void(offer, key, second, whole, whole, short, t.uint8[::1], short)
    return compiled(count_events, count), compiled(fill_events, fill)
