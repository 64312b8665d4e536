"""The pool rule: an arm at random among the m_t arms with the highest estimates."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import DECISION, TIES, draw, hash_at
from highseason.engine.arms import ArmState
from highseason.engine.turn import Turn
from highseason.rules.ranking import (
    estimate,
    estimates,
    leader,
    leader_probabilities,
    untried,
    untried_probabilities,
)
from highseason.rules.rule import Rule


@jitable
def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """Draw a rank below m_t, and play the arm of that rank."""
    first = untried(state)
    if first >= 0:
        return first, False
    if turn.level <= 1.0:
        return leader(state, turn), True
    order = best_first(state, turn)
    size = min(int(turn.level), order.size)
    rank = min(int(draw(turn.key, DECISION) * size), size - 1)
    return int(order[rank]), False


@jitable
def best_first(state: ArmState, turn: Turn):  # type: ignore[no-untyped-def]  # numba forbids subscripts
    """The available arms by falling estimate; arms not yet observed come last."""
    arms = np.nonzero(state.available)[0]
    if turn.random_ties:
        lots = np.empty(arms.size, np.float64)
        for i in range(arms.size):
            lots[i] = draw(hash_at(turn.key, TIES), int(arms[i]))
        arms = arms[np.argsort(lots, kind="mergesort")]
    values = np.empty(arms.size, np.float64)
    for i in range(arms.size):
        values[i] = -estimate(state, arms[i]) if state.pulls[arms[i]] > 0 else np.inf
    return arms[np.argsort(values, kind="mergesort")]


def intensity(
    sizes: NDArray[np.float64], turns: NDArray[np.int64], arms: int
) -> NDArray[np.float64]:
    """How much of the way the pool is from one arm to all of them."""
    return (sizes - 1.0) / max(arms - 1.0, 1.0)


def probabilities(state: ArmState, turn: Turn) -> NDArray[np.float64]:
    """The same for every arm in the pool; equals at its edge share the places left there."""
    first = untried_probabilities(state)
    if first is not None:
        return first
    if turn.level <= 1.0:
        return leader_probabilities(state, turn)
    order = best_first(state, turn)
    size = min(int(turn.level), order.size)
    out = np.zeros(state.available.size)
    out[order[:size]] = 1.0
    if turn.random_ties:
        values = estimates(state)
        edge = state.available & (values == values[order[size - 1]])
        out[edge] = out[edge].sum() / edge.sum()
    return np.asarray(out / size)


def negligible(sizes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """A pool of one."""
    return sizes < 2.0


POOL = Rule(
    "pool",
    choose,
    intensity,
    negligible=negligible,
    allowed=(1.0, math.inf),
    probabilities=probabilities,
)
