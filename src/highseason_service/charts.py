"""What happened in an experiment, as columns over its turns, and the charts that are drawn of it.

A chart has at most a few hundred points, and the same numbers as a table.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from highseason.core import counted, format_number, percent
from highseason.policies import DEFAULT_POLICY, Plan, favoured, prices
from highseason.rewards import Offer
from highseason.traffic import LENGTHS
from highseason_service import store
from highseason_service.forecast import TrafficForecast
from highseason_service.model import ArmReport, PriceReport, money

Numbers = NDArray[np.float64]

#: The most points of a line, and the most columns of a chart of columns.
LINE, COLUMNS = 400, 60

#: Round numbers of turns, by what a turn is.
_ROUND = {
    "minute": (1, 5, 15, 60, 360, 1440, 10080),
    "hour": (1, 6, 24, 168, 672),
    "day": (1, 7, 28, 91, 364),
    "week": (1, 4, 13, 52),
    "turn": (1,),
}


class ArmChange(NamedTuple):
    """An arm was added or removed, by the event with this number."""

    seq: int
    arm: str
    removed: bool


@dataclass(frozen=True)
class PlayHistory:
    """The portions of an experiment's decided turns, in the order of turns; arms have numbers."""

    numbers: dict[str, int]  # the number of each arm that was played, by its id
    turn: NDArray[np.int64]
    entry: NDArray[np.int64]  # the number of the event that decided the turn
    arm: NDArray[np.int32]  # the number of the arm
    exploited: NDArray[np.bool_]  # whether it played the best arm so far
    reward: NDArray[np.float64]  # NaN where there is none
    visitors: NDArray[np.float64]  # who came, NaN where it is not known
    brought: NDArray[np.float64]  # the reward, or the purchases, as they were reported
    changes: list[ArmChange]  # when arms came and went

    @classmethod
    def read(
        cls, connection: Connection, experiment: str, offers: Mapping[str, Offer] | None = None
    ) -> Self:
        """The turns as they are in the database; 100,000 take half a second.

        What prices brought is their profit, at what they offer.
        """
        rows, log = store.history(connection, experiment)
        turns, arms, exploited, reward, visitors, bought = (
            zip(*rows, strict=True) if rows else [()] * 6
        )
        brought = reward if offers is None else bought
        if offers is not None:
            margins = [offers[arm].margin for arm in arms]
            reward = tuple((np.array(bought, np.float64) * margins).tolist())
        entries = {turn: seq for kind, turn, seq, _ in log if kind == "decided"}
        numbers = {arm: number for number, arm in enumerate(dict.fromkeys(arms))}
        return cls(
            numbers,
            np.array(turns, np.int64),
            np.array([entries[turn] for turn in turns], np.int64),
            np.array([numbers[arm] for arm in arms], np.int32),
            np.array(exploited, np.bool_),
            np.array(reward, np.float64),  # None is NaN
            np.array(visitors, np.float64),
            np.array(brought, np.float64),
            [
                ArmChange(seq, json.loads(body)["id"], kind == "arm_retired")
                for kind, _, seq, body in log
                if kind != "decided"
            ],
        )

    @property
    def turns(self) -> int:
        """The latest turn that is decided."""
        return int(self.turn[-1]) if self.turn.size else 0

    def by_turn(self, values: NDArray[Any], turns: int | None = None) -> Numbers:
        """What the portions of each of the first turns have together; NaN where there are none."""
        turns = self.turns if turns is None else turns
        rows, sums = self.turn <= turns, np.full(turns, np.nan)
        sums[self.turn[rows] - 1] = 0.0
        np.add.at(sums, self.turn[rows] - 1, values[rows])
        return sums

    def plays(self, before: int) -> dict[str, int]:
        """How often each arm was played in the turns before a turn."""
        arms = self.arm[self.turn < before]
        counts = np.bincount(arms, minlength=len(self.numbers)).tolist()
        return {arm: counts[number] for arm, number in self.numbers.items()}


@dataclass(frozen=True)
class Series:
    """One quantity of a chart; `look` is how it is drawn, by the name of its style."""

    name: str
    values: Numbers
    look: str
    show: Callable[[float], str] = format_number


@dataclass(frozen=True)
class Chart:
    """A chart, what it shows in a sentence, and its table."""

    id: str  # its name in the page
    title: str  # what it is about
    sentence: str  # what there is to see
    times: list[float]  # where each point lies
    labels: list[str]  # each point in words
    series: tuple[Series, ...]  # what is drawn
    point: str  # what one point stands for
    dated: bool
    step: float  # how far apart points lie
    now: float | None = None  # where the coming turns begin, if some are shown
    marks: tuple[tuple[float, str], ...] = ()  # days that people look for, and where they lie

    def data(self) -> dict[str, Any]:
        """What the script draws."""
        drawn = ("dated", "now", "step", "marks", "times", "labels")
        lines = [
            {
                "name": one.name,
                "look": one.look,
                "values": [None if math.isnan(v) else float(f"{v:.6g}") for v in one.values],
            }
            for one in self.series
        ]
        return {name: getattr(self, name) for name in drawn} | {"series": lines}

    def rows(self) -> list[tuple[str, ...]]:
        """The rows of the table."""
        columns = (
            ["–" if math.isnan(value) else one.show(value) for value in one.values.tolist()]
            for one in self.series
        )
        return list(zip(self.labels, *columns, strict=True))


@dataclass(frozen=True)
class Buckets:
    """Turns in groups of equal size."""

    turns: TrafficForecast
    width: int
    firsts: NDArray[np.int64]  # the row of the first turn of each group
    lasts: NDArray[np.int64]  # and of the last

    @classmethod
    def of(cls, turns: TrafficForecast, count: int, most: int) -> Self:
        """Groups of the first `count` turns, at most `most` groups of a round number of turns."""
        ladder = _ROUND[turns.unit]
        width = next((width for width in ladder if count <= most * width), ladder[-1])
        while count > most * width:
            width *= 2
        firsts = np.arange(0, count, width)
        return cls(turns, width, firsts, np.minimum(firsts + width, count) - 1)

    def chart(
        self, name: str, title: str, sentence: str, *series: Series, ends: bool = False, **more: Any
    ) -> Chart:
        """A chart of the groups, each named by its first turn, or where it `ends`."""
        turns, prefix = self.turns, "to " if ends else "" if self.width == 1 else "from "
        rows = self.lasts if ends else self.firsts
        labels = [f"{prefix}{turns.name(row + 1)}" for row in rows.tolist()]
        point = f"one {turns.unit}" if self.width == 1 else f"{self.width:,} {turns.unit}s"
        step = float(self.width * LENGTHS.get(turns.unit, 1))
        about = turns.positions(rows), labels, series, point, turns.walls is not None, step
        return Chart(name, title, sentence, *about, **more)

    def mean(self, values: Numbers) -> Numbers:
        """The mean of each group, of the values that are known."""
        if not self.firsts.size:
            return np.empty(0)
        known = ~np.isnan(values)
        sums = np.add.reduceat(np.where(known, values, 0.0), self.firsts)
        counts = np.add.reduceat(known.astype(np.float64), self.firsts)
        means: Numbers = np.divide(sums, counts, out=np.full(sums.size, np.nan), where=counts > 0)
        return means


def traffic(
    turns: TrafficForecast,
    plan: Plan,
    history: PlayHistory | None = None,
    past: int = 0,
    over: int | None = None,
) -> Chart:
    """Visitors, past and coming, and where exploration is planned, or else is cheapest.

    The plan is shown after `past` turns; `over` of them are over, where that is not the same.
    """
    forecast = plan.multiplier.values
    groups = Buckets.of(turns, forecast.size, LINE)
    series = [Series("expected", groups.mean(forecast), "expected")]
    if history is not None:
        came = history.by_turn(history.visitors, forecast.size)
        series.append(Series("came", groups.mean(came), "came"))
    priced = prices(plan) is not None
    planned = favoured(plan, past).astype(np.float64) if priced else plan.exploration
    share = np.where(np.arange(forecast.size) < past, np.nan, planned)
    if priced:
        series.append(Series("cheapest to explore", groups.mean(share), "cheapest", _yes_or_share))
    else:
        series.append(Series("planned exploration", groups.mean(share), "exploration", percent))
    over = past if over is None else over
    now = turns.positions(np.array([over]))[0] if 0 < over < forecast.size else None
    title = f"Visitors, and where {'exploring is cheapest' if priced else 'exploration is planned'}"
    sentence = _traffic_sentence(plan, past, turns.unit)
    marks = tuple(turns.landmarks())
    return groups.chart("traffic", title, sentence, *series, now=now, marks=marks)


def _traffic_sentence(plan: Plan, past: int, unit: str) -> str:
    coming, explored = plan.multiplier.values[past:], plan.exploration[past:]
    if not coming.size:
        return f"The forecast is played to its end: {counted(past, unit)}. Give it a longer one."
    busy = coming >= plan.busy_from
    start = (
        f"{counted(coming.size, unit)} to come, {int(busy.sum()):,} of them busy "
        f"({format_number(plan.busy_from)} visitors or more)."
    )
    if prices(plan) is not None:
        cheap = int(favoured(plan, past).sum())
        where = f"is cheapest on {cheap:,} of them" if cheap else "costs the same on all of them"
        return f"{start} Exploring {where}; how much it explores depends on what it learns."
    total = float(explored.sum())
    if not total:
        return f"{start} No exploration is planned."
    quiet = float(explored[~busy].sum()) / total
    return f"{start} Of the planned exploration, {percent(quiet)} falls on quiet {unit}s."


def busy_warning(plan: Plan, unit: str, past: int = 0) -> list[str]:
    """A warning where a plan explores on most of the busiest turns to come, at least ten of all."""
    coming, explored = plan.multiplier.values[past:], plan.exploration[past:]
    if prices(plan) is not None or coming.size < 10:
        return []
    busiest = np.argsort(coming)[-(coming.size // 10) :]
    most = int((explored[busiest] > 0.5).sum())
    if 2 * most <= busiest.size:
        return []
    return [
        f"This plan explores on {most:,} of your {counted(busiest.size, f'busiest {unit}')}, when "
        f"it costs most. The policy {DEFAULT_POLICY} explores where it is cheap."
    ]


def choices(turns: TrafficForecast, history: PlayHistory) -> Chart:
    """How often the best arm so far was played, and how often another one."""
    groups = Buckets.of(turns, history.turns, COLUMNS)
    flags = history.by_turn(history.exploited)
    decided = ~np.isnan(flags)
    exploited, sentence = groups.mean(flags), "Nothing is decided yet."
    if decided.any():
        sentence = (
            f"On {percent(1.0 - float(flags[decided].mean()))} of "
            f"{counted(int(decided.sum()), turns.unit)} it explored: it tried an arm other than "
            "the best so far."
        )
    return groups.chart(
        "choices",
        "Exploring and exploiting",
        sentence,
        Series("exploited", exploited, "exploited", percent),
        Series("explored", 1.0 - exploited, "explored", percent),
    )


def rewards(
    turns: TrafficForecast, history: PlayHistory, best: str, worth: float, unit: str | None = None
) -> Chart:
    """What was earned, and what the best arm so far would have earned at its worth per visitor.

    Where arms are prices, in a unit.
    """
    groups = Buckets.of(turns, history.turns, LINE)
    what, arm = ("Reward", "arm") if unit is None else ("Profit", "price")
    say = format_number if unit is None else partial(money, unit=unit)
    reward, came = history.by_turn(history.reward), history.by_turn(history.visitors)
    known = ~np.isnan(reward)
    earned = np.cumsum(np.where(known, reward, 0.0))
    possible = np.cumsum(np.where(known, came * worth, 0.0))
    sentence = "There is no reward yet."
    if known.any():
        sentence = f"{say(earned[-1])} earned."
        if math.isfinite(possible[-1]) and possible[-1] > 0:
            sentence += (
                f" That is {percent(earned[-1] / possible[-1])} of the "
                f"{say(possible[-1])} that {best}, the best {arm} so far at {say(worth)} per "
                "visitor, would have earned from the start."
            )
    return groups.chart(
        "rewards",
        f"{what}, beside the best {arm} so far",
        sentence,
        Series("earned", earned[groups.lasts], "earned"),
        Series(f"the best {arm} so far, from the start", possible[groups.lasts], "possible"),
        ends=True,
    )


def _yes_or_share(value: float) -> str:
    """Whether a turn is one of them; of several turns, the share that is."""
    return {0.0: "no", 1.0: "yes"}.get(value) or percent(value)


# -- prices: drawn by the server, in percent of a picture as wide as its place --------------------

#: Where the picture's axes are: left, right, top and bottom.
_LEFT, _RIGHT, _TOP, _BOTTOM = 14.0, 97.0, 5.0, 86.0
#: Where the rows of labels are, how near labels may be, the radius of the largest dot in pixels.
_ROWS, _NEAR, _LARGEST = (93.0, 99.0), 12.0, 10.0


@dataclass(frozen=True)
class PricePoint:
    """A price in a chart: its place, the heights of its band, and the dot of what was seen."""

    label: str  # under the axis; "" where there is no room
    row: float  # how far under it
    x: float
    low: float
    middle: float
    high: float
    dot: float | None
    radius: float
    leads: bool


@dataclass(frozen=True)
class PriceChart:
    """A quantity against the price, with its band of 90% and what was seen; a table has both."""

    id: str
    title: str
    sentence: str
    points: list[PricePoint]
    ticks: list[tuple[float, str]]  # heights, and what they stand for

    @property
    def band(self) -> str:
        """The outline of the band, as an SVG has it."""
        there = [f"{p.x},{p.low}" for p in self.points]
        back = [f"{p.x},{p.high}" for p in reversed(self.points)]
        return " ".join(there + back)

    @property
    def line(self) -> str:
        """The middle of the band."""
        return " ".join(f"{p.x},{p.middle}" for p in self.points)


def of_prices(
    arms: Sequence[ArmReport], best: str | None, unit: str, tax: float
) -> list[PriceChart]:
    """Demand, and profit per visitor, against the price; arms in the order of their prices."""
    shown = [(arm, arm.demand) for arm in arms if arm.demand is not None]
    demand, profit = list[tuple[float, ...]](), list[tuple[float, ...]]()
    for arm, seen in shown:
        margin = Offer(arm.price or 0.0, arm.cost or 0.0, tax).margin
        came = seen.purchases / seen.visitors if seen.visitors else math.nan
        demand.append((seen.buys_low, seen.buys, seen.buys_high, came))
        profit.append((seen.earns_low, seen.earns, seen.earns_high, came * margin))
    of_demand = (
        "The line is the share of visitors who buy, by all sales together, and lies in the band "
        "with a chance of 90%. Circles are what was seen, as large as the visitors behind it."
    )
    of_profit = (
        "The profit of a purchase, times the share of visitors who buy. Where the band of a price "
        "reaches above the best one, it may still be better."
    )
    who, what = "Who buys, by price", "What a visitor brings, by price"
    shares, amounts = partial(percent, digits=1), partial(money, unit="")
    return [
        PriceChart("demand", who, of_demand, *_against_price(shown, demand, best, shares)),
        PriceChart("profit", what, of_profit, *_against_price(shown, profit, best, amounts)),
    ]


def _against_price(
    shown: Sequence[tuple[ArmReport, PriceReport]],
    values: Sequence[tuple[float, ...]],
    best: str | None,
    say: Callable[[float], str],
) -> tuple[list[PricePoint], list[tuple[float, str]]]:
    """Points and ticks: of each price low, middle, high and what was seen, NaN if nothing was."""
    table, prices = np.array(values), np.array([arm.price for arm, _ in shown])
    top = 1.06 * float(np.nanmax(table, initial=1e-9))
    power = 10.0 ** math.floor(math.log10(top))
    step = next(power * one for one in (0.2, 0.5, 1.0, 2.0) if top < 5.0 * power * one)

    def height(value: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * value / top, 2)

    places = (prices - prices.min()) / max(float(np.ptp(prices)), 1e-9)
    places = np.round(_LEFT + 4.0 + (_RIGHT - _LEFT - 8.0) * places, 2)
    visitors = np.array([seen.visitors for _, seen in shown])
    radii = np.maximum(2.5, _LARGEST * np.sqrt(visitors / max(visitors.max(), 1.0))).round(1)
    points, taken = list[PricePoint](), dict.fromkeys(_ROWS, -100.0)
    for (arm, _), x, radius, row in zip(
        shown, places.tolist(), radii.tolist(), values, strict=True
    ):
        free = next((one for one in _ROWS if x - taken[one] >= _NEAR), None)
        label = "" if free is None else money(arm.price or 0.0, exactly=True)
        taken |= {} if free is None else {free: x}
        low, middle, high = map(height, row[:3])
        dot = None if math.isnan(row[3]) else height(row[3])
        drawn = low, middle, high, dot, radius, arm.id == best
        points.append(PricePoint(label, free or _ROWS[0], x, *drawn))
    ticks = [(height(k * step), say(k * step)) for k in range(int(top / step) + 1)]
    return points, ticks
