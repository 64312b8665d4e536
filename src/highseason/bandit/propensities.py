"""How likely each arm was when a turn was decided, as events keep it."""

import math
import operator
from bisect import bisect_right
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: The probabilities of all arms add up to 1, up to this.
_ROUNDING = 1e-6


class Propensities(NamedTuple):
    """The probability of each arm, as runs of equal values: run i ends before arm `ends[i]`."""

    ends: tuple[int, ...]
    values: tuple[float, ...]

    def of(self, arm: int) -> float:
        """The probability of one arm; 0 for an arm that was added later."""
        run = bisect_right(self.ends, arm)
        return self.values[run] if run < len(self.values) else 0.0

    def fit(self, arm: int, arms: int) -> bool:
        """Whether they can be the probabilities of `arms` arms, and `arm` was possible."""
        widths = [end - start for start, end in pairwise((0, *self.ends))]
        if len(widths) != len(self.values) or min(widths, default=0) < 1 or self.ends[-1] > arms:
            return False
        total = math.fsum(map(operator.mul, widths, self.values))
        return min(self.values) >= 0.0 and abs(total - 1.0) <= _ROUNDING and self.of(arm) > 0.0


def pack(probabilities: NDArray[np.float64]) -> Propensities | None:
    """Pack the probabilities of a turn; None if one arm was certain.

    >>> pack(np.array([0.1, 0.1, 0.7, 0.1]))
    Propensities(ends=(2, 3, 4), values=(0.1, 0.7, 0.1))
    """
    if probabilities.max() >= 1.0:
        return None
    values = probabilities.tolist()
    last = len(values) - 1
    ends = [i + 1 for i, value in enumerate(values) if i == last or value != values[i + 1]]
    return Propensities(tuple(ends), tuple(values[end - 1] for end in ends))
