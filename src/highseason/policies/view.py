"""What a plan may see of the world at turn t, and nothing else.

With G known before the game, `known_views` looks at the whole of it.  Otherwise an `Outlook` grows
turn by turn and knows only what is expected of this turn and what was seen before.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from highseason.engine.horizon import Horizon, refuse_unknown_future
from highseason.engine.turn import UNKNOWN_TURNS


class View(NamedTuple):
    """Turn `t` as a plan sees it.

    Attributes:
        t: The turn, from 1.
        G: The multiplier of this turn, known or forecast.
        arms: How many arms there are.
        floor: The smallest G after every arm was tried once (turns arms+1 … end) if the whole of G
            is known; otherwise the smallest expected of those turns so far.
        lowest: The same over all turns from the first on.
        future: The future weight W(t), the sum of G over the turns after this one, known or
            forecast.  A plan that reads it declares `uses_future`.
        turns_left: How many turns follow; the same holds.
    """

    t: int
    G: float
    arms: int
    floor: float
    lowest: float
    future: float
    turns_left: int


class UnknownFuture(View):
    """A view whose future is unknown: reading it raises `FutureUnknownError`."""

    __slots__ = ()

    @classmethod
    def of(cls, t: int, G: float, arms: int, floor: float, lowest: float) -> UnknownFuture:
        """The view of a turn of which only the past and the present are known."""
        return cls(t, G, arms, floor, lowest, math.nan, UNKNOWN_TURNS)

    @property
    def future(self) -> NoReturn:
        """Unknown."""
        refuse_unknown_future("the plan", "this game")

    @property
    def turns_left(self) -> NoReturn:
        """Unknown."""
        refuse_unknown_future("the plan", "this game")


def known_views(values: NDArray[np.float64], arms: int) -> Iterator[View]:
    """A view for every turn of a game whose G is known, or forecast, from the start."""
    lowest = float(values.min())
    floor = float(values[arms:].min()) if values.size > arms else lowest
    ahead = Horizon.known(values).future.tolist()
    for t, (value, future) in enumerate(zip(values.tolist(), ahead, strict=True), start=1):
        yield View(t, value, arms, floor, lowest, future, values.size - t)


class Outlook:
    """What has been expected and seen of G so far, when it comes one turn at a time."""

    def __init__(self, arms: int) -> None:
        """Before the first turn."""
        self.arms = arms
        self.t = 0
        self._floor = math.inf
        self._lowest = math.inf
        self._seen: list[float] = []

    def expect(self, belief: float) -> View:
        """The view of the next turn, for which `belief` is known or forecast."""
        self.t += 1
        self._lowest = min(self._lowest, belief)
        if self.t > self.arms:
            self._floor = min(self._floor, belief)
        floor = self._floor if self.t > self.arms else belief
        return UnknownFuture.of(self.t, belief, self.arms, floor, self._lowest)

    def saw(self, actual: float) -> None:
        """The multiplier that this turn really had."""
        bisect.insort(self._seen, actual)

    def values(self, belief: float) -> NDArray[np.float64]:
        """The values that thresholds and units are computed from: those seen, and this belief."""
        return np.array([*self._seen, belief])
