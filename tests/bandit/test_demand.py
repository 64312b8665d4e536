"""What sales say of each price, in a table and in a sentence, and why a price is played."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import highseason as hs
from highseason.bandit import BanditError, PriceDemand
from highseason.bandit.demand import Demand

PRICES = [8.99, 9.99, 10.99, 12.99, 14.99]
G = [300.0, 280.0, 900.0, 310.0] * 20


def sold(policy: str = "price-curve", days: int = 60, slope: float = 0.3) -> hs.Bandit[float]:
    """Every price in turn, bought by exp(-slope · price)."""
    bandit = hs.Bandit(prices=PRICES, cost=4.0, policy=policy, multiplier=G)
    past = []
    for day in range(days):
        price = PRICES[day % 5]
        rate = 0.05 * math.exp(-slope * (price - 9.0))
        past.append({"price": price, "purchases": round(2000 * rate), "visitors": 2000})
    return bandit.fit(past)


@pytest.mark.parametrize("policy", ["price-curve", "limit-switching:stay=3+price-curve", "greedy"])
def test_demand_says_what_was_sold(policy: str) -> None:
    bandit = sold(policy)
    rows = bandit.demand()
    assert [row.price for row in rows] == PRICES
    for row in rows:
        rate = 0.05 * math.exp(-0.3 * (row.price - 9.0))
        assert (row.turns, row.visitors, row.purchases) == (12, 24000.0, 12 * round(2000 * rate))
        assert row.buys_low < rate < row.buys_high
        assert row.buys == pytest.approx(rate, rel=0.05)
        assert row.earns_low < row.earns < row.earns_high
        assert row.earns == pytest.approx(rate * (row.price - 4.0), rel=0.05)
        assert row.earns_high == pytest.approx((row.price - 4.0) * row.buys_high)
    assert sum(row.chance_best for row in rows) == pytest.approx(1.0)
    # (p - 4) exp(-0.3 p) is greatest at 4 + 1/0.3
    assert max(rows, key=lambda row: row.chance_best).price == 8.99
    ranked = {row.arm: row for row in bandit.ranking()}
    for row in rows:
        assert ranked[row.price].pulls == row.turns
        assert ranked[row.price].chance_best == row.chance_best
        assert ranked[row.price].loss is None
        assert ranked[row.price][3:5] == (row.earns_low, row.earns_high)
        if "price-curve" in policy:
            assert bandit.expectations()[row.price] == row.earns


def test_the_policy_plays_no_part_in_what_sales_say() -> None:
    """Sums are the same; the deviation is learned at the same turns."""
    assert sold("greedy").demand() == sold("thompson").demand()
    curve, other = sold().demand(), sold("greedy").demand()
    np.testing.assert_allclose([row[4:] for row in curve], [row[4:] for row in other], rtol=1e-9)


def test_a_price_that_was_not_tried_lies_between_the_others() -> None:
    bandit = hs.Bandit(prices=PRICES, cost=4.0, multiplier=G)
    past = {"price": [9.99, 12.99], "purchases": [1200, 600], "visitors": [30000, 30000]}
    rows = {row.price: row for row in bandit.fit(past).demand()}
    assert rows[10.99].turns == 0
    assert rows[12.99].buys < rows[10.99].buys < rows[9.99].buys
    untried, tried = (row.buys_high / row.buys_low for row in (rows[10.99], rows[9.99]))
    assert untried > tried


def test_it_is_a_table() -> None:
    rows = sold().demand()
    frame = rows.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame) == list(PriceDemand._fields)
    head, _, *lines = repr(rows).splitlines()
    assert head.split() == "price turns visitors bought buys 5%..95% earns 5%..95% best".split()
    assert [line.split()[0] for line in lines] == list(map(str, PRICES))
    assert lines[0].split()[1:4] == ["12", "24,000", "1,200"]


def row(price: float, chance: float, turns: int = 3) -> PriceDemand[float]:
    return PriceDemand(price, turns, 9.0, 3.0, 0.3, 0.2, 0.4, 1.0, 0.5, 2.0, chance)


@pytest.mark.parametrize(
    ("chances", "said"),
    [
        ((0.96, 0.04), "You may stop: 8.0 earns most with a chance of 96%."),
        ((0.95, 0.05), "You may stop: 8.0 earns most with a chance of 95%."),
        ((0.06, 0.94), "Go on: 9.0 earns most with a chance of 94%."),
        ((0.5, 0.3, 0.2), "Go on: 8.0 earns most with a chance of 50%."),
        ((0.2, 0.49, 0.31), "Go on: 9.0 or 10.0 may earn most, with chances of 49% and 31%."),
    ],
)
def test_the_verdict_names_one_price_or_two(chances: tuple[float, ...], said: str) -> None:
    rows = Demand(row(price, chance) for price, chance in enumerate(chances, start=8))
    assert rows.verdict().replace(".0", "") == said.replace(".0", "")


def test_nothing_is_said_before_anything_is_reported() -> None:
    bandit = hs.Bandit(prices=PRICES, multiplier=G)
    assert bandit.verdict() == "Go on: nothing has been reported of these prices."
    assert [row.turns for row in bandit.demand()] == [0] * 5
    for price in PRICES:
        bandit.remove_arm(price)
    assert bandit.demand() == []
    assert bandit.verdict().startswith("Go on: nothing")
    with pytest.raises(BanditError, match="turn 1 is not decided yet"):
        bandit.why()


def test_why_a_price_is_played() -> None:
    bandit = hs.Bandit(prices=PRICES, cost=4.0, multiplier=G, seed=1)
    seen = set()
    for t in range(1, 41):
        known = {row.price: row.earns for row in bandit.demand()}
        price = bandit.pull()
        why = bandit.why()
        assert (why.turn, why.arm) == (t, price)
        assert why.leader == max(known, key=known.__getitem__)
        assert why.cost == pytest.approx((max(known.values()) - known[price]) * G[t - 1])
        assert why.exploited == (price == why.leader)
        seen.add(str(why).split(":")[0])
        rate = 0.05 * math.exp(-0.1 * (price - 9.0))
        bandit.update(price, purchases=round(rate * G[t - 1]), visitors=G[t - 1])
    assert seen == {"earns most so far", "to learn"}
    assert bandit.why(1).turn == 1
    costly = hs.bandit.Why(3, 9.99, 10.99, False, 12.3)
    assert str(costly) == "to learn: costs about 12.3 today"
    assert costly.text("€", "this hour") == "to learn: costs about 12.3 € this hour"
    assert costly.text(when="") == "to learn: costs about 12.3"


def test_why_an_arm_is_played_of_which_nothing_is_known() -> None:
    bandit = hs.Bandit(["a", "b"], "greedy", [5.0, 5.0, 9.0])
    bandit.update(bandit.pull(), 10.0, visitors=5)
    assert bandit.pull() == "b"
    why = bandit.why()
    assert (why.leader, why.cost) == ("a", None)
    assert str(why) == "to learn: nothing is known of it yet"
    bandit.update("b", 5.0, visitors=5)
    assert bandit.why(2).cost == pytest.approx(5.0)  # (2 - 1) · G
    bandit.pull()
    assert str(bandit.why()) == "earns most so far"
