"""No index above the cap; at the cap the higher estimate first, arms never tried last."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.policies.states import means, present, states, turns
from tests.policies.story import Story

from highseason.policies import EPSILON, UCB_RULE, ArmState, Turn, untried
from highseason.policies.contest import capped, sparing_old_arms

CAPPED = capped(UCB_RULE, 0.88)


def test_at_the_cap_the_higher_estimate_comes_first() -> None:
    story = Story(CAPPED, 3, number=9.0)  # a radius of 3: everybody reaches the cap
    story.tell(0, [0.2])
    story.tell(1, [0.6])
    story.tell(2, [0.4])
    assert story.ask() == (1, True)


def test_arms_never_tried_stand_at_the_cap_behind_those_that_reach_it() -> None:
    story = Story(CAPPED, 3, number=0.04)  # a radius of 0.2 after one pull
    story.tell(1, [0.7])
    assert story.ask() == (1, True)  # 0.9, capped to 0.88: before the two unknown ones
    story.tell(1, [0.7] * 3)  # a radius of 0.1: 0.8
    assert story.ask() == (0, False)  # now the unknown promise more, the lowest first
    story.state.selections[0] += 1  # … chosen, its reward still to come
    assert story.ask() == (2, False)
    story.tell(0, [0.0])
    story.tell(2, [0.1])
    assert story.ask() == (1, True)


def test_below_the_cap_nothing_changes() -> None:
    story, plain = Story(CAPPED, 2, number=0.01), Story(UCB_RULE, 2, number=0.01)
    for player in (story, plain):
        player.tell(0, [0.5] * 4)  # 0.55
        player.tell(1, [0.48])  # 0.58
    assert story.ask() == plain.ask() == (1, False)


def test_nothing_is_tried_once_just_so() -> None:
    assert not CAPPED.traits.tries_each_arm
    story = Story(CAPPED, 3, number=9.0)
    assert story.ask() == (0, False)
    story.tell(0, [1.0])
    assert story.ask() == (0, True)  # at the cap, and known
    story.tell(0, [0.0] * 200)
    assert story.ask() == (1, False)


def under(cap: float, state: ArmState) -> ArmState:
    """The state with the cap in its place."""
    return state._replace(shared=np.array([cap]))


@given(states(), turns(st.floats(0, 5)), st.sampled_from([0.3, 0.5, 0.88, 2.0]))
def test_it_is_the_order_of_the_contest(state: ArmState, turn: Turn, cap: float) -> None:
    """Written as a sort: index, then estimate, then fewest choices, then the lowest arm."""
    known = means(state)
    root = math.sqrt(turn.level)

    def rank(arm: int) -> tuple[float, float, int, int]:
        if arm not in known:
            return -cap, math.inf, state.selections[arm], arm
        index = min(cap, known[arm] + root * (1 / math.sqrt(state.pulls[arm])))
        return -index, -known[arm], 0, arm

    best = min(present(state), key=rank)
    exploited = best in known and known[best] == max(known.values())
    assert capped(UCB_RULE, cap).choose(under(cap, state), turn) == (best, exploited)


@given(states(observed=True), turns(st.floats(0, 5)))
def test_a_cap_out_of_reach_is_no_cap(state: ArmState, turn: Turn) -> None:
    """Up to equal indices: those go to the higher estimate, and otherwise to the lower arm."""
    arm = int(capped(UCB_RULE, 1e6).choose(under(1e6, state), turn)[0])
    plain = int(UCB_RULE.choose(state, turn)[0])
    root, known = math.sqrt(turn.level), means(state)
    index = {a: x + root * (1 / math.sqrt(state.pulls[a])) for a, x in known.items()}
    assert untried(state) >= 0 or index[arm] == index[plain]


def test_a_rule_without_a_bonus_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"the cap changes the bonus of an index rule .* has no bonus"
    ):
        capped(EPSILON, 0.88)
    with pytest.raises(ValueError, match="the 'ucb, capped' rule has no bonus"):
        sparing_old_arms(CAPPED)


def test_made_twice_it_is_the_same() -> None:
    assert capped(UCB_RULE, 0.88) is CAPPED
