"""Was the log really drawn uniformly at random?  Replay is right only if it was.

Two questions are kept apart: whether chance alone could have made the counts (a p-value), and how
far they are from uniform (an effect).  With ten million events every trifle is significant; only a
deviation that is both beyond chance and large enough to matter is called one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.replay.course import Course
from highseason.results.distributions import chi_square_tail

#: A deviation is one if chance makes it less often than this …
SURE = 0.001
#: … and arms are shown, in the root mean square, by more than this share too often or too seldom.
MATTERS = 0.05

#: Above this many arms the counts of arms are tested as if they were independent.
_MANY = 1500
_TABLE = 50_000_000
_POOLS_AT_ONCE = 2048


@dataclass(frozen=True)
class Uniformity:
    """What the counts say.

    Attributes:
        checked: "uniform" (every arm of a pool alike) or "propensity" (as the log itself claims).
        statistic: χ² of the counts, or z of the propensities.
        degrees: The degrees of freedom of χ²; 1 for propensities.
        p: How often chance alone gives as much.
        effect: The deviation itself, less what chance would give: root mean square, as a share.
        worst: The arm that deviates most, and by what share; empty where nothing can be said.
        holds: Whether the log is what it claims to be, as far as it matters.
        tilted: Whether its propensities say themselves that it is not uniform.
    """

    checked: str
    statistic: float
    degrees: int
    p: float
    effect: float
    worst: tuple[str, float]
    holds: bool
    tilted: bool = False

    def __str__(self) -> str:
        """In a sentence."""
        beyond = f"p = {self.p:.2g}, deviation {100 * self.effect:.1f} %"
        if self.checked == "propensity":
            if self.holds:
                return f"The log agrees with its propensities ({beyond})."
            return (
                f"THE LOG CONTRADICTS ITS PROPENSITIES ({beyond}): estimates that rest on them are "
                "not to be trusted."
            )
        if self.holds:
            return f"The log looks uniformly random ({beyond})."
        arm, share = self.worst
        often = "more" if share > 0 else "less"
        return (
            f"THE LOG IS NOT UNIFORMLY RANDOM ({beyond}; arm {arm} was shown "
            f"{100 * abs(share):.0f} % {often} often than its share)."
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
        }


def uniformity(course: Course) -> Uniformity:
    """Test the log: against its propensities where it has them, else against uniform draws."""
    if course.events.propensity is not None:
        return _against_propensities(course)
    return _against_uniform(course)


def _against_uniform(course: Course) -> Uniformity:
    """χ² of how often each arm was shown, given the pools: the statistic of a log-rank test.

    An arm's expected count is the sum, over the events whose pool it was in, of one over the pool's
    size; counts of arms that share pools vary together, and the covariance says how.
    """
    pool, arm, count = shown_pairs(course)
    arms, pools = len(course.events.arms), course.pools
    sizes = np.maximum(pools.sizes, 1)
    events = np.bincount(pool, count, len(pools))  # of each pool
    shown = np.bincount(arm, count, arms)
    expected = np.bincount(pools.members, np.repeat(events / sizes, pools.sizes), arms)
    offered = expected > 0
    total = float(events.sum())
    if offered.sum() < 2 or total == 0:
        return Uniformity("uniform", 0.0, 0, 1.0, 0.0, ("", 0.0), True)
    off = np.asarray(shown - expected, np.float64)[offered]
    if offered.sum() > _MANY:
        statistic, degrees = float((off**2 / expected[offered]).sum()), int(offered.sum()) - 1
    else:
        covariance = np.diag(expected) - _together(course, events / sizes**2)
        statistic, degrees = _distance(off, covariance[np.ix_(offered, offered)])
    p = chi_square_tail(statistic, degrees) if degrees else 1.0
    effect = math.sqrt(max(0.0, statistic - degrees) / total)
    # The arm that is furthest beyond chance, not the rarest, whose count varies most.
    place = int(np.argmax(np.abs(off) / np.sqrt(expected[offered])))
    name = course.events.arms[int(np.flatnonzero(offered)[place])]
    worst = (name, float(off[place] / expected[offered][place]))
    return Uniformity("uniform", statistic, degrees, p, effect, worst, p > SURE or effect < MATTERS)


def shown_pairs(
    course: Course,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Every (pool, arm) that was shown out of it, with how often; wrong records are left out."""
    arms, pools = max(1, len(course.events.arms)), course.pools
    met = course.studied[course.events.arm]
    keys = course.pool.astype(np.int64) * arms + course.events.arm
    if not met.all():
        keys = keys[met]
    if len(pools) * arms <= _TABLE:
        table = np.bincount(keys, minlength=1)
        key = np.flatnonzero(table)
        count = table[key]
    else:
        key, count = np.unique(keys, return_counts=True)
    members = np.repeat(np.arange(len(pools), dtype=np.int64), pools.sizes) * arms + pools.members
    right = np.isin(key, members)
    return key[right] // arms, key[right] % arms, count[right]


def _together(course: Course, weight: NDArray[np.float64]) -> NDArray[np.float64]:
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


def _against_propensities(course: Course) -> Uniformity:
    """One over (propensity times pool size) averages 1 if the propensities are right.

    (Over a pool in which every arm has some chance, the chances cancel.)
    """
    events = course.events
    ratio = 1.0 / (events.chance * np.maximum(events.pools.sizes[events.pool], 1))
    if ratio.size < 2:
        return Uniformity("propensity", 0.0, 0, 1.0, 0.0, ("", 0.0), True)
    tilted = bool(np.abs(1.0 / ratio - 1.0).max() > MATTERS)
    off, error = float(ratio.mean()) - 1.0, float(ratio.std(ddof=1)) / math.sqrt(ratio.size)
    if abs(off) < 1e-9:  # propensities that are exactly uniform leave nothing to chance
        return Uniformity("propensity", 0.0, 1, 1.0, 0.0, ("", 0.0), True, tilted)
    z = off / error if error > 0 else math.copysign(math.inf, off)
    p = math.erfc(abs(z) / math.sqrt(2))
    holds = p > SURE or abs(off) < MATTERS
    return Uniformity("propensity", z, 1, p, abs(off), ("", 0.0), holds, tilted)
