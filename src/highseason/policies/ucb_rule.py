"""Index rules: play the arm whose estimate plus bonus is highest.

Such a rule is its bonus; `index_rule` builds the rest around it.  There are UCB, and two rules for
arms with lifetimes, whose radius depends on the arm's age.  Their level is the turn's stakes, G(t)
in the policy's unit.  An arm of age a has the radius factor · sqrt(2 log(1 + a / stakes) / pulls),
or factor · sqrt(2 log a / pulls) with stakes of 0, where the policy ignores G.  The factor is the
arm's weight (soft UCB mortal), or that times the logarithm of its remaining lifetime (UCB-L).
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.policies.lifetimes import SetWeights, uniform_weights
from highseason.policies.ranking import (
    age,
    count_available,
    estimate,
    estimates,
    leader,
    leader_probabilities,
    least_selected,
    least_selected_probabilities,
    tie_probabilities,
    untried,
    untried_probabilities,
    wins_tie,
)
from highseason.policies.rule import (
    Bonus,
    Choose,
    Floats,
    Intensity,
    Negligible,
    Probabilities,
    Rule,
    RuleTraits,
    never_negligible,
)
from highseason.policies.state import ArmState, Turn

#: Index rules compare available arms, repeat themselves until something changes, and want rewards
#: in [0, 1], because their radius is measured in that range.
INDEX_TRAITS = RuleTraits(
    local=True, stable="until-change", unit_range=True, tries_each_arm=True, stochastic=False
)


def index_rule(
    name: str,
    bonus: Bonus,
    intensity: Intensity,
    negligible: Negligible = never_negligible,
    zero_exploits: bool = False,
    set_weights: SetWeights = uniform_weights,
) -> Rule:
    """The rule that plays the highest estimate plus `bonus(state, turn, arm)`.

    Levels are finite and at least 0; the other arguments are those of `Rule`.
    """
    return Rule(
        name,
        index_choose(bonus, zero_exploits),
        intensity,
        allowed=(0.0, math.inf),
        traits=INDEX_TRAITS,
        probabilities=index_probabilities(bonus, zero_exploits),
        negligible=negligible,
        bonus=bonus,
        set_weights=set_weights,
        zero_exploits=zero_exploits,
        exploits_at=0.0 if zero_exploits else None,
        made_by=(index_rule, (name, bonus, intensity, negligible, zero_exploits, set_weights)),
    )


@functools.cache
def index_choose(bonus: Bonus, zero_exploits: bool) -> Choose:
    """The choice of an index rule."""

    @jitable
    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        """Pick the highest index; it exploits if the arm also has the highest estimate."""
        first = untried(state)
        if first >= 0:
            return first, False
        if turn.level > 0.0 or not zero_exploits:
            unseen = least_selected(state, False)
            if unseen >= 0:  # chosen before, but its reward has not arrived: its bonus is infinite
                return unseen, False
        best, top, highest = -1, 0.0, -math.inf
        for arm in range(state.pulls.size):
            if state.available[arm] and state.pulls[arm] > 0:
                value = estimate(state, arm)
                index = value + bonus(state, turn, arm)
                highest = max(highest, value)
                if best < 0 or index > top or (index == top and wins_tie(turn, arm, best)):
                    best, top = arm, index
        if best < 0:
            return leader(state, turn), False
        return best, estimate(state, best) >= highest

    return choose


@functools.cache
def index_probabilities(bonus: Bonus, zero_exploits: bool) -> Probabilities:
    """The probabilities of that choice."""

    def probabilities(state: ArmState, turn: Turn) -> Floats:
        """One arm is certain, unless indices tie and ties are broken at random."""
        forced = untried_probabilities(state)
        if forced is None and (turn.level > 0.0 or not zero_exploits):
            forced = least_selected_probabilities(state, False)
        if forced is not None:
            return forced
        index = estimates(state)
        for arm in np.flatnonzero(index > -np.inf).tolist():
            index[arm] += bonus(state, turn, arm)
        top = index.max()
        if top == -np.inf:
            return leader_probabilities(state, turn)
        return tie_probabilities(turn, index == top)

    return probabilities


def bonus_of(rule: Rule, wrapper: str) -> Bonus:
    """The bonus of an index rule; any other rule is refused."""
    if rule.bonus is None:
        raise ValueError(
            f"{wrapper} changes the bonus of an index rule (UCB, soft UCB mortal …), but the "
            f"{rule.name!r} rule has no bonus"
        )
    return rule.bonus


@jitable
def bonus(state: ArmState, turn: Turn, arm: int) -> float:
    """The confidence radius; the level stands under the root, over the pulls."""
    return math.sqrt(turn.level) * (1.0 / math.sqrt(state.pulls[arm]))


def intensity(levels: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """The radius of an arm that had its even share of the pulls, at most 1 (the whole range)."""
    return np.minimum(1.0, np.sqrt(levels * arms / turns))


def negligible(levels: Floats) -> NDArray[np.bool_]:
    """Even an arm tried only once has a radius below a tenth of the range of rewards."""
    return levels < 0.01


UCB_RULE = index_rule("ucb", bonus, intensity, negligible, zero_exploits=True)


@jitable
def root_at_age(turns: int, stakes: float) -> float:
    """sqrt(2 log xi) of an arm of this age."""
    if stakes > 0.0:
        return math.sqrt(2.0 * math.log1p(turns / stakes))
    return math.sqrt(2.0 * math.log(turns)) if turns >= 1 else 0.0


@jitable
def weighted_bonus(state: ArmState, turn: Turn, arm: int) -> float:
    """psi · sqrt(2 log xi / pulls)."""
    root = root_at_age(age(state, turn, arm), turn.level)
    return float(state.weight[arm] * root * (1.0 / math.sqrt(state.pulls[arm])))


@jitable
def life_bonus(state: ArmState, turn: Turn, arm: int) -> float:
    """c · log(remaining lifetime + 1) · sqrt(2 log xi / pulls)."""
    left = max(0, state.end[arm] - turn.clock)
    return math.log1p(left) * weighted_bonus(state, turn, arm)


@jitable
def rank_weights(state: ArmState, clock: int, scores: Floats, scale: float) -> None:
    """psi: `scale` times the share of the available arms whose score is at most the arm's own."""
    count = count_available(state)
    for arm in range(scores.size):
        if state.available[arm]:
            lower = 0
            for other in range(scores.size):
                if state.available[other] and scores[other] <= scores[arm]:
                    lower += 1
            state.weight[arm] = scale * (lower / count)


def mortal_intensity(stakes: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """That of UCB, with the radius of an arm that was there from the start."""
    return intensity(_at_age(turns, stakes), turns, arms)


def mortal_negligible(stakes: Floats) -> NDArray[np.bool_]:
    """That of UCB, with the radius of an arm at age 1,000."""
    return negligible(_at_age(np.full(stakes.shape, 1000), stakes))


def _at_age(turns: NDArray[np.int64], stakes: Floats) -> Floats:
    """2 log xi, which stands under UCB's root, for each age and its stakes."""
    with np.errstate(divide="ignore"):
        return np.where(stakes > 0.0, 2.0 * np.log1p(turns / stakes), 2.0 * np.log(turns))


MORTAL = index_rule(
    "mortal", weighted_bonus, mortal_intensity, mortal_negligible, set_weights=rank_weights
)
LIFE = index_rule("life", life_bonus, mortal_intensity, mortal_negligible)
