"""Season-ahead forecasters on public series, by rolling origins: MASE of the median, coverage.

Reads the real data beside the repository.  The constants of the default were chosen on the series
of `CHOOSE` (decision 0024); those of `REPORT` were only looked at afterwards.  Those of `UNSEEN`
were listed (decision 0034) before any of them was forecast.

    python benchmarks/forecast_series.py [choose|report|unseen] [forecaster …]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import library_models  # noqa: F401  # makes mstl known
import numpy as np
import pandas as pd
import river.datasets
from statsmodels.datasets import co2, elec_equip, elnino, macrodata

from highseason.traffic import Forecaster, Multiplier, backtest, parse_forecaster, read
from highseason.traffic.forecast import coverage

DATA = Path(__file__).parents[1].parent / "shared" / "data"
FORECASTERS = ("seasonal-naive", "mstl", "calendar", "blend")


@dataclass(frozen=True)
class Case:
    """A series, how far ahead it is forecast, from how many origins, and the season of MASE."""

    name: str
    read: Callable[[], Multiplier]
    turns: int
    season: int
    origins: int = 6


def leeds(camera: str, every: str, first: str) -> Callable[[], Multiplier]:
    def load() -> Multiplier:
        hours = pd.read_csv(DATA / "leeds_footfall_hourly.csv.gz")[["hour", camera]].dropna()
        times = hours["hour"].to_numpy("datetime64[s]")
        values = hours[camera].clip(lower=1e-9).to_numpy()
        return Multiplier(values, times).resample(every).window(first, None)

    return load


def series(name: str) -> Callable[[], Multiplier]:
    return lambda: read(DATA / "series" / f"{name}.csv.gz", floor=1e-9)


def shop(every: str, value: str = "orders") -> Callable[[], Multiplier]:
    path = DATA / "online_retail_hourly.csv.gz"
    return lambda: read(path, value=value, floor=1e-9).resample(every)


def water() -> Multiplier:
    frame = pd.read_csv(Path(river.datasets.__file__).parent / "water-flow.csv")
    times = pd.to_datetime(frame["Time"], utc=True).dt.tz_localize(None)
    return Multiplier(frame["Water flow [l/s]"].to_numpy(), times.to_numpy())


def carbon() -> Multiplier:
    weeks = co2.load_pandas().data["co2"]["1970":].dropna()
    return Multiplier(weeks.to_numpy(), weeks.index.to_numpy())


def equipment() -> Multiplier:
    months = elec_equip.load_pandas().data.iloc[:, 0]
    return Multiplier(months.to_numpy(), months.index.to_numpy())


def sea() -> Multiplier:
    values = elnino.load_pandas().data.iloc[:, 1:].to_numpy().ravel()
    return Multiplier(values, np.datetime64("1950-01") + np.arange(values.size))


def macro(column: str) -> Callable[[], Multiplier]:
    def load() -> Multiplier:
        values = macrodata.load_pandas().data[column].to_numpy()
        return Multiplier(values, np.datetime64("1959-01") + 3 * np.arange(values.size))

    return load


CHOOSE = [
    Case("Leeds, Headrow, days", leeds("Headrow", "1D", "2012-01-01"), 60, 7, 12),
    Case(
        "Leeds, Commercial Street, 400 days", leeds("CommercialStLush", "1D", "2015-11-28"), 30, 7
    ),
    Case("Leeds, Dortmund Square, hours", leeds("DortmundSq", "1h", "2016-07-01"), 168, 168),
    Case(
        "Upworthy, page views, days",
        lambda: read(DATA / "upworthy_daily_pageviews.csv"),
        42,
        7,
        10,
    ),
    Case("shop, orders, hours", shop("1h"), 336, 168),
    Case("US retail sales, months", series("us_retail_sales_monthly"), 12, 12, 12),
]
REPORT = [
    Case("Leeds, Briggate, days", leeds("Briggate", "1D", "2009-01-01"), 60, 7, 12),
    Case("Leeds, Briggate, hours", leeds("Briggate", "1h", "2015-01-01"), 336, 168),
    Case("shop, orders, days", shop("1D"), 30, 7),
    Case("New York taxis, 30 minutes", series("nyc_taxi_30min"), 336, 336, 8),
    Case("Wikipedia, days", series("wikipedia_r_daily"), 60, 7, 12),
    Case("airline passengers, months", series("air_passengers_monthly"), 12, 12, 6),
]
UNSEEN = [
    Case("Leeds, Albion Street N, days", leeds("AlbionStNorth", "1D", "2009-01-01"), 60, 7, 12),
    Case("Leeds, Albion Street S, days", leeds("AlbionStSouth", "1D", "2012-01-01"), 60, 7, 12),
    Case("Leeds, at McDonald's, days", leeds("BriggateAtMcDs", "1D", "2013-01-01"), 30, 7, 12),
    Case("Leeds, Barratts, days", leeds("CommercialStBarratts", "1D", "2009-07-10"), 60, 7, 12),
    Case("Leeds, Albion Street S, hours", leeds("AlbionStSouth", "1h", "2015-07-01"), 336, 168),
    Case("Leeds, at McDonald's, weeks", leeds("BriggateAtMcDs", "1W", "2009-01-05"), 13, 52, 12),
    Case("shop, order lines, days", shop("1D", "lines"), 30, 7),
    Case("shop, units, days", shop("1D", "units"), 30, 7),
    Case("water flow, hours", water, 168, 168, 4),
    Case("carbon dioxide, weeks", carbon, 26, 52, 12),
    Case("electrical equipment, months", equipment, 12, 12, 12),
    Case("sea surface temperature, months", sea, 12, 12, 12),
    Case("US consumption, quarters", macro("realcons"), 8, 4, 12),
    Case("US investment, quarters", macro("realinv"), 8, 4, 12),
    Case("US unemployment, quarters", macro("unemp"), 8, 4, 12),
]
SETS = {"choose": CHOOSE, "report": REPORT, "unseen": UNSEEN}

#: MASE, coverage of the 80% interval, forecast total over actual total, seconds of a forecast.
Scores = tuple[float, float, float, float]


def scores(case: Case, G: Multiplier, forecaster: Forecaster) -> Scores:
    start = time.process_time()
    done = backtest(G, {"it": forecaster}, case.turns, case.origins, case.season)
    took = (time.process_time() - start) / case.origins
    missed, held, expected, came = [], [], 0.0, 0.0
    for trial in done.trials:
        # Closed turns are not forecast, so that as many turns reach further than in the series.
        last = G.calendar[min(trial.origin + case.turns, G.turns) - 1]
        part = trial.forecast.window(1, int(np.sum(trial.actual.calendar <= last)))
        actual = trial.actual.values[: len(part)]
        held.append(coverage(actual, part))
        expected, came = expected + part.mean.sum(), came + actual.sum()
        # Absolute errors are least for the median, which is the typical turn.
        whole = np.abs(trial.actual.values - trial.forecast.mean).mean()
        missed.append(np.abs(actual - part.median).mean() * trial.errors["mase"] / whole)
    return float(np.mean(missed)), float(np.mean(held)), expected / came, took


def rows(cases: list[Case], names: list[str]) -> Iterator[tuple[str, dict[str, Scores]]]:
    for case in cases:
        G = case.read()
        yield case.name, {name: scores(case, G, parse_forecaster(name)) for name in names}


def main() -> int:
    if not DATA.is_dir():
        print(f"no real data: {DATA} does not exist")
        return 0
    chosen = [word for word in sys.argv[1:] if word in SETS] or list(SETS)
    names = [word for word in sys.argv[1:] if word not in SETS] or list(FORECASTERS)
    for which in chosen:
        print(f"\n{which}: MASE, coverage of the 80% interval, total ÷ actual total, seconds")
        print(f"{'':32}" + "".join(f"{name:>26}" for name in names))
        table = []
        for case, found in rows(SETS[which], names):
            cells = (f"{m:9.2f} {c:5.2f} {b:5.2f} {s:4.1f}" for m, c, b, s in found.values())
            print(f"{case:32}" + "".join(cells), flush=True)
            table.append(list(found.values()))
        errors = np.array(table)[:, :, 0]
        ratios = np.exp(np.log(errors / errors[:, :1]).mean(axis=0))
        print(f"{'MASE ÷ ' + names[0]:32}" + "".join(f"{ratio:26.3f}" for ratio in ratios))
        covers = np.array(table)[:, :, 1]
        extremes = covers.mean(axis=0), covers.min(axis=0)
        cells = (f"{m:17.2f} ≥ {low:.2f}" for m, low in zip(*extremes, strict=True))
        print(f"{'coverage, mean and least':32}" + "  ".join(cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
