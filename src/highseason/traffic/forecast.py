"""What all forecasters share: fit a series, predict the next turns, take one observation more.

A forecaster holds settings and never changes; `fit` returns an object that knows a series and
changes with every `update`.

>>> import highseason as hs
>>> known = hs.traffic.MovingAverage(window=2).fit([10, 20, 40])
>>> known.predict(2).mean
array([30., 30.])
>>> known.update(80)
>>> known.predict(1).mean
array([60.])
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from statistics import NormalDist
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import Registry, did_you_mean, split_spec
from highseason.core.validation import positive_number
from highseason.traffic.series import Multiplier
from highseason.traffic.sources import from_values

Numbers = NDArray[np.float64]

#: The quantiles that every forecaster gives; values between them are interpolated.
LEVELS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99)


class ForecastError(ValueError):
    """The series cannot be forecast this way; the message says why and what to do."""


class ForecastWarning(UserWarning):
    """A forecast rests on less than one would expect; the message says on what."""


@dataclass(frozen=True, eq=False, repr=False)
class Forecast:
    """What is expected of the next turns, before the first of them.

    Attributes:
        mean: The expected multiplier of each turn; finite and > 0.
        quantiles: A row per level of `LEVELS` and a column per turn; None for a point forecast.
        calendar: When each turn is, or None; in UTC where there is a zone.
        name: The forecaster.
        zone: The time zone whose hours count, such as Europe/Rome, or None.

    >>> F = Forecast(np.array([10.0, 40.0]), normal_quantiles([10, 40], [2, 8]), name="by hand")
    >>> F.interval(0.8)[0].round(1), F.probability_above(30).round(2)
    (array([ 7.4, 29.7]), array([0.  , 0.89]))
    """

    mean: Numbers
    quantiles: Numbers | None = None
    calendar: NDArray[np.datetime64] | None = None
    name: str = "forecast"
    zone: str | None = None

    def __post_init__(self) -> None:
        mean = Multiplier(self.mean, self.calendar, self.name)
        object.__setattr__(self, "mean", mean.values)
        object.__setattr__(self, "calendar", mean.calendar)
        if self.quantiles is None:
            return
        table = np.array(self.quantiles, dtype=np.float64)
        if table.shape != (len(LEVELS), mean.turns) or not np.isfinite(table).all():
            raise ForecastError(
                f"quantiles must be {len(LEVELS)} rows of {mean.turns} finite numbers, "
                f"got an array of shape {table.shape}"
            )
        table = np.maximum.accumulate(np.maximum(table, self._least), axis=0)
        table.setflags(write=False)
        object.__setattr__(self, "quantiles", table)

    @property
    def _least(self) -> float:
        """A positive bound from below: plans divide by the multiplier."""
        return 1e-6 * float(self.mean.min())

    def __len__(self) -> int:
        return int(self.mean.size)

    def __repr__(self) -> str:
        return f"<Forecast by {self.name}: {len(self)} turns>"

    def quantile(self, level: float) -> Numbers:
        """The `level` quantile of each turn; the mean of a point forecast."""
        if not 0 < level < 1:
            raise ForecastError(f"level must be strictly between 0 and 1, got {level!r}")
        if self.quantiles is None:
            return self.mean
        at, scores = NormalDist().inv_cdf(level), _scores()
        i = int(np.clip(np.searchsorted(scores, at), 1, scores.size - 1))
        share = (at - scores[i - 1]) / (scores[i] - scores[i - 1])
        low, high = self.quantiles[i - 1], self.quantiles[i]
        return np.asarray(np.maximum(low + share * (high - low), self._least))

    @property
    def median(self) -> Numbers:
        """The middle of each turn's distribution."""
        return self.quantile(0.5)

    def interval(self, confidence: float = 0.8) -> tuple[Numbers, Numbers]:
        """The central interval that holds each turn with this probability."""
        return self.quantile((1 - confidence) / 2), self.quantile((1 + confidence) / 2)

    def probability_above(self, z: float) -> Numbers:
        """The probability that each turn is high, G(t) >= z."""
        if self.quantiles is None:
            return (self.mean >= z).astype(np.float64)
        return np.array([_probability(column, z) for column in self.quantiles.T])

    def atoms(self, count: int = 19) -> Numbers:
        """Equally likely values of each turn: a row per value, a column per turn."""
        if self.quantiles is None:
            return self.mean[None, :]
        return np.array([self.quantile((i + 0.5) / count) for i in range(count)])

    def multiplier(self) -> Multiplier:
        """The mean as a multiplier, for plans that need one number per turn."""
        if self.calendar is None or self.zone is None:
            return Multiplier(self.mean, self.calendar, self.name)
        utc = np.datetime_as_string(self.calendar.astype("datetime64[s]"), timezone="UTC")
        return from_values(self.mean, utc, self.name, zone=self.zone)

    def sure(self) -> Self:
        """The same mean as a point forecast."""
        return replace(self, quantiles=None)

    def window(self, first: int, last: int) -> Self:
        """The turns from `first` to `last`, counted from 1, both included."""
        rows = slice(first - 1, last)
        table = None if self.quantiles is None else self.quantiles[:, rows]
        calendar = None if self.calendar is None else self.calendar[rows]
        return type(self)(self.mean[rows], table, calendar, self.name, self.zone)


def normal_quantiles(mean: Any, deviation: Any) -> Numbers:
    """A row per level of `LEVELS` for normally distributed turns.

    >>> normal_quantiles([100.0], [10.0])[7]
    array([100.])
    """
    return np.asarray(np.asarray(mean) + np.multiply.outer(_scores(), np.asarray(deviation)))


@lru_cache(maxsize=1)
def _scores() -> Numbers:
    return np.array([NormalDist().inv_cdf(level) for level in LEVELS])


def _probability(column: Numbers, z: float) -> float:
    """Interpolate between quantiles, and beyond the outermost, on the normal scale."""
    scores = _scores()
    if column[0] == column[-1]:
        return float(column[0] >= z)
    i = int(np.clip(np.searchsorted(column, z), 1, scores.size - 1))
    width = column[i] - column[i - 1]
    if width <= 0:  # a step: everything at or above it counts
        return 1.0 - LEVELS[i - 1] if z <= column[i] else 1.0 - LEVELS[i]
    at = scores[i - 1] + (z - column[i - 1]) / width * (scores[i] - scores[i - 1])
    return 1.0 - NormalDist().cdf(float(at))


_SWITCHES = {"true": True, "yes": True, "false": False, "no": False}


class Fitted(ABC):
    """A forecaster that knows a series."""

    @abstractmethod
    def predict(self, turns: int) -> Forecast:
        """Mean and quantiles of the next `turns` turns."""

    @abstractmethod
    def update(self, value: float) -> None:
        """Take the multiplier of the next turn, once it is known."""


@dataclass(frozen=True)
class Forecaster(ABC):
    """The settings of a forecasting method.  Subclasses give a `name` and `fit`."""

    name: ClassVar[str] = ""
    #: Whether it looks only one turn ahead and is cheap enough to do so in every turn of a game.
    one_step: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.name:
            _FORECASTERS.register(cls.name, cls)

    @abstractmethod
    def fit(self, series: Any) -> Fitted:
        """Learn from a series: anything `as_multiplier` takes."""

    def __str__(self) -> str:
        # As the command line reads it.
        settings = {entry: getattr(self, entry.name) for entry in fields(self)}
        changed = [f"{e.name}={value}" for e, value in settings.items() if value != e.default]
        label = self.name or type(self).__name__
        return f"{label}:{','.join(changed)}" if changed else label


_FORECASTERS: Registry[type[Forecaster]] = Registry("forecaster", ForecastError)


def forecasters() -> dict[str, type[Forecaster]]:
    """Every named forecaster by its name, the user's own included."""
    return dict(_FORECASTERS)


def parse_forecaster(text: str) -> Forecaster:
    """Read a forecaster as it is written on the command line.

    >>> parse_forecaster("moving-average:window=7")
    MovingAverage(window=7)
    """
    try:
        name, options = split_spec(text)
    except ValueError as error:
        raise ForecastError(str(error)) from error
    kind = _FORECASTERS[name]
    return kind(**{key: _read_setting(kind, key, value) for key, value in options.items()})


def _read_setting(kind: type[Forecaster], key: str, text: str) -> Any:
    """The text in the type of the default; `none` is None, `7+365` is several whole numbers."""
    defaults = {entry.name: entry.default for entry in fields(kind)}
    if key not in defaults:
        hint = did_you_mean(key, defaults)
        raise ForecastError(f"{kind.name} has no setting {key!r}. {hint}")
    default: Any = defaults[key]
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
        raise ForecastError(f"{kind.name}: {key} must be {expected}, got {text!r}") from None
    return text


def observed(value: float) -> float:
    """Return an observed multiplier, which must be finite and above zero."""
    try:
        return positive_number("an observed multiplier", value, ForecastError)
    except ForecastError as error:
        raise ForecastError(f"{error}: raise the zeros of closed turns to a small floor") from None


def calendar_after(G: Multiplier, passed: int, turns: int) -> NDArray[np.datetime64] | None:
    """When turns are, so many having `passed` after G, evenly spaced; None without a calendar."""
    if G.calendar is None:
        return None
    if G.turns < 2:
        raise ForecastError("one turn has no distance to the next: give at least two")
    step = np.sort(np.diff(G.calendar))[(G.turns - 1) // 2]
    return np.asarray(G.calendar[-1] + step * np.arange(passed + 1, passed + turns + 1))
