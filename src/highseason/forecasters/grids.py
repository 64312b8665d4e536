"""An even grid of time under a calendar that may have gaps, and the seasons that fit on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from highseason.forecasters.forecast import ForecastError
from highseason.tabular import TableError, format_time
from highseason.tabular.times import check_zone, to_wall

Stamps = NDArray[np.datetime64]

_DAY = np.timedelta64(1, "D")
_SECOND = np.timedelta64(1, "s")
_YEAR = 365.25


@dataclass(frozen=True)
class Grid:
    """The first turn and the distance between turns: a fixed length of time, or a month.

    Attributes:
        first: When turn 1 is.
        step: The length of a turn; None for months.
    """

    first: np.datetime64
    step: np.timedelta64 | None

    @classmethod
    def under(cls, calendar: Stamps) -> tuple[Grid, NDArray[np.int64]]:
        """The grid, and the position of every stamp on it; gaps are positions without a stamp."""
        if calendar.size < 2:
            raise ForecastError("one turn has no distance to the next: give at least two")
        steps = np.diff(calendar)
        days = steps / _DAY
        if days.min() >= 28 and (calendar == calendar.astype("datetime64[M]")).all():
            months = calendar.astype("datetime64[M]")
            return cls(months[0], None), (months - months[0]).astype(np.int64)
        step = np.sort(steps)[(steps.size - 1) // 2]
        places = np.rint((calendar - calendar[0]) / step).astype(np.int64)
        off = np.abs((calendar - calendar[0]) - places * step)
        wrong = np.flatnonzero((off > step / 4) | (np.diff(places, prepend=-1) < 1))
        if wrong.size:
            raise ForecastError(
                f"the times are not evenly spaced: {format_time(calendar[int(wrong[0])])} does not "
                f"lie on steps of {_worded(step)} from {format_time(calendar[0])}; join turns to "
                'even ones first, such as resample("1D")'
            )
        return cls(calendar[0], step), places

    def stamps(self, start: int, stop: int) -> Stamps:
        """When the turns at these positions (from 0) are."""
        places = np.arange(start, stop)
        if self.step is None:
            months: Stamps = (self.first.astype("datetime64[M]") + places).astype("datetime64[D]")
            return months
        stamps: Stamps = self.first + places * self.step
        return stamps

    def seasons(self) -> tuple[float, ...]:
        """The turns in a day, a week and a year; only seasons of two turns or more."""
        if self.step is None:
            return (12.0,)
        lengths = [float(span / self.step) for span in (_DAY, 7 * _DAY)]
        lengths.append(_YEAR * float(_DAY / self.step))
        return tuple(length for length in lengths if length >= 2)

    @property
    def daily(self) -> bool:
        """Whether a turn is a day or shorter, so that it falls on a date."""
        return self.step is not None and bool(self.step <= _DAY)


def local(stamps: Stamps, zone: str | None) -> Stamps:
    """The wall clock of a zone at stamps in UTC; the stamps themselves without a zone."""
    if zone is None:
        return stamps
    try:
        return to_wall(stamps.astype("datetime64[s]"), check_zone(zone))
    except TableError as reason:
        raise ForecastError(str(reason)) from reason


def _worded(step: np.timedelta64) -> str:
    seconds = float(step / _SECOND)
    for length, name in ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        count = seconds / length
        if count >= 1 and count == int(count):
            return f"{int(count)} {name}{'s' if count > 1 else ''}"
    return str(step)
