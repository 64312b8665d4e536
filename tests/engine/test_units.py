"""Units never change decisions: money in cents, thousands or powers of two plays the same arms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import highseason as hs
from highseason.checks.catalogue import SEED, money, season
from highseason.policies import ForeignPolicy

pytestmark = pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")

POLICIES = [
    hs.OptionIndex(),
    hs.SoftUCB(),
    hs.UCB(P=0.01, count="visitors"),
    hs.Thompson(count="visitors"),
    hs.GaussianThompson(),
    hs.EpsilonGreedy(k=0.5),
    hs.VariablePool(c=10, unit=1),
    hs.policies.NaiveUCB(),
    hs.Discounted(hs.UCB(), discount=0.9),
    hs.regulate(hs.KLUCB()),
]
PRICES = st.floats(0.01, 2000.0, allow_subnormal=False)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(POLICIES),
    st.lists(PRICES | st.sampled_from([0.5, 1.0]), min_size=3, max_size=3),
    st.sampled_from([0.0, 0.1, 1.5]),
    st.sampled_from([100.0, 0.01, 1000.0, 2.0**-7, 2.0**20]),
)
def test_no_unit_of_money_changes_a_choice(
    policy: hs.Policy, prices: list[float], cv: float, unit: float
) -> None:
    worlds = [
        hs.rewards.spend(3, values=[size * price for price in prices], between=(0.02, 0.3), cv=cv)
        for size in (1.0, unit)
    ]
    one, other = (hs.play(policy, world, season(40), seed=3) for world in worlds)
    assert one.arms.tolist() == other.arms.tolist()
    assert other.reward == pytest.approx(unit * one.reward)


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_compiled_games_learn_what_play_learns(policy: hs.Policy) -> None:
    for model in money(70.0):
        compiled = hs.simulate(policy, model, season(60), games=1, seed=SEED)
        for metric in ("reward", "regret", "best_pulls"):
            played = getattr(hs.play(policy, model, season(60), SEED), metric)
            assert compiled.mean(metric, 0) == pytest.approx(played, rel=1e-9, abs=1e-9), model


def test_the_same_prices_in_hundreds_earn_the_same_share() -> None:
    """Before, the option index took 81% of the best in euros, below chance, and 97% in hundreds."""
    G, players = 400 * season(60), [hs.OptionIndex(), hs.UniformRandom()]
    for unit in (1.0, 0.01):
        values = [49.99 * unit, 59.99 * unit, 69.99 * unit]
        rewards = hs.rewards.spend(3, values=values, between=(0.03, 0.05), cv=0.1)
        result = hs.simulate(players, rewards, G, games=100, seed=1)
        found, chance = (1.0 - result.mean("regret", i) / result.best_reward for i in range(2))
        assert found > 0.93 > chance + 0.05


def test_an_object_of_another_library_learns_shares_too() -> None:
    seen: list[float] = []

    class Noting:
        def pull(self, arms: list[int]) -> int:
            return arms[-1]

        def update(self, arm: int, reward: float) -> None:
            seen.append(reward)

    rewards = hs.rewards.spend(rates=[0.1, 1.0], values=[30.0, 60.0], cv=0.0, most=80.0)
    hs.play(ForeignPolicy.of(Noting()), rewards, [5.0, 7.0])
    assert seen == [0.75, 0.75]


def _between(u: float, p: float, scale: float) -> float:
    """Ends and middle lie within (0, 1), and something between them does not."""
    return 1.5 if 0.6 < u < 0.9 else 0.5


def _later(u: float, parameters: Any, t: int, G: float) -> float:
    return parameters[0] * t  # type: ignore[no-any-return]  # a number


def _later_mean(parameters: Any, t: int, G: float) -> float:
    return parameters[0] * t  # type: ignore[no-any-return]  # a number


BREAKING = {
    "between": hs.rewards.custom(_between, lambda p: 0.0 * p + 0.8, arms=3),
    "later": hs.rewards.custom(_later, _later_mean, parameters=[[0.02], [0.1]], per_turn=True),
}


@pytest.mark.parametrize("policy", [hs.UCB(), hs.EpsilonGreedy(), hs.Thompson(), hs.OptionIndex()])
@pytest.mark.parametrize("name", BREAKING)
def test_a_reward_beyond_its_bounds_is_an_error(name: str, policy: hs.Policy) -> None:
    model, said = BREAKING[name], r"outside bounds=\(0, 1\): declare how far rewards can reach"
    with pytest.raises(ValueError, match=f"a reward of .* is {said}"):
        hs.play(policy, model, season(60))
    with pytest.raises(ValueError, match=f"some rewards are {said}"):
        hs.simulate(policy, model, season(60), games=3, curves=True)


def _scaled(u: float, p: float, scale: float) -> float:
    return scale * p * u


def test_bounds_may_be_whole_numbers() -> None:
    twice = [
        hs.rewards.custom(_scaled, lambda p: p, arms=3, scale=2.0, bounds=ends)
        for ends in ((0, 2), (0.0, 2.0))
    ]
    one, other = (hs.simulate("ucb", model, season(30), games=2) for model in twice)
    assert one.mean("reward", 0) == other.mean("reward", 0)


def test_rewards_without_an_end_are_refused() -> None:
    with pytest.raises(ValueError, match="must be two rising numbers, both finite"):
        hs.rewards.custom(lambda u, p, s: p / u, np.asarray, arms=3, bounds=(0.0, math.inf))


def test_what_is_learned_is_a_share_of_the_range() -> None:
    """From nothing, or the greatest loss, to the most; from 0 to 1 as it is."""
    lowest, highest = math.inf, 0.0
    for model in money(1.0):
        low, high = model.reward_range
        assert low <= 0.0 < high
        lowest, highest = min(lowest, model.learned(low)), max(highest, model.learned(high))
    assert (lowest, highest) == (0.0, 1.0)
    assert hs.rewards.truncated_normal(2).learned(0.1 + 0.2) == 0.1 + 0.2
