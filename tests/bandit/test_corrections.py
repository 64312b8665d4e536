"""Corrected rewards, and rewards from before the first turn."""

from __future__ import annotations

import copy
import math
import pickle
from datetime import date
from typing import Any

import pandas as pd
import polars as pl
import pytest

import highseason as hs
from highseason.bandit import (
    BanditError,
    ConflictError,
    DocumentError,
    HistoryLearned,
    Lesson,
    MemoryStore,
    RewardCorrected,
    event_from_json,
    event_to_json,
)

G = [5.0, 50.0, 5.0, 50.0, 5.0, 5.0, 7.0, 9.0, 5.0, 5.0]
#: One policy for each way of learning.
POLICIES = [
    "uniform",
    "ucb-z",
    "discounted:discount=0.7+uniform",
    "windowed:window=2+uniform",
    "spare-old-arms+ucb",
    "peak-grabber:window=3+ucb",
    "option-index",
]
REWARDS = [3.1, 2.2, 0.7, 1.9, 4.4, 0.3, 2.5, 1.1]


def played(policy: str, rewards: list[float], G: Any = G) -> hs.Bandit[str]:
    """Eight turns, of which the arms are given and the rewards come in odd order."""
    bandit = hs.Bandit(["a", "b", "c"], policy, G, reward_range=(0, 1), seed=7)
    for t in range(1, 9):
        bandit.pull(t, ["abc"[t % 3]], expected=None if G else 5.0 + t)
    for t in (2, 1, 5, 3, 4, 8, 7, 6):
        bandit.update("abc"[t % 3], rewards[t - 1], t, visitors=5.0 + t % 3, confirm=True)
    return bandit


def ways_back(bandit: hs.Bandit[str]) -> list[hs.Bandit[str]]:
    """The bandit after every way to write and read it."""
    lines = map(event_to_json, bandit.store)
    return [
        bandit,
        hs.Bandit.from_json(bandit.to_json()),
        hs.Bandit.from_events(MemoryStore(map(event_from_json, lines))),
        copy.deepcopy(bandit),
        pickle.loads(pickle.dumps(bandit)),
    ]


# corrections


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("multiplier", [G, None], ids=["known", "online"])
def test_after_a_correction_all_is_as_if_it_had_been_right(policy: str, multiplier: Any) -> None:
    wrong = [*REWARDS]
    wrong[4] = 400.0  # outside the range
    bandit, right = played(policy, wrong, multiplier), played(policy, REWARDS, multiplier)
    assert bandit.expectations() != right.expectations()
    bandit.correct(5, REWARDS[4])
    asked = {"expected": None if multiplier else 6.0}
    known, made = right.expectations(), right.decisions()
    ninth = right.decide(9, **asked)
    for twin in ways_back(bandit):
        assert twin.expectations() == known
        assert twin.decisions() == made
        assert twin.decide(9, **asked) == ninth


def test_a_correction_is_a_new_event() -> None:
    bandit = played("uniform", REWARDS)
    before = list(bandit.store)
    bandit.correct(3, REWARDS[2])  # as it was
    assert list(bandit.store) == before
    bandit.correct(3, 0.5)
    assert list(bandit.store) == [*before, RewardCorrected(len(before) + 1, 3, "a", 0.5)]
    assert bandit.decision(3).reward == 0.5
    bandit.update("a", 0.5, t=3)  # the same report again
    with pytest.raises(ConflictError):
        bandit.update("a", REWARDS[2], t=3)


def test_corrected_twice_and_back() -> None:
    bandit, untouched = played("ucb-z", REWARDS), played("ucb-z", REWARDS)
    for reward in (0.5, 99.0, REWARDS[2]):
        bandit.correct(3, reward, confirm=True)
    assert bandit.expectations() == untouched.expectations()


def test_a_reward_that_waits_can_be_corrected() -> None:
    bandit = hs.Bandit(["a"], "greedy", [5.0, 5.0])
    bandit.update(bandit.pull(), 3.0)
    bandit.correct(1, 2.0)
    bandit.count_visitors(1, 4.0)
    assert bandit.expectations() == {"a": 0.5}


def test_what_cannot_be_corrected() -> None:
    bandit = played("uniform", REWARDS)
    bandit.pull(9)
    with pytest.raises(BanditError, match=r"turn 9 has no reward to correct: report it with"):
        bandit.correct(9, 1.0)
    with pytest.raises(BanditError, match="turn 10 is not decided"):
        bandit.correct(10, 1.0)
    for reward in (math.nan, math.inf, "1"):
        with pytest.raises(BanditError, match="finite number"):
            bandit.correct(1, reward)  # type: ignore[arg-type]
    bandit.correct(9 - 8, 0.0)
    assert bandit.decision(1).reward == 0.0


def test_a_stored_correction_names_the_arm_of_its_turn() -> None:
    bandit = played("uniform", REWARDS)
    other = next(arm for arm in bandit.arms if arm != bandit.decision(3).arm)
    events = list(bandit.store)
    wrong = RewardCorrected(len(events) + 1, 3, other, 0.5)
    with pytest.raises(DocumentError, match=f"turn 3 was decided for the arm .*, not '{other}'"):
        hs.Bandit.from_events(MemoryStore([*events, wrong]))


@pytest.mark.parametrize("reward", [1.0, math.nan])
def test_an_invalid_correction_is_refused(reward: float) -> None:
    event = RewardCorrected(2, 1, "a", reward)
    start = next(iter(hs.Bandit(["a"], "greedy", G).store))
    with pytest.raises(DocumentError, match="corrupt event 2"):
        hs.Bandit.from_events(MemoryStore([start, event]))


# history

PAST = {
    "arm": ["a", "b", "a", "c"],
    "reward": [2.0, 1.0, 3.0, 9.0],
    "visitors": [4.0, 4.0, 5.0, 0.0],
}


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        ((2, 1, 2), (1, 2, 2)),
        ((2.0, 1.0, 2.0), (1, 2, 2)),  # as pandas has them where one is missing
        (("2024-05-02", "2024-05-01", "2024-05-02"), ("2024-05-01", "2024-05-02", "2024-05-02")),
        (tuple(date(2024, 5, day) for day in (2, 1, 2)), ("2024-05-01", *["2024-05-02"] * 2)),
        ((None, None, None), (None, None, None)),
    ],
)
def test_a_lesson_keeps_its_turn(turns: tuple[Any, ...], kept: tuple[Any, ...]) -> None:
    bandit = hs.Bandit(["a", "b"], "greedy", G)
    rows = zip("aba", (2.0, 1.0, 3.0), (4.0, 4.0, 5.0), turns, strict=True)
    table = pd.DataFrame(rows, columns=["arm", "reward", "visitors", "turn"])
    for twin in ways_back(bandit.fit(table)):
        learned = next(event for event in twin.store if isinstance(event, HistoryLearned))
        assert tuple(lesson.turn for lesson in learned.lessons) == kept
        assert type(learned.lessons[0].turn) is type(kept[0])


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("multiplier", [G, None], ids=["known", "online"])
def test_a_warm_start(kind: Any, multiplier: Any) -> None:
    bandit = hs.Bandit(["a", "b", "c"], "ucb-z", multiplier, reward_range=(0, 1), seed=7)
    assert bandit.fit(kind(PAST)) is bandit
    event = list(bandit.store)[-1]
    lessons = (Lesson("a", 2.0, 4.0), Lesson("b", 1.0, 4.0), Lesson("a", 3.0, 5.0))
    assert event == HistoryLearned(2, lessons)
    asked = {"expected": None if multiplier else 6.0}
    for twin in ways_back(bandit):
        assert twin.expectations() == {"a": pytest.approx(5 / 9), "b": 0.25, "c": None}
        assert {row.arm: row.pulls for row in twin.ranking()} == {"a": 2, "b": 1, "c": 0}
        assert twin.decide(1, **asked).arm == "c"  # the only one that was never tried
        twin.update("c", 1.0, t=1, visitors=4)
        twin.correct(1, 2.0)
        assert twin.expectations() == {"a": pytest.approx(5 / 9), "b": 0.25, "c": 0.5}
        assert hs.Bandit.from_json(twin.to_json()).to_json() == twin.to_json()


def test_history_teaches_what_turns_would() -> None:
    played_before = hs.Bandit(["a", "b"], "windowed:window=2+greedy", [4.0] * 9, known=True)
    rows = [("a", 4.0), ("a", 8.0), ("b", 2.0), ("a", 2.0)]
    for t, (arm, reward) in enumerate(rows, start=1):
        played_before.update(played_before.pull(t, [arm]), reward, t)
    warm = hs.Bandit(["a", "b"], "windowed:window=2+greedy", [4.0] * 9)
    warm.fit([{"arm": arm, "reward": reward, "visitors": 4.0} for arm, reward in rows])
    assert warm.expectations() == played_before.expectations() == {"a": 1.25, "b": 0.5}


@pytest.mark.parametrize(
    "turns",
    [
        [3, 2, 1],
        [date(2024, 1, day) for day in (3, 2, 1)],
        ["2024-01-03", "2024-01-02", "2024-01-01"],
        ["04.03.2024", "01.02.2024", "05.01.2024"],  # as text 01.02. would come first
        ["4 March 2024", "1 Feb 2024", "5 Jan 2024"],
    ],
)
@pytest.mark.filterwarnings("ignore::highseason.traffic.FileNote")  # tests/traffic has its words
def test_history_is_put_in_order(turns: Any) -> None:
    frame = pd.DataFrame({"arm": "a", "reward": [1.0, 2.0, 3.0], "visitors": 1.0, "turn": turns})
    bandit = hs.Bandit(["a"], "windowed:window=2+greedy", [5.0]).fit(frame)
    assert bandit.expectations() == {"a": 1.5}


def test_thresholds_without_a_multiplier_know_the_history() -> None:
    rows = [{"arm": "a", "reward": 1.0, "visitors": came} for came in (10.0, 20.0, 30.0, 40.0)]
    warm = hs.Bandit(["a", "b"], "ucb-z:z=q0.5", reward_range=(0, 1)).fit(rows)
    assert warm.probabilities(expected=24.0)["b"] == 1.0
    assert (warm.decide(1, expected=35.0).level, warm.decide(2, expected=12.0).level > 0) == (
        0.0,
        True,
    )


def test_what_is_no_history() -> None:
    bandit = hs.Bandit(["a"], "greedy", [5.0, 5.0])
    with pytest.raises(BanditError, match="row 2: there is no arm 'z'"):
        bandit.fit([("a", 1.0, None, 2.0), ("z", 1.0, None, 2.0)])
    with pytest.raises(BanditError, match="row 1: visitors must be a finite number, 0 or more"):
        bandit.fit([("a", 1.0)])
    with pytest.raises(BanditError, match="cannot be put in order"):
        bandit.fit([("a", 1.0, 1, 2.0), ("a", 1.0, "2024-01-01", 2.0)])
    with pytest.raises(BanditError, match="01/02/2024' could be 2024-02-01 or 2024-01-02: write"):
        bandit.fit([("a", 1.0, "01/02/2024", 2.0), ("a", 1.0, "02/02/2024", 2.0)])
    with pytest.raises(BanditError, match="cannot be put in order"):
        bandit.fit([("a", 1.0, "monday", 2.0), ("a", 1.0, "2024-01-01", 2.0)])
    assert len(list(bandit.store)) == 1
    bandit.fit([])
    bandit.pull()
    with pytest.raises(BanditError, match="before the first turn, but turn 1 is decided"):
        bandit.fit([("a", 1.0, None, 2.0)])
