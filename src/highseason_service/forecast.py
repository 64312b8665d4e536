"""The traffic forecast of an experiment: a value per turn, and a calendar of equal turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core import quiet
from highseason.policies import Plan, PlanWarning, Policy
from highseason.traffic import (
    LENGTHS,
    Calendar,
    Instants,
    Multiplier,
    Timeline,
    as_multiplier,
    day_in_words,
    format_time,
    special_days,
)
from highseason_service.errors import ClashError, InvalidError


@dataclass(frozen=True)
class TrafficForecast:
    """Visitors expected in each turn; with a calendar, turns can be named by moments.

    >>> forecast = TrafficForecast((300.0, 900.0), Calendar.starting("2026-12-24"))
    >>> forecast.turn_at(datetime(2026, 12, 25, 18, tzinfo=UTC)), forecast.time(2)
    (2, '2026-12-25')
    >>> forecast.name(2), forecast.special(2), forecast.unit
    ('Fri 25 Dec 2026', 'Christmas Day', 'day')
    >>> TrafficForecast((5.0,)).name(1)
    'turn 1'
    """

    values: tuple[float, ...]
    calendar: Calendar | None = None

    @classmethod
    def of(cls, G: Any) -> Self:
        """The forecast that a multiplier, or what is taken for one, holds: turns of equal lengths.

        Times of the week at which it has no turn are closed.

        >>> G = Multiplier([10, 20], calendar=["2026-12-24", "2026-12-25"])
        >>> TrafficForecast.of(G).calendar == Calendar.starting("2026-12-24")
        True
        """
        G = as_multiplier(G)
        values = tuple(G.values.tolist())
        if G.timeline is None:
            return cls(values)
        instants = G.timeline.instants.astype("datetime64[s]")
        for every in reversed(LENGTHS) if len(values) > 1 else LENGTHS:
            start = format_time(G.timeline.wall[0])
            calendar = Calendar.starting(start, every, G.zone or "UTC").only(instants)
            if np.array_equal(calendar.instants(len(values)), instants):
                return cls(values, calendar)
        raise InvalidError(
            "an experiment has a turn at every open time of the week: expected a row per minute, "
            "hour, day or week, with none left out. If rows are missing, add them, or join rows "
            "with every='1D' or every='1W'; own days of the kind 'closed' cannot be left out: take "
            "them out of your own days, and report 0 visitors on them"
        )

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """The forecast that `to_dict` wrote."""
        calendar = entry["calendar"]
        given = None if calendar is None else Calendar.starting(**calendar)
        return cls(tuple(entry["values"]), given)

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain data."""
        return {"values": list(self.values), "calendar": self.calendar_dict()}

    def calendar_dict(self) -> dict[str, Any] | None:
        """The calendar as plain data, from which `Calendar.starting` makes it again."""
        if (known := self.calendar) is None:
            return None
        plain = {"start": known.start, "every": known.every, "zone": known.zone or "UTC"}
        return plain | ({"closed": list(known.closed)} if known.closed else {})

    @cached_property
    def _edges(self) -> Instants:
        """The start of each turn and the end of the last, in UTC."""
        assert self.calendar is not None, "asked only where there is a calendar"
        return self.calendar.instants(len(self.values) + 1).astype("datetime64[us]")

    @cached_property
    def multiplier(self) -> Multiplier:
        """The forecast as a multiplier."""
        if self.calendar is None:
            return Multiplier(np.array(self.values))
        starts: Any = Timeline(self._edges[:-1], "UTC")
        return Multiplier(np.array(self.values), starts, zone=self.calendar.zone)

    @property
    def walls(self) -> Any:
        """When each turn starts, by the clock of its zone; None without a calendar."""
        return self.multiplier.calendar

    def time(self, turn: int) -> str | None:
        """When a turn starts, by the clock of the zone; None without a calendar."""
        return None if self.walls is None else format_time(self.walls[turn - 1])

    def starts(self, turn: int) -> str | None:
        """When a turn starts, with the offset of the zone: `2026-12-25T00:00+01:00`."""
        line: Any = self.multiplier.timeline
        return None if line is None else line.moment(turn - 1).isoformat(timespec="minutes")

    def ends(self, turn: int) -> str:
        """When a turn of a calendar ends, in UTC."""
        end: datetime = self._edges[turn].item()
        return end.replace(tzinfo=UTC).isoformat()

    @property
    def zone(self) -> tzinfo:
        """The zone of its clock; UTC without a calendar."""
        line: Any = self.multiplier.timeline
        return UTC if line is None else line.moment(0).tzinfo

    def turn_at(self, moment: datetime) -> int:
        """The turn in which a moment falls."""
        if self.calendar is None:
            raise InvalidError('this experiment has no calendar: name the turn, as in {"turn": 1}')
        turn = self.place(moment)
        if not 1 <= turn <= len(self.values):
            raise ClashError(
                f"{moment.isoformat()} lies outside the forecast, which goes from {self.time(1)} "
                f"to {self.time(len(self.values))}: replace the forecast with a longer one"
            )
        if self.calendar.closed:
            wall = np.datetime64(moment.astimezone(self.zone).replace(tzinfo=None))
            if wall >= self.walls[turn - 1] + self.calendar.step:
                raise ClashError(
                    f"{moment.isoformat()} is closed: no turn follows turn {turn} "
                    f"({self.time(turn)}) before {self._edges[turn].item().isoformat()} UTC"
                )
        return turn

    def place(self, moment: datetime) -> int:
        """Like `turn_at`, but 0 before the first turn, and the next number after the last."""
        if moment.tzinfo is None:
            raise InvalidError(f"{moment.isoformat()} has no zone: append one, such as +01:00 or Z")
        try:
            instant = np.datetime64(moment.astimezone(UTC).replace(tzinfo=None), "us")
        except OverflowError:
            raise InvalidError(f"{moment.isoformat()} is not a moment in UTC") from None
        return int(np.searchsorted(self._edges, instant, "right"))

    def progress(self, moment: datetime) -> tuple[int | None, int]:
        """The turn that is now, if one is, and how many are over."""
        try:
            turn = self.turn_at(moment)
        except ClashError:  # before the first, closed, or after the last
            return None, min(self.place(moment), len(self.values))
        return turn, turn - 1

    def idle(self, past: int) -> str:
        """Why no turn is now, with the number of turns that are over."""
        if not past:
            return f"Begins {self.name(1)}"
        return "Closed now" if past < len(self.values) else "The forecast has ended"

    def replaced(self, first: int, values: Sequence[float], decided: int = 0) -> Self:
        """The forecast with other values from a turn on; up to turn `decided` it does not end."""
        rest = self.values[first - 1 + len(values) : decided]
        return replace(self, values=(*self.values[: first - 1], *values, *rest))

    def plan(self, policy: Policy, arms: int) -> Plan:
        """What a policy plans for these turns."""
        with quiet(PlanWarning):
            return policy.plan(self.multiplier, arms)

    # -- turns in words ---------------------------------------------------------------------------

    @property
    def unit(self) -> str:
        """What a turn is: a day, an hour, or just a turn."""
        return "turn" if self.calendar is None else self.calendar.every

    def name(self, turn: int) -> str:
        """A turn as people read it."""
        if self.walls is None:
            return f"turn {turn:,}"
        wall: datetime = self.walls[turn - 1].astype("datetime64[s]").item()
        date = f"{wall.day} {wall:%b %Y}"
        if self.unit == "week":
            return f"week of {date}"
        return f"{wall:%a} {date}" if self.unit == "day" else f"{wall:%a} {date}, {wall:%H:%M}"

    def special(self, turn: int) -> str:
        """The name of a special day; empty on an ordinary one, and for turns of a week."""
        if self.walls is None or self.unit == "week":
            return ""
        [name] = special_days(self.walls[turn - 1 : turn].astype("datetime64[s]"))
        return day_in_words(name)

    def landmarks(self) -> list[tuple[float, str]]:
        """Where Black Friday and Christmas lie on an axis, and their names."""
        if self.walls is None:
            return []
        first, last = self.walls[[0, -1]].astype("datetime64[D]")
        days = np.arange(first, last + np.timedelta64(1, "D"))
        shown = {"Black Friday": "Black Friday", "Christmas Day": "Christmas"}
        return [
            (86400.0 * int(day.astype(int)), shown[name])
            for day, name in zip(days, special_days(days), strict=True)
            if name in shown
        ]

    def positions(self, rows: NDArray[np.int64]) -> list[float]:
        """Where turns lie on an axis: seconds of the wall clock, or their numbers."""
        if self.walls is None:
            return [float(row + 1) for row in rows.tolist()]
        return list(self.walls[rows].astype("datetime64[s]").astype(np.float64).tolist())


def replacement(
    calendar: Calendar | None, turns: int, first_open: int, G: Multiplier
) -> tuple[int, list[float]]:
    """The first turn that a new forecast is for, and its values from there on.

    Rows with times are for the turns that start then; the first ones are left out while their turns
    are decided.  Rows without times begin with the first turn that is not decided.  Times without a
    zone are those of the calendar's clock; where there is no calendar, turns have numbers only.

    >>> G = Multiplier([10, 20, 30], calendar=["2026-12-24", "2026-12-25", "2026-12-26"])
    >>> replacement(Calendar.starting("2026-12-20"), 9, 6, G)
    (6, [20.0, 30.0])
    """
    values = G.values.tolist()
    if calendar is None or G.timeline is None:
        return first_open, values
    new = TrafficForecast.of(G).calendar
    assert new is not None, "it has times"
    begins = replace(new, zone=G.zone or calendar.zone).instants(len(values))
    starts = calendar.instants(turns + len(values))
    first = int(np.searchsorted(starts, begins[0])) + 1
    if first > turns + 1 or not np.array_equal(starts[first - 1 :][: len(values)], begins):
        raise InvalidError(
            f"the new forecast has a row per {new.every} from {new.start}: expected one per "
            f"{calendar.every}, from the start of a turn between {calendar.start} and the end of "
            "the forecast so far"
        )
    left_out = max(0, first_open - first)
    if left_out >= len(values):
        raise ClashError("every turn of the new forecast is decided already: give a later one")
    return first + left_out, values[left_out:]
