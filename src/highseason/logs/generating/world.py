"""All that a generated log is made of: articles and their click rates, pools, and traffic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import arm_uniforms, hash_at, seed_key
from highseason.logs.events import Pools
from highseason.logs.generating.front_page import FrontPage
from highseason.logs.generating.lifetimes import Lifetimes, draw_lifetimes
from highseason.logs.kernels.generate import Offer, Traffic

#: Lowest and highest click rate of an article, and the Beta distribution between them (mean 3.7%).
LOWEST_RATE, HIGHEST_RATE = 0.013, 0.069
_BETA = (3, 4)

_PEAK = 10 * 3600  # so that the paper's thirteen hours are as busy as they were
_BLOCK = 600

#: Families of random numbers of a log.
_LIVES, _RATES, _IDS, _BURSTS, _EVENTS, USERS = 1, 2, 3, 4, 5, 6


@dataclass(frozen=True)
class World:
    """Articles by the order of their births; `pools[i]` is on offer from `offer.since[i]` on."""

    seed: int
    start: int
    end: int
    ids: tuple[str, ...]
    rates: NDArray[np.float64]
    lifetimes: Lifetimes
    pools: Pools
    offer: Offer
    traffic: Traffic
    drift: float

    def key(self, family: int) -> int:
        """Where a family of this log's random numbers begins."""
        return int(hash_at(seed_key(self.seed), family))

    @property
    def burst_key(self) -> int:
        """For the blocks of seconds with more traffic."""
        return self.key(_BURSTS)

    @property
    def event_key(self) -> int:
        """For what each event shows and brings."""
        return self.key(_EVENTS)


def make_world(page: FrontPage) -> World:
    """The world behind a log."""
    end = page.start + page.seconds
    fixed = page.fixed_pool
    if fixed is None:
        lifetimes = draw_lifetimes(int(hash_at(seed_key(page.seed), _LIVES)), page.start, end)
    else:
        lifetimes = Lifetimes(np.full(fixed, page.start, np.int64), np.full(fixed, end, np.int64))
    count = lifetimes.births.size
    rates = _rates(page.seed, count) if page.rates is None else np.array(page.rates, np.float64)
    since, pools = _pools(lifetimes, page.start, end)
    drift = 0.0 if fixed else page.drift
    offer = Offer(
        since=since,
        offsets=pools.offsets,
        members=pools.members,
        reach=_reach(pools, _weights(rates, page.tilt)),
        rates=rates,
        slopes=drift * rates / (lifetimes.deaths - lifetimes.births),
        middles=(lifetimes.births + lifetimes.deaths) / 2,
    )
    level = page.events_per_second / (1.0 + page.bursts)
    traffic = Traffic(float(level), float(page.rhythm), float(_PEAK), float(page.bursts), _BLOCK)
    ids = _ids(page.seed, count)
    return World(page.seed, page.start, end, ids, rates, lifetimes, pools, offer, traffic, drift)


def _rates(seed: int, count: int) -> NDArray[np.float64]:
    """Click rates: of six uniform numbers the third smallest has the distribution Beta(3, 4)."""
    keys = hash_at(np.uint64(hash_at(seed_key(seed), _RATES)), np.arange(count, dtype=np.uint64))
    uniforms = np.sort(arm_uniforms(keys, sum(_BETA) - 1), axis=1)[:, _BETA[0] - 1]
    return np.asarray(LOWEST_RATE + (HIGHEST_RATE - LOWEST_RATE) * uniforms)


def _ids(seed: int, count: int) -> tuple[str, ...]:
    """Names as Yahoo! gave them: numbers that rise with the births, with gaps."""
    keys = np.array([hash_at(seed_key(seed), _IDS)], np.uint64)
    gaps = 1 + (arm_uniforms(keys, count)[0] * 25).astype(np.int64)
    return tuple(f"id-{number}" for number in 550_000 + np.cumsum(gaps))


def _pools(lifetimes: Lifetimes, start: int, end: int) -> tuple[NDArray[np.int64], Pools]:
    """The pools in their order, and from when on each is offered."""
    changes = np.unique(np.concatenate([lifetimes.births, lifetimes.deaths]))
    inside = changes[(changes > start) & (changes < end)]
    since = np.concatenate([[start], inside]).astype(np.int64)
    offered = [np.flatnonzero((lifetimes.births <= s) & (s < lifetimes.deaths)) for s in since]
    return since, Pools.of([pool.tolist() for pool in offered])


def _weights(rates: NDArray[np.float64], tilt: float) -> NDArray[np.float64]:
    if tilt < 0 and not rates.all():
        raise ValueError("a negative tilt needs click rates above 0")
    weights: NDArray[np.float64] = (rates / max(rates.mean(), 1e-300)) ** tilt
    if not weights.sum() > 0:
        raise ValueError("a positive tilt needs a click rate above 0")
    return weights


def _reach(pools: Pools, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The running sum of the display chances within each pool."""
    if (weights == 1).all():
        return np.concatenate([np.arange(1, size + 1) / size for size in pools.sizes])
    sums = [np.cumsum(weights[pools[i]]) for i in range(len(pools))]
    return np.concatenate([found / found[-1] for found in sums])
