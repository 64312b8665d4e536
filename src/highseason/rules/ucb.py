"""The upper-confidence rule: the arm with the highest estimate + sqrt(b_t / pulls)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState
from highseason.engine.turn import Turn
from highseason.rules.index import index_rule
from highseason.rules.rule import Floats


@jitable
def bonus(state: ArmState, turn: Turn, arm: int) -> float:
    """The confidence radius; the level stands under the root, over the pulls."""
    return math.sqrt(turn.level) * (1.0 / math.sqrt(state.pulls[arm]))


def intensity(levels: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """The radius of an arm that had its even share of the pulls, at most 1 (the whole range)."""
    return np.minimum(1.0, np.sqrt(levels * arms / turns))


def negligible(levels: Floats) -> NDArray[np.bool_]:
    """Even an arm tried only once has a radius below a tenth of the range of rewards."""
    return levels < 0.01


UCB_RULE = index_rule("ucb", bonus, intensity, negligible, zero_exploits=True)
