"""Which arms are present: how a rule's state follows the lifetimes of a game's arms.

`play` and the compiled kernels run these same functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.engine.arms import NO_END, UNKNOWN_END, ArmState
from highseason.engine.lifetimes.model import Lifetimes, running_worth
from highseason.forecasters import Forecast, OneStep
from highseason.multipliers import as_multiplier
from highseason.rewards import Rewards

SetWeights = Callable[[ArmState, int, NDArray[np.float64], float], None]


@jitable
def uniform_weights(state: ArmState, clock: int, scores: NDArray[np.float64], scale: float) -> None:
    """Every arm is equally worth exploring."""
    state.weight[:] = scale


class Population(NamedTuple):
    """The arms of one game.

    Attributes:
        first: The first turn of each arm.
        last: Its last.
        scores: What its life is worth to the policy.
        alive: Which are there now.
        opening: Which of them are to be tried before all others.
        known: Whether the policy is told when an arm will expire.
        end: The latest expiry it is told: the end of the game where it counts the life left, or
            `NO_END`.
        scale: What the rule's `set_weights` is given.
        initial_arms: How many of the arms there at the start are tried before the rule is free.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    scores: NDArray[np.float64]
    alive: NDArray[np.bool_]
    opening: NDArray[np.bool_]
    known: bool
    end: int
    scale: float
    initial_arms: int


@jitable
def score_lifetimes(
    population: Population, worth: NDArray[np.float64], by_expiry: bool, turns: int
) -> None:
    """Score every arm: the sum of G over its life, or how late it dies.

    `worth` holds running sums of G, beginning with 0.  A life of which nobody knows the end is
    taken to last as long as the game.
    """
    for arm in range(population.first.size):
        last = min(turns, population.last[arm]) if population.known else turns
        before = min(population.first[arm] - 1, last)  # an arm born after the end is worth nothing
        population.scores[arm] = last if by_expiry else worth[last] - worth[before]


@jitable
def renew(state: ArmState, population: Population, t: int, set_weights: SetWeights) -> int:
    """Let the state say who is there at turn t; gives the next turn at which that changes."""
    change = NO_END
    for arm in range(population.first.size):
        first, last = population.first[arm], population.last[arm]
        there = first <= t <= last
        population.alive[arm] = state.available[arm] = there
        if first > t:
            change = min(change, first)
        else:
            state.start[arm] = 0 if first <= 1 else first
            told = min(last, population.end)
            state.end[arm] = told if population.known or last < t else UNKNOWN_END
            change = min(change, last + 1) if there else change
    set_weights(state, t, population.scores, population.scale)
    return change


@jitable
def choose_opening(state: ArmState, population: Population) -> None:
    """The arms to be tried first: of those there in turn 1, so many of the highest weight."""
    population.opening[:] = False
    for _ in range(population.initial_arms):
        best = -1
        for arm in range(population.alive.size):
            free = population.alive[arm] and not population.opening[arm]
            if free and (best < 0 or state.weight[arm] > state.weight[best]):
                best = arm
        if best < 0:
            return
        population.opening[best] = True


@jitable
def offer(state: ArmState, population: Population) -> bool:
    """Offer what is left of the opening; if nothing is, offer all arms there and give False."""
    left = False
    for arm in range(population.alive.size):
        wanted = population.alive[arm] and population.opening[arm] and state.selections[arm] == 0
        state.available[arm] = wanted
        left = left or wanted
    if not left:
        state.available[:] = population.alive
    return left


@jitable
def best_there(population: Population, means: NDArray[np.float64]) -> int:
    """The arm with the highest mean of those that are there."""
    best = -1
    for arm in range(means.size):
        if population.alive[arm] and (best < 0 or means[arm] > means[best]):
            best = arm
    return best


def population_of(
    policy: Any, spans: NDArray[np.int64], lifetimes: Lifetimes | None, turns: int
) -> Population:
    """The arms of a game as a policy meets them, before the first turn.

    Raises:
        ValueError: The policy needs to know when arms expire, and is not told.
    """
    known = lifetimes is None or lifetimes.known
    if policy.needs_expiry and not known:
        raise ValueError(
            f"{policy} explores by the life that arms have left, so it must be told when they "
            "expire: these lifetimes have known=False"
        )
    arms = spans.shape[0]
    all_first = arms if lifetimes is not None and policy.rule.tries_each else 0
    return Population(
        first=np.ascontiguousarray(spans[:, 0]),
        last=np.ascontiguousarray(spans[:, 1]),
        scores=np.zeros(arms),
        alive=np.zeros(arms, np.bool_),
        opening=np.zeros(arms, np.bool_),
        known=known,
        end=turns if policy.needs_expiry else NO_END,
        scale=float(policy.weight_scale),
        initial_arms=policy.initial_arms or all_first,
    )


def lifetimes_matter(policy: Any) -> bool:
    """Whether a policy plays otherwise than its rule alone would among arms that never die."""
    weighs = policy.rule.set_weights is not uniform_weights
    return weighs or policy.needs_expiry or policy.initial_arms > 0


def arms_at_once(rewards: Rewards, lifetimes: Lifetimes | None, turns: int) -> int:
    """How many arms a plan is made for: all of them, or as many as are there on average."""
    if lifetimes is None:
        return rewards.arms
    if not isinstance(lifetimes, Lifetimes):
        raise ValueError(
            f"{lifetimes!r} are not lifetimes; write hs.lifetimes.fixed([(1, 90), (30, inf)])"
        )
    if lifetimes.arms != rewards.arms:
        raise ValueError(
            f"the rewards have {rewards.arms} arms, the lifetimes {lifetimes.arms}: give them as many, "
            "such as hs.rewards.bernoulli(arms=lifetimes.arms)"
        )
    return lifetimes.typical(turns)


def spans_of(
    lifetimes: Lifetimes | None, keys: NDArray[np.uint64], arms: int, turns: int
) -> NDArray[np.int64]:
    """First and last turn of every arm, by game."""
    if lifetimes is not None:
        return lifetimes.spans(keys, turns)
    return np.broadcast_to(np.array([1, NO_END], np.int64), (keys.size, arms, 2))


def worth_of(values: NDArray[np.float64], forecast: Any) -> NDArray[np.float64]:
    """What stretches of turns are worth, by what the policy believes when the game begins.

    Running sums, from 0 on.  A one-step forecaster believes nothing of later turns: all of them
    then count alike.
    """
    if isinstance(forecast, Forecast):
        values = forecast.mean
    elif isinstance(forecast, OneStep):
        values = np.ones_like(values)
    elif forecast is not None:
        values = as_multiplier(forecast, turns=values.size).values
    return running_worth(values)
