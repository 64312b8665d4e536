"""A past that can be learned from: even in time, its gaps filled, its closed turns known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from highseason.forecasters.errors import ForecastError
from highseason.forecasters.forecast import Numbers
from highseason.forecasters.grids import Grid, Stamps, local
from highseason.multipliers import Multiplier

#: More than this share of the turns missing is no series with gaps but another series.
_MOST_MISSING = 0.3
#: A least value below this share of the median stands for "nobody came".
_NOBODY = 0.02
#: A place in the week at which at least this share of the turns had nobody is closed.
_CLOSED = 0.9
#: Added before the logarithm where there are turns with nobody, as a share of the median.
_SHIFT = 0.05


@dataclass(frozen=True)
class History:
    """Values on an even grid, from the first turn to the last.

    Attributes:
        values: One number per turn; gaps are filled from the same place in the seasons around.
        seen: Which turns were really there.
        grid: Where they are in time, or None.
        zone: The time zone of the clocks that people live by, where stamps are in UTC.
        seasons: How many turns the seasons have, the shortest first: those seen at least twice,
            and the year where it was seen at least one and a half times.
        shift: What is added before taking logarithms; 0 unless some turns had nobody.
    """

    values: Numbers
    seen: NDArray[np.bool_]
    grid: Grid | None
    zone: str | None
    seasons: tuple[float, ...]
    shift: float

    @classmethod
    def of(
        cls, G: Multiplier, periods: tuple[int, ...] | None = None, zone: str | None = None
    ) -> History:
        """Lay a multiplier on its grid.

        >>> days = ["2013-12-20", "2013-12-21", "2013-12-23"]
        >>> History.of(Multiplier([1.0, 2.0, 4.0], days), periods=(1,)).values
        array([1., 2., 3., 4.])
        """
        stamps, zone = _even_stamps(G, zone)
        if stamps is None:
            grid, places = None, np.arange(G.turns)
        else:
            grid, places = Grid.under(stamps)
        turns = int(places[-1]) + 1
        if turns - G.turns > _MOST_MISSING * turns:
            raise ForecastError(
                f"{turns - G.turns} of {turns} turns are missing: with so many gaps nothing can be "
                "said of the seasons; join turns to longer ones, or choose a part without gaps"
            )
        seasons = _seasons(turns, grid, periods)
        values = np.full(turns, np.nan)
        values[places] = G.values
        seen = ~np.isnan(values)
        return cls(_filled(values, seasons), seen, grid, zone, seasons, _shift(G.values))

    @property
    def turns(self) -> int:
        """How many turns, gaps included."""
        return int(self.values.size)

    @property
    def logs(self) -> Numbers:
        """The logarithms of the values, shifted."""
        return np.log(self.values + self.shift)

    def unlog(self, logs: Numbers) -> Numbers:
        """Back to values; nothing falls below the least value seen."""
        values: Numbers = np.maximum(np.exp(logs) - self.shift, self.values.min())
        return values

    @property
    def constant(self) -> bool:
        """Whether all turns were alike: then so are the next."""
        return bool(np.ptp(self.values) <= 1e-12 * self.values.max())

    def stamps(self, start: int, stop: int) -> Stamps | None:
        """When the turns at these places are (from 0, beyond the end too)."""
        return None if self.grid is None else self.grid.stamps(start, stop)

    def clocks(self, start: int, stop: int) -> Stamps | None:
        """The same on the clocks that people live by."""
        stamps = self.stamps(start, stop)
        return None if stamps is None else local(stamps, self.zone)

    def before(self, turn: int) -> History:
        """The first turns only, as they were known then."""
        return History(
            self.values[:turn],
            self.seen[:turn],
            self.grid,
            self.zone,
            tuple(season for season in self.seasons if enough(turn, season)),
            self.shift,
        )

    def then(self, value: float) -> History:
        """With one turn more."""
        return History(
            np.append(self.values, value),
            np.append(self.seen, True),
            self.grid,
            self.zone,
            self.seasons,
            self.shift,
        )

    def phases(self, start: int, stop: int) -> NDArray[np.int64]:
        """The place in the week (or in the longest season of up to a week) of these turns."""
        length = self.week
        if self.grid is None or self.grid.step is None or length <= 1:
            return np.arange(start, stop) % max(1, length)
        clocks = local(self.grid.stamps(start, stop), self.zone)
        offset = clocks - np.datetime64("1969-12-29")  # a Monday
        return np.asarray(offset // self.grid.step, dtype=np.int64) % length

    @property
    def week(self) -> int:
        """How many turns the longest season of up to a week has; 1 where there is none."""
        if self.grid is None:
            return int(self.seasons[0])
        if self.grid.step is None:
            return 12
        short = [s for s in self.seasons if s * self.grid.step <= np.timedelta64(8, "D")]
        return round(short[-1]) if short else 1

    @property
    def year(self) -> float:
        """How many turns a year has; without a calendar, 52 of the shortest seasons or more."""
        if self.grid is None:
            return max(self.seasons[-1], 52.0 * self.seasons[0])
        return self.grid.seasons()[-1]

    def closed(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Which turns fall where the week has hardly ever seen anybody."""
        none = np.zeros(stop - start, np.bool_)
        if self.shift == 0.0:
            return none
        phases = self.phases(0, self.turns)
        nobody = self.values <= self.values.min() * (1 + 1e-9)
        counts = np.bincount(phases[self.seen], minlength=self.week)
        empty = np.bincount(phases[self.seen & nobody], minlength=self.week)
        closed = (counts > 0) & (empty >= _CLOSED * counts)
        return np.asarray(closed[self.phases(start, stop)])


def enough(turns: int, season: float) -> bool:
    """Whether a season was seen often enough: twice, a long one (a year) one and a half times."""
    return turns >= (1.5 if season > 300 else 2.0) * season


def _even_stamps(G: Multiplier, zone: str | None) -> tuple[Stamps | None, str | None]:
    """Stamps with even steps between them, and the zone of the clocks if these are in UTC.

    Where clocks are put back and forth, days are even on the wall and hours are even in UTC.
    """
    if G.calendar is None or G.timeline is None or G.zone is None:
        return G.calendar, zone
    steps = np.diff(G.calendar.astype("datetime64[s]"))
    if steps.size and steps.min() >= np.timedelta64(1, "D"):
        return G.calendar, None
    return G.timeline.instants, zone or G.zone


def _seasons(turns: int, grid: Grid | None, periods: tuple[int, ...] | None) -> tuple[float, ...]:
    if periods is not None:
        lengths: tuple[float, ...] = tuple(sorted(float(period) for period in periods))
        if not lengths or lengths[0] < 1 or len(set(lengths)) < len(lengths):
            raise ForecastError(f"periods={periods!r} must be different numbers of turns >= 1")
    elif grid is None:
        raise ForecastError(
            "the series has no calendar, so its seasons are not known: say how many turns they "
            "have, such as periods=(7,), or use a one-step forecaster"
        )
    else:
        lengths = grid.seasons()
        if not lengths:
            raise ForecastError("turns of a year or more have no season: use a one-step forecaster")
    found = tuple(length for length in lengths if enough(turns, length))
    if not found:
        raise ForecastError(
            f"{turns} turns are too short to learn a season from: the shortest has {lengths[0]:g} "
            "turns and must be seen twice; give a longer past, or use a one-step forecaster"
        )
    return found


def _filled(values: Numbers, seasons: tuple[float, ...]) -> Numbers:
    """Fill each gap with the mean of the same place in the week before and the week after."""
    missing = np.flatnonzero(np.isnan(values))
    if not missing.size:
        return values
    short = [season for season in seasons if season <= 200]
    length = round(short[-1]) if short else 1
    out = values.copy()
    for i in missing:
        around = [_nearest(values, int(i), -length), _nearest(values, int(i), length)]
        known = [value for value in around if not np.isnan(value)]
        out[i] = np.mean(known) if known else np.nanmedian(values)
    return out


def _nearest(values: Numbers, i: int, stride: int) -> float:
    i += stride
    while 0 <= i < values.size:
        if not np.isnan(values[i]):
            return float(values[i])
        i += stride
    return float("nan")


def _shift(values: Numbers) -> float:
    usual = float(np.median(values[values > values.min()])) if np.ptp(values) > 0 else 0.0
    return _SHIFT * usual if values.min() < _NOBODY * usual else 0.0
