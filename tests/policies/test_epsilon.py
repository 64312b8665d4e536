from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.policies.states import (
    CHI2_LIMIT,
    known,
    means,
    never_chosen,
    present,
    states,
    turn,
    turns,
)

import highseason as hs
from highseason.core.random import DECISION, draw, game_key
from highseason.policies import EPSILON, ArmState, Turn, epsilon, leader

LEVEL = 0.3


@pytest.mark.parametrize(
    ("coin", "choice"),
    [
        (0.05, (0, False)), (0.15, (1, False)), (0.25, (2, False)),  # a third of .3 for each arm
        (0.3, (1, True)), (0.9, (1, True)),  # the leader
    ],
)  # fmt: skip
def test_a_coin_by_hand(
    coin: float, choice: tuple[int, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(epsilon, "draw", lambda key, use: coin)
    assert EPSILON.choose(known([0.2, 0.9, 0.5]), turn(level=LEVEL)) == choice


def test_the_levels_by_hand() -> None:
    """k·m / t of 2 arms with k = 2, at most 1; on high turns 0, and t counts low turns."""
    G = [1, 1, 40, 1, 1, 1, 1]
    assert hs.EpsilonGreedy(k=2).plan(G, arms=2).levels[3:].tolist() == [1.0, 0.8, 4 / 6, 4 / 7]
    assert hs.EpsilonZGreedy(k=2, z=30).plan(G, arms=2).levels[2:].tolist() == [
        0.0, 1.0, 1.0, 0.8, 4 / 6,
    ]  # fmt: skip


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
    state = known([0.0, 1.0, 0.0, 0.0])
    chosen = [EPSILON.choose(state, turn(level=0.4, key=game_key(3, i))) for i in range(8000)]
    explored = [arm for arm, exploited in chosen if not exploited]
    assert abs(len(explored) / 8000 - 0.4) < 4 * math.sqrt(0.24 / 8000)
    counts = np.bincount(explored, minlength=4)
    assert ((counts - len(explored) / 4) ** 2 / (len(explored) / 4)).sum() < CHI2_LIMIT[3]
    assert {arm for arm, exploited in chosen if exploited} == {1}


def test_intensity_is_the_chance() -> None:
    chance, turns = np.array([0.0, 0.3, 1.0]), np.array([1, 2, 3])
    assert EPSILON.intensity(chance, turns, 5).tolist() == [0.0, 0.3, 1.0]
    assert EPSILON.allowed == (0.0, 1.0)
    assert EPSILON.traits.tries_each_arm
    assert not EPSILON.traits.unit_range
