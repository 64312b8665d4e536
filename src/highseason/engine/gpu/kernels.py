"""The kernels of a GPU, which call the same functions as those of a CPU; see `ucb` for UCB.

Each thread plays a game.  Memory that a game reads in every turn lies in shared memory where it
fits, entry by entry with the threads side by side, and in rows of global memory where it does not.
A thread plays one game after the other, so memory is needed for those that run at once, not for
all.  A function here makes a kernel that contains the given `quantile` (None for the families of
rewards that bring their own).
"""

from collections.abc import Callable
from typing import Any

from numba import cuda, float64, uint8

from highseason.core.random import ARMS, draw, hash_at
from highseason.engine.kernels.any_rule import RulePlayer, any_rule_game, best_arms_reward
from highseason.engine.kernels.epsilon import EpsilonScratch, epsilon_game
from highseason.engine.kernels.pool import PoolScratch, pool_game
from highseason.engine.kernels.turns import Kernel
from highseason.engine.turn import Population
from highseason.policies.rule import ArmState

#: A function of a reward model that a kernel contains, or None.
Quantile = Any


def draw_keys(quantile: Quantile) -> Kernel:
    """The keys of the games from number `first` on."""

    def kernel(seed: Any, first: int, keys: Any) -> None:
        for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
            keys[i] = hash_at(seed, first + i + 1)

    return kernel


def draw_parameters(quantile: Quantile) -> Kernel:
    """One parameter per game and arm, uniform between two numbers."""

    def kernel(keys: Any, low: float, high: float, parameters: Any) -> None:
        arms = parameters.shape[1]
        for i in range(cuda.grid(1), parameters.size, cuda.gridsize(1)):
            game = i // arms
            u = draw(hash_at(keys[game], ARMS), i - game * arms)
            parameters[game, i - game * arms] = low + (high - low) * u

    return kernel


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
        state, population, measure, at_end, random_ties, precision = player
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
        own = RulePlayer(own_state, own_population, measure, at_end, random_ties, precision)
        for i in range(thread, keys.size, cuda.gridsize(1)):
            own_means = means[i if means.shape[0] == keys.size else thread]
            row = min(i, first.shape[0] - 1)
            wrong[i, 0], wrong[i, 1] = any_rule_game(
                turns, keys[i], parameters[i], own_means, first[row], last[row], out[i], trace[i],
                own, quantile, mean_at, start, choose, observe, set_weights,
            )  # fmt: skip

    return kernel


def epsilon_shared(quantile: Quantile) -> Kernel:
    """ε games of at most 256 arms in shared memory."""

    def kernel(
        turns: Any, keys: Any, parameters: Any, means: Any, out: Any, trace: Any, leaves: int
    ) -> None:
        arms, size, thread = parameters.shape[1], cuda.blockDim.x, cuda.threadIdx.x
        numbers = cuda.shared.array(0, float64)
        places = cuda.shared.array(0, uint8)[(2 * arms + leaves) * size * 8 :]
        scratch = EpsilonScratch(
            numbers[thread : arms * size : size],
            numbers[arms * size + thread : 2 * arms * size : size],
            numbers[2 * arms * size + thread : (2 * arms + leaves) * size : size],
            places[thread : 2 * leaves * size : size],
            places[2 * leaves * size + thread : (2 * leaves + arms) * size : size],
        )
        for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
            epsilon_game(
                turns, quantile, keys[i], parameters[i], means[i], out[i], trace[i], scratch
            )

    return kernel


def epsilon_rows(quantile: Quantile) -> Kernel:
    """ε games in global memory: sum, pulls and mean of an arm side by side."""

    def kernel(
        turns: Any, keys: Any, parameters: Any, means: Any, out: Any, trace: Any,
        numbers: Any, tree: Any, pulled: Any,
    ) -> None:  # fmt: skip
        arms, row = parameters.shape[1], cuda.grid(1)
        sums, pulls, leaves = numbers[row, :arms, 0], numbers[row, :arms, 1], numbers[row, :, 2]
        scratch = EpsilonScratch(sums, pulls, leaves, tree[row], pulled[row])
        for i in range(row, keys.size, cuda.gridsize(1)):
            epsilon_game(
                turns, quantile, keys[i], parameters[i], means[i], out[i], trace[i], scratch
            )

    return kernel


def pool_shared(quantile: Quantile) -> Kernel:
    """Pool games of at most 256 arms in shared memory."""

    def kernel(turns: Any, keys: Any, parameters: Any, means: Any, out: Any, trace: Any) -> None:
        arms, size, thread = parameters.shape[1], cuda.blockDim.x, cuda.threadIdx.x
        numbers = cuda.shared.array(0, float64)
        places = cuda.shared.array(0, uint8)[3 * arms * size * 8 :]
        scratch = PoolScratch(
            numbers[thread : arms * size : size],
            numbers[arms * size + thread : 2 * arms * size : size],
            numbers[2 * arms * size + thread : 3 * arms * size : size],
            places[thread : arms * size : size],
            places[arms * size + thread : 2 * arms * size : size],
        )
        for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
            pool_game(turns, quantile, keys[i], parameters[i], means[i], out[i], trace[i], scratch)

    return kernel


def pool_rows(quantile: Quantile) -> Kernel:
    """Pool games in global memory: sum and pulls of an arm side by side."""

    def kernel(
        turns: Any, keys: Any, parameters: Any, means: Any, out: Any, trace: Any,
        numbers: Any, ranked: Any, order: Any, merged: Any,
    ) -> None:  # fmt: skip
        row = cuda.grid(1)
        sums, pulls = numbers[row, :, 0], numbers[row, :, 1]
        scratch = PoolScratch(sums, pulls, ranked[row], order[row], merged[row])
        for i in range(row, keys.size, cuda.gridsize(1)):
            pool_game(turns, quantile, keys[i], parameters[i], means[i], out[i], trace[i], scratch)

    return kernel
