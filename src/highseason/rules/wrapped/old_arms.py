"""Stop exploring old arms: the bonus fades as an arm's life runs out."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.engine.arms import NO_END, UNKNOWN_END, ArmState
from highseason.engine.turn import Turn
from highseason.rules.index import index_choose, index_probabilities
from highseason.rules.ranking import age
from highseason.rules.rule import Rule
from highseason.rules.wrapped.index_only import bonus_of


@functools.cache
def sparing_old_arms(rule: Rule) -> Rule:
    """Multiply the bonus by max(0, 1 - age / life).

    The bonus of an arm that never dies does not fade.  The life of one whose expiry nobody knows is
    taken to be the mean life of those that died; before the first death nothing fades.  That mean
    is the rule's one number of the whole game, -1 as long as nobody died.
    """
    bonus = bonus_of(rule, "sparing old arms")
    set_weights_base, place = rule.set_weights, rule.shared

    @jitable
    def fading_bonus(state: ArmState, turn: Turn, arm: int) -> float:
        """The rule's bonus times the share of its life that an arm has before it."""
        life = float(state.end[arm] - state.start[arm])
        if state.end[arm] == UNKNOWN_END:
            life = state.shared[place]
        if state.end[arm] == NO_END or life < 0.0:
            return bonus(state, turn, arm)
        left = life - age(state, turn, arm)
        return bonus(state, turn, arm) * (left / life) if left > 0.0 else 0.0

    @jitable
    def set_weights(state: ArmState, clock: int, scores: NDArray[np.float64], scale: float) -> None:
        """Weigh as the inner rule does, and average the lifetimes that have ended."""
        set_weights_base(state, clock, scores, scale)
        dead, total = 0, 0.0
        for arm in range(state.end.size):
            # One taken out again before any turn was played has not lived.
            if max(1, state.start[arm]) <= state.end[arm] < clock:
                dead += 1
                total += state.end[arm] - state.start[arm]
        state.shared[place] = total / dead if dead > 0 else -1.0

    return replace(
        rule,
        name=f"{rule.name}, sparing old arms",
        choose=index_choose(fading_bonus, rule.zero_exploits),
        probabilities=index_probabilities(fading_bonus, rule.zero_exploits),
        bonus=fading_bonus,
        set_weights=set_weights,
        shared=rule.shared + 1,
    )
