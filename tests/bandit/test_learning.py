"""Rewards: divided by the visitors who came, late, in any order, reported twice, and wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import highseason as hs
from highseason.bandit import BanditError, ConflictError, Ranked, UnconfirmedError

G = [5.0, 50.0, 5.0, 50.0, 5.0, 5.0, 50.0, 5.0]


def shop(policy: hs.Policy | None = None, turns: int = 3, **options: Any) -> hs.Bandit:
    policy = hs.EpsilonGreedy(k=1) if policy is None else policy
    bandit = hs.Bandit(["a", "b", "c"], policy, G, **{"seed": 7, **options})
    for _ in range(turns):
        bandit.pull()
    return bandit


def estimates(bandit: hs.Bandit) -> dict[Any, float | None]:
    return {row.arm: row.estimate for row in bandit.ranking()}


def pulls(bandit: hs.Bandit) -> dict[Any, int]:
    return {row.arm: row.pulls for row in bandit.ranking()}


def test_the_total_is_divided_by_the_visitors_who_came() -> None:
    bandit = shop(known=True)
    bandit.update("a", 1234.5, t=1, visitors=310)
    bandit.update("b", 100.0, t=2)  # G(2) = 50
    assert estimates(bandit) == {"a": 1234.5 / 310, "b": 2.0, "c": None}
    assert bandit.ranking()[-1] == Ranked("c", None, 0)


def test_rewards_do_not_wait_where_the_multiplier_is_known() -> None:
    bandit = shop(known=True)
    bandit.update("a", 10.0)
    assert (bandit.pending, bandit.decision(1).visitors) == ([], 5.0)


def test_rewards_wait_for_their_visitors_where_it_is_a_forecast() -> None:
    bandit = shop()
    bandit.update("b", 100.0)
    bandit.update("a", 10.0)
    assert [d.turn for d in bandit.pending] == [1, 2]
    assert [d.turn for d in bandit.unrewarded] == [3]
    assert estimates(bandit) == {"a": None, "b": None, "c": None}
    bandit.count_visitors(2, 25.0)
    bandit.update("a", 10.0, t=1, visitors=2.0)
    assert bandit.pending == []
    assert estimates(bandit) == {"a": 5.0, "b": 4.0, "c": None}


def test_visitors_may_come_before_the_reward() -> None:
    bandit = shop()
    bandit.count_visitors(1, 4.0)
    assert bandit.decision(1).reward is None
    bandit.update("a", 10.0)
    assert estimates(bandit)["a"] == 2.5
    assert bandit.decision(1).visitors == 4.0


def test_no_visitors_is_no_observation_and_nothing_to_wait_for() -> None:
    bandit = shop()
    bandit.update("a", 0.0, t=1, visitors=0)
    bandit.update("b", 9.0)
    bandit.count_visitors(2, 0)
    bandit.count_visitors(3, 0)
    assert (bandit.pending, bandit.unrewarded) == ([], [])
    assert set(pulls(bandit).values()) == {0}
    assert [d.visitors for d in bandit.decisions()] == [0.0, 0.0, 0.0]
    with pytest.raises(BanditError, match=r"every decided turn of the arm .* has a reward"):
        bandit.update("c", 1.0)
    bandit.update("c", 1.0, t=3)  # reported all the same: kept, and nothing is learned from it
    assert bandit.decision(3).reward == 1.0
    assert set(pulls(bandit).values()) == {0}


def test_zero_visitors_says_nothing_of_thresholds() -> None:
    bandit = hs.Bandit(["a", "b"], hs.SoftUCB(), reward_range=(0, 1))
    for _ in range(4):
        bandit.update(bandit.pull(expected=10.0), 0.0, visitors=0.0)
    assert math.isfinite(bandit.decide(expected=10.0).level)


def test_without_a_turn_the_most_recent_decision_of_the_arm_is_meant() -> None:
    bandit = shop(hs.UniformRandom(), turns=0)
    for t in (1, 2, 5, 4):
        bandit.pull(t, available=["a"])
    for reward in (40.0, 50.0, 20.0, 10.0):
        bandit.update("a", reward, visitors=1)
    assert {d.turn: d.reward for d in bandit.decisions()} == {1: 10, 2: 20, 5: 50, 4: 40}
    with pytest.raises(BanditError, match="every decided turn of the arm 'a' has a reward"):
        bandit.update("a", 1.0)


@pytest.mark.parametrize("policy", ["discounted:discount=0.5+ucb", "windowed:window=2+ucb", "ucb"])
def test_pulls_are_counted_though_old_rewards_are_forgotten(policy: str) -> None:
    bandit = hs.Bandit(["a"], hs.policies.parse(policy), [1.0] * 9, reward_range=(0, 1), known=True)
    for _ in range(6):
        bandit.update(bandit.pull(), 1.0)
    bandit.pull()
    assert bandit.ranking()[0][:3] == ("a", 1.0, 6)


def test_decided_pulls_start_the_game_and_observed_pulls_make_radii() -> None:
    bandit = shop(hs.UCBZ(z=40), turns=0, reward_range=(0, 1))
    assert [bandit.pull() for _ in range(3)] == ["a", "b", "c"]
    bandit.update("b", 25.0, t=2, visitors=50.0)
    # a and c were decided and not observed: their radius is infinite, the first round is over.
    assert bandit.pull(5) == "a"
    assert bandit.pull(6) == "c"
    assert bandit.pull(7) == "b"  # a busy turn: the leader
    assert pulls(bandit) == {"b": 1, "a": 0, "c": 0}


# reported again, reported otherwise


def test_the_same_again_changes_nothing() -> None:
    bandit = shop()
    bandit.update("a", 10.0, t=1)
    bandit.update("a", 10.0, t=1)
    bandit.update("a", 10.0, t=1, visitors=5.0)
    once = bandit.to_json()
    bandit.update("a", 10, t=1, visitors=5)
    bandit.update("a", 10.0, t=1)
    bandit.count_visitors(1, 5.0)
    assert bandit.to_json() == once
    assert pulls(bandit)["a"] == 1


@pytest.mark.parametrize("known", [True, False])
def test_something_else_is_refused(known: bool) -> None:
    bandit = shop(known=known)
    bandit.update("a", 10.0, t=1, visitors=5.0)
    before = bandit.to_json()
    with pytest.raises(ConflictError, match=r"already has reward=10; .* 11; .* use correct$"):
        bandit.update("a", 11.0, t=1)
    with pytest.raises(ConflictError, match=r"turn 1 already has visitors=5; .* with 6$"):
        bandit.update("a", 10.0, t=1, visitors=6.0)
    with pytest.raises(
        ConflictError, match="turn 1 already has visitors=5; refusing to overwrite it with 6"
    ):
        bandit.count_visitors(1, 6.0)
    assert bandit.to_json() == before


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"arm": "x", "reward": 1.0}, "no arm 'x'"),
        ({"arm": "a", "reward": 1.0, "t": 4}, "turn 4 is not decided yet"),
        ({"arm": "b", "reward": 1.0, "t": 1}, "decided for the arm 'a', not 'b'"),
        ({"arm": "a", "reward": math.nan, "t": 1}, "reward must be .* got nan"),
        ({"arm": "a", "reward": math.inf, "t": 1}, "reward must be .* got inf"),
        ({"arm": "a", "reward": "12", "t": 1}, "reward must be .* got '12'"),
        ({"arm": "a", "reward": None, "t": 1}, "reward must be .* got None"),
        ({"arm": "a", "reward": 1.0, "visitors": -1.0}, "visitors must be .* 0 or more, got -1.0"),
        ({"arm": "a", "reward": 1.0, "visitors": math.nan}, "visitors must be .* got nan"),
        ({"arm": "a", "reward": 1e308, "visitors": 1e-308}, "too much per visitor"),
        ({"arm": "a", "reward": 1.0, "t": 99}, "extend"),
    ],
)
def test_errors_leave_everything_as_it_was(arguments: dict[str, Any], why: str) -> None:
    bandit = shop()
    before = bandit.to_json()
    with pytest.raises(BanditError, match=why):
        bandit.update(**arguments)
    with pytest.raises(BanditError, match="row 2: "):
        bandit.update_many([("b", 4.0, 2, 2.0), arguments])
    assert bandit.to_json() == before


def test_visitors_of_an_undecided_turn_is_refused() -> None:
    bandit = shop()
    with pytest.raises(BanditError, match="turn 8 is not decided yet"):
        bandit.count_visitors(8, 5.0)
    for wrong in (-1.0, math.nan, math.inf, None):
        with pytest.raises(BanditError, match="visitors must be"):
            bandit.count_visitors(1, wrong)


# many at once


def test_a_batch_is_as_good_as_one_by_one() -> None:
    rows = [
        {"arm": "a", "reward": 10.1},
        {"arm": "b", "reward": 20.2, "t": 2, "visitors": 3.0},
        ("a", 10.1, 1, 7.0),
        ("c", 5, 3),
        ("c", 5, 3),
    ]
    one, other = shop(), shop()
    other.update_many(rows)
    for row in rows:
        one.update(**row) if isinstance(row, dict) else one.update(*row)
    assert (one.decisions(), one.ranking()) == (other.decisions(), other.ranking())
    assert [d.turn for d in other.pending] == [3]


def test_rows_without_a_turn_mean_different_turns() -> None:
    bandit = shop(turns=0)
    for t in (1, 2):
        bandit.pull(t, available=["a"])
    bandit.update_many([("a", 2.0), ("a", 1.0)])
    assert [d.reward for d in bandit.decisions()] == [1.0, 2.0]


@pytest.mark.parametrize("row", ["ab", ("a",), 7, {"arm": "a"}, {"arm": "a", "reward": 1, "at": 3}])
def test_rows_must_be_reports(row: Any) -> None:
    with pytest.raises(BanditError, match=r"row 1 must be .arm, reward, t, visitors"):
        shop().update_many([row])


# the range of rewards


def test_rewards_are_scaled_to_their_range() -> None:
    bandit = shop(reward_range=(2, 12))
    bandit.update("a", 70.0, t=1, visitors=10)
    assert bandit._game.table.state.sums[0] == 10 * 0.5
    assert estimates(bandit)["a"] == 7.0


def test_confirmed_outliers_are_recorded_as_reported_and_learned_at_the_end_of_the_range() -> None:
    bandit = shop(reward_range=(2, 12))
    rows = [("a", 1.0, 1, 10), ("b", 999.0, 2, 10), ("c", 120.0, 3, 10)]
    bandit.update_many(rows, confirm=True)
    assert estimates(bandit) == {"b": 12.0, "c": 12.0, "a": 2.0}
    assert [one.reward for one in bandit.decisions()] == [1.0, 999.0, 120.0]


def test_without_a_range_nothing_is_scaled_or_clipped() -> None:
    bandit = shop()
    bandit.update("a", -700.0, t=1, visitors=10)
    assert estimates(bandit)["a"] == -70.0


def test_naive_policies_learn_totals() -> None:
    bandit = shop(hs.policies.NaiveEpsilonGreedy(k=1, count="turns"), reward_range=(2, 12))
    rows = [("a", 70.0, 1, 10), ("b", 2000.0, 2, 100), ("c", 0.0, 3, 1)]
    with pytest.raises(UnconfirmedError, match=r"^turn 2: 2000 .*; turn 3: 0 from 1 visitors"):
        bandit.update_many(rows)
    bandit.update_many(rows, confirm=True)
    assert bandit._game.table.state.sums.tolist() == [5.0, 100.0, 0.0]
    assert bandit.ranking()[0] == Ranked("b", 1000.0, 1)


# late rewards in any order


@settings(deadline=None, max_examples=40)
@given(st.permutations(range(1, 9)), st.booleans())
def test_the_order_of_rewards_does_not_matter_to_what_is_learned(
    order: list[int], known: bool
) -> None:
    bandit = shop(hs.EpsilonGreedy(k=1), turns=8, known=known)
    late = shop(hs.EpsilonGreedy(k=1), turns=8, known=known)
    for t in range(1, 9):
        bandit.update(bandit.pull(t), float(t), t, visitors=4.0, confirm=True)
    for t in order:
        late.update(late.pull(t), float(t), t, visitors=4.0, confirm=True)
    # Quarters are exact, so sums do not depend on the order of their terms.
    np.testing.assert_array_equal(bandit._game.table.state.sums, late._game.table.state.sums)
    assert bandit.ranking() == late.ranking()
