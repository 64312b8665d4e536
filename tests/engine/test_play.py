"""The readable loop against the blackboard."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.settings import POLICIES, REWARDS, SIZES, on_the_blackboard

import highseason as hs

pytestmark = [
    pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning"),
    pytest.mark.filterwarnings("ignore::highseason.traffic.ThresholdWarning"),
]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("rewards", REWARDS)
@pytest.mark.parametrize("policy", POLICIES)
def test_play_is_the_game_on_the_blackboard(
    policy: str, rewards: str, size: tuple[int, int]
) -> None:
    arms, turns = size
    player, model, G = POLICIES[policy], REWARDS[rewards](arms=arms), hs.traffic.wave(turns)
    for number in (0, 1, 5):
        game = hs.play(player, model, G, seed=42, game=number)
        expected = on_the_blackboard(player, model, G, 42, number)
        assert game.arms.tolist() == expected.arms
        assert game.paid.tolist() == expected.paid
        assert game.exploited.tolist() == expected.exploited


@settings(max_examples=40)
@given(
    policy=st.sampled_from(sorted(POLICIES)),
    rewards=st.sampled_from(sorted(REWARDS)),
    arms=st.integers(1, 6),
    G=st.lists(st.floats(0.01, 100), min_size=1, max_size=40),
    seed=st.integers(0, 2**64 - 1),
)
def test_play_is_the_game_on_the_blackboard_for_any_stakes(
    policy: str, rewards: str, arms: int, G: list[float], seed: int
) -> None:
    player, model = POLICIES[policy], REWARDS[rewards](arms=arms)
    multiplier = hs.traffic.from_values(G)
    expected = on_the_blackboard(player, model, multiplier, seed, 3)
    assert hs.play(player, model, multiplier, seed=seed, game=3).arms.tolist() == expected.arms


def test_a_games_totals() -> None:
    G = hs.traffic.wave(50)
    game = hs.play(hs.UCBZ(z=30), hs.rewards.bernoulli(means=[0.2, 0.8, 0.5]), G, seed=3)
    assert set(game.best_arms) == {1}
    assert game.G is G.values
    by_hand = {"reward": 0.0, "regret": 0.0, "realised": 0.0, "exploited": 0.0, "best": 0}
    for t in range(50):
        by_hand["reward"] += G.values[t] * game.paid[t]
        by_hand["regret"] += G.values[t] * (0.8 - game.means[game.arms[t]])
        by_hand["realised"] += G.values[t] * (game.best_paid[t] - game.paid[t])
        by_hand["exploited"] += G.values[t] * game.paid[t] * game.exploited[t]
        by_hand["best"] += game.arms[t] == 1
    assert game.reward == pytest.approx(by_hand["reward"])
    assert game.regret == pytest.approx(by_hand["regret"])
    assert game.realised_regret == pytest.approx(by_hand["realised"])
    assert game.exploited_reward == pytest.approx(by_hand["exploited"])
    assert game.best_pulls == by_hand["best"]


def test_the_best_arm_has_the_same_luck() -> None:
    game = hs.play(hs.Greedy(), hs.rewards.truncated_normal(arms=4), hs.traffic.wave(60), seed=1)
    assert (game.best_paid >= game.paid).all()
    at_best = game.arms == game.best_arms
    assert np.array_equal(game.best_paid[at_best], game.paid[at_best])


def test_gaps_use_the_true_mean_of_a_clipped_normal() -> None:
    model = hs.rewards.truncated_normal(centres=[1.0, 0.0], sigma=1.0)
    game = hs.play(hs.Greedy(), model, hs.traffic.constant(20), seed=1)
    assert game.means.round(3).tolist() == [0.684, 0.316]


def test_a_forecast_steers_and_the_actual_pays() -> None:
    G, H = hs.traffic.step(60), hs.traffic.step(60).shift(6)
    model = hs.rewards.bernoulli(arms=4)
    game = hs.play(hs.UCBZ(z=30), model, G, seed=5, forecast=H)
    assert np.array_equal(game.plan.levels, hs.UCBZ(z=30).plan(H, 4).levels)
    assert np.array_equal(game.G, G.values)


def test_random_ties_are_not_always_the_lowest() -> None:
    model = hs.rewards.bernoulli(means=[1.0] * 5)
    G = hs.traffic.constant(60)
    assert set(hs.play(hs.Greedy(), model, G, seed=1).arms[5:]) == {0}
    assert set(hs.play(hs.Greedy(ties="random"), model, G, seed=1).arms[5:]) == set(range(5))
