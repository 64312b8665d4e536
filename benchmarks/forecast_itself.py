"""Whether a forecast agrees with itself: five promises, a row or more for each.

1. Mean and quantiles are of one distribution: independent log-normal days.
2. The mean leaves its own 80% interval only with a note: days that burst.
3. Bursts are not promised at full size: page views and load that burst, expected over what came.
4. Own days that were seen ten times or more: forecast over truth, and how many intervals hold.
5. A level that halves or doubles is said within 14 days; in series whose level stays, it is not.

Constants of the default were chosen on the seeds of `choose`; those of `report` were only looked
at afterwards, as were public series of page views.  Files are more series for the third row.

    python benchmarks/forecast_itself.py [choose|report] [1|2|3|4|5 …] [file …]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import forecast_season
import numpy as np

from highseason.traffic import Blend, Forecast, Multiplier, read

DATA = Path(__file__).parents[1].parent / "shared" / "data"
FIRST_SEED = {"choose": 0, "report": 500_000}


def days(values: np.ndarray, first: str = "2021-03-01", step: str = "D") -> Multiplier:
    count = {"D": 1, "m": 5}[step]
    times = np.datetime64(first, step) + np.arange(values.size) * np.timedelta64(count, step)
    return Multiplier(np.maximum(values, 1e-9), times)


def forecast(past: Multiplier, turns: int, events: dict[object, str] | None = None) -> Forecast:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Blend(events=events).fit(past).predict(turns)


def held(ahead: Forecast, came: np.ndarray) -> np.ndarray:
    low, high = ahead.interval(0.8)
    return (low <= came) & (came <= high)


def one_distribution(seed: int) -> None:
    print("\n1. log-normal days: mean / true mean, mean of the quantiles / mean, days held")
    for turns, series in ((300, 40), (800, 30)):
        for deviation in (0.3, 0.6, 0.8, 1.0):
            ratio, own, hits = [], [], []
            for one in range(series):
                rng = np.random.default_rng([seed, one])
                logs = deviation * rng.standard_normal(turns + 28)
                ahead = forecast(days(300 * np.exp(logs[:turns])), 28)
                ratio.append(ahead.mean.mean() / (300 * np.exp(deviation**2 / 2)))
                own.append(ahead.atoms(999).mean() / ahead.mean.mean())
                hits.append(held(ahead, 300 * np.exp(logs[turns:])).mean())
            error = np.std(ratio) / np.sqrt(series)
            print(
                f"{turns} days, deviation {deviation}: {np.mean(ratio):6.3f} ± {error:.3f}"
                f"{np.mean(own):8.3f}{np.mean(hits):6.0%}",
                flush=True,
            )


def rare(rng: np.random.Generator, n: int) -> np.ndarray:
    """One day in fifty is a hundred times as busy: the mean is beyond nine tenths of the days."""
    return 300 * np.exp(0.1 * rng.standard_normal(n)) * np.where(rng.random(n) < 0.02, 100, 1)


#: When a page's views burst and how: the first day, how many times the usual views, and in how
#: many days these fade.
Burst = tuple[int, float, float]


class Page:
    """Views of a page of somebody in the news: bursts that fade, more of them in the season.

    In three winters of five there is a final that draws five to eighty times the usual views.
    """

    def __init__(self, rng: np.random.Generator, n: int) -> None:
        t = np.arange(n)
        self.year = t / 365.25 + rng.uniform(0, 1)
        self.season = (self.year % 1 < 0.45).astype(float)
        self.usual = 7 + 0.5 * self.season + rng.normal(0, 0.1, 7)[t % 7]
        self.walk = np.cumsum(0.01 * rng.normal(size=n))
        shock, self.shocks = 0.0, np.empty(n)
        for i in range(n):
            self.shocks[i] = shock = 0.6 * shock + 0.2 * rng.normal()
        starts = self.news(rng, 0, n)
        self.finals = []
        for winter in range(int(self.year[-1]) + 1):
            if rng.random() < 0.6:
                day = max(0, self.final(winter) + int(rng.integers(-7, 8)))
                starts.append((day, rng.uniform(5, 80)))
                self.finals.append((winter, day))
        self.bursts = [(day, size, rng.uniform(0.7, 3)) for day, size in starts]
        lift = burst(self.bursts, 0, n)
        self.views = np.rint(np.exp(self.usual + self.walk + self.shocks) * lift)

    def news(self, rng: np.random.Generator, first: int, n: int) -> list[tuple[int, float]]:
        season = self.season[first:n]
        starts = list[tuple[int, float]]()
        for chance in (0.02 * season, 0.005):
            busy = first + np.flatnonzero(rng.random(season.size) < chance)
            starts += [(int(day), rng.pareto(1.3) + 0.5) for day in busy]
        return starts

    def final(self, winter: int) -> int:
        return int(np.searchsorted(self.year, winter + 0.42))

    def expected(self, rng: np.random.Generator, last: int, turns: int, paths: int = 100) -> float:
        """The views of the days to come, for one who knows all but what is drawn later."""
        days, sums = slice(last, last + turns), list[float]()
        seen = {winter for winter, day in self.finals if day < last}
        known = [one for one in self.bursts if one[0] < last]
        while len(sums) < paths:
            logs = self.usual[days] + self.walk[last - 1] + np.cumsum(0.01 * rng.normal(size=turns))
            shock = self.shocks[last - 1]
            for i in range(turns):
                shock = 0.6 * shock + 0.2 * rng.normal()
                logs[i] += shock
            starts = self.news(rng, last, last + turns)
            for winter in set(range(int(self.year[-1]) + 1)) - seen:
                day = self.final(winter) + int(rng.integers(-7, 8))
                if self.final(winter) >= last - 7 and day < last + turns and rng.random() < 0.6:
                    starts.append((day, rng.uniform(5, 80)))
            if all(day >= last for day, _ in starts):  # else it would have been seen
                new = [(day, size, rng.uniform(0.7, 3)) for day, size in starts]
                sums.append(float((np.exp(logs) * burst(known + new, last, turns)).sum()))
        return float(np.mean(sums))


def burst(bursts: list[Burst], first: int, turns: int) -> np.ndarray:
    """How many times as busy they make the days from the first on: each for 40 days at most."""
    factor = np.ones(turns)
    for day, size, fades in bursts:
        after = first + np.arange(turns) - day
        lift = 1 + min(size, 100) * np.exp(-np.maximum(after, 0) / fades)
        factor *= np.where((after >= 0) & (after < 40), lift, 1)
    return factor


def load(rng: np.random.Generator, n: int) -> np.ndarray:
    """Requests in five minutes: a day's rhythm, and minutes with several times as many."""
    t = np.arange(n)
    rate = 50 * np.exp(0.5 * np.sin(2 * np.pi * t / 288 + rng.uniform(0, 6)))
    rate = rate * rng.gamma(2.5, 1 / 2.5, n)
    rate = rate * np.where(rng.random(n) < 0.02, rng.uniform(3, 9, n), 1)
    return rng.poisson(rate).astype(float)


#: The last days that are known of a page.
LAST = (2176, 2304, 2432)
#: Series that burst: a past and what came, one after the other.
Cases = Iterator[tuple[Multiplier, Multiplier]]


def made(seed: int, name: str) -> Cases:
    for one in range({"page": 20, "rare bursts": 30, "load": 6, "bursts of old": 20}[name]):
        rng = np.random.default_rng([seed, len(name), one])
        if name == "page":
            yield from split(days(Page(rng, 2560).views), LAST, 128)
        elif name == "load":
            yield from split(days(load(rng, 4032), step="m"), [3629], 288)
        elif name == "rare bursts":
            yield from split(days(rare(rng, 1100)), [990], 110)
        else:  # of one day in 25, until a year ago
            busy = (rng.random(1828) < 0.04) & (np.arange(1828) < 1435)
            noise = np.exp(0.15 * rng.standard_normal(1828))
            yield from split(days(300 * noise * np.where(busy, 20, 1)), [1800], 28)


def split(G: Multiplier, origins: Iterable[int], turns: int) -> Cases:
    for last in origins:
        yield G.window(1, last), G.window(last + 1, min(last + turns, G.turns))


def rolling(path: Path) -> Cases:
    G = read(path, floor=1e-9)
    return split(G, range(int(0.6 * G.turns), G.turns - 28, 64), 60)


def sized(seed: int, files: list[Path]) -> None:
    print("\n2, 3. expected / what came over all series, the series' median; how many exceed what")
    print("came by half; days held; those whose mean leaves its interval, and without a note")
    groups = {name: made(seed, name) for name in ("page", "load", "rare bursts", "bursts of old")}
    for path in files or [DATA / "series" / "wikipedia_r_daily.csv.gz"]:
        if path.exists():
            groups[path.name.split(".")[0]] = rolling(path)
    for name, cases in groups.items():
        said, came, hits, out, silent = [], [], [], 0, 0
        for past, then in cases:
            ahead = forecast(past, then.turns * 2)
            at = np.isin(ahead.calendar, then.calendar)  # days may be missing
            low, high = ahead.interval(0.8)
            said.append(ahead.mean[at].sum())
            came.append(then.values.sum())
            hits.append(np.mean((low[at] <= then.values) & (then.values <= high[at])))
            leaves = bool(((ahead.mean < low) | (ahead.mean > high)).any())
            out, silent = out + leaves, silent + (leaves and not ahead.notes)
        print(f"{compared(name, said, came)}{np.mean(hits):6.0%}{out:5}{silent:5}", flush=True)
        if name == "page":  # no forecast is nearer than that of one who knows how they are made
            known = [
                Page(np.random.default_rng([seed, 4, one]), 2560).expected(
                    np.random.default_rng([seed, 4, one, last]), last, 128
                )
                for one in range(20)
                for last in LAST
            ]
            print(compared("pages, known", known, came), flush=True)
            print(compared("page / known", said, known), flush=True)


def compared(name: str, said: list[float], came: list[float]) -> str:
    """Sums over sums, with the standard error; the median ratio; how many exceed by half."""
    ratio = np.array(said) / np.array(came)
    error = np.std(np.array(said) - np.array(came)) / len(said) ** 0.5 / np.mean(came)
    return (
        f"{name:20}{len(said):4}{np.sum(said) / np.sum(came):7.2f} ± {error:.2f}"
        f"{np.median(ratio):7.2f}{np.count_nonzero(ratio > 1.5):4}"
    )


def own(seed: int) -> None:
    print("\n4. own days: forecast / truth of their mean; 80% intervals that hold")
    for times, factor, apart, series in (
        (10, 0.3, 0, 40), (10, 3, 0, 40), (17, 0.3, 0, 40), (17, 3, 0, 40), (30, 0.5, 0, 40),
        (10, 0.3, 0.2, 40), (17, 3, 0.2, 40),
    ):  # fmt: skip
        ratio, hits = [], []
        for one in range(series):
            rng = np.random.default_rng([seed, 6, one, times])
            n, turns = 730, 28
            t = np.arange(n + turns)
            week = np.log([1, 0.9, 1, 1.05, 1.3, 1.6, 0.8])[t % 7]
            sale = np.isin(t, rng.choice(n - 14, times, replace=False))
            sale |= np.isin(t, n + rng.choice(turns, 4, replace=False))
            truth = 300 * np.exp(week + 0.1 * np.sin(2 * np.pi * t / 365.25) + 0.005)
            truth *= np.where(sale, factor * np.exp(apart**2 / 2), 1)
            noise = rng.standard_normal((2, t.size))
            values = truth * np.exp(0.1 * noise[0] - 0.005)
            values *= np.exp(np.where(sale, apart * noise[1] - apart**2 / 2, 0))
            G = days(values)
            ahead = forecast(
                G.window(1, n), turns, dict.fromkeys(G.calendar[sale].tolist(), "sale")
            )
            coming = sale[n:]
            ratio.append((ahead.mean[coming] / truth[n:][coming]).mean())
            hits.append(held(ahead, values[n:])[coming].mean())
        error = np.std(ratio) / np.sqrt(series)
        print(
            f"{times:3} seen, x{factor}, its size apart by {apart}: {np.mean(ratio):6.3f}"
            f" ± {error:.3f}{np.mean(hits):6.0%}",
            flush=True,
        )


def quiet(rng: np.random.Generator, n: int, noise: float) -> np.ndarray:
    wave = 0.1 * np.sin(2 * np.pi * np.arange(n) / 365.25 + rng.uniform(0, 6))
    week = np.array([1, 0.9, 1, 1.05, 1.3, 1.6, 0.8])[np.arange(n) % 7]
    return 300 * week * np.exp(wave + noise * rng.standard_normal(n))


def moved(seed: int) -> None:
    print("\n5. shifts said 14 days after, by size; and in series whose level stays, of 50")
    cases: dict[str, Callable[[np.random.Generator, int], Multiplier]] = {
        f"{n} days, noise {noise}": lambda rng, one, n=n, noise=noise: days(
            quiet(rng, n, noise), "2021-01-10"
        )
        for n, noise in ((100, 0.2), (200, 0.2), (300, 0.1), (300, 0.3), (800, 0.1), (800, 0.3))
    }
    cases["shops in October"] = lambda rng, one: shop(seed + one)
    for name, make in cases.items():
        cells = ""
        for factor, series in ((0.5, 20), (2.0, 20), (1.0, 50)):
            said = 0
            for one in range(series):
                G = make(np.random.default_rng([seed, 7, one]), one)
                values = G.values * np.where(np.arange(G.turns) < G.turns - 14, 1, factor)
                notes = forecast(Multiplier(values, G.calendar), 7).notes
                said += any(note.startswith("traffic") for note in notes)
            cells += f"   x{factor}: {said:3} of {series}"
        print(f"{name:20}{cells}", flush=True)


def shop(seed: int) -> Multiplier:
    """A shop of `forecast_season`, with a high season and noise that lasts, to 10 October."""
    G, year = forecast_season.made(600_000 + seed)
    return G.window(1, G.turn_of(f"{year}-10-10"))


def main() -> int:
    words = sys.argv[1:]
    which = next((word for word in words if word in FIRST_SEED), "report")
    seed = FIRST_SEED[which]
    files = [Path(word) for word in words if Path(word).is_file()]
    chosen = [word for word in words if word in "12345"] or ["1", "3", "4", "5"]
    for word in chosen:
        start = time.process_time()
        if word in "23":
            sized(seed, files)
        else:
            {"1": one_distribution, "4": own, "5": moved}[word](seed)
        print(f"{time.process_time() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
