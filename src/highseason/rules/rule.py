"""A rule: how an arm is chosen from its own state and the turn's number.

A rule owns three small functions of scalars and arrays.  `choose(state, turn)` gives the arm and
whether the turn was pure exploitation; `observe(state, turn, arm, value)` learns; `start(state)`
prepares the rule's own memory.  They are plain Python here and are compiled where speed counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState, fresh_state
from highseason.engine.lifetimes.presence import SetWeights, uniform_weights
from highseason.engine.turn import Turn

Choose = Callable[[ArmState, Turn], tuple[int, bool]]
Observe = Callable[[ArmState, Turn, int, float], None]
Start = Callable[[ArmState], None]
Bonus = Callable[[ArmState, Turn, int], float]
Intensity = Callable[[NDArray[np.float64], NDArray[np.int64], int], NDArray[np.float64]]
Negligible = Callable[[NDArray[np.float64]], NDArray[np.bool_]]
Probabilities = Callable[[ArmState, Turn], NDArray[np.float64]]


@jitable
def observe_mean(state: ArmState, turn: Turn, arm: int, value: float) -> None:
    """Count the pull and add the value: all that an average needs."""
    state.pulls[arm] += 1
    state.sums[arm] += value


@jitable
def start_empty(state: ArmState) -> None:
    """Nothing to prepare."""


def never_negligible(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """A rule that says nothing of it: every number may explore."""
    return np.zeros(numbers.shape, np.bool_)


def illegal_arm_message(rule: Rule, turn: int, arm: int, arms: int) -> str:
    """What to say of a rule that chose an arm which does not exist, or is not there."""
    what = f"the rule {rule.name!r} chose arm {arm} in turn {turn}"
    if 0 <= arm < arms:
        return f"{what}, which is not there then: look at state.available"
    return f"{what}; there are arms 0 to {arms - 1}"


@dataclass(frozen=True)
class Rule:
    """How an arm is chosen; see the module's text.

    Attributes:
        name: A short name, used in messages and to find a faster kernel.
        choose: Gives `(arm, exploited)` for a state and a turn.
        intensity: How much each turn explores, in [0, 1], given arrays of the plan's numbers and of
            turns, and the number of arms; for pictures, and to warn of a plan that always explores.
        observe: Learns the value of a pull; the default keeps count and sum.
        start: Fills the rule's memory before the first turn.
        memory: How many numbers of its own the rule keeps per arm.
        shared: How many it keeps about the whole game.
        bonus: What an arm that was observed gets on top of its estimate, for rules that play the
            highest sum of the two (index rules); None for all others.
        zero_exploits: Whether a plan's 0 takes an index rule's bonus away.
        set_weights: Fills `state.weight` when arms have come or gone, given the clock, a score for each
            arm (what its life is worth) and the policy's scale; `engine.lifetimes` calls it.
        allowed: The least and the greatest number a plan may hold; others are refused.
        tries_each: Whether every arm is played once before the rule starts to choose.
        needs_range: Whether rewards must lie in [0, 1] for the rule to mean anything (UCB type).
        probabilities: The exact chance of each arm over the turn's random numbers, for propensity logs;
            where a rule cannot say, `Bandit` estimates it by asking `choose` many times.
        negligible: Which of a plan's numbers explore next to nothing; a plan of only these is warned of.
    """

    name: str
    choose: Choose
    intensity: Intensity
    observe: Observe = observe_mean
    start: Start = start_empty
    memory: int = 0
    allowed: tuple[float, float] = (-math.inf, math.inf)
    tries_each: bool = True
    needs_range: bool = False
    probabilities: Probabilities | None = None
    negligible: Negligible = never_negligible
    shared: int = 0
    bonus: Bonus | None = None
    set_weights: SetWeights = uniform_weights
    zero_exploits: bool = False

    def fresh_state(self, arms: int) -> ArmState:
        """The state before the first turn, as the rule starts."""
        state = fresh_state(arms, self.memory, self.shared)
        self.start(state)
        return state
