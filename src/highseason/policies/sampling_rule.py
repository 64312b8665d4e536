"""Posterior sampling (Thompson): draw what each arm may be worth, and play the highest draw.

The level scales the noise: each draw is moved towards the posterior's mean, so that its variance is
the level times that of the posterior.  1 is the textbook's algorithm, and 0 exploits: it plays the
arm that looks best, the leader.

Two posteriors are known.  That of a rate under a Beta prior, from which any rewards in [0, 1] are
learned: a reward x counts as x successes and 1 - x failures.  And that of a mean under a flat
prior, if a reward has a normal distribution whose variance is the level: an arm without a reward
comes first there, because its posterior has no end.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.gamma import BETA_NUMBERS, beta_sample
from highseason.core.jitable import jitable
from highseason.core.random import ARMS, draw, hash_at
from highseason.core.special import normal_quantile
from highseason.policies.maximum import greatest_of_beta, greatest_of_normal
from highseason.policies.ranking import (
    estimate,
    estimates,
    leader,
    leader_probabilities,
    least_selected,
    least_selected_probabilities,
    untried,
    untried_probabilities,
)
from highseason.policies.rule import Floats, Rule, RuleTraits
from highseason.policies.state import ArmState, Turn

#: The rule's shared numbers: successes and failures of the prior.
SUCCESSES, FAILURES = 0, 1
#: Draws of a level below this differ from the mean by nothing that matters.
_NO_NOISE = 1e-24


@jitable
def beta_posterior(state: ArmState, arm: int) -> tuple[float, float]:
    """The successes and failures of an arm, with those of the prior; each above 0."""
    sums = min(max(state.sums[arm], 0.0), state.pulls[arm])
    return state.shared[SUCCESSES] + sums, state.shared[FAILURES] + (state.pulls[arm] - sums)


@jitable
def choose_beta(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """The highest draw; it exploits if that arm also has the highest mean reward.

    The draws are numbered by the arms on offer, so arms that are not there play no part.
    """
    favourite = leader(state, turn)
    if turn.level <= _NO_NOISE:
        return favourite, state.pulls[favourite] > 0.0
    family, width = hash_at(turn.key, ARMS), math.sqrt(turn.level)
    best, place, top = -1, 0, -math.inf
    for arm in range(state.available.size):
        if state.available[arm]:
            a, b = beta_posterior(state, arm)
            value = beta_sample(family, place * BETA_NUMBERS, a, b)
            if width != 1.0:
                mean = a / (a + b)
                value = mean + width * (value - mean)
            if value > top:
                best, top = arm, value
            place += 1
    if state.pulls[best] <= 0.0:
        return best, False
    return best, estimate(state, best) >= estimate(state, favourite)


@jitable
def choose_normal(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """Arms without a reward first, then the highest draw; it exploits if it is the leader's."""
    first = untried(state)
    if first >= 0:
        return first, False
    if turn.level > _NO_NOISE:
        unseen = least_selected(state, False)
        if unseen >= 0:
            return unseen, False
    favourite = leader(state, turn)
    if turn.level <= _NO_NOISE or state.pulls[favourite] <= 0.0:
        return favourite, state.pulls[favourite] > 0.0
    family, width = hash_at(turn.key, ARMS), math.sqrt(turn.level)
    best, place, top = favourite, 0, -math.inf
    for arm in range(state.available.size):
        if state.available[arm]:
            noise = normal_quantile(draw(family, place))
            value = estimate(state, arm) + width / math.sqrt(state.pulls[arm]) * noise
            if value > top:
                best, top = arm, value
            place += 1
    return best, estimate(state, best) >= estimate(state, favourite)


def beta_probabilities(state: ArmState, turn: Turn) -> Floats:
    """How likely each draw is to be the highest, by numerical integration."""
    if turn.level <= _NO_NOISE:
        return leader_probabilities(state, turn)
    arms = np.flatnonzero(state.available)
    posteriors = np.array([beta_posterior(state, arm) for arm in arms.tolist()])
    chances = greatest_of_beta(posteriors[:, 0], posteriors[:, 1], math.sqrt(turn.level))
    return scattered(chances, arms, state.available.size)


def normal_probabilities(state: ArmState, turn: Turn) -> Floats:
    """The same for normal draws, once every arm on offer has a reward."""
    forced = untried_probabilities(state)
    if forced is None and turn.level > _NO_NOISE:
        forced = least_selected_probabilities(state, False)
    if forced is not None:
        return forced
    seen = estimates(state)
    arms = np.flatnonzero(seen > -np.inf)
    if turn.level <= _NO_NOISE or arms.size == 0:
        return leader_probabilities(state, turn)
    chances = greatest_of_normal(seen[arms], np.sqrt(turn.level / state.pulls[arms]))
    return scattered(chances, arms, seen.size)


def scattered(values: Floats, places: NDArray[np.int64], size: int) -> Floats:
    """The values at their places, and 0 elsewhere."""
    out = np.zeros(size)
    out[places] = values
    return out


def beta_intensity(levels: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """The width of the draws of an arm that had its even share, over that of an untried one.

    A uniform posterior has the variance 1/12, that of an arm with n rewards 1/(4 n + 12) at most.
    """
    return np.minimum(1.0, np.sqrt(levels * 3.0 / (3.0 + turns / arms)))


def normal_intensity(levels: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """Twice the deviation of the draws of an arm that had its even share, at most 1."""
    return np.minimum(1.0, 2.0 * np.sqrt(levels * arms / turns))


def beta_negligible(levels: Floats) -> NDArray[np.bool_]:
    """Draws differ from their means by less than a hundredth of what the posterior says."""
    return levels < 1e-4


def normal_negligible(levels: Floats) -> NDArray[np.bool_]:
    """The draw of an arm with a single reward is within a hundredth of its estimate."""
    return levels < 1e-4


@functools.cache
def beta_sampling(successes: float = 1.0, failures: float = 1.0) -> Rule:
    """Posterior sampling under a Beta prior, which the compiled code reads from the state."""

    @jitable
    def start(state: ArmState) -> None:
        """Store the prior."""
        state.shared[SUCCESSES] = successes
        state.shared[FAILURES] = failures

    return Rule(
        "beta-sampling",
        choose_beta,
        beta_intensity,
        start=start,
        shared=2,
        allowed=(0.0, math.inf),
        traits=RuleTraits(local=True, unit_range=True),
        probabilities=beta_probabilities,
        negligible=beta_negligible,
        exploits_at=0.0,
        made_by=(beta_sampling, (successes, failures)),
    )


BETA_SAMPLING = beta_sampling()
NORMAL_SAMPLING = Rule(
    "normal-sampling",
    choose_normal,
    normal_intensity,
    allowed=(0.0, math.inf),
    traits=RuleTraits(local=True, tries_each_arm=True),
    probabilities=normal_probabilities,
    negligible=normal_negligible,
    exploits_at=0.0,
)
