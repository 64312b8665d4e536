"""With G = 1, Thompson sampling, KL-UCB and constant ε are the textbooks' algorithms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.reference import textbook

import highseason as hs

MEANS = np.array([0.2, 0.5, 0.45, 0.7, 0.6])
TURNS, GAMES = 150, 120


@pytest.mark.parametrize(
    ("policy", "choose"),
    [
        (hs.Thompson(), textbook.thompson),
        (hs.GaussianThompson(), textbook.gaussian_thompson),
        (hs.ConstantEpsilon(), textbook.constant_epsilon),
    ],
    ids=lambda item: getattr(item, "name", ""),
)
def test_the_regret_is_the_textbooks(policy: hs.Policy, choose: textbook.Choose) -> None:
    rng = np.random.default_rng(5)
    theirs = [textbook.regret(choose, MEANS, TURNS, rng) for _ in range(GAMES)]
    G, rewards = hs.traffic.constant(TURNS, 1.0), hs.rewards.bernoulli(means=MEANS)
    result = hs.simulate(policy, rewards, G, games=5000, seed=1)
    error = float(np.std(theirs)) / math.sqrt(GAMES)
    assert abs(result.mean("regret", 0) - np.mean(theirs)) < 4 * error
    assert 4 * error < 0.3 * np.mean(theirs)


def test_kl_ucb_chooses_the_textbooks_arms() -> None:
    G, rewards = hs.traffic.constant(TURNS, 1.0), hs.rewards.bernoulli(means=MEANS)
    for number in range(5):
        game = hs.play(hs.KLUCB(), rewards, G, seed=2, game=number)
        pulls, wins = np.zeros(MEANS.size), np.zeros(MEANS.size)
        for t, (arm, paid) in enumerate(zip(game.arms, game.paid, strict=True), start=1):
            assert arm == textbook.kl_ucb(pulls, wins, t, np.random.default_rng(0))
            pulls[arm] += 1
            wins[arm] += paid


def test_kl_ucb_needs_less_than_ucb_where_rates_are_low() -> None:
    rewards = hs.rewards.bernoulli(arms=8, between=(0.0, 0.1))
    result = hs.simulate([hs.UCB(), hs.KLUCB()], rewards, hs.traffic.constant(1000), games=100)
    assert result.mean("regret", 1) < 0.8 * result.mean("regret", 0)


def test_thompson_takes_rewards_between_0_and_1() -> None:
    rewards = hs.rewards.truncated_normal(centres=[0.2, 0.8], sigma=0.1)
    game = hs.play(hs.Thompson(), rewards, hs.traffic.constant(200), seed=1)
    assert game.best_pulls > 180


def test_the_gaussian_posterior_takes_rewards_of_any_size() -> None:
    state = hs.policies.fresh_state(2)
    state.selections[:], state.pulls[:], state.sums[:] = 100, 100, [2000.0, 5000.0]
    turn = hs.policies.Turn(201, 100.0, 1.0, math.nan, -1, 7, False, 201)
    assert hs.policies.NORMAL_SAMPLING.choose(state, turn) == (1, True)


def test_visitors_count_as_evidence() -> None:
    """With many visitors a turn, an arm's posterior narrows after a single turn."""
    rewards = hs.rewards.visitors(rates=[0.2, 0.8])
    G = hs.traffic.constant(60, 500.0)
    by_turn, by_visitor = (
        hs.simulate(hs.Thompson(count=count), rewards, G, games=200).mean("regret", 0)
        for count in ("turns", "visitors")
    )
    assert by_visitor < 0.5 * by_turn


def test_a_prior_that_knows_the_rates_helps() -> None:
    rewards = hs.rewards.bernoulli(arms=10, between=(0.0, 0.1))
    players = [hs.Thompson(), hs.Thompson(successes=1, failures=20)]
    result = hs.simulate(players, rewards, hs.traffic.constant(500), games=200)
    assert result.mean("regret", 1) < 0.93 * result.mean("regret", 0)
