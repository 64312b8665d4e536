"""One policy along a log, record by record, in readable Python: what `replay` means.

The compiled kernel gives the same matches for the same seed; this loop is the definition.  It also
plays policies whose `step` or rule cannot be compiled.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import REWARD, draw, turn_key
from highseason.policies import Policy
from highseason.policies.view import View
from highseason.replay.kernels.records import (
    ASKED,
    COUNTS,
    DIFFERED,
    EXPLOITED,
    EXPLORED,
    INITIAL,
    MATCHED,
    OUTSIDE,
    PASSED,
    THINNED,
    TRIED,
    UNLISTED,
    Lifetimes,
    Manner,
    Track,
)
from highseason.replay.kernels.replay import WrongReplayError, choose_opening
from highseason.replay.prepared_log import PreparedLog
from highseason.rules import UNKNOWN_END, Turn


def replay_reference(
    policy: Policy,
    course: PreparedLog,
    rows: NDArray[np.int64],
    lifetimes: Lifetimes,
    manner: Manner,
    least: NDArray[np.float64] | None = None,
) -> Track:
    """Play one settled policy along some rows of a log.

    For each record in turn:

    1. Its arm is not studied, or not in its pool: pass it over.
    2. Where a log is thinned (`least`): pass it over with a chance that makes every arm of the pool
       equally likely to remain.
    3. Where the policy opens with some arms (`manner.initial_arms`, the paper's M_I) and one of them
       is available and untried: a record that shows such an arm is its first turn; any other is
       discarded.
    4. Otherwise ask the rule, with the turn number = matched turns + 1, the G of the record's bin
       and the arms of the pool.  A randomised policy draws anew for each record.
    5. The rule asks for an untried arm (and `manner.first_shown`): a record that shows any untried
       arm is that arm's first turn, one that shows a tried arm is discarded.  So rules that try
       every arm once begin with the first showing of each; an arm born later is untried when it
       comes, and (unless the rule would rather play another) stops all else until it has been
       shown once.  Arms that never occur in the run count as not available.
    6. Another arm than the one shown: discard; nothing is learnt and no turn passes.
    7. The same arm: the turn counts, its reward is learnt, and the plan carries on.
    """
    events, rule = course.events, policy.rule
    unwrapped = policy.unwrapped
    state = rule.fresh_state(len(events.arms))
    state.start[:], state.end[:] = lifetimes.birth, lifetimes.expiry
    state.available[:] = False
    rule.start(state)
    occurs = _occurring(course, rows)
    opening = np.zeros(occurs.size, np.bool_)
    counts = np.zeros(COUNTS, np.int64)
    matched, kinds = [], []
    begun, trying = False, True
    carry, pool, turn = unwrapped.begin(), -1, 1
    for i, row in enumerate(rows.tolist()):
        arm, G = int(events.arm[row]), float(course.G[row])
        clock = int(course.bins.clock[course.bins.of[row]]) - manner.start + 1
        if not course.studied[arm]:
            counts[OUTSIDE] += 1
            counts[PASSED] += not trying
            continue
        if course.pool[row] != pool:
            pool = int(course.pool[row])
            state.available[:] = False
            state.available[course.pools[pool]] = True
            state.available[~occurs] = False
            dead = (state.end == UNKNOWN_END) & (lifetimes.death < clock)
            state.end[dead] = lifetimes.death[dead]
            if state.available.any():
                rule.set_weights(state, clock, lifetimes.score, manner.scale)
                if not begun:
                    begun = True
                    choose_opening(state, manner.initial_arms, opening)
        if not state.available[arm]:
            counts[UNLISTED] += 1
            continue
        key = turn_key(manner.key, i + 1)
        if least is not None and draw(key, REWARD) * events.chance[row] >= least[pool]:
            counts[THINNED] += 1
            counts[PASSED] += not trying
            continue
        untried = state.available & (state.selections == 0)
        tried = bool((untried & opening).any())
        if tried and not (untried & opening)[arm]:
            counts[INITIAL] += 1
            continue
        size = int(state.available.sum())
        view = View(turn, G, size, manner.lowest, manner.lowest, math.nan)
        number, carried = unwrapped.step(carry, view)
        if not (math.isfinite(number) and manner.low <= number <= manner.high):
            raise WrongReplayError(turn, -1, number)
        asked = Turn(turn, number, key, manner.random_ties, clock)
        chosen, greedy = arm, False
        if not tried:
            chosen, greedy = rule.choose(state, asked)
            if not (0 <= chosen < state.available.size and state.available[chosen]):
                raise WrongReplayError(turn, chosen, number)
            trying = bool(manner.first_shown and untried[chosen])
            if trying and not untried[arm]:
                counts[INITIAL] += 1
                continue
            if trying:
                chosen, tried = arm, True
            else:
                counts[ASKED] += 1
        if chosen != arm:
            counts[DIFFERED] += 1
            continue
        state.selections[arm] += 1
        reward = float(course.reward[row])
        rule.observe(state, asked, arm, G * reward if manner.scaled else reward)
        counts[MATCHED] += 1
        matched.append(i)
        kinds.append(TRIED if tried else EXPLOITED if greedy else EXPLORED)
        carry = carried
        if turn == manner.turns:
            break
        turn += 1
    return Track(np.array(matched, np.int64), np.array(kinds, np.uint8), counts)


def _occurring(course: PreparedLog, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which studied arms are shown in the run out of a pool they are in."""
    occurs = np.zeros(len(course.events.arms), np.bool_)
    for row in rows.tolist():
        arm = course.events.arm[row]
        if not occurs[arm] and arm in course.pools[course.pool[row]]:
            occurs[arm] = True
    return occurs
