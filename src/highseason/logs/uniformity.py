"""Was the log really drawn uniformly at random?  Replay is valid only if it was.

Two questions are kept apart: could chance alone explain the counts (a p-value), and how far are
they from uniform (an effect).  With ten million events every tiny deviation is significant; only
one that is both beyond chance and large enough to matter is reported.

A bias that changes over time can cancel out over the whole log and still mislead replay, so
quarters of the log, and its quiet and busy times, are tested too.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.logs.kernels.compiled import compiled_count
from highseason.logs.prepared_log import PreparedLog

#: A deviation counts if chance alone produces it less often than this …
SIGNIFICANT = 0.001
#: … and arms are shown, in the root mean square, too often or too rarely by more than this share.
MATTERS = 0.05
#: The same in parts of a log.  Logs show an arm again to a visitor who returns, so their parts vary
#: a little more than independent draws do.
MATTERS_IN_PARTS = 0.1

#: Above this many arms the counts of arms are tested as if they were independent.
_MANY_ARMS = 1500
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
        details = f"p = {self.p:.2g}, deviation {100 * self.effect:.1f}%"
        against_propensities = self.checked == "propensity"
        if self.holds:
            agrees = "agrees with its propensities" if against_propensities else "looks uniform"
            return f"The log {agrees} ({details})."
        arm, share = self.worst
        if arm:
            often = f"{100 * abs(share):.0f}% {'more' if share > 0 else 'less'} often"
            when = f" in {self.when}" if self.when else ""
            details += f"; arm {arm} was shown {often} than expected{when}"
        if not against_propensities:
            return f"THE LOG IS NOT UNIFORMLY RANDOM ({details})."
        return (
            f"THE LOG CONTRADICTS ITS PROPENSITIES ({details}): do not trust estimates that use "
            "them."
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = vars(self) | dict(zip(("worst_arm", "worst_share"), self.worst, strict=True))
        del fields["worst"]
        return fields


_NOTHING_TO_TEST = Uniformity("uniform", 0.0, 0, 1.0, 0.0, ("", 0.0), True)


def check_uniformity(log: PreparedLog) -> Uniformity:
    """Test the log: against its propensities where it has them, otherwise against uniform draws."""
    uniform = log.events.propensity is None
    return _against_uniform(log) if uniform else _against_propensities(log)


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
    whole = _total([_chi_square(log, counts.sum(axis=0))], MATTERS)
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
    quarters = [f"the {which} quarter of the log" for which in ("first", "second", "third", "last")]
    by_quarter = counts.reshape(QUARTERS, 2, -1)
    for axis, names in ((1, quarters), (0, ["quiet times", "busy times"])):
        shown = by_quarter.sum(axis=axis)
        yield [_chi_square(log, *part) for part in zip(shown, names, strict=True)]


def _total(parts: list[_ChiSquare], matters: float) -> Uniformity:
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
    from scipy.sparse import csr_array

    pools, shape = log.pools, (len(log.pools), len(log.events.arms))
    holds = csr_array((np.ones(shown.size), pools.members, pools.offsets), shape)
    counts = csr_array((shown.astype(np.float64), pools.members, pools.offsets), shape)
    records, sizes = counts.sum(axis=1), np.maximum(pools.sizes, 1)
    expected = holds.T @ (records / sizes)
    offered = np.flatnonzero(expected > 0)
    total = float(records.sum())
    if offered.size < 2:
        return _ChiSquare(0.0, 0, total, 0.0, ("", 0.0), when)
    off, expected = (counts.sum(axis=0) - expected)[offered], expected[offered]
    if offered.size > _MANY_ARMS:
        statistic, degrees = float((off**2 / expected).sum()), offered.size - 1
    else:
        held = holds[:, offered]
        together = held.T @ (held * (records / sizes**2)[:, None])
        statistic, degrees = _distance(off, np.diag(expected) - together.toarray())
    # The arm that is furthest beyond chance, not the rarest, whose count varies most.
    sigmas = np.abs(off) / np.sqrt(expected)
    place = int(np.argmax(sigmas))
    worst = (log.events.arms[offered[place]], float(off[place] / expected[place]))
    return _ChiSquare(statistic, degrees, total, float(sigmas[place]), worst, when)


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
    names, share, error, records = _deviations(log, 1.0 / ratio)
    sigmas = np.divide(np.abs(share), error, out=np.zeros_like(share), where=error > 0)
    worst = int(np.argmax(sigmas))
    p = min(1.0, len(names) * math.erfc(sigmas[worst] / math.sqrt(2)))
    beyond = (records * (share**2 - error**2)[:-1]).sum() / max(1.0, records.sum())
    effect = max(abs(float(share[-1])), math.sqrt(max(0.0, beyond)))
    holds, named = p > SIGNIFICANT or effect < MATTERS, (names[worst], float(share[worst]))
    statistic = float(sigmas[worst])
    return Uniformity("propensity", statistic, len(names), p, effect, named, holds, tilted=True)


def _deviations(
    log: PreparedLog, inverse: NDArray[np.float64]
) -> tuple[list[str], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """By what share arms were shown more often than their propensities imply, and its error.

    First every arm that should have been shown often enough to test, by name, then all arms
    together; and how often each arm was available.
    """
    events, arms = log.events, len(log.events.arms)
    arm, probability = events.arm, events.display_probability
    weight = np.bincount(arm, 1.0 / probability, arms)
    scatter = np.bincount(arm, (1.0 - probability) / probability**2, arms)
    shown = np.bincount(arm, minlength=arms)
    offers = np.bincount(events.pool, minlength=len(events.pools))
    offered = np.bincount(events.pools.members, np.repeat(offers, events.pools.sizes), arms)
    # From observed to expected counts: otherwise the variance of an arm that happened to be shown
    # rarely would be underestimated.
    scale = offered / np.where(shown > 0, weight, np.inf)
    tested = np.flatnonzero(shown * scale >= _ENOUGH_DISPLAYS)
    records, error = offered[tested], np.sqrt(scatter * scale)[tested] / offered[tested]
    overall = inverse.std(ddof=1) / math.sqrt(inverse.size) if inverse.size > 1 else 0.0
    share = np.append(weight[tested] / records - 1.0, inverse.mean() - 1.0)
    return [*(events.arms[i] for i in tested), ""], share, np.append(error, overall), records
