"""ε games: the leader is kept, not searched for.

`leader` stays as long as it beats `(rival_mean, rival)`, which no other arm can beat; a pull of any
arm is checked against these two alone.  Only when the leader falls behind its rival must the best
arm be found anew: the arms are the leaves of a tournament in which each inner node holds the better
of its two children (equal arms: the lower one), and only the arms pulled since the last search play
their matches again.  So a turn costs the same whatever the number of arms, but for a walk of
log2(arms) steps now and then.
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
def build(tree: NDArray[np.int64], means: NDArray[np.float64]) -> None:
    """Fill the tournament bottom-up; leaves beyond the last arm hold -inf."""
    size = tree.size // 2
    for leaf in range(size):
        tree[size + leaf] = leaf
    for node in range(size - 1, 0, -1):
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if means[left] >= means[right] else right


@jitable
def replay_matches(tree: NDArray[np.int64], means: NDArray[np.float64], arm: int) -> None:
    """After `arm` changed: play its matches again, up to the first one it has no part in."""
    node = (tree.size // 2 + arm) // 2
    while node > 0:
        left, right = tree[2 * node], tree[2 * node + 1]
        winner = left if means[left] >= means[right] else right
        if winner == tree[node] and winner != arm:
            return
        tree[node] = winner
        node //= 2


@jitable
def refresh(
    tree: NDArray[np.int64], means: NDArray[np.float64], pulled: NDArray[np.int64], count: int
) -> None:
    """Bring the tournament up to date after `count` pulls; a full list means too many to replay."""
    if count == pulled.size:
        build(tree, means)
    else:
        for i in range(count):
            replay_matches(tree, means, pulled[i])


@jitable
def second_best(tree: NDArray[np.int64], means: NDArray[np.float64]) -> int:
    """The best of those whom the winner beat on its way up."""
    node = tree.size // 2 + tree[1]
    rival = -1
    while node > 1:
        beaten = tree[node ^ 1]
        if (
            rival < 0
            or means[beaten] > means[rival]
            or (means[beaten] == means[rival] and beaten < rival)
        ):
            rival = beaten
        node //= 2
    return rival


def epsilon_kernel(
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
    size = 2
    while size < arms:
        size *= 2
    tree = np.zeros(2 * size, np.int64)
    means = np.empty(size)
    for leaf in range(size):
        means[leaf] = -np.inf
    sums, pulls = np.zeros(arms), np.zeros(arms)
    pulled = np.zeros(arms, np.int64)
    for game in range(keys.size):
        start, mine, gap = keys[game], parameters[game], gaps[game]
        reward, regret, mark = first_round(stage, quantile, start, mine, gap, sums, trace[game])
        exploited, count, due = 0.0, 0, next_checkpoint(checkpoints, mark)
        for arm in range(arms):
            pulls[arm], means[arm] = 1.0, sums[arm]
        build(tree, means)
        leader, rival = tree[1], second_best(tree, means)
        rival_mean = means[rival]
        for i in range(arms, turns):
            key = turn_key(start, i + 1)
            epsilon = numbers[i]
            coin = draw(key, DECISION) if epsilon > 0.0 else 1.0
            greedy = coin >= epsilon
            arm = leader if greedy else min(int(coin / epsilon * arms), arms - 1)
            x = pay(law, quantile, key, mine[arm])
            paid = G[i] * x
            sums[arm] += learn(law, x, paid, worth[i], G[i])
            pulls[arm] += 1.0
            mean = sums[arm] / pulls[arm]
            means[arm] = mean
            ahead = mean > rival_mean or (mean == rival_mean and arm < rival)
            if arm != leader or not ahead:
                if count < arms:
                    pulled[count] = arm
                    count += 1
                if arm == leader:
                    refresh(tree, means, pulled, count)
                    leader, rival = tree[1], second_best(tree, means)
                    rival_mean, count = means[rival], 0
                elif ahead:
                    top = means[leader]
                    if mean > top or (mean == top and arm < leader):
                        leader, rival, rival_mean = arm, leader, top
                    else:
                        rival, rival_mean = arm, mean
            reward += paid
            regret += G[i] * gap[arm]
            exploited += paid if greedy else 0.0
            if i + 1 == due:
                write_running(trace, game, mark, reward, regret)
                mark += 1
                due = next_checkpoint(checkpoints, mark)
        best = best_arm(gap)
        write_totals(out, game, reward, regret, exploited, pulls[best] if best < turns else 0.0)
