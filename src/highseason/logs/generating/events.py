"""A generated log in memory, and what is true of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.logs.events import Events, Pools
from highseason.logs.generating.front_page import FrontPage
from highseason.logs.generating.world import World, make_world
from highseason.logs.kernels.build import count_kernel, fill_kernel

_PIECE = 3600  # seconds made at a time


@dataclass(frozen=True, eq=False)
class Generated:
    """A log, and the truth behind it.

    Attributes:
        events: The log.
        rates: The click rate of each arm in the middle of its life; `events.arms` has their ids.
        births: The first second in which each arm was on offer; may lie before the log begins.
        deaths: The second after its last; may lie after the log ends.
        propensity: The chance with which each event's arm was shown: one over the size of its pool,
            unless the log is tilted.
        drift: How much of its rate an arm loses in its life.
    """

    events: Events
    rates: NDArray[np.float64]
    births: NDArray[np.int64]
    deaths: NDArray[np.int64]
    propensity: NDArray[np.float64]
    drift: float = 0.0

    def rate(self, arm: NDArray[np.int32], time: NDArray[np.int64]) -> NDArray[np.float64]:
        """The true click rate of arms at given times, which is what a click is drawn with.

        >>> made = generate_events(1 / 24, seed=3, rates=[0.05, 0.02])
        >>> made.rate(np.array([0, 1]), made.events.time[:2]).tolist()
        [0.05, 0.02]
        """
        lost = self.drift * self.rates[arm] / (self.deaths - self.births)[arm]
        middle = (self.births + self.deaths)[arm] / 2
        return np.asarray(self.rates[arm] - lost * (time - middle))


class Piece(NamedTuple):
    """Some seconds of a log; arms and pools by their numbers in the world it comes from."""

    time: NDArray[np.int64]
    arm: NDArray[np.int32]
    reward: NDArray[np.uint8]
    pool: NDArray[np.int32]


def generate_events(days: float = 1.0, seed: int = 0, **settings: Any) -> Generated:
    """Make a click log like those of the Yahoo! front page, or a small one for tests.

    Args:
        days: How long it is; `1 / 24` for an hour.
        seed: The same seed gives the same log.
        settings: Any other of `FrontPage`: `articles` or `rates` for a pool that stays the same,
            `tilt` for a log that is not uniform, `events_per_second`, `drift`, `rhythm`, …

    >>> made = generate_events(1 / 24, seed=3, rates=[0.05, 0.02, 0.9], rhythm=0, bursts=0)
    >>> log = made.events
    >>> len(log.arms), len(log.pools), bool(abs(len(log) / 3600 - 21) < 0.5)
    (3, 1, True)
    >>> round(float(log.reward[log.arm == 2].mean()), 1)
    0.9
    """
    world = make_world(FrontPage(days, seed, **settings))
    made = [piece for piece, _ in pieces(world)]
    return _compact(world, Piece(*map(np.concatenate, zip(*made, strict=True))))


def pieces(world: World) -> Iterator[tuple[Piece, int]]:
    """The log in pieces that end on the hour, each with the second before which it ends."""
    begin = world.start
    while begin < world.end:
        until = min(begin // _PIECE * _PIECE + _PIECE, world.end)
        counts = np.zeros(until - begin, np.int64)
        count_kernel()(world.traffic, world.burst_key, world.event_key, begin, counts)
        rows = int(counts.sum())
        piece = Piece(
            np.empty(rows, np.int64),
            np.empty(rows, np.int32),
            np.empty(rows, np.uint8),
            np.empty(rows, np.int32),
        )
        fill_kernel()(world.offer, world.event_key, begin, counts, *piece)
        yield piece, until
        begin = until


def _compact(world: World, log: Piece) -> Generated:
    """Leave out pools in which nothing happened and arms that were in no other pool.

    Nobody who reads the log could know of them.
    """
    used = np.unique(log.pool)  # rising, and so in the order of their first events
    pools = [world.pools[i] for i in used]
    seen = np.unique(np.concatenate([*pools, np.zeros(0, np.int32)]))
    number = np.zeros(len(world.ids), np.int32)
    number[seen] = np.arange(seen.size)
    share = np.diff(world.offer.reach, prepend=0.0)
    share[world.pools.offsets[:-1]] = world.offer.reach[world.pools.offsets[:-1]]
    at = world.pools.offsets[log.pool] + _positions(world.pools, log)
    events = Events(
        time=log.time,
        arm=number[log.arm],
        reward=log.reward,
        pool=np.searchsorted(used, log.pool).astype(np.int32),
        arms=tuple(world.ids[i] for i in seen),
        pools=Pools.of([number[pool].tolist() for pool in pools]),
    )
    lifetimes = world.lifetimes
    return Generated(
        events,
        world.rates[seen],
        lifetimes.births[seen],
        lifetimes.deaths[seen],
        share[at],
        world.drift,
    )


def _positions(pools: Pools, log: Piece) -> NDArray[np.int64]:
    """Where each event's arm stands in its pool: pools rise, so one search finds all."""
    width = np.int64(pools.members.max(initial=0)) + 1
    keys = np.repeat(np.arange(len(pools)), pools.sizes) * width + pools.members
    return np.searchsorted(keys, log.pool * width + log.arm) - pools.offsets[log.pool]
