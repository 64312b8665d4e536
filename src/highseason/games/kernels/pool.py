"""Pool games: the arms stay sorted.

The arm played is known by its rank, and after the pull only that arm can be out of order: it is
moved up or down until the order is right again, which is seldom far.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import DECISION, draw, turn_key
from highseason.games.kernels.law import learn, pay
from highseason.games.kernels.stage import (
    Stage,
    best_arm,
    first_round,
    next_checkpoint,
    write_running,
    write_totals,
)
from highseason.rewards.model import Quantile


@jitable
def resolve_thresholds(order: NDArray[np.int64], ranked: NDArray[np.float64], rank: int) -> None:
    """Move the entry at `rank` to its place; `ranked` holds the means in the order of `order`."""
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


def pool_kernel(
    stage: Stage,
    quantile: Quantile,
    keys: NDArray[np.uint64],
    parameters: NDArray[np.float64],
    gaps: NDArray[np.float64],
    out: NDArray[np.float64],
    trace: NDArray[np.float64],
) -> None:
    """Play one game per key."""
    G, worth, numbers, checkpoints, law, _, _ = stage
    arms, turns = parameters.shape[1], G.size
    ranked, sums, pulls = np.zeros(arms), np.zeros(arms), np.zeros(arms)
    for game in range(keys.size):
        start, mine, gap = keys[game], parameters[game], gaps[game]
        reward, regret, mark = first_round(stage, quantile, start, mine, gap, sums, trace[game])
        exploited, due = 0.0, next_checkpoint(checkpoints, mark)
        for arm in range(arms):
            pulls[arm], ranked[arm] = 1.0, -sums[arm]
        order = np.argsort(ranked, kind="mergesort")
        for rank in range(arms):
            ranked[rank] = sums[order[rank]]
        for i in range(arms, turns):
            key = turn_key(start, i + 1)
            size = min(int(numbers[i]), arms)
            greedy = size <= 1
            rank = 0 if greedy else min(int(draw(key, DECISION) * size), size - 1)
            arm = order[rank]
            x = pay(law, quantile, key, mine[arm])
            paid = G[i] * x
            sums[arm] += learn(law, x, paid, worth[i], G[i])
            pulls[arm] += 1.0
            ranked[rank] = sums[arm] / pulls[arm]
            resolve_thresholds(order, ranked, rank)
            reward += paid
            regret += G[i] * gap[arm]
            exploited += paid if greedy else 0.0
            if i + 1 == due:
                write_running(trace, game, mark, reward, regret)
                mark += 1
                due = next_checkpoint(checkpoints, mark)
        best = best_arm(gap)
        write_totals(out, game, reward, regret, exploited, pulls[best] if best < turns else 0.0)
