"""The upper-confidence rule: the arm with the highest estimate + sqrt(b_t / pulls)."""

from __future__ import annotations

import math

from highseason.core.jitable import jitable
from highseason.rules.ranking import estimate, leader, least_decided, untried, wins_tie
from highseason.rules.rule import Rule
from highseason.rules.state import State, Turn


@jitable
def choose(state: State, turn: Turn) -> tuple[int, bool]:
    """Pick the highest index; it exploits when the arm also attains the highest estimate."""
    first = untried(state)
    if first >= 0:
        return first, False
    if turn.number > 0.0:
        unseen = least_decided(state, False)
        if unseen >= 0:  # chosen before, but its reward has not come: its radius is infinite
            return unseen, False
    root = math.sqrt(turn.number)
    best = -1
    top = 0.0
    for arm in range(state.pulls.size):
        if state.available[arm] and state.pulls[arm] > 0:
            index = estimate(state, arm) + root * (1.0 / math.sqrt(state.pulls[arm]))
            if best < 0 or index > top or (index == top and wins_tie(turn, arm, best)):
                best, top = arm, index
    first = leader(state, turn)
    if best < 0:
        return first, False
    return best, estimate(state, best) >= estimate(state, first)


def intensity(b: float, t: int, arms: int) -> float:
    """The radius of an arm that had its even share of the pulls, at most 1 (the whole range)."""
    return min(1.0, math.sqrt(b * arms / max(t, 1)))


UCB_RULE = Rule("ucb", choose, intensity, needs_range=True)
