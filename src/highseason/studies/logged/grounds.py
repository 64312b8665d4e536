"""Where the policies play: a slice of the log with a fixed pool, or the whole of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import draw, seed_key
from highseason.logs import Events, Slice, always_on_offer, frontier
from highseason.replay import LogSummary, PreparedLog, diagnose
from highseason.replay.prepared_log import TimeBins
from highseason.studies.logged.data import Data
from highseason.studies.logged.settings import FIXED_ARMS, PUBLISHED_SLICE
from highseason.tuning import derive_seed

#: The longest stretch is sought among those with this many records at least.
_FEWEST = 1000


@dataclass(frozen=True, eq=False)
class Ground:
    """A log made ready, and what is true of it.

    Attributes:
        id: A name for files.
        title: For the page.
        course: What is replayed.
        truth: The true click rate behind each record; None where nobody knows it.
        slice: The stretch with a fixed pool; None for the whole log.
    """

    id: str
    title: str
    course: PreparedLog
    truth: NDArray[np.float64] | None
    slice: Slice | None

    @property
    def facts(self) -> LogSummary:
        """What the log is, whoever replays it."""
        return diagnose(self.course)

    @property
    def records_a_turn(self) -> float:
        """How many records pass for each turn that matches: about the size of the full pools."""
        events = self.course.events
        return float(events.pools.sizes[events.pool].mean())


def sliced(data: Data, part: Events, id: str, title: str, where: Slice) -> Ground:  # noqa: A002  # a name in files and on pages
    """A stretch of a part of the log with the arms that are there throughout.

    G is counted over the records of all arms, and on the slice as it is, however often it is
    played.
    """
    events = where.cut(part)
    if len(events) < _FEWEST:
        raise ValueError(
            f"the longest stretch with {len(where.arms)} articles has {len(events):,} records: the "
            "log is too short to be studied"
        )
    course = PreparedLog.of(events, arms=where.arms)
    return Ground(id, title, course, data.truth(events), where)


def longest(part: Events) -> Slice:
    """The longest stretch with the paper's number of articles, or as many as there are."""
    found = frontier(part)
    most = max(len(one.arms) for one in found.slices)
    return found.with_arms(min(FIXED_ARMS, most))


def published(data: Data) -> Slice | None:
    """The paper's own slice, if a log that was given holds it."""
    first, last = PUBLISHED_SLICE
    time = data.reported.time
    if data.made is not None or not (time[0] <= first and last <= time[-1]):
        return None
    arms = always_on_offer(data.reported.between(first, last))
    return Slice(first, last, arms) if len(arms) > 1 else None


def fixed_grounds(data: Data) -> list[Ground]:
    """The slices of the paper's first two tables: the exact one, and the published one."""
    found = longest(data.reported)
    grounds = [sliced(data, data.reported, "slice", "the longest slice", found)]
    theirs = published(data)
    if theirs is not None:
        title = "the paper's own slice"
        grounds.append(sliced(data, data.reported, "published-slice", title, theirs))
    return grounds


def whole(data: Data, part: Events, id: str = "whole") -> Ground:  # noqa: A002  # a name in files and on pages
    """All articles of a part of the log, which come and go."""
    return Ground(id, "the whole log", PreparedLog.of(part), data.truth(part), None)


def with_shuffled_G(course: PreparedLog, seed: int) -> PreparedLog:
    """The same records, each with the G of another: as many busy ones, at times that mean nothing.

    A policy that is steered by this G explores as much as before, and not when it is quiet.
    """
    key = np.uint64(seed_key(derive_seed(seed, "shuffled G")))
    lots = np.asarray(draw(key, np.arange(len(course.events), dtype=np.uint64)))
    G = course.G[np.argsort(lots, kind="stable")]
    each = np.arange(G.size, dtype=np.int32)
    bins = TimeBins(each, course.bins.clock[course.bins.of], G.astype(np.int64), course.bins.length)
    return replace(course, bins=bins)


def best_rate(data: Data, ground: Ground, points: int = 2000) -> float:
    """What showing the best article at any time would bring, by the true rates."""
    if data.made is None:
        return float("nan")
    course = ground.course
    rows = np.unique(np.linspace(0, len(course.events) - 1, points).astype(np.int64))
    best = [
        float(data.made.rate(pool, np.full(pool.size, course.events.time[row])).max())
        for row in rows
        if (pool := course.pools[int(course.pool[row])]).size
    ]
    return float(np.mean(best))
