"""Prices as arms: what is reported, what it is worth, and every way to keep it."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bandit.test_saved import PRICED
from tests.policies.test_offers import Dearest

import highseason as hs
from highseason.bandit import (
    BanditError,
    ConflictError,
    DocumentError,
    MemoryStore,
    PriceWarning,
    event_from_json,
    event_to_json,
)
from highseason.rewards import Offer

PRICES = [8.99, 9.99, 10.99, 12.99]
G = [300.0, 280.0, 900.0, 310.0] * 9
#: Rules that learn profits and shares, with and without constants, whole and per turn.
POLICIES = ["price-curve", "limit-switching:stay=3+price-curve", "option-index", "thompson",
            "ucb", "naive-ucb", "discounted+ucb", "greedy"]  # fmt: skip


def shelf(policy: Any = None, **options: Any) -> hs.Bandit[Any]:
    usual = {"prices": PRICES, "cost": 4.2, "multiplier": G, "seed": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hs.policies.PlanWarning)
        return hs.Bandit(policy=policy, **{**usual, **options})


def bought(price: Any, t: int) -> int:
    return round(24 - float(price) + 7 * math.sin(t))


def played(policy: Any = None, turns: int = 12, **options: Any) -> hs.Bandit[Any]:
    bandit = shelf(policy, **options)
    for t in range(1, turns + 1):
        price = bandit.pull(t)
        bandit.update(price, purchases=bought(price, t), t=t, visitors=250 + 10 * t)
    return bandit


def ways_back(bandit: hs.Bandit[Any]) -> list[hs.Bandit[Any]]:
    lines = [event_to_json(event) for event in bandit.store]
    return [
        hs.Bandit.from_json(bandit.to_json()),
        hs.Bandit.from_events(MemoryStore(map(event_from_json, lines))),
        copy.deepcopy(bandit),
        pickle.loads(pickle.dumps(bandit)),
    ]


def same(one: hs.Bandit[Any], other: hs.Bandit[Any]) -> None:
    """They know the same and go on the same."""
    assert one.ranking(gone=True) == other.ranking(gone=True)
    assert one.demand() == other.demand()
    pairs = [(copy.deepcopy(one), copy.deepcopy(other))]
    for first, second in pairs:
        assert [first.pull() for _ in range(4)] == [second.pull() for _ in range(4)]


# -- what may be given -----------------------------------------------------------------------------


def test_a_price_comes_back_as_it_was_given() -> None:
    given = [9, np.float64(9.99), "10,99", "12.49 €"]
    bandit = hs.Bandit(prices=given, multiplier=G)
    assert bandit.arms == (9, 9.99, "10,99", "12.49 €")
    assert bandit.offers is not None
    assert [offer.price for offer in bandit.offers.values()] == [9.0, 9.99, 10.99, 12.49]
    assert bandit.policy.label == "price-curve"
    assert hs.Bandit(["a"], multiplier=G, reward_range=(0, 1)).policy.label == "option-index"
    ladder = hs.Bandit(prices="8.99..14.99/4", multiplier=G)
    assert ladder.arms == (8.99, 10.99, 12.99, 14.99)


def test_tax_is_taken_out_of_the_price() -> None:
    for tax in ("19%", 0.19):
        bandit = hs.Bandit(prices=[11.9, 23.8], cost=[4, 5], tax=tax, multiplier=G)
        assert bandit.offers == {11.9: Offer(11.9, 4.0, 0.19), 23.8: Offer(23.8, 5.0, 0.19)}
        price = bandit.pull()
        bandit.update(price, takings=3 * price, visitors=9)
        margin = {11.9: 6.0, 23.8: 15.0}[price]
        assert bandit.decision(1).reward == pytest.approx(3 * margin)
        assert bandit.decision(1).purchases == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prices": [8.99, 9.99], "cost": 8.99}, r"8\.99 is not above its cost of 8\.99"),
        ({"prices": [8.99, 9.99], "cost": 8, "tax": "19%"}, r"8\.99, which is 7\.555 without tax"),
        ({"prices": [8.99, 9.99], "cost": [4, 9.99]}, r"9\.99 is not above its cost"),
        ({"prices": [8.99, 9.99], "cost": [4, 4, 4]}, "2 prices, but 3 costs"),
        ({"prices": [8.99, 9.99], "cost": -1}, "a cost must be a finite number, 0 or more"),
        ({"prices": [8.99, 9.99], "cost": math.nan}, "a cost must be a finite number"),
        ({"prices": [8.99, 9.99], "cost": "4,20"}, "a cost must be a finite number"),
        ({"prices": [9.99, 9.99]}, r"9\.99 is there twice"),
        ({"prices": ["9.99", 9.99]}, r"9\.99 is there twice"),
        ({"prices": ["9,99", 9.99]}, r"9\.99 is there twice"),
        ({"prices": [9.99]}, "two prices at least"),
        ({"prices": ["cheap", "dear"]}, r"got 'cheap'. Arms that are no prices are Bandit\(arms="),
        ({"prices": ["1.398", 2]}, r"could be 1398 or 1\.398: write 1398 or 1\.3980"),
        ({"prices": [0, 9.99]}, "a price must be a finite number above 0"),
        ({"prices": [-1, 9.99]}, "a price must be a finite number above 0"),
        ({"prices": [math.nan, 9.99]}, "a price must be a finite number above 0"),
        ({"prices": [math.inf, 9.99]}, "a price must be a finite number above 0"),
        ({"prices": [True, 9.99]}, "a price must be a finite number above 0"),
        ({"prices": 9.99}, "prices must be a list"),
        ({"prices": [8.99, 9.99], "tax": 19}, r"tax must be a share below 1, such as 0\.19"),
        ({"prices": [8.99, 9.99], "tax": "a lot"}, "tax: 'a lot' is not a number"),
        ({"prices": [8.99, 9.99], "tax": -0.1}, "tax must be a finite number, 0 or more"),
        ({"prices": [8.99, 9.99], "reward_range": (0, 5)}, "reward_range follows from prices"),
        ({"prices": [8.99, 9.99], "arms": ["a"]}, "not both"),
        ({}, "got neither"),
        ({"arms": ["a"], "cost": 4}, "cost= is for arms that are prices"),
        ({"arms": ["a"], "tax": 0}, "tax= is for arms that are prices"),
        ({"arms": ["a", "b"], "policy": "price-curve"}, "needs the price and margin of every arm"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hs.Bandit(multiplier=G, **arguments)


def test_many_prices_and_near_ones_are_warned_of() -> None:
    with pytest.warns(PriceWarning, match=r"9\.9 and 9\.95 differ by less than 1%"):
        hs.Bandit(prices=[9.95, 12, 9.9], multiplier=G)
    with pytest.warns(PriceWarning, match="16 prices: with more than 15"):
        bandit = hs.Bandit(prices=range(5, 21), multiplier=G)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hs.Bandit(prices=[*range(5, 20)], multiplier=G)
        copy.deepcopy(bandit)
        hs.Bandit.from_json(bandit.to_json())
    quiet = shelf()
    with pytest.warns(PriceWarning, match=r"9\.95 and 9\.99"):
        quiet.add_arm(9.95)


# -- what is reported ------------------------------------------------------------------------------


def test_profit_follows_from_purchases_or_takings() -> None:
    bandit = shelf("greedy")
    first, second = bandit.pull(), bandit.pull()
    bandit.update(first, purchases=37, visitors=812)
    bandit.update(second, takings=37 * second, visitors=812)
    for price, decision in zip((first, second), bandit.decisions(), strict=True):
        assert decision.purchases == 37
        assert decision.reward == 37 * Offer(price, 4.2).margin
    assert bandit.expectations()[first] == pytest.approx(37 * (first - 4.2) / 812)
    table = bandit.to_pandas()
    assert table["purchases"].tolist() == [37.0, 37.0]
    assert table["share"].tolist() == [1.0, 1.0]
    events = [event_to_json(event) for event in bandit.store][-1]
    assert f'"outcomes":[[2,{second},37.0,812.0]]' in events


@given(st.sampled_from(PRICES), st.integers(0, 10**6))
def test_takings_to_the_cent_are_a_number_of_sales(price: float, sales: int) -> None:
    scale = shelf("greedy")._game.scale
    arm = PRICES.index(price)
    for paid in (sales * price, round(sales * price, 2)):
        assert scale.amount(arm, hs.bandit.rows.Report(price, takings=paid)) == sales
    if sales:
        with pytest.raises(BanditError, match="no whole number of sales"):
            scale.amount(arm, hs.bandit.rows.Report(price, takings=round(sales * price, 2) - 0.02))


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ({"reward": 250.0}, "such as purchases=37, .* such as takings=406.63"),
        ({"reward": 250.0, "purchases": 3}, "such as purchases=37"),
        ({}, "purchases= or takings=, got neither"),
        ({"purchases": 3, "takings": 26.97}, "not both"),
        ({"takings": 410.0}, r"sales at 8\.99: 45 bring 404\.55, 46 bring 413\.54"),
        ({"purchases": 37.5}, r"whole number, of visitors who bought, got 37\.5"),
        ({"purchases": -1}, "purchases must be a finite number, 0 or more"),
        ({"purchases": math.nan}, "purchases must be a finite number"),
        ({"purchases": "37"}, "purchases must be a finite number"),
        ({"takings": -8.99}, "takings must be a finite number"),
        ({"takings": math.nan}, "takings must be a finite number"),
        ({"purchases": 37, "visitors": 30}, r"37 purchases from 30 visitors. Are these pieces\?"),
        ({"purchases": 1, "visitors": 0}, "1 purchases from 0 visitors"),
        ({"takings": 899.0, "visitors": 30}, "100 purchases from 30 visitors"),
        ({"purchases": 3, "visitors": math.nan}, "visitors must be"),
    ],
    ids=str,
)  # fmt: skip
def test_reports_that_cannot_be_are_refused(report: dict[str, Any], message: str) -> None:
    bandit = shelf("greedy")
    bandit.pull(available=[8.99])
    before = bandit.to_json()
    with pytest.raises(BanditError, match=message):
        bandit.update(8.99, **report)
    row = {"price": 8.99, **report}
    with pytest.raises(BanditError, match=f"row 1: .*{message}" if report else "row 1"):
        bandit.update_many([row])
    if "visitors" in report:
        with pytest.raises(BanditError, match=f"row 1: .*{message}"):
            shelf("greedy").fit([row])
    assert bandit.to_json() == before


def test_more_purchases_than_visitors_are_refused_at_every_door() -> None:
    bandit = shelf("greedy")
    for t in (1, 2):
        bandit.pull(t, available=[8.99])
    bandit.update(8.99, purchases=37, t=1)
    bandit.update(8.99, purchases=37, t=2, visitors=40)
    for door in (
        lambda: bandit.count_visitors(1, 36),
        lambda: bandit.correct(2, purchases=41),
        lambda: bandit.correct(2, takings=8.99 * 41),
    ):
        with pytest.raises(BanditError, match="Are these pieces"):
            door()
    known = shelf(known=True)
    price = known.pull()
    with pytest.raises(BanditError, match="301 purchases from 300 visitors"):
        known.update(price, purchases=301)
    known.update(price, purchases=300)
    assert known.decision(1).visitors == 300.0


def test_other_arms_have_no_purchases() -> None:
    bandit = hs.Bandit(["a", "b"], "greedy", G)
    bandit.pull()
    for report in ({"purchases": 3}, {"takings": 3.0}, {"reward": 1.0, "purchases": 3}):
        with pytest.raises(BanditError, match="are for arms that are prices"):
            bandit.update("a", **report)
    with pytest.raises(BanditError, match="reward must be a finite number, got None"):
        bandit.update("a", visitors=3)
    with pytest.raises(BanditError, match="are for arms that are prices"):
        bandit.correct(1, purchases=3)
    with pytest.raises(BanditError, match="no column 'purchases'"):
        bandit.fit(pd.DataFrame({"arm": ["a"], "purchases": [1], "visitors": [3]}))
    with pytest.raises(BanditError, match="cost= is for arms that are prices"):
        bandit.add_arm("c", cost=4)
    with pytest.raises(BanditError, match=r"demand\(\) is for arms that are prices"):
        bandit.demand()
    assert bandit.offers is None
    assert "purchases" not in bandit.to_pandas()


def test_another_number_for_the_same_turn_is_refused_by_its_name() -> None:
    bandit = played(turns=1)
    price = bandit.decision(1).arm
    bandit.update(price, purchases=bought(price, 1), t=1)
    with pytest.raises(ConflictError, match=r"already has purchases=.* use correct"):
        bandit.update(price, purchases=1, t=1)
    with pytest.raises(BanditError, match="has no purchases to correct"):
        bandit.correct(bandit.decide().turn, purchases=1)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_sold_out_day_teaches_nothing(policy: str) -> None:
    bandit = played(policy)
    before, sold_out = bandit.ranking(), bandit.pull()
    bandit.update(sold_out, purchases=0, visitors=0)
    assert {row.arm: row[1:] for row in bandit.ranking()} == {row.arm: row[1:] for row in before}
    assert len(bandit.unrewarded) == len(bandit.pending) == 0
    assert bandit.decision(13).reward == 0.0


# -- past sales ------------------------------------------------------------------------------------

PAST = {"price": [9.99, 9.99, 10.99], "purchases": [30, 24, 0], "visitors": [600, 610, 90]}
TABLES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(PAST),
    "text": lambda: pd.DataFrame({**PAST, "price": ["9,99", "9.99", "10.99"]}),
    "polars": lambda: pl.DataFrame(PAST),
    "dict": lambda: PAST,
    "called arm": lambda: pd.DataFrame(PAST).rename(columns={"price": "arm"}),
    "takings": lambda: pd.DataFrame(
        {"price": PAST["price"], "takings": [299.7, 239.76, 0.0], "visitors": PAST["visitors"]}
    ),
    "some of each": lambda: pd.DataFrame(
        {**PAST, "purchases": [30, None, 0], "takings": [None, 239.76, None]}
    ),
    "rows": lambda: [dict(zip(PAST, row, strict=True)) for row in zip(*PAST.values(), strict=True)],
    "tuples": lambda: [(9.99, 30, 1, 600), (9.99, 24, 2, 610), (10.99, 0, 3, 90)],
    "a time": lambda: pd.DataFrame(
        {"turn": ["2024-05-03", "2024-05-02", "2024-05-04"], **PAST}
    ).iloc[[1, 0, 2]].assign(turn=["2024-05-02", "2024-05-03", "2024-05-04"]).iloc[[1, 0, 2]],
}  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
def test_past_sales_are_learned_however_they_are_written(table: str) -> None:
    bandit = shelf().fit(TABLES[table]())
    (row,) = [row for row in bandit.demand() if row.price == 9.99]
    assert (row.turns, row.visitors, row.purchases) == (2, 1210.0, 54.0)
    dear = next(row for row in bandit.demand() if row.price == 10.99)
    assert (dear.turns, dear.visitors, dear.purchases) == (1, 90.0, 0.0)
    for twin in ways_back(bandit):
        same(twin, bandit)


def test_one_price_settles_the_level_and_not_the_slope() -> None:
    bandit = shelf().fit({"price": [9.99] * 40, "purchases": [30] * 40, "visitors": [600] * 40})
    rows = {row.price: row for row in bandit.demand()}
    assert rows[9.99].buys == pytest.approx(0.05, rel=0.02)
    assert rows[9.99].buys_high / rows[9.99].buys_low < 1.3
    assert rows[12.99].buys_high / rows[12.99].buys_low > 2.0
    assert max(row.chance_best or 0.0 for row in rows.values()) < 0.7


def test_a_price_of_the_past_that_is_not_asked_any_more() -> None:
    with pytest.raises(BanditError, match="list it in prices=, and call remove_arm before fit"):
        shelf().fit({"price": [7.99], "purchases": [30], "visitors": [600]})
    bandit = shelf(prices=[*PRICES, 7.99])
    bandit.remove_arm(7.99)
    bandit.fit({"price": [7.99], "purchases": [30], "visitors": [600]})
    assert 7.99 not in bandit.arms
    assert [row.price for row in bandit.demand()] == PRICES
    assert bandit.demand()[0].buys == pytest.approx(0.05, rel=0.2), "it says something of 8.99"
    *_, gone = bandit.ranking(gone=True)
    assert (gone.arm, gone.pulls, gone.chance_best) == (7.99, 1, None)
    assert gone.estimate == pytest.approx(0.05 * 3.79, rel=0.2)
    assert {bandit.pull() for _ in range(8)} <= set(PRICES)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"price": [9.99], "visitors": [3]}, "needs the column 'purchases'"),
        ({"purchases": [1], "visitors": [3]}, "needs the column 'price'"),
        ({"price": [9.99], "reward": [3], "visitors": [3]}, "no column 'reward'"),
        ({"price": [9.99], "arm": [9.99], "purchases": [1]}, "`arm` and `price` are the same"),
        ({"price": [9.99, 9.99], "purchases": [1], "visitors": [3]}, "same number of rows"),
        ([(9.99,)], r"row 1 must be \(price, purchases, t, visitors\)"),
    ],
)
def test_what_a_table_of_sales_must_be(rows: Any, message: str) -> None:
    with pytest.raises(BanditError, match=message):
        shelf().fit(rows)


# -- prices that come and go, and what a purchase is worth -----------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_reported_is_kept_and_its_worth_changes(policy: str) -> None:
    bandit = played(policy)
    before = bandit.to_pandas()
    bandit.change_worth(cost=4.8)
    bandit.change_worth(tax="7%")
    bandit.change_worth(cost={9.99: 5.0})
    costs = [4.8, 5.0, 4.8, 4.8]
    assert bandit.offers == {
        price: Offer(price, cost, 0.07) for price, cost in zip(PRICES, costs, strict=True)
    }
    after = bandit.to_pandas()
    kept = [name for name in after if name != "reward"]
    pd.testing.assert_frame_equal(before[kept], after[kept])
    for row in bandit.decisions():
        assert row.purchases is not None
        assert row.reward == row.purchases * bandit.offers[row.arm].margin
    for twin in ways_back(bandit):
        same(twin, bandit)
    events = len(list(bandit.store))
    bandit.change_worth(cost=costs, tax=0.07)
    assert len(list(bandit.store)) == events, "the same again is no event"


@pytest.mark.parametrize("policy", POLICIES)
def test_after_a_change_all_is_as_if_it_had_always_been_so(policy: str) -> None:
    bandit = shelf(policy)
    right = shelf(policy, cost=5.5)
    for one in (bandit, right):
        for t in range(1, 13):
            price = one.pull(t, available=[PRICES[t % 4]])
            one.update(price, purchases=bought(price, t), t=t, visitors=250)
    bandit.change_worth(cost=5.5)
    assert bandit.expectations() == right.expectations()
    assert bandit.demand() == right.demand()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({}, "say what changes, such as cost=4.80"),
        ({"reward_range": (0, 5)}, "range follows from prices"),
        ({"cost": 8.99}, r"8\.99 is not above its cost"),
        ({"tax": 0.99, "cost": 5}, "without tax"),
        ({"cost": {7.99: 4}}, r"cost= names 7\.99, which is not among the prices"),
        ({"cost": [4, 5]}, "4 prices, but 2 costs"),
        ({"cost": -1}, "a cost must be"),
    ],
    ids=str,
)
def test_a_worth_that_cannot_be_is_refused(changed: dict[str, Any], message: str) -> None:
    bandit = played()
    before = bandit.to_json()
    with pytest.raises(BanditError, match=message):
        bandit.change_worth(**changed)
    assert bandit.to_json() == before


@pytest.mark.parametrize("policy", [*POLICIES, Dearest()], ids=str)
def test_a_price_may_be_added_and_removed_at_any_time(policy: Any) -> None:
    bandit = played(policy)
    state = bandit._game.table.state.selections.copy()
    bandit.add_arm(16.99, "now")
    assert bandit.offers is not None
    assert bandit.offers[16.99] == Offer(16.99, 4.2)
    assert bandit._game.table.state.selections.tolist() == [*state, 0]
    assert bandit._game.scale.high == 16.99 - 4.2
    bandit.remove_arm("8,99")
    assert bandit.arms == (9.99, 10.99, 12.99, 16.99)
    with pytest.raises(BanditError, match="already in the game"):
        bandit.add_arm("16.99")
    for t in range(13, 18):
        price = bandit.pull(t)
        assert price in bandit.arms
        bandit.update(price, purchases=bought(price, t), t=t, visitors=300)
    bandit.add_arm(8.99, cost=3.5)
    assert bandit.offers[8.99] == Offer(8.99, 3.5)
    with pytest.raises(BanditError, match=r"pass cost= for 7\.99, too"):
        bandit.add_arm(7.99)
    with pytest.raises(BanditError, match=r"7\.99 is not above its cost of 8"):
        bandit.add_arm(7.99, cost=8)
    if isinstance(policy, str):
        for twin in ways_back(bandit):
            same(twin, bandit)


@pytest.mark.parametrize("policy", POLICIES)
def test_units_change_no_decision(policy: str) -> None:
    euros, cents = (
        shelf(policy, prices=[unit * price for price in PRICES], cost=unit * 4.2)
        for unit in (1, 128)
    )
    for t in range(1, 30):
        euro, cent = euros.pull(), cents.pull()
        assert cent == 128 * euro
        for one, price in ((euros, euro), (cents, cent)):
            one.update(price, purchases=bought(euro, t), visitors=G[t - 1])
    assert [row.chance_best for row in euros.demand()] == [row[-1] for row in cents.demand()]


@pytest.mark.parametrize("policy", POLICIES)
def test_late_corrected_and_forecast_again(policy: str) -> None:
    """Whatever way the purchases took, the bandit knows the same."""
    one, other = shelf(policy), shelf(policy)
    for bandit in (one, other):
        for t in range(1, 9):
            bandit.pull(t, available=[PRICES[t % 4]])
    for t in range(1, 9):
        one.update(PRICES[t % 4], purchases=t, t=t, visitors=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hs.bandit.WaitingWarning)
        for t in range(1, 9):
            other.update(PRICES[t % 4], purchases=9 if t == 3 else t, t=t)
    for t in range(1, 9):
        other.count_visitors(t, 300)
    other.correct(3, takings=3 * PRICES[3])
    assert other.decisions() == one.decisions()
    for bandit in (one, other):
        bandit.reforecast([700.0] * 12)
    same(one, other)
    for twin in ways_back(other):
        same(twin, other)


def test_a_document_that_was_tampered_with_is_refused() -> None:
    text = played(turns=3).to_json()
    assert '"offers":[[8.99,4.2,0.0],' in text
    for old, new in (
        ("[8.99,4.2,0.0]", "[8.99,9.2,0.0]"),
        ("[8.99,4.2,0.0]", "[7.99,4.2,0.0]"),
        ("[8.99,4.2,0.0],", ""),
        ("[8.99,4.2,0.0]", "[8.99,4.2,1.5]"),
        ("[8.99,4.2,0.0]", "[8.99,-4.2,0.0]"),
        ('"outcomes":[[1,', '"outcomes":[[1,8.99,999.0,30.0],[1,'),
    ):
        assert old in text
        with pytest.raises(DocumentError):
            hs.Bandit.from_json(text.replace(old, new, 1))


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("ties", ["lowest", "random"])
@pytest.mark.parametrize("name", [*PRICED, "thompson", "option-index"])
def test_a_season_of_prices(name: str, ties: str) -> None:
    """What is played as the best is shown as the best, and a season saved anywhere goes on."""
    policy = PRICED[name] if name in PRICED else hs.policies.parse(name)
    if ties == "random":
        if "+" in name:
            return
        policy = policy.with_values({"ties": ties})
    bandit, late = shelf(policy), list[Any]()
    for t in range(1, len(G) + 1):
        if t == 5:
            bandit.add_arm(14.99, "now", expires=30)
        if t == 9:
            bandit.add_arm("11,99", cost=4.5)  # waits for a low turn
        if t == 14:
            bandit.remove_arm(12.99)
        if t == 20:
            bandit.change_worth(cost=4.6)
        if t == 24:
            bandit.add_arm(12.99, "now")
        if t == 28:
            bandit.reforecast([500.0, 300.0] * 6)
        if t % 6 == 0:
            bandit = hs.Bandit.from_json(bandit.to_json())
        offered = [price for price in bandit.arms if t % 7 or price not in (14.99, 10.99)]
        before = {row.arm: row for row in bandit.ranking()}
        chances, decision = bandit.probabilities(t, offered), bandit.decide(t, offered)
        assert chances == bandit.probabilities(t)
        assert decision.probability == chances[decision.arm] > 0.0
        for row in before.values():
            assert row.low is None or row.low <= (row.estimate or 0.0) <= (row.high or 0.0)
        # What prices are on offer changes what `price-curve` makes of those that were not tried.
        if decision.exploited and all(row.pulls for row in before.values()):
            first = next(row for row in before.values() if row.arm in offered)
            assert before[decision.arm].estimate == pytest.approx(first.estimate)
        late.append(decision)
        if t % 4 == 0:
            for one in reversed(late):
                bandit.update(
                    one.arm, purchases=round(2500 / float(str(one.arm).replace(",", ".")) ** 2 / 2
                    + one.turn % 3), t=one.turn, visitors=200 + one.turn
                )  # fmt: skip
            late = []
    assert bandit.waiting == 0
    assert sum(row.pulls for row in bandit.ranking(gone=True)) == len(G)


# -- the same game as in a simulation, and what reads its table ------------------------------------


@pytest.mark.parametrize("policy", ["price-curve", "greedy", "option-index"])
def test_a_bandit_plays_the_game_of_play(policy: str) -> None:
    rates = [0.06, 0.05, 0.045, 0.02]
    world = hs.rewards.prices(PRICES, cost=4.2, rates=rates)
    game = hs.play(policy, world, G, seed=3)
    bandit = shelf(policy, known=True)
    for arm, paid, G_t in zip(game.arms.tolist(), game.paid.tolist(), G, strict=True):
        assert bandit.pull() == PRICES[arm]
        bandit.update(PRICES[arm], purchases=round(paid * G_t / (PRICES[arm] - 4.2)))
    assert bandit.to_pandas()["reward"].sum() == pytest.approx(game.reward)


@pytest.mark.filterwarnings("ignore:the history. column 'purchases' is taken")
def test_the_table_of_decisions_is_read_back() -> None:
    bandit = played("thompson", turns=30)
    bandit.pull()
    table = bandit.to_pandas()
    columns = "turn arm share propensity exploited level reward visitors date purchases"
    assert list(table) == columns.split()
    assert len(table) == 31
    known = table.dropna(subset=["reward"]).drop(columns="date")
    history = hs.logs.read_history(known)
    assert history.successes.tolist() == known["purchases"].tolist()
    assert hs.logs.fit_noise(known).rho.value >= 0.0
    result = hs.replay(["greedy", "uniform"], known, time="turn", reward_range=(0, 300))
    assert result["greedy"].read == 30
    again = shelf().fit(known[["arm", "purchases", "visitors"]])
    assert [row[:4] for row in again.demand()] == [row[:4] for row in bandit.demand()]
