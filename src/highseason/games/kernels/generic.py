"""Any rule, arm by arm: the loop of `play`, compiled, with the rule passed as functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import turn_key
from highseason.games.kernels.law import learn, pay
from highseason.games.kernels.stage import (
    Stage,
    best_arm,
    next_checkpoint,
    write_running,
    write_totals,
)
from highseason.rewards.model import Quantile
from highseason.rules.state import NO_END, State, Turn


class WrongArmError(Exception):
    """A rule chose an arm that does not exist: the turn, and what it chose."""


@jitable
def empty(state: State) -> None:
    """Make the state as it is before the first turn."""
    state.decided[:] = 0
    state.pulls[:] = 0.0
    state.sums[:] = 0.0
    state.available[:] = True
    state.birth[:] = 0
    state.expiry[:] = NO_END
    state.weight[:] = 1.0
    state.memory[:] = 0.0
    state.shared[:] = 0.0


def generic_kernel(
    stage: Stage,
    quantile: Quantile,
    keys: NDArray[np.uint64],
    parameters: NDArray[np.float64],
    gaps: NDArray[np.float64],
    out: NDArray[np.float64],
    trace: NDArray[np.float64],
    state: State,
    random_ties: bool,
    start: Callable[[State], None],
    choose: Callable[[State, Turn], tuple[int, bool]],
    observe: Callable[[State, Turn, int, float], None],
) -> None:
    """Play one game per key with one and the same `state`, emptied before each."""
    G, worth, numbers, checkpoints, law = stage
    for game in range(keys.size):
        empty(state)
        start(state)
        reward, regret, exploited, mark = 0.0, 0.0, 0.0, 0
        due = next_checkpoint(checkpoints, mark)
        for i in range(G.size):
            key = turn_key(keys[game], i + 1)
            turn = Turn(i + 1, numbers[i], key, random_ties, i + 1)
            arm, greedy = choose(state, turn)
            if not 0 <= arm < state.decided.size:
                raise WrongArmError(i + 1, arm)
            state.decided[arm] += 1
            x = pay(law, quantile, key, parameters[game, arm])
            paid = G[i] * x
            observe(state, turn, arm, learn(law, x, paid, worth[i], G[i]))
            reward += paid
            regret += G[i] * gaps[game, arm]
            exploited += paid if greedy else 0.0
            if i + 1 == due:
                write_running(trace, game, mark, reward, regret)
                mark += 1
                due = next_checkpoint(checkpoints, mark)
        write_totals(out, game, reward, regret, exploited, state.decided[best_arm(gaps[game])])
