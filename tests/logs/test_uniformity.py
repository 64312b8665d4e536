"""Counts of displays, against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.logs.logs import mortal_log

from highseason.logs import Events, PreparedLog
from highseason.logs.diagnostics import count_displays


def by_hand(log: PreparedLog) -> NDArray[np.int64]:
    records = len(log.events)
    median = sorted(log.G.tolist())[max(0, -(-records // 2) - 1)]
    line = min(median + 1, log.G.max())
    table = np.zeros((8, log.pools.members.size), np.int64)
    for i in range(records):
        arm, pool = log.events.arm[i], int(log.pool[i])
        quarter = sum(i >= int(records * q / 4) for q in (1, 2, 3))
        for place in range(log.pools.offsets[pool], log.pools.offsets[pool + 1]):
            if log.pools.members[place] == arm:
                table[2 * quarter + bool(log.G[i] >= line), place] += 1
    return table


@pytest.mark.jit
@pytest.mark.parametrize("arms", [None, 3], ids=["all", "some"])
def test_displays_are_counted_by_quarter_busyness_pool_and_arm(arms: int | None) -> None:
    wrong = Events.of([7, 8], ["x", "y"], [0, 1], [["y"], ["y"]])  # x was not in its pool
    for events in (mortal_log(203), wrong):
        log = PreparedLog.of(events, arms=None if arms is None else events.arms[:arms])
        assert count_displays(log).tolist() == by_hand(log).tolist()


def test_an_empty_log_has_no_displays() -> None:
    log = PreparedLog.of(Events.of([], [], [], []))
    assert count_displays(log).sum() == 0
    assert log.start.size == 0
