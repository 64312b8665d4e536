"""Moments of blocks of games, with the bits of `Moments.of` and of a tree of merges.

NumPy adds up to 128 numbers in eight running sums, and splits longer rows in two (*pairwise
summation*).  `summation` says where, so that one thread per piece gives the same bits.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.engine.results import METRICS, RATIOS, REALISED
from highseason.engine.statistics import Moments

Numbers = NDArray[np.float64]

#: The quantities of `sums.metrics`, in its order; the last only if it is asked for.
QUANTITIES = (*METRICS, RATIOS, REALISED)
_PIECE = 128


class Summation(NamedTuple):
    """The pieces of a row (first place and length), and which sums are added to which, in order."""

    pieces: NDArray[np.int64]
    joins: NDArray[np.int64]


@functools.lru_cache(maxsize=64)
def summation(count: int) -> Summation:
    """How NumPy adds up a row of `count` numbers.

    >>> summation(300).pieces.tolist(), summation(300).joins.tolist()
    ([[0, 72], [72, 72], [144, 72], [216, 84]], [[0, 1], [2, 3], [0, 2]])
    """
    pieces: list[tuple[int, int]] = []
    joins: list[tuple[int, int]] = []

    def split(start: int, length: int) -> int:
        if length <= _PIECE:
            pieces.append((start, length))
            return len(pieces) - 1
        half = length // 2
        half -= half % 8
        left, right = split(start, half), split(start + half, length - half)
        joins.append((left, right))
        return left

    split(0, count)
    return Summation(np.array(pieces, np.int64), np.array(joins, np.int64).reshape(-1, 2))


class BlockMoments(NamedTuple):
    """The moments of blocks that follow each other: the first axis is the block.

    `mean` has further axes for quantity and policy, `scatter` one more for the other policy.
    """

    counts: tuple[int, ...]
    mean: Numbers
    scatter: Numbers

    def merged(self) -> BlockMoments:
        """All blocks in one, merged in the order of `merge_tree`: pairs, then pairs of pairs."""
        counts, mean, scatter = self
        while len(counts) > 1:
            pairs = len(counts) // 2
            a, b = counts[: 2 * pairs : 2], counts[1 : 2 * pairs : 2]
            shift = mean[1 : 2 * pairs : 2] - mean[: 2 * pairs : 2]
            both = [x + y for x, y in zip(a, b, strict=True)]
            share = _column([y / c for y, c in zip(b, both, strict=True)])
            factor = _column([x * y / c for x, y, c in zip(a, b, both, strict=True)])
            outer = shift[..., :, None] * shift[..., None, :]
            joined = (
                scatter[: 2 * pairs : 2] + scatter[1 : 2 * pairs : 2] + outer * factor[..., None]
            )
            mean = np.concatenate([mean[: 2 * pairs : 2] + shift * share, mean[2 * pairs :]])
            scatter = np.concatenate([joined, scatter[2 * pairs :]])
            counts = (*both, *counts[2 * pairs :])
        return BlockMoments(counts, mean, scatter)

    def by_quantity(self) -> dict[str, Moments]:
        """The moments of one block, by name of the quantity."""
        return {
            name: Moments(self.counts[0], self.mean[0, i], self.scatter[0, i])
            for i, name in enumerate(QUANTITIES[: self.mean.shape[1]])
        }

    @classmethod
    def together(cls, parts: list[BlockMoments]) -> BlockMoments:
        """The blocks of all parts, in their order."""
        counts = sum((part.counts for part in parts), ())
        mean, scatter = (np.concatenate([part[i] for part in parts]) for i in (1, 2))
        return cls(counts, mean, scatter)


def _column(values: list[float]) -> Numbers:
    return np.array(values)[:, None, None]


def block_moments(device: Any, values: Any, size: int) -> BlockMoments:
    """The moments of blocks of `size` games, the last one of what is left."""
    games = values.shape[2]
    whole = games // size
    parts = []
    if whole:
        parts.append(_equal_blocks(device, values, 0, whole, size))
    if games > whole * size:
        parts.append(_equal_blocks(device, values, whole * size, 1, games - whole * size))
    return BlockMoments.together(parts)


def _equal_blocks(device: Any, values: Any, start: int, blocks: int, size: int) -> BlockMoments:
    quantities, policies, games = values.shape
    rows = values.reshape(quantities * policies, games)
    pieces, joins = (device.upload(part) for part in summation(size))

    def added(kernel: str, count: int, divisor: float, *arguments: Any) -> Any:
        sums, out = device.empty((count, blocks, len(pieces))), device.empty((count, blocks))
        device.spread(kernel, sums.size, *arguments, start, size, pieces, sums)
        device.spread("join_pieces", out.size, sums, joins, divisor, out)
        return out

    means = added("piece_sums", len(rows), float(size), rows)
    pairs = len(rows) * policies
    products = added("piece_products", pairs, 1.0, rows, means, policies)
    mean, scatter = device.download(means).T, device.download(products).T
    return BlockMoments(
        (size,) * blocks,
        mean.reshape(blocks, quantities, policies),
        scatter.reshape(blocks, quantities, policies, policies),
    )
