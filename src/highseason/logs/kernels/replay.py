"""The compiled replay of a log; `reference.replay_reference` defines what it does.

A log may have hundreds of arms and its pools a few dozen.  A rule that only compares arms is shown
those of the pool, copied into a small state when the pool changes.  A choice that nothing has
changed since is reused.  All memory is handed in, and nothing raises: `trace.failure` reports.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import DECISION, REWARD, draw, turn_key
from highseason.engine.turn import is_legal
from highseason.logs.kernels import records
from highseason.logs.kernels.records import LogColumns, RecordOrder, ReplayTrace, Scratch
from highseason.policies import UNKNOWN_TURNS, ArmState, Observation, Turn
from highseason.policies.lifetimes import SetWeights, mark_opening, reveal_ends
from highseason.policies.plan import View


@jitable
def row_at(order: RecordOrder, i: int) -> int:
    """The row of event `i` of the run."""
    if order.order.size > 0:
        return order.order[i]  # type: ignore[no-any-return]  # a NumPy scalar
    return order.first + i % order.length


@jitable
def find_shown(log: LogColumns, order: RecordOrder, shown: NDArray[np.bool_]) -> None:
    """Mark the studied arms that are shown, out of a pool that holds them, anywhere in the run."""
    left = shown.size
    for i in range(min(order.records, order.length)):
        row = row_at(order, i)
        arm, pool = log.arm[row], log.pool[row]
        if not shown[arm] and log.studied[arm]:
            shown[arm] = arm in log.members[log.offsets[pool] : log.offsets[pool + 1]]
            left -= shown[arm]
            if left == 0:
                return


@jitable
def copy_arm(source: ArmState, target: ArmState, from_arm: int, to_arm: int) -> None:
    """Copy what is known of one arm from one state to another."""
    target.selections[to_arm] = source.selections[from_arm]
    target.pulls[to_arm] = source.pulls[from_arm]
    target.sums[to_arm] = source.sums[from_arm]
    target.start[to_arm] = source.start[from_arm]
    target.end[to_arm] = source.end[from_arm]
    target.weight[to_arm] = source.weight[from_arm]
    for i in range(source.memory.shape[1]):
        target.memory[to_arm, i] = source.memory[from_arm, i]


@jitable
def leave_pool(state: ArmState, room: ArmState, scratch: Scratch, size: int, compact: bool) -> None:
    """Take the arms of a pool out of play; what was learnt in `room` returns to `state`."""
    for s in range(size):
        arm = scratch.held[s]
        if compact:
            copy_arm(room, state, s, arm)
        scratch.slot[arm] = -1
        state.available[arm] = False


@jitable
def enter_pool(
    log: LogColumns,
    pool: int,
    scores: NDArray[np.float64],
    state: ArmState,
    room: ArmState,
    scratch: Scratch,
    compact: bool,
) -> int:
    """Put the arms of a pool that are shown in this run into play, and count them."""
    size = 0
    for place in range(log.offsets[pool], log.offsets[pool + 1]):
        arm = log.members[place]
        if scratch.shown[arm]:
            scratch.held[size] = arm
            scratch.slot[arm] = size if compact else arm
            if compact:
                copy_arm(state, room, arm, size)
                scratch.scores[size] = scores[arm]
            state.available[arm] = True
            size += 1
    return size


@jitable
def visible_state(state: ArmState, room: ArmState, size: int, compact: bool) -> ArmState:
    """The state that the rule is shown: all arms, or only those of the pool."""
    if not compact:
        return state
    return ArmState(
        room.selections[:size], room.pulls[:size], room.sums[:size], room.available[:size],
        room.start[:size], room.end[:size], room.weight[:size], room.memory[:size], state.shared,
    )  # fmt: skip


@jitable
def open_pool(seen: ArmState, count: int, scratch: Scratch, size: int) -> None:
    """Choose the opening arms of the run's first pool."""
    marked = scratch.marked[: seen.selections.size]
    mark_opening(seen, count, marked)
    for s in range(size):
        scratch.opening[scratch.held[s]] = marked[scratch.slot[scratch.held[s]]]


@jitable
def untried_opening(seen: ArmState, scratch: Scratch, size: int) -> int:
    """How many opening arms of the pool are still untried."""
    left = 0
    for s in range(size):
        arm = scratch.held[s]
        if scratch.opening[arm] and seen.selections[scratch.slot[arm]] == 0:
            left += 1
    return left


@jitable
def is_reusable(keeps: int, level: float, key: int) -> bool:
    """Whether the rule would repeat its kept choice on this event."""
    if keeps == records.COIN:
        return bool(draw(key, DECISION) >= level)
    return keeps == records.INDEX or (keeps == records.SMALL_POOL and level <= 1.0)


@jitable
def report_failure(trace: ReplayTrace, turn: int, arm: int, level: float) -> None:
    """Note that a rule chose an arm it may not, or (arm -1) that a plan gave no valid level."""
    trace.failure[0] = turn
    trace.failure[1] = arm
    trace.failure[2] = level


def replay_kernel(
    log: LogColumns,
    order: RecordOrder,
    lifetimes: records.LogLifetimes,
    options: records.KernelOptions,
    parameters: NDArray[np.uint8],
    carry: NDArray[np.float64],
    plan: Callable[[NDArray[np.uint8], NDArray[np.float64], View], float],
    state: ArmState,
    room: ArmState,
    scratch: Scratch,
    start: Callable[[ArmState], None],
    choose: Callable[[ArmState, Turn], tuple[int, bool]],
    observe: Callable[[ArmState, Turn, Observation], None],
    set_weights: SetWeights,
    trace: ReplayTrace,
) -> None:
    """Play one policy along the events of a run.

    `state` holds all arms, `room` the largest pool.  `carry[0]` is what the plan carries now,
    `carry[1]` what it will carry if this event matches.
    """
    find_shown(log, order, scratch.shown)
    state.start[:] = lifetimes.start
    state.end[:] = lifetimes.known_end
    state.available[:] = False
    start(state)
    counts, slots = trace.counts, scratch.slot
    seen, compact, keeps = state, options.compact, options.keeps
    pool, size, opening, opened, trying, turn = -1, 0, 0, False, True, 1
    last_turn, last_G, last_size, last_clock, level = -1, -1.0, -1, -1, 0.0
    standing, kept, kept_exploited = False, -1, False
    for i in range(order.records):
        row = row_at(order, i)
        arm = log.arm[row]
        if not log.studied[arm]:
            counts[records.NOT_STUDIED] += 1
            counts[records.SKIPPED] += not trying
            continue
        clock = log.bin_clock[log.bin[row]] - options.start + 1
        if log.pool[row] != pool:
            pool = log.pool[row]
            leave_pool(state, room, scratch, size, compact)
            size = enter_pool(log, pool, lifetimes.score, state, room, scratch, compact)
            seen = visible_state(state, room, size, compact)
            if not compact:
                reveal_ends(state, lifetimes.end, clock)
            if size > 0:
                scores = scratch.scores[:size] if compact else lifetimes.score
                set_weights(seen, clock, scores, options.scale)
                if not opened:
                    opened = True
                    open_pool(seen, options.initial_arms, scratch, size)
            opening = untried_opening(seen, scratch, size)
            standing = False
        slot = slots[arm]
        if slot < 0:
            counts[records.NOT_IN_POOL] += 1
            continue
        key = turn_key(options.key, i + 1)
        if log.lowest.size > 0 and draw(key, REWARD) * log.propensity[row] >= log.lowest[pool]:
            counts[records.THINNED] += 1
            counts[records.SKIPPED] += not trying
            continue
        tried = opening > 0  # this turn tries an arm: the rule does not choose
        if tried and (not scratch.opening[arm] or seen.selections[slot] > 0):
            counts[records.WAITING] += 1
            continue
        G = log.bin_weight[log.bin[row]]
        if turn != last_turn or G != last_G or size != last_size:
            last_turn, last_G, last_size, before = turn, G, size, level
            view = View(turn, G, size, options.lowest, options.lowest, np.nan, UNKNOWN_TURNS)
            level = plan(parameters, carry, view)
            if not (math.isfinite(level) and options.low <= level <= options.high):
                report_failure(trace, turn, -1, level)
                return
            standing = standing and (level == before or keeps != records.INDEX)
        if clock != last_clock:
            standing, last_clock = standing and keeps != records.INDEX, clock
        asked = Turn(turn, level, G, np.nan, UNKNOWN_TURNS, key, options.random_ties, clock)
        chosen, exploited = slot, False
        if tried:
            opening -= 1
        else:
            if standing and is_reusable(keeps, level, key):
                chosen, exploited = kept, kept_exploited
            else:
                chosen, exploited = choose(seen, asked)
                if not is_legal(seen.available, chosen):
                    report_failure(trace, turn, chosen, level)
                    return
                if keeps == records.INDEX or (exploited and keeps > 0):
                    standing, kept, kept_exploited = True, chosen, exploited
            trying = options.first_shown and seen.selections[chosen] == 0
            if not trying:
                counts[records.ASKED] += 1
            elif seen.selections[slot] > 0:
                counts[records.WAITING] += 1
                continue
            else:
                chosen, tried = slot, True
        if chosen != slot:
            counts[records.OTHER_ARM] += 1
            continue
        seen.selections[slot] += 1
        reward = log.reward[row]
        value = G * reward if options.scaled else reward
        observe(seen, asked, Observation(slot, value, 1.0))
        carry[0] = carry[1]
        standing = False
        trace.matched[turn - 1] = i
        kind = records.EXPLOITED if exploited else records.EXPLORED
        trace.kind[turn - 1] = records.TRIED if tried else kind
        counts[records.MATCHED] = turn
        if turn == options.turns:
            return
        turn += 1
