"""The longest stretch with a fixed pool, by trying every pair of times: slow and obvious."""

from __future__ import annotations

from collections.abc import Sequence

Life = tuple[int, int]


def longest(lifetimes: Sequence[Life], arms: int) -> int | None:
    """The length of the longest interval through which at least so many arms live; None if none."""
    times = sorted({time for life in lifetimes for time in life})
    found = [
        end - start
        for start in times
        for end in times
        if end >= start and sum(b <= start and d >= end for b, d in lifetimes) >= arms
    ]
    return max(found, default=None)
