"""Decks of real outcomes: an arm as the cards that people really left behind.

A randomised test that ran once gives every arm a deck: one card for each time it was shown, a one
for each success.  Shuffled and drawn without replacement, it is an unbiased stream of real outcomes
whose true mean is known: ones / cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.core.jitable import jitable
from highseason.core.random import draw, hash_at

#: What is kept of a deck while it is dealt: how often it was shuffled, the cards and the ones left
#: of that shuffle, and the cards and the ones seen so far.
PASS, LEFT, ONES, SEEN, FOUND = range(5)
HAND = 5


@dataclass(frozen=True, eq=False)
class Decks:
    """Many tests, a deck for each of their arms.  Made by `decks`.

    Attributes:
        names: What each test is called.
        arms: How many arms each has.
        cards: A row per test and a column per arm: how many cards; 0 where there is no such arm.
        ones: How many of them are ones.
    """

    names: tuple[str, ...]
    arms: NDArray[np.int64]
    cards: NDArray[np.int64]
    ones: NDArray[np.int64]

    def __len__(self) -> int:
        """How many tests."""
        return len(self.names)

    @property
    def means(self) -> NDArray[np.float64]:
        """The true mean of every deck; 0 where there is no such arm."""
        return self.ones / np.maximum(self.cards, 1)

    @property
    def best(self) -> NDArray[np.float64]:
        """The mean of each test's best arm."""
        return np.asarray(self.means.max(axis=1))

    @property
    def total(self) -> NDArray[np.int64]:
        """All cards of each test."""
        return np.asarray(self.cards.sum(axis=1))

    @property
    def smallest(self) -> NDArray[np.int64]:
        """The cards of each test's smallest deck."""
        return np.asarray(np.where(self.cards > 0, self.cards, np.iinfo(np.int64).max).min(axis=1))


def decks(names: Sequence[str], cards: Sequence[ArrayLike], ones: Sequence[ArrayLike]) -> Decks:
    """Tests by name; for each, the cards and the ones of its arms.

    >>> found = decks(["headlines"], [[2551, 2629]], [[39, 68]])
    >>> found.means.round(4)
    array([[0.0153, 0.0259]])
    """
    sizes = [np.asarray(each, dtype=np.int64) for each in cards]
    hits = [np.asarray(each, dtype=np.int64) for each in ones]
    if not len(names) == len(sizes) == len(hits):
        raise ValueError("names, cards and ones must be of equal length: an entry for each test")
    for name, size, hit in zip(names, sizes, hits, strict=True):
        if size.ndim != 1 or size.shape != hit.shape or size.size == 0:
            raise ValueError(f"test {name}: cards and ones need one number for each arm")
        if (size < 1).any() or (hit < 0).any() or (hit > size).any():
            raise ValueError(f"test {name}: a deck has at least one card, and 0 to all are ones")
    shape = len(names), max((size.size for size in sizes), default=0)
    table, found = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for i, (size, hit) in enumerate(zip(sizes, hits, strict=True)):
        table[i, : size.size], found[i, : hit.size] = size, hit
    arms = np.array([size.size for size in sizes], np.int64)
    return Decks(tuple(map(str, names)), arms, table, found)


@jitable
def look(key: int, hand, cards: int, ones: int, upto: int, places) -> int:  # type: ignore[no-untyped-def]  # numba forbids subscripts
    """Look at a deck's cards up to number `upto` (from 1); gives how many ones are known by now.

    A card is a one with the chance that a card of those left is: exactly a shuffled deck.  A deck
    that is used up is shuffled anew.  What a card shows depends on the key and its number alone, so
    all who deal from the deck see the same.

    Args:
        key: The random numbers of this deck.
        hand: `PASS` … `FOUND` of the deck, which this changes; zeros before the first card.
        cards: How many cards a whole deck has.
        ones: How many of them are ones.
        upto: The last card to look at.
        places: Room for the numbers of the cards that are ones, in rising order.
    """
    while hand[SEEN] < upto:
        if hand[LEFT] == 0:
            hand[PASS] += 1
            hand[LEFT], hand[ONES] = cards, ones
        shuffle = hash_at(key, hand[PASS])
        left, hits, seen, found = hand[LEFT], hand[ONES], hand[SEEN], hand[FOUND]
        stop = left - min(left, upto - seen)
        while left > stop:
            seen += 1
            if draw(shuffle, left) * left < hits:
                hits -= 1
                places[found] = seen
                found += 1
            left -= 1
        hand[LEFT], hand[ONES], hand[SEEN], hand[FOUND] = left, hits, seen, found
    return int(hand[FOUND])
