"""Numbers kept in order while they come in one by one: any rank in logarithmic time."""

import math
from bisect import bisect_left, insort
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

#: How many numbers a new block holds; it is split when it holds twice as many.
_BLOCK = 512


class Ordered:
    """Numbers in ascending order, in blocks, with a tree of the blocks' sizes (Fenwick's).

    >>> numbers = Ordered([3.0, 1.0])
    >>> numbers.add(2.0)
    >>> [numbers[rank] for rank in range(len(numbers))]
    [1.0, 2.0, 3.0]
    """

    def __init__(self, values: Iterable[float] = ()) -> None:
        ordered = sorted(values)
        starts = range(0, len(ordered), _BLOCK)
        self._blocks = [ordered[start : start + _BLOCK] for start in starts] or [[]]
        self._length = len(ordered)
        self._index()

    def _index(self) -> None:
        """Read the largest number of each block and the tree of sizes from the blocks."""
        self._tops = [block[-1] for block in self._blocks if block]
        self._tree = [0, *map(len, self._blocks)]
        for i in range(1, len(self._tree)):
            parent = i + (i & -i)
            if parent < len(self._tree):
                self._tree[parent] += self._tree[i]

    def add(self, value: float) -> None:
        """Take in one number."""
        at = min(bisect_left(self._tops, value), len(self._blocks) - 1)
        block = self._blocks[at]
        insort(block, value)
        self._length += 1
        if len(block) >= 2 * _BLOCK:
            self._blocks[at : at + 1] = [block[:_BLOCK], block[_BLOCK:]]
            self._index()
            return
        self._tops[at : at + 1] = block[-1:]
        node = at + 1
        while node < len(self._tree):
            self._tree[node] += 1
            node += node & -node

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, rank: int) -> float:
        """The number with this rank, from 0."""
        if not 0 <= rank < self._length:
            raise IndexError(f"rank {rank} of {self._length} numbers")
        at, step = 0, 1 << (len(self._tree).bit_length() - 1)
        while step:
            if at + step < len(self._tree) and self._tree[at + step] <= rank:
                at += step
                rank -= self._tree[at]
            step >>= 1
        return self._blocks[at][rank]

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> NDArray[np.float64]:
        return np.array(list(chain.from_iterable(self._blocks)), dtype or np.float64)


class WithOne(NamedTuple):
    """Ordered numbers and one more, which is not taken in.

    >>> WithOne(Ordered([1.0, 3.0, 4.0]), 2.0).quantile(0.5)
    2.5
    """

    ordered: Ordered
    one: float

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.ordered) + 1

    def at(self, rank: int) -> float:
        """The number with this rank, from 0."""
        below = self.ordered[rank - 1] if rank > 0 else -math.inf
        above = self.ordered[rank] if rank < len(self.ordered) else math.inf
        return max(below, min(self.one, above))

    def min(self) -> float:
        """The smallest."""
        return self.at(0)

    def max(self) -> float:
        """The largest."""
        return self.at(self.size - 1)

    def quantile(self, share: float) -> float:
        """What `np.quantile` of all numbers gives, to the last bit.

        NumPy interpolates between the two neighbours of this place, so it needs no others.
        """
        place = (self.size - 1) * share
        rank = math.floor(place)
        neighbours = self.at(rank), self.at(min(rank + 1, self.size - 1))
        return float(np.quantile(neighbours, place - rank))

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> NDArray[np.float64]:
        return np.append(np.asarray(self.ordered, dtype), self.one)


class SuffixMinima:
    """Numbers that come in one by one: the smallest from any place on, in logarithmic time.

    >>> numbers = SuffixMinima()
    >>> for value in (5.0, 1.0, 4.0, 2.0): numbers.append(value)
    >>> numbers.from_place(0), numbers.from_place(2), numbers.from_place(4)
    (1.0, 2.0, inf)
    """

    def __init__(self, values: Iterable[float] = ()) -> None:
        self._places: list[int] = []
        self._values: list[float] = []  # rising: what a later, smaller number hides is dropped
        self._length = 0
        for value in values:
            self.append(value)

    def __len__(self) -> int:
        return self._length

    def append(self, value: float) -> None:
        """Take in one number."""
        while self._values and self._values[-1] >= value:
            self._values.pop()
            self._places.pop()
        self._values.append(value)
        self._places.append(self._length)
        self._length += 1

    def from_place(self, place: int) -> float:
        """The smallest number from a place on, which counts from 0; infinite if there is none."""
        at = bisect_left(self._places, place)
        return self._values[at] if at < len(self._values) else math.inf
