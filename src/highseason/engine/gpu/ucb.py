"""UCB games on a GPU: several threads a game.

UCB looks at every arm in every turn.  So 1 to 32 threads (*lanes*) share a game: each looks at
every n-th arm, and they agree on the best one by exchanging registers.  What they look at, means
and radii, lies in shared memory.  The arithmetic is that of the CPU's functions.
"""

from typing import Any

import numpy as np
from numba import cuda, float64, int32

from highseason.core.jitable import inlined, jitable
from highseason.core.random import turn_key
from highseason.engine.kernels.turns import (
    Kernel,
    Totals,
    best_arm,
    next_checkpoint,
    play_turn,
    record,
    write_totals,
)
from highseason.engine.kernels.ucb_lanes import compare

#: All threads of a warp take part in an exchange.
EVERYONE = 0xFFFFFFFF
#: A number of 32 bits: comparing and moving it takes half of what an `int` takes.
_SHORT: Any = np.uint32


@inlined
def scan(numbers: Any, first: Any, size: Any, held: Any, root: float) -> tuple[float, float, int]:
    """The highest index and the highest mean of a lane's arms, and which of them has that index.

    `first` is the place of the first mean.  Places are unsigned: a signed one may be negative,
    which costs the machine more than the comparison.
    """
    top, highest, nearest = -np.inf, -np.inf, _SHORT(0)
    at, k, radii = first, np.uint64(0), held * size
    while k < held:
        radius = root * numbers[at + radii]
        top, highest, nearest = compare(numbers[at], radius, _SHORT(k), top, highest, nearest)
        at += size
        k += np.uint64(1)
    return top, highest, nearest


@jitable
def agree(best: float, chosen: int, step: int) -> int:
    """The arm of the highest index that any lane of a game saw (equal indices: the lowest arm)."""
    while step < 32:
        other = cuda.shfl_xor_sync(EVERYONE, best, step)
        arm = cuda.shfl_xor_sync(EVERYONE, chosen, step)
        if other > best or (other == best and arm < chosen):
            best, chosen = other, arm
        step *= 2
    return chosen


def ucb(quantile: Any) -> Kernel:
    """UCB games with 2**bits lanes each; `roots` are the square roots of the levels.

    Within a warp the first lanes of all its games come first, then the second lanes, and so on.
    Lane j holds the arms j, j + lanes, … at its own places of shared memory.
    """

    def kernel(
        turns: Any, roots: Any, inverse_root: Any, keys: Any, parameters: Any, true_means: Any,
        out: Any, trace: Any, bits: int,
    ) -> None:  # fmt: skip
        G, learning_scale, _, checkpoints, model, _, _ = turns
        arms, size, thread = parameters.shape[1], cuda.blockDim.x, cuda.threadIdx.x
        lanes, at_once = 1 << bits, 32 >> bits  # at_once: the games of a warp
        in_warp = thread & 31
        lane, mine = in_warp >> (5 - bits), in_warp & (at_once - 1)
        place = (cuda.blockIdx.x * (size >> 5) + (thread >> 5)) * at_once + mine
        game = min(place, keys.size - 1)  # spare lanes replay the last game
        game_key, parameter, true_mean = keys[game], parameters[game], true_means[game]
        best = best_arm(true_mean)
        best_mean = true_mean[best]
        held, ours = (arms + lanes - 1) >> bits, 0
        for other in range(lanes):
            ours |= 1 << ((other << (5 - bits)) + mine)
        numbers = cuda.shared.array(0, float64)
        pulls = cuda.shared.array(0, int32)[6 * held * size :]
        for k in range(3 * held):
            numbers[k * size + thread] = -np.inf if k < held else 0.0
        for k in range(held):
            pulls[k * size + thread] = 0
        step, block = np.uint64(size), np.uint64(held * size)
        totals, passed = Totals(0.0, 0.0, 0.0), 0
        due = next_checkpoint(checkpoints, passed)
        for i in range(G.size):
            arm, greedy = i, False
            if i >= arms:
                top, highest, nearest = scan(
                    numbers, np.uint64(thread), step, np.uint64(held), roots[i]
                )
                arm = agree(top, (np.int64(nearest) << bits) + lane, at_once)
                owner = ((arm & (lanes - 1)) << (5 - bits)) + mine
                seen = numbers[np.uint64((arm >> bits) * size + thread)]
                seen = cuda.shfl_sync(EVERYONE, seen, owner)
                greedy = (cuda.ballot_sync(EVERYONE, highest > seen) & ours) == 0
            key = turn_key(game_key, i + 1)
            value, totals = play_turn(
                model, quantile, key, parameter[arm], i + 1, G[i], learning_scale[i],
                best_mean - true_mean[arm], greedy, totals,
            )  # fmt: skip
            if i + 1 == due:
                if place < keys.size and lane == 0:
                    record(trace[game], passed, totals)
                passed += 1
                due = next_checkpoint(checkpoints, passed)
            if lane == (arm & (lanes - 1)):
                at = np.uint64((arm >> bits) * size + thread)
                sums = at + block + block
                count = pulls[at] + 1
                total = numbers[sums] + value
                pulls[at], numbers[sums] = count, total
                numbers[at], numbers[at + block] = total / count, inverse_root[count]
        if place < keys.size and lane == (best & (lanes - 1)):
            count = pulls[(best >> bits) * size + thread]
            write_totals(out[game], totals, count)

    return kernel
