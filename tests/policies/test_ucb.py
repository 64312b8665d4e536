from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.policies.states import known, means, never_chosen, present, states, turn, turns

import highseason as hs
from highseason.policies import UCB_RULE, ArmState, Turn, leader
from highseason.rewards import effective_visitors

numbers = st.one_of(st.just(0.0), st.floats(0, 20))


def test_the_radius_by_hand() -> None:
    """Indices of 0.6 + r/4 (16 pulls) and 0.3 + r (one): equal at r = 0.4."""
    state = known([0.6, 0.3], pulls=[16, 1])
    assert UCB_RULE.choose(state, turn(level=0.39**2)) == (0, True)
    assert UCB_RULE.choose(state, turn(level=0.41**2)) == (1, False)


def test_the_levels_by_hand() -> None:
    """2 log 4 = 2.77; on a high turn 0; softly 2 log(1 + 4/G) = 2 log 2 = 1.39 for G = 4."""
    assert hs.UCB().plan([1] * 99, arms=1).at(4) == pytest.approx(2.7726, abs=1e-4)
    assert hs.UCBZ(z=30).plan([1, 1, 40, 1], arms=1).levels[2] == 0.0
    assert hs.SoftUCB(unit=1).plan([1, 1, 40, 4], arms=1).at(4) == pytest.approx(1.3863, abs=1e-4)


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


def test_intensity_is_the_radius_of_an_even_share() -> None:
    b, turns = np.array([2.0, 2.0, 0.0]), np.array([200, 10, 10])
    assert UCB_RULE.intensity(b, turns, 25).tolist() == [0.5, 1.0, 0.0]
    assert UCB_RULE.traits.unit_range
    assert UCB_RULE.allowed == (0.0, math.inf)


def test_a_number_below_zero_has_no_root() -> None:
    with pytest.raises(ValueError, match=r"math domain|nonnegative"):
        UCB_RULE.choose(known([0.0]), turn(level=-1.0))


@pytest.mark.parametrize(
    "G", [[5.0] * 60, [5.0] * 58 + [4.0, 3.0], [2.0] * 57 + [9.0] * 3], ids=str
)
def test_where_turns_are_alike_ada_ucb_explores_as_ucb(G: list[float]) -> None:
    """Then `low` and `high` are the same, and only a busier turn exploits."""
    ada, plain = hs.AdaUCB().plan(G, 3).levels, hs.UCB(P=0.51).plan(G, 3).levels
    alike = np.array(G) <= np.median(G)
    assert ada[alike].tolist() == plain[alike].tolist()
    assert not ada[~alike].any()


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
