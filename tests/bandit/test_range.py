"""Rewards outside their range: whatever brings one is asked about, and nothing is swallowed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import highseason as hs
from highseason.bandit import (
    BanditError,
    MemoryStore,
    UnconfirmedError,
    event_from_json,
    event_to_json,
    outside_range,
    takings_at,
)

PRICES = ["9.99", "10.99"]
G = [300.0, 280.0, 900.0, 310.0]


def shop(**options: Any) -> hs.Bandit[str]:
    """Turn 1 has its reward, turn 2 waits for its visitors, turn 3 for its reward."""
    usual = {"policy": "option-index", "multiplier": G, "reward_range": (0, 1)}
    bandit = hs.Bandit(PRICES, **{**usual, **options})
    for _ in range(3):
        bandit.pull()
    return bandit


def played(**options: Any) -> hs.Bandit[str]:
    bandit = shop(**options)
    bandit.update(bandit.decision(1).arm, 12.0, t=1, visitors=310)
    bandit.update(bandit.decision(2).arm, 1234.5, t=2)
    return bandit


#: Everything that tells a bandit what a turn brought; each here brings more than 1 per visitor.
Door = Callable[..., Any]
DOORS: dict[str, tuple[Door, Callable[[], hs.Bandit[str]]]] = {
    "update": (lambda b, **o: b.update(b.decision(3).arm, 1234.5, t=3, visitors=310, **o), played),
    "update, the visitors known": (
        lambda b, **o: b.update(b.decision(3).arm, 1234.5, t=3, **o), lambda: shop(known=True),
    ),
    "update, the visitors later": (
        lambda b, **o: b.update(b.decision(2).arm, 1234.5, t=2, visitors=310, **o), played,
    ),
    "update_many": (
        lambda b, **o: b.update_many(
            [(b.decision(3).arm, 1.0, 3, 310), (b.decision(2).arm, 1234.5, 2, 310)], **o
        ),
        played,
    ),
    "count_visitors": (lambda b, **o: b.count_visitors(2, 310, **o), played),
    "correct": (lambda b, **o: b.correct(1, 1234.5, **o), played),
    "fit": (
        lambda b, **o: b.fit([("9.99", 3.0, 1, 300), ("10.99", 1234.5, 2, 310)], **o),
        lambda: hs.Bandit(PRICES, multiplier=G, reward_range=(0, 1)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
def test_what_lies_outside_the_range_is_refused_until_it_is_confirmed(door: str) -> None:
    report, started = DOORS[door]
    bandit = started()
    before, events = bandit.to_json(), len(list(bandit.store))
    with pytest.raises(UnconfirmedError, match=r"1234\.5 from \S+ visitors .* range of 0 to 1 "):
        report(bandit)
    assert (bandit.to_json(), len(list(bandit.store))) == (before, events)
    report(bandit, confirm=True)
    learned = [row.estimate for row in bandit.ranking() if row.estimate is not None]
    assert max(learned) <= 1.0
    table = bandit.to_pandas()
    assert door == "fit" or 1234.5 in table["reward"].tolist()
    lines = [event_to_json(event) for event in bandit.store]
    again = hs.Bandit[str].from_events(MemoryStore(map(event_from_json, lines)))
    assert again.to_json() == bandit.to_json() == hs.Bandit.from_json(bandit.to_json()).to_json()


@pytest.mark.parametrize("door", ["update", "update_many", "correct", "count_visitors"])
def test_what_is_known_is_not_asked_about_again(door: str) -> None:
    report, started = DOORS[door]
    bandit = started()
    report(bandit, confirm=True)
    report(bandit)


def test_every_row_that_is_confirmed_is_named_or_counted() -> None:
    rows = [("9.99", 1000.0 + row, None, 10) for row in range(6)]
    bandit = hs.Bandit(PRICES, multiplier=G, reward_range=(0, 1))
    with pytest.raises(UnconfirmedError, match=r"^arm .*: 1000 .*; arm .*: 1001 .*; .* 3 more"):
        bandit.fit(rows)


@given(st.floats(0.01, 1e6), st.integers(1, 10**6), st.floats(-1e3, 0.0))
def test_what_all_visitors_pay_is_in_the_range(price: float, visitors: int, low: float) -> None:
    """To the last bit or not: 2.1 from 3 visitors is a little more than .7 each."""
    assert outside_range((low, price), [("t", price * visitors, visitors)]) == ""
    assert outside_range((low, price), [("t", 1.001 * price * visitors, visitors)])


def test_without_a_range_nothing_is_asked() -> None:
    bandit = hs.Bandit(PRICES, "greedy", G)
    bandit.update(bandit.pull(), -1e9, visitors=3)
    assert bandit.expectations()["9.99"] == -1e9 / 3


@pytest.mark.parametrize("policy", ["option-index", "ucb", "soft-ucb", "kl-ucb"])
def test_who_needs_a_range_is_told_both(policy: str) -> None:
    with pytest.raises(BanditError) as refused:
        hs.Bandit(PRICES, policy, G)
    said = str(refused.value)
    assert "(reward_range): 0..1 if you report orders" in said
    assert "0..11 if you report takings at these prices" in said
    with pytest.raises(BanditError, match=r"0\.\.12 if .* spends at most 12"):
        hs.Bandit(["red", "blue"], policy, G)


@pytest.mark.parametrize(
    ("arms", "most"),
    [
        (["9.99", "10.99"], 11), (["49.99", "59.99"], 60), ([0.4999, 0.5999], 0.6), ([1299], 1300),
        (["10", 2], 10), ([100.0], 100), ([9.9], 9.9), ([], None), (["9.99", "tea"], None),
        ([0, 1], None), ([-1, 5], None), (["nan"], None), (["inf"], None), ([None], None),
        ([1e-300], 1e-300), ([123456], 130000),
    ],
)  # fmt: skip
def test_takings_are_at_most_the_dearest_price_rounded_up(arms: list[Any], most: float) -> None:
    assert takings_at(arms) == most


@given(st.floats(1e-9, 1e12))
def test_no_price_is_above_it(price: float) -> None:
    most = takings_at([price])
    assert most is not None
    assert price <= most * (1 + 1e-9) <= 1.2 * price
    assert math.isfinite(most)


def test_a_wrong_range_is_put_right_and_all_is_learned_again() -> None:
    """As the error says."""
    bandit = played()
    with pytest.raises(UnconfirmedError, match=r"change_worth\(reward_range=\(0, 12\)\)"):
        bandit.count_visitors(2, 310)
    bandit.count_visitors(2, 310, confirm=True)
    bandit.change_worth(reward_range=(0, 12))
    right = played(reward_range=(0, 12))
    right.count_visitors(2, 310)
    assert bandit.expectations() == right.expectations()
    assert bandit.reward_range == (0, 12)
    assert bandit.pull() == right.pull()
    lines = [event_to_json(event) for event in bandit.store]
    again = hs.Bandit[str].from_events(MemoryStore(map(event_from_json, lines)))
    assert again.ranking() == bandit.ranking()
    events = len(lines)
    bandit.change_worth(reward_range=(0, 12))
    assert len(list(bandit.store)) == events, "the same range again is no event"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"reward_range": (1, 0)}, "two rising numbers"),
        ({"cost": 4.2}, "cost= is for arms that are prices"),
        ({"tax": 0.19}, "tax= is for arms that are prices"),
        ({}, "reward_range"),
    ],
)
@pytest.mark.parametrize("policy", ["option-index", "greedy"])
def test_of_other_arms_only_the_range_can_change(
    policy: str, changed: dict[str, Any], message: str
) -> None:
    bandit = shop(policy=policy)
    before = bandit.to_json()
    with pytest.raises(BanditError, match=message):
        bandit.change_worth(**changed)
    assert bandit.to_json() == before
