"""Quantiles of sorted numbers and one more."""

import math
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
