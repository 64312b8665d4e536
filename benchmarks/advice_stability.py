"""Whether advice is stable: three seeds on ten public series, with 5, 25 and 100 arms.

Reads the real data beside the repository.  Prints, for each series and number of arms, the verdict
of each seed (`?` where it is unsure), the policies advised, and CPU seconds; then in how many of
the ten series the seeds agree.  Only the world of the verdict is played, not those of other rho;
`--whole` plays these too, and shows what a whole advice costs.

    python benchmarks/advice_stability.py [--whole] [--seeds N] [ARMS …] [SERIES …]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import highseason as hs
from highseason.advice import World, WorldOutcome
from highseason.advice.recommend import _Study
from highseason.core.executors import opened
from highseason.multipliers import Multiplier, read

DATA = Path(__file__).parents[1].parent / "shared" / "data"
RATES = (0.02, 0.05)


def leeds(camera: str, every: str, first: str, last: str) -> Callable[[], Multiplier]:
    def load() -> Multiplier:
        hours = read(DATA / "leeds_footfall_hourly.csv.gz", value=camera, floor=1)
        return hours.resample(every).window(first, last)

    return load


def shop(value: str, every: str, first: str, last: str) -> Callable[[], Multiplier]:
    def load() -> Multiplier:
        hours = read(DATA / "online_retail_hourly.csv.gz", value=value, floor=1)
        return hours.resample(every).window(first, last)

    return load


def series(
    name: str, first: str | None = None, last: str | None = None
) -> Callable[[], Multiplier]:
    return lambda: read(DATA / "series" / f"{name}.csv.gz").window(first, last)


SERIES: dict[str, Callable[[], Multiplier]] = {
    "upworthy-days": lambda: read(DATA / "upworthy_daily_pageviews.csv"),
    "leeds-days": leeds("Briggate", "1D", "2015-01-01", "2015-12-31"),
    "leeds-hours": leeds("Briggate", "1h", "2013-12-01", "2013-12-31 23:00"),
    "headrow-days": leeds("Headrow", "1D", "2013-07-01", "2014-06-30"),
    "shop-days": shop("orders", "1D", "2011-01-04", "2011-12-08"),
    "shop-hours": shop("lines", "1h", "2011-11-01", "2011-11-30 23:00"),
    "taxi-half-hours": series("nyc_taxi_30min", "2014-12-19", "2015-01-02"),
    "wikipedia-days": series("wikipedia_r_daily", "2014-01-01", "2014-12-31"),
    "airline-months": series("air_passengers_monthly"),
    "retail-months": series("us_retail_sales_monthly"),
}


def judged(G: Multiplier, arms: int, seed: int, whole: bool) -> tuple[WorldOutcome, float]:
    """The outcome of the verdict's world, and the CPU seconds spent."""
    begin = time.process_time()
    if whole:
        outcome = hs.advise(G, arms, rates=RATES, seed=seed).outcome
    else:
        with opened() as pool:
            study = _Study.of(G, arms, None, seed, pool)
            world = World.of("visitors", arms, RATES)
            outcome = study.verdict(world, study.finalists(world))
    return outcome, time.process_time() - begin


def verdict(outcome: WorldOutcome) -> str:
    return outcome.answer + "?" * (not outcome.settled)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("what", nargs="*")
    given = parser.parse_args()
    arms = [int(one) for one in given.what if one.isdigit()] or [5, 25, 100]
    names = [one for one in given.what if not one.isdigit()] or list(SERIES)
    for count in arms:
        agreed = dict.fromkeys(("verdict", "policy", "unsure"), 0)
        for name in names:
            for what, yes in _line(name, count, given.seeds, given.whole):
                agreed[what] += yes
        print(
            f"{count} arms: the same verdict in {agreed['verdict']} of {len(names)}, the same "
            f"policy in {agreed['policy']}, unsure in {agreed['unsure']}",
            flush=True,
        )


def _line(name: str, arms: int, seeds: int, whole: bool) -> Iterator[tuple[str, bool]]:
    G = SERIES[name]()
    outcomes, spent = zip(*(judged(G, arms, seed, whole) for seed in range(seeds)), strict=True)
    verdicts = [verdict(one) for one in outcomes]
    policies = [one.policy.label for one in outcomes]
    print(
        f"{name:16} {G.turns:5} turns {arms:4} arms  {' '.join(f'{v:9}' for v in verdicts)} "
        f"{', '.join(str(one.policy) for one in outcomes)}  {max(spent):.0f} s",
        flush=True,
    )
    yield "verdict", len({one.answer for one in outcomes}) == 1
    yield "policy", len(set(policies)) == 1
    yield "unsure", not all(one.settled for one in outcomes)


if __name__ == "__main__":
    main()
