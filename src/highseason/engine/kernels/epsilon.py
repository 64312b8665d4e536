"""ε games: the leader is kept, not searched for.

`leader` stays as long as it beats `(rival_mean, rival)`, which no other arm can beat; a pull of any
arm is compared with these two alone.  Only when the leader falls behind its rival must the best arm
be searched for again: the arms are the leaves of a tournament in which each inner node holds the
better of its two children (equal arms: the lower one), and only the arms pulled since the last
search replay their matches.  So a turn costs the same for any number of arms, except for an
occasional walk of log2(arms) steps.
"""

from __future__ import annotations

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
    play_turn,
    record,
    write_totals,
)


class EpsilonScratch(NamedTuple):
    """Sums and pulls by arm, means by leaf of the `tree`, and the arms pulled since its update."""

    sums: Floats
    pulls: Floats
    means: Floats
    tree: Ints
    pulled: Ints


def leaves(arms: int) -> int:
    """The leaves of a tournament of this many arms: a power of 2, at least 2."""
    return max(2, 1 << (arms - 1).bit_length())


def epsilon_scratch(arms: int) -> EpsilonScratch:
    """Memory for one game at a time; its content is undefined."""
    size, whole = leaves(arms), np.int64
    numbers = np.empty(arms), np.empty(arms), np.empty(size)
    return EpsilonScratch(*numbers, np.empty(2 * size, whole), np.empty(arms, whole))


@jitable
def build(tree: Ints, means: Floats) -> None:
    """Fill the tournament bottom-up; leaves beyond the last arm hold -inf."""
    size = tree.size // 2
    for leaf in range(size):
        tree[size + leaf] = leaf
    for node in range(size - 1, 0, -1):
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if means[left] >= means[right] else right


@jitable
def replay_matches(tree: Ints, means: Floats, arm: int) -> None:
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
def refresh(tree: Ints, means: Floats, pulled: Ints, count: int) -> None:
    """Bring the tournament up to date after `count` pulls; a full list is too long to replay."""
    if count == pulled.size:
        build(tree, means)
    else:
        for i in range(count):
            replay_matches(tree, means, pulled[i])


@jitable
def second_best(tree: Ints, means: Floats) -> int:
    """The best of the arms that the winner beat on its way up."""
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


@inlined
def epsilon_game(
    turns: Turns,
    quantile: Callable[..., float],
    game: int,
    parameters: Floats,
    true_means: Floats,
    out: Floats,
    trace: Floats,
    scratch: EpsilonScratch,
) -> None:
    """Play one game."""
    sums, pulls, means, tree, pulled = scratch
    arms, count = sums.size, 0
    G, learning_scale, levels, checkpoints, model, _, _ = turns
    totals, passed, best = play_each_arm_once(
        turns, quantile, game, parameters, true_means, trace, sums
    )
    best_mean, due = true_means[best], next_checkpoint(checkpoints, passed)
    for leaf in range(means.size):
        means[leaf] = sums[leaf] if leaf < arms else -np.inf
    for arm in range(arms):
        pulls[arm] = 1.0
    build(tree, means)
    leader, rival = tree[1], second_best(tree, means)
    rival_mean = means[rival]
    for i in range(arms, G.size):
        key = turn_key(game, i + 1)
        epsilon = levels[i]
        coin = draw(key, DECISION) if epsilon > 0.0 else 1.0
        greedy = coin >= epsilon
        arm = leader if greedy else min(int(coin / epsilon * arms), arms - 1)
        value, totals = play_turn(
            model, quantile, key, parameters[arm], i + 1, G[i], learning_scale[i],
            best_mean - true_means[arm], greedy, totals,
        )  # fmt: skip
        if i + 1 == due:
            passed = record(trace, passed, totals)
            due = next_checkpoint(checkpoints, passed)
        sums[arm] += value
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
    write_totals(out, totals, pulls[best] if best < G.size else 0.0)
