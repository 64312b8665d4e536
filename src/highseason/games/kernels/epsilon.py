"""ε games: the leader is kept, not searched for.

The arms are the leaves of a tournament: each inner node holds the better of its two children (equal
arms: the lower one), so the root is the leader.  A pull changes one leaf.  Most pulls leave the
tournament as it is, and are recognised without walking it: the leader stays as long as it beats
`(rival, rival_arm)`, which nobody else can beat.  A turn costs the same whatever the number of arms,
but for the rare walk of log2(arms) steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import DECISION, draw, turn_key
from highseason.games.kernels.stage import Stage, best_arm, pay
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
def find_rival(tree: NDArray[np.int64], means: NDArray[np.float64]) -> int:
    """The second best arm: the best of those the leader beat on its way up."""
    leader = tree[1]
    node = tree.size // 2 + leader
    rival = -1
    while node > 1:
        beaten = tree[node ^ 1]
        if rival < 0 or means[beaten] > means[rival]:
            rival = beaten
        elif means[beaten] == means[rival] and beaten < rival:
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
    arms, turns = parameters.shape[1], stage.G.size
    size = 2
    while size < arms:
        size *= 2
    tree = np.zeros(2 * size, np.int64)
    means = np.full(size, -np.inf)
    sums = np.zeros(arms)
    pulls = np.zeros(arms)
    for game in range(keys.size):
        reward, regret, exploited, mark = 0.0, 0.0, 0.0, 0
        leader, rival, rival_mean = 0, 0, 0.0
        for i in range(turns):
            key = turn_key(keys[game], i + 1)
            greedy = False
            if i < arms:
                arm = i
                sums[arm], pulls[arm] = 0.0, 0.0
            else:
                if i == arms:
                    build(tree, means)
                    leader, rival = tree[1], find_rival(tree, means)
                    rival_mean = means[rival]
                epsilon = stage.numbers[i]
                coin = draw(key, DECISION) if epsilon > 0.0 else 1.0
                if coin < epsilon:
                    arm = min(int(coin / epsilon * arms), arms - 1)
                else:
                    arm, greedy = leader, True
            x = pay(stage, quantile, key, parameters[game, arm])
            paid = stage.G[i] * x
            sums[arm] += paid / stage.divisor[i]
            pulls[arm] += 1.0
            mean = sums[arm] / pulls[arm]
            means[arm] = mean
            if i >= arms:
                beats_rival = mean > rival_mean or (mean == rival_mean and arm < rival)
                if arm == leader:
                    if not beats_rival:
                        replay_matches(tree, means, arm)
                        leader, rival = tree[1], find_rival(tree, means)
                        rival_mean = means[rival]
                else:
                    replay_matches(tree, means, arm)
                    if tree[1] != leader:
                        leader, rival = tree[1], find_rival(tree, means)
                        rival_mean = means[rival]
                    elif beats_rival:
                        rival, rival_mean = arm, mean
            reward += paid
            regret += stage.G[i] * gaps[game, arm]
            if greedy:
                exploited += paid
            if mark < stage.checkpoints.size and stage.checkpoints[mark] == i + 1:
                trace[game, mark, 0] = reward
                trace[game, mark, 1] = regret
                mark += 1
        out[game, 0] = reward
        out[game, 1] = regret
        out[game, 2] = exploited
        best = best_arm(gaps[game])
        out[game, 3] = pulls[best] if best < turns else 0.0
