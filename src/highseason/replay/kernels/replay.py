"""The replay of a log, compiled: `reference.replay_reference` is what it means.

Of hundreds of arms a pool holds a few dozen, so where a rule only compares arms it is shown those
of the pool alone, copied into a small state when the pool changes.  A choice that nothing has
changed since it was made is not asked for again.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import DECISION, REWARD, draw, turn_key
from highseason.engine.arms import UNKNOWN_END, ArmState
from highseason.engine.turn import Turn
from highseason.policies.view import View
from highseason.replay.kernels.records import (
    ASKED,
    COIN,
    DIFFERED,
    EXPLOITED,
    EXPLORED,
    INDEX,
    INITIAL,
    MATCHED,
    OUTSIDE,
    PASSED,
    SMALL_POOL,
    THINNED,
    TRIED,
    UNLISTED,
    Lifetimes,
    Log,
    Manner,
    Track,
    Walk,
)


class WrongReplayError(Exception):
    """A rule or a plan gave what cannot be: the turn, the arm (-1 if it is the plan), a number."""


@jitable
def row_of(walk: Walk, i: int) -> int:
    """The event that is met as number `i` of the run."""
    if walk.order.size > 0:
        return walk.order[i]  # type: ignore[no-any-return]  # a NumPy scalar
    return walk.first + i % walk.length


@jitable
def is_member(log: Log, pool: int, arm: int) -> bool:
    """Whether the pool holds the arm."""
    for place in range(log.offsets[pool], log.offsets[pool + 1]):
        if log.members[place] == arm:
            return True
    return False


@jitable
def find_shown(log: Log, walk: Walk, shown: NDArray[np.bool_]) -> None:
    """Mark the arms that are shown, out of a pool they are in, anywhere in the run."""
    left = shown.size
    for i in range(min(walk.records, walk.length)):
        row = row_of(walk, i)
        arm = log.arm[row]
        if not shown[arm] and log.studied[arm] and is_member(log, log.pool[row], arm):
            shown[arm] = True
            left -= 1
            if left == 0:
                return


@jitable
def copy_arms(source: ArmState, target: ArmState, from_arm: int, to_arm: int) -> None:
    """What is known of one arm, from one state to another."""
    target.selections[to_arm] = source.selections[from_arm]
    target.pulls[to_arm] = source.pulls[from_arm]
    target.sums[to_arm] = source.sums[from_arm]
    target.start[to_arm] = source.start[from_arm]
    target.end[to_arm] = source.end[from_arm]
    target.weight[to_arm] = source.weight[from_arm]
    for i in range(source.memory.shape[1]):
        target.memory[to_arm, i] = source.memory[from_arm, i]


@jitable
def choose_opening(state: ArmState, count: int, opening: NDArray[np.bool_]) -> None:
    """Mark the arms to be tried before all others: so many available ones of the highest weight."""
    for _ in range(count):
        best = -1
        for arm in range(state.weight.size):
            free = state.available[arm] and not opening[arm]
            if free and (best < 0 or state.weight[arm] > state.weight[best]):
                best = arm
        if best < 0:
            return
        opening[best] = True


@jitable
def still_stands(keeps: int, number: float, key: int) -> bool:
    """Whether the rule would play the choice that stands, on this record too."""
    if keeps == COIN:
        return bool(draw(key, DECISION) >= number)
    return keeps == INDEX or (keeps == SMALL_POOL and number <= 1.0)


def replay_kernel(
    log: Log,
    walk: Walk,
    lifetimes: Lifetimes,
    manner: Manner,
    parameters: NDArray[np.uint8],
    carry: NDArray[np.float64],
    plan: Callable[[NDArray[np.uint8], NDArray[np.float64], View], float],
    state: ArmState,
    room: ArmState,
    start: Callable[[ArmState], None],
    choose: Callable[[ArmState, Turn], tuple[int, bool]],
    observe: Callable[[ArmState, Turn, int, float], None],
    set_weights: Callable[[ArmState, int, NDArray[np.float64], float], None],
    track: Track,
) -> None:
    """Play one policy along the walk.

    `state` is that of all arms, `room` one for the largest pool.  `carry[0]` is what the plan
    carries, `carry[1]` what it will carry if this record matches.
    """
    arms = state.selections.size
    shown = np.zeros(arms, np.bool_)
    find_shown(log, walk, shown)
    state.start[:] = lifetimes.birth
    state.end[:] = lifetimes.expiry
    state.available[:] = False
    start(state)
    counts = track.counts
    opening = np.zeros(arms, np.bool_)  # by the arm's own number
    begun = False
    place = np.full(arms, -1, np.int64)  # of an arm in `seen`, the state the rule is shown
    held = np.zeros(arms, np.int64)  # the arm at each place
    size = 0  # how many arms are on offer
    scores = np.zeros(arms, np.float64)
    seen, seen_scores = state, scores
    pool, left, trying, turn = -1, 0, True, 1
    last_turn, last_G, last_size, number = -1, -1.0, -1, 0.0
    standing, kept, kept_greedy, last_clock = False, -1, False, -1
    for i in range(walk.records):
        row = row_of(walk, i)
        this = log.arm[row]
        if not log.studied[this]:
            counts[OUTSIDE] += 1
            if not trying:
                counts[PASSED] += 1
            continue
        clock = log.bin_clock[log.bin[row]] - manner.start + 1
        if log.pool[row] != pool:
            pool = log.pool[row]
            for s in range(size):
                if manner.compact:
                    copy_arms(room, state, s, held[s])
                place[held[s]] = -1
                state.available[held[s]] = False
            size = 0
            for m in range(log.offsets[pool], log.offsets[pool + 1]):
                member = log.members[m]
                if shown[member]:
                    held[size] = member
                    place[member] = size if manner.compact else member
                    if manner.compact:
                        copy_arms(state, room, member, size)
                        scores[size] = lifetimes.score[member]
                    state.available[member] = True
                    size += 1
            if manner.compact:
                seen = ArmState(
                    room.selections[:size], room.pulls[:size], room.sums[:size],
                    room.available[:size], room.start[:size], room.end[:size],
                    room.weight[:size], room.memory[:size], state.shared,
                )  # fmt: skip
                seen_scores = scores[:size]
            else:
                seen = state
                seen_scores = lifetimes.score
                for other in range(arms):
                    if state.end[other] == UNKNOWN_END and lifetimes.death[other] < clock:
                        state.end[other] = lifetimes.death[other]
            if size > 0:
                set_weights(seen, clock, seen_scores, manner.scale)
            if not begun and size > 0:
                begun = True
                marks = np.zeros(seen.selections.size, np.bool_)
                choose_opening(seen, manner.initial_arms, marks)
                for s in range(size):
                    opening[held[s]] = marks[place[held[s]]]
            left = 0
            for s in range(size):
                if opening[held[s]] and seen.selections[place[held[s]]] == 0:
                    left += 1
            standing = False
        at = place[this]
        if at < 0:
            counts[UNLISTED] += 1
            continue
        key = turn_key(manner.key, i + 1)
        if log.least.size > 0 and draw(key, REWARD) * log.chance[row] >= log.least[pool]:
            counts[THINNED] += 1
            if not trying:
                counts[PASSED] += 1
            continue
        tried = left > 0  # the turn tries an arm, and no choice is made
        if tried and (not opening[this] or seen.selections[at] > 0):
            counts[INITIAL] += 1
            continue
        G = log.bin_weight[log.bin[row]]
        if turn != last_turn or G != last_G or size != last_size:
            last_turn, last_G, last_size = turn, G, size
            before = number
            view = View(turn, G, size, manner.lowest, manner.lowest, np.nan)
            number = plan(parameters, carry, view)
            if not (math.isfinite(number) and manner.low <= number <= manner.high):
                raise WrongReplayError(turn, -1, number)
            standing = standing and (number == before or manner.keeps != INDEX)
        if clock != last_clock:
            standing, last_clock = standing and manner.keeps != INDEX, clock
        asked = Turn(turn, number, key, manner.random_ties, clock)
        arm, greedy = at, False
        if tried:
            left -= 1
        else:
            if standing and still_stands(manner.keeps, number, key):
                arm, greedy = kept, kept_greedy
            else:
                arm, greedy = choose(seen, asked)
                if not (0 <= arm < seen.selections.size and seen.available[arm]):
                    raise WrongReplayError(turn, arm, number)
                if manner.keeps == INDEX or (greedy and manner.keeps > 0):
                    standing, kept, kept_greedy = True, arm, greedy
            trying = manner.first_shown and seen.selections[arm] == 0
            if not trying:
                counts[ASKED] += 1
            elif seen.selections[at] > 0:
                counts[INITIAL] += 1
                continue
            else:
                arm, tried = at, True
        if arm != at:
            counts[DIFFERED] += 1
            continue
        seen.selections[at] += 1
        reward = log.reward[row]
        observe(seen, asked, at, G * reward if manner.scaled else reward)
        track.matched[counts[MATCHED]] = i
        track.kind[counts[MATCHED]] = TRIED if tried else EXPLOITED if greedy else EXPLORED
        counts[MATCHED] += 1
        carry[0] = carry[1]
        standing = False
        if turn == manner.turns:
            return
        turn += 1
