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

from highseason.core.random import DECISION, draw, game_key
from highseason.policies import POOL, ArmState, Turn, leader, pool
from highseason.policies.pool import arm_at_rank, best_first

sizes = st.integers(1, 9).map(float)


@pytest.mark.parametrize(
    ("size", "coin", "choice"),
    [(1.0, 0.9, (1, True)), (2.0, 0.4, (1, False)), (2.0, 0.6, (2, False)), (3.0, 0.9, (0, False))],
)
def test_a_draw_by_hand(
    size: float, coin: float, choice: tuple[int, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By falling estimate the arms are 1, 2, 0; the coin says which of the first `size`."""
    monkeypatch.setattr(pool, "draw", lambda key, use: coin)
    assert POOL.choose(known([0.2, 0.9, 0.5]), turn(level=size)) == choice


def by_rank(state: ArmState) -> list[int]:
    """By falling estimate, then number; what was never observed comes last."""
    learned = means(state)
    return sorted(present(state), key=lambda arm: (-learned.get(arm, -math.inf), arm))


@given(states(), turns(sizes))
def test_it_draws_from_the_best(state: ArmState, turn: Turn) -> None:
    arm, exploited = POOL.choose(state, turn)
    if never_chosen(state):
        assert (arm, exploited) == (never_chosen(state)[0], False)
    elif turn.level == 1:
        assert (arm, exploited) == (leader(state, turn), bool(means(state)))
    else:
        order = by_rank(state)
        size = min(int(turn.level), len(order))
        assert arm == order[math.floor(draw(turn.key, DECISION) * size)]
        assert not exploited


@given(states(), turns(sizes))
def test_arms_are_ranked(state: ArmState, turn: Turn) -> None:
    assert best_first(state, turn).tolist() == by_rank(state)
    ranks = range(len(by_rank(state)))
    assert [arm_at_rank(state, turn, rank) for rank in ranks] == by_rank(state)


@given(states(), turns(sizes, random_ties=True))
def test_with_random_ties_only_equals_change_places(state: ArmState, turn: Turn) -> None:
    learned = means(state)
    ranked = [learned.get(arm, -math.inf) for arm in best_first(state, turn).tolist()]
    assert ranked == sorted(ranked, reverse=True)
    assert sorted(best_first(state, turn).tolist()) == present(state)
    ranks = range(len(ranked))
    assert [arm_at_rank(state, turn, rank) for rank in ranks] == best_first(state, turn).tolist()


def test_every_arm_of_the_pool_is_drawn_equally_often() -> None:
    state = known([0.1, 0.9, 0.8, 0.2, 0.7, 0.3])
    arms = [POOL.choose(state, turn(level=3.0, key=game_key(1, i)))[0] for i in range(6000)]
    counts = np.bincount(arms, minlength=6)
    assert counts[[0, 3, 5]].sum() == 0
    assert ((counts[[1, 2, 4]] - 2000) ** 2 / 2000).sum() < CHI2_LIMIT[2]


def test_with_random_ties_equals_share_the_last_place() -> None:
    state = known([0.5, 0.9, 0.5])
    arms = [
        POOL.choose(state, turn(2.0, key=game_key(1, i), random_ties=True))[0] for i in range(6000)
    ]
    counts = np.bincount(arms, minlength=3)
    assert ((counts - np.array([1500, 3000, 1500])) ** 2 / [1500, 3000, 1500]).sum() < CHI2_LIMIT[2]


def test_intensity_runs_from_one_arm_to_all() -> None:
    sizes, turns = np.array([1.0, 3.0, 5.0]), np.array([1, 2, 3])
    assert POOL.intensity(sizes, turns, 5).tolist() == [0.0, 0.5, 1.0]
    assert POOL.intensity(np.array([1.0, 2.0]), turns[:2], 2).tolist() == [0.0, 1.0]
    assert POOL.intensity(np.ones(1), np.ones(1, np.int64), 1).tolist() == [0.0]
    assert POOL.allowed == (1.0, math.inf)
