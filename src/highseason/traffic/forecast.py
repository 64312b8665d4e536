"""What all forecasters share: fit a series, predict the next turns, take one observation more.

A forecaster holds settings and never changes; `fit` returns an object that knows a series and
changes with every `update`.  `backtest` says how good it would have been in the past.

>>> import highseason as hs
>>> known = hs.traffic.MovingAverage(window=2).fit([10, 20, 40])
>>> known.predict(2).mean
array([30., 30.])
>>> known.update(80)
>>> known.predict(1).mean
array([60.])
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import reduce
from statistics import NormalDist
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.core.specs import Registry, did_you_mean, split_spec
from highseason.core.validation import positive_number, raised_as, whole_number
from highseason.core.warnings import quiet
from highseason.traffic.series import Multiplier
from highseason.traffic.sources import as_multiplier
from highseason.traffic.timeline import Calendar, MultiplierError, Timeline

Numbers = NDArray[np.float64]

#: The quantiles that every forecaster gives; values between them are interpolated.
LEVELS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99)
_SCORES = np.array([NormalDist().inv_cdf(level) for level in LEVELS])


def _mean_of_quantiles() -> Numbers:
    at = np.array([NormalDist().inv_cdf((i + 0.5) / 999) for i in range(999)])
    i = np.clip(np.searchsorted(_SCORES, at), 1, _SCORES.size - 1)
    share = (at - _SCORES[i - 1]) / (_SCORES[i] - _SCORES[i - 1])
    return np.asarray(np.bincount(np.append(i - 1, i), np.append(1 - share, share)) / 999)


#: The mean of a distribution is the sum of its quantiles times these.
SHARES = _mean_of_quantiles()


class ForecastError(ValueError):
    """The series cannot be forecast this way; the message says why and what to do."""


class ForecastWarning(UserWarning):
    """A forecast rests on less than one would expect; the message says on what."""


@dataclass(frozen=True, eq=False, repr=False)
class Forecast:
    """What is expected of the next turns, before the first of them.

    Attributes:
        mean: The expected multiplier of each turn, the mean of what may come; finite and > 0.  The
            typical turn is the `median`: where traffic is skewed, it lies below the mean.
        quantiles: A row per level of `LEVELS` and a column per turn; None for a point forecast.
        calendar: When each turn is, or None; in UTC where there is a zone.
        name: The forecaster.
        zone: The time zone whose hours count, such as Europe/Rome, or None.
        notes: What the forecaster noticed, such as a shift of level.
        home: The time zone by whose clock the past has its days, or None.

    >>> F = Forecast(np.array([10.0, 40.0]), normal_quantiles([10, 40], [2, 8]), name="by hand")
    >>> F.interval(0.8)[0].round(1), F.probability_above(30).round(2)
    (array([ 7.4, 29.7]), array([0.  , 0.89]))
    """

    mean: Numbers
    quantiles: Numbers | None = None
    calendar: NDArray[np.datetime64] | None = None
    name: str = "forecast"
    zone: str | None = None
    notes: tuple[str, ...] = ()
    home: str | None = None

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
        past = f", {past}" if (past := self.past()) else ""
        return f"<Forecast by {self.name}: {len(self)} turns{past}>"

    def past(self, today: date | None = None) -> str:
        """That its first or last turn was over before today, in words; nothing if it was not."""
        if self.calendar is None:
            return ""
        first, last = _last_days(self.calendar)
        if last < (today := today or date.today()):
            return f"ends on {last}, before today: give newer traffic, or forecast more turns"
        begins = self.calendar[0].astype("datetime64[D]").item()
        return f"begins on {begins}, before today" if first < today else ""

    def quantile(self, level: float) -> Numbers:
        """The `level` quantile of each turn; the mean of a point forecast."""
        if not 0 < level < 1:
            raise ForecastError(f"level must be strictly between 0 and 1, got {level!r}")
        if self.quantiles is None:
            return self.mean
        at = NormalDist().inv_cdf(level)
        i = int(np.clip(np.searchsorted(_SCORES, at), 1, _SCORES.size - 1))
        share = (at - _SCORES[i - 1]) / (_SCORES[i] - _SCORES[i - 1])
        low, high = self.quantiles[i - 1], self.quantiles[i]
        return np.asarray(np.maximum(low + share * (high - low), self._least))

    @property
    def median(self) -> Numbers:
        """The middle of each turn's distribution: the typical turn."""
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
        """The mean as a multiplier, with its calendar; what `as_multiplier` makes of a forecast."""
        times: Any = self.calendar
        if times is not None and self.zone is not None:
            times = Timeline(times, self.zone)
        return Multiplier(self.mean, times, self.name, zone=None if times is None else self.home)

    def to_pandas(self, confidence: float = 0.8) -> Any:
        """A DataFrame with a row per turn: its mean, and the ends of its interval."""
        low, high = self.interval(confidence)
        return self.multiplier().to_pandas().to_frame("mean").assign(low=low, high=high)

    def sure(self) -> Self:
        """The same mean as a point forecast."""
        return replace(self, quantiles=None)

    def window(self, first: int, last: int) -> Self:
        """The turns from `first` to `last`, counted from 1, both included."""
        rows = slice(first - 1, last)
        table = None if self.quantiles is None else self.quantiles[:, rows]
        calendar = None if self.calendar is None else self.calendar[rows]
        return replace(self, mean=self.mean[rows], quantiles=table, calendar=calendar)


def ended(G: Multiplier, today: date | None = None) -> date | None:
    """The last day of a season that was over before today; None if it goes on, or has no dates."""
    last = None if G.calendar is None else _last_days(G.calendar)[1]
    return last if last is not None and last < (today or date.today()) else None


def _last_days(calendar: NDArray[np.datetime64]) -> tuple[date, date]:
    """The days on which the first turn ends, and the last."""
    starts = calendar.astype("datetime64[s]")
    length = np.diff(starts).min() if starts.size > 1 else np.timedelta64(1, "D")
    first, last = (
        (starts[[0, -1]] + length - np.timedelta64(1, "s")).astype("datetime64[D]").tolist()
    )
    return first, last


def normal_quantiles(mean: Any, deviation: Any) -> Numbers:
    """A row per level of `LEVELS` for normally distributed turns.

    >>> normal_quantiles([100.0], [10.0])[7]
    array([100.])
    """
    return np.asarray(np.asarray(mean) + np.multiply.outer(_SCORES, np.asarray(deviation)))


def _probability(column: Numbers, z: float) -> float:
    """Interpolate between quantiles, and beyond the outermost, on the normal scale."""
    if column[0] == column[-1]:
        return float(column[0] >= z)
    i = int(np.clip(np.searchsorted(column, z), 1, _SCORES.size - 1))
    width = column[i] - column[i - 1]
    if width <= 0:  # a step: everything at or above it counts
        return 1.0 - LEVELS[i - 1] if z <= column[i] else 1.0 - LEVELS[i]
    at = _SCORES[i - 1] + (z - column[i - 1]) / width * (_SCORES[i] - _SCORES[i - 1])
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
        settings = {e: value for e, value in settings.items() if e.compare}
        changed = [f"{e.name}={value}" for e, value in settings.items() if value != e.default]
        label = self.name or type(self).__name__
        return f"{label}:{','.join(changed)}" if changed else label


_FORECASTERS: Registry[type[Forecaster]] = Registry("forecaster", ForecastError)


def forecasters() -> dict[str, type[Forecaster]]:
    """Every named forecaster by its name, the user's own included."""
    return dict(_FORECASTERS)


def as_past(series: Any) -> Multiplier:
    """What a forecaster learns from: anything `as_multiplier` takes but a forecast."""
    if isinstance(series, Forecast):
        raise ForecastError(
            "expected the visitors who came, got a forecast: give the past that it was made from"
        )
    return as_multiplier(series)


def parse_forecaster(text: str) -> Forecaster:
    """Read a forecaster as it is written on the command line.

    >>> parse_forecaster("moving-average:window=7")
    MovingAverage(window=7)
    """
    with raised_as(ForecastError):
        name, options = split_spec(text)
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
        if default is None and text.isdecimal():  # such as the lag of a season
            return int(text)
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


#: A lowest value below this share of the usual one stands for "no traffic".
_NOBODY = 0.02


def is_idle(values: Numbers) -> NDArray[np.bool_]:
    """Which turns have no traffic: their value is the lowest, and far below the usual one."""
    least = values <= values.min() * (1 + 1e-9)
    usual = 0.0 if least.all() else float(np.median(values[~least]))
    return np.asarray(least & (values.min() < _NOBODY * usual), np.bool_)


def calendar_after(G: Multiplier, passed: int, turns: int) -> NDArray[np.datetime64] | None:
    """When turns are, so many having `passed` after G, evenly spaced; None without a calendar."""
    if G.calendar is None or G.timeline is None:
        return None
    if G.turns < 2:
        raise ForecastError("one turn has no distance to the next: give at least two")
    try:
        grid, places, zone = Calendar.around(G.timeline)
    except MultiplierError:  # uneven
        step = np.sort(np.diff(G.calendar))[(G.turns - 1) // 2]
        grid, places, zone = Calendar(G.calendar[-1], step), np.zeros(1, np.int64), None
    after = grid.following(int(places[-1]) + 1, passed + turns, zone)[passed:]
    return np.asarray(grid.walls(after, zone), G.calendar.dtype)


MEASURES = ("mase", "smape", "pinball", "coverage")


@dataclass(frozen=True)
class BacktestTrial:
    """One forecast of turns that are known by now."""

    forecaster: str  # its label
    origin: int  # the last turn it knew
    forecast: Forecast  # of the turns that came
    actual: Multiplier  # the turns that came; gaps in the series are left out of both
    errors: Mapping[str, float]  # by name of the measure


@dataclass(frozen=True)
class Backtest:
    """Several forecasters from several origins, each knowing only the turns before."""

    trials: tuple[BacktestTrial, ...]

    @property
    def forecasters(self) -> tuple[str, ...]:
        """The labels, in the order given."""
        return tuple(dict.fromkeys(trial.forecaster for trial in self.trials))

    def mean(self, measure: str, forecaster: str) -> float:
        """The mean of a measure over origins."""
        errors = [t.errors[measure] for t in self.trials if t.forecaster == forecaster]
        return float(np.mean(errors))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The means, by forecaster and measure."""
        return {f: {m: self.mean(m, f) for m in MEASURES} for f in self.forecasters}


def backtest(
    series: Any,
    forecasters: Sequence[Forecaster] | Mapping[str, Forecaster],
    turns: int,
    origins: int | Sequence[int] = 4,
    season: int | None = None,
    confidence: float = 0.8,
) -> Backtest:
    """Forecast the end of a series from several origins, as if it were not known yet.

    Args:
        series: Anything `as_multiplier` takes.
        forecasters: The forecasters to compare, by label or each by its name.
        turns: How many turns ahead each looks.
        origins: Their number, `turns` apart and ending with the series; or the last known turns
            themselves.
        season: The season of the naive forecast that MASE divides by; a week of hours or days that
            the past holds, else 7 turns.
        confidence: The interval whose coverage is measured.

    >>> import highseason as hs
    >>> G = hs.traffic.wave(turns=100)
    >>> trials = backtest(G, [hs.traffic.RandomWalk()], turns=1, origins=20, season=1)
    >>> round(trials.mean("mase", "random-walk"), 1)
    0.9
    """
    G = as_past(series)
    turns = whole_number("turns", turns, 1, ForecastError)
    if not isinstance(forecasters, Mapping):
        forecasters = {str(forecaster): forecaster for forecaster in forecasters}
    grid, places, zone = None, np.arange(G.turns), None
    if G.timeline is not None:
        with raised_as(ForecastError, MultiplierError):
            grid, places, zone = Calendar.around(G.timeline, idle=is_idle(G.values))
    values = np.full(int(places[-1]) + 1, np.nan)
    values[places] = G.values
    if grid is not None:  # closed turns are no part of any error
        values[~grid.is_open(np.arange(values.size), zone)] = np.nan
    trials, starts = [], _origins(G.turns, turns, origins)
    if season is None:
        week = round(grid.seasons()[-1] / 365.25 * 7) if grid is not None and grid.daily else 7
        season = week if week <= places[starts[0] - 1] else 7
    for origin in starts:
        past, begin = G.window(1, origin), int(places[origin - 1]) + 1
        with quiet(ForecastWarning):  # the errors show what such a forecast is worth
            known = {label: one.fit(past).predict(turns) for label, one in forecasters.items()}
        aheads = {
            label: begin + np.arange(turns)
            if grid is None or whole.calendar is None
            else grid.places(whole.calendar)
            for label, whole in known.items()
        }
        both = reduce(np.intersect1d, aheads.values(), places[origin:])  # neither gaps nor closed
        if both.size == 0:
            raise ForecastError(f"no turn came within {turns} turns after turn {origin}")
        rows = np.searchsorted(places, both)
        line: Any = None if G.timeline is None else G.timeline.take(rows)
        actual = Multiplier(G.values[rows], line, G.name)
        for label, whole in known.items():
            there = np.searchsorted(aheads[label], both)
            table = None if whole.quantiles is None else whole.quantiles[:, there]
            forecast = Forecast(whole.mean[there], table, actual.calendar, label)
            errors = {
                "mase": mase(actual.values, forecast.mean, values[:begin], season),
                "smape": smape(actual.values, forecast.mean),
                "pinball": pinball(actual.values, forecast),
                "coverage": coverage(actual.values, forecast, confidence),
            }
            trials.append(BacktestTrial(label, origin, forecast, actual, errors))
    return Backtest(tuple(trials))


def _origins(n: int, turns: int, origins: int | Sequence[int]) -> list[int]:
    if isinstance(origins, int):
        count = whole_number("origins", origins, 1, ForecastError)
        starts = [n - turns * (count - i) for i in range(count)]
    else:
        starts = [whole_number("an origin", origin, 1, ForecastError) for origin in origins]
    if not starts or starts[0] < 2 or starts[-1] >= n:
        raise ForecastError(
            f"{n} turns are too few for forecasts of {turns} turns from these origins: "
            "ask for fewer or shorter ones"
        )
    return starts


def mase(actual: ArrayLike, mean: ArrayLike, past: ArrayLike, season: int) -> float:
    """Mean absolute error over that of seasonal naive, one season ahead, in the past.

    >>> mase([10, 20], [12, 22], past=[10, 20, 14, 24], season=2)
    0.5
    """
    before = np.asarray(past, dtype=np.float64)  # gaps are NaN
    if before.size <= season:
        raise ForecastError(
            f"season must be below the {before.size} turns of the past, got {season}"
        )
    scale = float(np.nanmean(np.abs(before[season:] - before[:-season])))
    error = float(np.mean(np.abs(np.asarray(actual) - np.asarray(mean))))
    if scale == 0:
        return 0.0 if error == 0 else float("inf")
    return error / scale


def smape(actual: ArrayLike, mean: ArrayLike) -> float:
    """Mean of the absolute error over the mean of forecast and actual; from 0 to 2.

    >>> smape([10.0], [30.0])
    1.0
    """
    one, other = np.asarray(actual, dtype=np.float64), np.asarray(mean, dtype=np.float64)
    return float(np.mean(2 * np.abs(one - other) / (np.abs(one) + np.abs(other))))


def pinball(actual: ArrayLike, forecast: Forecast) -> float:
    """The quantile loss, averaged over turns and all `LEVELS`.

    >>> pinball([10.0], Forecast(np.array([10.0])))
    0.0
    """
    levels = np.array(LEVELS)[:, None]
    short = np.asarray(actual) - np.array([forecast.quantile(level) for level in LEVELS])
    return float(np.mean(np.maximum(levels * short, (levels - 1) * short)))


def coverage(actual: ArrayLike, forecast: Forecast, confidence: float = 0.8) -> float:
    """The share of turns inside their interval.

    >>> coverage([10.0, 50.0], Forecast(np.array([10.0, 20.0])))
    0.5
    """
    low, high = forecast.interval(confidence)
    came = np.asarray(actual, dtype=np.float64)
    tiny = 1e-12 * np.abs(came)
    return float(np.mean((came >= low - tiny) & (came <= high + tiny)))
