from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import highseason as hs
from highseason.core.random import game_keys
from highseason.policies import NO_END, UNKNOWN_END, fresh_state
from highseason.policies.lifetimes import Lifetimes, alive_counts
from highseason.policies.rule import reveal_ends

KEYS = game_keys(1, range(3))


def test_the_same_lives_in_every_game() -> None:
    lifetimes = hs.lifetimes.fixed([(1, math.inf), (5, 20)])
    assert lifetimes.spans(KEYS, 30).tolist() == [[[1, NO_END], [5, 20]]] * 3


def test_who_asks_cannot_change_them() -> None:
    lifetimes = hs.lifetimes.fixed([(1, 9)])
    lifetimes.spans(KEYS, 9)[...] = 4
    assert lifetimes.spans(KEYS, 9).tolist() == [[[1, 9]]] * 3


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([], r"must be a \(first turn, last turn\) for each arm"),
        ("abc", r"must be a \(first turn, last turn\)"),
        ([(1, 3), (2,)], r"must be a \(first turn, last turn\)"),
        ([(1, 2, 3)], r"must be a \(first turn, last turn\)"),
        ([(1, 9), (0, 9)], r"the lifetime of arm 2 is \(0, 9\)"),
        ([(1.5, 9)], r"the lifetime of arm 1 is \(1.5, 9\)"),
        ([(1, 9.5)], r"the lifetime of arm 1 is \(1, 9.5\)"),
        ([(5, 4)], "not before the first"),
        ([(math.inf, math.inf)], r"\(inf, inf\)"),
        ([(1, math.nan)], r"\(1, nan\)"),
    ],
    ids=str,
)
def test_invalid_lifetimes_are_refused(spans: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hs.lifetimes.fixed(spans)


def test_a_turn_without_any_arm_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no arm is alive at turn 5$"):
        hs.lifetimes.fixed([(1, 4), (6, 9)]).spans(KEYS[:1], 9)
    second_is_short = np.array([[[1, 9]], [[1, 6]]])
    with pytest.raises(ValueError, match="no arm is alive at turn 7 of game 1"):
        Lifetimes("odd", 1, lambda keys, turns: second_is_short).spans(KEYS[:2], 9)


def test_lives_of_ones_own() -> None:
    def draw(keys: Any, turns: int) -> Any:
        return np.array([[[-3, 5], [4, turns]]] * keys.size, np.int32)

    lifetimes = Lifetimes("mine", 2, draw)
    assert lifetimes.spans(KEYS, 9).tolist() == [[[1, 5], [4, 9]]] * 3
    assert lifetimes.spans(KEYS, 9).dtype == np.int64
    model = hs.rewards.bernoulli(arms=2)
    game = hs.play(hs.UCB(), model, [1.0] * 9, lifetimes=lifetimes)
    result = hs.simulate(hs.UCB(), model, [1.0] * 9, games=1, lifetimes=lifetimes)
    assert set(game.arms[5:].tolist()) == {1}
    assert result.mean("reward", 0) == game.reward
    with pytest.raises(ValueError, match=r"mine: draw\(keys, turns\) must give .* got \(3, 2, 2\)"):
        Lifetimes("mine", 3, draw).spans(KEYS, 9)


def test_how_many_are_there_at_a_time() -> None:
    assert hs.lifetimes.fixed([(1, 10), (6, 10), (11, 20)]).typical(10) == 2  # 1.5, to the even
    assert hs.lifetimes.fixed([(1, 10)]).typical(10) == 1


@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(0, 12)), min_size=1, max_size=6),
    st.integers(1, 10),
)
def test_counts_are_those_of_a_slow_count(pairs: list[tuple[int, int]], turns: int) -> None:
    spans = np.array([[[first, first + more] for first, more in pairs]])
    counted = [
        sum(first <= t <= last for first, last in spans[0].tolist()) for t in range(1, turns + 1)
    ]
    assert alive_counts(spans, turns).tolist() == [counted]


def test_only_unknown_ends_are_revealed_once_they_have_passed() -> None:
    state = fresh_state(4)
    state.end[:] = UNKNOWN_END, UNKNOWN_END, 30, UNKNOWN_END
    reveal_ends(state, np.array([5, 9, 4, 8]), 9)
    assert state.end.tolist() == [5, UNKNOWN_END, 30, 8]
