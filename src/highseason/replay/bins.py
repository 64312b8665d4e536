"""Time in bins: how many events fall into each is the multiplier G of a replayed log."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Bins are counted in a table as long as the log's time unless that is mostly empty.
_SPARSE = 4
#: Numbers of bins are told apart up to here.
_MOST = 2.0**53


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of a log that hold events, in the order of time.

    Attributes:
        of: For each event, the place of its bin in the columns below.
        clock: The bin's number, counted from 1 at the log's first bin; empty bins count too.
        counts: How many events it holds: G.
        length: How long a bin is, in the log's unit of time.

    >>> bins = Bins.cut(np.array([70, 71, 71, 75]), length=2)
    >>> bins.clock.tolist(), bins.counts.tolist(), bins.G.tolist()
    ([1, 3], [3, 1], [3.0, 3.0, 3.0, 1.0])
    """

    of: NDArray[np.int32]
    clock: NDArray[np.int64]
    counts: NDArray[np.int64]
    length: float

    @classmethod
    def cut(cls, time: NDArray[np.int64], length: float = 1) -> Bins:
        """Cut the time of a log into bins; they begin at multiples of their length."""
        if isinstance(length, bool) or not (math.isfinite(length) and length > 0):
            raise ValueError(f"a bin must have a length above 0, such as 1 second, not {length!r}")
        if time.size == 0:
            nothing = np.zeros(0, np.int64)
            return cls(nothing.astype(np.int32), nothing, nothing, length)
        if float(np.abs(time).max()) / length > _MOST:
            raise ValueError(f"bins of {length:g} are too short for times such as {time[0]}")
        number = np.floor_divide(time, length).astype(np.int64)
        number -= number.min()
        if int(number.max()) > _SPARSE * number.size + 1_000_000:
            held, of, counts = np.unique(number, return_inverse=True, return_counts=True)
            return cls(of.astype(np.int32), held + 1, counts, length)
        table = np.bincount(number)
        held = np.flatnonzero(table)
        place = (np.cumsum(table > 0) - 1).astype(np.int32)
        return cls(place[number], held + 1, table[held], length)

    @property
    def G(self) -> NDArray[np.float64]:
        """The multiplier of each event."""
        return self.counts[self.of].astype(np.float64)

    @property
    def middle(self) -> float:
        """The median G of the events: a bin of G events counts G times."""
        if not self.counts.size:
            return math.nan
        rising = np.sort(self.counts)
        events = np.cumsum(rising)
        return float(rising[np.searchsorted(events, events[-1] / 2)])

    def weight(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.float64]:
        """The sum of G over the bins from clock `first` to clock `last`, for each pair."""
        before = np.concatenate([[0], np.cumsum(self.counts)])
        upto = before[np.searchsorted(self.clock, last, side="right")]
        since = before[np.searchsorted(self.clock, first, side="left")]
        return np.asarray(np.maximum(upto - since, 0), np.float64)
