"""The traffic forecast of an experiment: a value per turn, and a calendar of equal turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Self

import numpy as np

from highseason.service.errors import ClashError, InvalidError
from highseason.traffic import Multiplier
from highseason.traffic.dates import Instants, check_zone, format_time, time_of, to_instants
from highseason.traffic.timeline import Timeline

_DAY = 24 * 60 * 60

#: How many seconds a turn may take; from a day on, turns follow the wall clock.
LENGTHS = {"minute": 60, "hour": 60 * 60, "day": _DAY, "week": 7 * _DAY}


@dataclass(frozen=True)
class Calendar:
    """When the turns are: the start of the first by the clock of a zone, and their length.

    >>> Calendar("2026-03-28", "day", "Europe/Rome").instants(2)[1]  # the clock is put forward
    np.datetime64('2026-03-28T23:00:00')
    """

    start: str
    every: str = "day"
    zone: str = "UTC"

    def instants(self, turns: int) -> Instants:
        """The starts of the first turns, in UTC."""
        zone_of_turns, seconds = check_zone(self.zone), LENGTHS[self.every]
        first, zone = time_of(self.start, "start: ")
        if zone is not None:
            raise InvalidError(
                f"start={self.start!r} has an offset: give the time by the clock of zone="
                f"{self.zone!r}, without one"
            )
        steps = np.arange(turns) * np.timedelta64(seconds, "s")
        first = first.astype("datetime64[s]")
        if seconds >= _DAY:
            return to_instants(first + steps, zone_of_turns)
        instants: Instants = to_instants(np.array([first]), zone_of_turns)[0] + steps
        return instants


@dataclass(frozen=True)
class TrafficForecast:
    """Visitors expected in each turn; with a calendar, turns can be named by moments.

    >>> forecast = TrafficForecast((300.0, 900.0), Calendar("2026-12-24"))
    >>> forecast.turn_at(datetime(2026, 12, 25, 18, tzinfo=UTC)), forecast.time(2)
    (2, '2026-12-25')
    """

    values: tuple[float, ...]
    calendar: Calendar | None = None

    @classmethod
    def of(cls, G: Multiplier) -> Self:
        """The forecast that a multiplier holds; its turns must have equal lengths.

        >>> G = Multiplier([10, 20], calendar=["2026-12-24", "2026-12-25"])
        >>> TrafficForecast.of(G).calendar
        Calendar(start='2026-12-24', every='day', zone='UTC')
        """
        values = tuple(G.values.tolist())
        if G.timeline is None:
            return cls(values)
        instants = G.timeline.instants.astype("datetime64[s]")
        for every in LENGTHS:
            calendar = Calendar(format_time(G.timeline.wall[0]), every, G.zone or "UTC")
            if np.array_equal(calendar.instants(len(values)), instants):
                return cls(values, calendar)
        raise InvalidError(
            "the turns of a forecast must follow each other every minute, hour, day or week: "
            "resample the traffic first (G.resample)"
        )

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """The forecast that `to_dict` wrote."""
        calendar = entry["calendar"]
        return cls(tuple(entry["values"]), None if calendar is None else Calendar(**calendar))

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain data."""
        calendar = None if self.calendar is None else vars(self.calendar)
        return {"values": list(self.values), "calendar": calendar}

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

    def time(self, turn: int) -> str | None:
        """When a turn starts, by the clock of the zone; None without a calendar."""
        calendar = self.multiplier.calendar
        return None if calendar is None else format_time(calendar[turn - 1])

    def turn_at(self, moment: datetime) -> int:
        """The turn in which a moment falls."""
        if self.calendar is None:
            raise InvalidError(
                "this experiment has no calendar, so no turn is now: name the turn (turn=1)"
            )
        if moment.tzinfo is None:
            raise InvalidError(f"{moment.isoformat()} has no zone: append one, such as +01:00 or Z")
        instant = np.datetime64(moment.astimezone(UTC).replace(tzinfo=None), "us")
        turn = int(np.searchsorted(self._edges, instant, "right"))
        if not 1 <= turn <= len(self.values):
            raise ClashError(
                f"{moment.isoformat()} lies outside the forecast, which goes from {self.time(1)} "
                f"to {self.time(len(self.values))}: replace the forecast with a longer one"
            )
        return turn

    def replaced(self, first: int, values: Sequence[float]) -> Self:
        """The forecast with other values from a turn on."""
        return replace(self, values=(*self.values[: first - 1], *values))


def replacement(
    calendar: Calendar | None, turns: int, played: int, G: Multiplier
) -> tuple[int, list[float]]:
    """The first turn that a new forecast is for, and its values from there on.

    Rows with times are for the turns that start then; those of decided turns are left out.  Rows
    without times follow the last turn that is decided.

    Args:
        calendar: The turns of the experiment; None if they have numbers only.
        turns: How many turns its forecast has.
        played: The last turn that is decided.
        G: The new forecast; where it has no zone, its times are those of the calendar's clock.

    >>> G = Multiplier([10, 20, 30], calendar=["2026-12-24", "2026-12-25", "2026-12-26"])
    >>> replacement(Calendar("2026-12-20"), 9, 5, G)
    (6, [20.0, 30.0])
    """
    values = G.values.tolist()
    if calendar is None or G.timeline is None:
        return played + 1, values
    new = TrafficForecast.of(G).calendar
    assert new is not None, "it has times"
    begins = replace(new, zone=G.zone or calendar.zone).instants(1)[0]
    starts = calendar.instants(turns + 1)
    first = int(np.searchsorted(starts, begins)) + 1
    same = new.every == calendar.every or len(values) == 1  # the length of one row is not known
    if not same or first > turns + 1 or starts[first - 1] != begins:
        raise InvalidError(
            f"the new forecast has a row per {new.every} from {new.start}: expected one per "
            f"{calendar.every}, from the start of a turn between {calendar.start} and the end of "
            "the forecast so far"
        )
    left_out = max(0, played + 1 - first)
    if left_out >= len(values):
        raise ClashError("every turn of the new forecast is decided already: give a later one")
    return first + left_out, values[left_out:]
