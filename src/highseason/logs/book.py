"""Arms and pools as they are met, each with a number."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from highseason.logs.pools import Pools


class Book:
    """Numbers arms and pools in the order in which they are met.

    >>> book = Book()
    >>> book.arm("b"), book.arm("a"), book.arm("b")
    (0, 1, 0)
    >>> book.pool([1, 0]), book.pool([0, 1, 1]), book.pool([1])
    (0, 0, 1)
    >>> book.arms, len(book.pools)
    (('b', 'a'), 2)
    """

    def __init__(self) -> None:
        self._arms: dict[str, int] = {}
        self._numbers: dict[bytes, int] = {}
        self._pools: list[bytes] = []

    def arm(self, name: str) -> int:
        """The number of an arm."""
        return self._arms.setdefault(name, len(self._arms))

    def pool(self, arms: Iterable[int]) -> int:
        """The number of the pool of these arms, in whatever order they come."""
        members = np.unique(np.fromiter(arms, np.int32)).tobytes()
        number = self._numbers.setdefault(members, len(self._pools))
        if number == len(self._pools):
            self._pools.append(members)
        return number

    def open_pool(self) -> int:
        """The number of a pool whose arms are known only when the log ends."""
        self._pools.append(b"")
        return len(self._pools) - 1

    def close_pool(self, number: int, arms: Iterable[int]) -> None:
        """Say which arms an open pool has."""
        self._pools[number] = np.unique(np.fromiter(arms, np.int32)).tobytes()

    @property
    def arm_count(self) -> int:
        """How many arms were met."""
        return len(self._arms)

    @property
    def pool_count(self) -> int:
        """How many pools were met."""
        return len(self._pools)

    @property
    def arms(self) -> tuple[str, ...]:
        """Their names by their numbers."""
        return tuple(self._arms)

    @property
    def pools(self) -> Pools:
        """The table of pools."""
        listed = [np.frombuffer(members, np.int32) for members in self._pools]
        offsets = np.cumsum([0, *(members.size for members in listed)])
        members = np.concatenate([*listed, np.zeros(0, np.int32)])
        return Pools(offsets.astype(np.int64), members.astype(np.int32))
