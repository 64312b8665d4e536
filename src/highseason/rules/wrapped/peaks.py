"""Peak grabbers: an arm on a run is played, and nothing else explored, until the run ends.

Each arm's last rewards are kept in a ring, after the memory of the rule within; which arm is held
stands among the numbers of the whole game.  All of it changes when a reward is learnt, never in the
choice, so that a choice may be asked for again.  The settings stand there as well: with others a
grabber runs the same code, and nothing is compiled again.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState
from highseason.engine.turn import Turn
from highseason.rules.ranking import estimate, one_hot
from highseason.rules.rule import Choose, Observe, Rule

#: What a grabber keeps of the whole game: the arm held plus 1 (0: none), the rate of all displays,
#: how many displays there have been; the length of a window, by how much a display moves the rate,
#: and what a run is measured by.
HELD, RATE, DISPLAYS, WINDOW, MOVES, LINE = range(6)

#: Given the line, and the sum and the number of the displays in an arm's window.
Starts = Callable[[float, float, int, int], bool]
#: Given the state, the arm, the mean of its window, and where the grabber's numbers begin.
Lasts = Callable[[ArmState, int, float, int], bool]


@functools.cache
def peak_grabber(rule: Rule, window: int, trigger: float) -> Rule:
    """Hold an arm whose last `window` displays brought `trigger` or more.

    It is let go when the mean of its window falls below the estimate of another arm that is there.
    Of several, the one with the highest mean is held.
    """
    settings = float(window), 0.0, trigger
    return _grabbing(rule, "grabbing peaks", settings, _brought_enough, _nobody_is_better)


@functools.cache
def dynamic_peak_grabber(rule: Rule, window: int, lift: float, memory: float) -> Rule:
    """Hold an arm whose last `window` displays did `lift` times as well as all displays of late.

    The rate of all displays is an average that moves by `memory` with each of them.  An arm counts
    from `window` displays on, and is let go when it falls below the line.
    """
    settings = float(window), memory, lift
    return _grabbing(rule, "grabbing peaks dynamically", settings, _is_full, _is_above_all)


@jitable
def _brought_enough(line: float, total: float, displays: int, window: int) -> bool:
    return total >= line


@jitable
def _nobody_is_better(state: ArmState, arm: int, mean: float, place: int) -> bool:
    for other in range(state.pulls.size):
        rival = other != arm and state.available[other] and state.pulls[other] > 0
        if rival and mean < estimate(state, other):
            return False
    return True


@jitable
def _is_full(line: float, total: float, displays: int, window: int) -> bool:
    return displays == window


@jitable
def _is_above_all(state: ArmState, arm: int, mean: float, place: int) -> bool:
    return bool(mean >= state.shared[place + LINE] * state.shared[place + RATE] and mean > 0.0)


def _grabbing(
    rule: Rule, what: str, settings: tuple[float, float, float], starts: Starts, lasts: Lasts
) -> Rule:
    """The rule within, but for an arm that is held; a run is where `starts` and `lasts` agree."""
    window, moves, line = settings
    start_base, probabilities_base, place = rule.start, rule.probabilities, rule.shared
    made = _functions(rule.choose, rule.observe, rule.memory, place, starts, lasts)

    @jitable
    def start(state: ArmState) -> None:
        """Put the settings in their place."""
        start_base(state)
        state.shared[place + WINDOW] = window
        state.shared[place + MOVES] = moves
        state.shared[place + LINE] = line

    def probabilities(state: ArmState, turn: Turn) -> NDArray[np.float64]:
        """All on the arm that is held, and otherwise as the rule within."""
        assert probabilities_base is not None  # see below
        arm = made.arm_to_hold(state)
        return one_hot(arm, state.pulls.size) if arm >= 0 else probabilities_base(state, turn)

    return replace(
        rule,
        name=f"{rule.name}, {what}",
        start=start,
        choose=made.choose,
        observe=made.observe,
        probabilities=None if probabilities_base is None else probabilities,
        memory=rule.memory + int(window) + 1,
        shared=rule.shared + 6,
        bonus=None,
    )


class _Functions(NamedTuple):
    choose: Choose
    observe: Observe
    arm_to_hold: Callable[[ArmState], int]


@functools.cache
def _functions(
    choose_base: Choose,
    observe_base: Observe,
    first: int,
    place: int,
    starts: Starts,
    lasts: Lasts,
) -> _Functions:
    """What a grabber does, with rings from `first` in the memory and its numbers from `place`.

    In front of a ring stands how many displays its arm has had.
    """

    @jitable
    def lately(state: ArmState, arm: int) -> tuple[float, int]:
        """The sum and the number of the displays in an arm's window."""
        displays = min(int(state.memory[arm, first]), int(state.shared[place + WINDOW]))
        total = 0.0
        for i in range(displays):
            total += state.memory[arm, first + 1 + i]
        return total, displays

    @jitable
    def best_run(state: ArmState) -> int:
        """Of the arms on a run, the one with the highest mean; -1 if there is none."""
        best, top = -1, -math.inf
        line, window = state.shared[place + LINE], int(state.shared[place + WINDOW])
        for arm in range(state.pulls.size):
            if state.available[arm] and state.memory[arm, first] > 0.0:
                total, displays = lately(state, arm)
                mean = total / displays
                begun = mean > top and starts(line, total, displays, window)
                if begun and lasts(state, arm, mean, place):
                    best, top = arm, mean
        return best

    @jitable
    def arm_to_hold(state: ArmState) -> int:
        """The arm that is held; if it is not there now, the next best on a run; or -1."""
        arm = int(state.shared[place + HELD]) - 1
        return arm if arm < 0 or state.available[arm] else best_run(state)

    @jitable
    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        """The arm on a run, and otherwise as the rule within."""
        arm = arm_to_hold(state)
        if arm >= 0:
            return arm, True
        return choose_base(state, turn)

    @jitable
    def observe(state: ArmState, turn: Turn, arm: int, value: float) -> None:
        """Learn as the rule within, note the display, and see whether a run began or ended."""
        observe_base(state, turn, arm, value)
        seen = int(state.memory[arm, first])
        state.memory[arm, first + 1 + seen % int(state.shared[place + WINDOW])] = value
        state.memory[arm, first] = seen + 1
        step = state.shared[place + MOVES] if state.shared[place + DISPLAYS] > 0.0 else 1.0
        state.shared[place + DISPLAYS] += 1.0
        state.shared[place + RATE] += step * (value - state.shared[place + RATE])
        held = int(state.shared[place + HELD]) - 1
        if held >= 0 and state.available[held]:
            total, displays = lately(state, held)
            if lasts(state, held, total / displays, place):
                return
        state.shared[place + HELD] = best_run(state) + 1.0

    return _Functions(choose, observe, arm_to_hold)
