from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.policies.states import CHI2_LIMIT, means, never_chosen, present, states, turns

from highseason.core.random import game_key, turn_key
from highseason.policies import (
    NO_END,
    ArmState,
    Observation,
    Turn,
    arm_to_try,
    estimate,
    fresh_state,
    leader,
    least_selected,
    observe_mean,
    pick_available,
    start_empty,
    untried,
    wins_tie,
)

any_turn = turns(st.just(0.0))


def random_ties(seed: int) -> Turn:
    return Turn(1, 0.0, 1.0, math.nan, -1, turn_key(game_key(seed, 0), 1), True, 1)


def test_a_fresh_state_knows_nothing() -> None:
    state = fresh_state(3, memory=2, shared=1)
    assert state.selections.tolist() == state.pulls.tolist() == state.sums.tolist() == [0, 0, 0]
    assert state.available.all()
    assert state.end.tolist() == [NO_END] * 3
    assert state.weight.tolist() == [1.0] * 3
    assert state.start.tolist() == [0] * 3
    assert state.memory.shape == (3, 2)
    assert state.shared.tolist() == [0.0]
    assert all(part.shape[0] == 3 for part in state[:-1])


def test_observing_counts_and_adds() -> None:
    state = fresh_state(2)
    turn = Turn(1, 0.0, 1.0, math.nan, -1, 0, False, 1)
    start_empty(state)
    for value in (0.5, 0.25, 0.0):
        observe_mean(state, turn, Observation(1, value, 1.0))
    assert state.pulls.tolist() == [0, 3]
    assert estimate(state, 1) == 0.25
    assert state.selections.tolist() == [0, 0]  # the one who decides counts decisions


@given(states())
def test_untried_is_the_first_never_chosen(state: ArmState) -> None:
    assert untried(state) == next(iter(never_chosen(state)), -1)


@given(states(), any_turn)
def test_the_leader_is_the_lowest_of_the_best(state: ArmState, turn: Turn) -> None:
    learned = means(state)
    if learned:
        top = max(learned.values())
        assert leader(state, turn) == min(arm for arm, mean in learned.items() if mean == top)
    else:
        chosen = min(present(state), key=lambda arm: (state.selections[arm], arm))
        assert leader(state, turn) == chosen


def rarest(state: ArmState, arms: list[int]) -> int:
    return min(arms, key=lambda arm: (state.selections[arm], arm), default=-1)


@given(states())
def test_least_selected(state: ArmState) -> None:
    assert least_selected(state) == rarest(state, present(state))


@given(states(), st.booleans())
def test_arms_to_try_before_any_are_compared(state: ArmState, exploring: bool) -> None:
    unseen = [arm for arm in present(state) if state.pulls[arm] == 0] if exploring else []
    first = untried(state)
    assert arm_to_try(state, exploring) == (first if first >= 0 else rarest(state, unseen))


@given(states(observed=True), st.floats(0, 1, exclude_max=True))
def test_picking_divides_the_interval_evenly(state: ArmState, share: float) -> None:
    arms = present(state)
    picked = pick_available(state, share)
    i = arms.index(picked)
    assert i / len(arms) <= share * (1 + 1e-15) + 1e-15
    assert share < (i + 1) / len(arms) + 1e-15


def test_picking_never_runs_over_the_end() -> None:
    state = fresh_state(3)
    assert pick_available(state, np.nextafter(1.0, 0.0)) == 2
    assert pick_available(state, 1.0) == 2
    state.available[:] = False
    assert pick_available(state, 0.5) == -1
    assert untried(state) == least_selected(state) == arm_to_try(state, True) == -1


@given(st.integers(0, 5), st.integers(0, 5))
def test_without_random_ties_the_lower_arm_wins(one: int, other: int) -> None:
    assert wins_tie(Turn(1, 0.0, 1.0, math.nan, -1, 0, False, 1), one, other) == (one < other)


@given(st.integers(0, 10**6), st.permutations(range(5)))
def test_with_random_ties_the_order_of_asking_does_not_matter(seed: int, order: list[int]) -> None:
    turn = random_ties(seed)
    winners = set()
    for sequence in (order, sorted(order)):
        holder = sequence[0]
        for challenger in sequence[1:]:
            if wins_tie(turn, challenger, holder):
                holder = challenger
        winners.add(holder)
    assert len(winners) == 1


@pytest.mark.parametrize("equal", [2, 3, 5])
def test_with_random_ties_equals_win_equally_often(equal: int) -> None:
    state = fresh_state(6)
    state.pulls[:], state.sums[:equal] = 1, 1.0
    counts = np.bincount([leader(state, random_ties(seed)) for seed in range(3000)], minlength=6)
    assert counts[equal:].sum() == 0
    expected = 3000 / equal
    assert ((counts[:equal] - expected) ** 2 / expected).sum() < CHI2_LIMIT[equal - 1]
