"""Was the log really drawn uniformly at random?  Replay is valid only if it was.

Two questions are kept apart: could chance alone explain the counts (a p-value), and how far are
they from uniform (an effect).  With ten million events every tiny deviation is significant; only
one that is both beyond chance and large enough to matter is reported.

A bias that changes over time can cancel out over the whole log and still mislead replay, so
quarters of the log, and its quiet and busy times, are tested too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.replay.kernels.compiled import compiled_count
from highseason.replay.prepared_log import PreparedLog

#: A deviation counts if chance alone produces it less often than this …
SIGNIFICANT = 0.001
#: … and arms are shown, in the root mean square, too often or too rarely by more than this share.
MATTERS = 0.05
#: The same in parts of a log.  Logs show an arm again to a visitor who returns, so their parts vary
#: a little more than independent draws do.
MATTERS_IN_PARTS = 0.1

#: Above this many arms the counts of arms are tested as if they were independent.
_MANY_ARMS = 1500
_POOLS_AT_ONCE = 2048
#: An arm is tested against its propensities if they imply at least this many displays.
_ENOUGH_DISPLAYS = 10
QUARTERS = 4


@dataclass(frozen=True)
class Uniformity:
    """Whether arms were shown as often as replay assumes.

    Attributes:
        checked: "uniform" (all arms of a pool equally likely) or "propensity" (as the log claims).
        statistic: χ² of the counts; against propensities that are not uniform, the largest z.
        degrees: The degrees of freedom of χ²; the number of z values.
        p: How often chance alone gives at least as much.
        effect: The deviation beyond chance: root mean square, as a share.
        worst: The arm that deviates most, and by what share; empty where nothing was tested.
        holds: Whether the log is what it claims to be, as far as it matters.
        tilted: Whether its propensities themselves are not uniform.
        when: The part of the log in which the worst arm deviates; empty for the whole log.
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
        """In one sentence."""
        details = f"p = {self.p:.2g}, deviation {100 * self.effect:.1f}%"
        against_propensities = self.checked == "propensity"
        if self.holds:
            agrees = "agrees with its propensities" if against_propensities else "looks uniform"
            return f"The log {agrees} ({details})."
        arm, share = self.worst
        if arm:
            often = "more" if share > 0 else "less"
            when = f" in {self.when}" if self.when else ""
            details += f"; arm {arm} was shown {100 * abs(share):.0f}% {often} often"
            details += f" than expected{when}"
        if not against_propensities:
            return f"THE LOG IS NOT UNIFORMLY RANDOM ({details})."
        return (
            f"THE LOG CONTRADICTS ITS PROPENSITIES ({details}): do not trust estimates that use "
            "them."
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = vars(self).copy()
        arm, share = fields.pop("worst")
        return fields | {"worst_arm": arm, "worst_share": share}


_NOTHING_TO_TEST = Uniformity("uniform", 0.0, 0, 1.0, 0.0, ("", 0.0), True)


def check_uniformity(log: PreparedLog) -> Uniformity:
    """Test the log: against its propensities where it has them, otherwise against uniform draws."""
    if log.events.propensity is not None:
        return _against_propensities(log)
    return _against_uniform(log)


def count_displays(log: PreparedLog) -> NDArray[np.int64]:
    """How often each arm was shown out of each pool: a column per member of a pool.

    Row 2·q holds the quiet and row 2·q + 1 the busy events of quarter q; a time bin is busy if its
    G is above the median of the events.  Events of arms that are not studied, or not in their
    pool, are left out.
    """
    bins, members = log.bins, log.pools.members
    busy = bins.counts >= min(bins.median + 1, bins.counts.max(initial=0))
    cuts = np.linspace(0, len(log.events), QUARTERS + 1).astype(np.int64)
    place = np.full(len(log.events.arms), -1)
    table = np.zeros((2 * QUARTERS, members.size), np.int64)
    compiled_count()(log.columns(), busy, cuts, place, table)
    return table


def _against_uniform(log: PreparedLog) -> Uniformity:
    """χ² of the whole log, unless a part of it shows what the whole does not."""
    counts = count_displays(log)
    whole = _total([_chi_square(log, counts.sum(axis=0))])
    if not whole.holds:
        return whole
    tested = (_total(parts, MATTERS_IN_PARTS) for parts in _parts(log, counts))
    return next((part for part in tested if not part.holds), whole)


class _ChiSquare(NamedTuple):
    """The counts of a part of the log against its pools; `sigmas` is the worst arm's."""

    statistic: float
    degrees: int
    records: float
    sigmas: float
    worst: tuple[str, float]
    when: str


def _parts(log: PreparedLog, counts: NDArray[np.int64]) -> Iterator[list[_ChiSquare]]:
    """The log by quarters of its events, and by how busy it was; each time all of it."""
    yield [
        _chi_square(log, counts[2 * q : 2 * q + 2].sum(axis=0), f"the {name} quarter of the log")
        for q, name in enumerate(("first", "second", "third", "last"))
    ]
    yield [
        _chi_square(log, counts[busy::2].sum(axis=0), f"{name} times")
        for busy, name in enumerate(("quiet", "busy"))
    ]


def _total(parts: list[_ChiSquare], matters: float = MATTERS) -> Uniformity:
    from scipy.special import chdtrc

    statistic, degrees = sum(part.statistic for part in parts), sum(part.degrees for part in parts)
    if degrees == 0:
        return _NOTHING_TO_TEST
    p = float(chdtrc(degrees, max(0.0, statistic)))
    effect = math.sqrt(max(0.0, statistic - degrees) / sum(part.records for part in parts))
    worst = max(parts, key=lambda part: part.sigmas)
    holds = p > SIGNIFICANT or effect < matters
    return Uniformity("uniform", statistic, degrees, p, effect, worst.worst, holds, when=worst.when)


def _chi_square(log: PreparedLog, shown: NDArray[np.int64], when: str = "") -> _ChiSquare:
    """χ² of how often each arm was shown, given the pools: the statistic of a log-rank test.

    An arm's expected count is the sum, over the events whose pool held it, of one over the pool's
    size.  The counts of arms that share pools are correlated; the covariance accounts for it.
    """
    arms, pools = len(log.events.arms), log.pools
    sizes = np.maximum(pools.sizes, 1)
    records = np.bincount(np.repeat(np.arange(len(pools)), pools.sizes), shown, len(pools))
    seen = np.bincount(pools.members, shown, arms)
    expected = np.bincount(pools.members, np.repeat(records / sizes, pools.sizes), arms)
    offered = expected > 0
    total = float(records.sum())
    if offered.sum() < 2:
        return _ChiSquare(0.0, 0, total, 0.0, ("", 0.0), when)
    off = np.asarray(seen - expected, np.float64)[offered]
    if offered.sum() > _MANY_ARMS:
        statistic, degrees = float((off**2 / expected[offered]).sum()), int(offered.sum()) - 1
    else:
        covariance = np.diag(expected) - _together(log, records / sizes**2)
        statistic, degrees = _distance(off, covariance[np.ix_(offered, offered)])
    # The arm that is furthest beyond chance, not the rarest, whose count varies most.
    sigmas = np.abs(off) / np.sqrt(expected[offered])
    place = int(np.argmax(sigmas))
    name = log.events.arms[int(np.flatnonzero(offered)[place])]
    worst = (name, float(off[place] / expected[offered][place]))
    return _ChiSquare(statistic, degrees, total, float(sigmas[place]), worst, when)


def _together(log: PreparedLog, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each pair of arms, the sum of the weights of the pools that hold both."""
    arms, pools = len(log.events.arms), log.pools
    out = np.zeros((arms, arms))
    for first in range(0, len(pools), _POOLS_AT_ONCE):
        last = min(first + _POOLS_AT_ONCE, len(pools))
        holds = np.zeros((last - first, arms))
        inside = slice(pools.offsets[first], pools.offsets[last])
        rows = np.repeat(np.arange(last - first), pools.sizes[first:last])
        holds[rows, pools.members[inside]] = 1.0
        out += (holds * weight[first:last, None]).T @ holds
    return out


def _distance(off: NDArray[np.float64], covariance: NDArray[np.float64]) -> tuple[float, int]:
    """The squared Mahalanobis length of `off`, and its degrees of freedom.

    The covariance is the Laplacian of a graph: within each set of arms that pools link together the
    deviations add up to 0, and in all other directions they are free.
    """
    from scipy.sparse.csgraph import connected_components

    sets, linked = connected_components(covariance < 0, directed=False)
    together = linked[:, None] == linked[None, :]
    # Filling those directions changes nothing for a vector that has no part in them.
    filled = covariance + together * covariance.diagonal().mean()
    return float(off @ np.linalg.solve(filled, off)), off.size - int(sets)


def _against_propensities(log: PreparedLog) -> Uniformity:
    """Over an arm's events, one over the propensity adds up to how often it was available.

    That must hold for every arm that was shown often enough, and one over (propensity times pool
    size) must average 1 over all of them.  Propensities that claim a uniform log make both trivial,
    so such a log is tested for being uniform.
    """
    events = log.events
    ratio = events.display_probability * np.maximum(events.pools.sizes[events.pool], 1)
    if not np.abs(ratio - 1.0).max(initial=0.0) > MATTERS:
        return replace(_against_uniform(log), checked="propensity")
    arms = [*_arm_deviations(log), _overall_deviation(ratio)]
    worst = max(arms, key=lambda one: one.sigmas)
    p = min(1.0, len(arms) * math.erfc(worst.sigmas / math.sqrt(2)))
    beyond = sum(one.records * (one.share**2 - one.error**2) for one in arms[:-1])
    mean = beyond / max(1.0, sum(one.records for one in arms[:-1]))
    effect = max(abs(arms[-1].share), math.sqrt(max(0.0, mean)))
    holds = p > SIGNIFICANT or effect < MATTERS
    named = (worst.arm, worst.share)
    return Uniformity("propensity", worst.sigmas, len(arms), p, effect, named, holds, tilted=True)


class _Deviation(NamedTuple):
    """By what share an arm was shown more often than its propensities imply."""

    arm: str
    share: float
    error: float
    records: float

    @property
    def sigmas(self) -> float:
        """The deviation in standard errors."""
        return abs(self.share) / self.error if self.error > 0 else 0.0


def _arm_deviations(log: PreparedLog) -> Iterator[_Deviation]:
    """Every arm that should have been shown often enough to test."""
    events, arms = log.events, len(log.events.arms)
    weight = np.bincount(events.arm, 1.0 / events.display_probability, arms)
    scatter = np.bincount(
        events.arm, (1.0 - events.display_probability) / events.display_probability**2, arms
    )
    shown = np.bincount(events.arm, minlength=arms)
    offers = np.bincount(events.pool, minlength=len(events.pools))
    offered = np.bincount(events.pools.members, np.repeat(offers, events.pools.sizes), arms)
    # From observed to expected counts: otherwise the variance of an arm that happened to be shown
    # rarely would be underestimated.
    scale = offered / np.where(shown > 0, weight, np.inf)
    for arm in np.flatnonzero(shown * scale >= _ENOUGH_DISPLAYS).tolist():
        records = float(offered[arm])
        error = math.sqrt(scatter[arm] * scale[arm]) / records
        yield _Deviation(events.arms[arm], float(weight[arm]) / records - 1.0, error, records)


def _overall_deviation(ratio: NDArray[np.float64]) -> _Deviation:
    """All arms together: how far the mean of one over (propensity times pool size) is from 1."""
    inverse = 1.0 / ratio
    error = float(inverse.std(ddof=1)) / math.sqrt(inverse.size) if inverse.size > 1 else 0.0
    return _Deviation("", float(inverse.mean()) - 1.0, error, float(inverse.size))
