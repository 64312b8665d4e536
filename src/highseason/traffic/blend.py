"""The default forecaster: three simple views of the same past, weighted by their past errors."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.traffic.forecast import LEVELS, Forecast, Numbers, normal_quantiles
from highseason.traffic.history import History
from highseason.traffic.season_ahead import CalendarView, SeasonAhead, changes, earlier

#: The number of earlier forecasts whose errors are used; of a very long past, fewer.
_ORIGINS, _FEWER, _LONG = 12, 6, 200_000
#: With fewer past errors than this, changes from week to week stand in for them.
_FEW = 20
#: With which power of a view's errors its weight falls, and the share of equal weights.
_POWER, _EQUAL = 2.0, 0.5
#: Over how many weeks the profile of the recent weeks is taken.
_PROFILE = 4.0


@dataclass(frozen=True)
class PastViews(CalendarView):
    """What the calendar, the recent weeks and the last year say of the turns after a past."""

    def ahead(self, turns: int) -> Numbers:
        """Logarithms, a row per view; NaN where the past is too short for a view."""
        recent = self.base(turns) + self._recent_weeks(turns)
        return np.array([self.calendar(turns), recent, self._last_year(turns)])

    def _recent_weeks(self, turns: int) -> Numbers:
        """The profile of the last weeks and the level of the last turns, without a trend."""
        n, length = self.history.turns, self.history.week
        phases, weights = self.history.phases(0, n), self.faded(_PROFILE)
        known = np.bincount(phases, weights, length)
        profile = np.bincount(phases, weights * self.rest, length) / (known + 1.0)
        # The last level is that of half a week, of months two.
        monthly = self.history.grid is not None and self.history.grid.step is None
        weights = self.faded((2.0 if monthly else max(2.0, length / 2)) / length)
        level = float(weights @ (self.rest - profile[phases])) / max(float(weights.sum()), 1e-9)
        trend = self.regression.others[0] / self.history.year
        ahead = profile[self.history.phases(n, n + turns)] + level
        return np.asarray(ahead - trend * np.arange(1, turns + 1))

    def _last_year(self, turns: int) -> Numbers:
        """The same weeks of a year ago, and how much the last weeks were above theirs."""
        n, week = self.history.turns, self.history.week
        lag = max(1, round(self.history.year / week)) * week  # a year in whole weeks
        if n < lag or not (self.history.grid or self.history.seasons[-1] > week):
            return np.full(turns, np.nan)
        special = self.regression.of_special_days(0, n + turns)
        plain = self.history.logs - special[:n]
        smooth = plain if lag == week else _smoothed(plain, week)
        span = min(n - lag, max(6, 8 * week if lag > week else 0))
        growth = 0.0
        if span:
            kept = self.weights[n - span :] * self.weights[n - lag - span : n - lag]
            change = plain[n - span :] - smooth[n - lag - span : n - lag]
            growth = float(kept @ change) / (float(kept.sum()) + 0.2 * span)
        return np.asarray(np.resize(smooth[n - lag :], turns) + growth + special[n:])


def _smoothed(plain: Numbers, week: int) -> Numbers:
    """The mean of a turn and those a week before and after it."""
    before = np.concatenate([plain[:week], plain[:-week]])
    after = np.concatenate([plain[week:], plain[-week:]])
    return np.asarray((before + plain + after) / 3)


class Trials(NamedTuple):
    """What the views said from earlier origins, and what came; only turns seen and open."""

    said: Numbers  # a row per view
    came: Numbers
    steps: NDArray[np.int64]  # how far ahead, from 1
    origin: NDArray[np.int64]


@dataclass(frozen=True)
class Blend(SeasonAhead):
    """The calendar regression, the recent weeks and the last year, combined.

    Each is weighted by its errors from earlier origins, half-way to equal weights.  The intervals
    come from the errors of the combination, and are scaled so that they would have held as many of
    the turns after each origin as they should, with that origin left out (conformal calibration).

    >>> import highseason as hs
    >>> days = np.arange("2013-01-01", "2015-01-01", dtype="datetime64[D]")
    >>> traffic = hs.traffic.from_values(100 + 50 * (np.arange(days.size) % 7 == 4), days)
    >>> Blend().fit(traffic).predict(7).mean.round()
    array([100., 100., 150., 100., 100., 100., 100.])
    """

    name = "blend"

    def outlook(self, history: History, turns: int) -> Numbers:
        """The weighted mean of the views, and quantiles of its past errors."""
        views = PastViews.of(history, self)
        ahead, trials = views.ahead(turns), self._trials(history, turns)
        weights = _weights(trials, ahead)
        errors = trials.came - _mixed(trials.said, weights)
        shift = _bias(errors, trials.origin)
        table = _spread(trials, errors - shift, history, turns)
        if not history.knows_the_year:  # then no past error shows what the season may do
            # As if the views, so far apart, were errors on top of the others.
            more = normal_quantiles(np.zeros(turns), np.nanstd(ahead, axis=0))
            table = np.asarray(np.sign(more) * np.hypot(table, more))
        return table + _mixed(ahead, weights) + shift

    def mean_of(self, spread: Forecast) -> Numbers:
        """The mean of the middle half: the tails of logarithms would inflate that of all."""
        return np.asarray(spread.atoms(99)[25:74].mean(axis=0))

    def _trials(self, history: History, turns: int) -> Trials:
        parts = [Trials(np.empty((3, 0)), np.empty(0), *np.empty((2, 0), np.int64))]
        count = _ORIGINS if history.turns < _LONG else _FEWER
        for past, end, kept in earlier(history, turns, count):
            said = PastViews.of(past, self).ahead(end - past.turns)[:, kept]
            steps = 1 + np.flatnonzero(kept)
            came = history.logs[past.turns : end][kept]
            parts.append(Trials(said, came, steps, np.full(steps.size, past.turns)))
        return Trials(*(np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True)))


def _weights(trials: Trials, ahead: Numbers) -> Numbers:
    """Of each view, half by the errors it made and half the same for all; 0 where it is missing."""
    there = ~np.isnan(ahead[:, 0])
    missed = np.abs(trials.came - trials.said)
    tried = ~np.isnan(missed)
    both = there & (tried.sum(axis=1) > 0)
    scores = np.full(there.size, np.nan)
    scores[both] = [np.nanmean(row) for row in missed[both]]
    scores = np.where(np.isnan(scores), np.nanmean(scores) if both.any() else 1.0, scores)
    merit = np.where(there, 1 / np.maximum(scores, 1e-9) ** _POWER, 0.0)
    return np.asarray((1 - _EQUAL) * merit / merit.sum() + _EQUAL * there / there.sum())


def _mixed(said: Numbers, weights: Numbers) -> Numbers:
    """The weighted mean of those views that say something."""
    share = np.where(np.isnan(said), 0.0, weights[:, None])
    return np.asarray(
        (share * np.nan_to_num(said)).sum(axis=0) / np.maximum(share.sum(axis=0), 1e-9)
    )


def _bias(errors: Numbers, origin: NDArray[np.int64]) -> float:
    """Half of what the forecasts missed in one direction, less what chance would explain."""
    missed = np.array([np.median(errors[origin == one]) for one in np.unique(origin)])
    if missed.size < 4:
        return 0.0
    mean = float(missed.mean())
    chance = float(missed.var(ddof=1)) / (missed.size / 3)  # forecasts overlap
    return 0.5 * mean * max(0.0, 1 - chance / max(mean**2, 1e-12))


def _spread(trials: Trials, errors: Numbers, history: History, turns: int) -> Numbers:
    """Quantiles of the errors, a row per level and a column per turn ahead."""
    steps, origin = trials.steps, trials.origin
    if errors.size < _FEW:  # a short past: changes from week to week instead
        errors = changes(history, history.week)
        steps, origin = np.ones(errors.size, np.int64), np.arange(errors.size) % 2
    growth = _growth(np.abs(errors), steps)
    scaled = errors / steps**growth
    quantiles = np.quantile(scaled, LEVELS)
    quantiles = (quantiles - quantiles[len(LEVELS) // 2]) * _inflation(scaled, origin)
    return np.asarray(quantiles[:, None] * np.arange(1, turns + 1) ** growth)


def _growth(sizes: Numbers, steps: NDArray[np.int64]) -> float:
    """The power of the distance with which errors grow, from 0 to 1/2."""
    x, y = np.log(steps), np.log(sizes + 1e-3)
    x = x - x.mean()
    slope = float(x @ y) / (float(x @ x) + 1.0)
    return float(np.clip(slope, 0.0, 0.5))


#: The level at which intervals are calibrated.
_LEVEL = 0.8


def _inflation(scaled: Numbers, origin: NDArray[np.int64]) -> float:
    """By how much intervals from the other origins must be wider to hold those of each origin."""
    ends = ((1 - _LEVEL) / 2, 0.5, (1 + _LEVEL) / 2)
    reach = []
    for one in np.unique(origin):
        inside = origin == one
        if inside.all():
            return 1.5
        low, middle, high = np.quantile(scaled[~inside], ends)
        width = np.where(scaled[inside] < 0, middle - low, high - middle)
        reach.append(np.abs(scaled[inside]) / np.maximum(width, 1e-12))
    return float(np.clip(np.quantile(np.concatenate(reach), _LEVEL), 0.8, 3.0))
