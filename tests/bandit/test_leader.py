"""The arm that is shown as the best is the one that is played as the best.

Every policy that is found, plain and within each wrapper, plays a season in which arms come and go,
rewards are late, and some lie outside the range.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import stdtrit
from tests.bandit.test_saved import FOUND

import highseason as hs
from highseason.bandit import Decision, Ranked

TURNS = 60
VISITORS = np.tile([30, 400, 25, 31, 2000, 28, 350, 3, 30, 1500], 6).astype(float)
RATE = {"a": 0.47, "b": 0.5, "c": 0.53, "d": 0.52, "e": 0.49}
PLAYED = FOUND | {
    f"{name}, random ties": replace(policy, ties="random")
    for name, policy in FOUND.items()
    if "+" not in name
}


def paid(arm: str, t: int) -> float:
    """Rewards per visitor: noisy where there are few, with the fewest 0, 1 or outside the range."""
    visitors = VISITORS[t - 1]
    if visitors < 10:
        return (-1.0, 0.0, 1.0, 4.0)[(t + ord(arm)) % 4]
    return RATE[arm] + 2.0 / math.sqrt(visitors) * math.sin(1.7 * t + ord(arm))


def season(bandit: hs.Bandit[str]) -> Iterator[tuple[list[Ranked[str]], set[str], Decision[str]]]:
    """Each turn: the ranking before it, the arms on offer, and the decision."""
    late: list[Decision[str]] = []
    for t in range(1, TURNS + 1):
        if t == 9:
            bandit.add_arm("d", "now", expires=50)
        if t == 15:
            bandit.add_arm("e")  # waits for a low turn
        if t == 21:
            bandit.remove_arm("c")
        if t == 33:
            bandit.add_arm("c", "now", expires=58)
        if t == 41:
            bandit.remove_arm("a")
        offered = [arm for arm in bandit.arms if t % 7 or arm not in "cd"]
        before, decision = bandit.ranking(), bandit.decide(t, offered)
        yield before, set(offered), decision
        late.append(decision)
        if t % 6 == 0:  # the latest first
            for one in reversed(late):
                came = VISITORS[one.turn - 1] + one.turn % 5
                bandit.update(one.arm, paid(one.arm, one.turn) * came, one.turn, came, confirm=True)
            late = []


def started(policy: hs.Policy | str) -> hs.Bandit[str]:
    """A season that is about to begin; 'b' is the only arm with a lifetime."""
    return hs.Bandit(
        ["a", "b", "c"], policy, VISITORS, reward_range=(0, 1), seed=3, expires={"b": 47}
    )


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("policy", PLAYED.values(), ids=PLAYED)
def test_what_is_played_as_the_best_is_shown_as_the_best(policy: hs.Policy) -> None:
    bandit = started(policy)
    for before, offered, decision in season(bandit):
        rows = {row.arm: row for row in before}
        for row in before:
            assert row.low is None or row.low <= row.estimate <= row.high
        if decision.exploited:
            first = next(row for row in before if row.arm in offered)
            assert first.estimate is not None
            # Which of those that tie is played is known when the turn is decided.
            assert decision.arm == first.arm or rows[decision.arm].estimate == first.estimate
            after = [row.arm for row in bandit.ranking() if row.arm in offered]
            assert decision.arm not in bandit.arms or after[0] == decision.arm
    check_that_arms_keep_their_estimates(bandit)


def check_that_arms_keep_their_estimates(bandit: hs.Bandit[str]) -> None:
    """An arm that goes is shown with what it had."""
    for arm in list(bandit.arms):
        before = {row.arm: row[:5] for row in bandit.ranking(gone=True)}
        bandit.remove_arm(arm)
        after = {row.arm: row for row in bandit.ranking(gone=True)}
        assert {name: row[:5] for name, row in after.items()} == before
        assert after[arm].chance_best is None
        assert arm not in {row.arm for row in bandit.ranking()}
    assert set(before) == set("abcde")


def test_an_interval_knows_confirmed_outliers_weighted_as_the_estimate() -> None:
    bandit = hs.Bandit(["a"], "ucb:count=visitors", [100.0] * 4, reward_range=(0, 10))
    for reward, visitors in ((1e12, 100.0), (200.0, 100.0), (900.0, 300.0)):
        bandit.update(bandit.pull(), reward, visitors=visitors, confirm=True)
    shares, values = np.array([0.2, 0.2, 0.6]), np.array([10.0, 2.0, 3.0])
    mean, moved = (shares * values).sum(), shares**2 / (1 - shares)
    error = math.sqrt((moved * (values - mean) ** 2).sum())
    free = 1 / ((shares**2).sum() + moved.sum() ** 2 - (moved**2).sum())
    width = stdtrit(free, 0.975) * error
    row = bandit.ranking()[0]
    assert row.estimate == pytest.approx(mean)
    assert (row.low, row.high) == pytest.approx((mean - width, mean + width))


@pytest.mark.parametrize("policy", ["thompson:count=turns", "threshold:z=50+thompson:count=turns"])
def test_thompson_leads_by_the_posterior_mean(policy: str) -> None:
    bandit = hs.Bandit(["a", "b"], policy, [10.0, 90.0] * 20, reward_range=(0, 10))
    rows = [("b", 700, None, 100)] * 10
    bandit.fit([("a", 900, None, 100), *rows])  # the mean reward of "a" is higher
    assert [(row.arm, row.estimate) for row in bandit.ranking()] == [
        ("b", pytest.approx(10 * 8 / 12)),
        ("a", pytest.approx(10 * 1.9 / 3)),
    ]
    decisions = [bandit.decide() for _ in range(40)]
    assert {one.arm for one in decisions if one.exploited} == {"b"}
    assert all(one.exploited == (one.arm == "b") for one in decisions)
