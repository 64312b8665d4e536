"""Statistical tests, with seeds fixed once and for all so that they cannot flake.

Each statistic is turned into a standard normal z, and must stay within 4.5.  A generator with the
fault in question misses by far: that is tested too, with generators broken on purpose.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from highseason.core.random import (
    ARMS,
    DECISION,
    GOLDEN,
    REWARD,
    TIES,
    UNIT,
    arm_uniforms,
    draw,
    game_keys,
    hash_at,
    turn_key,
)

Numbers = NDArray[np.float64]
GAMES, TURNS = 256, 1024
LIMIT = 4.5
SEEDS = [0, 1, 2, 123456789, 2**63]


def table(seed: int, use: int) -> Numbers:
    """A row per game, a column per turn."""
    keys = game_keys(seed, range(GAMES))[:, None]
    return np.asarray(draw(turn_key(keys, np.arange(1, TURNS + 1, dtype=np.uint64)), use))


def uniformity(u: Numbers, bins: int = 256) -> float:
    counts = np.bincount((u.ravel() * bins).astype(int), minlength=bins)
    expected = u.size / bins
    chi2 = ((counts - expected) ** 2 / expected).sum()
    return float((chi2 - (bins - 1)) / math.sqrt(2 * (bins - 1)))


def correlation(a: Numbers, b: Numbers) -> float:
    return float(12 * ((a - 0.5) * (b - 0.5)).mean() * math.sqrt(a.size))


def pairs(a: Numbers, b: Numbers, bins: int = 16) -> float:
    """Whether all pairs are equally frequent, which also sees what is not linear."""
    both = (a.ravel() * bins).astype(int) * bins + (b.ravel() * bins).astype(int)
    return uniformity(both / bins**2 + 0.5 / bins**2, bins**2)


def low_bits(u: Numbers) -> float:
    """The last of the 53 bits is as good as the first."""
    ones = ((u / UNIT).astype(np.int64) & 1).mean()
    return float((ones - 0.5) * 2 * math.sqrt(u.size))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("use", [DECISION, REWARD, TIES])
def test_uniform(seed: int, use: int) -> None:
    u = table(seed, use)
    assert abs(uniformity(u)) < LIMIT
    assert abs(low_bits(u)) < LIMIT
    assert abs((u.mean() - 0.5) * math.sqrt(12 * u.size)) < LIMIT


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("lag", [1, 2, 4, 16])
def test_turns_know_nothing_of_each_other(seed: int, lag: int) -> None:
    u = table(seed, REWARD)
    assert abs(correlation(u[:, lag:], u[:, :-lag])) < LIMIT
    assert abs(pairs(u[:, lag:], u[:, :-lag])) < LIMIT


@pytest.mark.parametrize("seed", SEEDS)
def test_games_know_nothing_of_each_other(seed: int) -> None:
    u = table(seed, REWARD)
    assert abs(correlation(u[1:], u[:-1])) < LIMIT
    assert abs(pairs(u[1:], u[:-1])) < LIMIT


@pytest.mark.parametrize("seed", SEEDS)
def test_uses_know_nothing_of_each_other(seed: int) -> None:
    coin, luck, ties = (table(seed, use) for use in (DECISION, REWARD, TIES))
    for a, b in ((coin, luck), (luck, ties), (coin, ties), (luck[:, :-1], coin[:, 1:])):
        assert abs(correlation(a, b)) < LIMIT
        assert abs(pairs(a, b)) < LIMIT


@pytest.mark.parametrize(
    ("one", "other"), [(0, 1), (1, 2), (41, 42), (7, 7 + 2**32), (5, 2**64 + 5)]
)
def test_neighbouring_seeds_know_nothing_of_each_other(one: int, other: int) -> None:
    a, b = table(one, REWARD), table(other, REWARD)
    assert abs(correlation(a, b)) < LIMIT
    assert abs(pairs(a, b)) < LIMIT


def test_arms_are_uniform_and_independent() -> None:
    arms = arm_uniforms(game_keys(3, range(2048)), 64)
    luck = table(3, REWARD)[:, :64]
    assert abs(uniformity(arms)) < LIMIT
    assert abs(correlation(arms[:, 1:], arms[:, :-1])) < LIMIT
    assert abs(correlation(arms[1:], arms[:-1])) < LIMIT
    assert abs(correlation(arms[:GAMES], luck)) < LIMIT


def test_draws_of_a_turn_are_uniform_and_independent() -> None:
    keys = turn_key(game_keys(5, range(4096)), 9)
    draws = draw(hash_at(keys, TIES)[:, None], np.arange(32, dtype=np.uint64)[None, :])
    assert abs(uniformity(draws)) < LIMIT
    assert abs(correlation(draws[:, 1:], draws[:, :-1])) < LIMIT


def test_no_number_comes_twice_in_a_run() -> None:
    # The orbits of 2000 games with 2000 turns of four numbers do not meet.
    keys = game_keys(0, range(2000))
    starts = np.sort(keys * np.uint64(pow(GOLDEN, -1, 2**64)))  # places on the one long orbit
    gaps = np.diff(np.append(starts, starts[0]))
    assert gaps.min() > 4 * 2000
    families = hash_at(keys, ARMS)
    assert len({*keys.tolist(), *families.tolist()}) == 4000


def test_the_statistics_see_a_broken_generator() -> None:
    u = table(0, REWARD)
    counter = (np.arange(u.size).reshape(u.shape) * (GOLDEN / 2**64)) % 1.0
    assert abs(uniformity(u**1.05)) > LIMIT
    assert abs(correlation(counter[:, 1:], counter[:, :-1])) > LIMIT
    assert abs(pairs(counter[:, 1:], counter[:, :-1])) > LIMIT
    assert abs(pairs(u, np.abs(2 * u - 1))) > LIMIT
    assert abs(low_bits(np.floor(u * 2**40) / 2**40)) > LIMIT
