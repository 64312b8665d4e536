"""A log made ready to be replayed: G, the clock, the pools that are studied, lifetimes.

All of it is settled once, on the whole log given.  Runs over parts of it (windows, repetitions)
share it, so that G is what the *log* had, however often its records are played.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.logs.arm_lifespans import pool_lifetimes
from highseason.logs.events import Events
from highseason.logs.pools import Pools
from highseason.replay.bins import Bins
from highseason.replay.kernels.records import Lifetimes
from highseason.rules import NO_END, UNKNOWN_END

if TYPE_CHECKING:
    from highseason.replay.result import LogSummary


@dataclass(frozen=True, eq=False)
class PreparedLog:
    """What all policies that replay a log share.

    Attributes:
        events: The log.
        bins: Its time in bins, with G.
        studied: Which arms are studied.
        pool: For each event, the number of its pool among `pools`.
        pools: The sets of studied arms that were on offer, each once.
        born: The clock at which each arm is first in a pool; 0 if it never is.
        died: … and last.
    """

    events: Events
    bins: Bins
    studied: NDArray[np.bool_]
    pool: NDArray[np.int32]
    pools: Pools
    born: NDArray[np.int64]
    died: NDArray[np.int64]

    @classmethod
    def of(cls, events: Events, bin: float = 1, arms: Sequence[str] | None = None) -> PreparedLog:  # noqa: A002  # the word users know
        """Prepare a log.

        Args:
            events: The log.
            bin: The length of a bin of time in the log's unit; G is the number of events in it.
            arms: The ids of the arms to study; all if None.
        """
        _check_numbers(events)
        bins = Bins.cut(events.time, bin)
        studied = _studied(events, arms)
        pool, pools = _studied_pools(events, studied)
        born, died = pool_lifetimes(events, bins.clock[bins.of])
        return cls(events, bins, studied, pool, pools, born, died)

    @functools.cached_property
    def reward(self) -> NDArray[np.float64]:
        """The rewards as numbers."""
        return np.require(self.events.reward, np.float64, ["C", "W"])

    @functools.cached_property
    def reward_range(self) -> tuple[float, float]:
        """The least and the greatest reward of any event."""
        return (float(self.reward.min()), float(self.reward.max())) if len(self.events) else (0, 0)

    @functools.cached_property
    def G(self) -> NDArray[np.float64]:
        """The multiplier of every event: what rules on G such as q0.75 are read from."""
        return self.bins.G

    @functools.cached_property
    def lowest(self) -> float:
        """The least G of any event."""
        return float(self.bins.counts.min()) if len(self.events) else 1.0

    @functools.cached_property
    def pool_events(self) -> NDArray[np.int64]:
        """How many events each pool has."""
        return np.bincount(self.pool, minlength=len(self.pools))

    @functools.cached_property
    def facts(self) -> LogSummary:
        """What the log is worth, whoever replays it; worked out once."""
        from highseason.replay.result import LogSummary
        from highseason.replay.uniformity import check_uniformity

        return LogSummary.of(self, check_uniformity(self))

    def chance(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The chances with which the arms of some events were shown."""
        if self.events.propensity is not None:
            return self.events.propensity[rows]
        return np.asarray(1.0 / self.events.pools.sizes[self.events.pool[rows]])

    def lifetimes(
        self, first: int, last: int, known: bool = True, by_expiry: bool = False
    ) -> Lifetimes:
        """The lifetimes of arms in a run from clock `first` to clock `last` of the log.

        Args:
            first: The first bin; the run's own clock is 1 there.
            last: The last bin.
            known: Whether the policy knows when an arm will die; if not, it reckons with the end
                of the run.
            by_expiry: Score by expiry, which ranks as what is left of a life does, instead of by
                the G of the whole life.
        """
        birth = np.where(self.born <= first, 0, self.born - first + 1)
        # Nothing is known of arms that are not studied, never on offer, or gone before the run.
        hidden = ~self.studied | (self.born == 0) | (self.died < first)
        death = np.where(hidden, NO_END, self.died - first + 1)
        ends = np.minimum(self.died, last) if known else np.full_like(self.died, last)
        if by_expiry:
            score = (ends - first + 1).astype(np.float64)
        else:
            score = self.bins.weight(np.maximum(self.born, first), ends)
        expiry = death.copy() if known else np.full_like(death, UNKNOWN_END)
        return Lifetimes(birth, expiry, death, score)


def _check_numbers(events: Events) -> None:
    """Refuse rewards that would spoil every sum, and chances that would spoil every weight."""
    if events.reward.dtype.kind == "f" and not np.isfinite(events.reward).all():
        wrong = int(np.flatnonzero(~np.isfinite(events.reward))[0])
        raise ValueError(f"the reward of event {wrong + 1} is {events.reward[wrong]}, not a number")
    chance = events.propensity
    if chance is not None and not ((chance > 0) & (chance <= 1)).all():
        wrong = int(np.flatnonzero(~((chance > 0) & (chance <= 1)))[0])
        raise ValueError(
            f"the propensity of event {wrong + 1} is {chance[wrong]}, not above 0 and at most 1"
        )


def _studied(events: Events, arms: Sequence[str] | None) -> NDArray[np.bool_]:
    if arms is None:
        return np.ones(len(events.arms), np.bool_)
    if isinstance(arms, str):
        arms = [arms]
    number = {name: i for i, name in enumerate(events.arms)}
    unknown = [name for name in arms if name not in number]
    if unknown:
        raise ValueError(f"the log has no arm {unknown[0]!r}; it has {_some(events.arms)}")
    if not arms:
        raise ValueError("no arm is to be studied: name some, or leave arms out to study all")
    studied = np.zeros(len(events.arms), np.bool_)
    studied[[number[name] for name in arms]] = True
    return studied


def _some(arms: Sequence[str]) -> str:
    shown = ", ".join(arms[:4])
    return f"{shown} and {len(arms) - 4} more" if len(arms) > 4 else shown or "none"


def _studied_pools(events: Events, studied: NDArray[np.bool_]) -> tuple[NDArray[np.int32], Pools]:
    """The pools with the studied arms alone, each set once, and the number of each event's."""
    if studied.all():
        return np.require(events.pool, np.int32, ["C", "W"]), events.pools
    kept = [pool[studied[pool]] for pool in (events.pools[p] for p in range(len(events.pools)))]
    kinds: dict[bytes, int] = {}
    number = np.array([kinds.setdefault(pool.tobytes(), len(kinds)) for pool in kept], np.int32)
    return number[events.pool], Pools.of(np.frombuffer(key, np.int32).tolist() for key in kinds)


def columns(course: PreparedLog) -> dict[str, Any]:
    """The columns as compiled code takes them: contiguous, writable, of the types it knows."""
    events, bins = course.events, course.bins
    as_is = {
        "arm": (events.arm, np.int32),
        "pool": (course.pool, np.int32),
        "bin": (bins.of, np.int32),
        "bin_weight": (bins.counts, np.float64),
        "bin_clock": (bins.clock, np.int64),
        "offsets": (course.pools.offsets, np.int64),
        "members": (course.pools.members, np.int32),
        "studied": (course.studied, np.bool_),
    }
    ready = {name: np.require(values, kind, ["C", "W"]) for name, (values, kind) in as_is.items()}
    return {**ready, "reward": course.reward}
