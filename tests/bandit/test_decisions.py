"""Which turn, which arms may be played, what stays decided, and what the plan follows."""

from __future__ import annotations

import datetime as dt
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import highseason as hs
from highseason.bandit import BanditError, PastForecastError
from highseason.traffic import MultiplierError

#: Ours, for arms that are mere names; a policy that some other test defines is not.
OURS = [
    name
    for name, cls in hs.policies.registry().items()
    if "highseason." in cls.__module__ and not cls().rule.constants
]
DAYS = ["2024-12-22", "2024-12-23", "2024-12-24", "2024-12-25"]


def shop(policy: hs.Policy | None = None, G: Any = None, **options: Any) -> hs.Bandit:
    policy = hs.EpsilonGreedy(k=1) if policy is None else policy
    G = [5.0, 50.0, 5.0, 50.0, 5.0, 5.0, 50.0, 5.0] if G is None else G
    return hs.Bandit(["a", "b", "c"], policy, G, **{"seed": 7, "known": True, **options})


# turns


def test_a_decided_turn_is_repeated_whatever_came_since() -> None:
    bandit = shop(hs.UniformRandom())
    first = {t: bandit.pull(t) for t in range(1, 9)}
    for t, arm in first.items():
        bandit.update(arm, 100.0 * t, t)
    bandit.add_arm("d", when="now")
    bandit.remove_arm("a")
    bandit.extend([1, 2, 3])
    assert {t: bandit.pull(t) for t in first} == first
    assert {t: bandit.pull(t, available=["d"]) for t in first} == first


def test_turns_in_any_order_have_their_own_luck() -> None:
    def started() -> hs.Bandit:
        bandit = shop(hs.UniformRandom(), [5.0] * 40)
        for t in (1, 2, 3):
            bandit.pull(t)
        return bandit

    forwards, backwards = started(), started()
    assert [forwards.pull(t) for t in range(4, 41)] == [
        backwards.pull(t) for t in range(40, 3, -1)
    ][::-1]


def test_the_next_turn_is_the_one_after_the_last_decided() -> None:
    bandit = shop()
    bandit.pull(t=4)
    bandit.pull(t=2)
    assert bandit.decide().turn == 5
    assert [d.turn for d in bandit.decisions()] == [4, 2, 5]


def test_dates() -> None:
    bandit = shop(G=hs.traffic.from_values([1, 2, 3, 4], DAYS))
    arm = bandit.pull("2024-12-23")
    assert bandit.pull(dt.date(2024, 12, 23)) == bandit.pull(2) == arm
    assert bandit.decide().turn == 3
    bandit.update(arm, 8.0, t=dt.datetime(2024, 12, 23, tzinfo=None))
    assert bandit.decision("2024-12-23").visitors == 2.0
    with pytest.raises(MultiplierError, match="before the first turn"):
        bandit.pull("2023-01-01")


@pytest.mark.parametrize("t", [9, np.int64(10)])
def test_a_turn_past_the_forecast_names_extend(t: int) -> None:
    bandit = shop()
    with pytest.raises(PastForecastError, match=rf"turn {t} is past .* turn 8: .*extend"):
        bandit.pull(t)
    bandit.extend([5.0, 5.0])
    assert bandit.decide(t).turn == t


def test_the_turn_after_the_last_of_the_forecast_names_extend() -> None:
    bandit = shop()
    bandit.pull(8)
    with pytest.raises(PastForecastError, match="extend"):
        bandit.pull()


def test_a_date_past_the_forecast_names_extend() -> None:
    bandit = shop(G=hs.traffic.from_values([1, 2, 3, 4], DAYS))
    with pytest.raises(PastForecastError, match=r"'2024-12-26' .*\(2024-12-25\).*extend"):
        bandit.pull("2024-12-26")
    bandit.extend(pd.Series([5.0], index=pd.DatetimeIndex(["2024-12-26"])))
    assert bandit.decide("2024-12-26").turn == 5


@pytest.mark.parametrize(("t", "why"), [(0, "no turn 0"), ("x", "calendar"), (1.5, "neither")])
def test_what_is_no_turn_is_refused(t: Any, why: str) -> None:
    bandit = shop()
    with pytest.raises(ValueError, match=why):
        bandit.pull(t)
    assert bandit.decisions() == []


# available


def test_only_available_arms_are_played() -> None:
    bandit = shop(hs.UniformRandom(), [5.0] * 60)
    assert {bandit.pull(available=["b", "c"]) for _ in range(40)} == {"b", "c"}
    assert bandit.pull() == "a"  # the first round goes on with what was not tried yet


@pytest.mark.parametrize(
    ("available", "why"),
    [
        ([], "names no arm that is in the game"),
        (["a", "x"], "no arm 'x'"),
        ("abc", "list of arm ids"),
        ([["a"]], "hashable"),
    ],
)
def test_available_must_name_arms(available: Any, why: str) -> None:
    bandit = shop()
    for ask in (bandit.pull, bandit.probabilities):
        with pytest.raises(BanditError, match=why):
            ask(available=available)
    assert bandit.decisions() == []


def test_removed_arms_in_available_are_left_out() -> None:
    bandit = shop()
    bandit.remove_arm("a")
    assert bandit.pull(available=["a", "c"]) == "c"
    with pytest.raises(BanditError, match="removed and expired arms do not count"):
        bandit.pull(available=["a"])


def test_a_rule_that_chooses_what_may_not_be_played_is_caught() -> None:
    stubborn = hs.policies.Rule("stubborn", lambda state, turn: (0, True), lambda b, t, m: 0.0 * b)

    @dataclass(frozen=True)
    class Stubborn(hs.Policy):
        rule = stubborn
        suppress_plan_warning = True

        def step(self, carry: Any, view: Any) -> tuple[float, Any]:
            return 0.0, carry

    with pytest.raises(
        ValueError, match="'stubborn' chose arm 0 in turn 1, but it is not available"
    ):
        shop(Stubborn()).pull(available=["b"])


# the plan


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("name", OURS)
def test_undecided_turns_follow_the_plan_of_the_arms_and_turns_known_now(name: str) -> None:
    policy = hs.policies.registry()[name]()
    G = hs.traffic.wave(turns=30)
    bandit = shop(policy, G, reward_range=(0, 1))
    before = [bandit.decide(t).level for t in (1, 2, 9)]
    bandit.add_arm("d", when="now")
    bandit.add_arm("e", when="low")
    bandit.remove_arm("a")
    numbers = policy.plan(G, arms=4).levels
    assert [bandit.decide(t).level for t in (3, 10, 30)] == [numbers[i] for i in (2, 9, 29)]

    more = hs.traffic.from_values([0.01, 1000.0, 7.0])
    bandit.extend(more)
    numbers = policy.plan(G.then(more), arms=4).levels
    assert [bandit.decide(t).level for t in (4, 29, 31, 33)] == [
        numbers[i] for i in (3, 28, 30, 32)
    ]
    known = policy.plan(G, arms=3).levels
    assert [bandit.decision(t).level for t in (1, 2, 9)] == before == [known[i] for i in (0, 1, 8)]


def test_a_one_sided_plan_warns_once() -> None:
    with pytest.warns(hs.policies.PlanWarning) as caught:
        bandit = shop(hs.SoftUCB(unit=1e-9), [5.0, 50.0] * 5, reward_range=(0, 1))
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bandit.pull()
        bandit.add_arm("d")
        bandit.pull()
        bandit.extend([5.0])
        bandit.pull()
        hs.Bandit.from_json(bandit.to_json()).pull()


def test_a_forecast_steers_and_the_visitors_who_came_does_not() -> None:
    one, other = (shop(hs.UCBZ(), reward_range=(0, 1), known=False) for _ in range(2))
    for t in (1, 2, 3, 4):
        for bandit, visitors in ((one, 5.0), (other, 500.0)):
            bandit.update(bandit.pull(t), 0.5 * visitors, t, visitors)
    assert one.decide().level == other.decide().level


# without a multiplier


def test_without_a_multiplier_each_turn_says_what_is_expected() -> None:
    bandit = hs.Bandit(["a", "b"], hs.UCBZ(), reward_range=(0, 1))
    with pytest.raises(BanditError, match="expected=300"):
        bandit.pull()
    assert bandit.pull(expected=300) == "a"
    assert bandit.pull(1) == "a"  # decided: nothing needs to be expected
    with pytest.raises(BanditError, match="one after the other: the next is turn 2, got 3"):
        bandit.pull(3, expected=300)
    with pytest.raises(BanditError, match="calendar"):
        bandit.pull("2024-12-24", expected=300)
    for wrong in (0, -1, float("nan"), "many"):
        with pytest.raises(BanditError, match="expected"):
            bandit.pull(expected=wrong)
    with pytest.raises(BanditError, match="no multiplier to extend"):
        bandit.extend([1])
    assert len(bandit.decisions()) == 1
    assert bandit.multiplier is None


def test_asking_without_a_multiplier_leaves_no_trace() -> None:
    one, other = (hs.Bandit(["a", "b"], hs.EpsilonZGreedy(), seed=3) for _ in range(2))
    for t in range(1, 40):
        belief = 10.0 + 7.0 * (t % 5)
        other.probabilities(expected=belief / 2)
        other.probabilities(expected=belief)
        if t == 20:
            for bandit in (one, other):
                bandit.add_arm("c")
        for bandit in (one, other):
            bandit.update(bandit.pull(expected=belief), t % 3, t, visitors=belief + t % 2)
        other.probabilities(expected=1.0)
    assert one.to_json() == other.to_json()


def test_news_between_asking_and_deciding_is_heard() -> None:
    one, other = (hs.Bandit(["a", "b"], hs.SoftUCB(), reward_range=(0, 1)) for _ in range(2))
    for bandit in (one, other):
        bandit.update(bandit.pull(expected=10.0), 5.0)
        assert [d.turn for d in bandit.pending] == [1]  # no multiplier, nothing to divide by
    before = one.probabilities(expected=20.0)
    for bandit in (one, other):
        bandit.count_visitors(1, 90.0)
    assert one.decide(expected=20.0) == other.decide(expected=20.0)
    assert one.probabilities(2) == before == {"a": 0.0, "b": 1.0}


def test_a_multiplier_leaves_nothing_to_expect() -> None:
    with pytest.raises(BanditError, match="expected= is only for a bandit without a multiplier"):
        shop().pull(expected=5)


# making one


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"arms": []}, "at least one arm"),
        ({"arms": ["a", "b", "a"]}, "'a' is already in the game"),
        ({"arms": [1, True]}, "True is already in the game"),
        ({"arms": "ab"}, "list of arm ids"),
        ({"arms": 3}, "list of arm ids"),
        ({"arms": [["a"]]}, "hashable"),
        ({"policy": 3}, "3 is not a policy: give one such as hs.UCB"),
        ({"policy": lambda t: 0}, 'the guide "Your own policy"'),
        ({"policy": hs.UCB}, r"UCB is a class and not a policy: write UCB\(\), with its brackets"),
        ({"policy": "ubc"}, "ucb"),
        ({"policy": hs.UCB()}, "reward_range"),
        ({"reward_range": (1, 1)}, "rising"),
        ({"reward_range": (0, float("inf"))}, "rising"),
        ({"reward_range": 12}, "rising"),
        ({"seed": -1}, "seed"),
        ({"multiplier": [1, 0]}, "turn 2 is 0"),
        ({"multiplier": None, "known": True}, "pass a multiplier"),
    ],
)
def test_what_makes_no_bandit(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        hs.Bandit(**{"arms": ["a"], "policy": hs.Greedy(), "multiplier": [1.0], **options})


def test_what_it_says_of_itself() -> None:
    bandit = shop(hs.UCBZ(z=30), reward_range=(0, 12))
    bandit.pull()
    assert repr(bandit) == "<Bandit ucb-z:count=visitors,z=30: 3 arms, 1 of 8 turns decided>"
    assert (bandit.seed, bandit.known, bandit.reward_range) == (7, True, (0.0, 12.0))
    assert bandit.policy == hs.UCBZ(z=30, count="visitors")
    assert bandit.arms == ("a", "b", "c")
