"""What a plan may see of the world at turn t.

With G known, or forecast for the whole season, a plan looks at all of it.  Otherwise an `Outlook`
grows turn by turn: it knows only what is expected of this turn and what was seen before.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from highseason.core.ordered import SuffixMinima, WithOne
from highseason.policies.horizon import Horizon, refuse_unknown_future
from highseason.policies.turn import UNKNOWN_TURNS


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


class KnownViews:
    """The views of a game whose G is known, or forecast, from the start; any turn at once."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        self._values, self._future = values.tolist(), Horizon.known(values).future.tolist()
        self._minima = np.minimum.accumulate(values[::-1])[::-1]  # from each turn on

    def at(self, t: int, arms: int) -> View:
        """Turn `t`, with this many arms."""
        turns, lowest = len(self._values), float(self._minima[0])
        floor = float(self._minima[arms]) if turns > arms else lowest
        future = self._future[t - 1]
        return View(t, self._values[t - 1], arms, floor, lowest, future, turns - t)

    def all(self, arms: int) -> Iterator[View]:
        """Every turn, from the first."""
        first, turns = self.at(1, arms), len(self._values)
        same = repeat(arms), repeat(first.floor), repeat(first.lowest)
        later = self._future, range(turns - 1, -1, -1)
        # All turns at once: calling `View` for each takes a third of the time of a plan.
        return map(View._make, zip(range(1, turns + 1), self._values, *same, *later, strict=False))


class Outlook:
    """What has been expected and seen of G so far, when it comes one turn at a time."""

    def __init__(
        self, arms: int, beliefs: Iterable[float] = (), seen: Iterable[float] = ()
    ) -> None:
        self.arms = arms
        self._beliefs, self._seen = SuffixMinima(beliefs), sorted(seen)

    @property
    def t(self) -> int:
        """The latest turn that was expected; 0 before the first."""
        return len(self._beliefs)

    def view(self, belief: float) -> View:
        """The view of the next turn, for which `belief` is known or forecast."""
        t = self.t + 1
        lowest = min(self._beliefs.from_place(0), belief)
        floor = min(self._beliefs.from_place(self.arms), belief)
        return UnknownFuture.of(t, belief, self.arms, floor, lowest)

    def expect(self, belief: float) -> View:
        """Go to the next turn, and give its view."""
        view = self.view(belief)
        self._beliefs.append(belief)
        return view

    def saw(self, actual: float) -> None:
        """The multiplier that this turn really had."""
        insort(self._seen, actual)

    def values(self, belief: float) -> WithOne:
        """The values that thresholds and units are computed from: those seen, and this belief."""
        return WithOne(self._seen, belief)
