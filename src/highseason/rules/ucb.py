"""Index rules: play the arm whose estimate plus bonus is highest; UCB is the first of them.

Such a rule is its bonus; `index_rule` builds the rest around it.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState
from highseason.engine.lifetimes.presence import SetWeights, uniform_weights
from highseason.engine.step import RuleTraits
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
from highseason.rules.rule import (
    Bonus,
    Choose,
    Floats,
    Intensity,
    Negligible,
    Probabilities,
    Rule,
    never_negligible,
)

#: Index rules compare available arms, repeat themselves until something changes, and want rewards
#: in [0, 1], because their radius is measured in that range.
INDEX_TRAITS = RuleTraits(
    local=True, stable="until-change", unit_range=True, tries_each_arm=True, stochastic=False
)


def index_rule(
    name: str,
    bonus: Bonus,
    intensity: Intensity,
    negligible: Negligible = never_negligible,
    zero_exploits: bool = False,
    set_weights: SetWeights = uniform_weights,
) -> Rule:
    """The rule that plays the highest estimate plus bonus; levels are finite and at least 0.

    Args:
        name: Its name in messages.
        bonus: `bonus(state, turn, arm)` for an arm that was observed.
        intensity: How much each turn explores.
        negligible: Which levels explore next to nothing.
        zero_exploits: Whether level 0 takes the bonus away.
        set_weights: Fills `state.weight` when arms have come or gone.
    """
    return Rule(
        name,
        index_choose(bonus, zero_exploits),
        intensity,
        allowed=(0.0, math.inf),
        traits=INDEX_TRAITS,
        probabilities=index_probabilities(bonus, zero_exploits),
        negligible=negligible,
        bonus=bonus,
        set_weights=set_weights,
        zero_exploits=zero_exploits,
        made_by=(index_rule, (name, bonus, intensity, negligible, zero_exploits, set_weights)),
    )


@functools.cache
def index_choose(bonus: Bonus, zero_exploits: bool) -> Choose:
    """The choice of an index rule."""

    @jitable
    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        """Pick the highest index; it exploits if the arm also has the highest estimate."""
        first = untried(state)
        if first >= 0:
            return first, False
        if turn.level > 0.0 or not zero_exploits:
            unseen = least_selected(state, False)
            if unseen >= 0:  # chosen before, but its reward has not arrived: its bonus is infinite
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

    def probabilities(state: ArmState, turn: Turn) -> Floats:
        """One arm is certain, unless indices tie and ties are broken at random."""
        forced = untried_probabilities(state)
        if forced is None and (turn.level > 0.0 or not zero_exploits):
            forced = least_selected_probabilities(state, False)
        if forced is not None:
            return forced
        index = estimates(state)
        for arm in np.flatnonzero(index > -np.inf).tolist():
            index[arm] += bonus(state, turn, arm)
        top = index.max()
        if top == -np.inf:
            return leader_probabilities(state, turn)
        return tie_probabilities(turn, index == top)

    return probabilities


def bonus_of(rule: Rule, wrapper: str) -> Bonus:
    """The bonus of an index rule; any other rule is refused."""
    if rule.bonus is None:
        raise ValueError(
            f"{wrapper} changes the bonus of an index rule (UCB, soft UCB mortal …), but the "
            f"{rule.name!r} rule has no bonus"
        )
    return rule.bonus


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
