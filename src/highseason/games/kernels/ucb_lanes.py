"""UCB games with few arms: eight games side by side.

All games of a batch are at the same turn, so they share the radius' numerator, and one pass over
the arms finds the highest index of eight games at once.  The pass is written out lane by lane
because only then does the compiler keep the eight running maxima in vector registers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import turn_key
from highseason.games.kernels.arguments import (
    Arms,
    Floats,
    Ints,
    ScratchSpec,
    Turns,
    best_arm,
    record,
    write_totals,
)
from highseason.games.kernels.reward_dispatch import draw_reward, learned_value

LANES = 8


class NoScratch(NamedTuple):
    """None is handed in: memory that the compiler sees allocated is worth a tenth of the time."""

    unused: Ints


#: A batch of eight games is a schedule for a CPU, not a game function, so it may allocate.
LANES_SCRATCH = ScratchSpec(NoScratch, unused=lambda arms, turns: 0)


@jitable
def highest_indices(
    means: Floats,
    radii: Floats,
    root: float,
    chosen: Ints,
    highest: Floats,
) -> None:
    """For each lane: the arm of the highest mean + root * radius, and the highest mean."""
    best0, mean0, arm0 = -np.inf, -np.inf, 0
    best1, mean1, arm1 = -np.inf, -np.inf, 0
    best2, mean2, arm2 = -np.inf, -np.inf, 0
    best3, mean3, arm3 = -np.inf, -np.inf, 0
    best4, mean4, arm4 = -np.inf, -np.inf, 0
    best5, mean5, arm5 = -np.inf, -np.inf, 0
    best6, mean6, arm6 = -np.inf, -np.inf, 0
    best7, mean7, arm7 = -np.inf, -np.inf, 0
    for arm in range(means.shape[0]):
        estimate0 = means[arm, 0]
        estimate1 = means[arm, 1]
        estimate2 = means[arm, 2]
        estimate3 = means[arm, 3]
        estimate4 = means[arm, 4]
        estimate5 = means[arm, 5]
        estimate6 = means[arm, 6]
        estimate7 = means[arm, 7]
        index0 = estimate0 + root * radii[arm, 0]
        index1 = estimate1 + root * radii[arm, 1]
        index2 = estimate2 + root * radii[arm, 2]
        index3 = estimate3 + root * radii[arm, 3]
        index4 = estimate4 + root * radii[arm, 4]
        index5 = estimate5 + root * radii[arm, 5]
        index6 = estimate6 + root * radii[arm, 6]
        index7 = estimate7 + root * radii[arm, 7]
        arm0 = arm if index0 > best0 else arm0
        arm1 = arm if index1 > best1 else arm1
        arm2 = arm if index2 > best2 else arm2
        arm3 = arm if index3 > best3 else arm3
        arm4 = arm if index4 > best4 else arm4
        arm5 = arm if index5 > best5 else arm5
        arm6 = arm if index6 > best6 else arm6
        arm7 = arm if index7 > best7 else arm7
        best0 = index0 if index0 > best0 else best0
        best1 = index1 if index1 > best1 else best1
        best2 = index2 if index2 > best2 else best2
        best3 = index3 if index3 > best3 else best3
        best4 = index4 if index4 > best4 else best4
        best5 = index5 if index5 > best5 else best5
        best6 = index6 if index6 > best6 else best6
        best7 = index7 if index7 > best7 else best7
        mean0 = estimate0 if estimate0 > mean0 else mean0
        mean1 = estimate1 if estimate1 > mean1 else mean1
        mean2 = estimate2 if estimate2 > mean2 else mean2
        mean3 = estimate3 if estimate3 > mean3 else mean3
        mean4 = estimate4 if estimate4 > mean4 else mean4
        mean5 = estimate5 if estimate5 > mean5 else mean5
        mean6 = estimate6 if estimate6 > mean6 else mean6
        mean7 = estimate7 if estimate7 > mean7 else mean7
    chosen[0], highest[0] = arm0, mean0
    chosen[1], highest[1] = arm1, mean1
    chosen[2], highest[2] = arm2, mean2
    chosen[3], highest[3] = arm3, mean3
    chosen[4], highest[4] = arm4, mean4
    chosen[5], highest[5] = arm5, mean5
    chosen[6], highest[6] = arm6, mean6
    chosen[7], highest[7] = arm7, mean7


def ucb_lanes_kernel(
    turns: Turns,
    keys: NDArray[np.uint64],
    all_arms: Arms,
    out: Floats,
    trace: Floats,
    scratch: NoScratch,
    quantile: Callable[..., float],
) -> tuple[int, int]:
    """Play one game per key; spare lanes of the last batch replay its last game."""
    G, learning_scale, levels, checkpoints, reward, _, _ = turns
    parameters, true_means, _, _ = all_arms
    arms, games = parameters.shape[1], keys.size
    means, radii = np.empty((arms, LANES)), np.empty((arms, LANES))
    sums, pulls = np.empty((arms, LANES)), np.empty((arms, LANES), np.int64)
    chosen, highest = np.zeros(LANES, np.int64), np.zeros(LANES)
    totals, inverse_root = np.empty((LANES, 3)), np.empty(G.size + 2)
    best_arms, best_means = np.zeros(LANES, np.int64), np.zeros(LANES)
    for count in range(inverse_root.size):
        inverse_root[count] = 1.0 / math.sqrt(max(count, 1))
    for first in range(0, games, LANES):
        totals[:] = 0.0
        pulls[:] = 0
        sums[:] = 0.0
        passed = 0
        for lane in range(LANES):
            game = min(first + lane, games - 1)
            best_arms[lane] = best_arm(true_means[game])
            best_means[lane] = true_means[game, best_arms[lane]]
        for i in range(G.size):
            if i < arms:
                chosen[:] = i
            else:
                highest_indices(means, radii, math.sqrt(levels[i]), chosen, highest)
            weight = G[i]
            for lane in range(LANES):
                game = min(first + lane, games - 1)
                arm = chosen[lane]
                key = turn_key(keys[game], i + 1)
                x = draw_reward(reward, quantile, key, parameters[game, arm], i + 1, weight)
                paid = weight * x
                if i >= arms and means[arm, lane] >= highest[lane]:
                    totals[lane, 2] += paid
                count = pulls[arm, lane] + 1
                pulls[arm, lane] = count
                sums[arm, lane] += learned_value(reward, x, paid, learning_scale[i], weight)
                means[arm, lane] = sums[arm, lane] / count
                radii[arm, lane] = inverse_root[count]
                totals[lane, 0] += paid
                totals[lane, 1] += weight * (best_means[lane] - true_means[game, arm])
            if passed < checkpoints.size and checkpoints[passed] == i + 1:
                for lane in range(min(LANES, games - first)):
                    record(trace[first + lane], passed, totals[lane, 0], totals[lane, 1])
                passed += 1
        for lane in range(min(LANES, games - first)):
            game = first + lane
            best = pulls[best_arms[lane], lane]
            write_totals(out[game], totals[lane, 0], totals[lane, 1], totals[lane, 2], best)
    return 0, 0
