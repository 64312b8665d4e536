"""Any rule and any reward model, with arms that stay or come and go: the loop of `play`, compiled.

The rule's and the reward model's functions are arguments.  Where the compiler sees them (a closure
around them, see `interface`) they are compiled in; where they are pointers, one kernel
serves all rules.  Both come from this source.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import uncounted
from highseason.core.jitable import inlined, jitable
from highseason.core.random import REWARD, draw, turn_key
from highseason.engine.kernels.turns import (
    Arms,
    Floats,
    Ints,
    Totals,
    Turns,
    next_checkpoint,
    play_portion,
    record,
    write_totals,
)
from highseason.engine.turn import Population, best_present, is_legal, renew, score_lifetimes
from highseason.policies.plan import turns_left
from highseason.policies.rule import (
    NO_END,
    ArmState,
    Observation,
    Turn,
    copy_values,
    mark_opening,
    offer_opening,
    precision_of,
)
from highseason.rewards.model import draw_reward, parameter_of, update_means, visitors_in


@jitable
def uncounted_state(state: ArmState) -> ArmState:
    """The same state, for as long as somebody else holds it."""
    selections, pulls, sums, available, start, end, weight, memory, shared = state
    return ArmState(
        uncounted(selections), uncounted(pulls), uncounted(sums), uncounted(available),
        uncounted(start), uncounted(end), uncounted(weight), uncounted(memory), uncounted(shared),
    )  # fmt: skip


@jitable
def reset_state(state: ArmState, constants: int) -> None:
    """Return a used state to what `Rule.unprepared_state` gives."""
    state.selections[:] = 0
    state.pulls[:] = 0.0
    state.sums[:] = 0.0
    state.available[:] = True
    state.start[:] = 0
    state.end[:] = NO_END
    state.weight[:] = 1.0
    state.memory[:, constants:] = 0.0
    state.shared[:] = 0.0


class RulePlayer(NamedTuple):
    """What a policy adds to its rule, and the scratch memory of a game."""

    state: ArmState  # The rule's state, reset before each game
    population: Population  # Which arms are present, filled before each game
    measure: Floats  # By what lifetimes are scored, as the policy expects it
    at_end: bool  # Whether they are scored by their end alone
    random_ties: bool  # Whether ties are broken at random
    counts_visitors: bool  # Whether an observation counts as they do, less by their correlation
    correlation: float
    constants: int  # How many of the first columns of memory never change


@jitable
def any_rule_game(
    turns: Turns,
    game: int,
    parameters: Floats,
    means: Floats,
    first: Ints,
    last: Ints,
    out: Floats,
    trace: Floats,
    player: RulePlayer,
    quantile: Callable[..., float],
    mean_at: Callable[..., float],
    start: Callable[..., None],
    choose: Callable[..., tuple[int, bool]],
    observe: Callable[..., None],
    set_weights: Callable[..., None],
) -> tuple[int, int]:
    """Play one game; (0, 0), or the turn and the arm of an illegal choice, which ends it."""
    G, rewards = turns.G, turns.rewards
    state, population, measure = player.state, player.population, player.measure
    alive = population.alive
    reset_state(state, player.constants)
    start(state)
    copy_values(first, population.first)
    copy_values(last, population.last)
    score_lifetimes(population, measure, player.at_end, G.size)
    change, opening, best = 1, True, -1
    totals, best_pulls, passed = Totals(0.0, 0.0, 0.0), 0, 0
    due = next_checkpoint(turns.checkpoints, passed)
    for i in range(G.size):
        moved = update_means(rewards.kind, mean_at, game, parameters, i + 1, G[i], means)
        if i + 1 == change:
            change, moved = renew(state, population, i + 1, set_weights), True
        if moved:
            best = best_present(alive, means)
        if i == 0:
            mark_opening(state, population.initial_arms, population.opening)
        if opening:
            opening = offer_opening(state, population.opening, alive)
        key = turn_key(game, i + 1)
        level, expected, future = turns.levels[i], turns.expected[i], turns.future[i]
        left = turns_left(i + 1, G.size, future)
        turn = Turn(i + 1, level, expected, future, left, key, player.random_ties, i + 1)
        arm, greedy = choose(state, turn)
        if not is_legal(state.available, arm):
            return i + 1, arm
        state.selections[arm] += 1
        parameter = parameter_of(rewards.kind, parameters, means, arm)
        gap = means[best] - means[arm]
        value, totals = play_portion(
            rewards, quantile, key, parameter, i + 1, G[i], gap, greedy, totals
        )
        if i + 1 == due:
            passed = record(trace, passed, totals)
            due = next_checkpoint(turns.checkpoints, passed)
        if opening:
            copy_values(alive, state.available)
        visitors = visitors_in(rewards.kind, G[i])
        precision = precision_of(visitors, player.counts_visitors, player.correlation)
        observe(state, turn, Observation(arm, value, precision))
        best_pulls += arm == best
    write_totals(out, totals, best_pulls)
    return 0, 0


@jitable
def any_rule_kernel(
    turns: Turns,
    keys: NDArray[np.uint64],
    arms: Arms,
    out: Floats,
    trace: Floats,
    player: RulePlayer,
    quantile: Callable[..., float],
    mean_at: Callable[..., float],
    start: Callable[..., None],
    choose: Callable[..., tuple[int, bool]],
    observe: Callable[..., None],
    set_weights: Callable[..., None],
) -> tuple[int, int]:
    """Play one game per key, up to the first illegal choice: its turn and arm, else (0, 0)."""
    state, population, measure, at_end, ties, counts, correlation, constants = player
    state = uncounted_state(state)
    held = RulePlayer(state, population, measure, at_end, ties, counts, correlation, constants)
    for i in range(keys.size):
        row = min(i, arms.first.shape[0] - 1)
        turn, arm = any_rule_game(
            turns, keys[i], arms.parameters[i], arms.means[min(i, arms.means.shape[0] - 1)],
            arms.first[row], arms.last[row], out[i], trace[i], held,
            quantile, mean_at, start, choose, observe, set_weights,
        )  # fmt: skip
        if turn != 0:
            return turn, arm
    return 0, 0


@inlined
def best_arms_reward(
    turns: Turns,
    game: int,
    parameters: Floats,
    means: Floats,
    first: Ints,
    last: Ints,
    quantile: Callable[..., float],
    mean_at: Callable[..., float],
) -> float:
    """The reward of playing the best arm present in every turn, with the same random numbers."""
    G, kind = turns.G, turns.rewards.kind
    total, i = 0.0, 0
    while i < G.size:
        moved = update_means(kind, mean_at, game, parameters, i + 1, G[i], means)
        best, until = _best_until(means, first, last, i + 1)
        parameter = parameter_of(kind, parameters, means, best)
        stop = i + 1 if moved else min(until, G.size)
        stretch = G[i:stop]  # counted from 0, which lets the compiler vectorise
        for j in range(stretch.size):
            t = i + j + 1
            u = draw(turn_key(game, t), REWARD)
            total += stretch[j] * draw_reward(kind, quantile, u, parameter, t, stretch[j]).paid
        i = stop
    return total


def oracle_kernel(
    turns: Turns,
    keys: NDArray[np.uint64],
    arms: Arms,
    out: Floats,
    quantile: Callable[..., float],
    mean_at: Callable[..., float],
) -> None:
    """What the best arm present would have paid in each game."""
    for i in range(keys.size):
        row, means = min(i, arms.first.shape[0] - 1), arms.means[min(i, arms.means.shape[0] - 1)]
        out[i] = best_arms_reward(
            turns, keys[i], arms.parameters[i], means, arms.first[row], arms.last[row],
            quantile, mean_at,
        )  # fmt: skip


@jitable
def _best_until(means: Floats, first: Ints, last: Ints, t: int) -> tuple[int, int]:
    """The best arm present at turn t, and the last turn up to which it certainly stays the best."""
    best = -1
    until = 2**62
    for arm in range(means.size):
        if first[arm] > t:
            until = min(until, first[arm] - 1)
        elif last[arm] >= t and (best < 0 or means[arm] > means[best]):
            best = arm
    return best, min(until, last[best])
