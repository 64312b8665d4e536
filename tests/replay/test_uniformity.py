"""Counts of what was shown, against counting by hand; the table and the sorting must agree."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.replay.logs import mortal_log

from highseason.logs import Events
from highseason.replay import PreparedLog
from highseason.replay import uniformity as room
from highseason.replay.uniformity import count_displays


def by_hand(course: PreparedLog) -> Counter[tuple[int, bool, int, int]]:
    events, n = course.events, len(course.events)
    middle = sorted(course.G.tolist())[max(0, -(-n // 2) - 1)]
    line = min(middle + 1, course.G.max())
    counts: Counter[tuple[int, bool, int, int]] = Counter()
    for i in range(n):
        arm, pool = int(events.arm[i]), int(course.pool[i])
        if course.studied[arm] and arm in course.pools[pool]:
            quarter = sum(i >= int(n * q / 4) for q in (1, 2, 3))
            counts[quarter, bool(course.G[i] >= line), pool, arm] += 1
    return counts


@pytest.mark.jit
@pytest.mark.parametrize("cells", [room._TABLE, 0], ids=["table", "sorted"])
@pytest.mark.parametrize("arms", [None, 3], ids=["all", "some"])
def test_counts(cells: int, arms: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_TABLE", cells)
    log = mortal_log(203)
    wrong = Events.of([7, 8], ["x", "y"], [0, 1], [["y"], ["y"]])  # x was not in its pool
    for events in (log, wrong):
        course = PreparedLog.of(events, arms=None if arms is None else events.arms[:arms])
        found = count_displays(course)
        keys = zip(*(column.tolist() for column in found[:4]), strict=True)
        assert dict(zip(keys, found.times.tolist(), strict=True)) == by_hand(course)


def test_nothing_is_nothing() -> None:
    empty = Events.of([], [], [], [])
    assert count_displays(PreparedLog.of(empty)).times.size == 0
    assert np.asarray(PreparedLog.of(empty).start).size == 0
