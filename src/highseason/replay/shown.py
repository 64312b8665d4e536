"""How often each arm was shown out of each pool, by quarters of the log and by how busy it was."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.replay.kernels.shown import compiled_count
from highseason.replay.prepared_log import PreparedLog

#: Above this many cells pairs are sorted instead of counted in a table.
_TABLE = 50_000_000
QUARTERS = 4


class Shown(NamedTuple):
    """One entry for every part of the log, pool and arm shown out of it that occur together."""

    quarter: NDArray[np.int64]
    busy: NDArray[np.bool_]
    pool: NDArray[np.int64]
    arm: NDArray[np.int64]
    times: NDArray[np.int64]

    def where(self, chosen: NDArray[np.bool_]) -> Shown:
        """Some of the entries."""
        return Shown._make(column[chosen] for column in self)


def shown(course: PreparedLog) -> Shown:
    """Count; records of arms that are not studied, or not in their pool, are left out.

    A bin of time is busy if its G is above the median of the events.
    """
    bins, arms = course.bins, max(1, len(course.events.arms))
    cells = max(1, len(course.pools)) * arms
    busy = bins.counts >= min(bins.middle + 1, bins.counts.max(initial=0))
    cuts = np.linspace(0, len(course.events), QUARTERS + 1).astype(np.int64)
    if 2 * QUARTERS * cells <= _TABLE:
        key, count = _by_table(course, busy, cuts, cells)
    else:
        key, count = _by_sorting(course, busy, cuts, cells)
    part, pair = key // cells, key % cells
    found = Shown(part // 2, part % 2 == 1, pair // arms, pair % arms, count)
    return found.where(np.isin(pair, _members(course, arms)))


def _by_table(
    course: PreparedLog, busy: NDArray[np.bool_], cuts: NDArray[np.int64], cells: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    table = np.zeros((2 * QUARTERS, cells), np.int64)
    columns = (course.events.arm, course.pool, course.bins.of)
    small = (np.require(column, np.int32, ["C", "W"]) for column in columns)
    compiled_count()(*small, busy, course.studied, cuts, table)
    key = np.flatnonzero(table)
    return key, table.ravel()[key]


def _by_sorting(
    course: PreparedLog, busy: NDArray[np.bool_], cuts: NDArray[np.int64], cells: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    arm = course.events.arm
    quarter = np.repeat(np.arange(QUARTERS), np.diff(cuts))
    part = 2 * quarter + busy[course.bins.of]
    keys = part * cells + course.pool.astype(np.int64) * max(1, len(course.events.arms)) + arm
    return np.unique(keys[course.studied[arm]], return_counts=True)


def _members(course: PreparedLog, arms: int) -> NDArray[np.int64]:
    """Every pair of a pool and an arm in it."""
    pools = course.pools
    return np.repeat(np.arange(len(pools), dtype=np.int64), pools.sizes) * arms + pools.members
