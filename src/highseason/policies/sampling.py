"""Posterior sampling (Thompson): draw what each arm may be worth, and play the highest draw.

The level scales the noise: each draw is moved towards the posterior's mean, so that its variance is
the level times that of the posterior.  1 is the textbook's algorithm, and 0 exploits: of the arms
with a reward, it plays the one with the highest mean, the leader.

Two posteriors are known.  That of a rate under a Beta prior, from which any rewards in [0, 1] are
learned: a reward x counts as x successes and 1 - x failures.  And that of a mean under a flat
prior, if a reward has a normal distribution whose variance is the level: an arm without a reward
comes first there, because its posterior has no end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.gamma import BETA_NUMBERS, beta_sample
from highseason.core.jitable import jitable
from highseason.core.random import ARMS, draw, hash_at
from highseason.core.special import normal_quantile
from highseason.policies.base import WeighingPolicy, exploration, parameter
from highseason.policies.plan import View
from highseason.policies.ranking import (
    arm_to_try,
    estimates,
    highest_probabilities,
    leader,
    leader_probabilities,
    least_selected,
    one_hot,
    precedes,
)
from highseason.policies.rule import ArmState, Floats, Rule, RuleTraits, Turn, estimate, made_once

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
def beta_mean(state: ArmState, arm: int) -> float:
    """The mean of an arm's posterior, by which it leads."""
    a, b = beta_posterior(state, arm)
    return a / (a + b)


@jitable
def choose_beta(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """The highest draw; it exploits if no arm with a reward has a higher posterior mean.

    The draws are numbered by the arms on offer, so arms that are not there play no part.
    """
    noisy, family, width = turn.level > _NO_NOISE, hash_at(turn.key, ARMS), math.sqrt(turn.level)
    favourite, highest, best, place, top = -1, 0.0, -1, 0, -math.inf
    for arm in range(state.available.size):
        if not state.available[arm]:
            continue
        a, b = beta_posterior(state, arm)
        mean = a / (a + b)
        if state.pulls[arm] > 0.0 and precedes(turn, arm, mean, favourite, highest):
            favourite, highest = arm, mean
        if noisy:
            value = beta_sample(family, place * BETA_NUMBERS, a, b)
            if width != 1.0:
                value = mean + width * (value - mean)
            if value > top:
                best, top = arm, value
            place += 1
    if not noisy:
        return (favourite, True) if favourite >= 0 else (least_selected(state), False)
    return best, state.pulls[best] > 0.0 and beta_mean(state, best) >= highest


@jitable
def choose_normal(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """Arms without a reward first, then the highest draw; it exploits if it is the leader's."""
    first = arm_to_try(state, turn.level > _NO_NOISE)
    if first >= 0:
        return first, False
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
        seen = state.available & (state.pulls > 0.0)
        means = [beta_mean(state, arm) if known else -np.inf for arm, known in enumerate(seen)]
        return highest_probabilities(state, turn, np.array(means))
    arms = np.flatnonzero(state.available)
    posteriors = np.array([beta_posterior(state, arm) for arm in arms.tolist()])
    chances = greatest_of_beta(posteriors[:, 0], posteriors[:, 1], math.sqrt(turn.level))
    return scattered(chances, arms, state.available.size)


def normal_probabilities(state: ArmState, turn: Turn) -> Floats:
    """The same for normal draws, once every arm on offer has a reward."""
    first = arm_to_try(state, turn.level > _NO_NOISE)
    if first >= 0:
        return one_hot(first, state.pulls.size)
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


@made_once
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
        negligible=(0.0, 1e-4),  # a hundredth of the deviation that the posterior has
        exploits_at=0.0,
        leads_by=beta_mean,
    )


BETA_SAMPLING = beta_sampling()
NORMAL_SAMPLING = Rule(
    "normal-sampling",
    choose_normal,
    normal_intensity,
    allowed=(0.0, math.inf),
    traits=RuleTraits(local=True, tries_each_arm=True),
    probabilities=normal_probabilities,
    negligible=(0.0, 1e-4),  # the draw of an arm with one reward is within a hundredth
    exploits_at=0.0,
)


@dataclass(frozen=True)
class Thompson(WeighingPolicy):
    """Draw a rate for each arm from its posterior, and play the highest draw (Thompson 1933).

    The posterior is Beta(successes + sum, failures + pulls - sum): for rewards between 0 and 1, a
    reward x counts as x successes and 1 - x failures.  Nothing depends on G: regulated versions are
    `RegulateByThreshold(Thompson())` and its siblings.

    The deviation of the draws is `width` times that of the posterior.  1 is the textbook's; less
    explores less.

    >>> import highseason as hs
    >>> hs.Thompson(width=0.5).plan([1, 1, 1], arms=2).levels  # of the variance
    array([0.25, 0.25, 0.25])
    """

    name = "thompson"
    rule = BETA_SAMPLING
    carry_depends_on = "nothing"

    width: float = exploration(
        1.0, "times the deviation of the posterior; 1 is the textbook's", search=(0.01, 3.0, "log")
    )
    successes: float = parameter(
        1.0, "successes of the prior; 1 and 1 is uniform", above=0.0, known=True, kw_only=True
    )
    failures: float = parameter(1.0, "failures of the prior", above=0.0, known=True, kw_only=True)

    def _check_rule(self) -> None:
        object.__setattr__(self, "rule", beta_sampling(self.successes, self.failures))
        super()._check_rule()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """By how much the variance of the draws is scaled."""
        return self.width * self.width, carry


@dataclass(frozen=True)
class GaussianThompson(WeighingPolicy):
    """Draw a mean for each arm from N(estimate, sigma² / pulls), and play the highest draw.

    That is Thompson sampling with a flat prior for rewards with the normal noise `sigma`.  It takes
    rewards of any size.  Every arm is tried once first.  Nothing depends on G.

    The default suits rewards between 0 and 1, whose deviation is 0.5 at most.  For purchases of 20
    to 40 euros it is about 10; with `count="visitors"` it is the deviation of one visitor.

    >>> import highseason as hs
    >>> hs.GaussianThompson().plan([1, 1, 1], arms=2).levels
    array([0.25, 0.25, 0.25])
    """

    name = "gaussian-thompson"
    rule = NORMAL_SAMPLING
    carry_depends_on = "nothing"

    sigma: float = exploration(0.5, "the standard deviation of a reward", search=(1e-3, 1e2, "log"))

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The variance of a reward: that of a draw, times the pulls."""
        return self.sigma * self.sigma, carry


Ints = NDArray[np.int64]
#: The distribution functions of some variables at some points: a row per variable.
Distributions = Callable[[Floats, Ints], Floats]

#: Points to begin with, and the most by which H may rise from one point to the next.
_POINTS, _STEP = 65, 1.0 / 512.0
#: Halvings of a step: enough for distributions 1e-15 as wide as the others.
_ROUNDS = 60
#: What a logarithm is taken of at least.
_TINY = 1e-300


def chances_of_being_greatest(distributions: Distributions, low: Floats, high: Floats) -> Floats:
    """The probability of each variable, where each lies between its `low` and its `high`."""
    rivals = np.flatnonzero(high >= low.max())

    def logarithms(points: Floats) -> Floats:
        return np.log(np.maximum(distributions(points, rivals), _TINY))

    points = np.linspace(low.max(), high.max(), _POINTS)
    logs = logarithms(points)
    for _ in range(_ROUNDS):
        coarse = np.flatnonzero(_too_coarse(np.exp(logs.sum(0)), points))
        if coarse.size == 0:
            break
        new = 0.5 * (points[coarse] + points[coarse + 1])
        points = np.insert(points, coarse + 1, new)
        logs = np.insert(logs, coarse + 1, logarithms(new), axis=1)
    steps = np.diff(logs, axis=1)
    total = steps.sum(0)
    rises = np.diff(np.exp(logs.sum(0)))
    shares = np.divide(rises, total, out=np.zeros_like(rises), where=total > 0.0)
    chances = steps @ shares
    return scattered(chances / chances.sum(), rivals, low.size)


def _too_coarse(H: Floats, points: Floats) -> NDArray[np.bool_]:
    """Steps that are too high, or at the lower end too high for where they begin."""
    rise, middle = np.diff(H), 0.5 * (points[:-1] + points[1:])
    steep = (rise > _STEP) | ((H[1:] > 1e-5) & (rise > 0.5 * H[1:]))
    return np.asarray(steep & (middle > points[:-1]) & (middle < points[1:]))


def greatest_of_beta(a: Floats, b: Floats, width: float) -> Floats:
    """The same for mean + width · (X - mean), X beta variables."""
    from scipy.special import betainc, betaincinv

    mean = a / (a + b)

    def distributions(points: Floats, arms: Ints) -> Floats:
        x = mean[arms, None] + (points - mean[arms, None]) / width
        return np.asarray(betainc(a[arms, None], b[arms, None], np.clip(x, 0.0, 1.0)))

    low, high = (mean + width * (betaincinv(a, b, q) - mean) for q in (1e-9, 1.0 - 1e-12))
    return chances_of_being_greatest(distributions, low, high)


def greatest_of_normal(mean: Floats, deviation: Floats) -> Floats:
    """The same for normal variables."""
    from scipy.special import ndtr

    def distributions(points: Floats, arms: Ints) -> Floats:
        return np.asarray(ndtr((points - mean[arms, None]) / deviation[arms, None]))

    low, high = mean - 6.0 * deviation, mean + 7.0 * deviation
    return chances_of_being_greatest(distributions, low, high)
