"""The weeks around Christmas, moving feasts and sales: how good forecasts of them are.

Days held by the 80% interval, how far the sum is off, and the pinball loss (over the mean of what
came), four and six weeks ahead.  Christmas from mid-November and from early December: the shop of
`highseason sample`, Leeds footfall, online retail, and made-up shops with one to three earlier
Christmases.  The same shops just before Easter, Ramadan, and the sales of January and July.  And
made-up stores that are closed on Sundays and holidays, also in ordinary weeks.  The constants of
the default were chosen on `choose` (other seeds, the earlier years of Leeds); `report` was only
looked at afterwards.

    python benchmarks/forecast_season.py [choose|report] [shifts] [mean] [oracles] [forecaster …]

With `shifts`: shops whose level moved in the last weeks, followed or not.  With `mean`: expected
traffic over what came, for 200 series of each of several processes.  With `oracles`: how near those
come who know how shops are made.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import date, timedelta
from pathlib import Path
from unittest.mock import patch

import library_models  # noqa: F401  # makes ets and mstl known
import numpy as np
import pandas as pd

from highseason.cli.commands.sample import _visitors
from highseason.traffic import Blend, Forecast, Multiplier, parse_forecaster, read
from highseason.traffic.forecast import LEVELS, pinball
from highseason.traffic.history import black_friday, easter
from highseason.traffic.season import LevelShift

DATA = Path(__file__).parents[1].parent / "shared" / "data"
RIVALS = ("seasonal-naive:lag=364", "ets", "mstl")
FORECASTERS = ("blend", *RIVALS)
WEEKS = (4, 6)

#: A name, a series, and the last day that is known.
Case = tuple[str, Multiplier, str]


def sample() -> Multiplier:
    days = np.arange("2024-01-01", "2026-02-01", dtype="datetime64[D]")
    return Multiplier([_visitors(day) for day in days.tolist()], days, "sample")


ORIGINS_OF_SAMPLE = [
    "2025-11-11", "2025-11-16", "2025-11-21", "2025-11-27", "2025-12-03", "2025-12-08",
    "2025-12-13",
]  # fmt: skip
#: The first day of Ramadan.
RAMADAN = (
    "2016-06-06", "2017-05-27", "2018-05-16", "2019-05-06", "2020-04-24", "2021-04-13",
    "2022-04-02", "2023-03-23", "2024-03-11",
)  # fmt: skip
EASTER = (
    "2016-03-27", "2017-04-16", "2018-04-01", "2019-04-21", "2020-04-12", "2021-04-04",
    "2022-04-17", "2023-04-09", "2024-03-31",
)  # fmt: skip


class Shop:
    """A shop with a Christmas of its own shape, and the year whose Christmas is forecast.

    Its days go on to the end of August, with a sale in January, Easter, for some shops Ramadan, and
    a sale in July.  The level of two shops in three wanders.
    """

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.seed, self.last, self.seen = seed, int(rng.integers(2019, 2024)), 1 + seed % 3
        start = date(self.last - self.seen, int(rng.integers(1, 10)), 1)
        self.days = days = np.arange(start, date(self.last + 1, 9, 1), dtype="datetime64[D]")
        t, weekdays = np.arange(days.size), [day.weekday() for day in days.tolist()]
        week = np.exp(rng.normal(0, 0.3, 7))
        logs = np.log(rng.choice([30, 300, 5000])) + np.log(week)[weekdays]
        logs = logs + rng.normal(0.05, 0.15) * t / 365 + 0.1 * np.sin(2 * np.pi * t / 365 + seed)
        self.width, self.height = rng.integers(10, 40), np.log(rng.uniform(1.2, 5.0))
        self.friday, self.sale = np.log(rng.uniform(1, 3)), np.log(rng.uniform(1, 2.5))
        self.boxing, self.july = np.log(rng.uniform(0.7, 2.5)), np.log(rng.uniform(1, 1.6))
        easter, ramadan = rng.normal(0, 0.4), rng.choice([0.0, 0.0, -0.4, 0.5])
        easter = 0.0 if ramadan else easter  # few shops live by both
        self.drawn = {year: draw(rng) for year in range(start.year - 1, self.last + 2)}
        before, after, eid = rng.integers(1, 11), rng.integers(0, 5), rng.integers(0, 4)
        feasts = ((EASTER, before, after, easter), (RAMADAN, 0, 29 + eid, ramadan))
        for feast, before, later, effect in feasts:
            for first in feast:
                since = (days - np.datetime64(first)) / np.timedelta64(1, "D")
                logs = logs + np.where((since >= -before) & (since <= later), effect, 0)
        self.base = logs  # without the seasons
        self.wander = rng.choice([0.0, 0.06, 0.15]) / np.sqrt(365)
        self.walk = np.cumsum(self.wander * rng.standard_normal(days.size))
        self.noise, self.memory = rng.uniform(0.05, 0.2), rng.uniform(0, 0.7)
        shocks = self.noise * np.sqrt(1 - self.memory**2) * rng.standard_normal(days.size)
        for i in range(1, days.size):
            shocks[i] += self.memory * shocks[i - 1]
        self.shocks = shocks
        for year, drawn in self.drawn.items():
            logs = logs + self.season(year, drawn, days)
        values = np.maximum(1, np.rint(np.exp(logs + self.walk + shocks)))
        self.traffic = Multiplier(values, days, f"made {seed}")

    def begins(self, year: int, early: int) -> np.datetime64:
        eve = np.datetime64(date(year, 12, 24))
        return (
            np.datetime64(black_friday(year)) if self.seed % 5 == 0 else eve - self.width
        ) + early

    def season(self, year: int, drawn: Drawn, days: np.ndarray) -> np.ndarray:
        """Christmas, the sales around it and that of July, as logarithms."""
        early, factor, more = drawn
        begin, eve = self.begins(year, early), np.datetime64(date(year, 12, 24))
        length = float((eve - begin) / np.timedelta64(1, "D"))
        at = (days - begin) / np.timedelta64(1, "D") / length  # 0 where it begins, 1 on the eve
        inside, high, logs = (at >= 0) & (at <= 1), self.height * factor, np.zeros(days.size)
        if self.seed % 4 == 0:  # sharp edges
            logs = logs + np.where(inside, high, 0)
        elif self.seed % 4 == 1:  # a slope
            logs = logs + np.where(inside, high * at, 0)
        elif self.seed % 4 == 2:  # a hill
            logs = logs + high * np.exp(-0.5 * ((at - 0.75) / 0.4) ** 2)
        else:  # two steps
            logs = logs + np.where(inside, np.where(at < 0.5, 0.4 * high, high), 0)
        after = (days - eve) / np.timedelta64(1, "D")
        late = 3 + self.seed % 8, 17 + self.seed % 9
        logs = logs + np.where((after >= 2) & (after <= late[0]), more[0] * self.boxing, 0)
        logs = logs + np.where((after >= 9) & (after <= late[1]), more[1] * self.sale, 0)
        if self.seed % 3:
            logs = logs + np.where(after == 1, -3.0, 0)
        bargain = (days - np.datetime64(black_friday(year))) / np.timedelta64(1, "D")
        bargains = (bargain >= -(self.seed % 4)) & (bargain <= 3)
        logs = logs + np.where(bargains, more[2] * self.friday, 0)
        summer = (days - np.datetime64(date(year, 7, 1))) / np.timedelta64(1, "D")
        return logs + np.where((summer >= 0) & (summer < 14), more[3] * self.july, 0)

    def origins(self) -> Iterator[tuple[str, str]]:
        """What is forecast, and the last day that is known."""
        for day in ("11-15", "12-05"):
            yield f"{self.seen} seen", f"{self.last}-{day}"
        begins = {"January": f"{self.last + 1}-01-02", "July": f"{self.last + 1}-07-01"}
        for feast, days in (("Easter", EASTER), ("Ramadan", RAMADAN)):
            begins[feast] = next(day for day in days if day.startswith(str(self.last + 1)))
        for feast, day in begins.items():
            yield feast, str(np.datetime64(day) - (9 if feast == "Easter" else 4))

    def known(self, origin: str, learned: bool, paths: int = 60) -> Forecast:
        """What one who knows how the shop is made forecasts: all but what is drawn later.

        One who `learned` has the heights of seasons only from the years seen.
        """
        day, n = np.datetime64(origin), self.traffic.turn_of(origin)
        rng, days = np.random.default_rng([self.seed, n]), self.days[n : n + 7 * max(WEEKS)]
        seen = [self.drawn[year] for year in range(self.last - self.seen, int(origin[:4]))]
        rows = []
        for _ in range(paths):
            logs = self.base[n : n + days.size].copy()
            for year, (early, factor, more) in self.drawn.items():
                other, high, sales = draw(rng)
                if learned:
                    size = np.sqrt(1 + 1 / len(seen))
                    high = np.mean([one for _, one, _ in seen]) + size * (high - 1)
                    sales = np.mean([one for *_, one in seen], axis=0) + size * (sales - 1)
                eve, friday = np.datetime64(date(year, 12, 24)), np.datetime64(black_friday(year))
                summer = np.datetime64(date(year, 7, 1))
                starts = np.array([eve + 2, eve + 9, friday - self.seed % 4, summer])
                sales = np.where(starts <= day, more, sales)
                if self.begins(year, early) <= day:
                    other, high = early, factor
                logs = logs + self.season(year, (other, high, sales), days)
            logs = logs + self.walk[n - 1] + np.cumsum(self.wander * rng.standard_normal(days.size))
            shock = self.shocks[n - 1]
            for i, new in enumerate(rng.standard_normal(days.size)):
                shock = self.memory * shock + self.noise * np.sqrt(1 - self.memory**2) * new
                logs[i] += shock
            rows.append(np.maximum(1, np.rint(np.exp(logs))))
        return Forecast(np.mean(rows, axis=0), np.quantile(rows, LEVELS, axis=0), days)


#: What differs from year to year: the first day, the height, and those of four sales.
Drawn = tuple[int, float, np.ndarray]


def draw(rng: np.random.Generator) -> Drawn:
    return int(rng.integers(-1, 2)), rng.normal(1, 0.08), rng.normal(1, 0.1, 4)


def store(seed: int) -> Iterator[Case]:
    """A store from January 2013 to July 2015, closed on Sundays and public holidays.

    In nearly every other week it has a promotion, of which forecasters are not told.  December is a
    slope that is steepest in its last days; heights differ from year to year by 10%.
    """
    rng = np.random.default_rng([77, seed])
    days = [date(2013, 1, 1) + timedelta(days=i) for i in range(942)]
    closed = set()
    for year in (2013, 2014, 2015):
        since_easter = [-2, 1, 39, 50, *([60] if seed % 2 else [])]
        closed |= {easter(year) + timedelta(days=after) for after in since_easter}
        closed |= {date(year, *day) for day in ((1, 1), (5, 1), (10, 3), (12, 25), (12, 26))}
    week = np.array([0.15, 0, -0.03, 0, 0.05, -0.1 - 0.2 * rng.random()]) * rng.uniform(0.5, 1.5)
    level, promotion = np.log(rng.uniform(400, 1500)), rng.uniform(0.1, 0.3)
    slope, peak, eve = rng.uniform(0.1, 0.5), rng.uniform(0.1, 0.6), rng.uniform(-0.6, -0.1)
    last, january, trend = rng.uniform(-0.5, 0), rng.uniform(-0.15, 0), rng.normal(0.02, 0.05)
    walk = np.cumsum(rng.choice([0.002, 0.005, 0.008]) * rng.standard_normal(942))
    memory, noise = rng.uniform(0.1, 0.6), rng.uniform(0.05, 0.12)
    heights = {year: rng.normal(1, 0.1) for year in (2013, 2014, 2015)}
    on = np.cumsum(rng.random(136) < 0.92) % 2  # by week
    shock, values, opened = 0.0, [], []
    for i, day in enumerate(days):
        shock = memory * shock + noise * np.sqrt(1 - memory**2) * rng.standard_normal()
        if day.weekday() == 6 or day in closed:
            continue
        log = level + week[day.weekday()] + walk[i] + trend * i / 365 + shock
        log += promotion * on[(i + 1) // 7] * (day.weekday() < 5)
        eve_of_closed, after = (day + timedelta(days=one) in closed for one in (1, -1))
        log += 0.15 * eve_of_closed + 0.1 * after
        left = (date(day.year, 12, 24) - day).days
        if 0 < left <= 24:
            log += heights[day.year] * (slope * (1 - left / 24) + peak * np.exp((1 - left) / 2.5))
        special = {(12, 24): eve, (12, 31): last} | {(12, d): 0.1 for d in (27, 28, 29, 30)}
        log += special.get((day.month, day.day), january * (day.month == 1 and day.day < 25))
        values.append(max(1.0, float(rng.poisson(np.exp(log)))))
        opened.append(day)
    G = Multiplier(values, np.array(opened, "datetime64[D]"), f"store {seed}")
    for name, day in (("ordinary", "2014-09-10"), ("1 seen", "2014-11-15"),
                      ("1 seen", "2014-12-03"), ("ordinary", "2015-02-28")):  # fmt: skip
        yield f"stores, {name}", G, day


def made(seed: int) -> tuple[Multiplier, int]:
    shop = Shop(seed)
    return shop.traffic, shop.last


def oracles() -> None:
    """What noise allows: forecasters that know how shops are made, on shops of no table."""
    print(
        "\nwho knows the process | but has heights from the years seen: days held, sums off, loss"
    )
    results: dict[str, list[list[Score]]] = {}
    for seed in range(20_000, 20_120):
        shop = Shop(seed)
        for name, origin in shop.origins():
            last = shop.traffic.turn_of(origin)
            both = [scored(shop.traffic, last, shop.known(origin, how))[0] for how in (False, True)]
            for label in (name, "all Christmas" if "seen" in name else "all feasts and sales"):
                results.setdefault(label, []).append(both)
    for label, found in sorted(results.items(), key=lambda row: (row[0].startswith("all"), row[0])):
        held, off, pin, _ = np.abs(np.array(found)).mean(axis=0).T
        cells = (f"{held[i]:6.0%}{off[i]:6.1%}{pin[i]:8.4f}" for i in range(2))
        print(f"{label:28}{len(found):4}" + "   |".join(cells), flush=True)


def leeds(camera: str) -> Multiplier:
    hours = pd.read_csv(DATA / "leeds_footfall_hourly.csv.gz")[["hour", camera]].dropna()
    values = hours[camera].clip(lower=1e-9).to_numpy()
    times = hours["hour"].to_numpy("datetime64[s]")
    return Multiplier(values, times, camera).resample("1D").floor(1)


def shop() -> Multiplier:
    return (
        read(DATA / "online_retail_hourly.csv.gz", value="orders", floor=1e-9)
        .resample("1D")
        .floor(1)
    )


def cases(which: str) -> Iterator[Case]:
    choosing = which == "choose"
    if not choosing:
        for day in ORIGINS_OF_SAMPLE:
            yield "sample", sample(), day
    if DATA.is_dir():
        groups = {"Leeds": ("Headrow", "Briggate")}
        if not choosing:
            groups = {
                "Leeds": ("Briggate", "CommercialStLush"),
                "Leeds, Albion": ("AlbionStNorth", "AlbionStSouth"),
                "Leeds, others": ("BriggateAtMcDs", "CommercialStBarratts"),
            }
        for group, camera in ((name, one) for name, two in groups.items() for one in two):
            G = leeds(camera)
            for year in (2011, 2012, 2013) if choosing else (2014, 2015, 2016):
                for seen in (1, 2, 3):
                    # The series starts in 2009.
                    past = G.window(max(date(year - seen, 2, 1), date(2009, 7, 10)), None)
                    for day in ("11-15", "12-05"):
                        yield f"{group}, {seen} seen", past, f"{year}-{day}"
        if not choosing:
            for day in ("2011-11-01", "2011-11-15"):
                yield "online retail, 1 seen", shop(), day
    for seed in range(5000, 5036) if choosing else range(9000, 9120):
        one = Shop(seed)
        for name, day in one.origins():
            yield f"made, {name}", one.traffic, day
    for seed in range(40) if choosing else range(100, 140):
        yield from store(seed)


#: Days held, the sum over what came less 1, the pinball loss over the mean, and the width.
Score = tuple[float, float, float, float]


def scores(G: Multiplier, origin: str, name: str) -> list[Score]:
    last = G.turn_of(origin)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = parse_forecaster(name).fit(G.window(1, last)).predict(7 * max(WEEKS))
    return scored(G, last, whole)


def scored(G: Multiplier, last: int, whole: Forecast) -> list[Score]:
    assert G.calendar is not None
    assert whole.calendar is not None
    found: list[Score] = []
    for weeks in WEEKS:
        kept = np.isin(whole.calendar[: 7 * weeks], G.calendar[last:])
        came = G.values[np.isin(G.calendar, whole.calendar[: 7 * weeks][kept])]
        mean, table = whole.mean[: 7 * weeks][kept], whole.quantiles[:, : 7 * weeks][:, kept]
        part = Forecast(mean, table)
        low, high = part.interval(0.8)
        held = float(np.mean((came >= low) & (came <= high)))
        usual = float(came.mean())
        found.append(
            (
                held,
                float(mean.sum() / came.sum() - 1),
                pinball(came, part) / usual,
                float((high - low).mean()) / usual,
            )
        )
    return found


def standard_errors(held: np.ndarray, blocks: list[str]) -> list[str]:
    """Of each column's mean: forecasts of one series and year overlap, and count as one block."""
    which = np.unique(blocks, return_inverse=True)[1]
    count = int(which.max()) + 1
    if count < 3:  # too few to say
        return [""] * held.shape[1]
    off = held - held.mean(axis=0)
    sums = np.array([off[which == one].sum(axis=0) for one in range(count)])
    errors = np.sqrt(count / (count - 1) * (sums**2).sum(axis=0)) / len(held)
    return [f"±{error:3.0%}" for error in errors]


def table(which: str, names: list[str]) -> None:
    results: dict[str, dict[str, list[list[Score]]]] = {}
    blocks: dict[str, list[str]] = {}
    for group, G, origin in cases(which):
        done = {name: scores(G, origin, name) for name in names}
        labels = [group]
        if "seen" in group or group == "sample":
            begins = "mid-November" if origin[5:7] == "11" else "December"
            labels += [f"all from {begins}", "all Christmas"]
            labels += [f"all Leeds, {group[-6:]}"] if group.startswith("Leeds") else []
        elif group.startswith("made"):
            labels += ["all feasts and sales"]
        for label in labels:
            blocks.setdefault(label, []).append(f"{G.name} {origin[:4]}")
            for name, found in done.items():
                results.setdefault(label, {}).setdefault(name, []).append(found)
    print(
        f"\n{which}: days held (± standard error by series and year), sum off (mean size, mean), "
        "pinball; four | six weeks"
    )
    print(f"{'':32}" + "".join(f"{name:>60}" for name in names))
    for label, rows in sorted(results.items(), key=lambda row: (row[0].startswith("all"), row[0])):
        cells = ""
        for name in names:
            array = np.array(rows[name])  # origins, weeks, measures
            held, pin, wide = (array[:, :, i].mean(axis=0) for i in (0, 2, 3))
            error = standard_errors(array[:, :, 0], blocks[label])
            off, bias = np.abs(array[:, :, 1]).mean(axis=0), array[:, :, 1].mean(axis=0)
            cells += "   |".join(
                f"{held[i]:6.0%} {error[i]:>5}{off[i]:5.0%}{bias[i]:+5.0%}"
                f"{pin[i]:7.4f}{wide[i]:5.2f}"
                for i in range(len(WEEKS))
            )
        print(f"{label:28}{len(rows[names[0]]):4}" + cells, flush=True)


def lognormal(deviation: float) -> Callable[[np.random.Generator, int], np.ndarray]:
    return lambda rng, n: 300 * np.exp(deviation * rng.standard_normal(n))


def weekly(rng: np.random.Generator, n: int) -> np.ndarray:
    week = np.array([1, 0.9, 1, 1.1, 1.4, 2, 1.7])
    return 200 * np.resize(week, n) * np.exp(0.2 * rng.standard_normal(n))


def yearly(rng: np.random.Generator, n: int) -> np.ndarray:
    wave = 0.4 * np.sin(2 * np.pi * np.arange(n) / 365.25 + rng.uniform(0, 6))
    return weekly(rng, n) * np.exp(wave)


def heavy(rng: np.random.Generator, n: int) -> np.ndarray:
    return 300 * np.exp(0.15 * rng.standard_t(3, n).clip(-12, 12))


def moving(rng: np.random.Generator, n: int) -> np.ndarray:
    return weekly(rng, n) * np.exp(np.cumsum(0.02 * rng.standard_normal(n)))


def bursts(rng: np.random.Generator, n: int) -> np.ndarray:
    return lognormal(0.1)(rng, n) * np.where(rng.random(n) < 0.08, 10, 1)


PROCESSES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "lognormal 0.15": lognormal(0.15),
    "lognormal 0.5": lognormal(0.5),
    "lognormal 1": lognormal(1.0),
    "Poisson of 6": lambda rng, n: rng.poisson(6, n).astype(float),
    "gamma of 2": lambda rng, n: 100 * rng.gamma(2.0, 1.0, n),
    "heavy tails": heavy,
    "weekly": weekly,
    "yearly": yearly,
    "a level that moves": moving,
    "unnamed bursts": bursts,
}


def means(names: list[str], series: int = 200, turns: int = 28) -> None:
    print(f"\nexpected ÷ what came - 1, ± its standard error, {series} series; days held")
    for process, make in PROCESSES.items():
        cells = ""
        for name in names:
            said, came, held = [], [], []
            for seed in range(series):
                rng = np.random.default_rng([seed, len(process)])
                values = np.maximum(make(rng, 728), 1e-9)
                days = np.datetime64("2021-03-01") + np.arange(728)
                past = Multiplier(values[:700], days[:700])
                forecast = parse_forecaster(name).fit(past).predict(turns)
                low, high = forecast.interval(0.8)
                said.append(forecast.mean.sum())
                came.append(values[700:].sum())
                held.append(np.mean((values[700:] >= low) & (values[700:] <= high)))
            ratio = np.sum(said) / np.sum(came) - 1
            error = np.std(np.array(said) - np.array(came)) / np.sqrt(series) / np.mean(came)
            cells += f"{ratio:+9.3f} ± {error:.3f}{np.mean(held):6.0%}"
        print(f"{process:24}{cells}", flush=True)


def shifts() -> None:
    """Four weeks from 10 October, after a shift of level in the last seven weeks or none."""
    print("\nshops whose level moved, or not: days held, pinball loss, shifts noticed")
    for label, moves, followed in (
        ("moved, followed", True, True),
        ("moved, not followed", True, False),
        ("not moved", False, True),
    ):
        found, noticed = [], 0
        for seed in range(8000, 8024):
            G, year = made(seed)
            rng, origin = np.random.default_rng([seed, 1]), G.turn_of(f"{year}-10-10")
            size = rng.choice([-1, 1]) * rng.uniform(0.2, 0.6) * moves
            after = np.arange(G.turns) >= origin - rng.integers(14, 50)
            moved = Multiplier(G.values * np.exp(size * after), G.calendar)
            kept = nullcontext() if followed else patch.object(LevelShift, "of", return_value=None)
            with kept, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ahead = Blend().fit(moved.window(1, origin)).predict(7 * max(WEEKS))
            found.append(scored(moved, origin, ahead)[0])
            noticed += bool(ahead.notes)
        held, _, pin, _ = np.array(found).T
        error = held.std() / np.sqrt(held.size)
        print(
            f"{label:24}{held.mean():6.0%} ±{error:3.0%}{pin.mean():8.4f}{noticed:4} of {held.size}"
        )


def main() -> int:
    words = sys.argv[1:]
    chosen = [word for word in words if word in ("choose", "report", "shifts", "mean", "oracles")]
    names = [word for word in words if word not in chosen]
    for which in chosen or ["choose", "report", "shifts", "mean"]:
        if which == "mean":
            means(names or ["blend"])
        elif which == "shifts":
            shifts()
        elif which == "oracles":
            oracles()
        else:
            table(which, names or list(FORECASTERS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
