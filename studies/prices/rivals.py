"""Rules for prices after others, as policies of our own: the library has none of them.

Each is a rule of two small functions and a step, as `docs/guides/your-own-policy.md` shows, and is
compiled like those of the library.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.gamma import BETA_NUMBERS, beta_sample
from highseason.core.jitable import jitable
from highseason.core.random import ARMS, draw, hash_at
from highseason.core.special import normal_quantile
from highseason.policies.base import CountingPolicy, WeighingPolicy
from highseason.policies.plan import View
from highseason.policies.price_curve import (
    CURVE_UNREGULATED,
    PRICE,
    SQUARE,
    Numbers,
    curve_of,
    factorize,
    fit,
    numbers,
)
from highseason.policies.ranking import leader, least_selected
from highseason.policies.rule import ArmState, Floats, Rule, RuleTraits, Turn, made_once

#: So often are curves drawn until one falls; after that the last is made to fall.
_DRAWS = 50
#: The places of the constants in a row of `memory`.
_PRICE, _MARGIN = 0, 1


def always(levels: Floats, _turns: NDArray[np.int64], _arms: int) -> Floats:
    """They explore in any turn, by draws or bounds."""
    return np.ones_like(levels)


# -- Thompson sampling, prices known ---------------------------------------------------------------


@jitable
def choose_drawn(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """Draw the share who buy from Beta(1 + purchases, 1 + others), times the margin."""
    family, best, top = hash_at(turn.key, ARMS), -1, -1.0
    for arm in range(state.available.size):
        if state.available[arm]:
            bought = min(max(state.sums[arm], 0.0), state.pulls[arm])
            shape = 1.0 + (state.pulls[arm] - bought)
            value = beta_sample(family, arm * BETA_NUMBERS, 1.0 + bought, shape)
            if state.memory[arm, _MARGIN] * value > top:
                best, top = arm, state.memory[arm, _MARGIN] * value
    return best, False


@dataclass(frozen=True)
class ThompsonOfPrices(WeighingPolicy):
    """Beta Thompson sampling that knows prices and costs, and no curve."""

    rule = Rule(
        "thompson-of-prices", choose_drawn, always, memory=2, constants=("price", "margin"),
        traits=RuleTraits(learns="seen", unit_range=True),
    )  # fmt: skip
    looks_at_g = False
    suppress_plan_warning = True

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Always the same."""
        return 1.0, carry


# -- Thompson sampling with falling draws ----------------------------------------------------------


@jitable
def make_fall(values: Numbers, order: Numbers, n: int) -> None:
    """The nearest values that do not rise in this order: neighbours that do are averaged."""
    means, counts, blocks = numbers(n), numbers(n), 0
    for k in range(n):
        means[blocks], counts[blocks] = values[int(order[k])], 1.0
        blocks += 1
        while blocks > 1 and means[blocks - 1] > means[blocks - 2]:
            both = counts[blocks - 2] + counts[blocks - 1]
            total = means[blocks - 2] * counts[blocks - 2] + means[blocks - 1] * counts[blocks - 1]
            means[blocks - 2], counts[blocks - 2] = total / both, both
            blocks -= 1
    k = 0
    for block in range(blocks):
        for _ in range(int(counts[block])):
            values[int(order[k])] = means[block]
            k += 1


@jitable
def choose_falling(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """Draw a falling curve from the posterior of `price-curve`, and play its best price."""
    curve = curve_of(state)
    n = curve.size
    found = fit(state, curve, float(state.shared[SQUARE]))
    order, values, normals = numbers(n), numbers(n), numbers(n)
    for k in range(n):
        place = k
        while place > 0 and (
            state.memory[int(curve.arms[int(order[place - 1])]), PRICE]
            > state.memory[int(curve.arms[k]), PRICE]
        ):
            order[place] = order[place - 1]
            place -= 1
        order[place] = k
    root = found.covariance
    factorize(root, n)
    family = hash_at(turn.key, ARMS)
    for number in range(_DRAWS):
        for i in range(n):
            normals[i] = normal_quantile(draw(family, number * n + i))
            values[i] = found.logits[i]
            for k in range(i + 1):
                values[i] += root[i * n + k] * normals[k]
        falls = True
        for k in range(1, n):
            falls = falls and values[int(order[k])] <= values[int(order[k - 1])]
        if falls:
            break
    make_fall(values, order, n)
    best, top = -1, -1.0
    for i in range(n):
        arm = int(curve.arms[i])
        profit = curve.margins[i] / (1.0 + math.exp(-values[i]))
        if state.available[arm] and profit > top:
            best, top = arm, profit
    return best, False


@made_once
def falling_rule() -> Rule:
    """What `price-curve` learns, and another choice."""
    traits = replace(CURVE_UNREGULATED.traits, stochastic=True, prices=False)
    return replace(
        CURVE_UNREGULATED, name="falling", choose=choose_falling, intensity=always, traits=traits,
        probabilities=None, exploits_at=None,
    )  # fmt: skip


@dataclass(frozen=True)
class FallingThompson(CountingPolicy):
    """Thompson sampling with falling draws, on the posterior of `price-curve`.

    After Weaver, Kumar and Jain (Marketing Science, 2025), whose Gaussian process is another; their
    own package was not at hand.
    """

    rule = falling_rule()
    looks_at_g = False
    suppress_plan_warning = True

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Always the same."""
        return 1.0, carry


# -- UCB-PI ----------------------------------------------------------------------------------------


@jitable
def choose_undominated(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """The highest bound on profit of the prices that may be best, the cheapest untried one first.

    With demand falling, the upper bound of a cheaper price holds for a dearer one, and the lower
    bound of a dearer price for a cheaper one.
    """
    n, memory = state.available.size, state.memory
    low, high, index = numbers(n), numbers(n), numbers(n)
    total = 0.0
    for arm in range(n):
        total += state.pulls[arm]
    log = math.log(max(total, 2.0))
    for arm in range(n):
        low[arm], high[arm], index[arm] = 0.0, 1.0, math.inf
        if state.pulls[arm] > 0.0:
            mean, seen = state.sums[arm] / state.pulls[arm], state.pulls[arm]
            variance = min(0.25, mean * (1.0 - mean) + math.sqrt(2.0 * log / seen))
            radius = math.sqrt(log / seen * variance)
            low[arm], high[arm] = max(0.0, mean - radius), min(1.0, mean + radius)
            index[arm] = memory[arm, _MARGIN] * (mean + radius)
    sure = 0.0
    for arm in range(n):
        for other in range(n):
            if state.available[arm] and memory[other, _PRICE] >= memory[arm, _PRICE]:
                sure = max(sure, memory[arm, _MARGIN] * low[other])
    best = -1
    for arm in range(n):
        most = high[arm]
        for other in range(n):
            if memory[other, _PRICE] <= memory[arm, _PRICE]:
                most = min(most, high[other])
        if not state.available[arm] or memory[arm, _MARGIN] * most < sure:
            continue
        cheaper = best >= 0 and memory[arm, _PRICE] < memory[best, _PRICE]
        if best < 0 or index[arm] > index[best] or (index[arm] == index[best] and cheaper):
            best = arm
    return (best, False) if best >= 0 else (least_selected(state), False)


@dataclass(frozen=True)
class UCBPI(WeighingPolicy):
    """UCB with partial identification, the tuned form, with one segment of visitors.

    After Misra, Schwartz and Abernethy (Marketing Science, 2019): dominated prices are dropped, and
    the bonus, sqrt(log(visitors)/n · min(1/4, variance + sqrt(2 log(visitors)/n))), is scaled by
    the margin.
    """

    rule = Rule(
        "ucb-pi", choose_undominated, always, memory=2, constants=("price", "margin"),
        traits=RuleTraits(learns="seen", unit_range=True, stochastic=False),
    )  # fmt: skip
    looks_at_g = False
    suppress_plan_warning = True

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Always the same."""
        return 1.0, carry


# -- a test, then the winner -----------------------------------------------------------------------


@jitable
def choose_tested(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """In turns of the test the price tried least, afterwards the leader."""
    if turn.level > 0.0:
        return least_selected(state), False
    return leader(state, turn), True


@dataclass(frozen=True)
class TestThenWinner(WeighingPolicy):
    """Test all prices in turn for a fifth of the days, then keep the one that earned most."""

    __test__ = False  # It is no test of pytest's
    rule = Rule("test-then-winner", choose_tested, always, traits=RuleTraits(stochastic=False))
    needs_horizon = True
    looks_at_g = False
    suppress_plan_warning = True

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """1 in the test."""
        return (1.0 if 5 * view.t <= view.t + view.turns_left else 0.0), carry
