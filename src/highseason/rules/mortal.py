"""UCB for arms that come and go: how wide an arm's radius is depends on its age and its life.

The number of a turn is its stakes, G(t) in the policy's unit.  An arm of age a has the radius
factor · sqrt(2 log(1 + a / stakes) / pulls); with stakes of 0, which stand for a policy that does
not look at them, factor · sqrt(2 log a / pulls).  The factor is the arm's weight (soft UCB mortal),
or its weight times the logarithm of the life it has left (UCB-L).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState
from highseason.engine.turn import Turn
from highseason.rules.index import index_choose, index_probabilities
from highseason.rules.ranking import age
from highseason.rules.rule import Rule
from highseason.rules.ucb import intensity as ucb_intensity
from highseason.rules.ucb import negligible as ucb_negligible


@jitable
def root_at_age(turns: int, stakes: float) -> float:
    """sqrt(2 log xi) of an arm of this age."""
    if stakes > 0.0:
        return math.sqrt(2.0 * math.log1p(turns / stakes))
    return math.sqrt(2.0 * math.log(turns)) if turns >= 1 else 0.0


@jitable
def weighted_bonus(state: ArmState, turn: Turn, arm: int) -> float:
    """psi · sqrt(2 log xi / pulls)."""
    root = root_at_age(age(state, turn, arm), turn.level)
    return float(state.weight[arm] * root * (1.0 / math.sqrt(state.pulls[arm])))


@jitable
def life_bonus(state: ArmState, turn: Turn, arm: int) -> float:
    """c · log(life left + 1) · sqrt(2 log xi / pulls)."""
    left = max(0, state.end[arm] - turn.clock)
    return math.log1p(left) * weighted_bonus(state, turn, arm)


@jitable
def rank_weights(state: ArmState, clock: int, scores: NDArray[np.float64], scale: float) -> None:
    """psi: `scale` times the share of the arms there whose score is no greater than its own."""
    there = scores[state.available]
    for arm in range(scores.size):
        if state.available[arm]:
            lower = np.sum(there <= scores[arm])
            state.weight[arm] = scale * (lower / there.size)


def intensity(
    stakes: NDArray[np.float64], turns: NDArray[np.int64], arms: int
) -> NDArray[np.float64]:
    """That of UCB with the radius of an arm that was there from the start."""
    return ucb_intensity(_at_age(turns, stakes), turns, arms)


def negligible(stakes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """That of UCB with the radius of an arm at an age of 1,000."""
    return ucb_negligible(_at_age(np.full(stakes.shape, 1000), stakes))


def _at_age(turns: NDArray[np.int64], stakes: NDArray[np.float64]) -> NDArray[np.float64]:
    """2 log xi, what stands under UCB's root, for each age and its stakes."""
    with np.errstate(divide="ignore"):
        return np.where(stakes > 0.0, 2.0 * np.log1p(turns / stakes), 2.0 * np.log(turns))


MORTAL = Rule(
    "mortal",
    index_choose(weighted_bonus, zero_exploits=False),
    intensity,
    negligible=negligible,
    allowed=(0.0, math.inf),
    needs_range=True,
    probabilities=index_probabilities(weighted_bonus, zero_exploits=False),
    bonus=weighted_bonus,
    set_weights=rank_weights,
)

LIFE = Rule(
    "life",
    index_choose(life_bonus, zero_exploits=False),
    intensity,
    negligible=negligible,
    allowed=(0.0, math.inf),
    needs_range=True,
    probabilities=index_probabilities(life_bonus, zero_exploits=False),
    bonus=life_bonus,
)
