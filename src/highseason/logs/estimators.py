"""Estimators of a policy's mean reward per turn (the plain mean, IPS and SNIPS), and tests.

The weighted ones divide each event by its propensity, the probability with which its arm was
shown.  They are needed where that varies: in logs that give propensities, and in uniform logs whose
pools differ in size, because an event matches with probability one over its pool's size.

A policy that learns makes a choice on every event, in the state that its matched events left it in,
and 1{choice = shown} / propensity times the reward has the mean of the chosen arm.  Averaged over
events that is the policy's value along its own path, each state weighted by the number of *events*
it lasted.  SNIPS divides by the sum of the weights instead of the number of events: slightly
biased, far more stable, and on a uniform log with pools of one size exactly the plain mean.

Turns in which an arm was only tried for the first time are left out: the policy made no choice.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.core.random import draw, hash_at, seed_key
from highseason.engine.results import Estimate, with_interval

Numbers = NDArray[np.float64]

_PIECE = 100_000
_RESAMPLES = 2000
#: Overlapping windows equivalent to fewer independent ones than this have no interval.
_FEWEST = 2


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


def mean_estimate(values: Numbers) -> Estimate:
    """The mean with a normal interval; the error of fewer than two values is NaN."""
    if values.size < 2:
        return with_interval(float(values[0]) if values.size else math.nan, math.nan)
    mean = float(values.mean())
    pieces = np.array_split(values, -(-values.size // _PIECE))  # no second array as long as a log
    squares = math.fsum(float(((piece - mean) ** 2).sum()) for piece in pieces)
    return with_interval(mean, math.sqrt(squares / (values.size - 1) / values.size))


def weighted_estimates(
    reward: Numbers, propensity: Numbers, read: int, confidence: float = 0.95
) -> WeightedEstimates:
    """From the rewards and propensities of the matched events, and how many were read.

    >>> estimate = weighted_estimates(np.array([1.0, 0.0]), np.array([0.5, 0.25]), read=6)
    >>> estimate.ips.value, estimate.snips.value
    (0.333..., 0.333...)
    """
    weight = 1.0 / propensity
    total = float(weight.sum())
    if read < 1 or total == 0:
        nothing = with_interval(math.nan, math.nan, confidence)
        return WeightedEstimates(nothing, nothing, 0.0, math.nan, nothing)
    value = float((weight * reward).sum()) / read
    square = float(((weight * reward) ** 2).sum()) / read
    ips = with_interval(value, math.sqrt(max(0.0, square - value**2) / read), confidence)
    snips, plain = self_normalised(reward, weight, confidence), float(reward.mean())
    # The two means share their events, so the error is that of what each event adds to both.
    each = weight * (reward - snips.value) / weight.sum() - (reward - plain) / reward.size
    shift = with_interval(snips.value - plain, math.sqrt(float((each**2).sum())), confidence)
    return WeightedEstimates(ips, snips, effective_size(weight), float(weight.max()) / total, shift)


def self_normalised(reward: Numbers, weight: Numbers, confidence: float = 0.95) -> Estimate:
    """The weighted mean; its error by the delta method.

    >>> self_normalised(np.array([1.0, 0.0]), np.array([2.0, 4.0])).value
    0.333...
    """
    total = float(weight.sum())
    value = float((weight * reward).sum()) / total
    error = math.sqrt(float((weight**2 * (reward - value) ** 2).sum())) / total
    return with_interval(value, error, confidence)


def effective_size(weight: Numbers) -> float:
    """The effective sample size of weighted events (Kish): (sum w)² / sum w²."""
    squares = float((weight**2).sum())
    return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0


@dataclass(frozen=True)
class TTest:
    """A two-sided test that two means are equal, and an interval for their difference."""

    statistic: float
    degrees: float
    p: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """The difference of two means over runs, by several tests.

    Attributes:
        difference: The mean of the first minus that of the second.
        student: Two samples with equal variances, as in the paper.
        welch: Two samples with different variances.
        bootstrap: A 95% interval for the difference, runs resampled with replacement.
        paired: A 95% interval, the windows or logs of both in pairs; None where runs are not over
            the same events, or the overlap of windows leaves too few.
        independent: How many independent runs the overlapping windows are equivalent to; None
            where runs are not windows.
    """

    difference: float
    student: TTest
    welch: TTest
    bootstrap: tuple[float, float]
    paired: tuple[float, float] | None = None
    independent: float | None = None

    @property
    def correction(self) -> str:
        """What the paired interval takes into account, to be written behind it."""
        return "" if self.independent is None else ", corrected for overlap"

    def __str__(self) -> str:
        student, welch = self.student, self.welch
        lines = [
            f"difference {self.difference:+.5f} per turn",
            f"  Student  p = {student.p:.2g}  ({student.low:+.5f} to {student.high:+.5f})",
            f"  Welch    p = {welch.p:.2g}  ({welch.low:+.5f} to {welch.high:+.5f})",
            "  bootstrap     ({:+.5f} to {:+.5f})".format(*self.bootstrap),
        ]
        if self.paired is not None:
            ends = "{:+.5f} to {:+.5f}".format(*self.paired)
            lines.append(f"  paired        ({ends}){self.correction}")
        if self.independent is not None:
            lines.append(
                f"  the windows overlap: they are equivalent to about {self.independent:.1f} "
                "independent runs, so p-values that assume independence are too small"
            )
            if self.paired is None:
                lines.append("  too few for an interval: use a longer log or a smaller window")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return vars(self) | {"student": vars(self.student), "welch": vars(self.welch)}


def compare(
    first: ArrayLike,
    second: ArrayLike,
    *,
    block: int = 0,
    independent: float | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Compare the means of two samples of runs.

    Args:
        first: One mean per run.
        second: The same for the other policy.
        block: Where run i of both read the same events and neighbouring runs overlap: how many
            neighbours share events.
        independent: How many independent runs they are equivalent to, to be shown in the result.
        confidence: The confidence of the intervals, such as 0.95.
        seed: For the bootstrap.

    >>> comparison = compare([0.05, 0.06, 0.07, 0.06], [0.03, 0.05, 0.04, 0.04])
    >>> round(comparison.difference, 3), round(comparison.student.p, 4)
    (0.02, 0.0134)
    """
    a, b = _runs(first), _runs(second)
    student, welch = _two_samples(a, b, confidence)
    resampled = _resampled(a, seed, 1) - _resampled(b, seed, 2)
    low, high = np.quantile(resampled, ((1 - confidence) / 2, (1 + confidence) / 2)).tolist()
    in_pairs = block > 0 and a.size == b.size
    return Comparison(
        difference=float(a.mean() - b.mean()),
        student=student,
        welch=welch,
        bootstrap=(low, high),
        paired=paired_interval(a - b, block, confidence) if in_pairs else None,
        independent=independent,
    )


def _runs(values: ArrayLike) -> Numbers:
    runs = np.asarray(values, np.float64)
    if runs.ndim != 1 or runs.size < 2:
        raise ValueError("a comparison needs at least two runs of each policy")
    if not np.isfinite(runs).all():
        raise ValueError("a run without any matched turn has no mean and cannot be compared")
    return runs


def _two_samples(a: Numbers, b: Numbers, confidence: float) -> tuple[TTest, TTest]:
    """Student's test, which takes the variances for equal, and Welch's, which does not."""
    m, n, difference = a.size, b.size, float(a.mean() - b.mean())
    pooled = ((m - 1) * a.var(ddof=1) + (n - 1) * b.var(ddof=1)) / (m + n - 2)
    error = math.sqrt(float(pooled) * (1 / m + 1 / n))
    student = _t_test(difference, error, m + n - 2, confidence)
    of_a, of_b = float(a.var(ddof=1)) / m, float(b.var(ddof=1)) / n
    scatter = of_a**2 / (m - 1) + of_b**2 / (n - 1)
    degrees = (of_a + of_b) ** 2 / scatter if scatter > 0 else m + n - 2.0
    return student, _t_test(difference, math.sqrt(of_a + of_b), degrees, confidence)


def _t_test(difference: float, error: float, degrees: float, confidence: float) -> TTest:
    """The test of a difference with this standard error; equal runs have an error of 0."""
    # Not scipy.stats.ttest_ind: it warns and gives NaN for runs that are all equal, and it cannot
    # test windows that overlap.
    from scipy.special import stdtr, stdtrit

    if error > 0:
        statistic = difference / error
    else:
        statistic = math.copysign(math.inf, difference) if difference else 0.0
    width = float(stdtrit(degrees, (1 + confidence) / 2)) * error
    p = 2 * float(stdtr(degrees, -abs(statistic)))
    return TTest(statistic, degrees, p, difference - width, difference + width)


def _resampled(runs: Numbers, seed: int, use: int) -> Numbers:
    """The means of resamples, drawn by counter: the same on any machine."""
    key = np.uint64(hash_at(seed_key(seed), use))
    numbers = draw(key, np.arange(_RESAMPLES * runs.size, dtype=np.uint64))
    chosen = np.asarray(numbers * runs.size, np.int64).reshape(_RESAMPLES, runs.size)
    return np.asarray(runs[chosen].mean(axis=1))


def paired_interval(
    difference: Numbers, block: int, confidence: float = 0.95
) -> tuple[float, float] | None:
    """A t interval for the mean of paired differences of windows whose neighbours overlap.

    Windows k apart share a part 1 - k/block of their events, and are assumed to be correlated by
    as much.  From that follow by how much the variance between windows understates the variance of
    their mean, and (Satterthwaite 1946) its degrees of freedom.
    """
    size = difference.size
    if (size - 1) / block + 1 < _FEWEST:
        return None
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    shared = np.maximum(0.0, 1.0 - apart / block)
    rest = shared - shared.mean(axis=0) - shared.mean(axis=1)[:, None] + shared.mean()
    variance = float(difference.var()) * float(shared.mean()) * size / float(np.trace(rest))
    degrees = float(np.trace(rest)) ** 2 / float((rest**2).sum())
    test = _t_test(float(difference.mean()), math.sqrt(variance), degrees, confidence)
    return test.low, test.high
