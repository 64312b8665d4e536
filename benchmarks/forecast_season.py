"""The weeks around Christmas, moving feasts and sales: how good forecasts of them are.

Days held by the 80% interval, how far the sum is off, and the pinball loss (over the mean of what
came), four and six weeks ahead.  Christmas from mid-November and from early December: the shop of
`highseason sample`, Leeds footfall, online retail, and made-up shops with one to three earlier
Christmases.  The same shops just before Easter, Ramadan, and the sales of January and July.  The
constants of the default were chosen on `choose` (other seeds, the earlier years of Leeds); `report`
was only looked at afterwards.

    python benchmarks/forecast_season.py [choose|report] [shifts] [mean] [forecaster …]

With `shifts`: shops whose level moved in the last weeks, followed or not.  With `mean`: expected
traffic over what came, for 200 series of each of several processes.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import date
from pathlib import Path
from unittest.mock import patch

import library_models  # noqa: F401  # makes ets and mstl known
import numpy as np
import pandas as pd

from highseason.cli.commands.sample import _visitors
from highseason.traffic import Blend, Forecast, Multiplier, parse_forecaster, read
from highseason.traffic.forecast import pinball
from highseason.traffic.history import black_friday
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


def made(seed: int) -> tuple[Multiplier, int]:
    """A shop with a Christmas of its own shape, and the year whose Christmas is forecast.

    Its days go on to the end of August, with a sale in January, Easter, for some shops Ramadan, and
    a sale in July.  The level of two shops in three wanders.
    """
    rng = np.random.default_rng(seed)
    last, seasons = int(rng.integers(2019, 2024)), 1 + seed % 3
    start = date(last - seasons, int(rng.integers(1, 10)), 1)
    days = np.arange(start, date(last + 1, 9, 1), dtype="datetime64[D]")
    dates: list[date] = days.tolist()
    t = np.arange(days.size)
    week = np.exp(rng.normal(0, 0.3, 7))
    logs = np.log(rng.choice([30, 300, 5000])) + np.log(week)[[day.weekday() for day in dates]]
    logs = logs + rng.normal(0.05, 0.15) * t / 365 + 0.1 * np.sin(2 * np.pi * t / 365 + seed)
    shape = seed % 4
    width, height = rng.integers(10, 40), np.log(rng.uniform(1.2, 5.0))
    friday, sale = np.log(rng.uniform(1, 3)), np.log(rng.uniform(1, 2.5))
    boxing, july = np.log(rng.uniform(0.7, 2.5)), np.log(rng.uniform(1, 1.6))
    easter, ramadan = rng.normal(0, 0.4), rng.choice([0.0, 0.0, -0.4, 0.5])
    easter = 0.0 if ramadan else easter  # few shops live by both
    for year in range(start.year - 1, last + 2):
        eve = np.datetime64(date(year, 12, 24))
        begin = np.datetime64(black_friday(year)) if seed % 5 == 0 else eve - width
        begin = begin + rng.integers(-1, 2)
        length = float((eve - begin) / np.timedelta64(1, "D"))
        at = (days - begin) / np.timedelta64(1, "D") / length  # 0 where it begins, 1 on the eve
        inside = (at >= 0) & (at <= 1)
        high, more = height * rng.normal(1, 0.08), rng.normal(1, 0.1, 4)  # no two years are equal
        if shape == 0:  # sharp edges
            logs = logs + np.where(inside, high, 0)
        elif shape == 1:  # a slope
            logs = logs + np.where(inside, high * at, 0)
        elif shape == 2:  # a hill
            logs = logs + high * np.exp(-0.5 * ((at - 0.75) / 0.4) ** 2)
        else:  # two steps
            logs = logs + np.where(inside, np.where(at < 0.5, 0.4 * high, high), 0)
        after = (days - eve) / np.timedelta64(1, "D")
        logs = logs + np.where((after >= 2) & (after <= 3 + seed % 8), more[0] * boxing, 0)
        logs = logs + np.where((after >= 9) & (after <= 17 + seed % 9), more[1] * sale, 0)
        if seed % 3:
            logs = logs + np.where(after == 1, -3.0, 0)
        bargain = (days - np.datetime64(black_friday(year))) / np.timedelta64(1, "D")
        logs = logs + np.where((bargain >= -(seed % 4)) & (bargain <= 3), more[2] * friday, 0)
        summer = (days - np.datetime64(date(year, 7, 1))) / np.timedelta64(1, "D")
        logs = logs + np.where((summer >= 0) & (summer < 14), more[3] * july, 0)
    before, after, eid = rng.integers(1, 11), rng.integers(0, 5), rng.integers(0, 4)
    feasts = ((EASTER, before, after, easter), (RAMADAN, 0, 29 + eid, ramadan))
    for feast, before, later, effect in feasts:
        for first in feast:
            since = (days - np.datetime64(first)) / np.timedelta64(1, "D")
            logs = logs + np.where((since >= -before) & (since <= later), effect, 0)
    wander = rng.choice([0.0, 0.06, 0.15]) / np.sqrt(365)
    logs = logs + np.cumsum(wander * rng.standard_normal(days.size))
    noise, memory = rng.uniform(0.05, 0.2), rng.uniform(0, 0.7)
    shocks = noise * np.sqrt(1 - memory**2) * rng.standard_normal(days.size)
    for i in range(1, days.size):
        shocks[i] += memory * shocks[i - 1]
    values = np.maximum(1, np.rint(np.exp(logs + shocks)))
    return Multiplier(values, days, f"made {seed}"), last


def leeds(camera: str) -> Multiplier:
    hours = pd.read_csv(DATA / "leeds_footfall_hourly.csv.gz")[["hour", camera]].dropna()
    values = hours[camera].clip(lower=1e-9).to_numpy()
    return Multiplier(values, hours["hour"].to_numpy("datetime64[s]")).resample("1D").floor(1)


def shop() -> Multiplier:
    return read(DATA / "online_retail_hourly.csv.gz", floor=1e-9).resample("1D").floor(1)


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
    for seed in range(5000, 5036) if choosing else range(8000, 8036):
        G, year = made(seed)
        for day in ("11-15", "12-05"):
            yield f"made, {1 + seed % 3} seen", G, f"{year}-{day}"
        begins = {"January": f"{year + 1}-01-02", "July": f"{year + 1}-07-01"}
        for feast, days in (("Easter", EASTER), ("Ramadan", RAMADAN)):
            begins[feast] = next(day for day in days if day.startswith(str(year + 1)))
        for feast, day in begins.items():
            before = 9 if feast == "Easter" else 4
            yield f"made, {feast}", G, str(np.datetime64(day) - before)


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


def table(which: str, names: list[str]) -> None:
    results: dict[str, dict[str, list[list[Score]]]] = {}
    for group, G, origin in cases(which):
        done = {name: scores(G, origin, name) for name in names}
        labels = [group, "all feasts and sales"]
        if "seen" in group or group == "sample":
            begins = "mid-November" if origin[5:7] == "11" else "December"
            labels = [group, f"all from {begins}", "all Christmas"]
        for label in labels:
            for name, found in done.items():
                results.setdefault(label, {}).setdefault(name, []).append(found)
    print(
        f"\n{which}: days held (± its error), sum off (mean size, mean), pinball; four | six weeks"
    )
    print(f"{'':32}" + "".join(f"{name:>60}" for name in names))
    for label, rows in sorted(results.items(), key=lambda row: (row[0].startswith("all"), row[0])):
        cells = ""
        for name in names:
            array = np.array(rows[name])  # origins, weeks, measures
            held, pin, wide = (array[:, :, i].mean(axis=0) for i in (0, 2, 3))
            error = array[:, :, 0].std(axis=0) / np.sqrt(len(array))
            off, bias = np.abs(array[:, :, 1]).mean(axis=0), array[:, :, 1].mean(axis=0)
            cells += "   |".join(
                f"{held[i]:6.0%} ±{error[i]:3.0%}{off[i]:5.0%}{bias[i]:+5.0%}"
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
    chosen = [word for word in words if word in ("choose", "report", "shifts", "mean")]
    names = [word for word in words if word not in chosen]
    for which in chosen or ["choose", "report", "shifts", "mean"]:
        if which == "mean":
            means(names or ["blend"])
        elif which == "shifts":
            shifts()
        else:
            table(which, names or list(FORECASTERS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
