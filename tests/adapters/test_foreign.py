"""Any object with pull and update plays in our games."""

from __future__ import annotations

import builtins
import gc
import pickle
import random
from typing import Any

import pytest

import highseason as hs
from highseason.core.extras import MissingExtraError

G = hs.traffic.christmas(turns=100)
ARMS = hs.rewards.bernoulli(arms=4)


class Epsilon:
    """ε-greedy in ten lines."""

    def __init__(self) -> None:
        self.random, self.pulls, self.sums = random.Random(0), {}, {}

    def seed(self, number: int) -> None:
        self.random = random.Random(number)

    def pull(self, arms: list[int]) -> int:
        new = [arm for arm in arms if arm not in self.pulls]
        if new:
            return new[0]
        if self.random.random() < 0.1:
            return self.random.choice(arms)
        return max(arms, key=lambda arm: self.sums[arm] / self.pulls[arm])

    def update(self, arm: int, reward: float) -> None:
        self.pulls[arm] = self.pulls.get(arm, 0) + 1
        self.sums[arm] = self.sums.get(arm, 0.0) + reward


def test_it_earns_what_ours_earns() -> None:
    players = [hs.ConstantEpsilon(), hs.policies.ForeignPolicy.of(Epsilon())]
    result = hs.simulate(players, ARMS, hs.traffic.constant(150), games=80, seed=1)
    ours, theirs = (result.mean("regret", i) for i in range(2))
    assert theirs == pytest.approx(ours, rel=0.3)


def test_play_and_simulate_agree_turn_by_turn() -> None:
    policy = hs.policies.ForeignPolicy.of(Epsilon())
    result = hs.simulate(policy, ARMS, G, games=3, seed=4, curves=100, keep="games")
    assert result.games is not None
    for number in range(3):
        game = hs.play(policy, ARMS, G, seed=4, game=number)
        assert result.games["regret"][0, number] == pytest.approx(game.regret)
        assert result.games["exploited"][0, number] == pytest.approx(game.exploited_reward)
    last = result.curves["regret"].mean[0][-1]
    assert last == pytest.approx(result.mean("regret", 0))


def test_it_is_forgotten_after_its_game() -> None:
    policy = hs.policies.ForeignPolicy.of(Epsilon())
    hs.simulate(policy, ARMS, G, games=5)
    gc.collect()
    players: Any = policy.rule.start.__self__  # type: ignore[attr-defined]
    assert not players._objects


def test_it_is_pickled() -> None:
    policy = hs.regulate(Epsilon(), "threshold")
    twin = pickle.loads(pickle.dumps(policy))
    assert hs.play(twin, ARMS, G).arms.tolist() == hs.play(policy, ARMS, G).arms.tolist()


def test_on_busy_turns_the_leader_is_played() -> None:
    regulated = hs.regulate(Epsilon(), "threshold", z=30)
    game = hs.play(regulated, ARMS, G, seed=2)
    busy = game.G >= 30
    assert game.exploited[busy].all()
    assert not game.exploited[~busy].any()  # what the object leads by, it keeps to itself


def test_it_does_not_play_on_a_gpu() -> None:
    with pytest.raises(ValueError, match="Epsilon cannot be compiled"):
        hs.simulate([hs.UCB(), hs.regulate(Epsilon())], ARMS, G, games=3, executor="gpu")


def test_an_arm_that_is_not_there_is_an_error() -> None:
    class Wrong(Epsilon):
        def pull(self, arms: list[int]) -> int:
            return 17

    with pytest.raises(ValueError, match="chose arm 17 in turn 1"):
        hs.play(hs.policies.ForeignPolicy.of(Wrong()), ARMS, G)


@pytest.mark.parametrize("wrong", [7, object(), random.Random(1)])
def test_what_cannot_play_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="has no pull"):
        hs.policies.ForeignPolicy.of(wrong)
    with pytest.raises(ValueError, match="make must be a function"):
        hs.policies.ForeignPolicy()


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] in ("river", "mabwiser"):
            raise ImportError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    import highseason.core.extras as extras

    monkeypatch.setattr(extras, "import_module", without)
    with pytest.raises(MissingExtraError, match="pip install river"):
        hs.adapters.to_river("ucb")
    with pytest.raises(MissingExtraError, match="pip install mabwiser"):
        hs.adapters.to_mabwiser("ucb", ["a", "b"])
