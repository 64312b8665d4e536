"""Limits on switching hold in games, replays and live bandits, around any policy."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import highseason as hs
from highseason.policies import ArmState, Rule, Turn, parse

G = hs.traffic.wave(turns=90)
ARMS = hs.rewards.bernoulli(arms=4)
BASES = [hs.UCB(), hs.Thompson(), hs.ConstantEpsilon(0.5), hs.regulate("kl-ucb")]


def in_turn(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """Arm 1 in turn 1, arm 2 in turn 2, and so on."""
    return turn.t % state.available.size, False


class Cycling(hs.Greedy):
    rule = Rule("cycling", in_turn, lambda levels, turns, arms: levels)


@pytest.mark.parametrize(
    ("limits", "arms"),
    [
        ({}, [1, 2, 3, 0, 1, 2, 3, 0]),
        ({"stay": 3}, [1, 1, 1, 0, 0, 0, 3, 3]),
        ({"changes": 1, "period": 4}, [1, 2, 2, 2, 2, 2, 3, 3]),
        ({"freeze": "3-5"}, [1, 2, 2, 2, 2, 2, 3, 0]),
    ],
    ids=str,
)
def test_limits_by_hand(limits: dict[str, Any], arms: list[int]) -> None:
    policy = hs.LimitSwitching(Cycling(), **limits)
    assert hs.play(policy, ARMS, [1] * 8).arms.tolist() == arms


def broken(arms: list[int], stay: int, changes: int, period: int, frozen: set[int]) -> str:
    """Which limit a course of arms breaks, straight from what the limits say."""
    moved = [t for t in range(2, len(arms) + 1) if arms[t - 1] != arms[t - 2]]
    for t in moved:
        if any(arms[s - 1] != arms[t - 2] for s in range(max(1, t - stay), t)):
            return f"turn {t} changes an arm that has not stayed"
        if any(s < 1 for s in range(t - stay, t)) and stay > 1 and t <= stay:
            return f"turn {t} changes the first arm too early"
        if period and sum(1 for s in moved if t - period < s <= t) > changes:
            return f"too many changes up to turn {t}"
        if t in frozen:
            return f"turn {t} is frozen"
    return ""


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(BASES), st.integers(0, 9), st.integers(0, 3), st.integers(1, 40),
    st.tuples(st.integers(1, 80), st.integers(0, 30)),
)  # fmt: skip
def test_no_game_breaks_its_limits(base, stay, changes, period, span) -> None:
    period = period if changes else 0
    first, length = span
    freeze = f"{first}-{first + length}/88"
    policy = hs.LimitSwitching(base, stay=stay, changes=changes, period=period, freeze=freeze)
    arms = hs.play(policy, ARMS, G, seed=stay + period).arms.tolist()
    frozen = {*range(first, first + length + 1), 88}
    assert broken(arms, stay, changes, period, frozen) == ""


def test_the_test_would_notice() -> None:
    assert broken([0, 0, 1, 0], 2, 0, 0, set()).startswith("turn 4")
    assert broken([0, 1, 1, 1], 2, 0, 0, set()).startswith("turn 2")
    assert broken([0, 1, 0], 0, 1, 5, set()) == "too many changes up to turn 3"
    assert broken([0, 1], 0, 0, 0, {2}) == "turn 2 is frozen"
    assert broken([0, 0, 1, 1, 0], 2, 1, 2, {1, 2, 4}) == ""


@pytest.mark.parametrize("base", BASES, ids=str)
def test_without_limits_it_is_the_policy_within(base: hs.Policy) -> None:
    free = hs.LimitSwitching(base)
    assert hs.play(free, ARMS, G).arms.tolist() == hs.play(base, ARMS, G).arms.tolist()


def test_arms_change_as_soon_as_they_may() -> None:
    policy = hs.LimitSwitching(hs.UniformRandom(), stay=5)
    arms = hs.play(policy, ARMS, G, seed=1).arms
    turns = np.flatnonzero(np.diff(arms)) + 2
    assert turns[0] == 6
    assert np.diff(turns).min() == 5


def test_an_arm_that_ends_is_replaced_at_once() -> None:
    lifetimes = hs.lifetimes.fixed([(1, 12), (1, 90), (5, 90), (1, 90)])
    policy = hs.LimitSwitching(hs.UCB(), freeze="2-90")
    arms = hs.play(policy, ARMS, G, lifetimes=lifetimes).arms
    assert set(arms[:12]) == {0}
    assert arms[12] != 0
    assert set(arms[12:]) == {arms[12]}


def test_it_is_compiled_too() -> None:
    policy = hs.LimitSwitching(hs.Thompson(), stay=4, changes=3, period=30, freeze="20-30")
    result = hs.simulate(policy, ARMS, G, games=10, seed=2, keep="games")
    assert result.games is not None
    for number in range(10):
        game = hs.play(policy, ARMS, G, seed=2, game=number)
        assert result.games["reward"][0, number] == pytest.approx(game.reward)


def test_a_live_bandit_keeps_them_though_rewards_are_late() -> None:
    policy = hs.LimitSwitching(hs.Thompson(), stay=3, changes=2, period=15, freeze="30-40")
    bandit = hs.Bandit(list("abcd"), policy, G, reward_range=(0, 1), seed=3)
    arms, waiting = [], []
    for t in range(1, 71):
        chances = bandit.probabilities()
        arm = bandit.pull()
        decision = bandit.decide(t)
        assert decision.probability == pytest.approx(chances[arm])
        if arms and arm == arms[-1] and (30 <= t <= 40):
            assert decision.probability == 1.0
            assert not decision.exploited
        arms.append(arm)
        waiting.append((arm, t))
        if t % 9 == 0:  # rewards come in batches, the latest first
            for name, turn in reversed(waiting):
                bandit.update(name, float(name == "b"), t=turn, visitors=1)
            waiting = []
        if t == 50:
            bandit = hs.Bandit.from_json(bandit.to_json())
    assert broken(arms, 3, 2, 15, set(range(30, 41))) == ""
    assert len(set(arms)) > 1


def test_a_copied_bandit_goes_on_alike() -> None:
    policy = hs.LimitSwitching(hs.ConstantEpsilon(0.8), stay=4)
    one = hs.Bandit(["a", "b", "c"], policy, G, seed=3)
    twins = one, pickle.loads(pickle.dumps(one))
    courses = [[bandit.pull() for _ in range(20)] for bandit in twins]
    assert courses[0] == courses[1]
    assert broken([ord(arm) for arm in courses[0]], 4, 0, 0, set()) == ""


def test_text_leads_back() -> None:
    text = "limit-switching:stay=7,changes=2,period=28,freeze=50-60/80+thompson"
    assert str(parse(text)) == text
    assert parse("limit-switching:freeze= 50-60 / 80-80 +ucb").freeze == "50-60/80"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"changes": 2}, "belong together"),
        ({"period": 7}, "belong together"),
        ({"stay": -1}, "at least 0"),
        ({"stay": 1.5}, "whole number"),
        ({"freeze": "60-50"}, "spans of turns such as"),
        ({"freeze": "0-3"}, "spans of turns such as"),
        ({"freeze": "holidays"}, "spans of turns such as"),
    ],
)
def test_invalid_limits_are_refused(options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hs.LimitSwitching(hs.UCB(), **options)
