"""How arms are compared: estimates, ties, and who comes first.

An estimate is sum / pulls, never updated incrementally, so that every path through the library
computes the same bits.  Equal values go to the lower arm, or by lot with `ties="random"`.
"""

from __future__ import annotations

from highseason.core.jitable import jitable
from highseason.core.random import TIES, draw, place
from highseason.rules.state import State, Turn


@jitable
def estimate(state: State, arm: int) -> float:
    """The mean of what was learnt from `arm`; it must have been observed."""
    return state.sums[arm] / state.pulls[arm]  # type: ignore[no-any-return]  # a NumPy scalar


@jitable
def wins_tie(turn: Turn, challenger: int, holder: int) -> bool:
    """Whether `challenger`, seen after `holder` and of equal value, takes its place."""
    if not turn.random_ties:
        return challenger < holder
    lots = place(turn.key, TIES)
    return bool(draw(lots, challenger) < draw(lots, holder))


@jitable
def untried(state: State) -> int:
    """The first available arm that was never chosen, or -1: the paper's rules start with these."""
    for arm in range(state.decided.size):
        if state.available[arm] and state.decided[arm] == 0:
            return arm
    return -1


@jitable
def least_decided(state: State, observed: bool) -> int:
    """The available arm chosen least often (only among unobserved ones unless `observed`), or -1."""
    best = -1
    for arm in range(state.decided.size):
        if state.available[arm] and (observed or state.pulls[arm] == 0):
            if best < 0 or state.decided[arm] < state.decided[best]:
                best = arm
    return best


@jitable
def leader(state: State, turn: Turn) -> int:
    """The available arm with the highest estimate.

    Before any reward has come in, the arm chosen least often: there is nothing to exploit yet.
    """
    best = -1
    top = 0.0
    for arm in range(state.pulls.size):
        if state.available[arm] and state.pulls[arm] > 0:
            value = estimate(state, arm)
            if best < 0 or value > top or (value == top and wins_tie(turn, arm, best)):
                best, top = arm, value
    if best < 0:
        return least_decided(state, True)
    return best


@jitable
def pick_available(state: State, share: float) -> int:
    """The arm at `share` (in [0, 1)) of the way through the available ones: uniform if it is."""
    count = 0
    for arm in range(state.available.size):
        if state.available[arm]:
            count += 1
    wanted = min(int(share * count), count - 1)
    for arm in range(state.available.size):
        if state.available[arm]:
            if wanted == 0:
                return arm
            wanted -= 1
    return -1
