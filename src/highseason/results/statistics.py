"""Means, errors and covariances of many games, gathered block by block in flat memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Moments:
    """Count, mean and scatter of vectors that were seen together (one vector per game).

    `scatter` is the sum of outer products of deviations, so any two entries can be compared in
    pairs: games share their random numbers, and that covariance makes differences precise.
    """

    count: int
    mean: NDArray[np.float64]
    scatter: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Moments:
        """The moments of a block: one row per entry, one column per game."""
        mean = values.mean(axis=1)
        centred = values - mean[:, None]
        return cls(values.shape[1], mean, centred @ centred.T)

    def merge(self, other: Moments) -> Moments:
        """The moments of both blocks together (Chan, Golub, LeVeque 1983)."""
        count = self.count + other.count
        shift = other.mean - self.mean
        mean = self.mean + shift * (other.count / count)
        between = np.outer(shift, shift) * (self.count * other.count / count)
        return Moments(count, mean, self.scatter + other.scatter + between)

    @property
    def covariance(self) -> NDArray[np.float64]:
        """The sample covariance; NaN for a single game."""
        if self.count < 2:
            return np.full_like(self.scatter, math.nan)
        return self.scatter / (self.count - 1)

    @property
    def error(self) -> NDArray[np.float64]:
        """The standard error of each mean."""
        return np.sqrt(np.diag(self.covariance) / self.count)


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error and a confidence interval."""

    value: float
    error: float
    low: float
    high: float


def with_interval(value: float, error: float, level: float = 0.95) -> Estimate:
    """A normal confidence interval around `value`."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, such as 0.95, got {level!r}")
    width = NormalDist().inv_cdf(0.5 + level / 2) * error
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
    error = (
        math.sqrt(max(variance, 0.0) / moments.count) / abs(b) if moments.count > 1 else math.nan
    )
    return with_interval(ratio - 1, error, level)
