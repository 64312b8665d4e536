"""Plans and rules that look ahead play where the future is known, and are refused elsewhere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.logs.logs import fixed_log

import highseason as hs
from highseason.policies import (
    ArmState,
    FutureUnknownError,
    Horizon,
    Policy,
    Rule,
    RuleTraits,
    Turn,
    View,
    leader,
    pick_available,
    untried,
)

G = [2.0, 8.0, 4.0, 1.0, 5.0, 3.0, 7.0, 6.0]
FUTURE = [34.0, 26.0, 22.0, 21.0, 16.0, 13.0, 6.0, 0.0]
FORECAST = hs.traffic.Forecast(2.0 * np.array(G))
ARMS = hs.rewards.bernoulli(means=[0.2, 0.9])


@dataclass(frozen=True)
class Savings(Policy):
    """Explore while more is still to come than this turn is worth times the turns left."""

    rule = hs.policies.EPSILON
    needs_horizon = True

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        return (1.0 if view.future > view.G * view.turns_left else 0.0), carry


def thrifty(state: ArmState, turn: Turn) -> tuple[int, bool]:
    first = untried(state)
    if first >= 0:
        return first, False
    if turn.future > turn.G * turn.turns_left:
        return pick_available(state, 0.99), False
    return leader(state, turn), True


THRIFTY = Rule(
    "thrifty",
    thrifty,
    hs.policies.EPSILON.intensity,
    traits=RuleTraits(own_arm_only=True, tries_each_arm=True, stochastic=False, needs_horizon=True),
)


@dataclass(frozen=True)
class Thrifty(hs.Greedy):
    rule = THRIFTY


EXPLORES = [W > g * (len(G) - t) for t, (g, W) in enumerate(zip(G, FUTURE, strict=True), start=1)]
BOTH = [Savings(), Thrifty(), hs.Discounted(Savings()), hs.Windowed(Thrifty())]


def test_the_horizon_holds_what_is_known_when_a_turn_comes() -> None:
    known = Horizon.of(hs.traffic.as_multiplier(G))
    assert known.future.tolist() == FUTURE
    turn = known.turn(3, 0.5, 7, False)
    assert (turn.t, turn.G, turn.future, turn.turns_left, turn.clock) == (3, 4.0, 22.0, 5, 3)
    season = Horizon.of(hs.traffic.as_multiplier(G), FORECAST)
    assert season.future.tolist() == [2.0 * W for W in FUTURE]
    one_step = Horizon.of(hs.traffic.as_multiplier(G), [1.0] * 8).turn(3, 0.5, 7, False)
    assert (one_step.G, one_step.turns_left) == (1.0, hs.policies.UNKNOWN_TURNS)
    assert math.isnan(one_step.future)


def test_a_plan_sees_what_is_still_to_come() -> None:
    assert Savings().plan(G, arms=2).levels.tolist() == [float(more) for more in EXPLORES]


@pytest.mark.parametrize("forecast", [None, FORECAST], ids=["known", "season forecast"])
@pytest.mark.parametrize("policy", BOTH, ids=str)
def test_play_and_simulate_agree(policy: Policy, forecast: Any) -> None:
    games = [hs.play(policy, ARMS, G, seed=5, game=i, forecast=forecast) for i in range(6)]
    result = hs.simulate(policy, ARMS, G, games=6, seed=5, forecast=forecast)
    rewards = [game.reward for game in games]
    assert result.games is not None
    assert result.games["reward"][0].tolist() == pytest.approx(rewards)


def test_a_rule_sees_what_is_still_to_come() -> None:
    game = hs.play(Thrifty(), ARMS, G, seed=1)
    explored = (~game.exploited).tolist()
    assert explored[2:] == EXPLORES[2:]
    assert explored[:2] == [True, True]  # every arm once


@pytest.mark.parametrize("policy", BOTH, ids=str)
def test_an_unknown_future_is_one_clear_error(policy: Policy) -> None:
    message = f"{policy}.* looks ahead .* give the whole multiplier, or a Forecast".replace(
        "+", r"\+"
    )
    with pytest.raises(FutureUnknownError, match=message):
        hs.Bandit(["a", "b"], policy, None)
    with pytest.raises(FutureUnknownError, match=message):
        hs.replay(policy, fixed_log((0.2, 0.8), 50))
    with pytest.raises(FutureUnknownError, match=message):
        hs.play(policy, ARMS, G, forecast=[1.0] * 8)
    with pytest.raises(FutureUnknownError, match=message):
        hs.simulate(policy, ARMS, G, games=2, forecast=hs.traffic.parse_forecaster("random-walk"))


@pytest.mark.parametrize("policy", BOTH, ids=str)
def test_a_live_bandit_with_a_multiplier_looks_ahead(policy: Policy) -> None:
    bandit = hs.Bandit(["a", "b"], policy, G, reward_range=(0, 1), seed=1)
    game = hs.play(policy, hs.rewards.bernoulli(means=[0.0, 1.0]), G, seed=1)
    for t, value in enumerate(G, start=1):
        arm = bandit.pull(t)
        bandit.update(arm, reward=value * (arm == "b"), visitors=value)
    assert ["ab".index(decision.arm) for decision in bandit.decisions()] == game.arms.tolist()


class Sneaky(Savings):
    """It looks ahead and does not say so."""

    needs_horizon = False
    needs_whole_g = True


def test_a_plan_that_looks_ahead_undeclared_is_refused_too() -> None:
    with pytest.raises(FutureUnknownError, match="the plan looks ahead"):
        Sneaky().plan(G, arms=2, forecast=[1.0] * 8)
    with pytest.raises(FutureUnknownError, match="the plan looks ahead"):
        hs.replay(Sneaky(), fixed_log((0.2, 0.8), 50))
    with pytest.raises(FutureUnknownError, match="the plan looks ahead"):
        hs.Bandit(["a", "b"], Sneaky(), None).pull(expected=3)


class Nonsense(hs.Greedy):
    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        return math.nan, carry


def test_every_level_of_a_planner_is_checked() -> None:
    message = "gives nan at turn 1, but the epsilon rule takes finite levels from 0 to 1"
    with pytest.raises(ValueError, match=message):
        hs.Bandit(["a", "b"], Nonsense(), None).pull(expected=3)
