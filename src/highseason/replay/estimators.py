"""Estimators of a policy's mean reward per turn: the plain mean, IPS and SNIPS.

The weighted ones divide each event by its propensity, the probability with which its arm was
shown.  They are needed where that varies: in logs that give propensities, and in uniform logs whose
pools differ in size, because an event matches with probability one over its pool's size and the
plain mean over matches over-weights small pools.

For a policy that learns as it goes they mean this.  On every event the policy, in the state that
its matched events left it in, makes a choice, and 1{choice = shown} / propensity times the reward
has the mean of the chosen arm.  Averaged over events that is the policy's value along its own
path, each state weighted by the number of *events* it lasted.  SNIPS divides by the sum of the
weights instead of the number of events: slightly biased, far more stable, and on a uniform log
with pools of one size exactly the plain mean.

Turns in which an arm was only tried for the first time are left out: the policy made no choice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.results.statistics import Estimate, with_interval

_PIECE = 100_000


@dataclass(frozen=True)
class WeightedEstimates:
    """Inverse-propensity estimates of a policy's mean reward per turn.

    Attributes:
        ips: Weights divided by the number of events.
        snips: Weights divided by their own sum.
        effective_size: How many equally weighted events would be as precise (Kish).
        largest: The largest share of the total weight that one event has.
        shift: By how much `snips` exceeds the plain mean of the same events.
    """

    ips: Estimate
    snips: Estimate
    effective_size: float
    largest: float
    shift: Estimate

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "ips": vars(self.ips),
            "snips": vars(self.snips),
            "effective_sample_size": self.effective_size,
            "largest_share": self.largest,
            "shift": vars(self.shift),
        }


def mean_estimate(values: NDArray[np.float64], level: float = 0.95) -> Estimate:
    """The mean with a normal interval; the error of fewer than two values is NaN."""
    if values.size == 0:
        return with_interval(math.nan, math.nan, level)
    mean = float(values.mean())
    if values.size == 1:
        return with_interval(mean, math.nan, level)
    pieces = np.array_split(values, -(-values.size // _PIECE))  # no second array as long as a log
    squares = sum(float(((piece - mean) ** 2).sum()) for piece in pieces)
    error = math.sqrt(squares / (values.size - 1) / values.size)
    return with_interval(mean, error, level)


def weighted_estimates(
    reward: NDArray[np.float64], propensity: NDArray[np.float64], records: int, level: float = 0.95
) -> WeightedEstimates:
    """From the rewards and propensities of the matched events, and how many were read.

    >>> estimate = weighted_estimates(np.array([1.0, 0.0]), np.array([0.5, 0.25]), records=6)
    >>> estimate.ips.value, estimate.snips.value
    (0.333..., 0.333...)
    """
    weight = 1.0 / propensity
    total = float(weight.sum())
    if records < 1 or total == 0:
        nothing = with_interval(math.nan, math.nan, level)
        return WeightedEstimates(nothing, nothing, 0.0, math.nan, nothing)
    value = float((weight * reward).sum()) / records
    square = float(((weight * reward) ** 2).sum()) / records
    ips = with_interval(value, math.sqrt(max(0.0, square - value**2) / records), level)
    snips = self_normalised(reward, weight, level)
    shift = _shift(reward, weight, snips.value, level)
    return WeightedEstimates(ips, snips, effective_size(weight), float(weight.max()) / total, shift)


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
    """The two means share their events, so the error is that of what each event adds to both."""
    plain = float(reward.mean())
    each = weight * (reward - snips) / weight.sum() - (reward - plain) / reward.size
    return with_interval(snips - plain, math.sqrt(float((each**2).sum())), level)


def effective_size(weight: NDArray[np.float64]) -> float:
    """The effective sample size of weighted events (Kish): (sum w)² / sum w²."""
    squares = float((weight**2).sum())
    return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0
