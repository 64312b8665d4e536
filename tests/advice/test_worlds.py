"""What is assumed of arms and visitors."""

from __future__ import annotations

import numpy as np
import pytest

import highseason as hs
from highseason.advice import World
from highseason.core.random import game_keys


@pytest.mark.parametrize("rewards", ["bernoulli", "visitors"])
@pytest.mark.parametrize("rates", [(0.0, 1.0), (0.2, 0.6)])
@pytest.mark.parametrize("gap", [0.05, 0.3])
def test_the_gap_is_kept_in_every_game(
    rewards: str, rates: tuple[float, float], gap: float
) -> None:
    world = World.of(rewards, 5, rates, gap=gap)
    means = world.rewards.parameters(game_keys(1, range(500)))
    ranked = np.sort(means, axis=1)
    assert ranked[:, -1] - ranked[:, -2] == pytest.approx(gap)
    assert ranked.min() >= rates[0] - 1e-12
    assert ranked.max() <= rates[1] + 1e-12
    typical = np.sort(world.typical())
    assert typical[-1] - typical[-2] == pytest.approx(gap)


def test_any_arm_can_be_the_best() -> None:
    means = World.of("bernoulli", 4, gap=0.1).rewards.parameters(game_keys(1, range(500)))
    assert np.bincount(means.argmax(axis=1)).min() > 80


@pytest.mark.parametrize("rewards", ["bernoulli", "visitors"])
def test_simulated_regret_knows_the_gap(rewards: str) -> None:
    """Two arms a gap apart, played at random: half the gap in every turn."""
    G = hs.traffic.constant(turns=200)
    world = World.of(rewards, 2, (0.0, 1.0), gap=0.3)
    result = hs.simulate(hs.UniformRandom(), world.rewards, G, games=400, seed=1)
    assert result.mean("regret", 0) == pytest.approx(200 * 0.15, rel=0.03)


def test_a_model_of_your_own_is_a_world() -> None:
    model = hs.rewards.visitors(rates=[0.02, 0.03], rho=0.1, day=0.2)
    assert World.of(model, 2).rho == 0.1
    other = World.of(model, 2, rho=0.5)
    assert (other.rho, other.rewards.kind.day, other.rates) == (0.5, 0.2, "2% to 3%")
    assert World.of(hs.rewards.spend(2), 2).rates == "as given"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rewards": "visitors", "arms": 1}, "nothing to choose"),
        ({"rewards": "visitors", "arms": 3, "rates": (0.5, 0.5)}, "rising"),
        ({"rewards": "visitors", "arms": 3, "rates": (-0.1, 0.5)}, "from 0 to 1"),
        ({"rewards": "visitors", "arms": 3, "gap": 0.0}, "above 0"),
        ({"rewards": "bernoulli", "arms": 3, "gap": 0.6, "rates": (0.0, 0.5)}, "at most 0.5"),
        ({"rewards": "bernoulli", "arms": 3, "rho": 0.1}, "no meaning"),
        ({"rewards": "visitors", "arms": 3, "rho": 2.0}, "from 0 to 1"),
        ({"rewards": "coins", "arms": 3}, "'visitors', 'bernoulli'"),
    ],
)
def test_refuses(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        World.of(**arguments)
