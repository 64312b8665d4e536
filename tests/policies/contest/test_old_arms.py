"""The bonus of an arm fades with its life."""

from __future__ import annotations

import math

import pytest
from tests.policies.story import Story

from highseason.policies import (
    EPSILON,
    MORTAL,
    NO_END,
    POOL,
    UCB_RULE,
    UNKNOWN_END,
    Turn,
    fresh_state,
)
from highseason.policies.contest import sparing_old_arms

SPARING = sparing_old_arms(UCB_RULE)


def bonus(birth: int, expiry: int, t: int, mean_life: float = -1.0) -> float:
    """The bonus of an arm with one pull, where a plain one would have 1."""
    state = fresh_state(1, shared=1)
    state.pulls[0], state.start[0], state.end[0] = 1.0, birth, expiry
    state.shared[0] = mean_life
    assert SPARING.bonus is not None
    return SPARING.bonus(state, Turn(t, 1.0, 1.0, math.nan, -1, 0, False, t), 0)


@pytest.mark.parametrize(("t", "share"), [(10, 1.0), (15, 0.75), (20, 0.5), (29, 0.05), (30, 0.0)])
def test_it_falls_to_nothing_at_the_end_of_a_known_life(t: int, share: float) -> None:
    assert bonus(birth=10, expiry=30, t=t) == pytest.approx(share)


def test_it_never_falls_below_nothing() -> None:
    assert bonus(birth=0, expiry=30, t=31) == 0.0
    assert bonus(birth=0, expiry=UNKNOWN_END, t=500, mean_life=40.0) == 0.0


def test_before_its_birth_an_arm_is_not_younger_than_new() -> None:
    assert bonus(birth=10, expiry=30, t=4) == 1.0


def test_a_life_of_one_turn_is_not_explored() -> None:
    assert bonus(birth=10, expiry=10, t=10) == 0.0


def test_an_unknown_life_is_as_long_as_those_that_ended() -> None:
    assert bonus(birth=0, expiry=UNKNOWN_END, t=10, mean_life=40.0) == pytest.approx(0.75)
    assert bonus(birth=0, expiry=UNKNOWN_END, t=10) == 1.0  # no lifetime has ended yet
    assert bonus(birth=0, expiry=UNKNOWN_END, t=10, mean_life=0.0) == 0.0  # one turn each


def test_an_arm_that_stays_for_ever_is_never_old() -> None:
    assert bonus(birth=0, expiry=NO_END, t=500, mean_life=40.0) == 1.0


def test_the_mean_life_of_the_dead() -> None:
    story = Story(SPARING, 4, number=1.0)
    story.lifetimes(3, birth=25)
    story.t = 20
    story.weigh()
    assert story.state.shared[0] == -1.0
    story.dies(0)  # lived turns 0 to 20
    assert story.state.shared[0] == 20.0
    story.t = 40
    story.dies(1)  # 0 to 40
    assert story.state.shared[0] == 30.0
    story.dies(3)  # 25 to 40
    assert story.state.shared[0] == pytest.approx((20 + 40 + 15) / 3)


def test_who_was_never_there_has_not_lived() -> None:
    story = Story(SPARING, 3, number=1.0)
    story.t = 4
    story.lifetimes(0, birth=5, expiry=4)  # brought in and taken out between two turns
    story.lifetimes(1, birth=0, expiry=0)  # taken out before the first turn
    story.weigh()
    assert story.state.shared[0] == -1.0
    story.lifetimes(0, birth=4, expiry=4)
    story.weigh()
    assert story.state.shared[0] == 0.0  # a life of one turn is one


def test_an_old_arm_is_explored_no_more() -> None:
    """Two arms with the same story: the one with a life before it is explored."""
    story = Story(SPARING, 2, number=4.0)
    story.tell(0, [0.5, 0.5])
    story.tell(1, [0.4, 0.4])
    story.lifetimes(0, birth=0, expiry=5)
    story.lifetimes(1, birth=4, expiry=400)
    assert story.ask() == (1, False)
    story.lifetimes(1, birth=0, expiry=5)  # both at their end: what is known decides
    assert story.ask() == (0, True)


def test_around_a_rule_that_weighs() -> None:
    rule = sparing_old_arms(MORTAL)
    story = Story(rule, 2, number=1.0)
    story.tell(0, [0.5])
    story.tell(1, [0.5])
    story.lifetimes(0, birth=0, expiry=10)
    rule.set_weights(story.state, 3, story.state.sums * 0.0 + [1.0, 2.0], 2.0)
    assert story.state.weight.tolist() == [1.0, 2.0]  # psi = 2 · 1/2 and 2 · 2/2
    assert rule.bonus is not None
    turn = Turn(5, 1.0, 1.0, math.nan, -1, 0, False, 5)
    root = math.sqrt(2 * math.log1p(5))
    assert rule.bonus(story.state, turn, 0) == pytest.approx(root * 0.5)
    assert rule.bonus(story.state, turn, 1) == pytest.approx(2 * root)


@pytest.mark.parametrize("rule", [EPSILON, POOL], ids=lambda rule: rule.name)
def test_a_rule_without_a_bonus_is_refused(rule: object) -> None:
    with pytest.raises(ValueError, match="sparing old arms changes the bonus of an index rule"):
        sparing_old_arms(rule)  # type: ignore[arg-type]  # a rule, of two
