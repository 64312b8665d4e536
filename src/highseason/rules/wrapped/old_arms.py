"""Stop exploring old arms: the bonus fades as an arm's life runs out."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.rules.index import index_chances, index_choose
from highseason.rules.ranking import age
from highseason.rules.rule import Rule
from highseason.rules.state import NO_END, UNKNOWN_END, State, Turn
from highseason.rules.wrapped.index_only import bonus_of


@functools.cache
def sparing_old_arms(rule: Rule) -> Rule:
    """Multiply the bonus by max(0, 1 - age / life).

    The bonus of an arm that never dies does not fade.  The life of one whose expiry nobody knows is
    taken to be the mean life of those that died; before the first death nothing fades.  That mean
    is the rule's one number of the whole game, -1 as long as nobody died.
    """
    bonus = bonus_of(rule, "sparing old arms")
    weigh_base, place = rule.weigh, rule.shared

    @jitable
    def fading_bonus(state: State, turn: Turn, arm: int) -> float:
        """The rule's bonus times the share of its life that an arm has before it."""
        life = float(state.expiry[arm] - state.birth[arm])
        if state.expiry[arm] == UNKNOWN_END:
            life = state.shared[place]
        if state.expiry[arm] == NO_END or life < 0.0:
            return bonus(state, turn, arm)
        left = life - age(state, turn, arm)
        return bonus(state, turn, arm) * (left / life) if left > 0.0 else 0.0

    @jitable
    def weigh(state: State, clock: int, scores: NDArray[np.float64], scale: float) -> None:
        """Weigh as the rule does, and look how long the dead have lived."""
        weigh_base(state, clock, scores, scale)
        dead, total = 0, 0.0
        for arm in range(state.expiry.size):
            # One taken out again before any turn was played has not lived.
            if max(1, state.birth[arm]) <= state.expiry[arm] < clock:
                dead += 1
                total += state.expiry[arm] - state.birth[arm]
        state.shared[place] = total / dead if dead > 0 else -1.0

    return replace(
        rule,
        name=f"{rule.name}, sparing old arms",
        choose=index_choose(fading_bonus, rule.zero_exploits),
        chances=index_chances(fading_bonus, rule.zero_exploits),
        bonus=fading_bonus,
        weigh=weigh,
        shared=rule.shared + 1,
    )
