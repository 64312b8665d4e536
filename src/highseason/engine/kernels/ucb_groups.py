"""UCB games with many arms: arms are grouped by their number of pulls.

Among arms with equal pulls the one with the highest estimate has the highest index, and there are
far fewer different numbers of pulls than arms.  Each group is a pairing heap (Fredman et
al. 1986) whose root is its best arm, so a turn looks at one arm per group, takes the winner out of
its heap and puts it into the next one.

Two estimates can differ and still give the same index, because the sum is rounded; the rule then
takes the lower arm.  Such a tie is detected (the runner-up of the group has the same index, or
two groups do) and settled by looking at every arm.  Averages of zeros and ones are never that
close, so a Bernoulli kernel is compiled without this.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from highseason.core.jitable import inlined, jitable
from highseason.core.random import turn_key
from highseason.engine.kernels.arguments import (
    Floats,
    Ints,
    ScratchSpec,
    Turns,
    next_checkpoint,
    play_each_arm_once,
    record,
    write_totals,
)
from highseason.engine.kernels.reward_dispatch import draw_reward, learned_value, may_be_close

NONE = -1


class GroupsScratch(NamedTuple):
    """By arm: statistics and links of the heaps; by slot: a group; `slot_of` by number of pulls.

    A group in a slot: its pulls, its best arm (the heap's root), that arm's mean, 1/sqrt(pulls).
    """

    sums: Floats
    pulls: Ints
    means: Floats
    child: Ints
    sibling: Ints
    slot_pulls: Ints
    slot_arm: Ints
    slot_mean: Floats
    slot_radius: Floats
    slot_of: Ints


#: There are at most as many groups as arms: a group without an arm gives its slot away.
GROUPS_SCRATCH = ScratchSpec(GroupsScratch, slot_of=lambda arms, turns: turns + 2)


@jitable
def link(means: Floats, child: Ints, sibling: Ints, first: int, second: int) -> int:
    """Join two heaps under the better root (equal means: the lower arm)."""
    a, b = means[first], means[second]
    swap = (b > a) | ((b == a) & (second < first))  # no branch: it would be unpredictable
    winner, loser = (second, first) if swap else (first, second)
    sibling[loser] = child[winner]
    child[winner] = loser
    return winner


@jitable
def without_root(means: Floats, child: Ints, sibling: Ints, root: int) -> int:
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
        joined = link(means, child, sibling, node, mate)
        sibling[joined] = pairs
        pairs = joined
        node = following
    if pairs == NONE:
        return NONE
    heap = pairs
    node = sibling[heap]
    while node != NONE:
        following = sibling[node]
        heap = link(means, child, sibling, heap, node)
        node = following
    return heap


@jitable
def heap_of_all(means: Floats, child: Ints, sibling: Ints) -> int:
    """All arms in one heap, as they stand after the first round; gives its root."""
    root = 0
    for arm in range(means.size):
        child[arm], sibling[arm] = NONE, NONE
        if arm > 0:
            root = link(means, child, sibling, root, arm)
    return root


@jitable
def without(means: Floats, child: Ints, sibling: Ints, heap: int, arm: int) -> int:
    """The heap left when `arm` is taken out of it, wherever it stands."""
    aside = NONE
    while heap != arm:
        rest = without_root(means, child, sibling, heap)
        child[heap], sibling[heap] = NONE, aside
        aside, heap = heap, rest
    heap = without_root(means, child, sibling, arm)
    while aside != NONE:
        following = sibling[aside]
        sibling[aside] = NONE
        heap = aside if heap == NONE else link(means, child, sibling, heap, aside)
        aside = following
    return heap


@jitable
def lowest_at(means: Floats, pulls: Ints, root: float, top: float) -> int:
    """The lowest arm whose index is `top`."""
    for arm in range(means.size):
        if means[arm] + root * (1.0 / math.sqrt(pulls[arm])) == top:
            return arm
    return NONE


@inlined
def ucb_groups_game(
    turns: Turns,
    quantile: Callable[..., float],
    game: int,
    parameters: Floats,
    true_means: Floats,
    out: Floats,
    trace: Floats,
    scratch: GroupsScratch,
) -> None:
    """Play one game.

    The steps of a turn are not separate functions: passing this many arrays to a function that is
    not inlined costs more than its work.
    """
    (
        sums, pulls, means, child, sibling,
        slot_pulls, slot_arm, slot_mean, slot_radius, slot_of,
    ) = scratch  # fmt: skip
    G, learning_scale, levels, checkpoints, model, _, _ = turns
    reward, regret, passed, best = play_each_arm_once(
        turns, quantile, game, parameters, true_means, trace, sums
    )
    exploited, due = 0.0, next_checkpoint(checkpoints, passed)
    best_mean = true_means[best]
    for arm in range(sums.size):
        pulls[arm], means[arm] = 1, sums[arm]
    slot_of[:] = NONE
    slots, slot_arm[0] = 1, heap_of_all(means, child, sibling)
    slot_pulls[0], slot_mean[0], slot_radius[0] = 1, means[slot_arm[0]], 1.0
    slot_of[1] = 0
    for i in range(sums.size, G.size):
        key = turn_key(game, i + 1)
        root = math.sqrt(levels[i])
        chosen, top, highest = 0, -np.inf, -np.inf
        for slot in range(slots):
            mean = slot_mean[slot]
            index = mean + root * slot_radius[slot]
            if index > top or (index == top and slot_arm[slot] < slot_arm[chosen]):
                chosen, top = slot, index
            highest = max(highest, mean)
        arm, count = slot_arm[chosen], slot_pulls[chosen]
        greedy = slot_mean[chosen] >= highest

        heap = without_root(means, child, sibling, arm)
        if may_be_close(model):
            tied = heap != NONE and means[heap] + root * slot_radius[chosen] == top
            for slot in range(slots):
                if slot != chosen and slot_mean[slot] + root * slot_radius[slot] == top:
                    tied = True
            lowest = lowest_at(means, pulls, root, top) if tied else arm
            if lowest != arm:
                child[arm], sibling[arm] = NONE, NONE
                back = arm if heap == NONE else link(means, child, sibling, heap, arm)
                slot_arm[chosen] = back
                arm, count = lowest, pulls[lowest]
                chosen = slot_of[count]
                greedy = means[arm] >= highest
                heap = without(means, child, sibling, slot_arm[chosen], arm)
        if heap != NONE:
            slot_arm[chosen], slot_mean[chosen] = heap, means[heap]
        else:  # the group is empty: the last slot takes its place
            slots -= 1
            slot_of[count] = NONE
            if chosen != slots:
                slot_pulls[chosen], slot_arm[chosen] = slot_pulls[slots], slot_arm[slots]
                slot_mean[chosen], slot_radius[chosen] = slot_mean[slots], slot_radius[slots]
                slot_of[slot_pulls[chosen]] = chosen

        x = draw_reward(model, quantile, key, parameters[arm], i + 1, G[i])
        paid = G[i] * x
        reward += paid
        regret += G[i] * (best_mean - true_means[arm])
        exploited += paid if greedy else 0.0
        if i + 1 == due:
            passed = record(trace, passed, reward, regret)
            due = next_checkpoint(checkpoints, passed)
        sums[arm] += learned_value(model, x, paid, learning_scale[i], G[i])
        count += 1
        pulls[arm] = count
        means[arm] = sums[arm] / count

        child[arm], sibling[arm] = NONE, NONE
        slot = slot_of[count]
        if slot != NONE:
            slot_arm[slot] = link(means, child, sibling, slot_arm[slot], arm)
        else:
            slot = slots
            slots += 1
            slot_of[count], slot_pulls[slot] = slot, count
            slot_arm[slot], slot_radius[slot] = arm, 1.0 / math.sqrt(count)
        slot_mean[slot] = means[slot_arm[slot]]
    write_totals(out, reward, regret, exploited, pulls[best] if best < G.size else 0)
