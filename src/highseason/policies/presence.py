"""Which arms are present: how a rule's state follows the lifetimes of the arms.

Games, replays and live bandits run these same functions, as Python or compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.policies.lifetimes import Lifetimes, running_worth
from highseason.policies.state import NO_END, UNKNOWN_END, ArmState, copy_values
from highseason.rewards import Rewards
from highseason.traffic import Forecast, OneStep, as_multiplier

SetWeights = Callable[[ArmState, int, NDArray[np.float64], float], None]


@jitable
def uniform_weights(state: ArmState, clock: int, scores: NDArray[np.float64], scale: float) -> None:
    """Every arm is equally worth exploring."""
    state.weight[:] = scale


@jitable
def mark_opening(state: ArmState, count: int, opening: NDArray[np.bool_]) -> None:
    """Mark the opening: the `count` available arms of highest weight, tried before all others."""
    opening[:] = False
    for _ in range(count):
        best = -1
        for arm in range(state.weight.size):
            free = state.available[arm] and not opening[arm]
            if free and (best < 0 or state.weight[arm] > state.weight[best]):
                best = arm
        if best < 0:
            return
        opening[best] = True


@jitable
def offer_opening(state: ArmState, opening: NDArray[np.bool_], allowed: NDArray[np.bool_]) -> bool:
    """Offer what is left of the opening; if nothing is, all allowed arms, and return False."""
    left = False
    for arm in range(allowed.size):
        wanted = allowed[arm] and opening[arm] and state.selections[arm] == 0
        state.available[arm] = wanted
        left = left or wanted
    if not left:
        copy_values(allowed, state.available)
    return left


@jitable
def reveal_ends(state: ArmState, ends: NDArray[np.int64], clock: int) -> None:
    """An unknown end becomes known once it has passed."""
    for arm in range(ends.size):
        if state.end[arm] == UNKNOWN_END and ends[arm] < clock:
            state.end[arm] = ends[arm]


@jitable
def lifetime_score(
    start: int, end: int, turns: int, measure: NDArray[np.float64], at_end: bool
) -> float:
    """What a lifetime is worth in a game of `turns` turns, by a policy's `measure_of` turns.

    That is the measure at its end, or by how much it grows over the lifetime.  A lifetime that is
    unknown, or has no end, lasts as long as the game; one that starts after the game is worth
    nothing.
    """
    last = min(turns, end)
    return float(measure[last] - (0.0 if at_end else measure[min(max(1, start) - 1, last)]))


class LifetimeOptions(NamedTuple):
    """How a policy uses lifetimes.  The defaults ignore them.

    Attributes:
        needs_end: It cannot play without knowing when each arm ends.
        ranks_by_end: An arm's score is its end, not what its whole lifetime is worth.
        weight_scale: The most that exploring an arm can be worth; `Rule.set_weights` takes it.
        initial_arms: How many of the arms present at the start are tried first; 0 for all of them.
        scores_left: An arm's score is the weight that is left when it ends: the sum of G after it.
    """

    needs_end: bool = False
    ranks_by_end: bool = False
    weight_scale: float = 1.0
    initial_arms: int = 0
    scores_left: bool = False

    @property
    def at_end(self) -> bool:
        """Whether a score depends on the end of a lifetime alone."""
        return self.ranks_by_end or self.scores_left


class Population(NamedTuple):
    """The arms of one game: first and last turn of each, and what a policy makes of them."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    scores: NDArray[np.float64]  # what a lifetime is worth to the policy
    alive: NDArray[np.bool_]  # which arms are present now
    opening: NDArray[np.bool_]  # which of them are tried before all others
    known: bool  # whether the policy knows when an arm ends
    end: int  # the latest it is given: that of the game if it counts what is left, or NO_END
    scale: float  # what `Rule.set_weights` is given
    initial_arms: int  # how many of the arms present at the start form the opening


@jitable
def score_lifetimes(
    population: Population, measure: NDArray[np.float64], at_end: bool, turns: int
) -> None:
    """Score the lifetime of every arm; see `lifetime_score`."""
    for arm in range(population.first.size):
        end = population.last[arm] if population.known else UNKNOWN_END
        population.scores[arm] = lifetime_score(population.first[arm], end, turns, measure, at_end)


@jitable
def renew(state: ArmState, population: Population, t: int, set_weights: SetWeights) -> int:
    """Update which arms are present at turn t; gives the next turn at which that changes."""
    change = NO_END
    for arm in range(population.first.size):
        first, last = population.first[arm], population.last[arm]
        present = first <= t <= last
        population.alive[arm] = state.available[arm] = present
        if first > t:
            change = min(change, first)
        else:
            state.start[arm] = 0 if first <= 1 else first
            end = min(last, population.end)
            state.end[arm] = end if population.known or last < t else UNKNOWN_END
            change = min(change, last + 1) if present else change
    set_weights(state, t, population.scores, population.scale)
    return change


@jitable
def best_present(population: Population, means: NDArray[np.float64]) -> int:
    """The arm with the highest mean of those present."""
    best = -1
    for arm in range(means.size):
        if population.alive[arm] and (best < 0 or means[arm] > means[best]):
            best = arm
    return best


def population_of(
    policy: Any, spans: NDArray[np.int64], lifetimes: Lifetimes | None, turns: int
) -> Population:
    """The arms of a game as a policy meets them, before the first turn."""
    known, use = lifetimes is None or lifetimes.known, policy.lifetime_options
    if use.needs_end and not known:
        raise ValueError(
            f"{policy} explores by the remaining lifetimes, so it must know when arms end, but "
            "these lifetimes have known=False"
        )
    arms = spans.shape[0]
    all_first = arms if lifetimes is not None and policy.rule.traits.tries_each_arm else 0
    return Population(
        first=np.ascontiguousarray(spans[:, 0]),
        last=np.ascontiguousarray(spans[:, 1]),
        scores=np.zeros(arms),
        alive=np.zeros(arms, np.bool_),
        opening=np.zeros(arms, np.bool_),
        known=known,
        end=turns if use.needs_end else NO_END,
        scale=float(use.weight_scale),
        initial_arms=use.initial_arms or all_first,
    )


def lifetimes_matter(policy: Any) -> bool:
    """Whether a policy plays differently among arms that stay because it looks at lifetimes."""
    use = policy.lifetime_options
    weighs = policy.rule.set_weights is not uniform_weights and not use.scores_left
    return weighs or use.needs_end or use.initial_arms > 0


def arms_at_once(rewards: Rewards, lifetimes: Lifetimes | None, turns: int) -> int:
    """How many arms a plan is made for: all of them, or as many as are present on average."""
    if lifetimes is None:
        return rewards.arms
    if not isinstance(lifetimes, Lifetimes):
        raise ValueError(
            f"expected lifetimes such as hs.lifetimes.fixed([(1, 90), (30, inf)]), got "
            f"{lifetimes!r}"
        )
    if lifetimes.arms != rewards.arms:
        raise ValueError(
            f"the rewards have {rewards.arms} arms, the lifetimes {lifetimes.arms}: give the same "
            "number, such as hs.rewards.bernoulli(arms=lifetimes.arms)"
        )
    return lifetimes.typical(turns)


def spans_of(
    lifetimes: Lifetimes | None, keys: NDArray[np.uint64], arms: int, turns: int
) -> NDArray[np.int64]:
    """First and last turn of every arm, by game."""
    if lifetimes is not None:
        return lifetimes.spans(keys, turns)
    return np.broadcast_to(np.array([1, NO_END], np.int64), (keys.size, arms, 2))


def measure_of(values: NDArray[np.float64], options: LifetimeOptions) -> NDArray[np.float64]:
    """By what a policy scores lifetimes, before the first turn and after each: it ends there.

    >>> G = np.array([4.0, 2.0, 1.0])
    >>> measure_of(G, LifetimeOptions(ranks_by_end=True))
    array([0., 1., 2., 3.])
    >>> measure_of(G, LifetimeOptions(scores_left=True))
    array([7., 3., 1., 0.])
    """
    if options.scores_left:
        return np.append(np.cumsum(values[::-1])[::-1], 0.0)
    return np.arange(values.size + 1.0) if options.ranks_by_end else running_worth(values)


def expected_measure(
    values: NDArray[np.float64], forecast: Any, options: LifetimeOptions
) -> NDArray[np.float64]:
    """The same by what the policy expects of turns when the game begins.

    A one-step forecaster expects nothing of later turns: all of them then count equally.
    """
    if isinstance(forecast, Forecast):
        values = forecast.mean
    elif isinstance(forecast, OneStep):
        values = np.ones_like(values)
    elif forecast is not None:
        values = as_multiplier(forecast, turns=values.size).values
    return measure_of(values, options)
