"""What days of the year have beyond a regression: sharp edges, high weeks, sales.

A regression knows the year by a few waves, which no Christmas of two weeks fits.  What is left of a
day is compared with the same day of earlier years: the same date, the same weekday of the same
week, and for special days the day of the same name.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from highseason.traffic.dates import Instants
from highseason.traffic.forecast import Numbers
from highseason.traffic.history import Regression, feast_days

#: A day is smoothed with so many days before and after it, and compared with so many around it.
_NEAR, _AROUND = 3, 56
#: Days share what they have if they differ by about this many deviations of the noise.
_ALIKE = 2.0
#: Effects of so many deviations or less are taken for noise.
_SHRINK = 0.3
#: By what share of their size effects differ from year to year, as if so many years had shown it,
#: and with how many days before and after it a day shares this doubt: a season may come early.
_ONCE, _SEEN, _EARLY = 0.4, 3, 14
#: A moving feast counts if its days differ from those around it by so many usual differences.
_CLEAR = 2.0
#: How many earlier years are looked at.
_YEARS = 4


@dataclass(frozen=True)
class DayEffects:
    """The effects of the days of the year on top of a regression, as logarithms."""

    own: Numbers  # of each turn of the past: from that day and the days like it around it
    effects: Numbers  # of each turn of the past and two weeks beyond those asked for
    doubt: Numbers  # how much wider than usual the errors of these turns are
    feasts: tuple[str, ...] = ()  # of `feast_days`, those with an effect

    @classmethod
    def of(cls, regression: Regression, rest: Numbers, kept: NDArray[np.bool_], turns: int) -> Self:
        """From what a regression leaves of the turns that are `kept`, for so many turns more."""
        import pandas as pd

        design, n = regression.design, rest.size
        grid, zone = design.history.grid, design.history.zone
        assert grid is not None, "asked only of days and shorter turns"
        assert grid.step is not None, "asked only of days and shorter turns"
        turns += int(np.timedelta64(_EARLY, "D") // grid.step)  # whatever number is asked for
        clocks = grid.walls(np.arange(n + turns), zone).astype("datetime64[D]")
        days, firsts, which = np.unique(clocks, return_index=True, return_inverse=True)
        # Effects are shrunk once and whole: the regression has shrunk its part of them already.
        special = regression.of_special_days(0, n + turns)
        weight = np.bincount(which[:n], kept, days.size)
        total = np.bincount(which[:n], kept * rest, days.size)
        left = np.where(weight > 0, total / np.maximum(weight, 1), np.nan)
        months = pd.Series(left).rolling(2 * _AROUND + 1, center=True, min_periods=1)
        left = left - months.median().to_numpy() + special[firsts]
        noise = max(1.4826 * float(np.nanmedian(np.abs(left))), 1e-6)
        own = _smoothed_but_for_edges(left, noise)
        places, feasts = design.places(0, n + turns)[firsts], list[str]()
        places = np.where(places < len(design.names), places, -1)
        for name, length, feast in feast_days(days) if design.holidays else ():
            moved = np.where((feast >= 0) & (places < 0), 1 + places.max() + feast, places)
            if name in design.feasts or (
                _stands_out(left, feast == length - 1, length)
                and _misses(left, days, moved, places) <= _misses(left, days, places, moved)
            ):
                places = moved
                feasts.append(name)
        found = np.append(own, np.nan)[_same_days(days, places)]  # -1 is the NaN
        years = np.maximum(1, (~np.isnan(found)).any(axis=1).sum(axis=0))
        found = found.reshape(-1, days.size)
        there = (~np.isnan(found)).sum(axis=0)
        mean = np.nansum(found, axis=0) / np.maximum(1, there)
        apart = np.sqrt(np.nansum((found - mean) ** 2, axis=0) / np.maximum(1, there))
        whole = np.where(there, _shrunk(mean, noise / np.sqrt(years)), special[firsts])
        weeks = pd.Series(whole**2).rolling(2 * _EARLY + 1, center=True, min_periods=1)
        around = np.hypot(whole / 2, np.sqrt(weeks.mean().to_numpy()))
        usual = _SEEN * (_ONCE * around) ** 2
        spread = (usual + years * np.where(whole, apart, 0) ** 2) / (_SEEN + years)
        more = np.sqrt(spread * (1 + 1 / years))  # of one year, and of the mean of the years
        own = np.where(np.isnan(own), special[firsts], _shrunk(own, np.full(own.size, noise)))
        wider = np.hypot(1, more / noise)[which]
        return cls(own[which[:n]] - special[:n], whole[which] - special, wider, tuple(feasts))


#: A shift of level is looked for in the last weeks, and compared with as many weeks before it.
_LAST_WEEKS = 8
#: It counts from this size on, as a logarithm, and if it is so many times the usual change.
_LEAST, _UNUSUAL = 0.15, 4.0


class LevelShift(NamedTuple):
    """A new level that began in the last weeks."""

    turn: int  # the first at the new level, from 0
    size: float  # as a logarithm

    @classmethod
    def of(cls, rest: Numbers, weights: Numbers, week: int) -> Self | None:
        """The shift in what a regression and the season leave of turns of these weights."""
        n, span = rest.size, min(_LAST_WEEKS * week, rest.size // 4)
        if span < 2 * week:
            return None
        long = n >= 8 * _LAST_WEEKS * week
        least, unusual = (_LEAST, _UNUSUAL) if long else (0.4, 5.0)  # a short past shows little
        total, count = (np.append(0, np.cumsum(part)) for part in (weights * rest, weights))

        def change(turn: NDArray[np.int64], after: NDArray[np.int64] | int) -> Numbers:
            ends = ((turn, turn + after), (turn - span, turn))
            new, old = ((total[b] - total[a]) / np.maximum(1, count[b] - count[a]) for a, b in ends)
            return np.asarray(new - old)

        turns = np.arange(n - span, n - week + 1)
        weight = (n - turns) * span / (n - turns + span)
        turn = int(turns[np.argmax(weight * change(turns, n - turns) ** 2)])
        size = float(change(np.array([turn]), n - turn)[0])
        earlier = change(np.arange(span, turn - (n - turn), max(1, week // 7)), n - turn)
        usual = 1.4826 * float(np.median(np.abs(earlier)))
        return cls(turn, size) if abs(size) > max(least, unusual * usual) else None


def _stands_out(left: Numbers, ends: NDArray[np.bool_], length: int) -> bool:
    """Whether so many days up to where a feast ends differ clearly from as many around them.

    In their level or, where a rush comes before quiet days, in how far they are from the usual.
    """
    import pandas as pd

    levels = np.column_stack([left, np.abs(left)])
    means = pd.DataFrame(levels).rolling(length, min_periods=length // 2 + 1).mean()
    around = pd.concat([means.shift(length), means.shift(-length)]).groupby(level=0).mean()
    differs = (means - around).to_numpy()
    seen = differs[ends & ~np.isnan(differs[:, 0])]
    if not len(seen):
        return False
    usual = 1.4826 * np.nanmedian(np.abs(differs), axis=0) / np.sqrt(len(seen))
    return bool((np.abs(seen.mean(axis=0)) > _CLEAR * usual).any())


def _misses(
    left: Numbers, days: Instants, places: NDArray[np.int64], others: NDArray[np.int64]
) -> float:
    """How far days whose places differ are from the same days of earlier years, where seen."""
    earlier = np.append(left, np.nan)[_same_days(days, places)].reshape(-1, days.size)
    missed = np.abs(left - earlier)[:, places != others]
    return np.inf if np.isnan(missed).all() else float(np.nanmean(missed))


def _smoothed_but_for_edges(left: Numbers, noise: float) -> Numbers:
    """The mean of a day and the days around it, of which those that differ much hardly count."""
    padded = np.pad(left, _NEAR, constant_values=np.nan)
    around = np.array([padded[i : i + left.size] for i in range(2 * _NEAR + 1)])
    alike = np.nan_to_num(np.exp(-0.5 * ((around - left) / (_ALIKE * noise)) ** 2))
    mean = (alike * np.nan_to_num(around)).sum(axis=0) / np.maximum(alike.sum(axis=0), 1e-9)
    return np.where(np.isnan(left), np.nan, mean)


def _shrunk(effects: Numbers, noise: Numbers) -> Numbers:
    share = _SHRINK * noise / np.maximum(np.abs(effects), 1e-12)
    return np.asarray(effects * np.maximum(0, 1 - share**2))


def _same_days(days: Instants, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the same days of earlier years are, a year per row, counted in two ways; or -1.

    An ordinary day: the same date, and the same weekday.  A special day: that of the same name.
    """
    months, special = days.astype("datetime64[M]"), places >= 0
    found = np.full((_YEARS, 2, days.size), -1)
    for k in range(1, _YEARS + 1):
        dates = (months - np.timedelta64(12 * k, "M")).astype("datetime64[D]") + (days - months)
        found[k - 1, 0] = (dates - days[0]).astype(np.int64)
        found[k - 1, 1] = np.arange(days.size) - 7 * round(365.25 * k / 7)
    found = np.maximum(found, -1)
    found = np.where(np.append(special, False)[found] | special, -1, found)
    for place in np.unique(places[special]):
        same = np.flatnonzero(places == place)
        for k in range(1, min(_YEARS, same.size - 1) + 1):
            found[k - 1, :, same[k:]] = same[:-k, None]
    return found
