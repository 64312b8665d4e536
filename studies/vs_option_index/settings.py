"""Where they meet: the paper's settings, other seasons, counted visitors, and real traffic."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from highseason import lifetimes, rewards, traffic
from highseason.core.warnings import quiet
from highseason.policies.lifetimes import Lifetimes
from highseason.rewards import Rewards
from highseason.traffic import Blend, Forecast, Multiplier
from studies.simulated.settings import grid

#: Worlds in the order of the page.
WORLDS = {
    "paper": "the paper's settings",
    "timing": "seasons in which timing could matter",
    "visitors": "counted visitors",
    "traffic": "real traffic, G known and forecast",
    "decks": "Upworthy's headline tests",
    "mortal": "arms that come and go",
}


@dataclass(frozen=True)
class Effort:
    """How much is played."""

    games: int  # In each setting
    tuning: int  # Other games, on which policies are tuned
    candidates: int  # Of every policy that has something to tune

    def with_games(self, games: int | None) -> Effort:
        """The same effort with `games` games; games for tuning scale in proportion."""
        games = games or self.games
        return replace(self, games=games, tuning=max(4, round(self.tuning * games / self.games)))


FULL, QUICK = Effort(56, 100, 16), Effort(8, 6, 3)


@dataclass(frozen=True, eq=False)
class Meeting:
    """A setting."""

    world: str
    id: str  # A readable name, also of files
    rewards: Rewards
    G: Multiplier
    noise: float  # The variance of a turn's reward, around which a radius is searched
    published: bool = False  # Whether the paper's constants are for this setting
    rho: float | None = None  # The correlation of a turn's visitors, where they are counted
    visitor_noise: float = math.nan  # The variance of one visitor
    forecast: Forecast | None = None  # What was expected of G before the first turn
    lifetimes: Lifetimes | None = None  # When each arm is there, if not always
    rates: tuple[float, float] = (math.nan, math.nan)  # Mean and standard deviation over arms


#: The variance of a turn's reward; a clipped normal with sigma 1 is mostly 0 or 1.
_NOISE = {"bernoulli": 1 / 6, "normal-1": 0.16, "normal-0.1": 0.01}


def paper_settings(quick: bool, _data: Path | None = None) -> Iterator[Meeting]:
    """The paper's, with Bernoulli and clipped normal rewards."""
    cells = [s for s in grid(quick) if not quick or (s.arms, s.turns) == (10, 100)]
    for s in cells:
        noise = _NOISE[s.law.id]
        yield Meeting("paper", s.id, s.rewards(), s.multiplier("paper"), noise, published=True)


#: A name, G, the number of arms, and the range from which every game draws their means.
Season = tuple[str, Multiplier, int, tuple[float, float]]
_ALL, _SMALL, _CLICKS = (0.0, 1.0), (0.45, 0.55), (0.0, 0.1)
LEEDS, SHOP = "leeds_footfall_hourly.csv.gz", "online_retail_hourly.csv.gz"


def timing_settings(quick: bool, data: Path | None) -> Iterator[Meeting]:
    """Many turns per arm, small gaps, early and late peaks, real hours and days.

    They were chosen before anything was played, and none was left out afterwards.
    """
    seasons = formula_seasons(150 if quick else 3000)
    for name, G, arms, between in seasons[::4] if quick else [*seasons, *real_seasons(data)]:
        coins = rewards.bernoulli(arms=arms, between=between)
        yield Meeting("timing", name, coins, G, _coin(*between))


def formula_seasons(turns: int) -> list[Season]:
    """Seasons from formulas."""
    wave, step, christmas = (traffic.SHAPES[name](turns) for name in ("wave", "step", "christmas"))
    late, early = _peak(turns, 0.9, 1.0, "late peak"), _peak(turns, 0.1, 0.2, "early peak")
    return [
        ("long-wave", wave, 10, _ALL), ("long-christmas", christmas, 10, _ALL),
        ("small-gaps-wave", wave, 10, _SMALL), ("small-gaps-step", step, 10, _SMALL),
        ("small-gaps-christmas", christmas, 10, _SMALL), ("clicks-wave", wave, 10, _CLICKS),
        ("late-peak", late, 20, _ALL), ("late-peak-small-gaps", late, 20, _SMALL),
        ("early-peak-small-gaps", early, 20, _SMALL),
    ]  # fmt: skip


def _peak(turns: int, begin: float, end: float, name: str) -> Multiplier:
    """1, and 50 between two shares of the game."""
    t = np.arange(1, turns + 1)
    inside = (t > begin * turns) & (t <= end * turns)
    return Multiplier(np.where(inside, 50.0, 1.0), name=name)


def real_seasons(data: Path | None) -> Iterator[Season]:
    """Seasons of real traffic, of the files that are in the folder."""
    if data is not None and (data / LEEDS).is_file():
        # Footfall on Briggate; Boxing Day 2013 has the highest hour of eight years.
        with quiet():  # it notes which hours are missing
            hours = traffic.read(data / LEEDS, value="Briggate", floor=1.0)
        G = replace(hours.window("2013-11-15", "2014-01-05"), name="Leeds hours")
        days = hours.resample("1D").window("2013-01-01", "2013-12-31")
        yield "leeds-christmas-hours", G, 10, _ALL
        yield "leeds-christmas-hours-small-gaps", G, 10, _SMALL
        yield "leeds-days", replace(days, name="Leeds days"), 10, _ALL
    if data is not None and (data / SHOP).is_file():
        # Order lines of a gift shop in its open hours, up to Christmas.
        with quiet():
            lines = traffic.read(data / SHOP, value="lines", floor=1e-9)
        season = lines.window("2011-08-01", "2011-12-09")
        opened = season.values >= 1.0
        calendar = None if season.calendar is None else season.calendar[opened]
        G = traffic.from_values(season.values[opened], calendar, "shop hours")
        yield "shop-hours", G, 10, _ALL
        yield "shop-hours-small-gaps", G, 10, _SMALL


def _coin(low: float, high: float) -> float:
    """The variance of a coin whose rate is anywhere between these."""
    return (low + high) / 2 - (low**2 + low * high + high**2) / 3


RATES = ("rates-0.01-to-0.05", "rates-0.2-to-0.6", "rates-0.03+-0.003")
SIZES = ((5, 90), (20, 365), (5, 1000), (20, 90), (5, 365), (20, 1000))
SHAPES = ("wave", "christmas", "step", "week-and-year")
RHOS, VISITORS = (0.0, 0.0005, 0.005, 0.05, 1.0), (30, 500, 20_000)


def visitors_settings(quick: bool, _data: Path | None = None) -> Iterator[Meeting]:
    """Shapes, correlations and numbers of visitors, all combined; rates and sizes take turns."""
    cells = itertools.product(SHAPES, RHOS, VISITORS)
    for i, (shape, rho, visitors) in enumerate(cells):
        if quick and i % 19:
            continue
        arms, turns = (4, 60) if quick else SIZES[(i + i // 6) % len(SIZES)]
        rates = RATES[(i + i // 3 + i // 15) % len(RATES)]
        name = f"{shape}-rho-{rho:g}-{visitors}-visitors-{rates}-{arms}-arms-{turns}-turns"
        yield counted("visitors", name, shape_of(shape, turns), arms, rates, visitors, rho)


def counted(
    world: str, name: str, G: Multiplier, arms: int, rates: str, visitors: float, rho: float,
    forecast: Forecast | None = None,
) -> Meeting:  # fmt: skip
    """A setting in which a turn has `visitors` visitors on average.

    Rates are uniform between two, or have a mean and a standard deviation ("0.03+-0.003").
    """
    prior = "+-" in rates
    first, second = map(float, rates.removeprefix("rates-").split("+-" if prior else "-to-"))
    mean = first if prior else (first + second) / 2
    deviation = second if prior else (second - first) / math.sqrt(12)
    model = rewards.visitors(
        arms=arms, between=(0.0, 1.0) if prior else (first, second),
        prior=(first, second) if prior else None, share=visitors / float(G.values.mean()), rho=rho,
    )  # fmt: skip
    one = mean * (1 - mean)
    turn = one * (rho + (1 - rho) / visitors)
    return Meeting(
        world, name, model, G, turn, rho=rho, visitor_noise=one, forecast=forecast,
        rates=(mean, deviation),
    )  # fmt: skip


def shape_of(name: str, turns: int) -> Multiplier:
    """One of the paper's shapes, or weekdays and seasons."""
    return week_and_year(turns) if name == SHAPES[-1] else traffic.SHAPES[name](turns=turns)


_WEEK = np.array([0.9, 0.85, 0.85, 0.95, 1.15, 1.3, 1.0])
_FIRST_OF_OCTOBER, _PEAK, _WIDTH = 273, 350, 12


def week_and_year(turns: int) -> Multiplier:
    """Weekdays, a mild season and a peak in December; a short game starts in October.

    >>> week_and_year(365).values.round(2)[[0, 180, 350]]
    array([0.9 , 1.29, 3.83])
    """
    day = np.arange(turns) + (_FIRST_OF_OCTOBER if turns < 180 else 0)
    season = 1 - 0.25 * np.sin(2 * np.pi * day / 365)
    peak = 1 + 3 * np.exp(-0.5 * ((day % 365 - _PEAK) / _WIDTH) ** 2)
    return Multiplier(_WEEK[day % 7] * season * peak, name="week-and-year")


#: Real series: the file, its column, the turns of the season at its end, and the turns' length.
SERIES = {
    "leeds-days": ("leeds_footfall_hourly.csv.gz", "Briggate", "1D", 365),
    "shop-days": ("online_retail_hourly.csv.gz", "orders", "1D", 180),
    "page-views": ("upworthy_daily_pageviews.csv", None, None, 180),
    "wikipedia": ("series/wikipedia_r_daily.csv.gz", None, None, 365),
    "taxi-hours": ("series/nyc_taxi_30min.csv.gz", None, "1h", 336),
}


def traffic_settings(quick: bool, data: Path | None) -> Iterator[Meeting]:
    """The last season of each series, forecast from what came before: coins, and visitors."""
    if data is None:
        return
    for name in list(SERIES)[2:3] if quick else SERIES:
        if (data / SERIES[name][0]).is_file():
            yield from _season(name, data)


def _season(name: str, data: Path) -> Iterator[Meeting]:
    past, G = real_series(name, data)
    with quiet():
        forecast = Blend().fit(past).predict(G.turns)
    coins = rewards.bernoulli(arms=10)
    yield Meeting("traffic", f"{name}-coins", coins, G, _NOISE["bernoulli"], forecast=forecast)
    yield counted("traffic", f"{name}-visitors", G, 10, "rates-0.01-to-0.05", 500, 0.005, forecast)


def real_series(name: str, data: Path) -> tuple[Multiplier, Multiplier]:
    """The past of a series, and the season at its end."""
    file, column, step, turns = SERIES[name]
    with quiet():
        series = traffic.read(data / file, value=column, floor=1.0)
    series = series if step is None else series.resample(step)
    begin = series.turns - turns
    return series.window(1, begin), series.window(begin + 1, series.turns)


#: How many arms are there at a time, and how long each is, on average.
FLOWS = ((10, 60), (20, 120))


def mortal_settings(quick: bool, _data: Path | None = None) -> Iterator[Meeting]:
    """Arms are born and die, in every shape; rates of all sizes, and click rates."""
    turns = 60 if quick else 600
    cells = itertools.product(SHAPES, ((0.0, 1.0), (0.01, 0.05)))
    for i, (shape, (low, high)) in enumerate(cells):
        if quick and i % 5:
            continue
        alive, life = FLOWS[(i + i // 2) % 2]
        flow = lifetimes.birth_and_death(turns=turns, alive=alive, life=life)
        arms = rewards.bernoulli(arms=flow.arms, between=(low, high))
        name = f"{shape}-{alive}-arms-for-{life}-turns-rates-{low:g}-to-{high:g}"
        G, noise = shape_of(shape, turns), _coin(low, high)
        yield Meeting("mortal", name, arms, G, noise, lifetimes=flow)


_PARTS: dict[str, Callable[[bool, Path | None], Iterator[Meeting]]] = {
    "paper": paper_settings, "timing": timing_settings, "visitors": visitors_settings,
    "traffic": traffic_settings, "mortal": mortal_settings,
}  # fmt: skip


def all_settings(quick: bool, data: Path | None, parts: Iterable[str] = WORLDS) -> list[Meeting]:
    """Every setting of these parts but the decks, whose games are made otherwise."""
    return [each for part in parts if part in _PARTS for each in _PARTS[part](quick, data)]
