"""Small logs with known means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from highseason.logs import Events, Pools


def fixed_log(
    means: Sequence[float],
    records: int,
    seed: int = 0,
    chances: Sequence[float] | None = None,
    a_bin: Sequence[int] = (5,),
    tell: bool = False,
) -> Events:
    """One pool for ever; arms shown uniformly or with `chances`; bins of so many records in turn.

    With `tell` the log gives its propensities.
    """
    rng = np.random.default_rng(seed)
    arms = len(means)
    arm = rng.choice(arms, records, p=chances).astype(np.int32)
    chance = np.full(arms, 1 / arms) if chances is None else np.asarray(chances)
    sizes = np.resize(a_bin, records)
    return Events(
        time=np.repeat(np.arange(records), sizes)[:records],
        arm=arm,
        reward=(rng.random(records) < np.asarray(means)[arm]).astype(np.uint8),
        pool=np.zeros(records, np.int32),
        arms=tuple("abcdefghijklmnop"[:arms]),
        pools=Pools.of([range(arms)]),
        propensity=chance[arm] if tell else None,
    )


def mortal_log(records: int, arms: int = 9, size: int = 4, seed: int = 0) -> Events:
    """Pools that slide over the arms; some records are wrong, some go back in time."""
    rng = np.random.default_rng(seed)
    pools = [np.arange(first, first + size) for first in range(arms - size + 1)]
    pool = np.sort(rng.integers(0, len(pools), records))
    swapped = rng.random(records) < 0.02  # pools come back for a moment
    pool[swapped] = rng.permutation(pool[swapped])
    arm = pool + rng.integers(0, size, records)
    wrong = rng.random(records) < 0.02
    arm[wrong] = rng.integers(0, arms, int(wrong.sum()))
    time = np.sort(rng.integers(0, records // 3 + 1, records))
    time[rng.random(records) < 0.01] -= 2
    reward = rng.integers(0, 5, records) / 4.0  # few values, so that arms tie
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


def two_pools(records: int, seed: int = 3, tell: bool = False) -> Events:
    """Drawn uniformly out of a pool of 2 arms at 0.5 or one of 20 at 0.1: all are worth 0.3.

    With `tell` the arms of the large pool are shown tilted, and the log gives its propensities.
    """
    rng = np.random.default_rng(seed)
    pool = rng.integers(0, 2, records).astype(np.int32)
    chances = np.linspace(1, 3, 20) / 40 if tell else np.full(20, 1 / 20)
    arm = np.where(pool == 0, rng.integers(0, 2, records), 2 + rng.choice(20, records, p=chances))
    reward = rng.random(records) < np.where(pool == 0, 0.5, 0.1)
    return Events(
        time=np.arange(records) // 4,
        arm=arm.astype(np.int32),
        reward=reward.astype(np.uint8),
        pool=pool,
        arms=tuple(f"arm{i}" for i in range(22)),
        pools=Pools.of([range(2), range(2, 22)]),
        propensity=np.concatenate([[0.5, 0.5], chances])[arm] if tell else None,
    )
