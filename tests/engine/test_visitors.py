"""Games with visitors: compiled and readable play agree for every rule, and regret is G·gap."""

from __future__ import annotations

import math

import numpy as np
import pytest

import highseason as hs
from highseason.rewards import parse

pytestmark = [
    pytest.mark.jit,
    pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning"),
]

MODELS = [
    "visitors:rates=2%..40%,share=20",
    "visitors:rates=2%..40%,rho=0.05,day=0.1,share=10",
    "visitors:rates=0.03+-0.01,rho=0.01,share=100",
    "visitors:rates=0.1..0.4,drift=0.02,share=5",
    "bernoulli:means=0.1..0.9,change=20",
    "bernoulli:drift=0.1",
    "spend:rates=0.1..0.4,values=1..3,share=4",
]
POLICIES = [
    hs.UCB(),
    hs.EpsilonGreedy(k=0.5),
    hs.VariablePool(c=10, unit=1),
    hs.Discounted(hs.UCB(), discount=0.9),
    hs.policies.NaiveUCB(),
]


@pytest.mark.parametrize("text", MODELS)
def test_compiled_games_are_those_of_play(text: str) -> None:
    G, rewards = hs.traffic.wave(40), parse(text, arms=4)
    result = hs.simulate(POLICIES, rewards, G, games=2, seed=4, realised=True)
    assert result.games is not None
    for i, policy in enumerate(POLICIES):
        for number in range(2):
            game = hs.play(policy, rewards, G, seed=4, game=number)
            for metric in ("reward", "regret", "realised_regret", "best_pulls"):
                wanted = pytest.approx(getattr(game, metric), rel=1e-9, abs=1e-9)
                assert result.games[metric][i, number] == wanted, (policy, metric)


def test_many_arms_are_those_of_play() -> None:
    G, rewards = hs.traffic.wave(400), parse("visitors:rates=2%..40%,share=3", arms=300)
    result = hs.simulate(hs.UCB(P=0.01), rewards, G, games=1, seed=4)
    game = hs.play(hs.UCB(P=0.01), rewards, G, seed=4)
    assert result.mean("reward", 0) == pytest.approx(game.reward)


def test_arms_may_come_and_go() -> None:
    G, rewards = hs.traffic.wave(40), parse("visitors:rates=0.1/0.2/0.3,drift=0.05")
    lifetimes = hs.lifetimes.fixed([(1, 25), (1, math.inf), (15, 30)])
    result = hs.simulate(hs.UCB(), rewards, G, games=1, seed=2, lifetimes=lifetimes)
    game = hs.play(hs.UCB(), rewards, G, seed=2, lifetimes=lifetimes)
    assert result.mean("regret", 0) == pytest.approx(game.regret)


def test_regret_is_the_gap_of_the_rates_times_g() -> None:
    G = hs.traffic.wave(40)
    rewards = hs.rewards.visitors(rates=[0.02, 0.05], rho=0.1, share=7)
    game = hs.play(hs.UniformRandom(), rewards, G, seed=1)
    assert game.regret == pytest.approx((G.values * 0.03)[game.arms == 0].sum())


def test_seen_by_many_visitors_one_try_tells_the_best_arm() -> None:
    """The Upworthy example: greedy loses next to nothing where each visitor counts."""
    G = np.full(200, 100_000.0)
    crowd, coin = (
        hs.simulate(
            hs.Greedy(), hs.rewards.visitors(rates=[0.02, 0.025, 0.03], rho=rho), G, games=50
        )
        for rho in (0.0, 1.0)
    )
    best = 0.03 * G.sum()
    assert crowd.mean("reward", 0) > 0.995 * best
    assert coin.mean("reward", 0) < 0.95 * best
