"""What every kernel plays on: the turns, the arms' luck, and where results go.

A kernel is `kernel(stage, quantile, keys, parameters, gaps, out, trace)`.  It plays one game per key and
writes, for each, the totals named in `OUT` and, at the stage's checkpoints, the running totals
named in `TRACE`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import REWARD, draw
from highseason.rewards.families import bernoulli_quantile, clipped_normal_quantile
from highseason.rewards.model import Quantile

#: Columns of a kernel's `out`: totals of a game.
OUT = ("reward", "regret", "exploited", "best_pulls")
#: The last axis of a kernel's `trace`: running totals at the checkpoints.
TRACE = ("reward", "regret")

BERNOULLI, CLIPPED_NORMAL, ANY = 0, 1, 2


class Stage(NamedTuple):
    """The turns of a game: the same for every game and every policy but for `numbers`.

    Attributes:
        G: The multiplier.
        divisor: What a scaled reward is divided by before it is learnt: G, or 1 for naive policies.
        numbers: The plan.
        checkpoints: Turns (rising) after which running totals are written down.
        family: Which quantile to inline (`BERNOULLI`, …); `ANY` calls the kernel's `quantile`.
        scale: The reward model's shared number.
    """

    G: NDArray[np.float64]
    divisor: NDArray[np.float64]
    numbers: NDArray[np.float64]
    checkpoints: NDArray[np.int64]
    family: int
    scale: float


@jitable
def pay(stage: Stage, quantile: Quantile, key: int, parameter: float) -> float:
    """The reward X of the turn that begins at `key`, for an arm with this parameter."""
    u = draw(key, REWARD)
    if stage.family == BERNOULLI:
        return bernoulli_quantile(u, parameter, stage.scale)
    if stage.family == CLIPPED_NORMAL:
        return clipped_normal_quantile(u, parameter, stage.scale)
    return quantile(u, parameter, stage.scale)


@jitable
def best_arm(gaps: NDArray[np.float64]) -> int:
    """The first arm whose gap is 0."""
    for arm in range(gaps.size):
        if gaps[arm] == 0.0:
            return arm
    return 0
