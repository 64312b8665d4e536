"""What the compiled replay takes and gives, as plain tuples of arrays and numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Why a record was not used, or that it was; places in an array of counts.
OUTSIDE, UNLISTED, THINNED, INITIAL, DIFFERED, MATCHED = 0, 1, 2, 3, 4, 5
#: … and two more counts: records on which the rule chose, and those passed over while it did.
ASKED, PASSED = 6, 7
COUNTS = 8

#: What a matched turn was.
EXPLORED, EXPLOITED, TRIED = 0, 1, 2
#: When a choice stands.  Never; until an arm, the pool, the plan's number or the clock changes
#: (index rules); or, if it was the leader, until an arm or the pool changes: whenever the coin says
#: exploit (the ε rule), or a pool of one is drawn from (the pool rule).
NEVER_KEPT, INDEX, COIN, SMALL_POOL = 0, 1, 2, 3


class Log(NamedTuple):
    """The columns of a log, one entry an event, and its tables of bins and pools.

    `least` holds, for each pool, the smallest chance with which any of its arms was shown; it is
    empty unless records are to be thinned.
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
    chance: NDArray[np.float64]
    least: NDArray[np.float64]


class Lifetimes(NamedTuple):
    """When each arm is there, by the clock of one run, and what its life is worth.

    Attributes:
        birth: Its first bin; 0 for arms that were there in the run's first bin.
        expiry: Its last bin as the policy knows it; `UNKNOWN_END` where lifetimes are not known.
        death: Its last bin as it really is.
        score: What `Rule.set_weights` ranks arms by.
    """

    birth: NDArray[np.int64]
    expiry: NDArray[np.int64]
    death: NDArray[np.int64]
    score: NDArray[np.float64]


class Walk(NamedTuple):
    """Which events are met, in which order: `order`, or where it is empty `first + i % length`."""

    first: int
    length: int
    records: int
    order: NDArray[np.int64]


class Manner(NamedTuple):
    """How a policy is to be replayed.

    Attributes:
        key: Where the run's random numbers begin.
        start: The clock of the log at which the run's own is 1.
        turns: Stop after so many matched turns.
        lowest: The least G of the log.
        scale: What `Rule.set_weights` multiplies weights by.
        low: The least number a plan may hold.
        high: The greatest.
        first_shown: Whether any untried arm that is shown will do where the rule asks for one.
        initial_arms: How many arms of the first pool are tried before the rule is asked at all.
        random_ties: Whether equals are drawn by lot.
        scaled: Whether rewards are learnt multiplied by G.
        compact: Whether the rule may be shown the arms of the pool alone.
        keeps: When a choice stands without being asked for again: one of the words below.
    """

    key: int
    start: int
    turns: int
    lowest: float
    scale: float
    low: float
    high: float
    first_shown: bool
    initial_arms: int
    random_ties: bool
    scaled: bool
    compact: bool
    keeps: int


class Track(NamedTuple):
    """What a run leaves behind.

    Attributes:
        matched: For each matched turn, the number of its record in the run, from 0.
        kind: Whether that turn explored, exploited, or tried an arm for the first time.
        counts: How many records met which end.
    """

    matched: NDArray[np.int64]
    kind: NDArray[np.uint8]
    counts: NDArray[np.int64]
