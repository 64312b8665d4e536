from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.policies.states import means, never_chosen, present, states, turns

from highseason.core.random import DECISION, draw, game_key
from highseason.policies import EPSILON, ArmState, Turn, fresh_state, leader

chances = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))


@given(states(), turns(chances))
def test_it_does_what_the_coin_says(state: ArmState, turn: Turn) -> None:
    arm, exploited = EPSILON.choose(state, turn)
    u = draw(turn.key, DECISION)
    if never_chosen(state):
        assert (arm, exploited) == (never_chosen(state)[0], False)
    elif u < turn.level:
        arms = present(state)
        at = min(math.floor(u / turn.level * len(arms)), len(arms) - 1)
        assert (arm, exploited) == (arms[at], False)
    else:
        assert (arm, exploited) == (leader(state, turn), bool(means(state)))
        learned = means(state)
        assert not learned or learned[arm] == max(learned.values())


def test_exploring_is_uniform_and_as_frequent_as_the_level() -> None:
    state = fresh_state(4)
    state.selections[:], state.pulls[:], state.sums[:] = 1, 1, [0.0, 1.0, 0.0, 0.0]
    chosen = [
        EPSILON.choose(state, Turn(9, 0.4, 1.0, math.nan, -1, game_key(3, i), False, 9))
        for i in range(8000)
    ]
    explored = [arm for arm, exploited in chosen if not exploited]
    assert abs(len(explored) / 8000 - 0.4) < 4 * math.sqrt(0.24 / 8000)
    counts = np.bincount(explored, minlength=4)
    assert ((counts - len(explored) / 4) ** 2 / (len(explored) / 4)).sum() < 21
    assert {arm for arm, exploited in chosen if exploited} == {1}


def test_intensity_is_the_chance() -> None:
    chance, turns = np.array([0.0, 0.3, 1.0]), np.array([1, 2, 3])
    assert EPSILON.intensity(chance, turns, 5).tolist() == [0.0, 0.3, 1.0]
    assert EPSILON.allowed == (0.0, 1.0)
    assert EPSILON.traits.tries_each_arm
    assert not EPSILON.traits.unit_range
