"""Prices on one demand curve: what the families promise, and what is refused."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import highseason as hs
from highseason.core.random import game_keys
from highseason.rewards import Offer, Rewards, check_offers
from highseason.rewards.prices import FAMILIES, ladder_of

SHELF = [8.99, 10.99, 12.99, 14.99]
MIDDLE = 11.99
KEYS = game_keys(7, range(400))
#: The families that know where the best price lies; elasticity does with a cost.
WITH_BEST = ["exponential", "linear", "elasticity", "logistic"]


def rates(model: Rewards) -> NDArray[np.float64]:
    return model.parameters(KEYS)[..., 0]


def test_profit_is_the_margin_times_the_share_who_buy() -> None:
    """8 - 5 at 10% and 10 - 5 at 4% earn 0.30 and 0.20 per visitor."""
    model = hs.rewards.prices([8, 10], rates=[0.1, 0.04], cost=5)
    assert model.means(model.fixed).tolist() == pytest.approx([0.3, 0.2])  # type: ignore[arg-type]
    assert model.offers == (Offer(8.0, 5.0), Offer(10.0, 5.0))
    assert model.bounds == (0.0, 5.0)
    assert model.counts_visitors
    drawn = model.drawn(0.7, model.fixed[1], 1, 400.0)  # type: ignore[index]
    buyers = round(drawn.seen * 400)
    assert drawn.paid == pytest.approx(5.0 * buyers / 400)
    assert 4 <= buyers <= 30


@pytest.mark.parametrize("demand", [*FAMILIES, "any"])
@pytest.mark.parametrize("cost", [0.0, 5.4])
def test_every_game_has_a_curve_of_its_own(demand: str, cost: float) -> None:
    found = rates(hs.rewards.prices(SHELF, demand, cost=cost))
    assert found.shape == (400, 4)
    assert ((found > 0.0) & (found <= 1.0)).all()
    assert len(np.unique(found[:, 0])) > 390
    if demand not in ("prestige", "any"):
        assert (np.diff(found) <= 1e-15).all()
    else:
        assert (np.diff(found) > 0.0).any()
    again = rates(hs.rewards.prices(SHELF, demand, cost=cost))
    assert again.tolist() == found.tolist()


@pytest.mark.parametrize("demand", [*FAMILIES, "any"])
def test_the_level_is_that_of_the_middle(demand: str) -> None:
    """With a price in the middle, its rate is the level, and the logarithm of it is uniform."""
    found = rates(hs.rewards.prices([8.99, MIDDLE, 14.99], demand, level=(0.02, 0.08)))[:, 1]
    assert found.min() >= 0.02 * (1 - 1e-12)
    assert found.max() <= 0.08 * (1 + 1e-12)
    assert np.log(found).mean() == pytest.approx(0.5 * math.log(0.02 * 0.08), abs=0.06)


@pytest.mark.parametrize("demand", WITH_BEST)
def test_the_best_price_lies_where_it_was_put(demand: str) -> None:
    fine = np.arange(9.0, 15.0, 0.05).tolist()
    model = hs.rewards.prices(fine, f"{demand}:best=11..13", cost=5.0)
    best = np.array(fine)[model.means(model.parameters(KEYS)).argmax(axis=1)]
    assert best.min() >= 11.0 - 0.051
    assert best.max() <= 13.0 + 0.051
    assert len(np.unique(best)) > 20


def test_a_cliff_is_where_it_is_said_to_be() -> None:
    plain = rates(hs.rewards.prices(SHELF, "exponential"))
    cliff = rates(hs.rewards.prices(SHELF, "cliff:above=10.99"))
    drops = (cliff[:, 1:] / cliff[:, :-1]) / (plain[:, 1:] / plain[:, :-1])
    assert drops[:, [0, 2]] == pytest.approx(1.0)
    assert ((drops[:, 1] >= 0.5) & (drops[:, 1] <= 0.85)).all()
    both = hs.rewards.prices(SHELF, "cliff:above=10.99:best=9..10", cost=3)
    assert (both.means(both.parameters(KEYS)).argmax(axis=1) <= 1).mean() > 0.95


def test_bumps_fall_at_the_prices_alone() -> None:
    """Half of the prices again between the others: no demand falls there."""
    found = rates(hs.rewards.prices(SHELF, "bumpy"))
    whole = np.log(found[:, 0] / found[:, -1]) / math.log(14.99 / 8.99)
    assert whole.min() > 0.4 - 1e-9
    assert whole.max() < 1.6 + 1e-9
    largest = np.log(found[:, :-1] / found[:, 1:]).max(axis=1) / np.log(found[:, 0] / found[:, -1])
    assert np.median(largest) > 0.6  # most of the fall is one step


def scaled(prices: Any, uniforms: Any) -> Any:
    return 0.1 * uniforms[0] * np.exp(-np.asarray(prices) / 10)


def test_demand_may_be_a_function() -> None:
    same = hs.rewards.prices([5, 10], lambda price: 0.2 / price)
    assert same.fixed is not None
    assert same.fixed[:, 0].tolist() == [0.04, 0.02]
    own = hs.rewards.prices([5, 10], scaled)
    found = rates(own)
    assert found[:, 1] / found[:, 0] == pytest.approx(math.exp(-0.5))
    assert found[:, 0].max() < 0.1 * math.exp(-0.5)
    assert pickle.loads(pickle.dumps(own)).parameters(KEYS[:2]).tolist() == (
        own.parameters(KEYS[:2]).tolist()
    )


def test_a_text_says_the_same() -> None:
    text = "prices:prices=8.99/9.99/10.99,demand=linear:best=11..13,cost=4.2,level=1%..5%,rho=0.01"
    model = hs.rewards.parse(text)
    twin = hs.rewards.prices(
        [8.99, 9.99, 10.99], "linear:best=11..13", cost=4.2, level=(0.01, 0.05), rho=0.01
    )
    assert model.parameters(KEYS).tolist() == twin.parameters(KEYS).tolist()
    assert model.offers == twin.offers
    assert model.kind == twin.kind
    assert model.name == twin.name == "prices:demand=linear:best=11..13,cost=4.2,rho=0.01"
    given = hs.rewards.parse("prices:prices=8/9,rates=3%/2%,cost=4/5")
    assert given.fixed is not None
    assert given.fixed.tolist() == [[0.03, 4.0], [0.02, 4.0]]
    assert ladder_of("prices", "8.99..14.99/4") == [8.99, 10.99, 12.99, 14.99]


FINE: dict[str, Any] = {"prices": [5.0, 6.0]}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"cost": 5.0}, "the price 5 is not above its cost of 5: nothing can be earned"),
        ({"cost": [1.0, 7.0]}, "the price 6 is not above its cost of 7"),
        ({"cost": [1.0, 2.0, 3.0]}, "2 prices, but 3 costs"),
        ({"cost": -1.0}, "a cost must be a finite number, 0 or more, got -1"),
        ({"prices": [5.0, 5.0]}, "the price 5 is there twice"),
        ({"prices": [5.0]}, "expected two prices at least, got 5"),
        ({"prices": []}, "expected two prices at least, got none"),
        ({"prices": ["5", 6.0]}, "a price must be a finite number above 0, got '5'"),
        ({"prices": [math.nan, 6.0]}, "a price must be a finite number above 0, got nan"),
        ({"prices": [math.inf, 6.0]}, "a price must be a finite number above 0, got inf"),
        ({"prices": 5}, r"expected a list of prices such as \[8.99, 9.99\], got 5"),
        ({"prices": "5/x"}, "prices: expected a number, such as 1234.5, got 'x'"),
        ({"prices": "5..6"}, "does not say how many prices"),
        ({"demand": "linaer"}, "Did you mean 'linear'"),
        ({"demand": "bumpy:best=5..6"}, "'bumpy' has no option 'best'; it has: none"),
        ({"demand": "linear:best=6..5"}, "two rising prices above the cost of 0"),
        ({"demand": "linear:best=2..5", "cost": 3}, "two rising prices above the cost of 3"),
        ({"demand": lambda a, b, c: a}, "it takes 3 arguments"),
        ({"demand": lambda price: 2.0}, r"from 0 to 1, one for each price, got \[2.0, 2.0\]"),
        ({"rates": [0.1, 0.2], "demand": "linear"}, "demand or rates"),
        ({"rates": [0.1, 0.2], "level": (0.1, 0.2)}, "leave level out"),
        ({"rates": [0.1]}, "expected 2 shares of visitors who buy"),
        ({"level": (0.0, 0.2)}, "two rising shares of visitors above 0"),
        ({"level": (0.3, 0.2)}, "two rising shares of visitors above 0"),
        ({"rho": 2.0}, "rho is a correlation"),
        ({"day": 9.0}, "may be at most"),
    ],
)
def test_what_cannot_be_is_refused(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        hs.rewards.prices(**(FINE | changed))


def test_a_text_without_prices_says_what_to_write() -> None:
    with pytest.raises(ValueError, match=r"prices:prices=8\.99/9\.99/10\.99,demand=linear"):
        hs.rewards.parse("prices:demand=linear", arms=3)
    with pytest.raises(ValueError, match=r"has 2 prices, but arms=3"):
        hs.rewards.parse("prices:prices=8/9", arms=3)


def test_rooms_with_an_error_of_their_own_get_it() -> None:
    class ShelfError(ValueError):
        pass

    with pytest.raises(ShelfError, match="shelf: the price 5 is there twice"):
        check_offers("shelf", [5, 5], error=ShelfError)


@given(
    cents=st.lists(st.integers(100, 9999), min_size=2, max_size=9, unique=True),
    share=st.floats(0.0, 0.9),
    demand=st.sampled_from([*FAMILIES, "any"]),
)
def test_the_unit_of_money_changes_no_rate(cents: list[int], share: float, demand: str) -> None:
    cost = share * min(cents)
    euros = [price / 100 for price in cents]
    one, other = (
        hs.rewards.prices(ladder, demand, cost=c).parameters(KEYS[:20])[..., 0]
        for ladder, c in ((cents, cost), (euros, cost / 100))
    )
    assert one == pytest.approx(other, rel=1e-9)


@pytest.mark.parametrize("player", ["greedy", "thompson", "option-index", "ucb:P=0.1"])
def test_policies_without_prices_play_for_profit(player: str) -> None:
    """9.99 is bought most, 13.99 earns most; a share of the greatest margin is learned."""
    model = hs.rewards.prices([9.99, 13.99], rates=[0.04, 0.036], cost=5)
    G = hs.traffic.constant(60) * 3000
    game = hs.play(player, model, G, seed=1)
    assert (game.arms[20:] == 1).mean() > 0.7
    result = hs.simulate(player, model, G, games=1, seed=1)
    assert result.games is not None
    assert result.games["reward"][0, 0] == np.cumsum(game.weights * game.paid)[-1]
