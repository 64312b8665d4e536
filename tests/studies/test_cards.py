"""Decks: what they hold, and that they are dealt without replacement."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.decks import stream

from studies.upworthy.decks import HAND, decks, look

pytestmark = pytest.mark.jit


def first_cards(key: int, cards: int, ones: int, stops: list[int]) -> list[int]:
    """The cards up to the last stop, looked at from stop to stop."""
    hand = np.zeros(HAND, np.int64)
    places = np.zeros(stops[-1] + 1, np.int64)
    for stop in stops:
        found = look(key, hand, cards, ones, stop, places)
    shown = set(places[:found].tolist())
    return [int(number in shown) for number in range(1, stops[-1] + 1)]


@given(
    key=st.integers(0, 2**64 - 1),
    cards=st.integers(1, 30),
    share=st.floats(0, 1),
    stops=st.lists(st.integers(1, 90), min_size=1, max_size=6),
)
def test_the_cards_are_the_same_however_they_are_dealt(
    key: int, cards: int, share: float, stops: list[int]
) -> None:
    ones = round(share * cards)
    found = first_cards(key, cards, ones, sorted(stops))
    reference = stream(key, cards, ones)
    assert found == [next(reference) for _ in found]
    for whole in range(len(found) // cards):
        assert sum(found[whole * cards : (whole + 1) * cards]) == ones


def test_every_order_is_as_likely() -> None:
    counts = Counter(tuple(first_cards(key, 4, 2, [4])) for key in range(0, 7 * 6000, 7))
    assert len(counts) == 6
    assert all(abs(count - 1000) < 4 * np.sqrt(1000 * 5 / 6) for count in counts.values())


def test_a_deck_is_shuffled_again() -> None:
    twice = first_cards(11, 40, 20, [80])
    assert sum(twice) == 40
    assert twice[:40] != twice[40:]


def test_decks_of_different_sizes_stand_in_one_table() -> None:
    found = decks(["a", "b"], [[10, 20], [5, 6, 7]], [[1, 4], [5, 0, 0]])
    assert len(found) == 2
    assert found.cards.tolist() == [[10, 20, 0], [5, 6, 7]]
    assert found.arms.tolist() == [2, 3]
    assert found.total.tolist() == [30, 18]
    assert found.smallest.tolist() == [10, 5]
    assert found.best.tolist() == [0.2, 1.0]


@pytest.mark.parametrize(
    ("cards", "ones", "expected"),
    [
        ([[10, 0]], [[1, 0]], "at least one card"),
        ([[10, 10]], [[1, 11]], "0 to all"),
        ([[10, 10]], [[1, -1]], "0 to all"),
        ([[10, 10]], [[1]], "one number for each arm"),
        ([[]], [[]], "one number for each arm"),
        ([[1], [1]], [[1]], "equal length"),
    ],
)
def test_what_is_no_deck_is_refused(cards: Any, ones: Any, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        decks(["test"] * len(cards), cards, ones)
