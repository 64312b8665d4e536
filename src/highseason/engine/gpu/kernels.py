"""The kernels of a GPU, which call the same functions as those of a CPU.

Each thread plays a game; UCB has several threads a game.  Memory that a game reads in every turn
lies in shared memory where it fits, entry by entry with the threads side by side, and in rows of
global memory where it does not.  A thread plays one game after the other, so memory is needed for
those that run at once, not for all.

A function here makes a kernel that contains the given functions, such as a reward model's
`quantile` (None for the families of rewards that bring their own).  numba-cuda is imported when one
is made: a GPU runs what was compiled before without it.
"""

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from highseason.core.jitable import inlined
from highseason.core.random import ARMS, draw, hash_at, turn_key
from highseason.engine.kernels.any_rule import RulePlayer, any_rule_game, best_arms_reward
from highseason.engine.kernels.epsilon import EpsilonScratch, epsilon_game
from highseason.engine.kernels.turns import (
    Kernel,
    Totals,
    best_arm,
    next_checkpoint,
    play_portion,
    record,
    write_totals,
)
from highseason.engine.kernels.ucb_lanes import compare
from highseason.engine.turn import Population
from highseason.policies.rule import ArmState

#: A function of a reward model that a kernel contains, or None.
Quantile = Any
#: numba-cuda, once a kernel was made.
cuda: Any = None
#: All threads of a warp take part in an exchange.
EVERYONE = 0xFFFFFFFF
#: A number of 32 bits: comparing and moving it takes half of what an `int` takes.
_SHORT: Any = np.uint32
#: What shared memory holds.
_NUMBERS, _COUNTS = np.dtype(np.float64), np.dtype(np.int32)


def _with_cuda(factory: Callable[..., Kernel]) -> Callable[..., Kernel]:
    """Import numba-cuda before a kernel is made, which looks it up among the names of this file."""

    @functools.wraps(factory)
    def make(*functions: Any) -> Kernel:
        globals()["cuda"] = import_module("numba.cuda")
        return factory(*functions)

    return make


@_with_cuda
def draw_keys() -> Kernel:
    """The keys of the games from number `first` on."""

    def kernel(seed: Any, first: int, keys: Any) -> None:
        for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
            keys[i] = hash_at(seed, first + i + 1)

    return kernel


@_with_cuda
def draw_parameters() -> Kernel:
    """One parameter per game and arm, uniform between two numbers."""

    def kernel(keys: Any, low: float, high: float, parameters: Any) -> None:
        arms = parameters.shape[1]
        for i in range(cuda.grid(1), parameters.size, cuda.gridsize(1)):
            game = i // arms
            u = draw(hash_at(keys[game], ARMS), i - game * arms)
            parameters[game, i - game * arms] = low + (high - low) * u

    return kernel


@_with_cuda
def best_arms(quantile: Quantile, mean_at: Quantile) -> Kernel:
    """The reward of playing the best arm present in every turn, with the same random numbers."""

    def kernel(
        turns: Any, keys: Any, parameters: Any, means: Any, first: Any, last: Any, out: Any
    ) -> None:
        thread = cuda.grid(1)
        for i in range(thread, keys.size, cuda.gridsize(1)):
            own = means[i if means.shape[0] == keys.size else thread]
            row = min(i, first.shape[0] - 1)
            out[i] = best_arms_reward(
                turns, keys[i], parameters[i], own, first[row], last[row], quantile, mean_at
            )

    return kernel


@_with_cuda
def any_rule(
    quantile: Quantile,
    mean_at: Quantile,
    start: Callable[..., None],
    choose: Callable[..., tuple[int, bool]],
    observe: Callable[..., None],
    set_weights: Callable[..., None],
) -> Kernel:
    """Games of any rule, in global memory with the games side by side: rules look at all arms."""

    def kernel(
        turns: Any, keys: Any, parameters: Any, means: Any, first: Any, last: Any,
        out: Any, trace: Any, player: RulePlayer, wrong: Any,
    ) -> None:  # fmt: skip
        thread = cuda.grid(1)
        state, population = player.state, player.population
        own_state = ArmState(
            state.selections[:, thread], state.pulls[:, thread], state.sums[:, thread],
            state.available[:, thread], state.start[:, thread], state.end[:, thread],
            state.weight[:, thread], state.memory[:, :, thread], state.shared[:, thread],
        )  # fmt: skip
        own_population = Population(
            population.first[:, thread], population.last[:, thread], population.scores[:, thread],
            population.alive[:, thread], population.opening[:, thread],
            population.known, population.end, population.scale, population.initial_arms,
        )  # fmt: skip
        own = RulePlayer(
            own_state, own_population, player.measure, player.at_end, player.random_ties,
            player.counts_visitors, player.correlation, player.constants,
        )  # fmt: skip
        for i in range(thread, keys.size, cuda.gridsize(1)):
            own_means = means[i if means.shape[0] == keys.size else thread]
            row = min(i, first.shape[0] - 1)
            wrong[i, 0], wrong[i, 1] = any_rule_game(
                turns, keys[i], parameters[i], own_means, first[row], last[row], out[i], trace[i],
                own, quantile, mean_at, start, choose, observe, set_weights,
            )  # fmt: skip

    return kernel


@_with_cuda
def epsilon_shared(quantile: Quantile) -> Kernel:
    """ε games in shared memory."""

    def kernel(turns: Any, keys: Any, parameters: Any, means: Any, out: Any, trace: Any) -> None:
        arms, size, thread = parameters.shape[1], cuda.blockDim.x, cuda.threadIdx.x
        numbers = cuda.shared.array(0, _NUMBERS)
        scratch = EpsilonScratch(
            numbers[thread : arms * size : size],
            numbers[arms * size + thread : 2 * arms * size : size],
            numbers[2 * arms * size + thread : 3 * arms * size : size],
        )
        for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
            epsilon_game(
                turns, quantile, keys[i], parameters[i], means[i], out[i], trace[i], scratch
            )

    return kernel


@_with_cuda
def epsilon_rows(quantile: Quantile) -> Kernel:
    """ε games in global memory: sum and pulls of an arm side by side."""

    def kernel(
        turns: Any, keys: Any, parameters: Any, means: Any, out: Any, trace: Any,
        numbers: Any, estimates: Any,
    ) -> None:  # fmt: skip
        row = cuda.grid(1)
        scratch = EpsilonScratch(numbers[row, :, 0], numbers[row, :, 1], estimates[row])
        for i in range(row, keys.size, cuda.gridsize(1)):
            epsilon_game(
                turns, quantile, keys[i], parameters[i], means[i], out[i], trace[i], scratch
            )

    return kernel


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


@_with_cuda
def ucb(quantile: Any) -> Kernel:
    """UCB games with 2**bits lanes each; `roots` are the square roots of the levels.

    UCB looks at every arm in every turn, so 1 to 32 threads (*lanes*) share a game: each looks at
    every n-th arm, and they agree on the best one by exchanging registers.  Within a warp the first
    lanes of all its games come first, then the second lanes, and so on.  Lane j holds means and
    radii of the arms j, j + lanes, … at its own places of shared memory.
    """

    def kernel(
        turns: Any, roots: Any, inverse_root: Any, keys: Any, parameters: Any, true_means: Any,
        out: Any, trace: Any, bits: int,
    ) -> None:  # fmt: skip
        G, rewards = turns.G, turns.rewards
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
        numbers = cuda.shared.array(0, _NUMBERS)
        pulls = cuda.shared.array(0, _COUNTS)[6 * held * size :]
        for k in range(3 * held):
            numbers[k * size + thread] = -np.inf if k < held else 0.0
        for k in range(held):
            pulls[k * size + thread] = 0
        step, block = np.uint64(size), np.uint64(held * size)
        totals, passed = Totals(0.0, 0.0, 0.0), 0
        due = next_checkpoint(turns.checkpoints, passed)
        for i in range(G.size):
            arm, greedy = i, False
            if i >= arms:
                top, highest, nearest = scan(
                    numbers, np.uint64(thread), step, np.uint64(held), roots[i]
                )
                arm, distance = (np.int64(nearest) << bits) + lane, at_once
                while distance < 32:  # the highest index of all lanes; equal ones: the lowest arm
                    index = cuda.shfl_xor_sync(EVERYONE, top, distance)
                    rival = cuda.shfl_xor_sync(EVERYONE, arm, distance)
                    if index > top or (index == top and rival < arm):
                        top, arm = index, rival
                    distance *= 2
                owner = ((arm & (lanes - 1)) << (5 - bits)) + mine
                seen = numbers[np.uint64((arm >> bits) * size + thread)]
                seen = cuda.shfl_sync(EVERYONE, seen, owner)
                greedy = (cuda.ballot_sync(EVERYONE, highest > seen) & ours) == 0
            key = turn_key(game_key, i + 1)
            gap = best_mean - true_mean[arm]
            value, totals = play_portion(
                rewards, quantile, key, parameter[arm], i + 1, G[i], gap, greedy, totals
            )
            if i + 1 == due:
                if place < keys.size and lane == 0:
                    record(trace[game], passed, totals)
                passed += 1
                due = next_checkpoint(turns.checkpoints, passed)
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
