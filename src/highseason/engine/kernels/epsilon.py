"""ε games: the leader is kept, not searched for.

`leader` stays as long as it beats `(rival_mean, rival)`, which no other arm can beat; a pull of any
arm is compared with these two alone.  A leader that falls behind its rival hands over to it, and
becomes one of those that cannot beat it.  All arms are looked at only when the new leader falls,
too, or when the rival has fallen before: so a turn costs nearly the same for any number of arms.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from highseason.core.jitable import inlined, jitable
from highseason.core.random import DECISION, draw, turn_key
from highseason.engine.kernels.turns import (
    Floats,
    Turns,
    next_checkpoint,
    play_each_arm_once,
    play_portion,
    record,
    write_totals,
)


class EpsilonScratch(NamedTuple):
    """Sums, pulls and means by arm."""

    sums: Floats
    pulls: Floats
    means: Floats


def epsilon_scratch(arms: int) -> EpsilonScratch:
    """Memory for one game at a time; its content is undefined."""
    return EpsilonScratch(np.empty(arms), np.empty(arms), np.empty(arms))


@jitable
def two_best(means: Floats) -> tuple[int, int, float]:
    """The arm of the highest mean, its rival and the rival's mean; equal means: the lower arm."""
    leader, top, rival, rival_mean = 0, means[0], -1, -np.inf
    for arm in range(1, means.size):
        mean = means[arm]
        if mean > top:
            leader, top, rival, rival_mean = arm, mean, leader, top
        elif mean > rival_mean:
            rival, rival_mean = arm, mean
    return leader, rival, rival_mean


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
    sums, pulls, means = scratch
    arms = sums.size
    G, rewards = turns.G, turns.rewards
    totals, passed, best = play_each_arm_once(
        turns, quantile, game, parameters, true_means, trace, sums
    )
    best_mean, due = true_means[best], next_checkpoint(turns.checkpoints, passed)
    for arm in range(arms):
        pulls[arm], means[arm] = 1.0, sums[arm]
    leader, rival, rival_mean = two_best(means)
    for i in range(arms, G.size):
        key = turn_key(game, i + 1)
        epsilon = turns.levels[i]
        coin = draw(key, DECISION) if epsilon > 0.0 else 1.0
        greedy = coin >= epsilon
        arm = leader if greedy else min(int(coin / epsilon * arms), arms - 1)
        gap = best_mean - true_means[arm]
        value, totals = play_portion(
            rewards, quantile, key, parameters[arm], i + 1, G[i], gap, greedy, totals
        )
        if i + 1 == due:
            passed = record(trace, passed, totals)
            due = next_checkpoint(turns.checkpoints, passed)
        sums[arm] += value
        pulls[arm] += 1.0
        mean = sums[arm] / pulls[arm]
        means[arm] = mean
        ahead = mean > rival_mean or (mean == rival_mean and arm <= rival)
        if arm == leader:
            if not ahead and means[rival] == rival_mean:
                leader = rival
            elif not ahead:
                leader, rival, rival_mean = two_best(means)
        elif ahead:
            top = means[leader]
            if mean > top or (mean == top and arm < leader):
                leader, rival, rival_mean = arm, leader, top
            else:
                rival, rival_mean = arm, mean
    write_totals(out, totals, pulls[best] if best < G.size else 0.0)
