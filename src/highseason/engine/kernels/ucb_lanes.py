"""UCB games, eight side by side.

The eight games are at the same turn, so they share the radius' numerator, and one pass over
the arms finds the highest index of eight games at once.  The pass is written out lane by lane
because only then does the compiler keep the eight running maxima in vector registers.

With many arms each game has a list of those that can be chosen in the turns to come; the pass
goes over the places of the lists.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import inlined, jitable
from highseason.core.random import REWARD, draw, turn_key
from highseason.engine.kernels.turns import (
    Arms,
    Floats,
    Ints,
    Totals,
    Turns,
    best_arm,
    record,
    value_of,
    write_totals,
)
from highseason.rewards.model import booked, draw_reward

LANES = 8
#: From this many arms on, only the arms on a list are looked at; a list serves a period of turns …
MANY_ARMS, PERIOD = 256, 128
#: … in which the root does not fall below this share of its highest.
STEADY = 0.95


@inlined
def compare(
    estimate: float, radius: float, arm: int, best: float, mean: float, chosen: int
) -> tuple[float, float, int]:
    """The highest index, the highest mean and the arm of that index, with one more arm seen."""
    index = estimate + radius
    chosen = arm if index > best else chosen
    best = index if index > best else best
    mean = estimate if estimate > mean else mean
    return best, mean, chosen


@jitable
def highest_indices(
    size: int, means: Floats, radii: Floats, root: float, chosen: Ints, highest: Floats
) -> None:
    """For each lane: the place of the highest mean + root * radius, and the highest mean."""
    low = -np.inf
    best0, mean0, arm0 = low, low, 0
    best1, mean1, arm1 = low, low, 0
    best2, mean2, arm2 = low, low, 0
    best3, mean3, arm3 = low, low, 0
    best4, mean4, arm4 = low, low, 0
    best5, mean5, arm5 = low, low, 0
    best6, mean6, arm6 = low, low, 0
    best7, mean7, arm7 = low, low, 0
    for arm in range(size):
        m, r = means[arm], radii[arm]
        best0, mean0, arm0 = compare(m[0], root * r[0], arm, best0, mean0, arm0)
        best1, mean1, arm1 = compare(m[1], root * r[1], arm, best1, mean1, arm1)
        best2, mean2, arm2 = compare(m[2], root * r[2], arm, best2, mean2, arm2)
        best3, mean3, arm3 = compare(m[3], root * r[3], arm, best3, mean3, arm3)
        best4, mean4, arm4 = compare(m[4], root * r[4], arm, best4, mean4, arm4)
        best5, mean5, arm5 = compare(m[5], root * r[5], arm, best5, mean5, arm5)
        best6, mean6, arm6 = compare(m[6], root * r[6], arm, best6, mean6, arm6)
        best7, mean7, arm7 = compare(m[7], root * r[7], arm, best7, mean7, arm7)
    chosen[0], highest[0] = arm0, mean0
    chosen[1], highest[1] = arm1, mean1
    chosen[2], highest[2] = arm2, mean2
    chosen[3], highest[3] = arm3, mean3
    chosen[4], highest[4] = arm4, mean4
    chosen[5], highest[5] = arm5, mean5
    chosen[6], highest[6] = arm6, mean6
    chosen[7], highest[7] = arm7, mean7


@jitable
def root_range(levels: Floats) -> tuple[float, float, bool]:
    """The lowest root above 0, the highest, and whether some turns, at 0, play by the mean."""
    high = levels.max()
    low = high
    for level in levels:
        low = min(low, level) if level > 0.0 else low
    return math.sqrt(low), math.sqrt(high), levels.min() < low


@jitable
def bar_below(count: int, values: Floats) -> float:
    """A number that at least `count` values, and not many more, reach; -inf if there is none."""
    bar, below, above = -np.inf, np.inf, -np.inf
    for place in range(0, values.size, values.size // 64):
        below, above = min(below, values[place]), max(above, values[place])
    for _ in range(8):
        middle, reached = 0.5 * (below + above), 0
        for place in range(values.size):
            reached += values[place] >= middle
        if reached >= count:
            bar = below = middle
        else:
            above = middle
    return bar


@jitable
def shortlist(
    turns: int,
    roots: tuple[float, float, bool],
    means: Floats,
    radii: Floats,
    listed: Ints,
    memory: Floats,
) -> tuple[int, float]:
    """List the arms of a game that can be chosen in the next `turns`, in order.

    Gives how many they are, and the highest mean of the others.  An index rises with the root,
    which goes from `low` to `high`.  `turns` arms or more have an index that is never below `bar`,
    and one of them at least is not pulled before the last turn, so an arm that is below the bar
    even at `high` has no chance.  Turns that play by the mean have a bar of means.
    """
    low, high, by_mean = roots
    arms, size = means.size, 0
    for arm in range(arms):
        memory[arm] = means[arm] + low * radii[arm]
    bar, leading = bar_below(turns, memory), bar_below(turns, means) if by_mean else np.inf
    for arm in range(arms):
        out = (means[arm] + high * radii[arm] < bar) & (means[arm] < leading)
        memory[arm] = means[arm] if out else -np.inf
    for arm in range(arms):  # without a branch, which would be unpredictable
        listed[size] = arm
        size += memory[arm] == -np.inf
    while arms > 1:  # the highest, in vector registers: fold the upper half onto the lower one
        half = (arms + 1) // 2
        for arm in range(arms - half):
            memory[arm] = memory[half + arm] if memory[half + arm] > memory[arm] else memory[arm]
        arms = half
    return size, memory[0]


@jitable
def renew_lists(
    turns: int,
    roots: tuple[float, float, bool],
    known: Floats,
    listed: Ints,
    means: Floats,
    radii: Floats,
) -> int:
    """Fill the lists of all lanes for the next turns; gives the length of the longest.

    After the last arm of a list stands the highest mean of all others, with a radius of 0.
    """
    sizes, memory, length = np.empty(LANES, np.int64), np.empty(listed.shape[1]), 0
    for lane in range(LANES):
        game = known[lane, 0], known[lane, 1]
        size, highest = shortlist(turns, roots, *game, listed[lane], memory)
        for place in range(size):
            means[place, lane] = game[0][listed[lane, place]]
            radii[place, lane] = game[1][listed[lane, place]]
        means[size, lane], radii[size, lane] = highest, 0.0
        sizes[lane], length = size + 1, max(length, size + 1)
    for lane in range(LANES):
        means[sizes[lane] : length, lane], radii[sizes[lane] : length, lane] = -np.inf, 0.0
    return length


def ucb_lanes_kernel(
    turns: Turns,
    keys: NDArray[np.uint64],
    all_arms: Arms,
    out: Floats,
    trace: Floats,
    scratch: tuple[()],
    quantile: Callable[..., float],
) -> tuple[int, int]:
    """Play one game per key; spare lanes at the end replay the last game.

    Memory that the compiler sees allocated is worth a tenth of the time, so none is handed in.
    """
    G, levels, checkpoints, rewards = turns.G, turns.levels, turns.checkpoints, turns.rewards
    parameters, true_means = all_arms.parameters, all_arms.means
    arms, games = parameters.shape[1], keys.size
    many = arms >= MANY_ARMS
    means, radii = np.empty((arms + 1, LANES)), np.empty((arms + 1, LANES))
    sums, pulls = np.empty((arms, LANES)), np.empty((arms, LANES), np.int64)
    listed, known = np.empty((LANES, arms), np.int64), np.empty((LANES, 2, arms))
    chosen, highest = np.zeros(LANES, np.int64), np.zeros(LANES)
    totals, inverse_root = np.empty((LANES, 3)), np.empty(G.size + 2)
    best_arms, best_means = np.zeros(LANES, np.int64), np.zeros(LANES)
    for count in range(inverse_root.size):
        inverse_root[count] = 1.0 / math.sqrt(max(count, 1))
    for first in range(0, games, LANES):
        totals[:] = 0.0
        pulls[:] = 0
        sums[:] = 0.0
        listed[:] = np.arange(arms)
        passed, size, renewal = 0, arms, arms if many else G.size
        for lane in range(LANES):
            game = min(first + lane, games - 1)
            best_arms[lane] = best_arm(true_means[game])
            best_means[lane] = true_means[game, best_arms[lane]]
        for i in range(G.size):
            if i == renewal:
                renewal = min(i + PERIOD, G.size)
                roots = root_range(levels[i:renewal])
                if roots[0] < STEADY * roots[1]:  # all arms have a chance: list them, for longer
                    renewal, roots = min(i + 32 * PERIOD, G.size), (0.0, np.inf, False)
                size = renew_lists(renewal - i, roots, known, listed, means, radii)
            if i < arms:
                chosen[:] = i
            else:
                highest_indices(size, means, radii, math.sqrt(levels[i]), chosen, highest)
            weight = G[i]
            for lane in range(LANES):
                game = min(first + lane, games - 1)
                place = chosen[lane]
                arm = listed[lane, place] if many else place
                u = draw(turn_key(keys[game], i + 1), REWARD)
                parameter = parameters[game, arm]
                drawn = draw_reward(rewards.kind, quantile, u, parameter, i + 1, weight)
                paid = weight * drawn.paid
                if i >= arms and means[place, lane] >= highest[lane]:
                    totals[lane, 2] += paid
                count = pulls[arm, lane] + 1
                pulls[arm, lane] = count
                sums[arm, lane] += value_of(rewards, drawn, weight)
                means[place, lane] = sums[arm, lane] / count
                radii[place, lane] = inverse_root[count]
                if many:
                    known[lane, 0, arm] = means[place, lane]
                    known[lane, 1, arm] = radii[place, lane]
                totals[lane, 0] += booked(rewards.kind, drawn.paid, paid)
                totals[lane, 1] += weight * (best_means[lane] - true_means[game, arm])
            if passed < checkpoints.size and checkpoints[passed] == i + 1:
                for lane in range(min(LANES, games - first)):
                    now = Totals(totals[lane, 0], totals[lane, 1], totals[lane, 2])
                    record(trace[first + lane], passed, now)
                passed += 1
        for lane in range(min(LANES, games - first)):
            whole = Totals(totals[lane, 0], totals[lane, 1], totals[lane, 2])
            write_totals(out[first + lane], whole, pulls[best_arms[lane], lane])
    return 0, 0
