"""Posterior sampling (Thompson): draw what each arm may be worth, and play the highest draw.

The level scales the noise: each draw is moved towards the posterior's mean, so that its variance is
the level times that of the posterior.  1 is the textbook's algorithm, and 0 exploits: of the arms
with a reward, it plays the one with the highest mean, the leader.

Two posteriors are known.  That of a rate under a Beta prior, from which any rewards in [0, 1] are
learned: a reward x counts as x successes and 1 - x failures.  And that of a mean under a flat
prior, if a reward has a normal distribution whose variance is the level: an arm without a reward
comes first there, because its posterior has no end.

References:
    Thompson, "On the Likelihood That One Unknown Probability Exceeds Another in View of the
    Evidence of Two Samples", Biometrika 25, 1933, https://doi.org/10.1093/biomet/25.3-4.285.
    Russo, Van Roy, Kazerouni, Osband and Wen, "A Tutorial on Thompson Sampling", Foundations and
    Trends in Machine Learning 11(1), 2018, https://doi.org/10.1561/2200000070.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled
from highseason.core.gamma import BETA_NUMBERS, beta_sample
from highseason.core.jitable import jitable
from highseason.core.random import ARMS, draw, hash_at
from highseason.core.special import (
    bernoulli_kl_upper,
    log_beta,
    loop_exp,
    loop_log,
    normal_quantile,
)
from highseason.policies.base import WeighingPolicy
from highseason.policies.parameters import exploration, parameter
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
    posteriors = [beta_posterior(state, arm) for arm in arms.tolist()]
    a, b = np.reshape(posteriors, (-1, 2)).T.copy()
    out = np.zeros(state.available.size)
    out[arms] = greatest_of_beta(a, b, math.sqrt(turn.level))
    return out


def normal_probabilities(state: ArmState, turn: Turn) -> Floats:
    """The same for normal draws, once every arm on offer has a reward."""
    first = arm_to_try(state, turn.level > _NO_NOISE)
    if first >= 0:
        return one_hot(first, state.pulls.size)
    seen = estimates(state)
    arms = np.flatnonzero(seen > -np.inf)
    if turn.level <= _NO_NOISE or arms.size == 0:
        return leader_probabilities(state, turn)
    out = np.zeros(seen.size)
    out[arms] = greatest_of_normal(seen[arms], np.sqrt(turn.level / state.pulls[arms]))
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
        traits=RuleTraits(local=True, own_arm_only=True, unit_range=True, slow=True),
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
    traits=RuleTraits(local=True, own_arm_only=True, tries_each_arm=True),
    probabilities=normal_probabilities,
    negligible=(0.0, 1e-4),  # the draw of an arm with one reward is within a hundredth
    exploits_at=0.0,
)


@dataclass(frozen=True)
class Thompson(WeighingPolicy):
    """Draw a rate for each arm from its posterior, and play the highest draw.

    The posterior is Beta(successes + sum, failures + pulls - sum): for rewards between 0 and 1, a
    reward x counts as x successes and 1 - x failures.  Nothing depends on G: regulated versions are
    `RegulateByThreshold(Thompson())` and its siblings.

    The deviation of the draws is `width` times that of the posterior.  1 is the textbook's; less
    explores less.

    >>> import highseason as hs
    >>> hs.Thompson(width=0.5).plan([1, 1, 1], arms=2).levels  # of the variance
    array([0.25, 0.25, 0.25])
    >>> hs.play(hs.Thompson(), "bernoulli:means=0.2/0.8", [1] * 8).arms
    array([1, 1, 1, 1, 0, 0, 1, 0])
    """

    name = "thompson"
    rule = BETA_SAMPLING
    carry_depends_on = "nothing"
    looks_at_g = False
    candidate = 5

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

    That is Thompson sampling with a flat prior for rewards with the normal noise `sigma`.  Every
    arm is tried once first.  Nothing depends on G.

    The default suits rewards between 0 and 1, whose deviation is 0.5 at most; those of a known
    range are learned as shares of it.  With `count="visitors"` it is the deviation of one visitor.

    >>> import highseason as hs
    >>> hs.GaussianThompson().plan([1, 1, 1], arms=2).levels
    array([0.25, 0.25, 0.25])
    >>> hs.play(hs.GaussianThompson(), "bernoulli:means=0.2/0.8", [1] * 8).arms
    array([0, 1, 1, 0, 1, 0, 0, 1])
    """

    name = "gaussian-thompson"
    rule = NORMAL_SAMPLING
    carry_depends_on = "nothing"
    looks_at_g = False

    sigma: float = exploration(0.5, "the standard deviation of a reward", search=(1e-3, 1e2, "log"))

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The variance of a reward: that of a draw, times the pulls."""
        return self.sigma * self.sigma, carry


# -- how likely each draw is to be the highest -----------------------------------------------------

#: Gauss's four points on a panel of length 1, their weights, and those of the integral from each
#: point to the upper end; in the last row, of the whole panel.
_ROOTS, _WEIGHTS = np.polynomial.legendre.leggauss(4)
_POINTS, _POWERS = (1.0 + np.append(_ROOTS, -1.0))[:, None] / 2.0, np.arange(1.0, 5.0)
_TAILS = (1.0 - _POINTS**_POWERS) / _POWERS @ np.linalg.inv(_POINTS[:4] ** (_POWERS - 1.0))
#: A panel is at most this many deviations of the narrowest variable long.
_PANEL = 0.7
#: With a smaller b, a beta density may fall to 0 abruptly at 1: a panel begins there.
_SHARP = 8.0
#: Nearer to 1 than this, a beta density is taken to be constant; if b < 1, it is its mean there.
_EDGE = 1e-9


class _Variables(NamedTuple):
    """Normal variables, or mean + width · (X - mean) for beta variables X with shapes a and b."""

    normal: bool
    mean: Floats
    deviation: Floats
    width: float
    a: Floats
    b: Floats


@jitable
def _end_of_panel(v: _Variables, high: Floats, low: float, top: float) -> float:
    """Panels are short where a density is narrow, or next to an end where it has no slope."""
    step = top - low
    for j in range(v.mean.size):
        if high[j] >= top:
            step = min(step, _PANEL * v.deviation[j])
            if not v.normal and v.b[j] < 1.0:
                step = min(step, 2.0 * (high[j] - top) + _EDGE * v.width)
            elif not v.normal and 1.0 < v.b[j] < 2.0:
                step = min(step, 7.0 * (high[j] - top) + 1e-3 * v.deviation[j])
        if not v.normal and v.a[j] < 2.0 and v.a[j] != 1.0:
            least = 1e-3 * v.deviation[j] if v.a[j] > 1.0 else 1e-40
            step = min(step, max(0.8 * (top - v.mean[j] * (1.0 - v.width)), least))
    bottom = top - step
    for j in range(v.mean.size):  # a density may end abruptly at its highest value
        sharp = _PANEL * v.deviation[j] < step or (not v.normal and v.b[j] < _SHARP)
        if sharp and bottom < high[j] < top:
            bottom = high[j]
    return bottom


def fill_chances(v: _Variables, chances: Floats) -> None:
    """How likely each variable is to be the greatest, up to a factor.

    That is the integral of its density times the distribution functions of the others.  Panels go
    down from the greatest value of all; what a variable has above them is added up on the way.
    """
    arms = chances.size
    high, scale = np.empty(arms), np.empty(arms)
    above, reached, density = np.zeros(arms), np.empty(arms), np.empty((4, arms))
    low = top = -math.inf
    left, last = 1.0, 0  # the chance that all are below the panels; the variable that ends highest
    for j in range(arms):
        if v.normal:
            least, most = v.mean[j] - 6.0 * v.deviation[j], v.mean[j] + 7.0 * v.deviation[j]
            scale[j] = -math.log(v.deviation[j] * math.sqrt(2.0 * math.pi))
        else:  # Chernoff's bounds for 1e-9 and 1e-12
            m, n = v.mean[j], v.a[j] + v.b[j]
            least = m + v.width * (1.0 - bernoulli_kl_upper(1.0 - m, 21.0 / n) - m)
            most = 1.0 if v.b[j] < _SHARP else bernoulli_kl_upper(m, 28.0 / n)
            most = m + v.width * (most - m)
            scale[j] = -log_beta(v.a[j], v.b[j]) - math.log(v.width)
        last = j if least > low else last
        low, top, high[j], chances[j] = max(low, least), max(top, most), most, 0.0
    while True:
        bottom = _end_of_panel(v, high, low, top)
        if not low <= bottom < top:  # a beta variable with a small a may be at its lower end
            for j in range(arms):
                left *= max(1.0 - above[j], 0.0)
            chances[last] += left
            return
        for k in range(4):
            at = bottom + (top - bottom) * _POINTS[k, 0]
            for j in range(arms):  # the loops vectorise
                z = (at - v.mean[j]) / v.deviation[j]
                density[k, j] = scale[j] - 0.5 * z * z
            for j in range(0 if v.normal else arms):
                x = v.mean[j] + (at - v.mean[j]) / v.width
                inner = min(max(x, 1e-300), 1.0 - _EDGE)
                power = (v.a[j] - 1.0) * loop_log(inner) + (v.b[j] - 1.0) * loop_log(1.0 - inner)
                power -= loop_log(min(v.b[j], 1.0)) if x > inner else 0.0
                density[k, j] = scale[j] + power if 0.0 < x < 1.0 else -700.0
            for j in range(arms):
                density[k, j] = loop_exp(min(max(density[k, j], -700.0), 700.0))
        for k in range(5):
            product = 0.5 * (top - bottom) * _WEIGHTS[min(k, 3)]
            for j in range(arms):
                part = _TAILS[k, 0] * density[0, j] + _TAILS[k, 1] * density[1, j]
                part += _TAILS[k, 2] * density[2, j] + _TAILS[k, 3] * density[3, j]
                reached[j] = above[j] + (top - bottom) * part
                product *= max(1.0 - reached[j], 1e-30)
            for j in range(arms):
                if k < 4:
                    chances[j] += product * density[k, j] / max(1.0 - reached[j], 1e-30)
                else:
                    above[j] = reached[j]
        top = bottom


def _greatest(variables: _Variables) -> Floats:
    chances = np.empty(variables.mean.size)
    _compiled_fill()(variables, chances)
    return np.asarray(chances / chances.sum())


@functools.cache
def _compiled_fill() -> Callable[..., None]:
    from numba import types as t

    number, column = t.float64, t.float64[::1]
    fields = (t.boolean, column, column, number, column, column)
    return compiled(fill_chances, t.void(t.NamedTuple(fields, _Variables), column))


def greatest_of_beta(a: Floats, b: Floats, width: float) -> Floats:
    """The probabilities of beta variables."""
    mean = a / (a + b)
    deviation = width * np.sqrt(mean * (1.0 - mean) / (a + b + 1.0))
    return _greatest(_Variables(False, mean, deviation, width, a, b))


def greatest_of_normal(mean: Floats, deviation: Floats) -> Floats:
    """The probabilities of normal variables."""
    return _greatest(_Variables(True, mean, deviation, 1.0, mean, mean))
