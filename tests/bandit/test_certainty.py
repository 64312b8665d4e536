"""How sure a ranking is: intervals, chances of being best, and what stopping would lose.

Larger seasons, and arms that policies choose, are in `benchmarks/ranking_coverage.py`.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import highseason as hs
from highseason.bandit import Ranked
from highseason.bandit.certainty import SURE, UNSURE

ARMS = 4


def season(number: int, policy: str, turns: int) -> tuple[np.ndarray, list[Ranked[int]]]:
    """Rates between 2 and 5%, and the ranking after arms were dealt evenly to unequal days."""
    rng = np.random.default_rng([3, number])
    rates, visitors = rng.uniform(0.02, 0.05, ARMS), 1 + np.floor(300 * rng.lognormal(0, 1, turns))
    arms, alike = np.arange(turns) % ARMS, 1 / 0.002 - 1
    of_day = rng.beta(rates[arms] * alike, (1 - rates[arms]) * alike)
    bought = rng.binomial(visitors.astype(int), of_day)
    bandit = hs.Bandit(range(ARMS), policy, [300.0], reward_range=(0, 1))
    rows = zip(arms.tolist(), bought.tolist(), [None] * turns, visitors.tolist(), strict=True)
    return rates, bandit.fit(list(rows)).ranking()


@pytest.mark.parametrize(
    "policy",
    ["ucb", "ucb:count=visitors", "windowed:window=4+ucb", "discounted:discount=0.8+ucb"],
)
def test_intervals_hold_95_of_100_on_days_of_very_different_size(policy: str) -> None:
    held = []
    for number in range(320):
        rates, rows = season(number, policy, turns=8 if number % 2 else 40)
        held += [row.low <= rates[row.arm] <= row.high for row in rows]  # type: ignore[operator]  # known
    assert 0.93 <= np.mean(held) <= 0.97


def test_two_rewards_get_students_interval() -> None:
    bandit = hs.Bandit(["a"], "greedy", [1.0]).fit([("a", 3, None, 1), ("a", 5, None, 1)])
    row = bandit.ranking()[0]
    assert (row.low, row.high) == pytest.approx((4 - 12.7062, 4 + 12.7062), rel=1e-5)


def test_rewards_of_0_and_1_show_too_little_scatter() -> None:
    bandit = hs.Bandit(["a", "b"], "ucb", [1.0], reward_range=(0, 1))
    bandit.fit([("a", 0, None, 1)] * 2 + [("b", x, None, 1) for x in (0, 1, 1, 1)])
    b, a = bandit.ranking()
    assert (a.low, a.high) == pytest.approx((0.0, 0.6668), abs=1e-3)  # Jeffreys, 0 of 2
    assert (b.low, b.high) == pytest.approx((0.2840, 0.9724), abs=1e-3)  # 3 of 4
    assert hs.Bandit(["a"], "greedy", [1.0]).fit([("a", 2, None, 1)] * 5).ranking()[0].low is None


def test_what_is_forgotten_makes_no_interval_narrower() -> None:
    rewards = [0.3, 0.7, 0.4, 0.6, 0.3, 0.7]

    def interval(policy: str, rows: list[float]) -> tuple[float, float]:
        bandit = hs.Bandit(["a"], policy, [1.0], reward_range=(0, 1))
        row = bandit.fit([("a", x, None, 1) for x in rows]).ranking()[0]
        assert row.low is not None
        assert row.high is not None
        return row.low, row.high

    assert interval("windowed:window=3+ucb", rewards) == pytest.approx(interval("ucb", rewards[3:]))
    plain, fading = interval("ucb", rewards), interval("discounted:discount=0.5+ucb", rewards)
    assert fading[1] - fading[0] > plain[1] - plain[0]


def test_stated_chances_come_true() -> None:
    stated, true, losses = [], [], []
    for number in range(300):
        rates, rows = season(number, "ucb:count=visitors", turns=24 if number % 2 else 60)
        shown = [row for row in rows if row.chance_best is not None]
        stated += [row.chance_best for row in shown]
        true += [row.arm == rates.argmax() for row in shown]
        losses.append((rows[0].loss, rates.max() - rates[rows[0].arm]))
    chances, came = np.array(stated), np.array(true)
    assert ((chances < UNSURE) | (chances >= SURE)).all()  # what lies between is not shown
    for low, high in ((0.0, 0.1), (0.1, UNSURE), (SURE, 1.0)):
        part = (low <= chances) & (chances < high)
        error = math.sqrt(0.25 / part.sum())
        assert abs(came[part].mean() - chances[part].mean()) < 0.05 + error
    said, lost = np.mean(losses, axis=0)
    assert 0.7 < said / lost < 1.5


def test_nothing_is_said_where_it_would_not_be_calibrated() -> None:
    few = season(0, "ucb", turns=12)[1]
    forgetting = season(0, "discounted:discount=0.9+ucb", turns=60)[1]
    naive = season(0, "naive-ucb", turns=60)[1]
    assert {row[5:] for rows in (few, forgetting, naive) for row in rows} == {(None, None)}
    assert None not in {row.loss for row in season(0, "ucb", turns=16)[1]}
    coarse = hs.Bandit(["a", "b"], "ucb", [1.0], reward_range=(0, 1))
    rows = [(arm, x, None, 1) for arm in "ab" for x in (0, 0, 0, 0, 0, 0, 0, 0, 1)]
    assert coarse.fit(rows).ranking()[0].loss is None
    assert coarse.fit(rows * 5).ranking()[0].loss is not None


def test_an_arm_that_was_never_tried_may_be_the_best() -> None:
    bandit = hs.Bandit(["a", "b", "new"], "greedy", [5.0], reward_range=(0, 1))
    bandit.fit([(arm, 40 + t % 7, t, 99) for t in range(20) for arm in "ab"])
    new = bandit.ranking()[-1]
    assert (new.arm, new.estimate) == ("new", None)
    assert new.loss is not None
    assert new.chance_best is None or new.chance_best > 0.05
    bandit.remove_arm("new")
    assert bandit.ranking(gone=True)[-1].loss is None


def test_a_sentence_says_whether_to_stop() -> None:
    def shop(better: int, spread: int = 9) -> hs.Bandit[str]:
        bandit = hs.Bandit(["a", "b"], "greedy", [5.0], reward_range=(0, 10))
        rows = [
            (arm, 400 + spread * (t % 5) + better * (arm == "b"), t, 99)
            for t in range(9)
            for arm in "ab"
        ]
        return bandit.fit(rows)

    assert shop(40).verdict().startswith("You may stop: b is best with a chance of over 99%, and ")
    same = shop(1).verdict()
    assert re.fullmatch(
        r"Stopping costs almost nothing \(0\.\d%\), though b may not be the best\.", same
    )
    unsure = shop(30, 90).verdict()
    assert unsure.startswith("Go on: it is not clear yet whether b is the best, and ")
    assert unsure == shop(30, 90).verdict()


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("greedy", "Go on: it is too early to say how sure the ranking is."),
        ("ucb", "Go on: it is too early to say how sure the ranking is."),
        (
            "discounted:discount=0.9+ucb",
            "Go on: the policy forgets old rewards, because the best arm may change.",
        ),
        (
            "windowed:window=3+ucb",
            "Go on: the policy forgets old rewards, because the best arm may change.",
        ),
        (
            "naive-ucb",
            "Go on: the policy compares rewards per turn, so how sure it is cannot be said.",
        ),
    ],
)
def test_it_says_why_it_cannot_say(policy: str, said: str) -> None:
    bandit = hs.Bandit(["a", "b"], policy, [5.0], reward_range=(0, 1))
    assert bandit.verdict() == said
    assert bandit.fit([(arm, 0.3, None, 1) for arm in "abababab"]).verdict() == said
