"""The radii of arms that age, and what their lifetimes weigh."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highseason.policies import LIFE, MORTAL, NO_END, ArmState, Turn, fresh_state


def one_arm(
    pulls: float = 4.0, birth: int = 0, expiry: int = NO_END, weight: float = 1.0
) -> ArmState:
    state = fresh_state(1)
    state.pulls[0], state.start[0], state.end[0], state.weight[0] = pulls, birth, expiry, weight
    return state


def at(t: int, stakes: float = 1.0) -> Turn:
    return Turn(t, stakes, 1.0, math.nan, -1, 0, False, t)


def mortal_bonus(state: ArmState, turn: Turn) -> float:
    assert MORTAL.bonus is not None
    return MORTAL.bonus(state, turn, 0)


def life_bonus(state: ArmState, turn: Turn) -> float:
    assert LIFE.bonus is not None
    return LIFE.bonus(state, turn, 0)


def test_soft_ucb_mortal_by_hand() -> None:
    # age 30, stakes 5: xi = 1 + 30/5
    found = mortal_bonus(one_arm(pulls=4, birth=10, weight=1.5), at(40, 5.0))
    assert found == pytest.approx(1.5 * math.sqrt(2 * math.log(7) / 4))


def test_ucb_l_by_hand() -> None:
    # 61 turns left, this one included
    found = life_bonus(one_arm(pulls=4, birth=10, expiry=100, weight=0.1), at(40, 5.0))
    assert found == pytest.approx(0.1 * math.log(61) * math.sqrt(2 * math.log(7) / 4))


def test_stakes_of_zero_stand_for_a_policy_that_does_not_look_at_them() -> None:
    found = life_bonus(one_arm(pulls=4, birth=10, expiry=100, weight=0.1), at(40, 0.0))
    assert found == pytest.approx(0.1 * math.log(61) * math.sqrt(2 * math.log(30) / 4))


def test_the_newborn_have_no_radius() -> None:
    for stakes in (0.0, 3.0):
        assert mortal_bonus(one_arm(birth=10), at(10, stakes)) == 0.0
        assert mortal_bonus(one_arm(birth=10), at(7, stakes)) == 0.0  # a turn asked late


def test_the_last_turn_is_not_worth_exploring() -> None:
    assert life_bonus(one_arm(birth=1, expiry=50), at(50)) == 0.0
    assert life_bonus(one_arm(birth=1, expiry=50), at(60)) == 0.0  # beyond it, nor is that


def test_radii_shrink_with_the_stakes_and_grow_with_age_and_life() -> None:
    quiet, busy = (mortal_bonus(one_arm(), at(50, stakes)) for stakes in (1.0, 40.0))
    assert quiet > busy > 0
    young, old = (mortal_bonus(one_arm(birth=birth), at(50)) for birth in (45, 5))
    assert old > young > 0
    short, long = (life_bonus(one_arm(expiry=expiry), at(50)) for expiry in (52, 500))
    assert long > short > 0


@given(
    st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=9),
    st.floats(0.0, 3.0),
)
def test_psi_is_the_share_of_no_greater_scores(arms: list[tuple[int, bool]], c: float) -> None:
    state = fresh_state(len(arms))
    state.available[:] = [there for _, there in arms]
    MORTAL.set_weights(state, 1, np.array([float(score) for score, _ in arms]), c)
    scores = [score for score, there in arms if there]
    for arm, (score, there) in enumerate(arms):
        if there:
            share = sum(other <= score for other in scores) / len(scores)
            assert state.weight[arm] == pytest.approx(c * share)
            assert c / len(scores) <= state.weight[arm] * (1 + 1e-12)
        else:
            assert state.weight[arm] == 1.0  # unchanged: it is not available


def test_other_rules_weigh_alike() -> None:
    state = fresh_state(3)
    LIFE.set_weights(state, 1, np.array([1.0, 2.0, 3.0]), 0.1)
    assert state.weight.tolist() == [0.1] * 3


def test_intensity_is_the_radius_of_an_even_share_from_the_start() -> None:
    stakes, turns = np.array([1.0, 40.0, 0.0]), np.array([200, 200, 200])
    found = MORTAL.intensity(stakes, turns, 10)
    by_hand = [math.sqrt(2 * math.log(x) * 10 / 200) for x in (201, 6, 200)]
    assert found.tolist() == pytest.approx(by_hand)
    low, high = MORTAL.negligible
    assert 1.0 < low < 1e6 < high
    assert MORTAL.traits.unit_range
    assert LIFE.traits.unit_range
