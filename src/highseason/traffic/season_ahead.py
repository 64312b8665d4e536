"""Forecasters that look a whole season ahead.

All work on logarithms: traffic is positive, and its seasons multiply.  The calendar regression
learns the effects of special days.  The default, `Blend`, is the mean of three simple outlooks from
the same past.
"""

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import counted, percent
from highseason.core.validation import whole_number
from highseason.core.warnings import warn_user
from highseason.traffic.dates import iso_times
from highseason.traffic.forecast import (
    LEVELS,
    SHARES,
    Fitted,
    Forecast,
    Forecaster,
    ForecastError,
    ForecastWarning,
    Numbers,
    as_past,
    normal_quantiles,
    observed,
    parse_forecaster,
)
from highseason.traffic.history import Design, History, Regression
from highseason.traffic.own_days import around, own_days
from highseason.traffic.season import DayEffects, LevelShift


@dataclass(frozen=True)
class SeasonAhead(Forecaster):
    """What they share; subclasses give `outlook`.

    Gaps are filled from the weeks around them.  Times of the week with almost no traffic are
    closed: they have no turn.  A constant past is forecast to stay constant.

    Attributes:
        holidays: Whether days such as Christmas and Black Friday have effects of their own, and
            the weeks of Easter and Ramadan, if they stand out.
        country: A country whose public holidays have, too, such as GB, GB-ENG or US.
        zone: The time zone of the shop, such as Europe/London, if the stamps are in UTC; it
            decides on which date and at which time of the week a turn falls.
        periods: The lengths of the seasons in turns, if there is no calendar or if they do not
            follow it.
        events: Days that the shop names itself, past and coming: what `own_days` takes.
    """

    holidays: bool = True
    country: str | None = None
    zone: str | None = None
    periods: tuple[int, ...] | None = None
    events: Any = field(default=None, compare=False)

    def fit(self, series: Any) -> "FittedSeason":
        """Learn from a past: anything `as_multiplier` takes."""
        own = {} if self.events is None else own_days(self.events)
        past = as_past(series)
        history = History.of(past, self.periods, self.zone, own)
        if own and not (history.grid and history.grid.daily):
            raise ForecastError(
                "own days need turns with dates, of a day or shorter: leave the own days out, or "
                "give the traffic of each day"
            )
        return FittedSeason(self, history, past.zone)

    @abstractmethod
    def outlook(self, history: History, turns: int) -> "Outlook":
        """What the logarithms of the next turns may be."""


class Outlook(NamedTuple):
    """What the logarithms of the next turns may be."""

    quantiles: Numbers  # a row per level of `LEVELS`
    mean: Numbers | None = None  # the logarithm of the mean, if it is not that of the quantiles
    shift: LevelShift | None = None  # which the forecast follows


class FittedSeason(Fitted):
    """A season-ahead forecaster that knows a past; each prediction fits it again."""

    def __init__(self, forecaster: SeasonAhead, history: History, home: str | None = None) -> None:
        self.forecaster, self.history, self.home = forecaster, history, home

    def update(self, value: float) -> None:
        """Take one turn more."""
        self.history = self.history.then(observed(value))

    def predict(self, turns: int) -> Forecast:
        """Mean and quantiles of the next turns."""
        turns = whole_number("turns", turns, 1, ForecastError)
        history, n, mean = self.history, self.history.turns, None
        notes: list[str] = []
        coming = history.ahead(turns)
        turns = int(coming[-1]) + 1  # with closed ones between them
        if history.constant:
            table = np.full((len(LEVELS), turns), float(history.values[-1]))
        else:
            _warn_of_unknown_year(history, turns)
            _warn_of_unknown_kinds(history, turns)
            # No quantile lies far above everything that was ever seen.
            tail = _TAIL * np.maximum(0, 2 * np.array(LEVELS) - 1)
            most = history.ceiling(turns) + tail[:, None]
            table, mean, shift = self.forecaster.outlook(history, turns)
            notes = [] if shift is None else [_moved(history, shift)]
            table = np.exp(np.minimum(table, most)) - history.shift
            table = np.maximum(table, history.values.min())
            if mean is not None:
                mean = np.maximum(np.exp(mean) - history.shift, history.values.min())
                table, mean = _agreeing(table, mean, np.exp(most[-1]))
            closed = history.closed(n, n + turns)
            table[:, closed] = history.values.min()
            if mean is not None:
                mean[closed] = history.values.min()
        if not np.isfinite(table).all():
            raise ForecastError(
                f"{self.forecaster} gives no finite forecast: the series varies too much for it; "
                "use another forecaster, or clip the series"
            )
        table, stamps = table[:, coming], history.stamps(n, n + turns)
        expected = SHARES @ table if mean is None else mean[coming]
        stamps = None if stamps is None else stamps[coming]
        low, high = table[LEVELS.index(0.1)], table[LEVELS.index(0.9)]
        inside = np.clip(expected, low, high)  # where days are nearly alike, intervals are narrow
        expected = np.where(np.abs(inside - expected) <= _AGREE * inside, inside, expected)
        if outside := int(np.count_nonzero(expected != inside)):
            notes.append(
                f"the mean of {counted(outside, 'turn')} lies outside the 80% interval: rare "
                "bursts make up much of it; a typical turn is like the median"
            )
        for note in notes:
            warn_user(note, ForecastWarning)
        name, noticed = str(self.forecaster), tuple(notes)
        return Forecast(expected, table, stamps, name, history.zone, noticed, self.home)


def _agreeing(table: Numbers, mean: Numbers, most: Numbers) -> tuple[Numbers, Numbers]:
    """Quantiles and a mean of one distribution: its mean is within `_AGREE` of the one given.

    Doubt widens intervals both ways, as logarithms, and would raise it: what lies above the median
    is drawn in, heavy tails first, the rest by at most half, as logarithms; then the mean follows.
    Bursts beyond the last quantile draw it out, up to `most`.
    """
    middle, high = table[LEVELS.index(0.5)], table[LEVELS.index(0.9)]
    normal = middle * np.exp(normal_quantiles(0.0, np.log(high / middle) / 1.2816))
    heavy = np.where(table > high, np.maximum(table - np.maximum(normal, high), 0), 0)
    share = SHARES @ table - (1 + _AGREE) * mean
    table = table - np.clip(share / np.maximum(SHARES @ heavy, 1e-300), 0, 1) * heavy
    above, power, drawn = np.log(np.maximum(table / middle, 1)), np.ones(mean.size), table
    for _ in range(8):  # Newton's method
        over = np.maximum(0, SHARES @ drawn - (1 + _AGREE) * mean)
        power = np.maximum(_DRAWN, power - over / np.maximum(SHARES @ (drawn * above), 1e-300))
        drawn = np.where(above > 0, middle * np.exp(power * above), table)
    table = drawn
    short = np.maximum(0, mean / (1 + _AGREE) - SHARES @ table)
    table[-1] = np.maximum(table[-1], np.minimum(table[-1] + short / SHARES[-1], most))
    return table, np.clip(mean, SHARES @ table / (1 + _AGREE), SHARES @ table * (1 + _AGREE))


def _moved(history: History, shift: LevelShift) -> str:
    """What to say of a shift of level."""
    clocks = history.clocks(shift.turn, shift.turn + 1)
    since = f"turn {shift.turn + 1}" if clocks is None else iso_times(clocks)[0].replace("T", " ")
    moved = "rose" if shift.size > 0 else "fell"
    what = "the past is too short to show whether it lasts, or is the season: give a longer one"
    if history.turns > _A_YEAR_AGO * history.year:
        what = "the forecast follows the new level, and its intervals are wider"
    size = percent(abs(float(np.expm1(shift.size))))
    return f"traffic {moved} by {size} from {since} on: {what}"


#: Forecasts of fewer turns than this share of a year hardly depend on its season: three weeks.
_SHORT = 1 / 18
#: How far the quantiles above the median may lie above what bounds the median, as a logarithm.
_TAIL = 1.0
#: How far the mean may be from that of the quantiles, as a share.
_AGREE = 0.03
#: To which share of their distance from the median quantiles may be drawn in, as logarithms.
_DRAWN = 0.5


def _warn_of_unknown_year(history: History, turns: int) -> None:
    if history.knows_the_year or turns < _SHORT * history.year:
        return
    warn_user(
        f"the past is {365.25 * history.turns / history.year:.0f} days long, too short to know the "
        "season of the year: busy and quiet months may be missed; give at least one and a half "
        "years (548 days)",
        ForecastWarning,
    )


def _warn_of_unknown_kinds(history: History, turns: int) -> None:
    clocks = history.clocks(0, history.turns + turns)
    if not history.own or clocks is None:
        return
    days, n = clocks.astype("datetime64[D]").tolist(), history.turns
    known = {history.own.get(day) for day in days[:n]} | {"closed"}
    for day in sorted(day for day in set(days[n:]) if history.own.get(day, "closed") not in known):
        warn_user(
            f"{day} is of the kind {history.own[day]!r}, which has no earlier day to learn from: "
            "it is forecast as an ordinary day",
            ForecastWarning,
        )


@dataclass(frozen=True)
class SeasonalNaive(SeasonAhead):
    """Repeat the last season; ignore special days.  The baseline for all others.

    The season is a week (or the longest season up to a week that the past holds twice), or `lag`
    turns: 364 for the same weekday a year ago.

    >>> SeasonalNaive(periods=(3,)).fit([1, 2, 3, 1, 2, 4]).predict(4).median
    array([1., 2., 4., 1.])
    """

    name = "seasonal-naive"

    holidays: bool = False
    lag: int | None = None

    def outlook(self, history: History, turns: int) -> Outlook:
        """Normal around the last season, with the spread of the changes from season to season."""
        lag = history.week if self.lag is None else self.lag
        if not 1 <= lag < history.turns:
            raise ForecastError(
                f"lag={lag} needs a past of more than {lag} turns, got {history.turns}"
            )
        middle = np.resize(history.logs[-lag:], turns)
        moves = changes(history, lag)
        deviation = float(np.sqrt(np.mean(moves**2))) if moves.size else 0.0
        seasons = np.arange(turns) // lag + 1
        return Outlook(normal_quantiles(middle, deviation * np.sqrt(seasons)))


def changes(history: History, lag: int) -> Numbers:
    """By how much logarithms changed over `lag` turns, where both were seen and open."""
    kept = history.kept
    return np.asarray((history.logs[lag:] - history.logs[:-lag])[kept[lag:] & kept[:-lag]])


@dataclass(frozen=True)
class Outlooks:
    """What the calendar, the recent weeks and the last year say of the turns after a past."""

    history: History
    turns: int  # ahead
    design: Design
    middle: float
    regression: Regression
    season: DayEffects  # what days of the year have beyond the regression
    rest: Numbers  # what neither explains, without its wildest parts
    weights: Numbers  # 1 for the ordinary turns that were seen and open, else 0

    @classmethod
    def of(cls, history: History, forecaster: SeasonAhead, turns: int) -> Self:
        """Fit a regression, then the days of the year, then the regression without these.

        The weight of a turn halves every `_HALF` years.
        """
        design = Design.of(history, forecaster.holidays, forecaster.country)
        n, kept = history.turns, history.kept
        weights = np.where(kept, 0.5 ** ((n - 1 - np.arange(n)) / history.year / _HALF), 0.0)
        middle = float(weights @ history.logs) / float(weights.sum())
        y = history.logs - middle
        regression = design.fit(y, weights)
        season = DayEffects(np.zeros(n), np.zeros(n + turns), np.ones(n + turns))
        if history.grid and history.grid.daily:
            first = DayEffects.of(regression, y - regression(0, n), kept, turns)
            # Sharp edges would bend its waves; of feasts, which move, these must learn nothing.
            design = replace(design, feasts=first.feasts)
            ours = (design.places(0, n) < len(design.names)) & (design.own(0, n) < 0)
            regression = design.fit(y - np.where(ours, first.own, 0.0), weights)
            season = DayEffects.of(regression, y - regression(0, n), kept, turns)
        rest = y - regression(0, n) - season.effects[:n]
        wider = _apart(design, rest, kept, season.doubt.size) if design.kinds else 1.0
        season = replace(season, doubt=season.doubt * wider)
        near = around(np.where(kept, rest, 0.0))
        wild = _WILD * 1.4826 * float(np.median(np.abs(rest - near)[kept]))
        rest = near + np.clip(rest - near, -wild, wild)
        usual = (kept & ~design.is_special(0, n)).astype(np.float64)
        return cls(history, turns, design, middle, regression, season, rest, usual)

    @property
    def base(self) -> Numbers:
        """The regression ahead, and the season."""
        n, end = self.history.turns, self.history.turns + self.turns
        return self.middle + self.regression(n, end) + self.season.effects[n:end]

    @property
    def doubt(self) -> Numbers:
        """How much wider than usual the errors of the next turns are."""
        n = self.history.turns
        return self.season.doubt[n : n + self.turns]

    def ahead(self, count: int) -> Numbers:
        """Logarithms, a row for each of the first outlooks; NaN where the past is too short."""
        outlooks = (self._calendar, self._recent_weeks, self._last_year)[:count]
        return np.array([outlook() for outlook in outlooks])

    def faded(self, weeks: float) -> Numbers:
        """Weights of the past that fall by a factor of e every `weeks` weeks."""
        n = self.history.turns
        age = (n - 1 - np.arange(n)) / self.history.week
        return np.asarray(self.weights * np.exp(-age / weeks))

    def _calendar(self) -> Numbers:
        """The regression ahead, plus the level of the last weeks, which fades."""
        week, weights = float(self.history.week), self.faded(_RECENT)
        # As if one more week of turns had followed the calendar exactly.
        level = float(weights @ self.rest) / (float(weights.sum()) + week)
        return self.base + level * np.exp(-np.arange(self.turns) / (_FADE * week))

    def _recent_weeks(self) -> Numbers:
        """The profile of the last weeks and the level of the last turns, without a trend."""
        n, length = self.history.turns, self.history.week
        phases, weights = self.history.phases(0, n), self.faded(_RECENT)
        known = np.bincount(phases, weights, length)
        profile = np.bincount(phases, weights * self.rest, length) / (known + 1.0)
        # The last level is that of half a week, of months two.
        monthly = self.history.grid is not None and self.history.grid.step is None
        weights = self.faded((2.0 if monthly else max(2.0, length / 2)) / length)
        level = float(weights @ (self.rest - profile[phases])) / max(float(weights.sum()), 1e-9)
        trend = self.regression.others[0] / self.history.year
        ahead = self.base + profile[self.history.phases(n, n + self.turns)] + level
        return np.asarray(ahead - trend * np.arange(1, self.turns + 1))

    def _last_year(self) -> Numbers:
        """The same weeks of a year ago, and how much the last weeks were above theirs."""
        n, week, turns = self.history.turns, self.history.week, self.turns
        lag = max(1, round(self.history.year / week)) * week  # a year in whole weeks
        if n < lag or not (self.history.grid or self.history.seasons[-1] > week):
            return np.full(turns, np.nan)
        special = self.regression.of_special_days(0, n + turns)
        special = special + self.regression.of_own_days(0, n + turns)
        plain = self.history.logs - special[:n] - self.season.own
        smooth = plain if lag == week else _smoothed(plain, week)
        span = min(n - lag, max(6, 8 * week if lag > week else 0))
        growth = 0.0
        if span:
            kept = self.weights[n - span :] * self.weights[n - lag - span : n - lag]
            change = plain[n - span :] - smooth[n - lag - span : n - lag]
            growth = float(kept @ change) / (float(kept.sum()) + 0.2 * span)
        ahead = np.resize(smooth[n - lag :], turns) + growth
        return np.asarray(ahead + special[n:] + self.season.effects[n : n + turns])


def _apart(design: Design, rest: Numbers, kept: NDArray[np.bool_], turns: int) -> Numbers:
    """How much more than other days own days differ from what is expected of their kind."""
    own, wider, n = design.own(0, turns), np.ones(turns), rest.size
    usual = max(float(np.mean(rest[kept & ~design.is_special(0, n)] ** 2)), 1e-12)
    for kind in range(len(design.kinds)):
        mine = np.flatnonzero(kept & (own[:n] == kind))
        seen = max(1, np.unique(mine // max(1, design.history.week // 7)).size)
        # As if one day more had differed as other days do; and the error of the mean.
        spread = (1 / seen + float(np.mean(rest[mine] ** 2)) / usual) * (1 + 1 / seen)
        wider[own == kind] = np.sqrt(max(1.0, spread))
    return wider


#: Trial forecasts cover this many turns, or a week where that is more.
_REACH = 28
#: The number of earlier forecasts at even distances.
_ORIGINS = 12
#: With fewer past errors than this, changes from week to week are taken instead.
_FEW = 20
#: Years of past in which the last weeks were seen before: only then is a shift not the season.
_A_YEAR_AGO = 1.15
#: Which share of a shift of level may be lost or added while the forecast lasts.
_LASTS = 0.25
#: What lies so many deviations off the turns around it is no level: an unfinished day, or snow.
_WILD = 4.0
#: In how many years the weight of a turn halves.
_HALF = 4.0
#: Over how many weeks the recent level and profile are taken, and in how many the level fades.
_RECENT, _FADE = 4.0, 26.0


def _smoothed(plain: Numbers, week: int) -> Numbers:
    """The mean of a turn and those a week before and after it."""
    before = np.concatenate([plain[:week], plain[:-week]])
    after = np.concatenate([plain[week:], plain[-week:]])
    return np.asarray((before + plain + after) / 3)


class Trials(NamedTuple):
    """What was forecast from earlier origins, and what came; only turns seen and open."""

    said: Numbers
    came: Numbers
    steps: NDArray[np.int64]  # how far ahead, from 1
    origin: NDArray[np.int64]
    doubt: Numbers  # how much wider than usual errors were expected to be


@dataclass(frozen=True)
class Blend(SeasonAhead):
    """The mean of the calendar regression, the recent weeks and the last year.

    The intervals come from its errors from earlier origins, and are scaled so that they would have
    held as many of the turns after each origin as they should, with that origin left out (conformal
    calibration).

    >>> import highseason as hs
    >>> days = np.arange("2013-01-01", "2015-01-01", dtype="datetime64[D]")
    >>> traffic = hs.traffic.from_values(100 + 50 * (np.arange(days.size) % 7 == 4), days)
    >>> Blend().fit(traffic).predict(7).mean.round()
    array([100., 100., 150., 100., 100., 100., 100.])
    """

    name = "blend"
    outlooks: ClassVar[int] = 3  # how many are combined

    def outlook(self, history: History, turns: int) -> Outlook:
        """The mean of the outlooks, and quantiles of its past errors."""
        outlooks, moved = Outlooks.of(history, self, turns), None
        if history.grid is not None and history.grid.daily:
            certain = history.kept / outlooks.season.doubt[: history.turns] ** 2
            moved = LevelShift.of(outlooks.rest, certain, history.week)
        followed = moved is not None and history.turns > _A_YEAR_AGO * history.year
        if moved is not None and followed:  # as if the level had always been the new one
            history = history.lifted(*moved)
            outlooks = Outlooks.of(history, self, turns)
        trials = self._trials(history)
        errors = trials.came - trials.said
        bias = _bias(errors, trials.origin)
        table, smear = _spread(trials, errors - bias, history, outlooks.doubt)
        middle = np.nanmean(outlooks.ahead(self.outlooks), axis=0) + bias
        if not history.knows_the_year:  # then no past error shows what the season may do
            # As if the outlooks, so far apart, were errors on top of the others.
            table = table - table[LEVELS.index(0.5)]
            apart = np.nanstd(outlooks.ahead(3), axis=0)
            table, smear = _wider(table, apart), smear + apart**2 / 2
        if moved is not None and followed:
            table = _wider(table, np.full(turns, _LASTS * abs(moved.size)))
        return Outlook(table + middle, smear + middle, moved)

    def _trials(self, history: History) -> Trials:
        """Forecasts from earlier pasts, as long whatever is asked for.

        A turn's forecast does not depend on how many turns follow it.  Most pasts end at even
        distances in the later half of this one, others at the same time of earlier years.
        """
        n, week, year = history.turns, history.week, history.year
        turns = max(week, min(n // 4, 4 * week, round(year), _REACH))
        least = max(2 * week, min(n - turns, round(1.2 * year)))
        even = np.linspace(max(n // 2, least), n - 1, _ORIGINS + 1)[:-1].astype(np.int64)
        years = n - week * round(year / week) * np.arange(1, 4)
        same = np.add.outer(years, week * np.array([-1, 0, 1]))
        every = np.union1d(even, same[same >= least])
        none, no_steps = np.empty(0), np.empty(0, np.int64)
        parts = [Trials(none, none, no_steps, no_steps, none)]
        for origin in every[every < n].tolist():
            past, end = history.before(origin), min(origin + turns, n)
            if past.seasons:
                kept = history.seen[origin:end] & ~past.closed(origin, end)
                outlooks, steps = Outlooks.of(past, self, end - origin), 1 + np.flatnonzero(kept)
                said = np.nanmean(outlooks.ahead(self.outlooks), axis=0)[kept]
                came, when = history.logs[origin:end][kept], np.full(steps.size, origin)
                parts.append(Trials(said, came, steps, when, outlooks.doubt[kept]))
        return Trials(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


@dataclass(frozen=True)
class CalendarRegression(Blend):
    """The first of the blend's outlooks alone.

    Log traffic = time of the week + trend + waves of the year + special days + recent level.

    >>> import highseason as hs
    >>> days = np.arange("2013-01-01", "2015-01-01", dtype="datetime64[D]")
    >>> traffic = hs.traffic.from_values(100 + 50 * (np.arange(days.size) % 7 == 4), days)
    >>> CalendarRegression().fit(traffic).predict(7).mean.round()
    array([100., 100., 150., 100., 100., 100., 100.])
    """

    name = "calendar"
    outlooks = 1


def _wider(table: Numbers, deviation: Numbers) -> Numbers:
    """Quantiles of errors as if normal ones came on top of them; their median stays."""
    middle, side = table[LEVELS.index(0.5)], np.sign(np.array(LEVELS) - 0.5)[:, None]
    more = normal_quantiles(np.zeros(deviation.size), deviation)
    return np.asarray(middle + side * np.hypot(table - middle, more))


def _bias(errors: Numbers, origin: NDArray[np.int64]) -> float:
    """Half of what the forecasts missed in one direction, less what chance would explain."""
    missed = np.array([np.mean(errors[origin == one]) for one in np.unique(origin)])
    if missed.size < 4:
        return 0.0
    mean = float(missed.mean())
    chance = float(missed.var(ddof=1)) / (missed.size / 3)  # forecasts overlap
    return 0.5 * mean * max(0.0, 1 - chance / max(mean**2, 1e-12))


def _spread(
    trials: Trials, errors: Numbers, history: History, ahead: Numbers
) -> tuple[Numbers, float]:
    """Quantiles of the coming errors, turn by turn, and the logarithm of their mean factor.

    Past errors, over their usual size: that grows with the distance, and with the doubt in effects.
    Doubt `ahead` is an error of the forecast: it makes no turn busier.
    """
    steps, origin, doubt, few = trials.steps, trials.origin, trials.doubt, errors.size < _FEW
    if few:  # a short past: changes from week to week instead
        errors = changes(history, history.week)
        steps, origin = np.ones(errors.size, np.int64), np.arange(errors.size) % _ORIGINS
        doubt = np.ones(errors.size)
    growth = _growth(np.abs(errors / doubt), steps)
    scaled = errors / doubt / steps**growth
    off = scaled - float(np.clip(scaled, *np.quantile(scaled, (0.01, 0.99))).mean())
    factor = np.log(np.exp(off).mean())
    if not few:
        # What came over what was said, less for each year since.  A burst that one earlier forecast
        # met counts by how often it came rather than by its size: the mean square root, squared.
        # The more of them met bursts, the nearer to the mean itself.
        weights = 0.25 ** ((history.turns - origin) / history.year)
        said = trials.came - errors + np.average(errors, weights=weights)
        which = np.unique(origin, return_inverse=True)[1]
        came, medians = (np.bincount(which, np.exp(x)) for x in (trials.came, said))
        ratio, weight = came / medians, np.bincount(which, weights)
        burst = weight * np.maximum(ratio - 1, 0)
        once = float(burst @ burst) / max(float(burst.sum()) ** 2, 1e-300)  # 1 if one met them all
        typical = float(np.average(np.sqrt(ratio), weights=weight)) ** 2
        factor = np.log(once * typical + (1 - once) * float(np.average(ratio, weights=weight)))
    # Forecasts that missed in one direction may do so again: intervals must hold that, too.
    inflation, size = _inflation(scaled, origin), np.arange(1, ahead.size + 1) ** growth
    middle, quantiles = np.median(off), np.quantile(off, LEVELS)
    quantiles = middle + (quantiles - middle) * inflation
    return quantiles[:, None] * size * ahead, float(factor)


def _growth(sizes: Numbers, steps: NDArray[np.int64]) -> float:
    """The power of the distance with which errors grow, from 0 to 1/2."""
    x, y = np.log(steps), np.log(sizes + 1e-3)
    x = x - x.mean()
    return float(np.clip(float(x @ y) / (float(x @ x) + 1.0), 0.0, 0.5))


#: The level at which intervals are calibrated.
_LEVEL = 0.8


def _inflation(scaled: Numbers, origin: NDArray[np.int64]) -> float:
    """By how much intervals from the other origins must be wider to hold those of each origin.

    The level is raised by half of one origin: a few earlier forecasts do not show the worst.
    """
    ends = ((1 - _LEVEL) / 2, 0.5, (1 + _LEVEL) / 2)
    reach = []
    for one in np.unique(origin):
        inside = origin == one
        if inside.all():
            return 1.5
        low, middle, high = np.quantile(scaled[~inside], ends)
        width = np.where(scaled[inside] < 0, middle - low, high - middle)
        reach.append(np.abs(scaled[inside]) / np.maximum(width, 1e-12))
    level = _LEVEL * (1 + 0.5 / len(reach))
    return float(np.clip(np.quantile(np.concatenate(reach), level), 0.8, 3.0))


def forecaster_of(
    model: Forecaster | str, country: str | None = None, holidays: bool = True, events: Any = None
) -> Forecaster:
    """A forecaster or the one that a text names, and the days that it is to know."""
    forecaster = parse_forecaster(model) if isinstance(model, str) else model
    if isinstance(forecaster, Blend):
        return replace(
            forecaster,
            country=country or forecaster.country,
            holidays=forecaster.holidays and holidays,
            events=forecaster.events if events is None else events,
        )
    for name, given in (("country", country), ("events", events)):
        if given is not None:
            raise ForecastError(f"{name}= has no effect on {forecaster}: leave it out")
    return forecaster


def forecast(
    past: Any,
    ahead: int = 28,
    model: Forecaster | str = "blend",
    *,
    country: str | None = None,
    holidays: bool = True,
    events: Any = None,
) -> Forecast:
    """Forecast the turns after a past, as `highseason forecast` does.

    What it gives may be passed wherever a multiplier is asked for.

    Args:
        past: Who came: anything `as_multiplier` takes, such as the path of a file.
        ahead: How many turns are forecast.
        model: A forecaster, or its text, such as "seasonal-naive:lag=364".
        country: A country whose public holidays count, such as GB, GB-ENG or US.
        holidays: Whether special days, such as Black Friday, have effects of their own.
        events: Days that the shop names itself, past and coming: what `own_days` takes.

    >>> import highseason as hs
    >>> days = np.arange("2013-01-01", "2015-01-01", dtype="datetime64[D]")
    >>> past = hs.traffic.from_values(100 + 50 * (np.arange(days.size) % 7 == 4), days)
    >>> hs.traffic.as_multiplier(forecast(past, 60))
    <Multiplier blend: 60 turns, 100.004 to 149.937, 2015-01-01 to 2015-03-01>
    """
    return forecaster_of(model, country, holidays, events).fit(past).predict(ahead)
