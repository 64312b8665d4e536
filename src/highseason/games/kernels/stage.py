"""What every kernel plays on: the turns, the arms' luck, and where results go.

A kernel is `kernel(stage, quantile, keys, parameters, gaps, out, trace)`.  It plays one game per
key and writes, for each, the totals named in `OUT` and, at the stage's checkpoints, the running
totals named in `TRACE`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import turn_key
from highseason.games.kernels.law import Law, learn, pay
from highseason.rewards.model import Quantile

#: Columns of a kernel's `out`: totals of a game.
OUT = ("reward", "regret", "exploited", "best_pulls")
#: The last axis of a kernel's `trace`: running totals at the checkpoints.
TRACE = ("reward", "regret")


class Stage(NamedTuple):
    """The turns of a game: the same for every game and every policy but for `numbers`.

    Attributes:
        G: The multiplier.
        worth: What a reward of 1 is learnt as: 1, or G(t) for naive policies, which do not divide.
        numbers: The plan.
        checkpoints: Turns (rising) after which running totals are written down.
        law: How rewards are drawn; its type picks the code that is compiled.
        expected: G as the policies know it when a turn comes: itself, or its forecast.
        future: The future weight W(t) as they know it; NaN where it is unknown.
    """

    G: NDArray[np.float64]
    worth: NDArray[np.float64]
    levels: NDArray[np.float64]
    checkpoints: NDArray[np.int64]
    law: Law
    expected: NDArray[np.float64]
    future: NDArray[np.float64]


@jitable
def next_checkpoint(checkpoints: NDArray[np.int64], mark: int) -> int:
    """The turn of checkpoint number `mark`; 0, which no turn is, after the last."""
    return int(checkpoints[mark]) if mark < checkpoints.size else 0


@jitable
def write_running(
    trace: NDArray[np.float64], game: int, mark: int, reward: float, regret: float
) -> None:
    """Write down the running totals of a game at a checkpoint, in the order of `TRACE`."""
    trace[game, mark, 0] = reward
    trace[game, mark, 1] = regret


@jitable
def write_totals(
    out: NDArray[np.float64],
    game: int,
    reward: float,
    regret: float,
    exploited: float,
    best_pulls: float,
) -> None:
    """Write down the totals of a game, in the order of `OUT`."""
    out[game, 0] = reward
    out[game, 1] = regret
    out[game, 2] = exploited
    out[game, 3] = best_pulls


@jitable
def first_round(
    stage: Stage,
    quantile: Quantile,
    start: int,
    parameters: NDArray[np.float64],
    gaps: NDArray[np.float64],
    sums: NDArray[np.float64],
    trace: NDArray[np.float64],
) -> tuple[float, float, int]:
    """Play every arm once, as all rules of the paper do; `sums` takes what was learnt of each.

    Returns the reward, the regret and how many checkpoints were passed.
    """
    G, worth, checkpoints, law = stage.G, stage.worth, stage.checkpoints, stage.law
    reward, regret, mark = 0.0, 0.0, 0
    for arm in range(min(sums.size, G.size)):
        x = pay(law, quantile, turn_key(start, arm + 1), parameters[arm])
        paid = G[arm] * x
        sums[arm] = learn(law, x, paid, worth[arm], G[arm])
        reward += paid
        regret += G[arm] * gaps[arm]
        if next_checkpoint(checkpoints, mark) == arm + 1:
            trace[mark, 0] = reward
            trace[mark, 1] = regret
            mark += 1
    return reward, regret, mark


@jitable
def best_arm(gaps: NDArray[np.float64]) -> int:
    """The first arm whose gap is 0."""
    for arm in range(gaps.size):
        if gaps[arm] == 0.0:
            return arm
    return 0
