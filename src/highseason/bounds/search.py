"""Where a condition changes, by doubling and bisection: never by looking at every number."""

from __future__ import annotations

import math
from collections.abc import Callable


def first_true(holds: Callable[[float], bool], start: float) -> float:
    """The first whole number >= start for which `holds`, which once true stays true.

    Infinity if there is none that a float can hold.

    >>> first_true(lambda t: t * t > 1000, 1)
    32
    """
    if math.isinf(start) or holds(start):
        return start
    below, width = int(start), 1
    while not holds(below + width):
        below += width
        width *= 2
        if below.bit_length() > 1000:
            return math.inf
    above = below + width
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    return above


def last_true(holds: Callable[[int], bool]) -> int:
    """The last whole number y >= 1 for which `holds`, which once false stays false; 0 if none.

    >>> last_true(lambda y: y * y <= 1000)
    31
    """
    if not holds(1):
        return 0
    above = 2
    while holds(above):
        above *= 2
    below = above // 2
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if holds(middle) else (below, middle)
    return below
