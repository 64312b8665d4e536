"""A log in memory: what was shown when, from which pool, and the reward.

Every reader ends here and `replay` begins here.  Events refer to pools by number, so a click log
takes 17 bytes per event.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Pools:
    """Which arms were on offer, kept once however many events share a pool.

    Pool p holds the arms `members[offsets[p]:offsets[p + 1]]`, ascending and without repeats.

    >>> pools = Pools.of([[0, 2], [1, 2, 3]])
    >>> pools[1].tolist(), pools.sizes.tolist()
    ([1, 2, 3], [2, 3])
    """

    offsets: NDArray[np.int64]
    members: NDArray[np.int32]

    @classmethod
    def of(cls, pools: Iterable[Sequence[int] | NDArray[Any]]) -> Self:
        """From lists of arms."""
        rising = [np.unique(np.asarray(pool, np.int32)) for pool in pools]
        offsets = np.cumsum([0, *(pool.size for pool in rising)])
        members = np.concatenate([*rising, np.zeros(0, np.int32)])
        return cls(offsets.astype(np.int64), members.astype(np.int32))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of arms in each pool."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        """The number of pools."""
        return int(self.offsets.size - 1)

    def __getitem__(self, pool: int) -> NDArray[np.int32]:
        """The arms of one pool."""
        return self.members[self.offsets[pool] : self.offsets[pool + 1]]

    def has(self, arms: int) -> NDArray[np.bool_]:
        """A table with a row per pool and a column per arm: whether the pool holds the arm."""
        table = np.zeros((len(self), arms), np.bool_)
        table[np.repeat(np.arange(len(self)), self.sizes), self.members] = True
        return table


@dataclass(frozen=True, eq=False)
class Events:
    """A log of displays, in the order in which they happened.

    Attributes:
        time: When, in whole seconds of the Unix epoch (or any whole unit the log counts in).
        arm: The index of the arm shown; `arms[index]` is its id.
        reward: The reward: a click (uint8) or any number (float64).
        pool: The index of the pool the arm was drawn from.
        arms: The ids of all arms.
        pools: The table of pools.
        propensity: The probability with which this arm was shown; None where the log does not know
            it, which means uniformly at random from its pool.

    >>> log = Events.of([7, 7, 9], ["a", "b", "b"], [0, 1, 0], [["a", "b"]] * 3)
    >>> len(log), log.arms, len(log.pools)
    (3, ('a', 'b'), 1)
    """

    time: NDArray[np.int64]
    arm: NDArray[np.int32]
    reward: NDArray[Any]
    pool: NDArray[np.int32]
    arms: tuple[str, ...]
    pools: Pools
    propensity: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        """Refuse columns that do not fit together: they would be read past their end later."""
        for name, column in self._columns.items():
            if column.shape != self.time.shape or column.ndim != 1:
                raise ValueError(
                    f"expected one {name} per time, got {column.shape} and {self.time.shape}"
                )
        _inside("arm", self.arm, len(self.arms))
        _inside("pool", self.pool, len(self.pools))
        _inside("arm of a pool", self.pools.members, len(self.arms))

    @classmethod
    def of(
        cls,
        time: ArrayLike,
        arm: Sequence[str],
        reward: ArrayLike,
        pool: Sequence[Sequence[str]],
        propensity: ArrayLike | None = None,
    ) -> Self:
        """A small log from plain lists, one entry per event; arms are in the order of their ids."""
        arms = tuple(sorted({*arm, *(one for offered in pool for one in offered)}))
        index = {name: i for i, name in enumerate(arms)}
        kinds: dict[tuple[int, ...], int] = {}
        offered = [tuple(sorted({index[one] for one in entry})) for entry in pool]
        pool_index = [kinds.setdefault(entry, len(kinds)) for entry in offered]
        return cls(
            time=np.asarray(time, np.int64),
            arm=np.array([index[one] for one in arm], np.int32),
            reward=np.asarray(reward, np.float64),
            pool=np.array(pool_index, np.int32),
            arms=arms,
            pools=Pools.of(kinds),
            propensity=None if propensity is None else np.asarray(propensity, np.float64),
        )

    @property
    def _columns(self) -> dict[str, NDArray[Any]]:
        names = ("time", "arm", "reward", "pool", "propensity")
        return {name: column for name in names if (column := getattr(self, name)) is not None}

    def __len__(self) -> int:
        """The number of events."""
        return int(self.time.size)

    def take(self, rows: slice | NDArray[Any]) -> Self:
        """Some of the events, in the order given; arms and pools keep their indices."""
        taken: dict[str, Any] = {name: column[rows] for name, column in self._columns.items()}
        return replace(self, **taken)

    def between(self, start: int, end: int) -> Self:
        """The events with start <= time <= end."""
        return self.take(np.flatnonzero((self.time >= start) & (self.time <= end)))

    @property
    def display_probability(self) -> NDArray[np.float64]:
        """The probability of each display: as logged, or one over the size of its pool."""
        if self.propensity is not None:
            return self.propensity
        return 1.0 / self.pools.sizes[self.pool]

    @property
    def nbytes(self) -> int:
        """The memory the columns take, in bytes."""
        return sum(column.nbytes for column in self._columns.values())


def _inside(what: str, numbers: NDArray[np.int32], count: int) -> None:
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise ValueError(f"the {what} must be an index from 0 to {count - 1}")
