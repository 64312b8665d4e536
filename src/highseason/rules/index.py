"""Index rules: play the arm whose estimate plus bonus is highest.

Such a rule is its bonus.  From it `index_choose` makes the choice and `index_probabilities` its probabilities;
wrappers that change or cap a bonus build on the same two.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState
from highseason.engine.turn import Turn
from highseason.rules.ranking import (
    estimate,
    estimates,
    leader,
    leader_probabilities,
    least_selected,
    least_selected_probabilities,
    tie_probabilities,
    untried,
    untried_probabilities,
    wins_tie,
)
from highseason.rules.rule import Bonus, Choose, Probabilities


@functools.cache
def index_choose(bonus: Bonus, zero_exploits: bool) -> Choose:
    """The choice of an index rule; `zero_exploits` where a number of 0 takes the bonus away."""

    @jitable
    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        """Pick the highest index; it exploits when the arm also attains the highest estimate."""
        first = untried(state)
        if first >= 0:
            return first, False
        if turn.level > 0.0 or not zero_exploits:
            unseen = least_selected(state, False)
            if unseen >= 0:  # chosen before, but its reward has not come: its bonus is infinite
                return unseen, False
        best = -1
        top = 0.0
        highest = -math.inf
        for arm in range(state.pulls.size):
            if state.available[arm] and state.pulls[arm] > 0:
                value = estimate(state, arm)
                index = value + bonus(state, turn, arm)
                highest = max(highest, value)
                if best < 0 or index > top or (index == top and wins_tie(turn, arm, best)):
                    best, top = arm, index
        if best < 0:
            return leader(state, turn), False
        return best, estimate(state, best) >= highest

    return choose


@functools.cache
def index_probabilities(bonus: Bonus, zero_exploits: bool) -> Probabilities:
    """The probabilities of that choice."""

    def probabilities(state: ArmState, turn: Turn) -> NDArray[np.float64]:
        """All on one arm; where indices are equal and ties are by lot, shared among those."""
        forced = untried_probabilities(state)
        if forced is None and (turn.level > 0.0 or not zero_exploits):
            forced = least_selected_probabilities(state, False)
        if forced is not None:
            return forced
        index = estimates(state)
        for arm in np.flatnonzero(index > -np.inf).tolist():
            index[arm] += bonus(state, turn, arm)
        top = index.max()
        return (
            leader_probabilities(state, turn)
            if top == -np.inf
            else tie_probabilities(turn, index == top)
        )

    return probabilities
