"""Any rule, with arms that come and go: the loop of `play`, compiled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import turn_key
from highseason.engine.arms import ArmState, reset_state
from highseason.engine.horizon import turns_left
from highseason.engine.lifetimes.presence import (
    Population,
    best_present,
    mark_opening,
    offer_opening,
    renew,
    score_lifetimes,
)
from highseason.engine.step import is_legal
from highseason.engine.turn import Observation, Turn
from highseason.games.kernels.generic import WrongArmError
from highseason.games.kernels.law import learn, pay
from highseason.games.kernels.stage import (
    Stage,
    next_checkpoint,
    write_running,
    write_totals,
)
from highseason.rewards.model import Quantile


def mortal_kernel(
    stage: Stage,
    quantile: Quantile,
    keys: NDArray[np.uint64],
    parameters: NDArray[np.float64],
    means: NDArray[np.float64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    out: NDArray[np.float64],
    trace: NDArray[np.float64],
    state: ArmState,
    population: Population,
    worth: NDArray[np.float64],
    by_expiry: bool,
    random_ties: bool,
    start: Callable[[ArmState], None],
    choose: Callable[[ArmState, Turn], tuple[int, bool]],
    observe: Callable[[ArmState, Turn, Observation], None],
    set_weights: Callable[[ArmState, int, NDArray[np.float64], float], None],
) -> None:
    """Play one game per key with one and the same `state` and `population`, filled before each."""
    G, learnt_as, numbers, checkpoints, law, expected, future = stage
    for game in range(keys.size):
        reset_state(state)
        start(state)
        population.first[:] = first[game]
        population.last[:] = last[game]
        score_lifetimes(population, worth, by_expiry, G.size)
        change, opening, best = 1, True, -1
        reward, regret, exploited, best_pulls, mark = 0.0, 0.0, 0.0, 0, 0
        due = next_checkpoint(checkpoints, mark)
        for i in range(G.size):
            if i + 1 == change:
                change = renew(state, population, i + 1, set_weights)
                best = best_present(population, means[game])
            if i == 0:
                mark_opening(state, population.initial_arms, population.opening)
            if opening:
                opening = offer_opening(state, population.opening, population.alive)
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
            if opening:
                state.available[:] = population.alive
            value = learn(law, x, paid, learnt_as[i], G[i])
            observe(state, turn, Observation(arm, value, 1.0))
            reward += paid
            regret += G[i] * (means[game, best] - means[game, arm])
            exploited += paid if greedy else 0.0
            best_pulls += arm == best
            if i + 1 == due:
                write_running(trace, game, mark, reward, regret)
                mark += 1
                due = next_checkpoint(checkpoints, mark)
        write_totals(out, game, reward, regret, exploited, best_pulls)


def best_alive_totals(
    stage: Stage,
    quantile: Quantile,
    keys: NDArray[np.uint64],
    parameters: NDArray[np.float64],
    means: NDArray[np.float64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """The scaled reward of always playing the best arm that is there, one total per game."""
    G, law = stage.G, stage.law
    for game in range(keys.size):
        total, best, until = 0.0, -1, 0
        for i in range(G.size):
            if i + 1 > until:
                best, until = _best_until(means[game], first[game], last[game], i + 1)
            parameter = parameters[game, best]
            total += G[i] * pay(law, quantile, turn_key(keys[game], i + 1), parameter)
        out[game] = total


@jitable
def _best_until(
    means: NDArray[np.float64], first: NDArray[np.int64], last: NDArray[np.int64], t: int
) -> tuple[int, int]:
    """The best arm there at turn t, and the last turn up to which that is sure to stay so."""
    best = -1
    until = 2**62
    for arm in range(means.size):
        if first[arm] > t:
            until = min(until, first[arm] - 1)
        elif last[arm] >= t and (best < 0 or means[arm] > means[best]):
            best = arm
    return best, min(until, last[best])
