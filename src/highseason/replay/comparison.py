"""Is one policy better than another?  Tests on the means of many runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.core.random import draw, hash_at, seed_key
from highseason.results.distributions import student_quantile, student_tail

_RESAMPLES = 2000
#: Windows worth fewer than so many that share no record say nothing of their scatter.
_FEWEST = 2


@dataclass(frozen=True)
class TTest:
    """A two-sided test that two means are the same, and an interval for their difference."""

    statistic: float
    degrees: float
    p: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """The difference of two means over runs, by several tests.

    Attributes:
        difference: The mean of the first less that of the second.
        student: Two samples with equal variances, as published.
        welch: Two samples with variances of their own.
        bootstrap: A 95% interval for the difference, runs drawn anew with replacement.
        paired: A 95% interval for windows that overlap, the runs of both in pairs; None where runs
            are not windows over the same records, or too few of them share none.
        independent: How many runs there are that share no record; None if that is not the matter.
    """

    difference: float
    student: TTest
    welch: TTest
    bootstrap: tuple[float, float]
    paired: tuple[float, float] | None = None
    independent: float | None = None

    def __str__(self) -> str:
        """In a few lines."""
        lines = [
            f"difference {self.difference:+.5f} a turn",
            f"  Student  p = {self.student.p:.2g}  ({_range(self.student.low, self.student.high)})",
            f"  Welch    p = {self.welch.p:.2g}  ({_range(self.welch.low, self.welch.high)})",
            f"  bootstrap     ({_range(*self.bootstrap)})",
        ]
        if self.paired is not None:
            lines.append(f"  in pairs      ({_range(*self.paired)}), overlap reckoned with")
        if self.independent is not None:
            lines.append(
                f"  the windows overlap: they are worth about {self.independent:.1f} independent "
                "runs, and p-values that take them for independent are too small"
            )
            if self.paired is None:
                lines.append(
                    "  that is too few for an interval: give a longer log or a smaller window"
                )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "difference": self.difference,
            "student": vars(self.student),
            "welch": vars(self.welch),
            "bootstrap": self.bootstrap,
            "paired": self.paired,
            "independent": self.independent,
        }


def compare(
    first: ArrayLike,
    second: ArrayLike,
    *,
    block: int = 0,
    independent: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Compare the means of two samples of runs.

    Args:
        first: One number a run.
        second: The same for the other policy.
        block: Where run i of both met the same records and neighbours overlap: how many neighbours
            share records.
        independent: How many of the runs are as good as independent, to be told with the result.
        level: Of the intervals.
        seed: For the bootstrap.

    >>> found = compare([0.05, 0.06, 0.07, 0.06], [0.03, 0.05, 0.04, 0.04])
    >>> round(found.difference, 3), round(found.student.p, 4)
    (0.02, 0.0134)
    """
    a, b = _runs(first), _runs(second)
    return Comparison(
        difference=float(a.mean() - b.mean()),
        student=_student(a, b, level),
        welch=_welch(a, b, level),
        bootstrap=_bootstrap(a, b, level, seed),
        paired=paired_interval(a - b, block, level) if block > 0 and a.size == b.size else None,
        independent=independent,
    )


def _runs(values: ArrayLike) -> NDArray[np.float64]:
    runs = np.asarray(values, np.float64)
    if runs.ndim != 1 or runs.size < 2:
        raise ValueError("a comparison needs at least two runs of each policy")
    if not np.isfinite(runs).all():
        raise ValueError("a run without any matched turn has no mean, and cannot be compared")
    return runs


def _student(a: NDArray[np.float64], b: NDArray[np.float64], level: float) -> TTest:
    degrees = a.size + b.size - 2
    pooled = ((a.size - 1) * a.var(ddof=1) + (b.size - 1) * b.var(ddof=1)) / degrees
    error = math.sqrt(float(pooled) * (1 / a.size + 1 / b.size))
    return _test(float(a.mean() - b.mean()), error, degrees, level)


def _welch(a: NDArray[np.float64], b: NDArray[np.float64], level: float) -> TTest:
    of_a, of_b = float(a.var(ddof=1)) / a.size, float(b.var(ddof=1)) / b.size
    scatter = of_a**2 / (a.size - 1) + of_b**2 / (b.size - 1)
    degrees = (of_a + of_b) ** 2 / scatter if scatter > 0 else a.size + b.size - 2.0
    return _test(float(a.mean() - b.mean()), math.sqrt(of_a + of_b), degrees, level)


def _test(difference: float, error: float, degrees: float, level: float) -> TTest:
    if error > 0:
        statistic = difference / error
    else:
        statistic = math.copysign(math.inf, difference) if difference else 0.0
    width = student_quantile(level, degrees) * error
    p = student_tail(statistic, degrees)
    return TTest(statistic, degrees, p, difference - width, difference + width)


def _places(count: int, among: int, seed: int, use: int) -> NDArray[np.int64]:
    """For each resample so many places, drawn by counter: the same on any machine."""
    key = np.uint64(hash_at(seed_key(seed), use))
    numbers = draw(key, np.arange(_RESAMPLES * count, dtype=np.uint64))
    return np.asarray(numbers * among, np.int64).reshape(_RESAMPLES, count)


def _bootstrap(
    a: NDArray[np.float64], b: NDArray[np.float64], level: float, seed: int
) -> tuple[float, float]:
    of_a = a[_places(a.size, a.size, seed, 1)].mean(axis=1)
    of_b = b[_places(b.size, b.size, seed, 2)].mean(axis=1)
    return _middle(of_a - of_b, level)


def paired_interval(
    difference: NDArray[np.float64], block: int, level: float = 0.95
) -> tuple[float, float] | None:
    """A t interval for the mean of paired differences of windows of which neighbours overlap.

    Windows that lie k apart share a part 1 - k/block of their records, and are taken to be
    correlated by as much.  That says how far the scatter of the windows falls short of what their
    mean varies by, and (Satterthwaite 1946) how many degrees of freedom the scatter has.
    """
    size = difference.size
    if (size - 1) / block + 1 < _FEWEST:
        return None
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    shared = np.maximum(0.0, 1.0 - apart / block)
    rest = shared - shared.mean(axis=0) - shared.mean(axis=1)[:, None] + shared.mean()
    variance = float(difference.var()) * float(shared.mean()) * size / float(np.trace(rest))
    degrees = float(np.trace(rest)) ** 2 / float((rest**2).sum())
    test = _test(float(difference.mean()), math.sqrt(variance), degrees, level)
    return test.low, test.high


def _middle(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    low, high = np.quantile(values, ((1 - level) / 2, (1 + level) / 2)).tolist()
    return low, high


def _range(low: float, high: float) -> str:
    return f"{low:+.5f} to {high:+.5f}"
