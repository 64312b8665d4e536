"""The upper-confidence rule: the arm with the highest estimate + sqrt(b_t / pulls)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.rules.ranking import (
    among_equals,
    estimate,
    estimates,
    leader,
    leader_chances,
    least_decided,
    least_decided_chances,
    untried,
    untried_chances,
    wins_tie,
)
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
    highest = -math.inf
    for arm in range(state.pulls.size):
        if state.available[arm] and state.pulls[arm] > 0:
            value = estimate(state, arm)
            index = value + root * (1.0 / math.sqrt(state.pulls[arm]))
            highest = max(highest, value)
            if best < 0 or index > top or (index == top and wins_tie(turn, arm, best)):
                best, top = arm, index
    if best < 0:
        return leader(state, turn), False
    return best, estimate(state, best) >= highest


def intensity(
    numbers: NDArray[np.float64], turns: NDArray[np.int64], arms: int
) -> NDArray[np.float64]:
    """The radius of an arm that had its even share of the pulls, at most 1 (the whole range)."""
    return np.minimum(1.0, np.sqrt(numbers * arms / turns))


def chances(state: State, turn: Turn) -> NDArray[np.float64]:
    """All on one arm; where indices are equal and ties are by lot, shared among those."""
    forced = untried_chances(state)
    if forced is None and turn.number > 0.0:
        forced = least_decided_chances(state, False)
    if forced is not None:
        return forced
    radii = math.sqrt(turn.number) * (1.0 / np.sqrt(np.maximum(state.pulls, 1)))
    index = estimates(state) + radii
    top = index.max()
    return leader_chances(state, turn) if top == -np.inf else among_equals(turn, index == top)


def idle(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Even an arm that was tried but once has a radius under a tenth of the range of rewards."""
    return numbers < 0.01


UCB_RULE = Rule(
    "ucb", choose, intensity, idle=idle, allowed=(0.0, math.inf), needs_range=True, chances=chances
)
