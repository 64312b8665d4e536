"""Peak grabbers: an arm on a run is played, and nothing else explored, until the run ends.

Each arm's last rewards are kept in a ring, after the memory of the rule within; which arm is held
stands among the numbers of the whole game.  All of it changes when a reward is learnt or an arm
goes, never in the choice, so that a choice may be asked for again.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.rules.ranking import certainly, estimate
from highseason.rules.rule import Rule
from highseason.rules.state import State, Turn

#: What a grabber keeps of the whole game: the arm held plus 1 (0: none), the rate of all displays,
#: and how many displays there have been.
HELD, RATE, DISPLAYS = 0, 1, 2


@functools.cache
def peak_grabber(rule: Rule, window: int, trigger: float) -> Rule:
    """Hold an arm whose last `window` displays brought `trigger` or more.

    It is let go when the mean of its window falls below the estimate of another arm that is there.
    Of several, the one with the highest mean is held.
    """
    first = rule.memory

    @jitable
    def starts(state: State, arm: int, place: int) -> bool:
        return _ring_sum(state, arm, first, window) >= trigger

    @jitable
    def lasts(state: State, arm: int, place: int) -> bool:
        mean = _ring_mean(state, arm, first, window)
        for other in range(state.pulls.size):
            rival = other != arm and state.available[other] and state.pulls[other] > 0
            if rival and mean < estimate(state, other):
                return False
        return True

    return _grabbing(rule, "grabbing peaks", window, 0.0, starts, lasts)


@functools.cache
def dynamic_peak_grabber(rule: Rule, window: int, lift: float, memory: float) -> Rule:
    """Hold an arm whose last `window` displays did `lift` times as well as all displays of late.

    The rate of all displays is an average that moves by `memory` with each of them.  An arm counts
    from `window` displays on, and is let go when it falls below the line.
    """
    first = rule.memory

    @jitable
    def lasts(state: State, arm: int, place: int) -> bool:
        mean = _ring_mean(state, arm, first, window)
        return bool(mean >= lift * state.shared[place + RATE] and mean > 0.0)

    @jitable
    def starts(state: State, arm: int, place: int) -> bool:
        return bool(state.memory[arm, first + window] >= window)

    return _grabbing(rule, "grabbing peaks dynamically", window, memory, starts, lasts)


@jitable
def _ring_sum(state: State, arm: int, first: int, window: int) -> float:
    total = 0.0
    for i in range(min(int(state.memory[arm, first + window]), window)):
        total += state.memory[arm, first + i]
    return total


@jitable
def _ring_mean(state: State, arm: int, first: int, window: int) -> float:
    held = min(int(state.memory[arm, first + window]), window)
    return _ring_sum(state, arm, first, window) / held if held > 0 else -math.inf


def _grabbing(
    rule: Rule,
    what: str,
    window: int,
    moves: float,
    starts: Callable[[State, int, int], bool],
    lasts: Callable[[State, int, int], bool],
) -> Rule:
    """The rule within, but for an arm that is held; `starts` and `lasts` say which and how long."""
    choose_base, observe_base, weigh_base = rule.choose, rule.observe, rule.weigh
    chances_base, first, place = rule.chances, rule.memory, rule.shared

    @jitable
    def held_arm(state: State) -> int:
        """The arm that is held and may be played now, or -1."""
        arm = int(state.shared[place + HELD]) - 1
        return arm if arm >= 0 and state.available[arm] else -1

    @jitable
    def choose(state: State, turn: Turn) -> tuple[int, bool]:
        """The arm on a run, and otherwise as the rule within."""
        arm = held_arm(state)
        if arm >= 0:
            return arm, True
        return choose_base(state, turn)

    @jitable
    def observe(state: State, turn: Turn, arm: int, value: float) -> None:
        """Learn as the rule within, note the display, and see whether a run began or ended."""
        observe_base(state, turn, arm, value)
        seen = int(state.memory[arm, first + window])
        state.memory[arm, first + seen % window] = value
        state.memory[arm, first + window] = seen + 1
        step = moves if state.shared[place + DISPLAYS] > 0.0 else 1.0
        state.shared[place + DISPLAYS] += 1.0
        state.shared[place + RATE] += step * (value - state.shared[place + RATE])
        look(state)

    @jitable
    def look(state: State) -> None:
        """Let go of a run that has ended, and then hold the best that has begun."""
        arm = held_arm(state)
        if arm >= 0 and lasts(state, arm, place):
            return
        state.shared[place + HELD] = 0.0
        top = -math.inf
        for arm in range(state.pulls.size):
            if state.available[arm] and starts(state, arm, place) and lasts(state, arm, place):
                mean = _ring_mean(state, arm, first, window)
                if mean > top:
                    top = mean
                    state.shared[place + HELD] = arm + 1.0

    @jitable
    def weigh(state: State, clock: int, scores: NDArray[np.float64], scale: float) -> None:
        """Weigh as the rule within; an arm that has gone is held no more."""
        weigh_base(state, clock, scores, scale)
        if held_arm(state) < 0:
            state.shared[place + HELD] = 0.0

    def chances(state: State, turn: Turn) -> NDArray[np.float64]:
        """All on the arm that is held, and otherwise as the rule within."""
        assert chances_base is not None  # see below
        arm = held_arm(state)
        return certainly(arm, state.pulls.size) if arm >= 0 else chances_base(state, turn)

    made: dict[str, Any] = {"choose": choose, "observe": observe, "weigh": weigh, "bonus": None}
    return replace(
        rule,
        name=f"{rule.name}, {what}",
        memory=rule.memory + window + 1,
        shared=rule.shared + 3,
        chances=None if chances_base is None else chances,
        **made,
    )
