"""What a plan may see of the world at turn t, and nothing else.

When G is known before the game, `known_views` looks at the whole of it.  When it is not,
`Outlook` grows turn by turn and knows only what was believed of this turn and seen before it.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class View(NamedTuple):
    """Turn `t` as a plan sees it.

    Attributes:
        t: The turn, from 1.
        G: The multiplier of this turn, known or forecast.
        arms: How many arms there are.
        floor: The least G after every arm was tried once (turns arms+1 … end) if the whole of G is
            known; the least believed of those turns so far if not.
        lowest: The same over all turns from the first on.
        future: The weight of the turns still to come after this one; NaN when it is not known.
    """

    t: int
    G: float
    arms: int
    floor: float
    lowest: float
    future: float


def known_views(values: NDArray[np.float64], arms: int) -> Iterator[View]:
    """A view for every turn of a game whose G is known from the start."""
    lowest = float(values.min())
    floor = float(values[arms:].min()) if values.size > arms else lowest
    after = np.concatenate([np.cumsum(values[::-1])[::-1][1:], [0.0]])
    for t, (value, future) in enumerate(zip(values.tolist(), after.tolist(), strict=True), start=1):
        yield View(t, value, arms, floor, lowest, future)


class Outlook:
    """What has been believed and seen of G so far, when it comes one turn at a time."""

    def __init__(self, arms: int) -> None:
        """Nothing is known yet."""
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
        return View(self.t, belief, self.arms, floor, self._lowest, math.nan)

    def saw(self, actual: float) -> None:
        """The multiplier that this turn really had."""
        bisect.insort(self._seen, actual)

    def values(self, belief: float) -> NDArray[np.float64]:
        """What a threshold or a unit is read from: all that was seen, and this turn's belief."""
        return np.array([*self._seen, belief])
