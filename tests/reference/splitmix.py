"""SplitMix64 as its authors wrote it: a stream, one number after the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

M = 2**64


def splitmix(seed: int) -> Iterator[int]:
    state = seed % M
    while True:
        state = (state + 0x9E3779B97F4A7C15) % M
        yield scramble(state)


def scramble(z: int) -> int:
    z = (z ^ (z // 2**30)) * 0xBF58476D1CE4E5B9 % M
    z = (z ^ (z // 2**27)) * 0x94D049BB133111EB % M
    return z ^ (z // 2**31)


def nth(seed: int, n: int) -> int:
    """The n-th number of the stream, from 1."""
    return next(islice(splitmix(seed), n - 1, None))


class Luck:
    """All random numbers of one game, read off streams one by one.

    The seed's stream gives one word.  That word's stream gives each game its own, whose stream
    gives four numbers for every turn, turn 0 included (which starts one number late, and whose last
    number opens the stream of the arms).
    """

    def __init__(self, seed: int, game: int, turns: int) -> None:
        start = nth(nth(seed, 1), game + 1)
        self.words = [scramble(start), *islice(splitmix(start), 4 * turns + 3)]

    def uniform(self, t: int, use: int) -> float:
        return self.words[4 * t + use] // 2**11 / 2**53

    def arm(self, j: int) -> float:
        family = self.words[3]
        word = scramble(family) if j == 0 else nth(family, j)
        return word // 2**11 / 2**53
