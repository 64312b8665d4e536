"""Numbers that come in one by one: quantiles of all of them, and the smallest of the latest."""

import math
from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray


class WithOne(NamedTuple):
    """Sorted numbers and one more, which is not taken in.

    >>> WithOne([1.0, 3.0, 4.0], 2.0).quantile(0.5)
    2.5
    """

    ordered: list[float]
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
