"""Rewards have the numbers they had: they change only where that is meant.

After a change that is meant: `python -m tests.rewards.test_recorded`, and look at what differs.
"""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.recorded import Cases, assert_recorded, defaults_of, record

import highseason as hs
from highseason.core.random import ARMS, draw, game_key, hash_at, turn_key
from highseason.core.special import normal_quantile
from highseason.rewards.model import move_means
from highseason.rewards.text import assumption, independent_visitors, rates_text
from highseason.rewards.visitors import count_draw

RECORDED = Path(__file__).parent / "recorded.json"
#: Uniform numbers, the ends among them.
LUCK = (0.0, 2.0**-53, 0.003, 0.1, 0.31, 0.5, 0.73, 0.968, 0.9995, 1.0 - 2.0**-53)
G = hs.traffic.from_values([1.0, 40.0, 900.0, 3.0])


def walk(u: float, parameters: Any, t: int, G: float) -> float:
    """Rewards of one's own that look at the turn."""
    return float(parameters[0] * u + 0.01 * t + (0.02 if G > 10.0 else 0.0))


def walking_mean(parameters: Any, t: int, G: float) -> float:
    return float(parameters[0] / 2 + 0.01 * t + (0.02 if G > 10.0 else 0.0))


MODELS = {
    "bernoulli": partial(hs.rewards.bernoulli, arms=3),
    "bernoulli, between": partial(hs.rewards.bernoulli, arms=2, between=(0.2, 0.4)),
    "bernoulli, means": partial(hs.rewards.bernoulli, means=[0.9, 0.25]),
    "bernoulli, walking": partial(hs.rewards.bernoulli, arms=3, between=(0.4, 0.6), drift=0.09),
    "bernoulli, changing": partial(hs.rewards.bernoulli, means=[0.9, 0.2], change=3, then=[0.1, 1]),
    "normal": partial(hs.rewards.truncated_normal, arms=3, sigma=0.3),
    "normal, centres": partial(hs.rewards.truncated_normal, centres=[0.0, 0.5, 1.0], sigma=0.2),
    "visitors": partial(hs.rewards.visitors, arms=3),
    "visitors, alike": partial(hs.rewards.visitors, rates=[0.02, 0.6], rho=0.05, share=0.7),
    "visitors, days": partial(hs.rewards.visitors, rates=[0.02, 0.3, 1.0], day=0.4, rho=0.001),
    "visitors, prior": partial(hs.rewards.visitors, arms=2, prior=(0.03, 0.01), change=2),
    "visitors, one coin": partial(hs.rewards.visitors, rates="2%..40%", arms=2, rho=1.0),
    "spend": partial(hs.rewards.spend, arms=2, values_between=(5.0, 9.0)),
    "spend, alike": partial(hs.rewards.spend, rates=[0.05, 0.4], values=[8, 3], cv=0.5, rho=0.02),
    "spend, sure": partial(hs.rewards.spend, rates=[0.05, 0.4], values=7.0, cv=0.0, day=0.2),
    "prices": partial(hs.rewards.prices, "5/6/8.5", cost=3, level="2%..20%", rho=0.01),
    "prices, given": partial(hs.rewards.prices, [5, 8], rates=[0.3, 0.1], cost=[1, 2], day=0.1),
    "custom": partial(hs.rewards.custom, walk, walking_mean, parameters=[0.3, 0.8], per_turn=True),
}  # fmt: skip


def model(name: str) -> dict[str, Any]:
    """The fields of a model, the arms of three games, and what they pay in four turns."""
    made = MODELS[name]()
    arms = made.parameters(np.array([game_key(3, i) for i in range(3)], np.uint64))
    # Arms that drift pay by the mean of a turn, here the first.
    each = arms[0].ravel()[:: made.width] if made.drift is not None else arms[0]
    paid = [
        made.draw(u, each[arm], t, float(G.values[t - 1]))
        for arm, t, u in itertools.product(range(made.arms), (1, 2, 3, 4), LUCK)
    ]
    moved = []
    if made.drift is not None:
        means = np.zeros(made.arms)
        for t in range(1, 13):
            move_means(made.drift, game_key(3, 0), arms[0].ravel(), t, means)
            moved.append(means.copy())
    return {
        "name": made.name, "arms": made.arms, "fixed": made.fixed, "between": made.between,
        "bounds": made.bounds, "scale": made.scale, "width": made.width, "games": arms,
        "means": None if made.varies else made.means(arms), "paid": paid, "moved": moved,
        "text": [assumption(made, G), rates_text(made)],
        "worth": independent_visitors(made, G) if made.counts_visitors else None,
    }  # fmt: skip


def counts() -> list[float]:
    """Buyers at uniform numbers, of few and many visitors."""
    settings = itertools.product(
        (1.0, 2.0, 7.0, 60.0, 5000.0), (0.001, 0.04, 0.5, 0.93), (0.0, 0.02)
    )
    return [count_draw(u, n, p, rho) for n, p, rho in settings for u in LUCK]


CASES: Cases = {
    **{name: partial(model, name) for name in MODELS},
    "counts": counts,
    "defaults": partial(defaults_of, "rewards"),
}


@pytest.mark.parametrize("name", CASES)
def test_rewards_are_those_that_were_recorded(name: str) -> None:
    assert_recorded(RECORDED, CASES, name)


def test_a_walk_is_reflected_at_both_ends() -> None:
    """By the definition, arm by arm."""
    made = hs.rewards.bernoulli(arms=3, between=(0.4, 0.6), drift=0.09)
    assert made.drift is not None
    arms = made.parameters(np.array([game_key(3, 0)], np.uint64))[0]
    means, folded = np.zeros(3), 0
    for t in range(1, 40):
        before = means.copy()
        move_means(made.drift, game_key(3, 0), arms.ravel(), t, means)
        for arm in range(3):
            if t == 1:
                assert means[arm] == arms.ravel()[arm]
                continue
            u = float(draw(hash_at(turn_key(game_key(3, 0), t), ARMS), arm))
            x = before[arm] + 0.09 * normal_quantile(u + 2.0**-54)
            folded += not 0.4 <= x <= 0.6
            x = 0.4 + (0.4 - x) if x < 0.4 else x
            x = 0.6 - (x - 0.6) if x > 0.6 else x
            assert means[arm] == pytest.approx(min(max(x, 0.4), 0.6), abs=1e-12)
    assert folded > 5


def test_only_a_name_that_people_may_mean_gets_a_hint() -> None:
    with pytest.raises(AttributeError, match=r"'normal': write hs\.rewards\.truncated_normal"):
        hs.rewards.normal  # noqa: B018  # in question
    with pytest.raises(AttributeError, match=r"'poisson'$"):
        hs.rewards.poisson  # noqa: B018  # in question


if __name__ == "__main__":
    record(RECORDED, CASES)
