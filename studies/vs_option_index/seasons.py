"""Seasons in which timing could matter: many turns per arm, small gaps, late peaks, real traffic.

They were chosen before anything was played, and none was left out afterwards.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from highseason import traffic
from highseason.traffic import Multiplier

LEEDS, SHOP = "leeds_footfall_hourly.csv.gz", "online_retail_hourly.csv.gz"


class Season(NamedTuple):
    """One season of Bernoulli arms."""

    id: str  # A readable name
    G: Multiplier
    arms: int
    between: tuple[float, float]  # Every game draws the means of its arms between these


_ALL, _SMALL, _CLICKS = (0.0, 1.0), (0.45, 0.55), (0.0, 0.1)


def formula_seasons(quick: bool = False) -> list[Season]:
    """Seasons from formulas."""
    n = 150 if quick else 3000
    wave, step, christmas = (
        traffic.SHAPES[name](turns=n) for name in ("wave", "step", "christmas")
    )
    late, early = _peak(n, 0.9, 1.0, "late peak"), _peak(n, 0.1, 0.2, "early peak")
    return [
        Season("long-wave", wave, 10, _ALL),
        Season("long-christmas", christmas, 10, _ALL),
        Season("small-gaps-wave", wave, 10, _SMALL),
        Season("small-gaps-step", step, 10, _SMALL),
        Season("small-gaps-christmas", christmas, 10, _SMALL),
        Season("clicks-wave", wave, 10, _CLICKS),
        Season("late-peak", late, 20, _ALL),
        Season("late-peak-small-gaps", late, 20, _SMALL),
        Season("early-peak-small-gaps", early, 20, _SMALL),
    ]


def _peak(turns: int, begin: float, end: float, name: str) -> Multiplier:
    """1, and 50 between two shares of the game."""
    t = np.arange(1, turns + 1)
    inside = (t > begin * turns) & (t <= end * turns)
    return Multiplier(np.where(inside, 50.0, 1.0), name=name)


def real_seasons(data: Path | None) -> Iterator[Season]:
    """Seasons of real traffic, of the files that are in the folder."""
    if data is not None and (data / LEEDS).is_file():
        yield from _leeds(data / LEEDS)
    if data is not None and (data / SHOP).is_file():
        yield from _shop(data / SHOP)


def _leeds(path: Path) -> Iterator[Season]:
    """Footfall on Briggate; Boxing Day 2013 has the highest hour of eight years."""
    hours = traffic.read(path, value="Briggate", floor=1.0)
    G = replace(hours.window("2013-11-15", "2014-01-05"), name="Leeds hours")
    yield Season("leeds-christmas-hours", G, 10, _ALL)
    yield Season("leeds-christmas-hours-small-gaps", G, 10, _SMALL)
    days = hours.resample("1D").window("2013-01-01", "2013-12-31")
    yield Season("leeds-days", replace(days, name="Leeds days"), 10, _ALL)


def _shop(path: Path) -> Iterator[Season]:
    """Order lines of a gift shop in its open hours, up to Christmas."""
    hours = traffic.read(path, value="lines", floor=1e-9)
    season = hours.window("2011-08-01", "2011-12-09")
    opened = season.values >= 1.0
    calendar = None if season.calendar is None else season.calendar[opened]
    G = traffic.from_values(season.values[opened], calendar, "shop hours")
    yield Season("shop-hours", G, 10, _ALL)
    yield Season("shop-hours-small-gaps", G, 10, _SMALL)
