"""Small logs with known means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from highseason.logs import Events, Pools


def fixed_log(
    means: Sequence[float],
    events: int,
    seed: int = 0,
    chances: Sequence[float] | None = None,
    a_bin: Sequence[int] = (5,),
    tell: bool = False,
) -> Events:
    """One pool for ever; arms shown uniformly or with `chances`; bins of so many events in turn.

    With `tell` the log gives its propensities.
    """
    rng = np.random.default_rng(seed)
    arms = len(means)
    arm = rng.choice(arms, events, p=chances).astype(np.int32)
    chance = np.full(arms, 1 / arms) if chances is None else np.asarray(chances)
    sizes = np.resize(a_bin, events)
    return Events(
        time=np.repeat(np.arange(events), sizes)[:events],
        arm=arm,
        reward=(rng.random(events) < np.asarray(means)[arm]).astype(np.uint8),
        pool=np.zeros(events, np.int32),
        arms=tuple("abcdefghijklmnop"[:arms]),
        pools=Pools.of([range(arms)]),
        propensity=chance[arm] if tell else None,
    )


def mortal_log(events: int, arms: int = 9, size: int = 4, seed: int = 0) -> Events:
    """Pools that slide over the arms; some events are wrong, some go back in time."""
    rng = np.random.default_rng(seed)
    pools = [np.arange(first, first + size) for first in range(arms - size + 1)]
    pool = np.sort(rng.integers(0, len(pools), events))
    swapped = rng.random(events) < 0.02  # pools come back for a moment
    pool[swapped] = rng.permutation(pool[swapped])
    arm = pool + rng.integers(0, size, events)
    wrong = rng.random(events) < 0.02
    arm[wrong] = rng.integers(0, arms, int(wrong.sum()))
    time = np.sort(rng.integers(0, events // 3 + 1, events))
    time[rng.random(events) < 0.01] -= 2
    reward = rng.integers(0, 5, events) / 4.0  # few values, so that arms tie
    return Events(
        time=time.astype(np.int64),
        arm=arm.astype(np.int32),
        reward=reward,
        pool=pool.astype(np.int32),
        arms=tuple(f"arm{i}" for i in range(arms)),
        pools=Pools.of(pools),
        propensity=None,
    )


def with_chances(log: Events, seed: int = 0) -> NDArray[np.float64]:
    """Propensities of no meaning, to thin by."""
    return np.random.default_rng(seed).uniform(0.1, 0.9, len(log))


def two_pools(events: int, seed: int = 3, tell: bool = False) -> Events:
    """Drawn uniformly out of a pool of 2 arms at 0.5 or one of 20 at 0.1: all are worth 0.3.

    With `tell` the arms of the large pool are shown tilted, and the log gives its propensities.
    """
    rng = np.random.default_rng(seed)
    pool = rng.integers(0, 2, events).astype(np.int32)
    chances = np.linspace(1, 3, 20) / 40 if tell else np.full(20, 1 / 20)
    arm = np.where(pool == 0, rng.integers(0, 2, events), 2 + rng.choice(20, events, p=chances))
    reward = rng.random(events) < np.where(pool == 0, 0.5, 0.1)
    return Events(
        time=np.arange(events) // 4,
        arm=arm.astype(np.int32),
        reward=reward.astype(np.uint8),
        pool=pool,
        arms=tuple(f"arm{i}" for i in range(22)),
        pools=Pools.of([range(2), range(2, 22)]),
        propensity=np.concatenate([[0.5, 0.5], chances])[arm] if tell else None,
    )
