"""One definition of a turn: a legal choice, its count, and an observation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from highseason.engine import IllegalArmError, decide, learn, select
from highseason.engine.turn import choose
from highseason.policies import ArmState, Observation, Rule, Turn, fresh_state, observe_mean

TURN = Turn(4, 0.0, 1.0, math.nan, -1, 0, False, 4)


def rule_choosing(arm: int) -> Rule:
    def always(state: ArmState, turn: Turn) -> tuple[int, bool]:
        return arm, True

    return Rule("stubborn", always, lambda levels, turns, arms: levels)


def test_a_decision_is_counted_and_a_choice_is_not() -> None:
    state = fresh_state(3)
    assert choose(rule_choosing(2), state, TURN) == (2, True)
    assert state.selections.tolist() == [0, 0, 0]
    assert decide(rule_choosing(2), state, TURN) == (2, True)
    select(state, 1)
    assert state.selections.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("arm", "reason"),
    [
        (1, "it is not available in that turn; look at state.available"),
        (3, "the arms are 0 to 2"),
        (-1, "the arms are 0 to 2"),
    ],
)
def test_an_illegal_arm_has_one_wording(arm: int, reason: str) -> None:
    state = fresh_state(3)
    state.available[1] = False
    with pytest.raises(
        IllegalArmError, match=f"'stubborn' chose arm {arm} in turn 4, but {reason}"
    ):
        decide(rule_choosing(arm), state, TURN)
    assert not state.selections.any()


def test_learning_sees_the_arms_that_are_present() -> None:
    seen = []

    def observe(state: ArmState, turn: Turn, observation: Observation) -> None:
        seen.append((state.available.tolist(), turn, observation))

    rule = Rule("curious", observe_mean, lambda levels, turns, arms: levels, observe=observe)  # type: ignore[arg-type]  # it never chooses
    state, observation = fresh_state(2), Observation(0, 0.5, 1.0)
    learn(rule, state, TURN, observation)
    learn(rule, state, TURN, observation, np.array([False, True]))
    assert seen == [([True, True], TURN, observation), ([False, True], TURN, observation)]


def test_an_average_weighs_values_by_their_precision() -> None:
    state = fresh_state(1)
    for value, precision in ((1.0, 3.0), (0.0, 1.0)):
        observe_mean(state, TURN, Observation(0, value, precision))
    assert (state.pulls[0], state.sums[0]) == (4.0, 3.0)
