"""The contest's cap: no index above 0.88, so that arms never tried do not crowd out good ones."""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState
from highseason.engine.turn import Turn
from highseason.rules.ranking import estimate, estimates, tie_probabilities, wins_tie
from highseason.rules.rule import Bonus, Choose, Rule
from highseason.rules.wrapped.index_only import bonus_of


@functools.cache
def capped(rule: Rule, cap: float) -> Rule:
    """Play the highest min(cap, index); arms without a reward stand at the cap.

    Equals at the cap: the higher estimate first, those without any last, of these the one chosen
    least often; then as ties go.  Nothing is tried once first: the cap stands instead.
    """
    bonus, start_base, place = bonus_of(rule, "the cap"), rule.start, rule.shared

    @jitable
    def start(state: ArmState) -> None:
        """Note the cap: with another one the same compiled code chooses."""
        start_base(state)
        state.shared[place] = cap

    def probabilities(state: ArmState, turn: Turn) -> NDArray[np.float64]:
        """All on one arm, or shared among full equals where ties are by lot."""
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
        choose=_choose(bonus, place),
        probabilities=probabilities,
        shared=rule.shared + 1,
        tries_each=False,
        bonus=None,
    )


@functools.cache
def _choose(bonus: Bonus, place: int) -> Choose:
    """The choice under the cap that stands at `place` among the numbers of the whole game."""

    @jitable
    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        """Compare index, then estimate, then how often an arm was chosen."""
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
