"""Lifetimes that are drawn: do they look like the flow they are drawn from?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import highseason as hs
from highseason.core.random import game_keys
from highseason.policies.lifetimes import ARTICLE_HOURS, ARTICLE_QUANTILES, alive_counts

KEYS = game_keys(5, range(400))
DAY = 24 * 60


def lengths(spans: NDArray[np.int64]) -> NDArray[np.int64]:
    return spans[..., 1] - spans[..., 0] + 1


@pytest.fixture(scope="module")
def articles() -> NDArray[np.int64]:
    """Three days of articles, a turn a minute."""
    return hs.lifetimes.articles(3 * DAY).spans(KEYS, 3 * DAY)


@pytest.fixture(scope="module")
def flow() -> NDArray[np.int64]:
    return hs.lifetimes.birth_and_death(turns=1000, alive=10, life=100).spans(KEYS, 1000)


def test_same_keys_same_lifetimes() -> None:
    lifetimes = hs.lifetimes.articles(DAY)
    assert np.array_equal(lifetimes.spans(KEYS[:5], DAY), lifetimes.spans(KEYS[:9], DAY)[:5])
    assert not np.array_equal(lifetimes.spans(KEYS[:1], DAY), lifetimes.spans(KEYS[1:2], DAY))


# -- articles --------------------------------------------------------------------------------------


def test_articles_live_as_long_as_those_of_the_contest(articles: NDArray[np.int64]) -> None:
    born = articles[articles[..., 0] > 1]
    hours = lengths(born) / 60.0
    for share, expected in zip(ARTICLE_QUANTILES[1:-1], ARTICLE_HOURS[1:-1], strict=True):
        assert np.mean(hours <= expected) == pytest.approx(share, abs=0.01)
    assert hours.min() >= 0.5
    assert hours.max() <= 52.4


@pytest.mark.parametrize("start", [0.0, 9.5, 14.0, 23.9])
def test_about_36_articles_are_there_whenever_the_game_begins(start: float) -> None:
    lifetimes = hs.lifetimes.articles(DAY, start_hour=start)
    assert alive_counts(lifetimes.spans(KEYS, DAY), DAY).mean() == pytest.approx(36.5, abs=0.7)


def test_every_day_of_articles_is_like_the_first(articles: NDArray[np.int64]) -> None:
    """The flow has its rhythm from the first turn on: as many, and as long to live."""
    by_day = alive_counts(articles, 3 * DAY).mean(axis=0).reshape(3, DAY)
    assert np.abs(by_day[0] - by_day[1]).max() < 1.5
    assert np.ptp(by_day[1]) > 8  # not the same at every hour
    assert left(articles, 1) == pytest.approx(left(articles, DAY + 1), rel=0.03)


def left(spans: NDArray[np.int64], t: int) -> float:
    """The mean life left of those there at a turn."""
    there = (spans[..., 0] <= t) & (t <= spans[..., 1])
    return float((spans[..., 1] - t + 1)[there].mean())


def test_articles_are_born_in_the_evening_on_five_minute_marks(articles: NDArray[np.int64]) -> None:
    births = articles[..., 0][articles[..., 0] > 1]
    assert set((births - 1) % 5) == {0}
    hours = (births - 1) // 60 % 24
    assert np.mean((hours >= 14) | (hours < 2)) == pytest.approx(0.82, abs=0.01)


def test_a_coarser_clock_has_the_same_hours() -> None:
    spans = hs.lifetimes.articles(72, turns_per_hour=1).spans(KEYS, 72)
    assert alive_counts(spans, 72).mean() == pytest.approx(36.5, abs=1.2)


def test_other_lives_for_articles() -> None:
    short = hs.lifetimes.articles(DAY, hours=[0.5, 1, 2, 3, 4, 5, 6])
    assert lengths(short.spans(KEYS, DAY)).max() <= 6 * 60
    assert (
        short.arms > 4 * hs.lifetimes.articles(DAY).arms
    )  # as many at a time, so many more in all


# -- an even flow ----------------------------------------------------------------------------------


def test_lives_have_the_mean_that_was_asked_for(flow: NDArray[np.int64]) -> None:
    born = flow[flow[..., 0] > 1]
    assert lengths(born).mean() == pytest.approx(100, rel=0.02)
    # … and are geometric: however old an arm is, it dies with the same chance.
    assert np.mean(lengths(born) > 50) == pytest.approx(0.99**50, abs=0.01)
    assert np.mean(lengths(born) > 200) == pytest.approx(0.99**200, abs=0.01)


def test_as_many_are_there_at_every_turn(flow: NDArray[np.int64]) -> None:
    counts = alive_counts(flow, 1000).mean(axis=0)
    assert counts.mean() == pytest.approx(10, abs=0.1)
    for start in range(0, 1000, 200):
        assert counts[start : start + 200].mean() == pytest.approx(10, abs=0.35)


def test_those_there_at_the_start_have_as_long_to_live_as_those_met_later(
    flow: NDArray[np.int64],
) -> None:
    for t in (1, 300, 700):
        assert left(flow, t) == pytest.approx(100, rel=0.06)


@pytest.mark.parametrize("life", [1, 1.5, 3])
def test_short_lifetimes(life: float) -> None:
    lifetimes = hs.lifetimes.birth_and_death(turns=300, alive=20, life=life)
    spans = lifetimes.spans(KEYS[:100], 300)
    assert lengths(spans[spans[..., 0] > 1]).mean() == pytest.approx(life, rel=0.03)
    assert lifetimes.typical(300) == 20


@given(
    turns=st.integers(1, 60),
    alive=st.integers(1, 6),
    life=st.floats(1, 1e9),
    seed=st.integers(0, 2**40),
)
def test_there_is_always_an_arm(turns: int, alive: int, life: float, seed: int) -> None:
    lifetimes = hs.lifetimes.birth_and_death(turns, alive, life)
    spans = lifetimes.spans(game_keys(seed, range(8)), turns)  # raises where a turn has none
    assert spans.shape == (8, lifetimes.arms, 2)
    assert (spans[..., 0] <= spans[..., 1]).all()
    assert (alive_counts(spans, turns)[:, 0] >= alive).all() or life < 2


@settings(max_examples=25)
@given(
    turns=st.integers(1, 400),
    turns_per_hour=st.floats(0.05, 20),
    start_hour=st.floats(-30, 50),
)
def test_there_is_always_an_article(turns: int, turns_per_hour: float, start_hour: float) -> None:
    lifetimes = hs.lifetimes.articles(turns, turns_per_hour, start_hour)
    spans = lifetimes.spans(KEYS[:4], turns)
    assert spans.shape == (4, lifetimes.arms, 2)


def test_the_last_arm_stays_until_another_comes() -> None:
    """One arm at a time: without that, most turns of these games would have none."""
    lifetimes = hs.lifetimes.birth_and_death(turns=200, alive=1, life=20)
    counts = alive_counts(lifetimes.spans(KEYS, 200), 200)
    assert counts.min() == 1
    assert np.mean(counts == 1) > 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turns": 0}, "turns must be a whole number, at least 1, got 0"),
        ({"turns": 9.5}, "turns must be a whole number, at least 1, got 9.5"),
        ({"alive": 0}, "alive must be a whole number, at least 1, got 0"),
        ({"alive": 2.5}, "alive must be a whole number, at least 1, got 2.5"),
        ({"life": 0.5}, "life must be at least 1 turn, got 0.5"),
        ({"life": math.inf}, "life must be a finite number, got inf"),
        ({"life": math.nan}, "life must be a finite number, got nan"),
        ({"life": "long"}, "life must be a finite number, got 'long'"),
        ({"alive": math.nan}, "alive must be a whole number, at least 1, got nan"),
        ({"turns": math.inf}, "turns must be a whole number, at least 1, got inf"),
        ({"turns": "a"}, "turns must be a whole number, at least 1, got 'a'"),
    ],
)
def test_invalid_flows_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hs.lifetimes.birth_and_death(**({"turns": 100, "alive": 5, "life": 10} | change))


@pytest.mark.parametrize(
    "make",
    [hs.lifetimes.articles, lambda n: hs.lifetimes.birth_and_death(n, 5, 9)],
    ids=["articles", "flow"],
)
def test_a_game_of_another_length_is_refused(make: Any) -> None:
    with pytest.raises(ValueError, match="these lifetimes are for 90 turns, the game has 100"):
        make(90).spans(KEYS, 100)


def test_invalid_articles_are_refused() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"turns": 0}, "turns must be a whole number, at least 1, got 0"),
        ({"turns": 1.5}, "turns must be a whole number, at least 1, got 1.5"),
        ({"turns_per_hour": 0}, "turns_per_hour must be a finite number above 0, got 0"),
        ({"turns_per_hour": math.inf}, "turns_per_hour must be a finite number above 0, got inf"),
        ({"start_hour": math.nan}, "start_hour must be a finite number, got nan"),
    ]
    for change, message in wrong:
        with pytest.raises(ValueError, match=message):
            hs.lifetimes.articles(**({"turns": 9} | change))
    rising: list[Any] = [1, 2, 3, 4, 5, 6]
    for hours in ([1, 2], [0, 1, 2, 3, 2, 5, 6], [-1, *rising], [*rising, math.nan], "many"):
        with pytest.raises(ValueError, match=r"must be 7 rising quantiles \(0%, 5%"):
            hs.lifetimes.articles(9, hours=hours)
