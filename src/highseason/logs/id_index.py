"""Numbers for the arms and pools of a log, in the order in which they are first seen."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from highseason.logs.events import Pools


class IdIndex:
    """Numbers arms and pools.

    >>> ids = IdIndex()
    >>> ids.arm("b"), ids.arm("a"), ids.arm("b")
    (0, 1, 0)
    >>> ids.pool([1, 0]), ids.pool([0, 1, 1]), ids.pool([1])
    (0, 0, 1)
    >>> ids.arms, len(ids.pools)
    (('b', 'a'), 2)
    """

    def __init__(self) -> None:
        self._arms: dict[str, int] = {}
        self._numbers: dict[bytes, int] = {}
        self._pools: list[NDArray[np.int32]] = []

    def arm(self, name: str) -> int:
        """The number of an arm."""
        return self._arms.setdefault(name, len(self._arms))

    def pool(self, arms: Iterable[int]) -> int:
        """The number of the pool of these arms, in any order."""
        members = np.unique(np.fromiter(arms, np.int32))
        number = self._numbers.setdefault(members.tobytes(), len(self._pools))
        if number == len(self._pools):
            self._pools.append(members)
        return number

    def open_pool(self) -> int:
        """The number of a pool whose arms are known only when the log ends."""
        self._pools.append(np.zeros(0, np.int32))
        return len(self._pools) - 1

    def close_pool(self, number: int, arms: Iterable[int]) -> None:
        """Give an open pool its arms."""
        self._pools[number] = np.fromiter(arms, np.int32)

    @property
    def arms(self) -> tuple[str, ...]:
        """The ids of the arms by their numbers."""
        return tuple(self._arms)

    @property
    def pools(self) -> Pools:
        """The table of pools."""
        return Pools.of(self._pools)
