"""Policies that count visitors: play, compiled games and the live bandit learn alike."""

from __future__ import annotations

import numpy as np
import pytest

import highseason as hs
from highseason.policies import parse
from highseason.rewards import effective_visitors

pytestmark = pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")

TEXTS = [
    "ucb:count=visitors,P=0.1",
    "ucb-z:count=visitors,rho=0.01",
    "soft-ucb:count=visitors,rho=1",
    "epsilon-greedy:count=visitors,k=0.5",
    "greedy:count=visitors,rho=0.05",
    "discounted:discount=0.9+ucb:count=visitors,P=0.1",
    "option-index:count=turns",  # which turns teach how much, it learns itself
    "option-index",
    "option-index:count=visitors,regulated=false",
]


@pytest.mark.jit
@pytest.mark.parametrize("text", TEXTS)
def test_play_and_simulate_agree(text: str) -> None:
    policy, G = parse(text), hs.traffic.wave(50)
    rewards = hs.rewards.visitors(arms=3, between=(0.1, 0.3), rho=0.02, share=5)
    result = hs.simulate(policy, rewards, G, games=2, seed=3)
    assert result.games is not None
    for number in range(2):
        game = hs.play(policy, rewards, G, seed=3, game=number)
        assert result.games["reward"][0, number] == pytest.approx(game.reward)
        assert result.games["regret"][0, number] == pytest.approx(game.regret)


@pytest.mark.parametrize("name", ["ucb", "greedy", "soft-ucb", "epsilon-greedy"])
def test_with_one_coin_a_turn_visitors_are_turns(name: str) -> None:
    """Bernoulli turns are one draw, and rho 1 says the same of visitors: the choices are equal."""
    G, plain = hs.traffic.wave(60), parse(name)
    for rewards, text in (
        (hs.rewards.bernoulli(arms=4), f"{name}:count=visitors"),
        (hs.rewards.visitors(arms=4, between=(0.2, 0.6)), f"{name}:count=visitors,rho=1"),
    ):
        for number in range(3):
            one = hs.play(plain, rewards, G, seed=5, game=number)
            other = hs.play(parse(text), rewards, G, seed=5, game=number)
            assert one.arms.tolist() == other.arms.tolist()


def test_estimates_are_weighted_by_effective_visitors() -> None:
    traffic, orders = [100.0, 900.0, 400.0], [10.0, 45.0, 60.0]
    for rho in (0.0, 0.01):
        shelf = hs.Bandit(["a"], hs.Greedy(count="visitors", rho=rho), traffic)
        for t, (visitors, sold) in enumerate(zip(traffic, orders, strict=True), start=1):
            shelf.pull(t)
            shelf.update("a", reward=sold, t=t, visitors=visitors)
        weight = np.array([effective_visitors(n, rho) for n in traffic])
        rates = np.array(orders) / np.array(traffic)
        wanted = (weight * rates).sum() / weight.sum()
        assert shelf.ranking()[0].estimate == pytest.approx(wanted)


@pytest.mark.parametrize(
    "text", ["ucb:P=0.05,count=visitors,rho=0.002", "option-index:count=visitors"]
)
def test_the_bandit_plays_what_play_plays(text: str) -> None:
    G, policy = np.rint(10 * hs.traffic.wave(40).values), parse(text)
    rewards = hs.rewards.visitors(arms=3, between=(0.05, 0.3))
    game = hs.play(policy, rewards, G, seed=9)
    shelf = hs.Bandit(["0", "1", "2"], policy, G, seed=9, reward_range=(0, 1))
    for t, (arm, paid) in enumerate(zip(game.arms, game.paid, strict=True), start=1):
        assert shelf.pull(t) == str(arm)
        visitors = float(G[t - 1])
        shelf.update(str(arm), reward=visitors * paid, t=t, visitors=visitors)


@pytest.mark.parametrize("within", ["", "limit-switching+"])
def test_the_option_index_counts_what_the_rewards_count(within: str) -> None:
    G, name = 20.0 * hs.traffic.wave(40).values, f"{within}option-index"
    shop, paper = hs.rewards.visitors(arms=4, between=(0.1, 0.3)), hs.rewards.bernoulli(arms=4)
    for rewards, counted, other in ((shop, "visitors", "turns"), (paper, "turns", "visitors")):
        players = [name, *(f"{name}:count={what}" for what in (counted, other))]
        result = hs.simulate(players, rewards, G, games=20, seed=3)
        assert result.games is not None
        plain, same, differs = result.games["reward"].tolist()
        assert plain == same != differs
        arms = [hs.play(player, rewards, G, seed=3).arms.tolist() for player in players]
        assert arms[0] == arms[1]
        assert result.policies[0] == name
    shelf = hs.Bandit(["a", "b"], name, G, reward_range=(0, 1))
    assert shelf.policy == parse(f"{name}:count=visitors")
    settled = hs.Bandit(["a", "b"], f"{name}:count=turns", G, reward_range=(0, 1))
    assert settled.policy == parse(f"{name}:count=turns")


def test_counting_visitors_pays_where_turns_differ() -> None:
    """A quiet turn's lucky share must not outweigh a busy turn's."""
    G = np.where(np.arange(300) % 2, 2000.0, 20.0)
    rewards = hs.rewards.visitors(arms=5, between=(0.02, 0.04))
    result = hs.simulate(
        {"turns": hs.UCB(P=0.0005), "visitors": hs.UCB(P=0.1, count="visitors")},
        rewards, G, games=300, seed=2,
    )  # fmt: skip
    assert result.gain("visitors").low > 0.0


def test_with_many_independent_visitors_policies_agree_within_a_permille() -> None:
    G = np.full(400, 2e6)
    rewards = hs.rewards.visitors(arms=4, between=(0.005, 0.03))
    players = [
        hs.Greedy(count="visitors"), hs.UCB(count="visitors", P=0.2), hs.Thompson(count="visitors"),
    ]  # fmt: skip
    result = hs.simulate(players, rewards, G, games=200, seed=1)
    rewarded = [result.mean("reward", i) for i in range(3)]
    assert max(rewarded) / min(rewarded) < 1.001


def test_where_turns_are_all_noise_the_papers_games_come_back() -> None:
    """With rho 1 a turn is one coin, whatever its visitors: the games are those of bernoulli."""
    G, players = hs.traffic.christmas(turns=300), [hs.UCB(), hs.UCBZ(), hs.SoftUCB(P=0.1)]
    paper, alike = (
        hs.simulate([*players, hs.Greedy(), hs.Thompson()], model, G, games=60, seed=4)
        for model in (
            hs.rewards.bernoulli(arms=8, between=(0.1, 0.9)),
            hs.rewards.visitors(arms=8, between=(0.1, 0.9), rho=1.0),
        )
    )
    assert paper.games is not None
    assert alike.games is not None
    for metric in ("reward", "regret"):
        assert np.allclose(paper.games[metric], alike.games[metric], rtol=1e-9)


def test_a_believed_correlation_is_not_tuned() -> None:
    from highseason.advice.trials import Space

    space = Space.of(hs.UCB(count="visitors", rho=0.01), hs.traffic.wave(50))
    assert [axis.name for axis in space.axes] == ["P"]


def test_words_and_numbers_are_checked() -> None:
    with pytest.raises(ValueError, match="must be one of turns, visitors"):
        hs.UCB(count="people")
    with pytest.raises(ValueError, match="must be at most 1"):
        hs.UCB(count="visitors", rho=2)
    assert str(hs.UCB(count="visitors", rho=0.01)) == "ucb:count=visitors,rho=0.01"
