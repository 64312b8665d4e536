"""KL-UCB: the choice that skips arms is the one that compares all indices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.policies.states import known, states, turn, turns

from highseason.core.special import bernoulli_kl, bernoulli_kl_upper
from highseason.policies import KL_UCB_RULE, ArmState, Turn, fresh_state
from highseason.policies.ucb import index_rule

assert KL_UCB_RULE.bonus is not None
EXHAUSTIVE = index_rule(
    "kl-ucb", KL_UCB_RULE.bonus, KL_UCB_RULE.intensity, zero_exploits=True
).choose
levels = st.one_of(st.just(0.0), st.floats(1e-9, 30))


@pytest.mark.parametrize(("pulls", "index"), [(1, 0.75), (2, 0.5)])
def test_an_index_by_hand(pulls: int, index: float) -> None:
    """Without a success kl(0, q) is -log(1 - q): with a level of log 4, q = 1 - 4^(-1/pulls)."""
    assert KL_UCB_RULE.bonus is not None
    found = KL_UCB_RULE.bonus(known([0.0], pulls), turn(level=math.log(4.0)), 0)
    assert found == pytest.approx(index)


@given(states(), st.one_of(turns(levels), turns(levels, random_ties=True)))
def test_it_plays_the_highest_index(state: ArmState, turn: Turn) -> None:
    assert KL_UCB_RULE.choose(state, turn) == EXHAUSTIVE(state, turn)


def test_indices_that_round_to_one_tie() -> None:
    state, wide = known([0.25, 0.5, 1.0]), turn(level=28.0)
    assert KL_UCB_RULE.choose(state, wide) == EXHAUSTIVE(state, wide) == (0, False)


def test_it_skips_no_arm_that_could_win() -> None:
    rng = np.random.default_rng(3)
    for i in range(3000):
        state = fresh_state(30)
        state.pulls[:] = rng.integers(1, 400 if i % 2 else 12, 30)
        state.selections[:] = state.pulls
        state.sums[:] = rng.binomial(state.pulls.astype(int), rng.beta(0.5, 1.0, 30))
        now = turn(level=float(rng.exponential(4.0)))
        assert KL_UCB_RULE.choose(state, now) == EXHAUSTIVE(state, now)


@given(st.floats(0, 1), st.floats(0, 50))
@example(0.0, 27.625)
def test_the_index_is_where_the_divergence_is_reached(p: float, distance: float) -> None:
    q = bernoulli_kl_upper(p, distance)
    assert p <= q <= 1.0
    if p < q < 1.0:
        # q is known to 1e-15, and near 1 the divergence is so steep that this shows.
        blur = 2e-15 * (q - p) / (1.0 - q)
        assert bernoulli_kl(p, q) == pytest.approx(distance, rel=1e-12, abs=1e-12 + blur)


def test_rewards_outside_the_range_count_as_the_nearer_end() -> None:
    state = fresh_state(2)
    state.selections[:], state.pulls[:], state.sums[:] = 5, 5, [-3.0, 8.0]
    turn = Turn(11, math.log(11), 1.0, math.nan, -1, 0, False, 11)
    assert KL_UCB_RULE.choose(state, turn) == (1, True)
