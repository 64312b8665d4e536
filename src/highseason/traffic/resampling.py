"""Turns of another length: several turns, or a period of the calendar, become one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.validation import one_of, whole_number
from highseason.traffic.dates import Instants, to_instants, to_wall
from highseason.traffic.timeline import MultiplierError, Timeline, Values

How = Literal["sum", "mean"]
Partial = Literal["drop", "keep"]

# A Monday, so that weeks begin on Mondays and "7D" is "1W"; a fixed one, so that a part of a
# series falls into the same periods as the whole.
_ANCHOR = np.datetime64("1969-12-29", "D")
# No "m": half the world reads it as minutes, the other half as months.
_UNITS: dict[str, Literal["s", "m", "h", "D", "W", "M"]] = {
    "s": "s", "min": "m", "h": "h", "H": "h", "D": "D", "d": "D", "W": "W", "w": "W", "M": "M",
}  # fmt: skip
# Six digits: more would overflow numpy's clock, and no season is that long.
_PERIOD = re.compile(r"(\d{0,6})\s*([A-Za-z]+)", re.ASCII)


class Period(NamedTuple):
    """A period of the calendar: a number of months, or a fixed length of time."""

    months: int
    width: np.timedelta64

    @classmethod
    def of(cls, text: str) -> Self:
        """Read a length such as ``"1D"``, ``"6h"``, ``"30min"``, ``"1W"`` or ``"1M"`` (month).

        >>> Period.of("1W") == Period.of("7D")
        True
        """
        match = _PERIOD.fullmatch(text.strip())
        count = int(match[1] or 1) if match else 0
        unit = _UNITS.get(match[2]) if match else None
        if unit is None or count < 1:
            raise MultiplierError(
                f"{text!r} is not a length of time: "
                'write a whole number and one of s, min, h, D, W, M, such as "1D" or "6h"'
            )
        if unit == "M":
            return cls(count, np.timedelta64(28 * count, "D"))  # the least it can last
        return cls(0, count * np.timedelta64(1, unit))

    def number(self, instants: Instants) -> NDArray[np.int64]:
        """Return the number of the period that each instant falls in."""
        if self.months:
            return instants.astype("datetime64[M]").astype(np.int64) // self.months
        return (instants - _ANCHOR) // self.width

    def start(self, number: NDArray[np.int64]) -> Instants:
        """Return when the periods with these numbers begin."""
        if self.months:
            return (number * self.months).astype("datetime64[M]")
        return _ANCHOR + number * self.width


def resample(
    values: Values,
    timeline: Timeline | None,
    length: int | str,
    how: How = "sum",
    partial: Partial = "drop",
) -> tuple[Values, Timeline | None]:
    """Join turns into longer ones; see ``Multiplier.resample``."""
    one_of("how", how, ("sum", "mean"), MultiplierError)
    one_of("partial", partial, ("drop", "keep"), MultiplierError)
    if not isinstance(length, str):
        length = whole_number("length", length, 1, MultiplierError)
        first = np.arange(0, values.size, length)
        times = None if timeline is None else timeline.take(first)
        whole = first + length <= values.size
    elif timeline is None:
        raise MultiplierError(
            f"the multiplier has no calendar, so {length!r} has no meaning: "
            "give the length as a number of turns"
        )
    else:
        first, times, whole = _by_period(timeline, Period.of(length), length)
    joined = np.add.reduceat(values, first)
    if how == "mean":
        joined = joined / np.diff(first, append=values.size)
    keep = whole | (partial == "keep")
    if not keep.any():
        raise MultiplierError(
            f"the data does not fill a single turn of length {length!r}: "
            'shorten it, or pass partial="keep"'
        )
    return joined[keep], None if times is None else times.take(np.flatnonzero(keep))


def _by_period(
    timeline: Timeline, period: Period, text: str
) -> tuple[NDArray[np.intp], Timeline | None, NDArray[np.bool_]]:
    """Turns of one period as groups: first row, time, and whether the data fills each group."""
    instants = timeline.instants
    number, starts_of = _periods(timeline, period)
    first = np.flatnonzero(np.diff(number, prepend=number[0] - 1))
    starts, whole = starts_of(number[first]), np.ones(first.size, dtype=np.bool_)
    if instants.size > 1:
        steps = np.sort(np.diff(instants))
        # By the wall clock as well: the day on which it is put back lasts 25 hours.
        wall = np.diff(timeline.wall)
        least = min([steps[0], *np.sort(wall[wall > np.timedelta64(0)])[:1]])
        if period.width < least:
            raise MultiplierError(
                f"turns are at least {least.astype('timedelta64[s]')} apart, more than "
                f"{text!r}: turns can be joined, not split"
            )
        step = steps[steps.size // 2]
        end = starts_of(number[-1:] + 1)[0]
        # A quarter of a step to spare: months and clock changes make steps uneven.
        whole[0] &= bool(4 * (instants[0] - starts[0]) < 3 * step)
        whole[-1] &= bool(4 * (end - instants[-1]) <= 5 * step)
    return first, Timeline(starts, timeline.zone), whole


def _periods(
    timeline: Timeline, period: Period
) -> tuple[NDArray[np.int64], Callable[[NDArray[np.int64]], Instants]]:
    """Return the period of each turn, and a function from periods to the instants they begin."""
    zone = timeline.zone
    if zone is None:
        return period.number(timeline.instants), period.start
    ahead = _offsets(timeline.instants[:1], zone)[0]
    around = [timeline.instants + k * period.width for k in (-1, 0, 1)]
    if not period.months and not any(
        np.any((_offsets(instants, zone) - ahead) % period.width) for instants in around
    ):
        # Clocks change by whole periods, if at all: each runs its length, and some come twice.
        number = period.number(timeline.instants + ahead)
        return number, lambda number: period.start(number) - ahead
    # By the wall clock: a day may have 23 or 25 hours. No turn goes back to a period that ended.
    number = np.maximum.accumulate(period.number(timeline.wall))
    return number, lambda number: to_instants(period.start(number).astype("datetime64[s]"), zone)


def _offsets(instants: Instants, zone: str) -> NDArray[np.timedelta64]:
    return to_wall(instants, zone) - instants
