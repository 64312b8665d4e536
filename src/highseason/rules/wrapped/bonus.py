"""Wrappers that change or cap the bonus of an index rule."""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import numpy as np

from highseason.core.jitable import jitable
from highseason.engine.arms import NO_END, UNKNOWN_END, ArmState
from highseason.engine.turn import Turn
from highseason.rules.index import bonus_of, index_choose, index_probabilities
from highseason.rules.ranking import age, estimate, estimates, tie_probabilities, wins_tie
from highseason.rules.rule import Bonus, Choose, Floats, Rule


@functools.cache
def sparing_old_arms(rule: Rule) -> Rule:
    """Stop exploring old arms: multiply the bonus by max(0, 1 - age / lifetime).

    The bonus of an arm without an end does not fade.  An unknown lifetime is taken to be the mean
    of those that have ended; before the first end nothing fades.  That mean is the rule's one
    shared number, -1 until a lifetime has ended.
    """
    bonus = bonus_of(rule, "sparing old arms")
    inner_set_weights, place = rule.set_weights, rule.shared

    @jitable
    def fading_bonus(state: ArmState, turn: Turn, arm: int) -> float:
        """The inner bonus times the share of its lifetime that an arm has left."""
        life = float(state.end[arm] - state.start[arm])
        if state.end[arm] == UNKNOWN_END:
            life = state.shared[place]
        if state.end[arm] == NO_END or life < 0.0:
            return bonus(state, turn, arm)
        left = life - age(state, turn, arm)
        return bonus(state, turn, arm) * (left / life) if left > 0.0 else 0.0

    @jitable
    def set_weights(state: ArmState, clock: int, scores: Floats, scale: float) -> None:
        """Weigh as the inner rule does, and average the lifetimes that have ended."""
        inner_set_weights(state, clock, scores, scale)
        ended, total = 0, 0.0
        for arm in range(state.end.size):
            # An arm removed again before any turn was played has had no lifetime.
            if max(1, state.start[arm]) <= state.end[arm] < clock:
                ended += 1
                total += state.end[arm] - state.start[arm]
        state.shared[place] = total / ended if ended > 0 else -1.0

    return replace(
        rule,
        name=f"{rule.name}, sparing old arms",
        choose=index_choose(fading_bonus, rule.zero_exploits),
        probabilities=index_probabilities(fading_bonus, rule.zero_exploits),
        bonus=fading_bonus,
        set_weights=set_weights,
        shared=rule.shared + 1,
        # The mean is over all arms, those that are gone too.
        traits=replace(rule.traits, local=False),
        made_by=(sparing_old_arms, (rule,)),
    )


@functools.cache
def capped(rule: Rule, cap: float) -> Rule:
    """Play the highest min(cap, index); an arm without a reward stands at the cap.

    Ties at the cap go to the higher estimate; arms without one come last, of these the one chosen
    least often first.  No arm is tried just to have been tried: the cap replaces that.
    """
    bonus, inner_start, place = bonus_of(rule, "the cap"), rule.start, rule.shared

    @jitable
    def start(state: ArmState) -> None:
        """Store the cap: compiled code then serves every cap."""
        inner_start(state)
        state.shared[place] = cap

    def probabilities(state: ArmState, turn: Turn) -> Floats:
        """One arm is certain, or full ties share where ties are broken at random."""
        values = estimates(state)
        index = np.full(values.size, -np.inf)
        for arm in np.flatnonzero(state.available).tolist():
            seen = values[arm] > -np.inf
            index[arm] = min(cap, values[arm] + bonus(state, turn, arm)) if seen else cap
        equals = index == index.max()
        equals &= values == values[equals].max()
        if values[equals][0] == -np.inf:
            equals &= state.selections == state.selections[equals].min()
        return tie_probabilities(turn, equals)

    return replace(
        rule,
        name=f"{rule.name}, capped",
        start=start,
        choose=_capped_choose(bonus, place),
        probabilities=probabilities,
        shared=rule.shared + 1,
        bonus=None,
        traits=replace(rule.traits, tries_each_arm=False),
        made_by=(capped, (rule, cap)),
    )


@functools.cache
def _capped_choose(bonus: Bonus, place: int) -> Choose:
    """The choice under the cap that stands at `place` among the shared numbers."""

    @jitable
    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        """Compare the index, then the estimate, then how often an arm was chosen."""
        cap = state.shared[place]
        best = -1
        top = value_of_best = highest = -math.inf
        for arm in range(state.pulls.size):
            if not state.available[arm]:
                continue
            index, value = cap, -math.inf
            if state.pulls[arm] > 0:
                value = estimate(state, arm)
                index = min(cap, value + bonus(state, turn, arm))
            highest = max(highest, value)
            wins = best < 0 or index > top
            if not wins and index == top:
                wins = value > value_of_best
                if value == value_of_best:
                    rivals = state.selections[arm], state.selections[best]
                    unseen = value == -math.inf and rivals[0] != rivals[1]
                    wins = rivals[0] < rivals[1] if unseen else wins_tie(turn, arm, best)
            if wins:
                best, top, value_of_best = arm, index, value
        return best, value_of_best > -math.inf and value_of_best >= highest

    return choose
