"""MABWiser's learning policies in our games, and ours behind MABWiser's interface."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import numpy as np
import pytest
from mabwiser.mab import MAB, LearningPolicy
from mabwiser.simulator import Simulator

import highseason as hs
from highseason.adapters import from_mabwiser, to_mabwiser
from highseason.adapters.mabwiser_bandits import MabwiserBandit

G = hs.traffic.christmas(turns=80)
ARMS = hs.rewards.bernoulli(arms=3)


@pytest.mark.parametrize(
    "theirs",
    [
        LearningPolicy.EpsilonGreedy(0.1),
        LearningPolicy.UCB1(1.0),
        LearningPolicy.ThompsonSampling(),
        LearningPolicy.Softmax(0.2),
    ],
    ids=lambda policy: type(policy).__name__,
)
def test_it_plays_our_games_and_is_regulated(theirs: object) -> None:
    policy = from_mabwiser(theirs)
    players = [hs.UniformRandom(), policy, hs.regulate(policy, "soft")]
    result = hs.simulate(players, ARMS, G, games=10, seed=2)
    assert result.mean("reward", 1) > result.mean("reward", 0)
    assert result.mean("reward", 2) > result.mean("reward", 0)
    again = hs.simulate(policy, ARMS, G, games=10, seed=2)
    assert again.mean("reward", 0) == result.mean("reward", 1)


def test_arms_that_are_not_there_are_not_played() -> None:
    lifetimes = hs.lifetimes.fixed([(1, 80), (1, 30), (1, 80)])
    arms = hs.rewards.bernoulli(means=[0.2, 0.9, 0.3])
    game = hs.play(from_mabwiser(LearningPolicy.UCB1(1.0)), arms, G, lifetimes=lifetimes)
    assert 1 in game.arms[:30]
    assert 1 not in game.arms[30:]


def test_what_needs_contexts_is_refused() -> None:
    for wrong in (LearningPolicy.LinUCB(alpha=1.0), "UCB1"):
        with pytest.raises(ValueError, match="needs no contexts"):
            from_mabwiser(wrong)


# -- the other way round ---------------------------------------------------------------------------


def test_ours_learns_and_predicts() -> None:
    ours = to_mabwiser("thompson", ["a", "b"], seed=3)
    assert isinstance(ours, MAB)
    assert ours.visitors == 1.0
    ours.fit(["a"] * 50 + ["b"] * 50, [1] * 45 + [0] * 5 + [0] * 45 + [1] * 5)
    assert ours.predict() == "a"
    assert ours.predict_expectations() == {"a": 46 / 52, "b": 6 / 52}  # of the posterior
    ours.add_arm("c")
    ours.partial_fit(["c"] * 100, [1] * 100)
    assert ours.predict() == "c"
    ours.remove_arm("c")
    assert ours.predict() == "a"
    ours.fit(["a", "b"], [0, 1])  # starts again
    assert ours.predict_expectations() == {"a": 1 / 3, "b": 2 / 3}
    assert ours.cold_arms == []


def test_without_a_seed_it_is_0_and_one_process_learns() -> None:
    ours = MabwiserBandit("thompson", ["a", "b"])
    assert (ours.seed, ours._imp.n_jobs) == (0, 1)
    assert to_mabwiser("thompson", ["a", "b"]).seed == 0


def test_traffic_regulates_it() -> None:
    ours = to_mabwiser("threshold:z=10+constant-epsilon:epsilon=1", [1, 2, 3], seed=1)
    ours.fit([1, 2, 3], [0, 1, 0])
    ours.visitors = 50
    assert {ours.predict() for _ in range(30)} == {2}
    ours.visitors = 1
    assert len({ours.predict() for _ in range(30)}) == 3


def test_it_passes_mabwisers_own_validation() -> None:
    with pytest.raises(ValueError, match=r"[Dd]uplicate|list"):
        to_mabwiser("ucb", ["a", "a"])
    ours = to_mabwiser("ucb", ["a", "b"])
    with pytest.raises(Exception, match="fit"):
        ours.predict()
    ours.fit(["a", "b"], [1, 0])
    with pytest.raises(ValueError, match="arm"):
        ours.add_arm("a")


@pytest.fixture
def root_logger_restored() -> Iterator[None]:
    """MABWiser's simulator sets the root logger to DEBUG, and gives it a handler."""
    level, handlers = logging.root.level, list(logging.root.handlers)
    yield
    logging.root.setLevel(level)
    logging.root.handlers[:] = handlers


@pytest.mark.usefixtures("root_logger_restored")
def test_it_runs_in_mabwisers_simulator() -> None:
    rng = np.random.default_rng(3)
    decisions = rng.integers(0, 3, 200)
    rewards = (rng.random(200) < np.array([0.2, 0.5, 0.8])[decisions]).astype(int)
    bandits = [
        ("ours", to_mabwiser("kl-ucb", [0, 1, 2], seed=1)),
        ("theirs", MAB([0, 1, 2], LearningPolicy.UCB1(1.0), seed=1)),
    ]
    simulator = Simulator(bandits, decisions, rewards, test_size=0.5, batch_size=0, is_quick=True)
    simulator.run()
    assert set(simulator.bandit_to_predictions) == {"ours", "theirs"}
    assert np.mean(np.array(simulator.bandit_to_predictions["ours"]) == 2) > 0.5
