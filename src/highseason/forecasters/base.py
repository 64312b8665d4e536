"""What all forecasters share: fit a series, predict the next turns, take one observation more.

A forecaster is its settings, and never changes; `fit` gives something that knows a series, and
changes with every `update`.

>>> import highseason as hs
>>> known = hs.forecasters.MovingAverage(window=2).fit([10, 20, 40])
>>> known.predict(2).mean
array([30., 30.])
>>> known.update(80)
>>> known.predict(1).mean
array([60.])
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from highseason.forecasters import registry
from highseason.forecasters.errors import ForecastError
from highseason.forecasters.forecast import Forecast
from highseason.multipliers import Multiplier


@dataclass(frozen=True)
class Forecaster(ABC):
    """The settings of a way to forecast.  Subclasses give a `name` and `fit`."""

    name: ClassVar[str] = ""
    #: Whether it looks only one turn ahead and is cheap enough to do so in every turn of a game.
    one_step: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        """Enter named forecasters in the registry."""
        super().__init_subclass__(**options)
        if cls.name:
            registry.enter(cls.name, cls)

    @abstractmethod
    def fit(self, series: Any) -> Fitted:
        """Learn from a series: anything `as_multiplier` takes."""

    def __str__(self) -> str:
        """The name and what differs from the defaults, as the command line reads it."""
        told = [
            f"{entry.name}={getattr(self, entry.name)}"
            for entry in fields(self)
            if getattr(self, entry.name) != entry.default
        ]
        label = self.name or type(self).__name__
        return f"{label}:{','.join(told)}" if told else label


class Fitted(ABC):
    """A forecaster that knows a series."""

    @abstractmethod
    def predict(self, turns: int) -> Forecast:
        """Mean and quantiles of the next `turns` turns."""

    @abstractmethod
    def update(self, value: float) -> None:
        """Take the multiplier of the next turn, now that it has come."""


def whole(name: str, value: int, least: int = 1) -> int:
    """Return a whole number that is not below `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ForecastError(f"{name} must be a whole number, at least {least}, not {value!r}")
    return int(value)


def share(name: str, value: float) -> float:
    """Return a number above 0 and not above 1."""
    if not 0 < value <= 1:
        raise ForecastError(f"{name} must be above 0 and at most 1, not {value!r}")
    return float(value)


def observed(value: float) -> float:
    """Return an observation, which is finite and above zero."""
    number = float(value)
    if not (math.isfinite(number) and number > 0):
        raise ForecastError(
            f"an observed multiplier must be finite and > 0, not {value!r}: raise the zeros of "
            "closed turns to a small floor"
        )
    return number


def calendar_after(G: Multiplier, turns: int) -> NDArray[np.datetime64] | None:
    """When the next turns are, at the usual distance; None without a calendar."""
    if G.calendar is None:
        return None
    if G.turns < 2:
        raise ForecastError("one turn has no distance to the next: give at least two")
    step = np.sort(np.diff(G.calendar))[(G.turns - 1) // 2]
    stamps: NDArray[np.datetime64] = G.calendar[-1] + step * np.arange(1, turns + 1)
    return stamps


def settings(kind: type[Forecaster]) -> list[Field[Any]]:
    """The settings of a kind of forecaster."""
    return list(fields(kind))
