"""Pool games: the arms stay sorted.

The arm played is known by its rank, and after the pull only that arm can be out of order: it is
moved up or down until the order is right again, which is seldom far.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from highseason.core.jitable import inlined, jitable
from highseason.core.random import DECISION, draw, turn_key
from highseason.engine.kernels.turns import (
    Floats,
    Ints,
    Turns,
    next_checkpoint,
    play_each_arm_once,
    play_portion,
    record,
    write_totals,
)


class PoolScratch(NamedTuple):
    """Sums and pulls by arm; `order` holds the arms by rank, `ranked` their means in that order."""

    sums: Floats
    pulls: Floats
    ranked: Floats
    order: Ints


def pool_scratch(arms: int) -> PoolScratch:
    """Memory for one game at a time; its content is undefined."""
    return PoolScratch(np.empty(arms), np.empty(arms), np.empty(arms), np.empty(arms, np.int64))


@jitable
def restore_order(order: Ints, ranked: Floats, rank: int) -> None:
    """Move the entry at `rank` to where it belongs; equal means: the lower arm first."""
    arm, mean = order[rank], ranked[rank]
    while rank > 0 and (
        ranked[rank - 1] < mean or (ranked[rank - 1] == mean and order[rank - 1] > arm)
    ):
        order[rank], ranked[rank] = order[rank - 1], ranked[rank - 1]
        rank -= 1
    last = order.size - 1
    while rank < last and (
        ranked[rank + 1] > mean or (ranked[rank + 1] == mean and order[rank + 1] < arm)
    ):
        order[rank], ranked[rank] = order[rank + 1], ranked[rank + 1]
        rank += 1
    order[rank], ranked[rank] = arm, mean


@inlined
def pool_game(
    turns: Turns,
    quantile: Callable[..., float],
    game: int,
    parameters: Floats,
    true_means: Floats,
    out: Floats,
    trace: Floats,
    scratch: PoolScratch,
) -> None:
    """Play one game."""
    sums, pulls, ranked, order = scratch
    arms = sums.size
    G, rewards = turns.G, turns.rewards
    totals, passed, best = play_each_arm_once(
        turns, quantile, game, parameters, true_means, trace, sums
    )
    best_mean, due = true_means[best], next_checkpoint(turns.checkpoints, passed)
    for arm in range(arms):
        pulls[arm], order[arm], ranked[arm] = 1.0, arm, sums[arm]
        restore_order(order[: arm + 1], ranked, arm)
    for i in range(arms, G.size):
        key = turn_key(game, i + 1)
        size = min(int(turns.levels[i]), arms)
        greedy = size <= 1
        rank = 0 if greedy else min(int(draw(key, DECISION) * size), size - 1)
        arm = order[rank]
        gap = best_mean - true_means[arm]
        value, totals = play_portion(
            rewards, quantile, key, parameters[arm], i + 1, G[i], gap, greedy, totals
        )
        if i + 1 == due:
            passed = record(trace, passed, totals)
            due = next_checkpoint(turns.checkpoints, passed)
        sums[arm] += value
        pulls[arm] += 1.0
        ranked[rank] = sums[arm] / pulls[arm]
        restore_order(order, ranked, rank)
    write_totals(out, totals, pulls[best] if best < G.size else 0.0)
