"""What is known of G ahead: this turn's multiplier and the future weight, known or forecast."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.policies.turn import UNKNOWN_TURNS, Turn
from highseason.traffic import Forecast, Multiplier, OneStep, as_multiplier


class FutureUnknownError(ValueError):
    """A plan or a rule asks for the weight of the turns to come where it is unknown."""


def refuse_unknown_future(who: object, where: str) -> NoReturn:
    """The one place that says so."""
    raise FutureUnknownError(
        f"{who} looks ahead (it uses the future weight or the turns left), but {where} does not "
        "know the turns to come: give the whole multiplier, or a Forecast of the whole season"
    )


@jitable
def turns_left(t: int, turns: int, future: float) -> int:
    """How many turns follow turn `t`, as far as the future is known."""
    return UNKNOWN_TURNS if math.isnan(future) else turns - t


class Horizon(NamedTuple):
    """G(t) and the future weight W(t) of every turn, as they are known when the turn comes.

    >>> known = Horizon.known(np.array([1.0, 5.0, 2.0]))
    >>> known.future
    array([7., 2., 0.])
    >>> Horizon.unknown(np.array([1.0, 5.0, 2.0])).future
    array([nan, nan, nan])
    """

    G: NDArray[np.float64]
    future: NDArray[np.float64]

    @classmethod
    def known(cls, values: NDArray[np.float64]) -> Horizon:
        """All values are known, or forecast, before the first turn."""
        return cls(values, np.concatenate([np.cumsum(values[::-1])[::-1][1:], [0.0]]))

    @classmethod
    def unknown(cls, values: NDArray[np.float64]) -> Horizon:
        """Each value becomes known, or is forecast, when its turn comes."""
        return cls(values, np.full(values.size, np.nan))

    @classmethod
    def of(cls, actual: Multiplier, forecast: Any = None) -> Horizon:
        """What a policy knows in a game, given the `forecast` that `Policy.plan` takes."""
        if forecast is None:
            return cls.known(actual.values)
        if isinstance(forecast, Forecast):
            return cls.known(forecast.mean)
        if isinstance(forecast, OneStep):
            return cls.unknown(forecast.path(actual).values)
        return cls.unknown(as_multiplier(forecast).values)

    def turn(self, t: int, level: float, key: int, random_ties: bool) -> Turn:
        """Turn `t` of a game, with the plan's level and the key of its random numbers."""
        future = float(self.future[t - 1])
        left = turns_left(t, self.G.size, future)
        return Turn(t, level, float(self.G[t - 1]), future, left, key, random_ties, t)
