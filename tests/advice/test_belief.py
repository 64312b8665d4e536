"""Arms as they are assumed to be."""

from __future__ import annotations

import numpy as np
import pytest

import highseason as hs
from highseason.advice import Belief
from highseason.core.random import game_keys


@pytest.mark.parametrize("between", [(0.0, 1.0), (0.2, 0.6)])
@pytest.mark.parametrize("arms", [2, 7])
@pytest.mark.parametrize("gap", [0.05, 0.3])
def test_the_gap_is_kept_in_every_game(between: tuple[float, float], arms: int, gap: float) -> None:
    belief = Belief(arms, between, gap)
    means = belief.rewards().parameters(game_keys(1, range(500)))
    ranked = np.sort(means, axis=1)
    assert ranked[:, -1] - ranked[:, -2] == pytest.approx(gap)
    assert ranked.min() >= between[0] - 1e-12
    assert ranked.max() <= between[1] + 1e-12
    typical = np.sort(belief.typical())
    assert typical[-1] - typical[-2] == pytest.approx(gap)


def test_any_arm_can_be_the_best() -> None:
    means = Belief(4, gap=0.1).rewards().parameters(game_keys(1, range(500)))
    assert np.bincount(means.argmax(axis=1)).min() > 80


def test_without_a_gap_the_arms_are_plain() -> None:
    keys = game_keys(3, range(9))
    plain = hs.rewards.bernoulli(5, between=(0.1, 0.4)).parameters(keys)
    assert np.array_equal(Belief(5, (0.1, 0.4)).rewards().parameters(keys), plain)
    assert np.sort(Belief(3).typical()).tolist() == [0.25, 0.5, 0.75]


def test_simulated_regret_knows_the_gap() -> None:
    """Two arms a gap apart, played at random: half the gap in every turn."""
    G = hs.multipliers.constant(turns=200)
    result = hs.simulate(hs.UniformRandom(), Belief(2, gap=0.3).rewards(), G, games=400, seed=1)
    assert result.mean("regret", 0) == pytest.approx(200 * 0.15, rel=0.03)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"arms": 1}, "nothing to choose"),
        ({"arms": 3, "between": (0.5, 0.5)}, "rising"),
        ({"arms": 3, "between": (-0.1, 0.5)}, "from 0 to 1"),
        ({"arms": 3, "gap": 0.0}, "above 0"),
        ({"arms": 3, "gap": 0.6, "between": (0.0, 0.5)}, "at most 0.5"),
    ],
)
def test_refuses(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Belief(**arguments)
