"""A log prepared for replay: time bins with G, the studied pools, the arms' lifetimes.

All of it is computed once, on the whole log.  Runs over parts of the log (windows, repetitions)
share it, so G is what the *log* had, however often its events are replayed.  A log in a file is
prepared by the worker that replays it.
"""

import functools
import math
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import did_you_mean
from highseason.logs.events import Events, Pools, always_on_offer, moment, read_events
from highseason.policies import NO_END, UNKNOWN_END

#: Bin indices are exact up to here.
_LARGEST_INDEX = 2.0**53
#: How many logs a process keeps: the policies of one follow each other.
_KEPT = 4


class LogColumns(NamedTuple):
    """The columns of a log, one entry per event, and its tables of bins and pools.

    `lowest` holds the smallest propensity of each pool; it is empty unless events are thinned.
    """

    arm: NDArray[np.int32]
    pool: NDArray[np.int32]
    bin: NDArray[np.int32]
    bin_weight: NDArray[np.float64]
    bin_clock: NDArray[np.int64]
    offsets: NDArray[np.int64]
    members: NDArray[np.int32]
    studied: NDArray[np.bool_]
    reward: NDArray[np.float64]
    propensity: NDArray[np.float64]
    lowest: NDArray[np.float64]


class LogLifetimes(NamedTuple):
    """The lifetime of each arm, by the clock of one run."""

    start: NDArray[np.int64]  # its first bin; 0 for arms that were there in the run's first bin
    known_end: NDArray[np.int64]  # its last bin as far as the policy knows, or `UNKNOWN_END`
    end: NDArray[np.int64]  # its true last bin
    score: NDArray[np.float64]  # what `Rule.set_weights` ranks arms by


@dataclass(frozen=True, eq=False)
class TimeBins:
    """The bins of time that hold events, in order; the number of events in a bin is its G.

    >>> bins = TimeBins.cut(np.array([70, 71, 71, 75]), length=2)
    >>> bins.clock.tolist(), bins.counts.tolist(), bins.of.tolist()
    ([1, 3], [3, 1], [0, 0, 0, 1])
    """

    of: NDArray[np.int32]  # for each event, the position of its bin in the columns below
    clock: NDArray[np.int64]  # the index of the bin, from 1 at the log's first; empty ones count
    counts: NDArray[np.int64]  # how many events it holds: G
    length: float  # of a bin, in the log's unit of time

    @classmethod
    def cut(cls, time: NDArray[np.int64], length: float = 1) -> Self:
        """Cut the time of a log, which never falls, into bins at multiples of their length."""
        if isinstance(length, bool) or not (math.isfinite(length) and length > 0):
            raise ValueError(f"bin must be a length above 0, such as 1 (second), got {length!r}")
        if time.size == 0:
            nothing = np.zeros(0, np.int64)
            return cls(nothing.astype(np.int32), nothing, nothing, length)
        if float(np.abs(time).max()) / length > _LARGEST_INDEX:
            raise ValueError(f"bin={length:g} is too short for times such as {time[0]}")
        index = np.floor_divide(time, length).astype(np.int64)
        begins = np.append(True, index[1:] != index[:-1])
        first = np.flatnonzero(begins)
        of = np.cumsum(begins, dtype=np.int32) - np.int32(1)
        return cls(of, index[first] - index[0] + 1, np.diff(first, append=time.size), length)

    @property
    def median(self) -> float:
        """The median G of the events: a bin of G events counts G times."""
        if not self.counts.size:
            return math.nan
        rising = np.sort(self.counts)
        events = np.cumsum(rising)
        return float(rising[np.searchsorted(events, events[-1] / 2)])

    def weight(self, start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.float64]:
        """The sum of G over the bins from clock `start` to clock `end`, for each pair."""
        before = np.concatenate([[0], np.cumsum(self.counts)])
        upto = before[np.searchsorted(self.clock, end, side="right")]
        since = before[np.searchsorted(self.clock, start, side="left")]
        return np.asarray(np.maximum(upto - since, 0), np.float64)


@dataclass(frozen=True, eq=False)
class PreparedLog:
    """What all policies that replay a log share.

    Attributes:
        events: The log.
        bins: Its time bins, with G.
        studied: Which arms are studied.
        pool: For each event, the index of its pool among `pools`.
        pools: The sets of studied arms that were available, each once.
        start: The clock at which each arm is first in a pool; 0 if it never is.
        end: The clock at which it is last in a pool.
        backwards: How many events were earlier than the one before.  Replay follows the clock, so
            the events are put in order.
    """

    events: Events
    bins: TimeBins
    studied: NDArray[np.bool_]
    pool: NDArray[np.int32]
    pools: Pools
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    backwards: int = 0

    @classmethod
    def of(cls, events: Events, bin: float = 1, arms: Sequence[str] | None = None) -> Self:  # noqa: A002  # the word users know
        """Prepare a log.

        Args:
            events: The log.
            bin: The length of a time bin in the log's unit; G is the number of events in it.
            arms: The ids of the arms to study; all if None.
        """
        _check_values(events)
        backwards = int((np.diff(events.time) < 0).sum())
        if backwards:
            events = events.take(np.argsort(events.time, kind="stable"))
        bins = TimeBins.cut(events.time, bin)
        studied = _studied(events, arms)
        pool, pools = _studied_pools(events, studied)
        start, end = events.pool_lifetimes(bins.clock[bins.of])
        return cls(events, bins, studied, pool, pools, start, end, backwards)

    @functools.cached_property
    def reward(self) -> NDArray[np.float64]:
        """The rewards as floats."""
        return np.require(self.events.reward, np.float64, ["C", "W"])

    @functools.cached_property
    def reward_range(self) -> tuple[float, float]:
        """The smallest and the largest reward."""
        return (float(self.reward.min()), float(self.reward.max())) if len(self.events) else (0, 0)

    @functools.cached_property
    def G(self) -> NDArray[np.float64]:
        """The multiplier of every event; thresholds such as q0.75 are computed from it."""
        return self.bins.counts[self.bins.of].astype(np.float64)

    @functools.cached_property
    def lowest_G(self) -> float:
        """The smallest G of any event."""
        return float(self.bins.counts.min()) if len(self.events) else 1.0

    @functools.cached_property
    def pool_events(self) -> NDArray[np.int64]:
        """How many events each pool has."""
        return np.bincount(self.pool, minlength=len(self.pools))

    def propensity(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probability with which the arm of each of these events was shown."""
        return self.events.take(rows).display_probability

    def columns(self, thin: bool = False) -> LogColumns:
        """As compiled code takes them: contiguous, writable, of the types it knows."""
        events, bins, pools = self.events, self.bins, self.pools
        propensity = lowest = np.zeros(0)
        if thin:
            propensity = np.require(events.display_probability, np.float64, ["C", "W"])
            lowest = np.full(max(1, len(pools)), np.inf)
            studied = self.studied[events.arm]
            np.minimum.at(lowest, self.pool[studied], propensity[studied])
        columns: tuple[tuple[NDArray[Any], type], ...] = (
            (events.arm, np.int32),
            (self.pool, np.int32),
            (bins.of, np.int32),
            (bins.counts, np.float64),
            (bins.clock, np.int64),
            (pools.offsets, np.int64),
            (pools.members, np.int32),
            (self.studied, np.bool_),
        )
        ready = [np.require(values, kind, ["C", "W"]) for values, kind in columns]
        return LogColumns._make([*ready, self.reward, propensity, lowest])

    def lifetimes(
        self, first: int, last: int, known: bool = True, by_end: bool = False
    ) -> LogLifetimes:
        """The arms' lifetimes in a run from clock `first`, its own clock's 1, to clock `last`.

        Where ends are not `known`, the policy assumes the end of the run.  Arms are scored by the G
        of their whole lifetime, or `by_end`, which ranks them by the time left.
        """
        start = np.where(self.start <= first, 0, self.start - first + 1)
        # Nothing is known of arms that are not studied, never available, or gone before the run.
        hidden = ~self.studied | (self.start == 0) | (self.end < first)
        end = np.where(hidden, NO_END, self.end - first + 1)
        expected = np.minimum(self.end, last) if known else np.full_like(self.end, last)
        if by_end:
            score = (expected - first + 1).astype(np.float64)
        else:
            score = self.bins.weight(np.maximum(self.start, first), expected)
        known_end = end.copy() if known else np.full_like(end, UNKNOWN_END)
        return LogLifetimes(start, known_end, end, score)


def _check_values(events: Events) -> None:
    """Reject rewards that would spoil every sum, and propensities that would spoil every weight."""
    rules = {"rewards must be finite; the reward": (events.reward, np.isfinite(events.reward))}
    if (p := events.propensity) is not None:
        rules["propensities must be above 0 and at most 1; the propensity"] = p, (p > 0) & (p <= 1)
    for rule, (values, valid) in rules.items():
        if not valid.all():
            wrong = int(np.argmin(valid))
            raise ValueError(f"{rule} of event {wrong + 1} is {values[wrong]}")


def _studied(events: Events, arms: Sequence[str] | None) -> NDArray[np.bool_]:
    if arms is None:
        return np.ones(len(events.arms), np.bool_)
    chosen = [arms] if isinstance(arms, str) else arms
    known = set(events.arms)
    unknown = next((name for name in chosen if name not in known), None)
    if unknown is not None:
        hint = did_you_mean(unknown, events.arms)
        raise ValueError(f"the log has no arm {unknown!r}. {hint}")
    if not chosen:
        raise ValueError("arms is empty: name the arms to study, or leave it out to study all")
    return np.isin(events.arms, chosen)


def _studied_pools(events: Events, studied: NDArray[np.bool_]) -> tuple[NDArray[np.int32], Pools]:
    """The pools with only the studied arms, each set once, and the index of each event's pool."""
    if studied.all():
        return np.require(events.pool, np.int32, ["C", "W"]), events.pools
    kept = [pool[studied[pool]] for pool in (events.pools[p] for p in range(len(events.pools)))]
    index: dict[bytes, int] = {}
    of = np.array([index.setdefault(pool.tobytes(), len(index)) for pool in kept], np.int32)
    return of[events.pool], Pools.of(np.frombuffer(key, np.int32).tolist() for key in index)


@dataclass(frozen=True)
class LogFile:
    """An event table in a file, and what of it is replayed.

    Attributes:
        path: The file, as workers see it too.
        bin: As in `replay`.
        arms: The ids of the arms to study; "always" for those in every pool; all if None.
        between: Use only events from the first to the second of these times.
    """

    path: str | os.PathLike[str]
    bin: float = 1
    arms: tuple[str, ...] | str | None = None
    between: tuple[int, int] | None = None

    def read(self) -> PreparedLog:
        """Read the file and prepare the log."""
        events, arms = read_events(Path(self.path)), self.arms
        try:
            if self.between is not None:
                whole, events = events, events.between(*self.between)
                if len(events) == 0 and len(whole) > 0:  # a mistake, not a result
                    start, end = map(moment, self.between)
                    first, last = (moment(int(t)) for t in (whole.time.min(), whole.time.max()))
                    raise ValueError(
                        f"no event between {start} and {end}: the log goes from {first} to {last}"
                    )
            if arms == "always":
                arms = always_on_offer(events)
                if not arms:
                    raise ValueError(
                        "no arm is on offer in every event, so arms='always' leaves none: cut the "
                        "log with between="
                    )
            return PreparedLog.of(events, self.bin, arms)
        except ValueError as reason:
            raise ValueError(f"{self.path}: {reason}") from reason


_reading = threading.Lock()


@functools.lru_cache(_KEPT)
def _read(file: LogFile, _version: tuple[int, int]) -> PreparedLog:
    return file.read()


def cached(file: LogFile) -> PreparedLog:
    """The log of a file, read once for all policies that replay it one after the other."""
    try:
        status = Path(file.path).stat()
    except OSError:
        return file.read()  # which says what is wrong
    with _reading:  # other threads wait for the log that one of them reads
        return _read(file, (status.st_mtime_ns, status.st_size))


@contextmanager
def forgetting_files() -> Iterator[None]:
    """Let go of all logs that were read, at the end."""
    try:
        yield
    finally:
        _read.cache_clear()
