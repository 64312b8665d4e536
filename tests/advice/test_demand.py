"""The world of unknown demand: what its games draw, and what a price chosen beforehand earns."""

from __future__ import annotations

import numpy as np
import pytest

import highseason as hs
from highseason.advice.demand import best_beforehand, in_words, unknown_demand
from highseason.policies.price_curve import DEVIATIONS, LEVEL_SD, PriceCurve, curve_of
from highseason.rewards import Offer

PRICES = [8.99, 9.99, 10.99, 11.99, 12.99]
OFFERS = [Offer(price, 4.2) for price in PRICES]
KEYS = np.arange(12_000, dtype=np.uint64)


def rates(offers: list[Offer], level: tuple[float, float] | None = None) -> np.ndarray:
    return np.asarray(unknown_demand(offers, level).parameters(KEYS)[..., 0])


def test_a_third_of_the_games_has_a_cliff_and_a_third_is_logistic() -> None:
    world = unknown_demand(OFFERS)
    drawn = world.parameters(KEYS)
    alike = [
        (hs.rewards.prices(PRICES, one, cost=4.2).parameters(KEYS) == drawn).all(axis=(1, 2)).mean()
        for one in ("logistic", "cliff")
    ]
    assert alike == pytest.approx([1 / 3, 1 / 3], abs=0.02)


def test_the_rest_is_what_price_curve_expects() -> None:
    level = 0.03
    drawn = rates(OFFERS, (level, level))
    own = np.ones(KEYS.size, bool)
    for one in ("logistic", "cliff"):
        other = hs.rewards.prices(PRICES, one, cost=4.2, level=(level, level)).parameters(KEYS)
        own &= (other[..., 0] != drawn).any(axis=1)
    logits = np.log(drawn[own] / (1 - drawn[own]))
    curve = curve_of(PriceCurve().rule.fresh_state(5, OFFERS))
    prior = np.reshape(curve.curve, (5, 5)) - LEVEL_SD**2
    prior += np.mean(np.square(DEVIATIONS)) * np.reshape(curve.walk, (5, 5))
    centre = np.log(level / (1 - level)) + np.array(curve.mean) - curve.mean[2]
    assert logits.mean(axis=0) == pytest.approx(centre, abs=0.04)
    assert np.cov(logits.T) == pytest.approx(prior, abs=0.04)


@pytest.mark.parametrize("count", [2, 3, 15])
def test_any_number_of_prices_is_drawn(count: int) -> None:
    offers = [Offer(5.0 + j, 2.0, 0.19) for j in range(count)]
    drawn = rates(offers, (0.02, 0.04))
    assert drawn.shape == (KEYS.size, count)
    assert (drawn > 0).all()
    assert (drawn <= 1).all()
    world = unknown_demand(offers)
    assert world.offers == tuple(offers)
    assert world.parameters(KEYS[:1])[0, :, 1].tolist() == [offer.margin for offer in offers]


def test_the_best_price_beforehand_earns_most_on_average() -> None:
    world = unknown_demand(OFFERS)
    offer, share = best_beforehand(world)
    means = world.means(world.parameters(KEYS))
    assert offer.price == PRICES[means.mean(axis=0).argmax()]
    assert share == pytest.approx(means.mean(axis=0).max() / means.max(axis=1).mean(), abs=0.01)


def test_the_words_say_the_level_and_where_it_is() -> None:
    assert "2% to 4.5% of the visitors buy at 10.99" in in_words(OFFERS, (0.02, 0.045))


def test_prices_are_the_arms_and_the_world() -> None:
    G = hs.traffic.from_values([900, 1000, 1200, 5000, 6000] * 4)
    advice = hs.advise(G, prices=PRICES[:3], cost=4.2, games=10)
    assert advice.plan.arms == 3
    assert advice.beforehand is not None
    assert hs.Bandit(**advice.bandit_arguments()).offers == {
        price: Offer(price, 4.2) for price in PRICES[:3]
    }
    assert "hs.Bandit(**" in advice.next_steps[1]
    with pytest.raises(ValueError, match="worth has no meaning for prices"):
        advice.in_units(worth=3)
    for how, said in [
        ({"arms": 3}, "give either prices or arms"),
        ({"rewards": "visitors"}, "give either prices or rewards"),
        ({"gap": 0.1}, "gap has no meaning for prices"),
    ]:
        with pytest.raises(ValueError, match=said):
            hs.advise(G, **{"prices": PRICES, "games": 2, **how})
    with pytest.raises(ValueError, match="give the number of arms, or prices="):
        hs.advise(G)


def test_price_curve_is_compared_where_arms_are_prices_and_not_elsewhere() -> None:
    from highseason.advice.comparison import candidates

    assert "price-curve" in [policy.name for policy in candidates(priced=True)]
    assert "price-curve" not in [policy.name for policy in candidates()]
