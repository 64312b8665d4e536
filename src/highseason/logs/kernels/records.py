"""What the compiled replay reads and writes: plain tuples of arrays and numbers."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

#: What became of an event, as positions in an array of counts.
NOT_STUDIED, NOT_IN_POOL, THINNED, WAITING, OTHER_ARM, MATCHED = 0, 1, 2, 3, 4, 5
#: Two more counts: events on which the rule chose, and events skipped while it did.
ASKED, SKIPPED = 6, 7
COUNTS = 8

#: What a matched turn was.
EXPLORED, EXPLOITED, TRIED = 0, 1, 2
#: How long a rule's choice can be reused.  Never; until an arm, the pool, the level or the clock
#: changes (index rules); or, for the leading arm, until an arm or the pool changes: on every event
#: whose coin says exploit (the ε rule), or while the pool holds one arm (the pool rule).
NEVER_KEPT, INDEX, COIN, SMALL_POOL = 0, 1, 2, 3

_IN_ORDER = np.zeros(0, np.int64)


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


class RecordOrder(NamedTuple):
    """Which events a run reads, in which order: `order`, or `first + i % length` if it is empty.

    >>> RecordOrder.whole(3, times=2).rows().tolist(), RecordOrder.window(5, 2).rows().tolist()
    ([0, 1, 2, 0, 1, 2], [5, 6])
    """

    first: int
    length: int
    records: int
    order: NDArray[np.int64]

    @classmethod
    def whole(cls, records: int, times: int = 1) -> Self:
        """A log of `records` events in its own order, `times` times over."""
        return cls(0, max(1, records), records * times, _IN_ORDER)

    @classmethod
    def window(cls, first: int, length: int) -> Self:
        """`length` events from `first` on."""
        return cls(first, max(1, length), length, _IN_ORDER)

    @classmethod
    def shuffled(cls, order: NDArray[np.int64]) -> Self:
        """The events in an order of your own."""
        return cls(0, max(1, order.size), order.size, np.require(order, np.int64, ["C", "W"]))

    def rows(self, positions: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """The rows of the log at some positions of the run; at all of them if None."""
        at = np.arange(self.records) if positions is None else positions
        return self.order[at] if self.order.size else self.first + at % self.length

    def covers(self, records: int) -> bool:
        """Whether the run reads every event of a log in its own order."""
        return self.order.size == 0 and self.length == records


class KernelOptions(NamedTuple):
    """How one run is played."""

    key: int  # of the run's random numbers
    start: int  # the log's clock at which the clock of the run is 1
    turns: int  # stop after this many matched turns
    lowest: float  # the smallest G of the log
    scale: float  # the factor of the weights that `Rule.set_weights` computes
    low: float  # the smallest level the rule accepts
    high: float  # the largest
    first_shown: bool  # whether any untried arm counts where the rule asks for an untried one
    initial_arms: int  # how many arms of the first pool are tried before the rule chooses at all
    random_ties: bool  # whether ties are broken at random
    scaled: bool  # whether rewards are learnt multiplied by G
    compact: bool  # whether the rule may be shown only the arms of the pool
    keeps: int  # how long a choice can be reused: one of the constants above


class ReplayTrace(NamedTuple):
    """What a run leaves behind."""

    matched: NDArray[np.int64]  # the position in the run of each matched event, from 0
    kind: NDArray[np.uint8]  # whether that turn explored, exploited, or tried an arm
    counts: NDArray[np.int64]  # what became of the events
    #: The turn, the arm (-1 if the plan failed) and the level at which a rule or plan broke its
    #: contract; turn 0 if none did.
    failure: NDArray[np.float64]

    @classmethod
    def empty(cls, records: int) -> Self:
        """Room for a run over `records` events; memory is used only as turns match."""
        places = np.empty(records, np.int64), np.empty(records, np.uint8)
        return cls(*places, np.zeros(COUNTS, np.int64), np.zeros(3))

    def trimmed(self) -> Self:
        """Only the turns that matched."""
        turns = int(self.counts[MATCHED])
        return self._replace(matched=self.matched[:turns].copy(), kind=self.kind[:turns].copy())


class Scratch(NamedTuple):
    """Working memory of one run, one entry per arm of the log."""

    shown: NDArray[np.bool_]  # whether the run shows the arm, out of a pool that holds it
    opening: NDArray[np.bool_]  # whether it is tried before the rule chooses at all
    marked: NDArray[np.bool_]  # the same, by position in the state that the rule sees
    slot: NDArray[np.int64]  # its position in that state; -1 while it is not in the pool
    held: NDArray[np.int64]  # the arms of the current pool
    scores: NDArray[np.float64]  # their lifetime scores

    @classmethod
    def of(cls, arms: int) -> Self:
        """Memory for a log of so many arms."""
        shown, opening, marked = np.zeros((3, arms), np.bool_)
        slot = np.full(arms, -1, np.int64)
        return cls(shown, opening, marked, slot, np.zeros_like(slot), np.zeros(arms))
