"""Sums on a GPU follow NumPy's order, and blocks are merged as tallies are."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from highseason.engine import Moments
from highseason.engine.gpu.moments import QUANTITIES, BlockMoments, summation


def in_eights(values: np.ndarray) -> float:
    """Up to 128 numbers, as `sums.add_piece` adds them."""
    if values.size < 8:
        return functools.reduce(lambda total, value: total + value, values, 0.0)
    even = values.size // 8 * 8
    running = functools.reduce(np.add, values[:even].reshape(-1, 8))
    a, b, c, d = running[0::2] + running[1::2]
    return functools.reduce(lambda total, value: total + value, values[even:], (a + b) + (c + d))


@pytest.mark.parametrize("count", [1, 7, 8, 9, 127, 128, 129, 300, 2624, 3333, 4096])
def test_pieces_are_added_as_numpy_adds(count: int) -> None:
    values = np.random.default_rng(count).normal(size=(2, count, 3))[:, :, 1]
    pieces, joins = summation(count)
    sums = [in_eights(values[1, at : at + length]) for at, length in pieces]
    for left, right in joins:
        sums[left] += sums[right]
    assert sums[0] == values.sum(axis=1)[1]
    assert sums[0] / count == values.mean(axis=1)[1]


@pytest.mark.parametrize("blocks", [1, 2, 3, 5, 7, 11])
def test_blocks_are_merged_in_a_tree(blocks: int) -> None:
    counts = (64,) * (blocks - 1) + (9,)
    values = [
        np.random.default_rng(i).normal(size=(len(QUANTITIES), 3, count))
        for i, count in enumerate(counts)
    ]
    moments = [[Moments.of(quantity) for quantity in block] for block in values]
    stacked = BlockMoments(
        counts,
        np.array([[one.mean for one in block] for block in moments]),
        np.array([[one.scatter for one in block] for block in moments]),
    ).merged()
    for i, name in enumerate(QUANTITIES):
        expected = tree([block[i] for block in moments])
        found = stacked.by_quantity()[name]
        assert found.count == expected.count
        np.testing.assert_array_equal(found.mean, expected.mean)
        np.testing.assert_array_equal(found.scatter, expected.scatter)


def tree(moments: list[Moments]) -> Moments:
    """Neighbours merged in pairs, then pairs of pairs."""
    while len(moments) > 1:
        pairs = zip(moments[::2], moments[1::2], strict=False)
        moments = [a.merge(b) for a, b in pairs] + moments[len(moments) // 2 * 2 :]
    return moments[0]
