"""How arms are compared: the highest, ties, the leader, and what is tried before any comparison.

Ties go to the lower arm, or are broken at random with `ties="random"`.
"""

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import inlined, jitable
from highseason.core.random import TIES, draw, hash_at
from highseason.policies.rule import ArmState, Turn, estimate


@jitable
def age(state: ArmState, turn: Turn, arm: int) -> int:
    """How long `arm` has been there; 0 in a turn before its start, if that is decided late."""
    return max(0, turn.clock - state.start[arm])  # type: ignore[no-any-return]  # a NumPy scalar


@jitable
def mean_ended_lifetime(state: ArmState, clock: int) -> float:
    """How long the arms lived that have ended before `clock`; -1 if there are none."""
    ended, total = 0, 0.0
    for arm in range(state.end.size):
        # An arm removed again before any turn was played has had no lifetime.
        if max(1, state.start[arm]) <= state.end[arm] < clock:
            ended += 1
            total += state.end[arm] - state.start[arm]
    return total / ended if ended > 0 else -1.0


@jitable
def wins_tie(turn: Turn, challenger: int, holder: int) -> bool:
    """Whether `challenger` wins a tie with `holder`."""
    if not turn.random_ties:
        return challenger < holder
    family = hash_at(turn.key, TIES)
    return bool(draw(family, challenger) < draw(family, holder))


@inlined
def precedes(turn: Turn, arm: int, value: float, other: int, other_value: float) -> bool:
    """Whether `arm` ranks before `other`, given what they are ranked by; before -1, always."""
    return other < 0 or value > other_value or (value == other_value and wins_tie(turn, arm, other))


@jitable
def count_available(state: ArmState) -> int:
    """How many arms are available."""
    count = 0
    for arm in range(state.available.size):
        if state.available[arm]:
            count += 1
    return count


@jitable
def untried(state: ArmState) -> int:
    """The first available arm that was never chosen, or -1: the paper's rules start with these."""
    return arm_to_try(state, False)


@jitable
def least_selected(state: ArmState) -> int:
    """The available arm chosen least often, or -1."""
    best = -1
    for arm in range(state.selections.size):
        rarer = best < 0 or state.selections[arm] < state.selections[best]
        if state.available[arm] and rarer:
            best = arm
    return best


@jitable
def arm_to_try(state: ArmState, exploring: bool) -> int:
    """The arm that is tried before any are compared, or -1.

    That is one never chosen, as the paper's rules begin.  A rule that explores also tries one whose
    reward has not arrived, the one chosen least often first: its bonus is infinite.
    """
    waiting = -1
    for arm in range(state.selections.size):
        if not state.available[arm]:
            continue
        if state.selections[arm] == 0:
            return arm
        unseen = exploring and state.pulls[arm] == 0
        if unseen and (waiting < 0 or state.selections[arm] < state.selections[waiting]):
            waiting = arm
    return waiting


@jitable
def leader(state: ArmState, turn: Turn) -> int:
    """The available arm with the highest estimate.

    Before any reward has arrived, the arm chosen least often: there is nothing to exploit yet.
    """
    best, top = -1, 0.0
    for arm in range(state.pulls.size):
        if state.available[arm] and state.pulls[arm] > 0:
            value = estimate(state, arm)
            if precedes(turn, arm, value, best, top):
                best, top = arm, value
    return best if best >= 0 else least_selected(state)


@jitable
def pick_available(state: ArmState, share: float) -> int:
    """The arm at `share` (in [0, 1)) of the way through the available ones: uniform if it is."""
    count = count_available(state)
    skipped = min(int(share * count), count - 1)
    for arm in range(state.available.size):
        if state.available[arm]:
            if skipped == 0:
                return arm
            skipped -= 1
    return -1


# -- the probabilities of those choices: arrays, and never compiled --------------------------------


def estimates(state: ArmState) -> NDArray[np.float64]:
    """The estimate of every available arm that was observed, bit for bit; -inf for the others."""
    seen = state.available & (state.pulls > 0)
    out = np.full(seen.size, -np.inf)
    np.divide(state.sums, state.pulls, out=out, where=seen)
    return out


def one_hot(arm: int, arms: int) -> NDArray[np.float64]:
    """One arm is certain, or none where it is -1."""
    out = np.zeros(arms)
    out[arm : arm + 1 if arm >= 0 else arm] = 1.0
    return out


def tie_probabilities(turn: Turn, equals: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How a tie is broken: the lowest of the arms that tie, or each of them equally likely."""
    if not turn.random_ties:
        return one_hot(int(equals.argmax()), equals.size)
    return np.asarray(equals / equals.sum())


def highest_probabilities(
    state: ArmState, turn: Turn, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How likely each arm is to be the highest; where all are -inf, the arm chosen least often."""
    top = values.max()
    if top == -np.inf:
        return one_hot(least_selected(state), values.size)
    return tie_probabilities(turn, values == top)


def leader_probabilities(state: ArmState, turn: Turn) -> NDArray[np.float64]:
    """How likely each arm is to be the `leader`."""
    return highest_probabilities(state, turn, estimates(state))
