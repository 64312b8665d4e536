"""The pool rule: an arm at random among the m_t arms with the highest estimates."""

from __future__ import annotations

import numpy as np

from highseason.core.jitable import jitable
from highseason.core.random import DECISION, TIES, draw, place
from highseason.rules.ranking import estimate, leader, untried
from highseason.rules.rule import Rule
from highseason.rules.state import State, Turn


@jitable
def choose(state: State, turn: Turn) -> tuple[int, bool]:
    """Draw a rank below m_t, and play the arm of that rank."""
    first = untried(state)
    if first >= 0:
        return first, False
    if turn.number <= 1.0:
        return leader(state, turn), True
    order = best_first(state, turn)
    size = min(int(turn.number), order.size)
    rank = min(int(draw(turn.key, DECISION) * size), size - 1)
    return int(order[rank]), False


@jitable
def best_first(state: State, turn: Turn):  # type: ignore[no-untyped-def]  # numba forbids subscripts
    """The available arms by falling estimate; arms not yet observed come last."""
    arms = np.nonzero(state.available)[0]
    if turn.random_ties:
        lots = np.empty(arms.size, np.float64)
        for i in range(arms.size):
            lots[i] = draw(place(turn.key, TIES), int(arms[i]))
        arms = arms[np.argsort(lots, kind="mergesort")]
    values = np.empty(arms.size, np.float64)
    for i in range(arms.size):
        values[i] = -estimate(state, arms[i]) if state.pulls[arms[i]] > 0 else np.inf
    return arms[np.argsort(values, kind="mergesort")]


def intensity(size: float, t: int, arms: int) -> float:
    """How much of the way the pool is from one arm to all of them."""
    return (size - 1.0) / (arms - 1.0) if arms > 1 else 0.0


POOL = Rule("pool", choose, intensity)
