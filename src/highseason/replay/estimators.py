"""Estimates that weigh records by one over their chance of having been shown.

They are needed where that chance varies: on logs that give propensities, and on uniform logs whose
pools are of different sizes, because a record matches with a chance of one over its pool's size and
the plain mean over matches over-weighs small pools.

What they mean for a policy that learns as it goes: on every record the policy, in the state that
its matched records have left it in, makes a choice, and 1{choice = shown} / propensity times the
reward has the mean of the chosen arm.  Averaged over records that is the policy's value along its
own path, each state weighed by how many *records* it lasted.  The self-normalised form divides by
the sum of the weights instead of the number of records: a little biased, far steadier, and on a
uniform log with pools of one size exactly the mean of replay.

Turns in which an arm was only being tried for the first time are left out: no choice was made.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.results.statistics import Estimate, with_interval


@dataclass(frozen=True)
class Weighted:
    """Inverse-propensity estimates of a policy's mean reward per turn.

    Attributes:
        ips: Weights divided by the number of records.
        snips: Weights divided by their own sum.
        effective: The number of equally weighted records that would say as much (Kish).
        largest: The largest share of all weight that one record has.
        shift: By how much `snips` exceeds the plain mean of the same records.
    """

    ips: Estimate
    snips: Estimate
    effective: float
    largest: float
    shift: Estimate

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "ips": vars(self.ips),
            "snips": vars(self.snips),
            "effective_sample_size": self.effective,
            "largest_share": self.largest,
            "shift": vars(self.shift),
        }


def weighted(
    reward: NDArray[np.float64], chance: NDArray[np.float64], records: int, level: float = 0.95
) -> Weighted:
    """From the matched records, their chances of having been shown, and how many were asked.

    >>> estimate = weighted(np.array([1.0, 0.0]), np.array([0.5, 0.25]), records=6)
    >>> estimate.ips.value, estimate.snips.value
    (0.333..., 0.333...)
    """
    weight = 1.0 / chance
    total = float(weight.sum())
    if records < 1 or total == 0:
        nothing = with_interval(math.nan, math.nan, level)
        return Weighted(nothing, nothing, 0.0, math.nan, nothing)
    value = float((weight * reward).sum()) / records
    square = float(((weight * reward) ** 2).sum()) / records
    ips = with_interval(value, math.sqrt(max(0.0, square - value**2) / records), level)
    snips = self_normalised(reward, weight, level)
    shift = _shift(reward, weight, snips.value, level)
    return Weighted(ips, snips, kish(weight), float(weight.max()) / total, shift)


def self_normalised(
    reward: NDArray[np.float64], weight: NDArray[np.float64], level: float = 0.95
) -> Estimate:
    """The weighted mean; its error by the delta method.

    >>> self_normalised(np.array([1.0, 0.0]), np.array([2.0, 4.0])).value
    0.333...
    """
    total = float(weight.sum())
    value = float((weight * reward).sum()) / total
    error = math.sqrt(float((weight**2 * (reward - value) ** 2).sum())) / total
    return with_interval(value, error, level)


def _shift(
    reward: NDArray[np.float64], weight: NDArray[np.float64], snips: float, level: float
) -> Estimate:
    """The two means share their records, so what matters is what each record adds to both."""
    plain = float(reward.mean())
    each = weight * (reward - snips) / weight.sum() - (reward - plain) / reward.size
    return with_interval(snips - plain, math.sqrt(float((each**2).sum())), level)


def kish(weight: NDArray[np.float64]) -> float:
    """The effective sample size of weighted records: (sum w)² / sum w²."""
    squares = float((weight**2).sum())
    return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0
