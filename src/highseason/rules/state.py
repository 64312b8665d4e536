"""What a rule sees: the statistics of each arm, and the turn it is asked about.

Both are plain tuples of arrays and scalars, so the same rule runs as Python in `play` and `Bandit`
and as machine code in `simulate`.  Arms are numbered from 0 in here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: The expiry of an arm that never dies.
NEVER = 2**62


class State(NamedTuple):
    """One entry per arm.  `decided` counts choices, `pulls` observations: rewards may come late."""

    decided: NDArray[np.int64]
    pulls: NDArray[np.int64]
    sums: NDArray[np.float64]
    available: NDArray[np.bool_]
    birth: NDArray[np.int64]
    expiry: NDArray[np.int64]
    weight: NDArray[np.float64]
    memory: NDArray[np.float64]


class Turn(NamedTuple):
    """The turn a rule decides: its number (from 1), what the plan says, and its random numbers."""

    t: int
    number: float
    key: int
    random_ties: bool


def fresh_state(arms: int, memory: int = 0) -> State:
    """The state before the first turn: every arm there from the start, for ever, untried."""
    return State(
        decided=np.zeros(arms, np.int64),
        pulls=np.zeros(arms, np.int64),
        sums=np.zeros(arms, np.float64),
        available=np.ones(arms, np.bool_),
        birth=np.zeros(arms, np.int64),
        expiry=np.full(arms, NEVER, np.int64),
        weight=np.ones(arms, np.float64),
        memory=np.zeros((arms, memory), np.float64),
    )
