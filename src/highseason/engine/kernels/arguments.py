"""What every kernel is given: the turns, scratch memory, and where its results go.

A *game function* plays one game: `game(turns, quantile, key, parameters, means, out, trace,
scratch)`.  It allocates nothing, sorts with no library, and raises nothing, so that a backend may
run one game per thread; its scratch memory is declared by a `ScratchSpec` and handed in.  A
*kernel* loops over games: `kernel(turns, keys, arms, out, trace, scratch, quantile, …)` returns
(0, 0), or the turn and the arm of an illegal choice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import turn_key
from highseason.engine.kernels.reward_dispatch import RewardDispatch, draw_reward, learned_value

#: Columns of a kernel's `out`: totals of a game.
OUT = ("reward", "regret", "exploited", "best_pulls")
#: The last axis of a kernel's `trace`: running totals at the checkpoints.
TRACE = ("reward", "regret")

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Kernel = Callable[..., Any]


class Turns(NamedTuple):
    """The turns of a game: the same for every game, and for every policy except for the plan."""

    G: Floats  # The multiplier
    # What a reward of 1 is learned as: 1, or G(t) for naive policies, which do not divide by G
    learning_scale: Floats
    levels: Floats  # The plan
    checkpoints: Ints  # Turns (rising) after which running totals are recorded
    reward_model: RewardDispatch  # How rewards are drawn; its type picks the code that is compiled
    expected: Floats  # G as the policy knows it when a turn comes: itself, or its forecast
    future: Floats  # The future weight W(t) as the policy knows it; NaN where it is unknown


class Arms(NamedTuple):
    """The arms of a block of games: a row per game, or one row where all games share it."""

    parameters: Floats  # Of the reward model
    means: Floats  # The true means; scratch memory where they change by turn
    first: Ints  # The first turn of each arm
    last: Ints  # Its last


class ScratchSpec:
    """The scratch memory of a game function: a named tuple of arrays, declared `Floats` or `Ints`.

    An array has an entry per arm unless `lengths` gives its length for this many arms.
    """

    def __init__(self, kind: Callable[..., Any], **lengths: Callable[[int], int]) -> None:
        self.kind = kind
        self.arrays = {
            name: (np.float64 if declared == Floats else np.int64, lengths.get(name))
            for name, declared in get_type_hints(kind).items()
        }

    def allocate(self, arms: int) -> Any:
        """Memory for one game at a time; its content is undefined."""
        return self.kind(
            *(
                np.empty(length(arms) if length else arms, dtype)
                for dtype, length in self.arrays.values()
            )
        )


@jitable
def next_checkpoint(checkpoints: Ints, passed: int) -> int:
    """The turn of the next checkpoint when `passed` are behind; 0, which is no turn, at the end."""
    return int(checkpoints[passed]) if passed < checkpoints.size else 0


@jitable
def record(trace: Floats, passed: int, reward: float, regret: float) -> int:
    """Record running totals in the order of `TRACE`; how many checkpoints are now behind."""
    trace[passed, 0], trace[passed, 1] = reward, regret
    return passed + 1


@jitable
def write_totals(
    out: Floats, reward: float, regret: float, exploited: float, best_pulls: float
) -> None:
    """Write down the totals of a game, in the order of `OUT`."""
    out[0], out[1], out[2], out[3] = reward, regret, exploited, best_pulls


@jitable
def play_each_arm_once(
    turns: Turns,
    quantile: Callable[..., float],
    game: int,
    parameters: Floats,
    means: Floats,
    trace: Floats,
    sums: Floats,
) -> tuple[float, float, int, int]:
    """The first turns of a game, as in all rules of the paper; fills `sums`.

    Returns the reward, the regret, how many checkpoints were passed, and the best arm.
    """
    G, learning_scale, _, checkpoints, reward_model, _, _ = turns
    reward, regret, passed, best = 0.0, 0.0, 0, best_arm(means)
    sums[:] = 0.0
    for i in range(min(sums.size, G.size)):
        x = draw_reward(reward_model, quantile, turn_key(game, i + 1), parameters[i], i + 1, G[i])
        paid = G[i] * x
        sums[i] = learned_value(reward_model, x, paid, learning_scale[i], G[i])
        reward += paid
        regret += G[i] * (means[best] - means[i])
        if i + 1 == next_checkpoint(checkpoints, passed):
            passed = record(trace, passed, reward, regret)
    return reward, regret, passed, best


@jitable
def best_arm(means: Floats) -> int:
    """The first arm of the highest mean."""
    best = 0
    for arm in range(means.size):
        if means[arm] > means[best]:
            best = arm
    return best


def kernel_of(game: Kernel) -> Kernel:
    """The kernel that plays one game after the other; `game` is compiled into it."""

    def kernel(
        turns: Turns,
        keys: NDArray[np.uint64],
        arms: Arms,
        out: Floats,
        trace: Floats,
        scratch: tuple[Any, ...],
        quantile: Callable[..., float],
    ) -> tuple[int, int]:
        for i in range(keys.size):
            parameters, means = arms.parameters[i], arms.means[i]
            game(turns, quantile, keys[i], parameters, means, out[i], trace[i], scratch)
        return 0, 0

    return kernel
