"""UCB for arms with lifetimes: an arm's radius depends on its age and its lifetime.

The level of a turn is its stakes, G(t) in the policy's unit.  An arm of age a has the radius
factor · sqrt(2 log(1 + a / stakes) / pulls).  With stakes of 0 the policy ignores G: the radius
is then factor · sqrt(2 log a / pulls).  The factor is the arm's weight (soft UCB mortal), or its
weight times the logarithm of its remaining lifetime (UCB-L).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState
from highseason.engine.turn import Turn
from highseason.rules.ranking import age
from highseason.rules.rule import Floats
from highseason.rules.ucb import index_rule
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
    """c · log(remaining lifetime + 1) · sqrt(2 log xi / pulls)."""
    left = max(0, state.end[arm] - turn.clock)
    return math.log1p(left) * weighted_bonus(state, turn, arm)


@jitable
def rank_weights(state: ArmState, clock: int, scores: Floats, scale: float) -> None:
    """psi: `scale` times the share of the available arms whose score is at most the arm's own."""
    count = 0
    for arm in range(scores.size):
        if state.available[arm]:
            count += 1
    for arm in range(scores.size):
        if state.available[arm]:
            lower = 0
            for other in range(scores.size):
                if state.available[other] and scores[other] <= scores[arm]:
                    lower += 1
            state.weight[arm] = scale * (lower / count)


def intensity(stakes: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """That of UCB, with the radius of an arm that was there from the start."""
    return ucb_intensity(_at_age(turns, stakes), turns, arms)


def negligible(stakes: Floats) -> NDArray[np.bool_]:
    """That of UCB, with the radius of an arm at age 1,000."""
    return ucb_negligible(_at_age(np.full(stakes.shape, 1000), stakes))


def _at_age(turns: NDArray[np.int64], stakes: Floats) -> Floats:
    """2 log xi, which stands under UCB's root, for each age and its stakes."""
    with np.errstate(divide="ignore"):
        return np.where(stakes > 0.0, 2.0 * np.log1p(turns / stakes), 2.0 * np.log(turns))


MORTAL = index_rule("mortal", weighted_bonus, intensity, negligible, set_weights=rank_weights)
LIFE = index_rule("life", life_bonus, intensity, negligible)
