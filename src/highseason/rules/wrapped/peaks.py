"""Peak grabbers: an arm on a run is played, and nothing else explored, until the run ends.

Each arm's last rewards are kept in a ring, after the memory of the rule within; which arm is held
stands among the numbers of the whole game.  All of it changes when a reward is learnt, never in the
choice, so that a choice may be asked for again.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace

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

    @jitable
    def starts(total: float, displays: int) -> bool:
        return total >= trigger

    @jitable
    def lasts(state: State, arm: int, mean: float, place: int) -> bool:
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

    @jitable
    def starts(total: float, displays: int) -> bool:
        return displays == window

    @jitable
    def lasts(state: State, arm: int, mean: float, place: int) -> bool:
        return bool(mean >= lift * state.shared[place + RATE] and mean > 0.0)

    return _grabbing(rule, "grabbing peaks dynamically", window, memory, starts, lasts)


def _grabbing(
    rule: Rule,
    what: str,
    window: int,
    moves: float,
    starts: Callable[[float, int], bool],
    lasts: Callable[[State, int, float, int], bool],
) -> Rule:
    """The rule within, but for an arm that is held.

    `starts` is asked with the sum and the number of the displays in an arm's window, `lasts` with
    their mean; an arm is on a run where both say so.
    """
    choose_base, observe_base, chances_base = rule.choose, rule.observe, rule.chances
    first, place = rule.memory, rule.shared

    @jitable
    def lately(state: State, arm: int) -> tuple[float, int]:
        """The sum and the number of the displays in an arm's window."""
        displays = min(int(state.memory[arm, first + window]), window)
        total = 0.0
        for i in range(displays):
            total += state.memory[arm, first + i]
        return total, displays

    @jitable
    def best_run(state: State) -> int:
        """Of the arms on a run, the one with the highest mean; -1 if there is none."""
        best, top = -1, -math.inf
        for arm in range(state.pulls.size):
            if state.available[arm] and state.memory[arm, first + window] > 0.0:
                total, displays = lately(state, arm)
                mean = total / displays
                if mean > top and starts(total, displays) and lasts(state, arm, mean, place):
                    best, top = arm, mean
        return best

    @jitable
    def arm_to_hold(state: State) -> int:
        """The arm that is held; if it is not there now, the next best on a run; or -1."""
        arm = int(state.shared[place + HELD]) - 1
        return arm if arm < 0 or state.available[arm] else best_run(state)

    @jitable
    def choose(state: State, turn: Turn) -> tuple[int, bool]:
        """The arm on a run, and otherwise as the rule within."""
        arm = arm_to_hold(state)
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
        held = int(state.shared[place + HELD]) - 1
        if held >= 0 and state.available[held]:
            total, displays = lately(state, held)
            if lasts(state, held, total / displays, place):
                return
        state.shared[place + HELD] = best_run(state) + 1.0

    def chances(state: State, turn: Turn) -> NDArray[np.float64]:
        """All on the arm that is held, and otherwise as the rule within."""
        assert chances_base is not None  # see below
        arm = arm_to_hold(state)
        return certainly(arm, state.pulls.size) if arm >= 0 else chances_base(state, turn)

    return replace(
        rule,
        name=f"{rule.name}, {what}",
        choose=choose,
        observe=observe,
        chances=None if chances_base is None else chances,
        memory=rule.memory + window + 1,
        shared=rule.shared + 3,
        bonus=None,
    )
