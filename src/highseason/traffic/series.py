"""The multiplier G: one positive number per turn, and when each turn is, if that is known.

A threshold says where its low season ends, as a number or as an expression on G.  Turns become
longer ones by a `Period` of the calendar, or several at a time.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from highseason.core.ordered import WithOne
from highseason.core.text import exact, six_figures
from highseason.core.validation import one_of, positive_number, whole_number
from highseason.core.warnings import warn_user
from highseason.traffic.dates import Instants, When, to_instants, to_wall, zone_info
from highseason.traffic.timeline import (
    Calendar,
    MultiplierError,
    Timeline,
    Values,
    check_values,
    join,
    require_same_zone,
    to_values,
)

if TYPE_CHECKING:
    import pandas as pd

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


def _by_period(
    timeline: Timeline, period: Period, text: str
) -> tuple[NDArray[np.intp], Timeline | None, NDArray[np.bool_]]:
    """Turns of one period as groups: first row, time, and whether the data fills each group."""
    instants = timeline.instants
    number, starts_of = periods(timeline, period)
    first = np.flatnonzero(np.diff(number, prepend=number[0] - 1))
    starts, whole = starts_of(number[first]), np.ones(first.size, dtype=np.bool_)
    if instants.size > 1:
        steps = np.sort(np.diff(instants))
        # By the wall clock as well: the day on which it is put back lasts 25 hours.
        wall = np.diff(timeline.wall)
        least = min([steps[0], *np.sort(wall[wall > np.timedelta64(0, "s")])[:1]])
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
        with suppress(MultiplierError):  # uneven turns; nothing is missing at closed times
            grid, places, zone = Calendar.around(timeline)
            before = int((instants[0] - starts[0]) / step + 0.25)
            after = math.ceil((end - instants[-1]) / step - 0.25)
            last = int(places[-1])
            whole[0] |= grid.following(-before, 1, zone)[0] >= 0
            whole[-1] |= grid.following(last + 1, 1, zone)[0] >= last + after
    return first, Timeline(starts, timeline.zone), whole


def periods(
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


Kind = Literal["number", "max", "quantile"]

_FORMS = 'a number such as 30, "0.75*max", or "q0.75"'


class ThresholdError(ValueError):
    """The text or number is not a threshold; the message says how to write one."""


class ThresholdWarning(UserWarning):
    """The threshold separates nothing: no turn, or every turn, is high."""


@dataclass(frozen=True)
class Threshold:
    r"""A threshold z: turn t is low when G(t) < z and high when G(t) ≥ z.

    Three ways to write it, with a the ``amount``; the paper has all three (Section 3.2, Appendix
    H.2), and they differ: on a wave 75% of the maximum is 30.75, and the 0.75-quantile 35.2.

    | `kind` | written | z |
    | --- | --- | --- |
    | number | `30` | a |
    | max | `"0.75*max"` | a · max G |
    | quantile | `"q0.75"` | the a-quantile of G (linear between neighbouring values) |

    >>> Threshold.of("0.75*max").resolve([1.0, 20.0, 40.0])
    30.0
    >>> str(Threshold.of(30)), Threshold.of(30).fixed
    ('30', True)
    """

    kind: Kind
    amount: float

    def __post_init__(self) -> None:
        if math.isnan(self.amount):
            raise ThresholdError(f"a threshold cannot be NaN: give {_FORMS}")
        if self.kind == "quantile" and not 0 <= self.amount <= 1:
            percent = 1 < self.amount <= 100
            hint = f'; did you mean "q{exact(self.amount / 100)}"?' if percent else ""
            raise ThresholdError(
                f"the quantile of a threshold must lie between 0 and 1, not {self.amount:g}{hint}"
            )
        if self.kind == "max" and not (math.isfinite(self.amount) and self.amount > 0):
            raise ThresholdError(
                f"the share of the maximum must be a finite number > 0, not {self.amount:g}"
            )

    @classmethod
    def of(cls, given: Threshold | float | str) -> Threshold:
        """Read a threshold from a number, a text or another threshold.

        >>> Threshold.of("q0.75")
        Threshold(kind='quantile', amount=0.75)
        >>> Threshold.of("inf").amount
        inf
        """
        if isinstance(given, Threshold):
            return given
        if isinstance(given, Real) and not isinstance(given, bool):
            return cls("number", float(given))
        match = _READ.fullmatch(given.strip().lower()) if isinstance(given, str) else None
        try:
            kind: Any = match and match.lastgroup
            amount = float(match[kind] if match else "")
        except ValueError:
            raise ThresholdError(f"{given!r} is not a threshold: give {_FORMS}") from None
        return cls(kind, amount)

    @property
    def fixed(self) -> bool:
        """Whether z is a plain number; an expression needs the whole of G."""
        return self.kind == "number"

    def resolve(self, values: ArrayLike | WithOne) -> float:
        """Return z for these values of G; of sorted ones by looking at few."""
        if self.fixed:
            return self.amount
        if isinstance(values, WithOne):
            is_max = self.kind == "max"
            return self.amount * values.max() if is_max else values.quantile(self.amount)
        array = np.asarray(values, dtype=np.float64)
        if array.size == 0:
            raise ThresholdError(f"the threshold {self} needs at least one value of G")
        if self.kind == "max":
            return float(self.amount * array.max())
        return float(np.quantile(array, self.amount))

    def __str__(self) -> str:
        """Write the threshold so that ``Threshold.of`` reads it back unchanged."""
        return _WRITTEN[self.kind].format(exact(self.amount))


_WRITTEN: dict[Kind, str] = {"number": "{}", "max": "{}*max", "quantile": "q{}"}
_READ = re.compile(r"(?P<max>.+?)\s*\*\s*max|q\s*(?P<quantile>.+)|(?P<number>.+)")


def warn_if_one_sided(values: ArrayLike, z: float, what: str = "the threshold") -> bool:
    """Warn when z separates nothing: no turn of G, or every turn, is high; say whether it did.

    This happens to quantiles of multipliers with few distinct values, and to a z on another
    scale than G. An infinite z is deliberate: never (or always) high, no warning.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_if_one_sided([1.0, 40.0], z=41.0)
    True
    >>> print(caught[0].message)
    the threshold: z = 41 is above every G (1 to 40), so no turn is high: the policy explores in \
high season as in low; choose z above 1 and up to 40
    """
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0 or math.isinf(z):
        return False
    low, high = float(array.min()), float(array.max())
    if low < z <= high:
        return False
    least, most = six_figures(low), six_figures(high)
    side, follows = "above every G", "no turn is high: the policy explores in high season as in low"
    if z <= high:
        side = "not above any G"
        follows = "every turn is high: the policy never explores once it has started"
    remedy = f"choose z above {least} and up to {most}"
    if low == high:
        remedy = "G is constant, so no z separates its turns"
    message = f"{what}: z = {six_figures(z)} is {side} ({least} to {most}), so {follows}; {remedy}"
    warn_user(message, ThresholdWarning)
    return True


Operand: TypeAlias = "Multiplier | NDArray[Any] | float"
"""What a multiplier can be added to or multiplied by."""


@dataclass(frozen=True, eq=False, repr=False)
class Multiplier:
    """The multiplier G(t) > 0 of the turns t = 1, …, n: the stakes of each turn.

    The reward of turn t is G(t)·X. Multipliers are immutable: every operation returns a new one.

    Attributes:
        values: G(1), …, G(n), read-only; all finite and > 0.
        calendar: When each turn is, read-only, or None. With a zone it is the wall clock there,
            which shows the same times twice in the hour in which it is put back.
        name: A label for tables and figures; comparisons ignore it.
        zone: The time zone whose days and hours count: ``"Europe/Rome"``, ``"UTC"``,
            ``"+01:00"``, or None where the times name none. The constructor reads times without
            a zone by its clock, and converts those that have one.
        is_shape: Whether a formula such as ``wave`` made it: its values are stakes without a unit,
            where those of data are visitors.
        timeline: The calendar as instants, strictly increasing and in UTC if there is a zone.

    >>> G = Multiplier([10, 20, 60], calendar=["2013-12-24", "2013-12-25", "2013-12-26"])
    >>> G.at(3), G.at("2013-12-26"), G.turn_of("2013-12-25"), G.total
    (60.0, 60.0, 2, 90.0)
    >>> (2 * G + 5).values
    array([ 25.,  45., 125.])
    """

    values: Values
    calendar: Instants | None = None
    name: str = "G"
    zone: str | None = None
    is_shape: bool = False
    timeline: Timeline | None = field(init=False)

    # NumPy numbers and arrays leave `2.0 * G` to this class instead of looping over it.
    __array_priority__ = 1000.0

    def __post_init__(self) -> None:
        values = to_values(self.values)
        timeline = None if self.calendar is None else Timeline.of(self.calendar, self.zone)
        if timeline is None and self.zone is not None:
            raise MultiplierError(f"zone={self.zone!r} has no meaning without a calendar: give one")
        if timeline is not None and timeline.instants.size != values.size:
            raise MultiplierError(
                f"the calendar has {timeline.instants.size} times for {values.size} values: "
                "give one time per value"
            )
        check_values(values, partial(_label, timeline))
        values.setflags(write=False)
        wall, zone = (None, None) if timeline is None else (timeline.wall, timeline.zone)
        fields = {"values": values, "timeline": timeline, "calendar": wall, "zone": zone}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type[Multiplier], tuple[Any, ...]]:
        return type(self), (self.values, self.timeline, self.name, None, self.is_shape)

    def __len__(self) -> int:
        return int(self.values.size)

    if not TYPE_CHECKING:  # type checkers would take it for a sequence

        def __getitem__(self, at: Any) -> Any:
            raise TypeError(
                f"turns count from 1: write G.at({at!r}) for a turn or a time, G.window(first, "
                "last) for several, or G.values for an array"
            )

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __eq__(self, other: object) -> bool:
        # The name is only a label.
        if not isinstance(other, Multiplier):
            return NotImplemented
        return self.timeline == other.timeline and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash(self.values.tobytes())

    def __repr__(self) -> str:
        name = self.name if len(self.name) <= 40 else f"{self.name[:39]}…"
        low, high = six_figures(float(self.values.min())), six_figures(float(self.values.max()))
        line, zone = self.timeline, f" {self.zone}" if self.zone else ""
        times = "" if line is None else f", {line.show(0)} to {line.show(-1)}"
        return f"<Multiplier {name}: {self.turns} turns, {low} to {high}{times}{zone}>"

    @property
    def turns(self) -> int:
        """The number of turns n."""
        return len(self)

    @property
    def total(self) -> float:
        """The sum of G over all turns: what an arm that always pays 1 would earn."""
        return float(self.values.sum())

    def to_pandas(self) -> pd.Series[float]:
        """Return the values as a Series, on a DatetimeIndex in its zone or on the turns from 1.

        >>> Multiplier([10, 20], name="visitors").to_pandas().to_dict()
        {1: 10.0, 2: 20.0}
        """
        import pandas as pd

        index: Any = pd.RangeIndex(1, self.turns + 1, name="turn")
        if self.timeline is not None:
            index = pd.DatetimeIndex(self.timeline.instants)
        if self.zone is not None:
            index = index.tz_localize("UTC").tz_convert(zone_info(self.zone))
        return pd.Series(self.values.copy(), index=index, name=self.name)

    def digest(self) -> str:
        """Return 16 hex digits that identify these values."""
        return sha256(self.values.astype("<f8").tobytes()).hexdigest()[:16]

    def at(self, t: int | When) -> float:
        """Return G(t) for a turn (from 1), or for a time where there is a calendar."""
        return float(self.values[self.turn_of(t) - 1])

    def turn_of(self, when: int | When) -> int:
        """Return the one turn (from 1) that falls on ``when``; a turn itself is only checked.

        A date means the whole day, ``"2013-12-26 12"`` the whole hour: any period that holds
        exactly one turn is fine. Times without a zone are read by the clock of the calendar's.

        >>> Multiplier([10, 20], calendar=["2013-12-25", "2013-12-26"]).turn_of("2013-12-26")
        2
        """
        rows = self._rows(when)
        if rows.stop - rows.start != 1:
            raise MultiplierError(self._not_one_turn(when, rows))
        return int(rows.stop)

    def turn_at(self, when: int | When) -> int:
        """Return the turn (from 1) during which ``when`` falls, such as ``datetime.now(UTC)``.

        As `turn_of`, but a time at which no turn begins is one of the turn that is going on. A turn
        lasts until the next begins; the last, and one before a gap, as long as turns usually do.

        >>> days = Multiplier([10, 20], calendar=["2013-12-25", "2013-12-26"])
        >>> days.turn_at("2013-12-26 14:30")
        2
        """
        rows = self._rows(when)
        if rows.stop <= rows.start and isinstance(when, When) and self.timeline is not None:
            row = self.timeline.holding(when)
            if row is not None:
                return row + 1
        return self.turn_of(when)

    def _rows(self, when: int | When) -> slice:
        if not isinstance(when, When):
            try:
                turn = operator.index(when)
            except TypeError:
                raise MultiplierError(
                    f"{when!r} is neither a turn (a whole number from 1) nor a time"
                ) from None
            if not 1 <= turn <= self.turns:
                raise MultiplierError(f"there is no turn {turn}: turns go from 1 to {self.turns}")
            return slice(turn - 1, turn)
        if self.timeline is None:
            raise MultiplierError(
                f"the multiplier has no calendar, so it cannot find {when!r}: "
                f"use a turn from 1 to {self.turns}, or give it a calendar"
            )
        return self.timeline.rows(when)

    def _not_one_turn(self, when: int | When, rows: slice) -> str:
        label = partial(_label, self.timeline)
        if rows.stop > rows.start:
            first, last = label(rows.start), label(rows.stop - 1)
            return f"{when!r} holds several turns, from {first} to {last}: name one of them"
        if rows.start == 0:
            return f"{when!r} is before the first turn, {label(0)}"
        before = label(rows.start - 1)
        if rows.start == self.turns:
            return f"{when!r} is after the last turn, {before}"
        return f"no turn falls on {when!r}: it lies between {before} and {label(rows.start)}"

    def high(self, z: Threshold | float | str) -> NDArray[np.bool_]:
        """Return for each turn whether it is high: G(t) ≥ z.

        >>> Multiplier([10, 20, 40]).high("0.5*max")
        array([False,  True,  True])
        """
        return self.values >= Threshold.of(z).resolve(self.values)

    def low(self, z: Threshold | float | str) -> NDArray[np.bool_]:
        """Return for each turn whether it is low: G(t) < z."""
        return ~self.high(z)

    def __add__(self, other: Operand) -> Multiplier:
        return self._combined(other, np.add, "{} + {}")

    def __radd__(self, other: Operand) -> Multiplier:
        return self._combined(other, np.add, "{1} + {0}")

    def __mul__(self, other: Operand) -> Multiplier:
        return self._combined(other, np.multiply, "{} * {}")

    def __rmul__(self, other: Operand) -> Multiplier:
        return self._combined(other, np.multiply, "{1} * {0}")

    def _combined(self, other: Operand, operation: np.ufunc, form: str) -> Multiplier:
        if isinstance(other, Multiplier):
            timeline, label, right = _common_calendar(self, other), other.name, other.values
        elif isinstance(other, np.ndarray):
            timeline, label, right = self.timeline, "array", to_values(other)
            _require_same_turns(self.turns, right.size)
        elif isinstance(other, Real):
            timeline, label = self.timeline, six_figures(float(other))
            right = np.asarray(float(other))
        else:
            return NotImplemented  # type: ignore[no-any-return]  # Python's signal has no type
        names = [self.name, label]
        if operation is np.multiply:
            names = [f"({name})" if " + " in name else name for name in names]
        with np.errstate(over="ignore", under="ignore"):  # the check names the turn instead
            return _build(operation(self.values, right), timeline, form.format(*names))

    def scale(self, factor: float) -> Multiplier:
        """Multiply every turn by a factor > 0."""
        return positive_number("factor", factor, MultiplierError) * self

    def shift(self, turns: int) -> Multiplier:
        """Move the season ``turns`` turns later (earlier if negative): G'(t) = G(t − turns).

        Values that leave at one end come in at the other; the calendar stays as it is.

        >>> Multiplier([1, 2, 3]).shift(1).values
        array([3., 1., 2.])
        """
        return self._with(np.roll(self.values, operator.index(turns)), self.timeline)

    def then(self, other: Multiplier) -> Multiplier:
        """Append another multiplier."""
        return concatenate(self, other)

    def clip(self, low: float | None = None, high: float | None = None) -> Multiplier:
        """Clip every value to [low, high]; None leaves that side open.

        >>> Multiplier([1, 20, 300]).clip(5, 100).values
        array([  5.,  20., 100.])
        """
        low = 0.0 if low is None else positive_number("low", low, MultiplierError)
        high = math.inf if high is None else positive_number("high", high, MultiplierError)
        if low > high:
            raise MultiplierError(f"low ({low:g}) must not be above high ({high:g})")
        return self._with(np.clip(self.values, low, high), self.timeline)

    def floor(self, value: float) -> Multiplier:
        """Raise every value below ``value`` to it."""
        return self.clip(low=value)

    def window(self, first: int | When | None = None, last: int | When | None = None) -> Multiplier:
        """Keep the turns from ``first`` to ``last``, both included; None leaves that side open.

        Turns must exist. Times need not: the turns between them are kept.

        >>> Multiplier([1, 2, 3, 4]).window(2, 3).values
        array([2., 3.])
        """
        start = 0 if first is None else self._rows(first).start
        stop = self.turns if last is None else self._rows(last).stop
        if start >= stop:
            raise MultiplierError(f"no turn lies between {first!r} and {last!r}")
        rows = slice(start, stop)
        timeline = None if self.timeline is None else self.timeline.take(rows)
        return self._with(self.values[rows], timeline)

    def resample(
        self, length: int | str, how: How = "sum", partial: Partial = "drop"
    ) -> Multiplier:
        """Join turns into longer ones.

        Args:
            length: A number of turns; with a calendar also a time such as ``"1D"``, ``"6h"``,
                ``"30min"``, ``"1W"`` (from Monday) or ``"1M"`` (month). Periods without any
                turn are left out: a gap stays a gap and does not become zeros. With a zone,
                days follow its clock: they have 23 or 25 hours when it changes.
            how: ``"sum"`` (traffic) or ``"mean"`` (a rate).
            partial: What to do with a first or last period that the data does not fill:
                ``"drop"`` or ``"keep"``. A period is not filled if another turn, at the
                usual distance, would fit in before the first or after the last one.

        >>> hours = np.arange("2013-12-25", "2013-12-27", dtype="datetime64[h]")
        >>> Multiplier(np.ones(48), hours).resample("1D").values
        array([24., 24.])
        """
        one_of("how", how, ("sum", "mean"), MultiplierError)
        one_of("partial", partial, ("drop", "keep"), MultiplierError)
        if not isinstance(length, str):
            length = whole_number("length", length, 1, MultiplierError)
            first = np.arange(0, self.turns, length)
            times = None if self.timeline is None else self.timeline.take(first)
            whole = first + length <= self.turns
        elif self.timeline is None:
            raise MultiplierError(
                f"the multiplier has no calendar, so {length!r} has no meaning: "
                "give the length as a number of turns"
            )
        else:
            first, times, whole = _by_period(self.timeline, Period.of(length), length)
        joined = np.add.reduceat(self.values, first)
        if how == "mean":
            joined = joined / np.diff(first, append=self.turns)
        keep = whole | (partial == "keep")
        if not keep.any():
            raise MultiplierError(
                f"the data does not fill a single turn of length {length!r}: "
                'shorten it, or pass partial="keep"'
            )
        return self._with(joined[keep], None if times is None else times.take(np.flatnonzero(keep)))

    def _with(self, values: Values, timeline: Timeline | None) -> Multiplier:
        return _build(values, timeline, self.name, self.is_shape)


def concatenate(*parts: Multiplier | Sequence[Multiplier]) -> Multiplier:
    """Join several multipliers end to end, given one by one or as a list.

    Calendars must follow each other, in one zone; a gap between two raises a `CalendarWarning`.

    >>> concatenate(Multiplier([1, 2]), Multiplier([3])).values
    array([1., 2., 3.])
    >>> concatenate([Multiplier([1, 2]), Multiplier([3])]).turns
    3
    """
    given: list[Any] = list(parts)
    if len(given) == 1 and isinstance(given[0], list | tuple):
        given = list(given[0])
    if not given:
        raise MultiplierError("concatenate needs at least one multiplier")
    for part in given:
        if not isinstance(part, Multiplier):
            raise MultiplierError(
                f"concatenate takes multipliers, such as concatenate(G, H), not "
                f"{type(part).__name__}: convert it with as_multiplier(…)"
            )
    timelines = [part.timeline for part in given if part.timeline is not None]
    if timelines and len(timelines) < len(given):
        raise MultiplierError(
            "some of the multipliers have a calendar and some have none: give all of them one, "
            "or drop it with from_values(G.values)"
        )
    return _build(
        np.concatenate([part.values for part in given]),
        join(timelines) if timelines else None,
        ", ".join(dict.fromkeys(part.name for part in given)),
    )


def _build(
    values: Values, timeline: Timeline | None, name: str, is_shape: bool = False
) -> Multiplier:
    # Not dataclasses.replace: the wall clock alone does not say which of two equal hours.
    calendar: Any = timeline  # which the constructor takes, too
    return Multiplier(values, calendar, name, None, is_shape)


def _label(timeline: Timeline | None, i: int) -> str:
    return f"turn {i + 1}" if timeline is None else f"turn {i + 1} ({timeline.show(i)})"


def _common_calendar(one: Multiplier, other: Multiplier) -> Timeline | None:
    _require_same_turns(one.turns, other.turns)
    if one.timeline is None or other.timeline is None:
        return other.timeline if one.timeline is None else one.timeline
    require_same_zone(one.timeline, other.timeline)
    differ = np.flatnonzero(one.timeline.instants != other.timeline.instants)
    if differ.size:
        i = int(differ[0])
        raise MultiplierError(
            f"the calendars differ at turn {i + 1}: {one.timeline.show(i)} and "
            f"{other.timeline.show(i)}; take the same window() of both"
        )
    return one.timeline


def _require_same_turns(one: int, other: int) -> None:
    if one != other:
        raise MultiplierError(
            f"a multiplier of {one} turns and one of {other} cannot be combined: "
            "cut the longer one with window()"
        )
