"""The table of pools: which arms were on offer, kept once however many events shared them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Pools:
    """Pool p holds the arms `members[offsets[p]:offsets[p + 1]]`, rising and without repeats.

    >>> pools = Pools.of([[0, 2], [1, 2, 3]])
    >>> pools[1].tolist(), pools.sizes.tolist()
    ([1, 2, 3], [2, 3])
    """

    offsets: NDArray[np.int64]
    members: NDArray[np.int32]

    @classmethod
    def of(cls, pools: Iterable[Sequence[int]]) -> Self:
        """From lists of arms."""
        listed = [np.unique(np.asarray(pool, np.int32)) for pool in pools]
        offsets = np.concatenate([[0], np.cumsum([pool.size for pool in listed])])
        members = np.concatenate([*listed, np.zeros(0, np.int32)])
        return cls(offsets.astype(np.int64), members.astype(np.int32))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many arms each pool holds."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        """How many pools."""
        return int(self.offsets.size - 1)

    def __getitem__(self, pool: int) -> NDArray[np.int32]:
        """The arms of one pool."""
        return self.members[self.offsets[pool] : self.offsets[pool + 1]]

    def has(self, arms: int) -> NDArray[np.bool_]:
        """A table with a row for each pool and a column for each of so many arms."""
        table = np.zeros((len(self), arms), np.bool_)
        table[np.repeat(np.arange(len(self)), self.sizes), self.members] = True
        return table
