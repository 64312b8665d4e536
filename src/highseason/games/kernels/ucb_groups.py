"""UCB games with many arms: arms are grouped by their number of pulls.

Among arms with equal pulls only the one with the highest estimate can have the highest index, and
there are far fewer different numbers of pulls than arms.  Each group is a pairing heap (Fredman et
al. 1986) whose root is its best arm, so a turn looks at one arm per group, takes the winner out of
its heap and puts it into the next one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import turn_key
from highseason.games.kernels.stage import Stage, best_arm, pay
from highseason.rewards.model import Quantile

NONE = -1


@jitable
def link(
    first: int,
    second: int,
    means: NDArray[np.float64],
    child: NDArray[np.int64],
    sibling: NDArray[np.int64],
) -> int:
    """Join two heaps under the better root (equal means: the lower arm)."""
    if means[second] > means[first] or (means[second] == means[first] and second < first):
        first, second = second, first
    sibling[second] = child[first]
    child[first] = second
    return first


@jitable
def without_root(
    root: int,
    means: NDArray[np.float64],
    child: NDArray[np.int64],
    sibling: NDArray[np.int64],
) -> int:
    """The heap left when its root is taken out: children joined in pairs, then from the last on."""
    pairs = NONE
    node = child[root]
    while node != NONE:
        mate = sibling[node]
        if mate == NONE:
            sibling[node] = pairs
            pairs = node
            break
        following = sibling[mate]
        joined = link(node, mate, means, child, sibling)
        sibling[joined] = pairs
        pairs = joined
        node = following
    if pairs == NONE:
        return NONE
    heap = pairs
    node = sibling[heap]
    while node != NONE:
        following = sibling[node]
        heap = link(heap, node, means, child, sibling)
        node = following
    child[root] = NONE
    return heap


def ucb_groups_kernel(
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
    inverse_root = np.empty(turns + 2)
    inverse_root[0] = 0.0
    for count in range(1, turns + 2):
        inverse_root[count] = 1.0 / math.sqrt(count)
    means, sums = np.empty(arms), np.empty(arms)
    pulls = np.empty(arms, np.int64)
    child, sibling = np.empty(arms, np.int64), np.empty(arms, np.int64)
    # A slot holds a group: its number of pulls, the root of its heap and what the scan needs of it.
    slot_of = np.full(turns + 2, NONE, np.int64)
    slot_pulls, slot_arm = np.empty(arms + 1, np.int64), np.empty(arms + 1, np.int64)
    slot_mean, slot_radius = np.empty(arms + 1), np.empty(arms + 1)
    for game in range(keys.size):
        reward, regret, exploited, mark, slots = 0.0, 0.0, 0.0, 0, 0
        for i in range(turns):
            key = turn_key(keys[game], i + 1)
            greedy = False
            if i < arms:
                arm, count, heap = i, 0, NONE
                sums[arm], pulls[arm], child[arm], sibling[arm] = 0.0, 0, NONE, NONE
            else:
                root = math.sqrt(stage.numbers[i])
                chosen, top, highest = 0, -np.inf, -np.inf
                for slot in range(slots):
                    mean = slot_mean[slot]
                    index = mean + root * slot_radius[slot]
                    if index > top or (index == top and slot_arm[slot] < slot_arm[chosen]):
                        chosen, top = slot, index
                    highest = max(highest, mean)
                arm, count = slot_arm[chosen], slot_pulls[chosen]
                greedy = slot_mean[chosen] >= highest
                heap = without_root(arm, means, child, sibling)
                if heap == NONE:  # the group is empty: the last slot takes its place
                    slots -= 1
                    slot_of[count] = NONE
                    if chosen != slots:
                        slot_pulls[chosen], slot_arm[chosen] = slot_pulls[slots], slot_arm[slots]
                        slot_mean[chosen], slot_radius[chosen] = slot_mean[slots], slot_radius[slots]
                        slot_of[slot_pulls[chosen]] = chosen
                else:
                    slot_arm[chosen], slot_mean[chosen] = heap, means[heap]
            paid = stage.G[i] * pay(stage, quantile, key, parameters[game, arm])
            sums[arm] += paid / stage.divisor[i]
            count += 1
            pulls[arm] = count
            means[arm] = sums[arm] / count
            child[arm], sibling[arm] = NONE, NONE
            slot = slot_of[count]
            if slot == NONE:
                slot = slots
                slots += 1
                slot_of[count], slot_pulls[slot] = slot, count
                slot_arm[slot], slot_radius[slot] = arm, inverse_root[count]
            else:
                slot_arm[slot] = link(slot_arm[slot], arm, means, child, sibling)
            slot_mean[slot] = means[slot_arm[slot]]
            reward += paid
            regret += stage.G[i] * gaps[game, arm]
            if greedy:
                exploited += paid
            if mark < stage.checkpoints.size and stage.checkpoints[mark] == i + 1:
                trace[game, mark, 0] = reward
                trace[game, mark, 1] = regret
                mark += 1
        for slot in range(slots):
            slot_of[slot_pulls[slot]] = NONE
        out[game, 0] = reward
        out[game, 1] = regret
        out[game, 2] = exploited
        best = best_arm(gaps[game])
        out[game, 3] = pulls[best] if best < turns else 0
