"""Curves over turns: the mean of a running total, and its quantiles from fixed bins.

A running total after turn t is kept as its share of the way from the least to the most it can be,
which follows from G(1) + … + G(t) and the bounds of the rewards.  The bins are even in the square
root of that share, so that small regrets are distinguished.  Memory does not grow with the number
of games.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS = 2048


@dataclass(frozen=True, eq=False)
class Curves:
    """Running totals of one quantity: axes are (policies, checkpoints) and, in `counts`, bins."""

    turns: NDArray[np.int64]
    least: NDArray[np.float64]
    most: NDArray[np.float64]
    sums: NDArray[np.float64]
    counts: NDArray[np.int64]

    @classmethod
    def empty(
        cls,
        turns: NDArray[np.int64],
        least: NDArray[np.float64],
        most: NDArray[np.float64],
        policies: int,
    ) -> Curves:
        """No game yet; `least` and `most` are what a running total can be at each checkpoint."""
        shape = (policies, turns.size)
        return cls(turns, least, most, np.zeros(shape), np.zeros((*shape, BINS), np.int64))

    def add(self, policy: int, values: NDArray[np.float64]) -> None:
        """Count a block of games: one row per game, one column per checkpoint."""
        self.sums[policy] += values.sum(axis=0)
        share = np.clip((values - self.least) / (self.most - self.least), 0.0, 1.0)
        bins = np.minimum((np.sqrt(share) * BINS).astype(np.int64), BINS - 1)
        for checkpoint in range(self.turns.size):
            self.counts[policy, checkpoint] += np.bincount(bins[:, checkpoint], minlength=BINS)

    def merge(self, other: Curves) -> Curves:
        """The games of both; `other` has the same checkpoints and policies."""
        sums, counts = self.sums + other.sums, self.counts + other.counts
        return Curves(self.turns, self.least, self.most, sums, counts)

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean running total: a row per policy."""
        return np.asarray(self.sums / self.counts.sum(axis=2))

    @property
    def error(self) -> NDArray[np.float64]:
        """The standard error of that mean, to the width of a bin; NaN for a single game."""
        games = self.counts.sum(axis=2)
        middles = ((np.arange(BINS) + 0.5) / BINS) ** 2
        centred = middles - (self.counts @ middles / games)[:, :, None]
        squares = (self.counts * centred**2).sum(axis=2)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = np.sqrt(squares / (games - 1) / games)
        return np.asarray(shares * (self.most - self.least))

    def quantile(self, q: float) -> NDArray[np.float64]:
        """The running total that a share `q` of the games stays below, to the width of a bin."""
        if not 0 <= q <= 1:
            raise ValueError(f"q must be between 0 and 1, got {q!r}")
        reached = self.counts.cumsum(axis=2)
        wanted = q * reached[:, :, -1:]
        bins = (reached < np.maximum(wanted, 1)).sum(axis=2)  # q = 0: the least game's bin
        below = np.take_along_axis(reached - self.counts, bins[:, :, None], axis=2)[:, :, 0]
        inside = np.take_along_axis(self.counts, bins[:, :, None], axis=2)[:, :, 0]
        part = (wanted[:, :, 0] - below) / np.maximum(inside, 1)
        return np.asarray(self.least + ((bins + part) / BINS) ** 2 * (self.most - self.least))
