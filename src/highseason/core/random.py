"""Random numbers by counter: every number is a function of (seed, game, turn, use).

Nothing is drawn from a stream that somebody else could have advanced, so a game is the same in one
thread or twenty, a decision asked twice is the same decision, and all policies of a game face the
same luck.  The function is SplitMix64 (Steele, Lea, Flood 2014) read at a position instead of in
sequence: `mix(start + position * GOLDEN)`.  Each game starts at a place of its own on that orbit;
turn t owns the positions `4t … 4t + 3`, one for each *use* below.

The same source runs on Python integers, on arrays of `uint64` and inside compiled kernels.

>>> key = turn_key(game_key(seed=7, game=0), t=1)
>>> draw(key, DECISION) == draw(key, DECISION)
True
>>> 0.0 <= draw(key, REWARD) < 1.0
True
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable, jitable_as

MASK = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15
TURN = 4 * GOLDEN & MASK
UNIT = 2.0**-53

#: What a turn's numbers are for.  `ARMS` opens a further family of numbers, one for each arm.
DECISION, REWARD, TIES, ARMS = 0, 1, 2, 3


@jitable_as(lambda x: lambda x: np.uint64(x))
def word(x: Any) -> Any:
    """The low 64 bits of `x`, without sign: what a machine word does by itself."""
    return x & MASK if isinstance(x, np.ndarray) else int(x) & MASK


@jitable
def mix(z: Any) -> Any:
    """Scramble 64 bits (the finaliser of SplitMix64); a bijection."""
    z = word((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9)
    z = word((z ^ (z >> 27)) * 0x94D049BB133111EB)
    return z ^ (z >> 31)


@jitable
def hash_at(key: Any, position: Any) -> Any:
    """The 64 random bits at `position` after `key`; also the key of a family of its own."""
    return mix(word(word(key) + word(word(position) * GOLDEN)))


@jitable
def draw(key: Any, position: Any) -> Any:
    """A uniform number in [0, 1) with 53 random bits."""
    return (hash_at(key, position) >> 11) * UNIT


@jitable
def further(u: Any) -> Any:
    """The key of further numbers that belong to the uniform number `u` of a turn.

    For rewards that need more than one: all of them are functions of `u` alone, so also of
    (seed, game, turn, use).
    """
    return word(int(u * 2.0**53))


@jitable
def turn_key(game: Any, t: Any) -> Any:
    """Where turn `t` of a game begins: `draw(turn_key(game, t), use)` is one of its numbers."""
    return word(word(game) + word(word(t) * TURN))


def game_key(seed: int, game: int) -> int:
    """Where game number `game` of a run with this `seed` begins."""
    return int(hash_at(seed_key(seed), game + 1))


def game_keys(seed: int, games: range) -> NDArray[np.uint64]:
    """`game_key` for many games at once."""
    numbers = np.arange(games.start + 1, games.stop + 1, dtype=np.uint64)
    return np.asarray(hash_at(np.uint64(seed_key(seed)), numbers))


def seed_key(seed: int) -> int:
    """Any non-negative integer as 64 well-mixed bits; long seeds are folded word by word."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed must be a whole number >= 0, not {seed!r}")
    rest, key = int(seed), 0
    while True:
        key = mix(word(key + word(rest) + GOLDEN))
        rest >>= 64
        if not rest:
            return int(key)


def arm_uniforms(keys: NDArray[np.uint64], arms: int, use: int = ARMS) -> NDArray[np.float64]:
    """One uniform number per game and arm, from which a game draws what its arms are worth.

    They stand in a family of turn 0, which no game plays.
    """
    families = np.asarray(hash_at(keys, use))
    return np.asarray(draw(families[:, None], np.arange(arms, dtype=np.uint64)[None, :]))
