"""What stands behind other interfaces plays turn for turn as our own game does."""

from __future__ import annotations

import math

import numpy as np
import pytest

import highseason as hs
from highseason.adapters.online import OnlineGame
from highseason.engine import learn
from highseason.policies import UNKNOWN_TURNS, Observation, Turn

G = hs.traffic.christmas(turns=60)
ARMS = hs.rewards.bernoulli(arms=4)


@pytest.mark.parametrize(
    "name",
    [
        "soft+ucb",
        "thompson",
        "option-index",
        "soft+constant-epsilon:epsilon=0.3",
        "threshold:z=1.2+ucb",
    ],
)
def test_it_chooses_as_in_a_game(name: str) -> None:
    game = hs.play(hs.policies.parse(name), ARMS, G, seed=5)
    online = OnlineGame(name, seed=5, multiplier=G)
    chosen = []
    for arm, reward in zip(game.arms, game.paid, strict=True):
        chosen.append(online.choose(range(4)))
        online.learn(arm, reward)
    assert chosen == list(game.arms)


def test_arms_that_join_start_with_the_next_turn_and_are_counted_as_selected() -> None:
    online = OnlineGame("ucb", seed=1)
    online.learn("first", 1.0)  # chosen elsewhere, before any turn
    assert online.turn == 0
    for _ in range(3):
        online.learn(online.choose(["first", "second"]), 0.5)
    assert online.add("late") == 2
    state = online._state
    assert state.start.tolist() == [0, 0, 4]
    assert state.pulls.sum() == state.selections.sum() == 4
    assert online.choose(["second"]) == "second"


def test_after_its_last_turn_the_multiplier_stays_what_it_was() -> None:
    short = hs.traffic.from_values([1.0, 1.0, 1.0, 50.0])
    online = OnlineGame("threshold:z=10+constant-epsilon:epsilon=1", seed=1, multiplier=short)
    for _ in range(4):
        online.learn(online.choose("ab"), 1.0)
    online.learn("b", 5.0)
    assert [online.choose("ab") for _ in range(20)] == ["b"] * 20  # 50 is above the threshold


def test_visitors_regulate_where_no_multiplier_is_known_whenever_arms_join() -> None:
    level = []
    for late in (False, True):
        online = OnlineGame("soft+ucb", seed=1)
        for visitors in (1.0, 20.0, 3.0):
            online.choose("ab" if late else "abc", visitors)
        online.choose("abc", 7.0)  # planned again from the first turn for three arms
        assert online._beliefs == [1.0, 20.0, 3.0, 7.0]
        assert online._planner is not None
        level.append(online._planner.level(5.0))
    assert level[0] == level[1]


def test_without_a_seed_it_is_0() -> None:
    first, again = OnlineGame("thompson"), OnlineGame("thompson", seed=0)
    assert [first.choose("abc") for _ in range(20)] == [again.choose("abc") for _ in range(20)]


@pytest.mark.parametrize("name", ["ucb", "thompson", "variable-pool"])
def test_an_arm_that_was_not_offered_can_be_learned_from(name: str) -> None:
    online = OnlineGame(name)
    online.choose(["a", "b"])
    online.choose(["a"])
    for arm, reward in (("b", 1.0), ("a", 0.0), ("b", 1.0)):
        online.learn(arm, reward)
    assert online.estimates().keys() == {"a", "b"}
    assert online.estimates()["b"] > online.estimates()["a"]


def test_the_units_of_G_change_no_choice_where_visitors_are_counted() -> None:
    """One reward is one observation, whatever G counts: it says nothing of G visitors."""
    chosen = []
    for unit in (1.0, 1000.0):
        online = OnlineGame("option-index:count=visitors", multiplier=unit * G.values)
        luck, arms = np.random.default_rng(5), []
        for _ in range(G.turns):
            arms.append(online.choose(range(4)))
            online.learn(arms[-1], float(np.clip(luck.normal(0.3 + 0.1 * arms[-1], 0.2), 0, 1)))
        chosen.append(arms)
    assert chosen[0] == chosen[1]


def test_a_reward_belongs_to_the_last_question_and_its_G(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[object, ...]] = []

    def noting(rule: object, state: object, turn: Turn, seen: Observation) -> None:
        heard.append((*turn, *seen))
        learn(rule, state, turn, seen)

    monkeypatch.setattr("highseason.adapters.online.learn", noting)
    online = OnlineGame("ucb")
    online.learn("a", 0.25)  # before any question
    online.choose(["a", "b"])  # one visitor, if none are said
    online.learn("b", 0.5)
    online.choose(["a", "b"], visitors=7.0)
    online.learn("a", 0.75)
    nothing = (UNKNOWN_TURNS, 0, False)
    assert [row[:3] + row[4:] for row in heard] == [
        (0, 0.0, 1.0, *nothing, 0, 0, 0.25, 1.0),
        (1, 0.0, 1.0, *nothing, 1, 1, 0.5, 1.0),
        (2, 0.0, 7.0, *nothing, 2, 0, 0.75, 1.0),
    ]
    assert all(math.isnan(row[3]) for row in heard)
    assert online._beliefs == [1.0, 7.0]


def test_the_plan_holds_to_the_last_turn_of_the_multiplier() -> None:
    online = OnlineGame("soft+ucb", multiplier=[3.0, 1.0, 4.0])
    for _ in range(3):
        online.choose("ab")
    assert online._planner is None
    online.choose("ab")
    assert online._beliefs == [4.0]


def test_an_arm_without_a_reward_is_compared_by_0() -> None:
    online = OnlineGame("ucb")
    online.choose("ab")
    online.learn("b", 0.4)
    assert online.estimates() == {"a": 0.0, "b": 0.4}


@pytest.mark.parametrize("name", ["option-index", "ucb", "soft+kl-ucb"])
@pytest.mark.parametrize("reward", [-0.1, 12.0, math.nan, math.inf])
def test_a_policy_for_rewards_up_to_1_refuses_others(name: str, reward: float) -> None:
    game = OnlineGame(name)
    game.learn("red", 1.0)
    before = game.estimates()
    with pytest.raises(ValueError, match=r"learns rewards from 0 to 1, got .*divide each by"):
        game.learn("red", reward)
    assert game.estimates() == before
