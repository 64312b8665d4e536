"""What the best arm would have paid in each game, with the very numbers the policies face."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import turn_key
from highseason.games.kernels.law import pay
from highseason.games.kernels.stage import Stage, best_arm
from highseason.rewards.model import Quantile


def best_totals(
    stage: Stage,
    quantile: Quantile,
    keys: NDArray[np.uint64],
    parameters: NDArray[np.float64],
    gaps: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """The scaled reward of always playing the best arm, one total per game."""
    G, law = stage.G, stage.law
    for game in range(keys.size):
        best = parameters[game, best_arm(gaps[game])]
        total = 0.0
        for i in range(G.size):
            total += G[i] * pay(law, quantile, turn_key(keys[game], i + 1), best)
        out[game] = total
