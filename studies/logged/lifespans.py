"""When each arm was on offer, and the longest stretches of a log with a fixed set of arms.

Policies for arms that never end can be replayed only where none does.  The search is exact: the
best stretch with K arms begins with a start (else it could begin earlier) and ends with the K-th
last end among the arms on offer at its start (else it could end later).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import Table
from highseason.core.validation import whole_number
from highseason.logs.events import Events, moment

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Lifespans:
    """One entry for each arm that was ever in a pool, in the order of their starts.

    Attributes:
        arms: Their ids.
        start: The time of the first event whose pool held the arm.
        end: The time of the last.
        shown: The number of times it was shown.
        reward: Its total reward.
    """

    arms: tuple[str, ...]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    shown: NDArray[np.int64]
    reward: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.arms)

    @property
    def hours(self) -> NDArray[np.float64]:
        """From start to end, for times in seconds."""
        return np.asarray((self.end - self.start) / 3600.0)

    @property
    def rate(self) -> NDArray[np.float64]:
        """The mean reward of a display; NaN for arms that were never shown."""
        out = np.full(len(self), np.nan)
        np.divide(self.reward, self.shown, out=out, where=self.shown > 0)
        return out

    def columns(self) -> dict[str, list[Any]]:
        """The table by column."""
        names = ("start", "end", "hours", "shown", "reward", "rate")
        return {"arm": list(self.arms)} | {name: getattr(self, name).tolist() for name in names}

    def to_pandas(self) -> pd.DataFrame:
        """The table as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.columns())

    @property
    def table(self) -> Table:
        """A row for each arm."""
        columns: dict[str, Sequence[Any]] = dict(self.columns())
        columns |= {end: list(map(moment, columns[end])) for end in ("start", "end")}
        rows = tuple(zip(*columns.values(), strict=True))
        return Table(tuple(columns), rows, ("", "", "", ".2f", ",d", ",g", ".4f"))

    def __str__(self) -> str:
        return str(self.table)

    __repr__ = __str__


def lifespans(events: Events) -> Lifespans:
    """The first and last time each arm was on offer, shown or not, and its rewards.

    >>> log = Events.of([0, 3600, 7200], ["a", "a", "b"], [1, 0, 1], [["a"], ["a", "b"], ["b"]])
    >>> print(lifespans(log))
    arm  start   end  hours  shown  reward    rate
    ──────────────────────────────────────────────
    a        0  3600   1.00      2       1  0.5000
    b     3600  7200   1.00      1       1  1.0000
    """
    start, end = events.pool_lifetimes(events.time)
    count = len(events.arms)
    shown = np.bincount(events.arm, minlength=count).astype(np.int64)
    reward = np.bincount(events.arm, events.reward, minlength=count).astype(np.float64)
    order = np.lexsort((end, start))
    order = order[events.offers[order] > 0]
    arms = tuple(events.arms[i] for i in order)
    return Lifespans(arms, start[order], end[order], shown[order], reward[order])


@dataclass(frozen=True)
class Slice:
    """A stretch of time, from `start` to `end`, in which some arms are on offer throughout."""

    start: int
    end: int
    arms: tuple[str, ...]

    @property
    def hours(self) -> float:
        """Its length, for times in seconds."""
        return (self.end - self.start) / 3600.0

    def cut(self, events: Events) -> Events:
        """The events of that time, those of other arms too: they count towards G."""
        return events.between(self.start, self.end)

    def unbroken(self, events: Events) -> float:
        """The share of its events whose pool really held all the arms.

        A lifespan goes from first to last appearance; an arm may have been away in between.
        """
        inside, wanted = self.cut(events), np.isin(events.arms, self.arms)
        pools = events.pools
        held = np.array([wanted[pools[i]].sum() for i in range(len(pools))])
        is_whole = held == len(self.arms)
        return float(is_whole[inside.pool].mean()) if len(inside) else float("nan")


@dataclass(frozen=True)
class Frontier:
    """For each number of arms, the longest stretch with at least that many throughout."""

    slices: tuple[Slice, ...]

    def with_arms(self, least: int) -> Slice:
        """The longest stretch with at least this many arms."""
        whole_number("least_arms", least, at_least=1)
        for stretch in self.slices:
            if len(stretch.arms) >= least:
                return stretch
        most = max((len(stretch.arms) for stretch in self.slices), default=0)
        raise ValueError(f"at no time are {least} arms on offer: there are at most {most} at once")

    def with_hours(self, least: float) -> Slice:
        """The stretch with most arms that lasts at least this many hours."""
        for stretch in reversed(self.slices):
            if stretch.hours >= least:
                return stretch
        most = max((stretch.hours for stretch in self.slices), default=0.0)
        raise ValueError(f"no arm is on offer for {least:g} hours: the longest is {most:.2f} hours")

    @property
    def table(self) -> Table:
        """A row for each number of arms at which the stretch gets shorter."""
        rows = tuple(
            (len(one.arms), one.hours, moment(one.start), moment(one.end)) for one in self.slices
        )
        return Table(("arms", "hours", "start", "end"), rows, ("d", ".2f", "", ""))


def frontier(of: Events | Lifespans) -> Frontier:
    """The longest stretch for every number of arms.

    Of equally long stretches, the one with most arms is taken, then the earliest.

    >>> log = Events.of([0, 3600, 7200], ["a", "a", "b"], [1, 0, 1], [["a"], ["a", "b"], ["b"]])
    >>> [(len(one.arms), one.hours) for one in frontier(log).slices]
    [(1, 1.0), (2, 0.0)]
    """
    spans = of if isinstance(of, Lifespans) else lifespans(of)
    slices: list[Slice] = []
    for length, start in _longest(spans):
        end = start + length
        through = np.flatnonzero((spans.start <= start) & (spans.end >= end))
        if not slices or through.size > len(slices[-1].arms):
            slices.append(Slice(start, end, tuple(spans.arms[i] for i in through)))
    # Where more arms last as long, only their stretch is kept.
    kept = [
        one
        for i, one in enumerate(slices)
        if i + 1 == len(slices) or slices[i + 1].end - slices[i + 1].start < one.end - one.start
    ]
    return Frontier(tuple(kept))


def _longest(spans: Lifespans) -> list[tuple[int, int]]:
    """For K = 1, 2, …: the length of the longest stretch with K arms, and its earliest start."""
    length, begin = np.full(len(spans), -1, np.int64), np.zeros(len(spans), np.int64)
    for start in np.unique(spans.start).tolist():
        ends = spans.end[(spans.start <= start) & (spans.end >= start)]
        lasting = np.sort(ends)[::-1] - start
        is_better = lasting > length[: lasting.size]
        length[: lasting.size][is_better] = lasting[is_better]
        begin[: lasting.size][is_better] = start
    reached = int((length >= 0).sum())
    return list(zip(length[:reached].tolist(), begin[:reached].tolist(), strict=True))


def best_slice(
    of: Events | Lifespans, least_arms: int | None = None, least_hours: float | None = None
) -> Slice:
    """The longest stretch with at least `least_arms`, or the one with most arms for `least_hours`.

    >>> log = Events.of([0, 3600, 7200], ["a", "a", "b"], [1, 0, 1], [["a"], ["a", "b"], ["b"]])
    >>> best_slice(log, least_arms=2).arms
    ('a', 'b')
    """
    if least_arms is not None and least_hours is None:
        return frontier(of).with_arms(least_arms)
    if least_hours is not None and least_arms is None:
        return frontier(of).with_hours(least_hours)
    raise ValueError("expected either least_arms or least_hours")
