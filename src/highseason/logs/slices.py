"""The best stretch of a log with a fixed pool: many arms, there all the time, for long.

Policies for arms that never die can be replayed only where none does.  The search is exact.  The
best interval with K arms begins at a birth (else it could begin earlier) and ends with the K-th
last death among the arms alive at its start (else it could end later).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from highseason.logs.arm_lifespans import Lifespans, lifespans
from highseason.logs.events import Events
from highseason.results.table import Table


@dataclass(frozen=True)
class Slice:
    """A stretch of time in which some arms are on offer throughout.

    Attributes:
        start: Its first time.
        end: Its last.
        arms: The ids of the arms that live through it.
    """

    start: int
    end: int
    arms: tuple[str, ...]

    @property
    def hours(self) -> float:
        """How long it is, for times in seconds."""
        return (self.end - self.start) / 3600.0

    def cut(self, events: Events) -> Events:
        """The records of that time, those of other arms too: they belong to G."""
        return events.between(self.start, self.end)

    def unbroken(self, events: Events) -> float:
        """The share of its records whose pool really held all the arms.

        A life goes from first to last appearance; an arm may have been away in between.
        """
        inside = self.cut(events)
        number = {name: i for i, name in enumerate(events.arms)}
        wanted = np.zeros(len(events.arms), np.int64)
        wanted[[number[name] for name in self.arms]] = 1
        edges = np.concatenate([[0], np.cumsum(wanted[events.pools.members])])
        held = edges[events.pools.offsets[1:]] - edges[events.pools.offsets[:-1]]
        whole = held == len(self.arms)
        return float(whole[inside.pool].mean()) if len(inside) else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"start": self.start, "end": self.end, "hours": self.hours, "arms": list(self.arms)}


@dataclass(frozen=True)
class Frontier:
    """For each number of arms, the longest stretch that has at least so many throughout."""

    slices: tuple[Slice, ...]

    def with_arms(self, least: int) -> Slice:
        """The longest stretch with at least so many arms."""
        if least < 1:
            raise ValueError(f"a slice needs at least 1 arm, not {least!r}")
        for found in self.slices:
            if len(found.arms) >= least:
                return found
        most = max((len(found.arms) for found in self.slices), default=0)
        raise ValueError(f"no time has {least} arms on offer; the most there are at once is {most}")

    def with_hours(self, least: float) -> Slice:
        """The stretch with most arms that lasts at least so many hours."""
        for found in reversed(self.slices):
            if found.hours >= least:
                return found
        most = max((found.hours for found in self.slices), default=0.0)
        raise ValueError(f"no arm is on offer for {least:g} hours; the longest is {most:.2f}")

    @property
    def table(self) -> Table:
        """A row for each number of arms at which the stretch gets shorter."""
        rows = tuple((len(one.arms), one.hours, one.start, one.end) for one in self.slices)
        return Table(("arms", "hours", "start", "end"), rows, ("d", ".2f", "d", "d"))


def frontier(of: Events | Lifespans) -> Frontier:
    """The longest stretch for every number of arms; each slice has all arms that live through it.

    Of stretches equally long the one with most arms, then the earliest, is taken.

    >>> log = Events.of([0, 3600, 7200], ["a", "a", "b"], [1, 0, 1], [["a"], ["a", "b"], ["b"]])
    >>> [(len(one.arms), one.hours) for one in frontier(log).slices]
    [(1, 1.0), (2, 0.0)]
    """
    lifetimes = of if isinstance(of, Lifespans) else lifespans(of)
    best = _longest(lifetimes)
    found: list[Slice] = []
    for length, start in best:
        end = start + length
        through = np.flatnonzero((lifetimes.birth <= start) & (lifetimes.death >= end))
        one = Slice(start, end, tuple(lifetimes.arms[i] for i in through))
        if not found or len(one.arms) > len(found[-1].arms):
            found.append(one)
    # Where more arms last as long, they are the better slice: keep it alone.
    kept = [
        one
        for i, one in enumerate(found)
        if i + 1 == len(found) or found[i + 1].end - found[i + 1].start < one.end - one.start
    ]
    return Frontier(tuple(kept))


def _longest(lifetimes: Lifespans) -> list[tuple[int, int]]:
    """For K = 1, 2, …: the length of the longest stretch with K arms, and its earliest start."""
    most = len(lifetimes)
    length = np.full(most, -1, np.int64)
    begin = np.zeros(most, np.int64)
    for start in np.unique(lifetimes.birth).tolist():
        deaths = lifetimes.death[(lifetimes.birth <= start) & (lifetimes.death >= start)]
        lasting = np.sort(deaths)[::-1] - start
        better = lasting > length[: lasting.size]
        length[: lasting.size][better] = lasting[better]
        begin[: lasting.size][better] = start
    reached = int((length >= 0).sum())
    return list(zip(length[:reached].tolist(), begin[:reached].tolist(), strict=True))


def best_slice(
    of: Events | Lifespans, least_arms: int | None = None, least_hours: float | None = None
) -> Slice:
    """The longest stretch with at least so many arms, or that with most arms for so many hours.

    >>> log = Events.of([0, 3600, 7200], ["a", "a", "b"], [1, 0, 1], [["a"], ["a", "b"], ["b"]])
    >>> best_slice(log, least_arms=2).arms
    ('a', 'b')
    """
    if (least_arms is None) == (least_hours is None):
        raise ValueError("say either the least number of arms or the least number of hours")
    found = frontier(of)
    if least_arms is not None:
        return found.with_arms(least_arms)
    assert least_hours is not None
    return found.with_hours(least_hours)


def always_on_offer(events: Events) -> tuple[str, ...]:
    """The ids of the arms that are in the pool of every event.

    >>> always_on_offer(Events.of([1, 2], ["a", "b"], [0, 0], [["a", "b"], ["b", "c"]]))
    ('b',)
    """
    met = np.zeros(len(events.pools), np.bool_)
    met[events.pool] = True
    members = events.pools.members[np.repeat(met, events.pools.sizes)]
    often = np.bincount(members, minlength=len(events.arms))
    return tuple(events.arms[i] for i in np.flatnonzero(often == met.sum()) if met.any())
