"""Any rule, arm by arm: the loop of `play`, compiled, with the rule passed as functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import turn_key
from highseason.engine.arms import ArmState, reset_state
from highseason.engine.horizon import turns_left
from highseason.engine.step import is_legal
from highseason.engine.turn import Observation, Turn
from highseason.games.kernels.law import learn, pay
from highseason.games.kernels.stage import (
    Stage,
    best_arm,
    next_checkpoint,
    write_running,
    write_totals,
)
from highseason.rewards.model import Quantile


class WrongArmError(Exception):
    """A rule chose an arm that does not exist: the turn, and what it chose."""


def generic_kernel(
    stage: Stage,
    quantile: Quantile,
    keys: NDArray[np.uint64],
    parameters: NDArray[np.float64],
    gaps: NDArray[np.float64],
    out: NDArray[np.float64],
    trace: NDArray[np.float64],
    state: ArmState,
    random_ties: bool,
    start: Callable[[ArmState], None],
    choose: Callable[[ArmState, Turn], tuple[int, bool]],
    observe: Callable[[ArmState, Turn, Observation], None],
) -> None:
    """Play one game per key with one and the same `state`, emptied before each."""
    G, worth, numbers, checkpoints, law, expected, future = stage
    for game in range(keys.size):
        reset_state(state)
        start(state)
        reward, regret, exploited, mark = 0.0, 0.0, 0.0, 0
        due = next_checkpoint(checkpoints, mark)
        for i in range(G.size):
            key = turn_key(keys[game], i + 1)
            left = turns_left(i + 1, G.size, future[i])
            turn = Turn(
                i + 1, numbers[i], expected[i], future[i], left, key, random_ties, i + 1
            )  # fmt: skip
            arm, greedy = choose(state, turn)
            if not is_legal(state.available, arm):
                raise WrongArmError(i + 1, arm)
            state.selections[arm] += 1
            x = pay(law, quantile, key, parameters[game, arm])
            paid = G[i] * x
            value = learn(law, x, paid, worth[i], G[i])
            observe(state, turn, Observation(arm, value, 1.0))
            reward += paid
            regret += G[i] * gaps[game, arm]
            exploited += paid if greedy else 0.0
            if i + 1 == due:
                write_running(trace, game, mark, reward, regret)
                mark += 1
                due = next_checkpoint(checkpoints, mark)
        write_totals(out, game, reward, regret, exploited, state.selections[best_arm(gaps[game])])
