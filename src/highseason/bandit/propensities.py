"""How likely each arm was: exact where the rule can say, else estimated; kept in little room."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import ARMS, hash_at
from highseason.rules import ArmState, Rule, Turn

#: How many sets of random numbers an estimate is made from.
KEYS = 4096


def chances_of(rule: Rule, state: ArmState, turn: Turn) -> NDArray[np.float64]:
    """The chance of each arm over the random numbers that the turn may have had."""
    if rule.probabilities is not None:
        return rule.probabilities(state, turn)
    # The turn's own numbers are one of the sets, so the arm it decides for never has chance 0.
    family = hash_at(turn.key, ARMS)
    keys = [turn.key, *(hash_at(family, i) for i in range(1, KEYS))]
    counts = np.zeros(state.available.size)
    for key in keys:
        counts[rule.choose(state, turn._replace(key=key))[0]] += 1.0
    return np.asarray(counts / KEYS)


class Packed(NamedTuple):
    """Chances as runs of equal values: run i goes up to, not including, the arm `ends[i]`."""

    ends: array[int]
    values: array[float]

    def of(self, arm: int) -> float:
        """The chance of one arm; 0 for an arm that came later."""
        run = bisect_right(self.ends, arm)
        return self.values[run] if run < len(self.values) else 0.0


def pack(chances: NDArray[np.float64]) -> Packed | None:
    """Pack the chances of a turn; None when one arm was certain and nothing needs to be kept.

    >>> pack(np.array([0.1, 0.1, 0.7, 0.1]))
    Packed(ends=array('q', [2, 3, 4]), values=array('d', [0.1, 0.7, 0.1]))
    """
    if chances.max() >= 1.0:
        return None
    ends = np.flatnonzero(np.append(chances[1:] != chances[:-1], True)) + 1
    return Packed(array("q", ends.tolist()), array("d", chances[ends - 1].tolist()))
