"""Means, errors and covariances of many games, gathered block by block in flat memory."""

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.validation import share

Numbers = NDArray[np.float64]

#: How finely the quantiles of running totals are known.
BINS = 2048


@dataclass(frozen=True, eq=False)
class Moments:
    """Count, mean and scatter of vectors that were seen together (one vector per game).

    `scatter` is the sum of outer products of deviations, so any two entries can be compared in
    pairs: games share their random numbers, and that covariance makes differences precise.
    """

    count: int
    mean: Numbers
    scatter: Numbers

    @classmethod
    def of(cls, values: Numbers) -> Self:
        """The moments of a block: one row per entry, one column per game."""
        mean = values.mean(axis=1)
        centred = values - mean[:, None]
        # Row by row, not `centred @ centred.T`: NumPy adds in the same order on every machine.
        scatter = np.array([(row * centred).sum(axis=1) for row in centred])
        return cls(values.shape[1], mean, scatter)

    def merge(self, other: Self) -> Self:
        """The moments of both blocks together (Chan, Golub, LeVeque 1983)."""
        count = self.count + other.count
        shift = other.mean - self.mean
        mean = self.mean + shift * (other.count / count)
        between = np.outer(shift, shift) * (self.count * other.count / count)
        return type(self)(count, mean, self.scatter + other.scatter + between)

    @property
    def covariance(self) -> Numbers:
        """The sample covariance; NaN for a single game."""
        if self.count < 2:
            return np.full_like(self.scatter, math.nan)
        return self.scatter / (self.count - 1)

    @property
    def error(self) -> Numbers:
        """The standard error of each mean."""
        return np.sqrt(np.diag(self.covariance) / self.count)


@dataclass(frozen=True, eq=False)
class Curves:
    """Running totals of one quantity over turns: their mean, and their quantiles from fixed bins.

    Axes are (policies, checkpoints) and, in `counts`, bins.  A running total after turn t is kept
    as its share of the way from the least to the most it can be, which follows from G(1) + … + G(t)
    and the bounds of the rewards.  The bins are even in the square root of that share, so that
    small regrets are distinguished.  Memory does not grow with the number of games.
    """

    turns: NDArray[np.int64]
    least: Numbers
    most: Numbers
    sums: Numbers
    counts: NDArray[np.int64]

    @classmethod
    def empty(cls, turns: NDArray[np.int64], least: Numbers, most: Numbers, policies: int) -> Self:
        """No game yet; `least` and `most` are what a running total can be at each checkpoint."""
        shape = (policies, turns.size)
        return cls(turns, least, most, np.zeros(shape), np.zeros((*shape, BINS), np.int64))

    def add(self, policy: int, values: Numbers) -> None:
        """Count a block of games: one row per game, one column per checkpoint."""
        self.sums[policy] += values.sum(axis=0)
        shares = np.clip((values - self.least) / (self.most - self.least), 0.0, 1.0)
        bins = np.minimum((np.sqrt(shares) * BINS).astype(np.int64), BINS - 1)
        for checkpoint in range(self.turns.size):
            self.counts[policy, checkpoint] += np.bincount(bins[:, checkpoint], minlength=BINS)

    def merge(self, other: Self) -> None:
        """Add the games of `other`, which has the same checkpoints and policies."""
        np.add(self.sums, other.sums, out=self.sums)
        if other.counts is not self.counts:  # see `sharing`
            np.add(self.counts, other.counts, out=self.counts)

    def sharing(self, total: Self) -> Self:
        """The same sums, with counts that are added to those of `total` and from now on its own.

        Counts are whole numbers, so they may be added in any order: many curves that wait to be
        merged need to hold them only once.
        """
        if self.counts is not total.counts:
            np.add(total.counts, self.counts, out=total.counts)
        return replace(self, counts=total.counts)

    @property
    def mean(self) -> Numbers:
        """The mean running total: a row per policy."""
        return np.asarray(self.sums / self.counts.sum(axis=2))

    @property
    def error(self) -> Numbers:
        """The standard error of that mean, to the width of a bin; NaN for a single game."""
        games = self.counts.sum(axis=2)
        middles = ((np.arange(BINS) + 0.5) / BINS) ** 2
        centred = middles - (self.counts @ middles / games)[:, :, None]
        squares = (self.counts * centred**2).sum(axis=2)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = np.sqrt(squares / (games - 1) / games)
        return np.asarray(shares * (self.most - self.least))

    def quantile(self, q: float) -> Numbers:
        """The running total that a share `q` of the games stays below, to the width of a bin."""
        reached = self.counts.cumsum(axis=2)
        wanted = share("q", q) * reached[:, :, -1:]
        bins = (reached < np.maximum(wanted, 1)).sum(axis=2)  # q = 0: the least game's bin
        below = np.take_along_axis(reached - self.counts, bins[:, :, None], axis=2)[:, :, 0]
        inside = np.take_along_axis(self.counts, bins[:, :, None], axis=2)[:, :, 0]
        part = (wanted[:, :, 0] - below) / np.maximum(inside, 1)
        return np.asarray(self.least + ((bins + part) / BINS) ** 2 * (self.most - self.least))


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error and a confidence interval."""

    value: float
    error: float
    low: float
    high: float


def errors_wide(level: float = 0.95) -> float:
    """Half the width of a normal confidence interval, in standard errors."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, such as 0.95, got {level!r}")
    return NormalDist().inv_cdf(0.5 + level / 2)


def with_interval(value: float, error: float, level: float = 0.95) -> Estimate:
    """A normal confidence interval around `value`."""
    width = errors_wide(level) * error
    return Estimate(value, error, value - width, value + width)


def ratio_gain(moments: Moments, entry: int, base: int, level: float = 0.95) -> Estimate:
    """By how much the mean of `entry` exceeds that of `base`, as a share of the latter.

    The ratio of means over paired games; its error by the delta method, pairing included.
    """
    a, b = float(moments.mean[entry]), float(moments.mean[base])
    if b == 0:
        return Estimate(math.nan, math.nan, math.nan, math.nan)
    ratio = a / b
    c = moments.covariance
    variance = float(c[entry, entry] - 2 * ratio * c[entry, base] + ratio * ratio * c[base, base])
    error = math.sqrt(max(variance, 0.0) / moments.count) / abs(b)  # NaN for a single game
    return with_interval(ratio - 1, error, level)
