"""Whether advice is stable: three seeds on ten public series, with 5, 25 and 100 arms.

Reads the real data beside the repository.  Each seed of each case runs on one core, as many at a
time as there are cores.  Prints, for each series and number of arms, the verdict of each seed (`?`
where it is unsure), the policies advised, and the most CPU seconds a seed took; then in how many of
the series the seeds agree.  Only the world of the verdict is played, not those of other rho;
`--whole` plays these too, and shows what a whole advice costs.  `--executor gpu` plays the games on
a GPU.  What is not done after `--limit` seconds is left out.

`--also POLICY` searches one more policy, counting turns and visitors, as advice searches its own,
and shows how far the better of the two is ahead of the best of all others.  The paper's shapes
(wave, christmas and step, 500 turns of one draw each) are played where they are named.

    python benchmarks/advice_stability.py [--whole] [--seeds N] [--executor gpu] [--workers N] \\
        [--limit S] [--also POLICY] [ARMS …] [SERIES …]
"""

from __future__ import annotations

import argparse
import functools
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

import highseason as hs
from highseason.advice import World
from highseason.advice.comparison import WorldComparison
from highseason.advice.recommend import Judge, affordable
from highseason.core.parallel import opened
from highseason.traffic import Multiplier, read

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
#: The paper's shapes, in its world: a turn is one draw.
SHAPES = {name: functools.partial(hs.traffic.SHAPES[name], turns=500)
          for name in ("wave", "christmas", "step")}  # fmt: skip


class Case(NamedTuple):
    """A series and a number of arms."""

    series: str
    arms: int


class Judged(NamedTuple):
    """What a seed says, and what it cost."""

    answer: str
    sure: bool
    policy: str
    earned: float
    games: int
    seconds: float
    ahead: float  # of `--also`: by how much of the best arm's reward it leads the best of the rest


def lead_of(name: str, found: WorldComparison) -> float:
    """By how much the best form of a policy leads the best of all others; nan if not played."""
    ours = [one.earned for one in found.compared if one.policy.name == name]
    rest = [one.earned for one in found.compared if one.policy.name != name]
    return max(ours) - max(rest) if ours else float("nan")


def judged(case: Case, seed: int, whole: bool, executor: str, also: str) -> Judged:
    """The comparison in the verdict's world, and the CPU seconds spent."""
    paper = case.series in SHAPES
    G, begin = (SHAPES if paper else SERIES)[case.series](), time.process_time()
    if whole:
        found = hs.advise(
            G, case.arms, rates=RATES, seed=seed, executor=executor, workers=1
        ).comparison
    else:
        with opened(executor, 1) as pool:
            more = (hs.policies.parse(also),) if also else ()
            study = Judge(G, affordable(G, case.arms), seed, pool, also=more)
            world = World.of(
                "bernoulli" if paper else "visitors", case.arms, None if paper else RATES
            )
            found = study.verdict(world, *study.finalists([world]))
    spent = time.process_time() - begin
    ahead = lead_of(hs.policies.parse(also).name, found) if also else float("nan")
    return Judged(found.answer, found.settled, str(found.policy), found.chosen.earned,
                  found.games, spent, ahead)  # fmt: skip


def played(
    cases: Iterable[Case], seeds: int, whole: bool, executor: str, workers: int | None,
    limit: float, also: str,
) -> dict[Case, list[Judged]]:  # fmt: skip
    """What the seeds of each case say; the slowest cases go first."""
    done: dict[Case, list[Judged]] = defaultdict(list)
    with ProcessPoolExecutor(workers) as pool:
        slow = sorted(cases, key=lambda case: -case.arms)
        tasks = {pool.submit(judged, case, seed, whole, executor, also): case for case in slow
                 for seed in range(seeds)}  # fmt: skip
        try:
            for task in as_completed(tasks, timeout=limit):
                done[tasks[task]].append(task.result())
        except TimeoutError:
            running = list(pool._processes.values())  # gone after the shutdown
            pool.shutdown(wait=False, cancel_futures=True)
            for process in running:
                process.terminate()
            print(f"stopped after {limit:g} seconds")
    return done


def line(case: Case, seeds: list[Judged]) -> str:
    verdicts = " ".join(f"{one.answer + '?' * (not one.sure):9}" for one in seeds)
    policies = ", ".join(dict.fromkeys(one.policy for one in seeds))
    games = f"{min(one.games for one in seeds)}-{max(one.games for one in seeds)} games"
    seconds = max(one.seconds for one in seeds)
    leads = [f"{100 * one.ahead:+.2f}" for one in seeds if one.ahead == one.ahead]
    return (
        f"{case.series:16} {case.arms:4} arms  {verdicts} {games:16} {seconds:4.0f} s  {policies}"
        + f"  leads by {' '.join(leads)}" * bool(leads)
    )


def summary(arms: int, done: list[list[Judged]]) -> str:
    verdicts = sum(len({one.answer for one in seeds}) == 1 for seeds in done)
    policies = sum(len({one.policy.partition(":")[0] for one in seeds}) == 1 for seeds in done)
    unsure = sum(not all(one.sure for one in seeds) for seeds in done)
    pays = sum(len({one.answer == "regulate" for one in seeds}) == 1 for seeds in done)
    return (
        f"{arms} arms: of {len(done)} series the same verdict in {verdicts}, the same on whether "
        f"regulating pays in {pays}, the same policy in {policies}, unsure in {unsure}"
    )


def lines(cases: list[Case], done: dict[Case, list[Judged]], seeds: int) -> Iterator[str]:
    """A line for each case, a summary for each number of arms."""
    for arms in dict.fromkeys(case.arms for case in cases):
        whole = [case for case in cases if case.arms == arms and len(done[case]) == seeds]
        yield from (line(case, done[case]) for case in whole)
        yield summary(arms, [done[case] for case in whole])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--executor", choices=("serial", "gpu"), default="serial")
    parser.add_argument("--workers", type=int, help="processes; as many as there are cores")
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds")
    parser.add_argument("--also", default="", help="one more policy, such as ada-ucb")
    parser.add_argument("what", nargs="*")
    given = parser.parse_args()
    arms = [int(one) for one in given.what if one.isdigit()] or [5, 25, 100]
    names = [one for one in given.what if not one.isdigit()] or list(SERIES)
    if given.whole and (given.also or set(names) & set(SHAPES)):
        parser.error("--whole is for the public series alone, without --also")
    cases = [Case(name, count) for count in arms for name in names]
    begin = time.perf_counter()
    done = played(
        cases, given.seeds, given.whole, given.executor, given.workers, given.limit, given.also
    )
    print("\n".join(lines(cases, done, given.seeds)))
    every = [one.seconds for seeds in done.values() for one in seeds]
    print(f"{sum(every) / 60:.1f} CPU minutes, {time.perf_counter() - begin:.0f} seconds")


if __name__ == "__main__":
    main()
