"""Turns in words: when they are, what they are called, and which of them are special days."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.traffic import special_days
from highseason_service.forecast import TrafficForecast

#: Formats of a turn's start; `{day}` has no leading zero, on any system.
_SHOWN = {
    "minute": "%a {day} %b %Y, %H:%M",
    "hour": "%a {day} %b %Y, %H:%M",
    "day": "%a {day} %b %Y",
    "week": "week of {day} %b %Y",
}

#: Round numbers of turns, by what a turn is.
_ROUND = {
    "minute": (1, 5, 15, 60, 360, 1440, 10080),
    "hour": (1, 6, 24, 168, 672),
    "day": (1, 7, 28, 91, 364),
    "week": (1, 4, 13, 52),
    "turn": (1,),
}

_NEAR_CHRISTMAS = re.compile(r"Christmas ([+-])(\d+) days")


@dataclass(frozen=True)
class TurnNames:
    """How the turns of a forecast are named.

    >>> from highseason.traffic import Calendar
    >>> days = TurnNames(TrafficForecast((300.0, 900.0), Calendar.starting("2026-12-25")))
    >>> days.name(2), days.special(2), days.unit
    ('Sat 26 Dec 2026', 'Boxing Day', 'day')
    >>> TurnNames(TrafficForecast((5.0,))).name(1)
    'turn 1'
    """

    forecast: TrafficForecast

    @property
    def unit(self) -> str:
        """What a turn is: a day, an hour, or just a turn."""
        calendar = self.forecast.calendar
        return "turn" if calendar is None else calendar.every

    @property
    def walls(self) -> Any:
        """When each turn starts, by the clock of its zone; None without a calendar."""
        return self.forecast.multiplier.calendar

    def name(self, turn: int) -> str:
        """A turn as people read it."""
        wall = self._wall(turn)
        if wall is None:
            return f"turn {turn:,}"
        return wall.strftime(_SHOWN[self.unit].format(day=wall.day))

    def special(self, turn: int) -> str:
        """The name of a special day; empty on an ordinary one, and for turns of a week."""
        wall = self._wall(turn)
        if wall is None or self.unit == "week":
            return ""
        [name] = special_days(np.array([wall], "datetime64[s]"))
        return _NEAR_CHRISTMAS.sub(_near, name)

    def landmarks(self) -> list[tuple[float, str]]:
        """Where Black Friday and Christmas lie on an axis, and their names."""
        if self.walls is None:
            return []
        first, last = (int(self.walls[i].astype("datetime64[s]").astype(int)) for i in (0, -1))
        days = np.arange(first // 86400, last // 86400 + 1).astype("datetime64[D]")
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
        seconds = self.walls[rows].astype("datetime64[s]").astype(np.int64)
        return [float(second) for second in seconds.tolist()]

    def width(self, turns: int, most: int) -> int:
        """The least round number of turns per point that gives at most `most` points."""
        ladder = _ROUND[self.unit]
        for width in ladder:
            if turns <= most * width:
                return width
        width = ladder[-1]
        while turns > most * width:
            width *= 2
        return width

    def _wall(self, turn: int) -> datetime | None:
        if self.walls is None:
            return None
        moment: datetime = self.walls[turn - 1].astype("datetime64[s]").item()
        return moment


def _near(match: re.Match[str]) -> str:
    count = int(match[2])
    days = "a day" if count == 1 else f"{count} days"
    return f"{days} {'before' if match[1] == '-' else 'after'} Christmas"
