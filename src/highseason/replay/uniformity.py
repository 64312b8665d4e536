"""Was the log really drawn uniformly at random?  Replay is right only if it was.

Two questions are kept apart: whether chance alone could have made the counts (a p-value), and how
far they are from uniform (an effect).  With ten million events every trifle is significant; only a
deviation that is both beyond chance and large enough to matter is called one.

A tilt that changes with time can cancel over the whole log, and it misleads replay all the same, so
quarters of the log, and its quiet and busy times, are looked at too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.replay.prepared_log import PreparedLog
from highseason.replay.shown import Shown, shown
from highseason.results.distributions import chi_square_tail

#: A deviation is one if chance makes it less often than this …
SURE = 0.001
#: … and arms are shown, in the root mean square, by more than this share too often or too seldom.
MATTERS = 0.05
#: The same in parts of a log.  Logs show an arm again to a visitor who comes back, and so their
#: parts scatter by a little more than draws do.
MATTERS_IN_PARTS = 0.1

#: Above this many arms the counts of arms are tested as if they were independent.
_MANY = 1500
_POOLS_AT_ONCE = 2048
#: An arm is held against its propensities if they say that it was shown so often.
_OFTEN = 10


@dataclass(frozen=True)
class Uniformity:
    """What the counts say.

    Attributes:
        checked: "uniform" (every arm of a pool alike) or "propensity" (as the log itself claims).
        statistic: χ² of the counts; against propensities that are not uniform the largest z.
        degrees: The degrees of freedom of χ²; how many z there are.
        p: How often chance alone gives as much.
        effect: The deviation itself, less what chance would give: root mean square, as a share.
        worst: The arm that deviates most, and by what share; empty where nothing can be said.
        holds: Whether the log is what it claims to be, as far as it matters.
        tilted: Whether its propensities say themselves that it is not uniform.
        when: In which part of the log the worst arm deviates; empty if in all of it.
    """

    checked: str
    statistic: float
    degrees: int
    p: float
    effect: float
    worst: tuple[str, float]
    holds: bool
    tilted: bool = False
    when: str = ""

    def __str__(self) -> str:
        """In a sentence."""
        beyond = f"p = {self.p:.2g}, deviation {100 * self.effect:.1f}%"
        claimed = self.checked == "propensity"
        if self.holds:
            found = "agrees with its propensities" if claimed else "looks uniformly random"
            return f"The log {found} ({beyond})."
        arm, share = self.worst
        if arm:
            often = "more" if share > 0 else "less"
            when = f" in {self.when}" if self.when else ""
            beyond += f"; arm {arm} was shown {100 * abs(share):.0f}% {often} often"
            beyond += f" than its share{when}"
        if not claimed:
            return f"THE LOG IS NOT UNIFORMLY RANDOM ({beyond})."
        return (
            f"THE LOG CONTRADICTS ITS PROPENSITIES ({beyond}): estimates that rest on them are "
            "not to be trusted."
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        arm, share = self.worst
        return {
            "checked": self.checked,
            "statistic": self.statistic,
            "degrees": self.degrees,
            "p": self.p,
            "effect": self.effect,
            "worst_arm": arm,
            "worst_share": share,
            "holds": self.holds,
            "tilted": self.tilted,
            "when": self.when,
        }


_NOTHING_TO_SAY = Uniformity("uniform", 0.0, 0, 1.0, 0.0, ("", 0.0), True)


def check_uniformity(course: PreparedLog) -> Uniformity:
    """Test the log: against its propensities where it has them, else against uniform draws."""
    if course.events.propensity is not None:
        return _against_propensities(course)
    return _against_uniform(course)


def _against_uniform(course: PreparedLog) -> Uniformity:
    """χ² of the whole log, unless one of its parts shows what the whole does not."""
    counts = shown(course)
    whole = _summed([_chi_square(course, counts)])
    if not whole.holds:
        return whole
    found = (_summed(parts, MATTERS_IN_PARTS) for parts in _parts(course, counts))
    return next((part for part in found if not part.holds), whole)


class _Chi(NamedTuple):
    """The counts of a part of the log against what its pools say; `sigmas` is the worst arm's."""

    statistic: float
    degrees: int
    records: float
    sigmas: float
    worst: tuple[str, float]
    when: str


def _parts(course: PreparedLog, counts: Shown) -> Iterator[list[_Chi]]:
    """The log by quarters of its records, and by how busy it was: whole at each step."""
    yield [
        _chi_square(course, counts.where(counts.quarter == q), f"the {name} quarter of the log")
        for q, name in enumerate(("first", "second", "third", "last"))
    ]
    yield [
        _chi_square(course, counts.where(counts.busy == busy), f"{name} times")
        for busy, name in enumerate(("quiet", "busy"))
    ]


def _summed(parts: list[_Chi], matters: float = MATTERS) -> Uniformity:
    statistic, degrees = sum(part.statistic for part in parts), sum(part.degrees for part in parts)
    if degrees == 0:
        return _NOTHING_TO_SAY
    p = chi_square_tail(statistic, degrees)
    effect = math.sqrt(max(0.0, statistic - degrees) / sum(part.records for part in parts))
    worst = max(parts, key=lambda part: part.sigmas)
    holds = p > SURE or effect < matters
    return Uniformity("uniform", statistic, degrees, p, effect, worst.worst, holds, when=worst.when)


def _chi_square(course: PreparedLog, counts: Shown, when: str = "") -> _Chi:
    """χ² of how often each arm was shown, given the pools: the statistic of a log-rank test.

    An arm's expected count is the sum, over the events whose pool it was in, of one over the pool's
    size; counts of arms that share pools vary together, and the covariance says how.
    """
    arms, pools = len(course.events.arms), course.pools
    sizes = np.maximum(pools.sizes, 1)
    events = np.bincount(counts.pool, counts.times, len(pools))  # of each pool
    seen = np.bincount(counts.arm, counts.times, arms)
    expected = np.bincount(pools.members, np.repeat(events / sizes, pools.sizes), arms)
    offered = expected > 0
    total = float(events.sum())
    if offered.sum() < 2:
        return _Chi(0.0, 0, total, 0.0, ("", 0.0), when)
    off = np.asarray(seen - expected, np.float64)[offered]
    if offered.sum() > _MANY:
        statistic, degrees = float((off**2 / expected[offered]).sum()), int(offered.sum()) - 1
    else:
        covariance = np.diag(expected) - _together(course, events / sizes**2)
        statistic, degrees = _distance(off, covariance[np.ix_(offered, offered)])
    # The arm that is furthest beyond chance, not the rarest, whose count varies most.
    sigmas = np.abs(off) / np.sqrt(expected[offered])
    place = int(np.argmax(sigmas))
    name = course.events.arms[int(np.flatnonzero(offered)[place])]
    worst = (name, float(off[place] / expected[offered][place]))
    return _Chi(statistic, degrees, total, float(sigmas[place]), worst, when)


def _together(course: PreparedLog, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each pair of arms, the sum of the weights of the pools that hold both."""
    arms, pools = len(course.events.arms), course.pools
    out = np.zeros((arms, arms))
    for first in range(0, len(pools), _POOLS_AT_ONCE):
        last = min(first + _POOLS_AT_ONCE, len(pools))
        has = np.zeros((last - first, arms))
        inside = slice(pools.offsets[first], pools.offsets[last])
        rows = np.repeat(np.arange(last - first), pools.sizes[first:last])
        has[rows, pools.members[inside]] = 1.0
        out += (has * weight[first:last, None]).T @ has
    return out


def _distance(off: NDArray[np.float64], covariance: NDArray[np.float64]) -> tuple[float, int]:
    """How far `off` is from 0 in units of its covariance, and in how many directions it can be.

    The covariance is the Laplacian of a graph: within each set of arms that pools link together the
    deviations add up to 0, and in all other directions they are free.
    """
    linked = _linked(covariance < 0)
    together = linked[:, None] == linked[None, :]
    # Filling those directions changes nothing for a vector that has no part in them.
    filled = covariance + together * covariance.diagonal().mean()
    degrees = off.size - np.unique(linked).size
    return float(off @ np.linalg.solve(filled, off)), int(degrees)


def _linked(joined: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each arm the least number of any arm that a chain of pools joins it to."""
    least = np.arange(joined.shape[0])
    while True:
        near = np.where(joined, least[None, :], joined.shape[0]).min(axis=1)
        lower = np.minimum(least, near)
        lower = lower[lower]
        if (lower == least).all():
            return least
        least = lower


def _against_propensities(course: PreparedLog) -> Uniformity:
    """One over the propensity adds up, over an arm's records, to how often it was on offer.

    So it must for every arm that was shown often enough, and one over (propensity times pool size)
    must average 1 over all of them.  Propensities that claim a uniform log leave nothing to that,
    and the log is tested for being one.
    """
    events = course.events
    ratio = events.chance * np.maximum(events.pools.sizes[events.pool], 1)
    if not np.abs(ratio - 1.0).max(initial=0.0) > MATTERS:
        return replace(_against_uniform(course), checked="propensity")
    arms = [*_arms_off(course), _all_off(ratio)]
    worst = max(arms, key=lambda one: one.sigmas)
    p = min(1.0, len(arms) * math.erfc(worst.sigmas / math.sqrt(2)))
    beyond = sum(one.records * (one.share**2 - one.error**2) for one in arms[:-1])
    mean = beyond / max(1.0, sum(one.records for one in arms[:-1]))
    effect = max(abs(arms[-1].share), math.sqrt(max(0.0, mean)))
    told, holds = (worst.arm, worst.share), p > SURE or effect < MATTERS
    return Uniformity("propensity", worst.sigmas, len(arms), p, effect, told, holds, tilted=True)


class _Off(NamedTuple):
    """By what share an arm was shown more often than its propensities say."""

    arm: str
    share: float
    error: float
    records: float

    @property
    def sigmas(self) -> float:
        """How far that is beyond chance."""
        return abs(self.share) / self.error if self.error > 0 else 0.0


def _arms_off(course: PreparedLog) -> Iterator[_Off]:
    """Every arm that should have been shown often enough to tell."""
    events, arms = course.events, len(course.events.arms)
    weight = np.bincount(events.arm, 1.0 / events.chance, arms)
    scatter = np.bincount(events.arm, (1.0 - events.chance) / events.chance**2, arms)
    shown = np.bincount(events.arm, minlength=arms)
    offers = np.bincount(events.pool, minlength=len(events.pools))
    offered = np.bincount(events.pools.members, np.repeat(offers, events.pools.sizes), arms)
    # From what was seen to what is expected: the scatter of an arm that is seldom shown by chance
    # would be taken for too small.
    scale = offered / np.where(shown > 0, weight, np.inf)
    for arm in np.flatnonzero(shown * scale >= _OFTEN).tolist():
        records = float(offered[arm])
        error = math.sqrt(scatter[arm] * scale[arm]) / records
        yield _Off(events.arms[arm], float(weight[arm]) / records - 1.0, error, records)


def _all_off(ratio: NDArray[np.float64]) -> _Off:
    """All arms together: how far the mean of one over (propensity times pool size) is from 1."""
    inverse = 1.0 / ratio
    error = float(inverse.std(ddof=1)) / math.sqrt(inverse.size) if inverse.size > 1 else 0.0
    return _Off("", float(inverse.mean()) - 1.0, error, float(inverse.size))
