"""Rewards that depend on the turn and G, with two parameters per arm: kernel, `play`, formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

import highseason as hs
from highseason.core.random import REWARD, draw, game_key, game_keys, turn_key
from highseason.rewards import Rewards, custom

pytestmark = [
    pytest.mark.jit,
    pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning"),
]

ARMS, TURNS, GAMES, SEED = 4, 60, 5, 3


def mean(parameters, t, G):  # type: ignore[no-untyped-def]  # as a user would write it
    """A wave over turns, lower where G is high; the arms take the lead in turn."""
    return 0.5 + 0.3 * math.sin(0.2 * t + parameters[0]) - parameters[1] * G / 100.0


def quantile(u, parameters, t, G):  # type: ignore[no-untyped-def]  # as a user would write it
    """Uniform around the mean, the narrower the higher G."""
    middle = 0.5 + 0.3 * math.sin(0.2 * t + parameters[0]) - parameters[1] * G / 100.0
    return middle + (u - 0.5) * 0.2 / (1.0 + G)


def drifting(**arms: object) -> Rewards:
    how = arms or {"arms": ARMS, "between": ([0.0, 0.0], [6.0, 0.1])}
    return custom(quantile, mean, per_turn=True, **how)  # type: ignore[arg-type]  # either way


def by_hand(game: int, chosen: np.ndarray, G: np.ndarray) -> tuple[float, float, float]:
    """Reward, regret and realised regret of these choices, from the formulas alone."""
    start = game_key(SEED, game)
    arms = drifting().parameters(game_keys(SEED, range(GAMES)))[game]
    reward = regret = luck = 0.0
    for t, (arm, value) in enumerate(zip(chosen, G, strict=True), start=1):
        means = [mean(row, t, value) for row in arms]
        best = int(np.argmax(means))
        u = draw(turn_key(start, t), REWARD)
        reward += value * quantile(u, arms[arm], t, value)
        regret += value * (means[best] - means[arm])
        luck += value * quantile(u, arms[best], t, value)
    return reward, regret, luck - reward


@pytest.mark.parametrize(
    "policy", [hs.UCB(), hs.EpsilonGreedy(k=0.5), hs.policies.NaiveUCB()], ids=str
)
def test_kernel_play_and_formulas_agree(policy: hs.Policy) -> None:
    G, rewards = hs.traffic.wave(TURNS), drifting()
    result = hs.simulate(policy, rewards, G, games=GAMES, seed=SEED, realised=True)
    assert result.games is not None
    for number in range(GAMES):
        game = hs.play(policy, rewards, G, seed=SEED, game=number)
        wanted = by_hand(number, game.arms, G.values)
        assert (game.reward, game.regret, game.realised_regret) == pytest.approx(wanted)
        simulated = [
            result.games[name][0, number] for name in ("reward", "regret", "realised_regret")
        ]
        assert simulated == pytest.approx(wanted)
        assert result.games["best_pulls"][0, number] == game.best_pulls
        assert len(set(game.best_arms.tolist())) > 1  # the lead changes
        assert game.means.shape == (TURNS, ARMS)


def test_arms_that_come_and_go_may_drift_too() -> None:
    G = hs.traffic.wave(TURNS)
    rewards = drifting(parameters=[[0.0, 0.0], [2.0, 0.1], [4.0, 0.05]])
    lifetimes = hs.lifetimes.fixed([(1, 30), (1, math.inf), (20, 50)])
    result = hs.simulate(
        hs.UCB(), rewards, G, games=2, seed=SEED, lifetimes=lifetimes, realised=True
    )
    assert result.games is not None
    game = hs.play(hs.UCB(), rewards, G, seed=SEED, game=1, lifetimes=lifetimes)
    assert result.games["regret"][0, 1] == pytest.approx(game.regret)
    assert result.games["realised_regret"][0, 1] == pytest.approx(game.realised_regret)


def test_one_parameter_per_arm_is_a_row_of_one() -> None:
    rewards = custom(
        lambda u, parameters, t, G: parameters[0] * u,
        lambda parameters, t, G: parameters[0] / 2,
        parameters=[0.2, 0.8],
        per_turn=True,
    )
    assert rewards.width == 1
    assert rewards.means_at(rewards.parameters(game_keys(0, range(1)))[0], 1, 1.0).tolist() == [
        0.1,
        0.4,
    ]
    with pytest.raises(ValueError, match="means change by turn"):
        rewards.means(np.zeros((1, 2)))
