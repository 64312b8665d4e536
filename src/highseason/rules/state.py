"""What a rule sees: the statistics of each arm, and the turn it is asked about.

Both are plain tuples of arrays and scalars, so the same rule runs as Python in `play` and `Bandit`
and as machine code in `simulate`.  Arms are numbered from 0 in here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: The expiry of an arm that is known to stay for ever, and of one of which nobody knows the end.
NO_END = 2**62
UNKNOWN_END = NO_END - 1


class State(NamedTuple):
    """What is known of the arms: one entry per arm, but for `shared`.

    Attributes:
        decided: How often each arm was chosen; rewards may come late.
        pulls: How many rewards its estimate rests on; a fraction where old ones are forgotten.
        sums: The sum of those rewards.
        available: Whether it may be played now.
        birth: Its first turn by the turn's `clock`; 0 for those that were there from the start.
        expiry: Its last turn by that clock; `NO_END` if it stays, `UNKNOWN_END` where nobody
            knows.
        weight: How much exploring it is worth, as the rule's `weigh` last said.
        memory: The rule's own numbers, a row for each arm.
        shared: The rule's own numbers about the whole game.
    """

    decided: NDArray[np.int64]
    pulls: NDArray[np.float64]
    sums: NDArray[np.float64]
    available: NDArray[np.bool_]
    birth: NDArray[np.int64]
    expiry: NDArray[np.int64]
    weight: NDArray[np.float64]
    memory: NDArray[np.float64]
    shared: NDArray[np.float64]


class Turn(NamedTuple):
    """The turn a rule decides.

    Attributes:
        t: Its number, from 1.
        level: The plan's exploration level.
        key: Where its random numbers begin.
        random_ties: Whether equals are drawn by lot.
        clock: What births and expiries are counted in: the turn itself in a game, the bin of time
            in a replayed log.
    """

    t: int
    level: float
    key: int
    random_ties: bool
    clock: int


def fresh_state(arms: int, memory: int = 0, shared: int = 0) -> State:
    """The state before the first turn: every arm there from the start, for ever, untried."""
    return State(
        decided=np.zeros(arms, np.int64),
        pulls=np.zeros(arms, np.float64),
        sums=np.zeros(arms, np.float64),
        available=np.ones(arms, np.bool_),
        birth=np.zeros(arms, np.int64),
        expiry=np.full(arms, NO_END, np.int64),
        weight=np.ones(arms, np.float64),
        memory=np.zeros((arms, memory), np.float64),
        shared=np.zeros(shared, np.float64),
    )
