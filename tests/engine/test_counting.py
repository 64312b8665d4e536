"""Policies that count visitors: play, compiled games and the live bandit learn alike."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import highseason as hs
from highseason.checks.catalogue import offers
from highseason.policies import CountingPolicy, parse, registry
from highseason.rewards import effective_visitors
from studies.logged.generate import generate_events

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
    G, plain = hs.traffic.wave(60), parse(f"{name}:count=turns")
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


#: Every policy whose count follows the rewards, and wrappers around one.
FOLLOWING = [
    *(n for n, kind in registry(added=False).items() if kind() != kind().counting("turns")),
    "windowed:window=9+thompson", "limit-switching+option-index", "soft+thompson",
]  # fmt: skip
#: Those that play arms which are mere names, as in a bandit without prices.
NAMED = [name for name in FOLLOWING if not parse(name).rule.constants]
SHOP, PAPER = (
    replace(model, offers=offers(4))
    for model in (hs.rewards.visitors(arms=4, between=(0.1, 0.3)), hs.rewards.bernoulli(arms=4))
)
QUIET_AND_BUSY = 20.0 * hs.traffic.wave(40).values


def test_every_policy_that_can_count_visitors_follows_the_rewards() -> None:
    able = {n for n, kind in registry(added=False).items() if issubclass(kind, CountingPolicy)}
    assert {"thompson", "greedy", "ucb", "kl-ucb", "gaussian-thompson", "option-index"} < able
    assert able < set(FOLLOWING)


@pytest.mark.parametrize("name", FOLLOWING)
def test_a_policy_counts_what_the_rewards_count(name: str) -> None:
    plain = parse(name)
    for rewards, what in ((SHOP, "visitors"), (PAPER, "turns")):
        told = plain.counting(what)
        assert parse(str(told)) == told != plain
        for each in range(3):
            games = [
                hs.play(one, rewards, QUIET_AND_BUSY, seed=3, game=each) for one in (plain, told)
            ]
            assert games[0].arms.tolist() == games[1].arms.tolist()


def test_simulated_tuned_and_forecast_policies_count_what_the_rewards_count() -> None:
    players = {name: parse(name) for name in FOLLOWING}
    for rewards, what, other in ((SHOP, "visitors", "turns"), (PAPER, "turns", "visitors")):
        plain, told, differs = (
            hs.simulate(some, rewards, QUIET_AND_BUSY, games=12, seed=3)
            for some in (
                players,
                {name: policy.counting(what) for name, policy in players.items()},
                {"thompson": hs.Thompson(count=other), "greedy": hs.Greedy(count=other)},
            )
        )
        rows, same, others = ((one.games or {})["reward"] for one in (plain, told, differs))
        assert np.array_equal(rows, same)
        assert plain.policies == tuple(FOLLOWING)
        if rewards is SHOP:
            assert not np.array_equal(rows[FOLLOWING.index("thompson")], others[0])
        search = {"rewards": rewards, "multiplier": QUIET_AND_BUSY, "trials": 3, "games": 8}
        found = [
            hs.tune(one, **search, search="spread", executor="serial").reported.moments["reward"]
            for one in (hs.UCB(), hs.UCB(count=what))
        ]
        assert np.array_equal(found[0].mean, found[1].mean)


@pytest.mark.parametrize("name", NAMED)
def test_what_a_bandit_counts_is_written_out_and_stays(name: str) -> None:
    policy = parse(name)
    for told, what in ((policy, "visitors"), (policy.counting("turns"), "turns")):
        shelf = hs.Bandit(["a", "b"], told, QUIET_AND_BUSY, reward_range=(0, 1))
        assert shelf.policy == policy.counting(what)
        assert f"count={what}" in str(shelf.policy)
        assert f'"count":"{what}"' in shelf.to_json().replace(" ", "")
        shelf.update(shelf.pull(), reward=3, visitors=20)
        for given in (None, told, policy):
            again = hs.Bandit.from_json(shelf.to_json(), policy=given)
            assert again.policy == shelf.policy
            assert again.pull() == shelf.pull()
        with pytest.raises(ValueError, match="another policy"):
            hs.Bandit.from_json(shelf.to_json(), policy=hs.UniformRandom())


def test_a_policy_of_ones_own_follows_the_rewards_too() -> None:
    @dataclass(frozen=True)
    class Half(CountingPolicy):
        rule = hs.policies.EPSILON

        def step(self, carry: int, view: hs.policies.View) -> tuple[float, int]:
            return 0.5, carry

    games = [hs.play(one, SHOP, QUIET_AND_BUSY, seed=3) for one in (Half(), Half(count="visitors"))]
    assert games[0].arms.tolist() == games[1].arms.tolist()
    shelf = hs.Bandit(["a", "b"], Half(), QUIET_AND_BUSY, reward_range=(0, 1))
    assert shelf.policy == Half(count="visitors")


def test_a_replayed_event_is_one_visitor() -> None:
    """So counting visitors and counting turns is the same, and the default is either."""
    log = generate_events(0.01, seed=1, articles=4).events.take(slice(3000))
    for name in ("thompson", "ucb", "greedy", "kl-ucb"):
        players = [parse(name), *(parse(name).counting(what) for what in ("turns", "visitors"))]
        means = {hs.replay({"it": player}, log)["it"].mean for player in players}
        assert len(means) == 1


def test_a_window_weighs_the_rewards_within() -> None:
    from highseason.policies import Observation, Turn

    policy = parse("windowed:window=2+greedy:count=visitors")
    rule, state = policy.rule, policy.rule.fresh_state(1)
    turn = Turn(1, 0.0, 1.0, np.nan, -1, 0, False, 1)
    for value, visitors in ((0.9, 50.0), (0.2, 300.0), (0.6, 100.0)):
        rule.observe(state, turn, Observation(0, value, policy.precision(visitors)))
    assert state.pulls[0] == 400.0
    assert state.sums[0] / state.pulls[0] == pytest.approx(0.3)


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
    players = [one.counting("turns") for one in (*players, hs.Greedy(), hs.Thompson())]
    paper, alike = (
        hs.simulate(players, model, G, games=60, seed=4)
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
    with pytest.raises(ValueError, match="must be one of auto, turns, visitors"):
        hs.UCB(count="people")
    with pytest.raises(ValueError, match="must be at most 1"):
        hs.UCB(count="visitors", rho=2)
    assert str(hs.UCB(count="visitors", rho=0.01)) == "ucb:count=visitors,rho=0.01"
