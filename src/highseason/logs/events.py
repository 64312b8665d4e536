"""A log in memory: what was shown when, out of which pool, and what it brought.

Every reader ends here and everything in `replay` begins here.  A column each, and a pool's number
instead of the pool, so that a click log takes 17 bytes an event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.logs.pools import Pools


@dataclass(frozen=True, eq=False)
class Events:
    """A log of displays, in the order in which they happened.

    Attributes:
        time: When, in whole seconds of the Unix epoch (or any whole unit the log counts in).
        arm: The number of the arm shown; `arms[number]` is its id.
        reward: What it brought: a click (uint8) or any number (float64).
        pool: The number of the pool it was drawn from.
        arms: The ids of all arms.
        pools: The table of pools.
        propensity: The chance with which this arm was shown; None where the log says nothing, which
            means uniformly at random from its pool.

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
        """Columns that do not fit together are refused; they would read past an end later."""
        columns = {"arm": self.arm, "reward": self.reward, "pool": self.pool}
        if self.propensity is not None:
            columns["propensity"] = self.propensity
        for name, column in columns.items():
            if column.shape != self.time.shape or column.ndim != 1:
                raise ValueError(
                    f"a log has one {name} for each time: {column.shape} and {self.time.shape}"
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
        """A small log from plain lists, one entry an event; arms are numbered by their ids."""
        arms = tuple(sorted({*arm, *(one for offered in pool for one in offered)}))
        number = {name: i for i, name in enumerate(arms)}
        kinds: dict[tuple[int, ...], int] = {}
        offered = [tuple(sorted({number[one] for one in entry})) for entry in pool]
        numbers = [kinds.setdefault(entry, len(kinds)) for entry in offered]
        return cls(
            time=np.asarray(time, np.int64),
            arm=np.array([number[one] for one in arm], np.int32),
            reward=np.asarray(reward, np.float64),
            pool=np.array(numbers, np.int32),
            arms=arms,
            pools=Pools.of(kinds),
            propensity=None if propensity is None else np.asarray(propensity, np.float64),
        )

    def __len__(self) -> int:
        """How many events."""
        return int(self.time.size)

    def take(self, rows: slice | NDArray[Any]) -> Self:
        """Some of the events, in the order given; arms and pools keep their numbers."""
        return replace(
            self,
            time=self.time[rows],
            arm=self.arm[rows],
            reward=self.reward[rows],
            pool=self.pool[rows],
            propensity=None if self.propensity is None else self.propensity[rows],
        )

    def between(self, start: int, end: int) -> Self:
        """The events with start <= time <= end."""
        return self.take(np.flatnonzero((self.time >= start) & (self.time <= end)))

    @property
    def chance(self) -> NDArray[np.float64]:
        """The chance with which each arm was shown: as logged, or one over the size of its pool."""
        if self.propensity is not None:
            return self.propensity
        return 1.0 / self.pools.sizes[self.pool]

    @property
    def nbytes(self) -> int:
        """How much memory the columns take."""
        columns = (self.time, self.arm, self.reward, self.pool, self.propensity)
        return sum(column.nbytes for column in columns if column is not None)


def _inside(what: str, numbers: NDArray[np.int32], count: int) -> None:
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise ValueError(f"the {what} must be a number from 0 to {count - 1}")
