"""The turn a rule decides."""

from __future__ import annotations

from typing import NamedTuple


class Turn(NamedTuple):
    """What a rule knows of the turn it decides.

    Attributes:
        t: The turn, from 1.
        level: The plan's exploration level.
        key: The key of the turn's random numbers.
        random_ties: Whether ties are broken at random; otherwise the lowest arm wins.
        clock: The time in which lifetimes are counted: the turn itself in a game, the time bin in a
            replayed log.
    """

    t: int
    level: float
    key: int
    random_ties: bool
    clock: int
