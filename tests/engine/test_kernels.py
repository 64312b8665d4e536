"""Every kernel against the blackboard, turn by turn: small enough for the JIT off as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numba
import numpy as np
import pytest
from tests.engine.settings import (
    POLICIES,
    REWARDS,
    SIZES,
    on_generic_path,
    on_the_blackboard,
)

import highseason as hs
from highseason.engine.kernels import interface
from highseason.engine.kernels.ucb_lanes import MANY_ARMS
from highseason.policies import Policy
from highseason.rewards import Rewards

pytestmark = [
    pytest.mark.jit,
    pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning"),
]


@pytest.fixture(params=["own", "generic"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which kernel plays: the rule's own, or the one for any rule."""
    if request.param == "generic":
        monkeypatch.setattr(interface, "SPECIAL_KERNELS", {})
    return str(request.param)


def courses(policy: Policy, model: Rewards, G: Any, seed: int, number: int) -> dict[str, Any]:
    """The running totals of a game on the blackboard."""
    record = on_the_blackboard(policy, model, G, seed, number)
    means = hs.play(hs.Greedy(), model, G, seed, number).means
    gaps = means.max() - means[record.arms]
    scaled = G.values * record.paid
    return {
        "reward": np.cumsum(scaled),
        "regret": np.cumsum(G.values * gaps),
        "exploited": scaled[np.array(record.exploited)].sum(),
        "best_pulls": record.arms.count(int(np.argmax(means))),
    }


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("rewards", REWARDS)
def test_a_kernel_plays_the_game_on_the_blackboard(
    kernel: str, rewards: str, size: tuple[int, int]
) -> None:
    arms, turns = size
    same_course(kernel, REWARDS[rewards](arms=arms), turns, seed=1)


@pytest.mark.parametrize("kernel", ["own"], indirect=True)
@pytest.mark.parametrize("arms", [12, 20, 30])
def test_arms_that_nearly_tie(kernel: str, arms: int) -> None:
    # Equal pulls and, once rounded, equal indices, but means a bit apart: the lower arm is played.
    for seed in (1, 2, 3, 4):
        same_course(kernel, REWARDS["eighths"](arms=arms), 3 * arms, seed)


@pytest.mark.parametrize("kernel", ["own"], indirect=True)
def test_sums_of_scaled_rewards_nearly_tie(kernel: str) -> None:
    # 0.1 + 0.3 + 0.3 is not 0.3 + 0.1 + 0.3: naive policies come close with zeros and ones too.
    G = hs.traffic.from_values([0.1, 0.3, 0.3, 0.7] * 30)
    model = REWARDS["bernoulli"](arms=12)
    for seed in range(4):
        result = hs.simulate(hs.policies.NaiveUCB(), model, G, games=1, seed=seed, curves=120)
        wanted = courses(hs.policies.NaiveUCB(), model, G, seed, 0)["regret"]
        np.testing.assert_allclose(result.curves["regret"].mean[0], wanted, rtol=1e-12)


def same_course(kernel: str, model: Rewards, turns: int, seed: int) -> None:
    G = hs.traffic.wave(turns)
    result = hs.simulate(POLICIES, model, G, games=1, seed=seed, curves=turns)
    for name, policy in POLICIES.items():
        wanted = courses(policy, model, G, seed, 0)
        for metric in ("reward", "regret"):
            found = result.curves[metric].mean[result.index(name)]
            np.testing.assert_allclose(found, wanted[metric], rtol=1e-12, err_msg=name)
        for metric in ("exploited", "best_pulls"):
            assert result.mean(metric, name) == pytest.approx(wanted[metric], rel=1e-12), name


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="many arms take minutes as Python")
@pytest.mark.parametrize("rewards", ["bernoulli", "eighths", "normal"])
def test_games_with_many_arms_look_at_a_list_of_them(rewards: str) -> None:
    model, turns = REWARDS[rewards](arms=MANY_ARMS + 50), 5 * MANY_ARMS + 7
    roots = np.sqrt(np.arange(1.0, turns + 1))
    for policy in (hs.UCB(), hs.UCB(P=0.01), hs.SoftUCB(unit=1), hs.UCBZ(z=30)):
        for G in (hs.traffic.wave(turns), hs.traffic.from_values(roots)):  # one up and down
            players = [policy, on_generic_path(policy)]
            result = hs.simulate(players, model, G, games=9, seed=7, curves=40)
            assert result.games is not None
            for values in result.games.values():
                assert values[0].tolist() == values[1].tolist()
            for curve in (result.curves["reward"], result.curves["regret"]):
                assert curve.mean[0].tolist() == curve.mean[1].tolist()


def test_games_are_played_by_number(kernel: str) -> None:
    # Nine games: one more than eight lanes.
    model, G = REWARDS["bernoulli"](arms=4), hs.traffic.wave(30)
    result = hs.simulate(POLICIES, model, G, games=9, seed=7)
    assert result.games is not None
    for name, policy in POLICIES.items():
        for number in range(9):
            wanted = courses(policy, model, G, 7, number)
            row = result.index(name)
            assert result.games["reward"][row, number] == pytest.approx(wanted["reward"][-1])
            assert result.games["regret"][row, number] == pytest.approx(wanted["regret"][-1])
            assert result.games["best_pulls"][row, number] == wanted["best_pulls"]


def test_realised_regret_is_against_the_best_arm_with_the_same_luck(kernel: str) -> None:
    model, G = REWARDS["normal"](arms=4), hs.traffic.wave(30)
    result = hs.simulate(hs.UCB(), model, G, games=3, seed=7, realised=True)
    assert result.games is not None
    for number in range(3):
        game = hs.play(hs.UCB(), model, G, seed=7, game=number)
        found = result.games["realised_regret"][0, number]
        assert found == pytest.approx(game.realised_regret, rel=1e-12)


@pytest.mark.parametrize("turns", [3, 4, 9])
def test_checkpoints_may_lie_anywhere(kernel: str, turns: int) -> None:
    # In the first round, at its end, after it; the last is always the end of the game.
    model, G = REWARDS["bernoulli"](arms=4), hs.traffic.wave(turns)
    players = [hs.UCB(), hs.EpsilonGreedy(k=0.5)]
    whole = hs.simulate(players, model, G, games=5, seed=1, curves=turns)
    for count in range(1, turns + 1):
        part = hs.simulate(players, model, G, games=5, seed=1, curves=count)
        at = part.curves["reward"].turns
        for metric in ("reward", "regret"):
            expected = whole.curves[metric].mean[:, at - 1]
            assert part.curves[metric].mean.tolist() == expected.tolist()


def test_random_ties_take_the_generic_path(kernel: str) -> None:
    model, G = REWARDS["eighths"](arms=5), hs.traffic.wave(40)
    for policy in (hs.EpsilonGreedy(k=0.5), hs.UCB(), hs.VariablePool(c=60, unit=1)):
        by_lot = replace(policy, ties="random")
        result = hs.simulate(by_lot, model, G, games=1, seed=3, curves=40)
        game = hs.play(by_lot, model, G, seed=3)
        wanted = np.cumsum(G.values * (game.means.max() - game.means[game.arms]))
        np.testing.assert_allclose(result.curves["regret"].mean[0], wanted, rtol=1e-12)


@pytest.mark.parametrize("rewards", ["bernoulli", "eighths"])
def test_functions_compiled_into_the_kernel_leave_every_bit(
    rewards: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, G = REWARDS[rewards](arms=4), hs.traffic.wave(30)
    policy = hs.EpsilonGreedy(k=0.5, ties="random")
    pointers = hs.simulate(policy, model, G, games=9, seed=5)
    monkeypatch.setattr(interface, "WORTH_BINDING", 9 * 30)
    monkeypatch.setattr(interface, "_compiled_any_rule", lambda family: None)  # not what plays
    bound = hs.simulate(policy, model, G, games=9, seed=5)
    assert pointers.games is not None
    assert bound.games is not None
    for name, values in pointers.games.items():
        assert bound.games[name].tobytes() == values.tobytes()


def test_pointers_play_where_functions_cannot_be_compiled_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> None:
        raise numba.errors.TypingError("no such type")

    model, G, policy = REWARDS["bernoulli"](arms=4), hs.traffic.wave(30), hs.UCB(ties="random")
    first = hs.simulate(policy, model, G, games=3)
    monkeypatch.setattr(interface, "WORTH_BINDING", 0)
    monkeypatch.setattr(interface, "_player_type", refuse)
    assert str(hs.simulate(policy, model, G, games=3)) == str(first)
