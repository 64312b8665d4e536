"""Lifespans, and the exact search for the best stretch with a fixed pool."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.logs.logs import mortal_log
from tests.reference.slices import longest

from highseason.logs import Events, always_on_offer
from studies.logged.lifespans import Lifespans, Slice, best_slice, frontier, lifespans


def lifetimes_of(spans: list[tuple[int, int]]) -> Lifespans:
    birth, death = (np.array(ends, np.int64) for ends in zip(*spans, strict=True))
    nothing = np.zeros(len(spans), np.int64)
    names = tuple(f"arm{i}" for i in range(len(spans)))
    return Lifespans(names, birth, death, nothing, nothing.astype(float))


SPANS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 8)).map(lambda s: (s[0], s[0] + s[1])),
    min_size=1,
    max_size=9,
)


@given(SPANS)
def test_the_frontier_is_what_trying_everything_finds(spans: list[tuple[int, int]]) -> None:
    found = frontier(lifetimes_of(spans))
    for arms in range(1, len(spans) + 1):
        true = longest(spans, arms)
        if true is None:
            with pytest.raises(ValueError, match=r"at most \d at once"):
                found.with_arms(arms)
            continue
        one = found.with_arms(arms)
        assert one.end - one.start == true
        through = [b <= one.start and d >= one.end for b, d in spans]
        assert one.arms == tuple(f"arm{i}" for i in np.flatnonzero(through))
        assert len(one.arms) >= arms


@given(SPANS)
def test_more_arms_last_strictly_shorter(spans: list[tuple[int, int]]) -> None:
    found = frontier(lifetimes_of(spans)).slices
    for fewer, more in pairwise(found):
        assert len(fewer.arms) < len(more.arms)
        assert fewer.hours > more.hours


def test_most_arms_for_given_hours() -> None:
    hour = 3600
    lifetimes = lifetimes_of([(0, 9 * hour), (0, 5 * hour), (2 * hour, 5 * hour)])
    assert best_slice(lifetimes, least_hours=4).arms == ("arm0", "arm1")
    assert best_slice(lifetimes, least_hours=3).arms == ("arm0", "arm1", "arm2")
    with pytest.raises(ValueError, match=r"the longest is 9\.00"):
        best_slice(lifetimes, least_hours=10)
    with pytest.raises(ValueError, match="either"):
        best_slice(lifetimes)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        best_slice(lifetimes, least_arms=0)


def naive_lifetimes(log: Events) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for time, pool in zip(log.time.tolist(), log.pool.tolist(), strict=True):
        for arm in log.pools[pool].tolist():
            first, last = found.get(log.arms[arm], (time, time))
            found[log.arms[arm]] = (min(first, time), max(last, time))
    return found


def test_lives_are_first_and_last_appearance_in_pools() -> None:
    log = mortal_log(500)
    found = lifespans(log)
    ends = zip(found.start.tolist(), found.end.tolist(), strict=True)
    assert dict(zip(found.arms, ends, strict=True)) == naive_lifetimes(log)
    assert found.start.tolist() == sorted(found.start.tolist())
    number = {name: i for i, name in enumerate(log.arms)}
    for i, name in enumerate(found.arms):
        mine = log.arm == number[name]
        assert found.shown[i] == mine.sum()
        assert found.rate[i] == pytest.approx(log.reward[mine].mean())


def test_an_arm_never_shown_lives_and_one_never_offered_does_not() -> None:
    log = Events.of([5, 6], ["a", "c"], [1, 0], [["a", "b"], ["a"]])
    found = lifespans(log)
    assert found.arms == ("b", "a")
    assert found.shown.tolist() == [0, 1]
    assert np.isnan(found.rate[0])
    assert lifespans(Events.of([], [], [], [])).arms == ()


def test_a_slice_cuts_the_log_and_says_how_unbroken_its_pool_is() -> None:
    pools = [["a"], ["a", "b"], ["a"], ["a", "b"], ["b"]]
    log = Events.of([0, 1, 2, 3, 4], ["a", "b", "a", "b", "b"], [0] * 5, pools)
    found = best_slice(log, least_arms=2)
    assert (found.start, found.end, found.arms) == (1, 3, ("a", "b"))
    assert len(found.cut(log)) == 3
    assert found.unbroken(log) == pytest.approx(2 / 3)
    assert np.isnan(Slice(50, 60, ("a",)).unbroken(log))
    assert always_on_offer(log) == ()
    assert always_on_offer(found.cut(log)) == ("a",)
    assert always_on_offer(log.take(slice(0, 0))) == ()
