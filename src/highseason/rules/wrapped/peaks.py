"""Peak grabbers: an arm on a run is played, and nothing else explored, until the run ends.

Each arm's last rewards are kept in a ring, after the memory of the inner rule.  Which arm is held
stands among the shared numbers, as do the settings, so that compiled code serves all of them.  All
of it changes when a reward is learned, never in the choice: asking again gives the same arm.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState
from highseason.engine.turn import Observation, Turn
from highseason.rules.ranking import estimate, one_hot, tie_probabilities, wins_tie
from highseason.rules.rule import Choose, Floats, Observe, Rule

#: The shared numbers of a grabber: the arm held plus 1 (0: none), the mean reward of all displays,
#: how many displays there were; the length of a window, by how much a display moves that mean, and
#: the line above which an arm is on a run.
HELD, RATE, DISPLAYS, WINDOW, MOVES, LINE = range(6)

#: Given the line, the sum and the number of the displays in an arm's window, and its length.
Starts = Callable[[float, float, int, int], bool]
#: Given the state, the arm, the mean of its window, and where the shared numbers begin.
Lasts = Callable[[ArmState, int, float, int], bool]


@functools.cache
def peak_grabber(rule: Rule, window: int, trigger: float) -> Rule:
    """Hold an arm whose last `window` displays earned `trigger` or more.

    It is released when the mean of its window falls below the estimate of another available arm.
    Of several arms on a run, the one with the highest mean is held.
    """
    settings = float(window), 0.0, trigger
    grabber = _grabbing(rule, "grabbing peaks", settings, _earned_enough, _none_is_better)
    return replace(grabber, made_by=(peak_grabber, (rule, window, trigger)))


@functools.cache
def dynamic_peak_grabber(rule: Rule, window: int, lift: float, memory: float) -> Rule:
    """Hold an arm whose last `window` displays earned `lift` times the recent mean of all displays.

    That mean is an average that moves by `memory` with each display.  An arm qualifies from
    `window` displays on, and is released when it falls below the line.
    """
    settings = float(window), memory, lift
    grabber = _grabbing(rule, "grabbing peaks dynamically", settings, _is_full, _is_above_all)
    return replace(grabber, made_by=(dynamic_peak_grabber, (rule, window, lift, memory)))


@jitable
def _earned_enough(line: float, total: float, displays: int, window: int) -> bool:
    return total >= line


@jitable
def _none_is_better(state: ArmState, arm: int, mean: float, place: int) -> bool:
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
    """The inner rule, unless an arm is held; `starts` and `lasts` define a run."""
    window, moves, line = settings
    inner_start, inner_probabilities, place = rule.start, rule.probabilities, rule.shared
    functions = _functions(rule.choose, rule.observe, rule.memory, place, starts, lasts)

    @jitable
    def start(state: ArmState) -> None:
        """Store the settings."""
        inner_start(state)
        state.shared[place + WINDOW] = window
        state.shared[place + MOVES] = moves
        state.shared[place + LINE] = line

    def probabilities(state: ArmState, turn: Turn) -> Floats:
        """The arm on a run is certain, or shares with those that tie; else as the inner rule."""
        assert inner_probabilities is not None  # see below
        held = int(state.shared[place + HELD]) - 1
        if held >= 0 and state.available[held]:
            return one_hot(held, state.pulls.size)
        means = functions.runs(state)
        if held < 0 or means.max() == -math.inf:
            return inner_probabilities(state, turn)
        return tie_probabilities(turn, means == means.max())

    return replace(
        rule,
        name=f"{rule.name}, {what}",
        start=start,
        choose=functions.choose,
        observe=functions.observe,
        probabilities=None if inner_probabilities is None else probabilities,
        memory=rule.memory + int(window) + 1,
        shared=rule.shared + 6,
        bonus=None,
        # It stores which arm is held; a coin that says exploit may meet an arm that is held.
        traits=replace(
            rule.traits,
            local=False,
            stable="until-change" if rule.traits.stable == "until-change" else "never",
        ),
    )


class _Functions(NamedTuple):
    choose: Choose
    observe: Observe
    runs: Callable[[ArmState], Floats]


@functools.cache
def _functions(
    inner_choose: Choose,
    inner_observe: Observe,
    first: int,
    place: int,
    starts: Starts,
    lasts: Lasts,
) -> _Functions:
    """A grabber's functions, with rings from `first` in the memory and shared numbers from `place`.

    In front of a ring stands how many displays its arm has had.
    """

    @jitable
    def window_of(state: ArmState, arm: int) -> tuple[float, int]:
        """The sum and the number of the displays in an arm's window."""
        displays = min(int(state.memory[arm, first]), int(state.shared[place + WINDOW]))
        total = 0.0
        for i in range(displays):
            total += state.memory[arm, first + 1 + i]
        return total, displays

    @jitable
    def best_run(state: ArmState, turn: Turn) -> int:
        """Of the arms on a run, the one with the highest mean; -1 if there is none."""
        best, top = -1, -math.inf
        line, window = state.shared[place + LINE], int(state.shared[place + WINDOW])
        for arm in range(state.pulls.size):
            if state.available[arm] and state.memory[arm, first] > 0.0:
                total, displays = window_of(state, arm)
                mean = total / displays
                tied = best >= 0 and mean == top and wins_tie(turn, arm, best)
                begun = (mean > top or tied) and starts(line, total, displays, window)
                if begun and lasts(state, arm, mean, place):
                    best, top = arm, mean
        return best

    @jitable
    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        """The arm that is held; if it is not available, the next best on a run."""
        arm = int(state.shared[place + HELD]) - 1
        if arm >= 0 and not state.available[arm]:
            arm = best_run(state, turn)
        if arm >= 0:
            return arm, True
        return inner_choose(state, turn)

    @jitable
    def observe(state: ArmState, turn: Turn, observation: Observation) -> None:
        """Learn as the inner rule, note the display, and see whether a run began or ended."""
        inner_observe(state, turn, observation)
        arm, value = observation.arm, observation.value
        seen = int(state.memory[arm, first])
        state.memory[arm, first + 1 + seen % int(state.shared[place + WINDOW])] = value
        state.memory[arm, first] = seen + 1
        step = state.shared[place + MOVES] if state.shared[place + DISPLAYS] > 0.0 else 1.0
        state.shared[place + DISPLAYS] += 1.0
        state.shared[place + RATE] += step * (value - state.shared[place + RATE])
        held = int(state.shared[place + HELD]) - 1
        if held >= 0 and state.available[held]:
            total, displays = window_of(state, held)
            if lasts(state, held, total / displays, place):
                return
        state.shared[place + HELD] = best_run(state, turn) + 1.0

    def runs(state: ArmState) -> Floats:
        """The mean of each arm's window; -inf for arms that are not on a run or not available."""
        means = np.full(state.pulls.size, -np.inf)
        line, window = state.shared[place + LINE], int(state.shared[place + WINDOW])
        for arm in np.flatnonzero(state.available & (state.memory[:, first] > 0.0)).tolist():
            total, displays = window_of(state, arm)
            mean = total / displays
            if starts(line, total, displays, window) and lasts(state, arm, mean, place):
                means[arm] = mean
        return means

    return _Functions(choose, observe, runs)
