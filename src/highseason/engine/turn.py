"""The one definition of a turn, a legal choice and an observation, and the arms of a game.

`play` and the live bandit call the first half.  Compiled kernels share `is_legal` with them, and
with `play` how the arms of a game come and go.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import ARMS, hash_at
from highseason.policies.lifetimes import Lifetimes
from highseason.policies.ranking import one_hot
from highseason.policies.rule import (
    NO_END,
    UNKNOWN_END,
    ArmState,
    Choose,
    LifetimeOptions,
    Observation,
    Rule,
    SetWeights,
    Turn,
    lifetime_score,
    measure_of,
)
from highseason.rewards import Rewards
from highseason.traffic import Forecast, OneStep, as_multiplier

#: How many sets of random numbers a propensity is estimated from, where a rule has none.
KEYS = 4096


class IllegalArmError(ValueError):
    """A rule chose an arm that does not exist or is not available."""


@jitable
def is_legal(available: NDArray[np.bool_], arm: int) -> bool:
    """Whether the arm exists and is available.

    It takes the array, because a state of nine arrays costs a compiled caller 100 ns per call.
    """
    return bool(0 <= arm < available.size and available[arm])


def illegal_arm(rule: Rule, turn: int, arm: int, arms: int) -> IllegalArmError:
    """The error for a choice that is not legal."""
    reason = (
        "it is not available in that turn; look at state.available"
        if 0 <= arm < arms
        else f"the arms are 0 to {arms - 1}"
    )
    return IllegalArmError(f"the rule {rule.name!r} chose arm {arm} in turn {turn}, but {reason}")


def choose(
    rule: Rule, state: ArmState, turn: Turn, compiled: Choose | None = None
) -> tuple[int, bool]:
    """The rule's choice among `state.available`, which must be legal, and whether it exploits."""
    arm, exploited = (compiled or rule.choose)(state, turn)
    if not is_legal(state.available, arm):
        raise illegal_arm(rule, turn.t, arm, state.available.size)
    return int(arm), bool(exploited)


def select(state: ArmState, arm: int) -> None:
    """Count a selection: the arm is now the one that was decided for."""
    state.selections[arm] += 1


def probabilities_of(rule: Rule, state: ArmState, turn: Turn) -> NDArray[np.float64]:
    """The probability of each arm over the random numbers that the turn may have had."""
    if rule.probabilities is not None:
        return rule.probabilities(state, turn)
    if not (rule.traits.stochastic or turn.random_ties):
        return one_hot(rule.choose(state, turn)[0], state.available.size)
    # The turn's own numbers are one of the sets, so the arm it decides for never has 0.
    family = hash_at(turn.key, ARMS)
    keys = [turn.key, *(hash_at(family, i) for i in range(1, KEYS))]
    counts = np.zeros(state.available.size)
    for key in keys:
        counts[rule.choose(state, turn._replace(key=key))[0]] += 1.0
    return np.asarray(counts / KEYS)


def decide(rule: Rule, state: ArmState, turn: Turn) -> tuple[int, bool]:
    """Let the rule choose, and count the selection."""
    arm, exploited = choose(rule, state, turn)
    select(state, arm)
    return arm, exploited


class Portion(NamedTuple):
    """What one arm is shown of a turn: a turn with G·share."""

    arm: int
    share: float
    exploited: bool


def portions_of(rule: Rule, state: ArmState, turn: Turn) -> list[Portion]:
    """Let the rule decide a turn: it is played whole, by one arm."""
    arm, exploited = decide(rule, state, turn)
    return [Portion(arm, 1.0, exploited)]


def learn(
    rule: Rule,
    state: ArmState,
    turn: Turn,
    observation: Observation,
    present: NDArray[np.bool_] | None = None,
) -> None:
    """Let the rule observe a turn that was decided.

    `present` are the arms that are there now; they may differ from those that were on offer.
    """
    if present is not None:
        state.available[:] = present
    rule.observe(state, turn, observation)


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
def best_present(alive: NDArray[np.bool_], means: NDArray[np.float64]) -> int:
    """The arm with the highest mean of those that are alive."""
    best = -1
    for arm in range(means.size):
        if alive[arm] and (best < 0 or means[arm] > means[best]):
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


def arms_at_once(rewards: Rewards, lifetimes: Lifetimes, turns: int) -> int:
    """How many arms a plan is made for where they come and go: as many as are there on average."""
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


def expected_measure(
    values: NDArray[np.float64], forecast: Any, options: LifetimeOptions
) -> NDArray[np.float64]:
    """What lifetimes are scored by, `measure_of` what is expected of turns when the game begins.

    A one-step forecaster expects nothing of later turns: all of them then count equally.
    """
    if isinstance(forecast, Forecast):
        values = forecast.mean
    elif isinstance(forecast, OneStep):
        values = np.ones_like(values)
    elif forecast is not None:
        values = as_multiplier(forecast, turns=values.size).values
    return measure_of(values, options)
