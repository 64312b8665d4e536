"""Means that move: a random walk, and a change at a turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import ARMS, draw, hash_at, turn_key
from highseason.core.special import normal_quantile


class Drift(NamedTuple):
    """How the means of all arms move."""

    step: float  # The standard deviation of a mean's step from one turn to the next
    change: float  # The turn from which an arm has its second mean; 0 if it has only one
    low: float  # Where a walk is reflected below
    high: float  # And above


@jitable
def move_means(
    drift: Drift, game: int, arms: NDArray[np.float64], t: int, means: NDArray[np.float64]
) -> None:
    """Turn the means of turn t - 1 of a game into those of turn t; turn 1 sets them.

    `arms` is flat: the first mean of each arm, followed by its second one if there is a change.
    """
    width = arms.size // means.size
    family = hash_at(turn_key(game, t), ARMS)
    for arm in range(means.size):
        if t == 1:
            means[arm] = arms[arm * width]
        elif t == drift.change:
            means[arm] = arms[arm * width + 1]
        elif drift.step > 0.0:
            moved = means[arm] + drift.step * normal_quantile(draw(family, arm) + 2.0**-54)
            moved = 2.0 * drift.low - moved if moved < drift.low else moved
            moved = 2.0 * drift.high - moved if moved > drift.high else moved
            means[arm] = min(max(moved, drift.low), drift.high)
