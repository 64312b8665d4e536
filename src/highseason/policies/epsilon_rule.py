"""The ε rule: an arm at random with probability ε_t, otherwise the leader."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import DECISION, draw
from highseason.policies.ranking import (
    leader,
    leader_probabilities,
    pick_available,
    untried,
    untried_probabilities,
)
from highseason.policies.rule import Floats, Rule, RuleTraits
from highseason.policies.state import ArmState, Turn


@jitable
def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """Toss a coin; the uniform number that says *explore* also says which arm."""
    first = untried(state)
    if first >= 0:
        return first, False
    epsilon = turn.level
    coin = draw(turn.key, DECISION)
    if coin < epsilon:
        return pick_available(state, coin / epsilon), False
    arm = leader(state, turn)
    return arm, state.pulls[arm] > 0.0


def intensity(epsilons: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """The probability of exploring."""
    return epsilons


def probabilities(state: ArmState, turn: Turn) -> Floats:
    """ε shared by all available arms, and the rest on the leader."""
    first = untried_probabilities(state)
    if first is not None:
        return first
    epsilon = min(1.0, max(0.0, turn.level))
    everyone = state.available / state.available.sum()
    return np.asarray(epsilon * everyone + (1.0 - epsilon) * leader_probabilities(state, turn))


def negligible(epsilons: Floats) -> NDArray[np.bool_]:
    """Less than once in a hundred turns."""
    return epsilons < 0.01


EPSILON = Rule(
    "epsilon",
    choose,
    intensity,
    allowed=(0.0, 1.0),
    traits=RuleTraits(local=True, stable="unless-coin-explores", tries_each_arm=True),
    probabilities=probabilities,
    negligible=negligible,
    exploits_at=0.0,
)
