"""What all forecasters share: fit a series, predict the next turns, take one observation more.

A forecaster holds settings and never changes; `fit` returns an object that knows a series and
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

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import Registry, did_you_mean, split_spec
from highseason.core.validation import positive_number
from highseason.forecasters.forecast import Forecast, ForecastError
from highseason.multipliers import Multiplier

_SWITCHES = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class Forecaster(ABC):
    """The settings of a forecasting method.  Subclasses give a `name` and `fit`."""

    name: ClassVar[str] = ""
    #: Whether it looks only one turn ahead and is cheap enough to do so in every turn of a game.
    one_step: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        """Register named forecasters."""
        super().__init_subclass__(**options)
        if cls.name:
            _FORECASTERS.register(cls.name, cls)

    @abstractmethod
    def fit(self, series: Any) -> Fitted:
        """Learn from a series: anything `as_multiplier` takes."""

    def __str__(self) -> str:
        """The name and the settings that differ from the defaults, as the command line reads it."""
        changed = [
            f"{entry.name}={getattr(self, entry.name)}"
            for entry in fields(self)
            if getattr(self, entry.name) != entry.default
        ]
        label = self.name or type(self).__name__
        return f"{label}:{','.join(changed)}" if changed else label


_FORECASTERS: Registry[type[Forecaster]] = Registry("forecaster", ForecastError)


class Fitted(ABC):
    """A forecaster that knows a series."""

    @abstractmethod
    def predict(self, turns: int) -> Forecast:
        """Mean and quantiles of the next `turns` turns."""

    @abstractmethod
    def update(self, value: float) -> None:
        """Take the multiplier of the next turn, once it is known."""


def registry() -> dict[str, type[Forecaster]]:
    """Every named forecaster by its name, the user's own included."""
    return _FORECASTERS.entries()


def parse(text: str) -> Forecaster:
    """Read a forecaster as it is written on the command line.

    >>> parse("moving-average:window=7")
    MovingAverage(window=7)
    """
    try:
        name, options = split_spec(text)
    except ValueError as error:
        raise ForecastError(str(error)) from error
    kind = _FORECASTERS[name]
    defaults = {entry.name: entry.default for entry in fields(kind)}
    for key in options:
        if key not in defaults:
            hint = did_you_mean(key, defaults)
            raise ForecastError(f"{kind.name} has no setting {key!r}. {hint}")
    return kind(**{
        key: _read_setting(kind.name, key, value, defaults[key]) for key, value in options.items()
    })  # fmt: skip


def _read_setting(owner: str, key: str, text: str, default: Any) -> Any:
    """The text in the type of the default; `none` is None, `7+365` is several whole numbers."""
    if text.lower() in ("none", ""):
        return None
    try:
        if isinstance(default, bool):
            return _SWITCHES[text.lower()]
        if isinstance(default, tuple) or key == "periods":
            return tuple(int(part) for part in text.split("+"))
        if isinstance(default, int | float):
            return type(default)(text)
    except (KeyError, ValueError):
        expected = "yes or no" if isinstance(default, bool) else "a number"
        raise ForecastError(f"{owner}: {key} must be {expected}, got {text!r}") from None
    return text


def observed(value: float) -> float:
    """Return an observed multiplier, which must be finite and above zero."""
    try:
        return positive_number("an observed multiplier", value, ForecastError)
    except ForecastError as error:
        raise ForecastError(f"{error}: raise the zeros of closed turns to a small floor") from None


def calendar_after(G: Multiplier, turns: int) -> NDArray[np.datetime64] | None:
    """When the next turns are, at the usual distance; None without a calendar."""
    if G.calendar is None:
        return None
    if G.turns < 2:
        raise ForecastError("one turn has no distance to the next: give at least two")
    step = np.sort(np.diff(G.calendar))[(G.turns - 1) // 2]
    stamps: NDArray[np.datetime64] = G.calendar[-1] + step * np.arange(1, turns + 1)
    return stamps
