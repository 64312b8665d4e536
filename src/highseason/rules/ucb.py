"""The upper-confidence rule: the arm with the highest estimate + sqrt(b_t / pulls)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState
from highseason.engine.turn import Turn
from highseason.rules.index import index_choose, index_probabilities
from highseason.rules.rule import Rule


@jitable
def bonus(state: ArmState, turn: Turn, arm: int) -> float:
    """The confidence radius; the number is what stands under the root, over the pulls."""
    return math.sqrt(turn.level) * (1.0 / math.sqrt(state.pulls[arm]))


def intensity(
    numbers: NDArray[np.float64], turns: NDArray[np.int64], arms: int
) -> NDArray[np.float64]:
    """The radius of an arm that had its even share of the pulls, at most 1 (the whole range)."""
    return np.minimum(1.0, np.sqrt(numbers * arms / turns))


def negligible(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Even an arm that was tried but once has a radius under a tenth of the range of rewards."""
    return numbers < 0.01


UCB_RULE = Rule(
    "ucb",
    index_choose(bonus, zero_exploits=True),
    intensity,
    negligible=negligible,
    allowed=(0.0, math.inf),
    needs_range=True,
    probabilities=index_probabilities(bonus, zero_exploits=True),
    bonus=bonus,
    zero_exploits=True,
)
