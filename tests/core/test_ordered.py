"""Ordered numbers: what NumPy says of all of them, without looking at all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highseason.core.ordered import Ordered, SuffixMinima, WithOne

numbers = st.floats(1e-300, 1e300) | st.sampled_from([1.0, 2.0, 3.0])
several = st.lists(numbers, max_size=40)


@given(several, several)
def test_ranks_are_those_of_the_sorted_numbers(before: list[float], later: list[float]) -> None:
    ordered = Ordered(before)
    for value in later:
        ordered.add(value)
    expected = sorted(before + later)
    assert len(ordered) == len(expected)
    assert [ordered[rank] for rank in range(len(ordered))] == expected
    assert np.asarray(ordered).tolist() == expected


@pytest.mark.parametrize("bulk", [True, False])
def test_many_blocks(bulk: bool) -> None:
    values = np.random.default_rng(7).integers(0, 9_000, 20_000).astype(float).tolist()
    ordered = Ordered(values if bulk else ())
    for value in [] if bulk else values:
        ordered.add(value)
    expected = sorted(values)
    assert [ordered[rank] for rank in range(0, 20_000, 7)] == expected[::7]
    assert (ordered[0], ordered[19_999]) == (expected[0], expected[-1])
    ordered.add(4.5)
    assert np.asarray(ordered).tolist() == sorted([*values, 4.5])


@pytest.mark.parametrize("rank", [-1, 2])
def test_a_rank_that_is_not_there(rank: int) -> None:
    with pytest.raises(IndexError, match="of 2 numbers"):
        Ordered([1.0, 2.0])[rank]


@given(several, numbers, st.floats(0, 1) | st.sampled_from([0.0, 0.1, 0.5, 0.75, 1.0]))
def test_quantiles_are_numpys_to_the_last_bit(
    values: list[float], one: float, share: float
) -> None:
    every = WithOne(Ordered(values), one)
    assert every.quantile(share) == float(np.quantile([*values, one], share))
    assert (every.min(), every.max()) == (min([*values, one]), max([*values, one]))
    assert sorted(np.asarray(every).tolist()) == sorted([*values, one])


@given(several, st.integers(0, 45))
def test_the_smallest_from_a_place_on(values: list[float], place: int) -> None:
    assert SuffixMinima(values).from_place(place) == min(values[place:], default=float("inf"))
