from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.policies.states import means, never_chosen, present, states, turns

import highseason as hs
from highseason.policies import UCB_RULE, ArmState, Turn, fresh_state, leader
from highseason.rewards import effective_visitors

numbers = st.one_of(st.just(0.0), st.floats(0, 20))


@given(states(), turns(numbers))
def test_it_plays_the_highest_index(state: ArmState, turn: Turn) -> None:
    arm, exploited = UCB_RULE.choose(state, turn)
    unobserved = [a for a in present(state) if state.pulls[a] == 0]
    learned = means(state)
    if never_chosen(state):
        assert (arm, exploited) == (never_chosen(state)[0], False)
    elif turn.level > 0 and unobserved:
        # chosen before, but nothing is known of it yet: its radius is infinite
        assert arm == min(unobserved, key=lambda a: (state.selections[a], a))
        assert not exploited
    elif not learned:
        assert (arm, exploited) == (leader(state, turn), False)
    else:
        root = math.sqrt(turn.level)
        index = {a: x + root * (1 / math.sqrt(state.pulls[a])) for a, x in learned.items()}
        best = max(index.values())
        assert arm == min(a for a, value in index.items() if value == best)
        assert exploited == (learned[arm] == max(learned.values()))


@given(states(observed=True), turns(st.just(0.0)))
def test_without_a_radius_it_is_greedy(state: ArmState, turn: Turn) -> None:
    if never_chosen(state):
        return
    assert UCB_RULE.choose(state, turn) == (leader(state, turn), True)


def test_the_radius_falls_with_pulls() -> None:
    state = fresh_state(2)
    state.selections[:], state.pulls[:], state.sums[:] = [16, 1], [16, 1], [9.6, 0.3]
    # indices 0.6 + r/4 and 0.3 + r: equal at r = 0.4
    assert UCB_RULE.choose(state, Turn(20, 0.39**2, 1.0, math.nan, -1, 0, False, 20)) == (0, True)
    assert UCB_RULE.choose(state, Turn(20, 0.41**2, 1.0, math.nan, -1, 0, False, 20)) == (1, False)


def test_intensity_is_the_radius_of_an_even_share() -> None:
    b, turns = np.array([2.0, 2.0, 0.0]), np.array([200, 10, 10])
    assert UCB_RULE.intensity(b, turns, 25).tolist() == [0.5, 1.0, 0.0]
    assert UCB_RULE.traits.unit_range
    assert UCB_RULE.allowed == (0.0, math.inf)


def test_a_number_below_zero_has_no_root() -> None:
    state = fresh_state(1)
    state.selections[:], state.pulls[:] = 1, 1
    with pytest.raises(ValueError, match=r"math domain|nonnegative"):
        UCB_RULE.choose(state, Turn(2, -1.0, 1.0, math.nan, -1, 0, False, 2))


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("shape", ["wave", "christmas", "step"])
def test_ada_ucb_is_its_formula_in_numpy(shape: str, counted: bool) -> None:
    G = hs.traffic.from_values(hs.traffic.SHAPES[shape](turns=90).values.round())  # whole visitors
    low, high = np.quantile(G.values, [0.05, 0.95])
    model = hs.rewards.visitors(arms=6, between=(0.1, 0.5), share=5.0, rho=0.02)
    if not counted:
        model = hs.rewards.bernoulli(arms=6)
    seen = effective_visitors(5.0 * G.values, 0.02) if counted else np.ones(90)
    policy = hs.AdaUCB(count="visitors", rho=0.02) if counted else hs.AdaUCB()
    played = hs.simulate(policy, model, G, games=5, seed=4)
    assert played.games is not None
    for number in range(5):
        game = hs.play(policy, model, G, seed=4, game=number)
        weights, sums = np.zeros(6), np.zeros(6)
        for t, (g, arm, paid) in enumerate(zip(G.values, game.arms, game.paid, strict=True), 1):
            L = float(np.clip((g - low) / (high - low), 0.0, 1.0))
            if t <= 6:
                assert arm == t - 1
            else:
                radius = np.sqrt(0.51 * (1.0 - L) * np.log(t) / weights)
                index = sums / weights + radius
                assert index[arm] >= index.max() - 1e-12
            weights[arm] += seen[t - 1]
            sums[arm] += seen[t - 1] * paid
        assert game.regret == pytest.approx(played.games["regret"][0, number])
