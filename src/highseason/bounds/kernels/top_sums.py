"""The heaviest turns so far, for every arm and every turn, in one backward pass.

An arm that must be tried q times before it is distinguished from the best costs at most the q
heaviest turns.  Going forward, the q heaviest turns so far need a heap per arm.  Going backward,
turns only leave: in a linked list of all turns by falling G, every arm keeps a pointer to the
lightest of its q heaviest, and a turn that leaves moves it by one link.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NONE = -1

#: A row per quantity.
Rows = NDArray[np.float64]


def top_sums_kernel(by_arm: Rows, by_turn: Rows, order: NDArray[np.int64], out: Rows) -> None:
    """For each turn t: the cost of trying arms, and of trying and misjudging them together.

    Args:
        by_arm: Gaps of the suboptimal arms; factors, with q_j(t) + 1 = ceil(factor * radius), at
            least 1.
        by_turn: G after the first round; the greatest level under the root so far (the radius);
            the sum so far of G times the probability of a misjudgement (the series).
        order: The turns by falling G.
        out: Sum of gap * min(all, q heaviest); sum of gap * min(all, q heaviest + series).
    """
    gaps, factors = by_arm[0], by_arm[1]
    weights, radii, series = by_turn[0], by_turn[1], by_turn[2]
    tried, total = out[0], out[1]
    turns, arms = weights.size, gaps.size
    rank = np.empty(turns, np.int64)
    heavier = np.full(turns, NONE, np.int64)
    lighter = np.full(turns, NONE, np.int64)
    for i in range(turns):
        rank[order[i]] = i
        if i > 0:
            heavier[order[i]] = order[i - 1]
            lighter[order[i - 1]] = order[i]
    # For each arm: how many turns it holds, their weight, and the lightest of them.
    count = np.zeros(arms, np.int64)
    held = np.zeros(arms)
    last = np.full(arms, NONE, np.int64)
    for j in range(arms):
        wanted = max(1.0, np.ceil(factors[j] * radii[turns - 1])) - 1.0
        while count[j] < turns and count[j] < wanted:
            last[j] = order[count[j]]
            held[j] += weights[last[j]]
            count[j] += 1
    everything = 0.0
    for i in range(turns):
        everything += weights[i]
    for t in range(turns - 1, -1, -1):
        for j in range(arms):
            wanted = max(1.0, np.ceil(factors[j] * radii[t])) - 1.0
            while count[j] > wanted:  # an earlier game needs fewer tries
                held[j] -= weights[last[j]]
                last[j] = heavier[last[j]]
                count[j] -= 1
            top = max(0.0, held[j])
            tried[t] += gaps[j] * min(everything, top)
            total[t] += gaps[j] * min(everything, top + series[t])
            if count[j] > 0 and rank[t] <= rank[last[j]]:  # t leaves, the next lighter one enters
                held[j] -= weights[t]
                entering = lighter[last[j]]
                if entering != NONE:
                    held[j] += weights[entering]
                    last[j] = entering
                else:
                    count[j] -= 1
                    if last[j] == t:
                        last[j] = heavier[t]
        everything -= weights[t]
        if heavier[t] != NONE:
            lighter[heavier[t]] = lighter[t]
        if lighter[t] != NONE:
            heavier[lighter[t]] = heavier[t]
