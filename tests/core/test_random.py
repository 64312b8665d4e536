"""The generator is SplitMix64 at a position, in Python, in NumPy and in machine code."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.splitmix import Luck, nth, scramble, splitmix

from highseason.core import random
from highseason.core.compile import compiled
from highseason.core.random import (
    ARMS,
    DECISION,
    REWARD,
    TIES,
    arm_uniforms,
    draw,
    game_key,
    game_keys,
    hash_at,
    mix,
    seed_key,
    turn_key,
    word,
)

words = st.integers(0, 2**64 - 1)
turns = st.integers(1, 10**9)

# The published sequences: Vigna's splitmix64.c, as listed by Java's and Rosetta Code's tests.
PUBLISHED = {
    0: [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC],
    1234567: [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ],
}


@pytest.mark.parametrize("seed", PUBLISHED)
def test_positions_read_off_the_published_stream(seed: int) -> None:
    wanted = PUBLISHED[seed]
    assert list(islice(splitmix(seed), len(wanted))) == wanted
    assert [hash_at(seed, position) for position in range(1, len(wanted) + 1)] == wanted


@given(words)
def test_mix_is_the_finaliser(z: int) -> None:
    assert mix(z) == scramble(z)


@given(words, st.integers(1, 50))
def test_a_place_is_the_nth_number_of_the_stream(key: int, position: int) -> None:
    assert hash_at(key, position) == nth(key, position)


@given(st.integers(0, 2**64 - 1), st.integers(0, 40), st.integers(1, 20))
def test_a_game_reads_the_numbers_the_blackboard_says(seed: int, game: int, t: int) -> None:
    luck = Luck(seed, game, turns=20)
    key = game_key(seed, game)
    for use in (DECISION, REWARD, TIES):
        assert draw(turn_key(key, t), use) == luck.uniform(t, use)
    uniforms = arm_uniforms(np.array([key], np.uint64), 5)[0]
    assert uniforms.tolist() == [luck.arm(j) for j in range(5)]


def test_known_answers() -> None:
    # These numbers are part of the definition: a change breaks every stored result.
    assert seed_key(0) == 0xE220A8397B1DCDAF
    assert game_key(0, 0) == nth(0xE220A8397B1DCDAF, 1) == 0xA706DD2F4D197E6F
    assert game_key(7, 3) == nth(nth(7, 1), 4)
    assert (DECISION, REWARD, TIES, ARMS) == (0, 1, 2, 3)


@given(words)
def test_uniforms_are_53_bits_below_one(key: int) -> None:
    u = draw(key, 1)
    assert 0.0 <= u < 1.0
    assert (u * 2**53).is_integer()


def test_the_ends_of_the_interval() -> None:
    assert (2**64 - 1 >> 11) * random.UNIT < 1.0
    assert (2**11 - 1 >> 11) * random.UNIT == 0.0


@given(st.lists(words, min_size=1, max_size=20), st.integers(0, 3), turns)
def test_python_and_numpy_agree(keys: list[int], use: int, t: int) -> None:
    array = np.array(keys, np.uint64)
    expected = [draw(turn_key(key, t), use) for key in keys]
    assert draw(turn_key(array, t), use).tolist() == expected
    assert word(array).tolist() == keys


def fill(keys: Any, t: Any, out: Any) -> None:
    for i in range(keys.size):
        key = turn_key(keys[i], t)
        out[i, 0] = draw(key, DECISION)
        out[i, 1] = draw(key, REWARD)
        out[i, 2] = draw(hash_at(key, TIES), i)


@pytest.mark.jit
@pytest.mark.parametrize("t", [1, 2, 500, 2**31, 2**62])
def test_python_and_compiled_code_agree(t: int) -> None:
    from numba import types

    keys = game_keys(11, range(40))
    out = np.empty((keys.size, 3))
    compiled(fill, types.void(types.uint64[::1], types.int64, types.float64[:, ::1]))(keys, t, out)
    for i, key in enumerate(keys.tolist()):
        start = turn_key(key, t)
        expected = [draw(start, DECISION), draw(start, REWARD), draw(hash_at(start, TIES), i)]
        assert out[i].tolist() == expected


@given(words, st.integers(0, 1000), st.integers(1, 20))
def test_many_game_keys_are_the_single_ones(seed: int, first: int, count: int) -> None:
    keys = game_keys(seed, range(first, first + count))
    assert keys.tolist() == [game_key(seed, first + i) for i in range(count)]


def test_uniforms_of_arms_are_drawn_one_by_one() -> None:
    keys = game_keys(3, range(5))
    expected = [[draw(hash_at(key, ARMS), arm) for arm in range(7)] for key in keys.tolist()]
    assert arm_uniforms(keys, 7).tolist() == expected


def test_long_seeds_count_in_full() -> None:
    seeds = [0, 1, 2**64, 2**64 + 1, 2**128, 2**200, 3 * 2**64]
    assert len({seed_key(seed) for seed in seeds}) == len(seeds)
    assert seed_key(np.int64(5)) == seed_key(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 1.5, "7", None, True, np.float64(3)])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed must be a whole number >= 0"):
        seed_key(seed)
