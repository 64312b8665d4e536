"""The last Christmas, held out: how good season-ahead forecasts are, and what is left of the gain.

Reads the real data beside the repository.  The default's constants were chosen on other Christmases
and other series (decisions 0010, 0024); nothing here was used to choose anything.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from library_models import ARIMA, ETS, MSTL

import highseason as hs
from highseason.traffic import (
    Backtest,
    Blend,
    CalendarRegression,
    Forecast,
    Forecaster,
    Multiplier,
    SeasonalNaive,
    backtest,
    read,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the studies
from studies.unknown_traffic.forecast_cost import forecast_cost

DATA = Path(__file__).parents[1].parent / "shared" / "data"
POLICIES = [hs.UCBZ(), hs.SoftUCB(), hs.EpsilonZGreedy(), hs.SoftEpsilonGreedy()]


@dataclass(frozen=True)
class Case:
    """A series, and the first day of what is held out."""

    name: str
    G: Multiplier
    first: str

    @property
    def origin(self) -> int:
        return self.G.turn_of(self.first) - 1

    @property
    def turns(self) -> int:
        return self.G.turns - self.origin


def cases() -> list[Case]:
    leeds = read(DATA / "leeds_footfall_hourly.csv.gz", value="Briggate", floor=1e-9)
    shop = read(DATA / "online_retail_hourly.csv.gz", value="orders", floor=1e-9).resample("1D")
    return [
        Case("Leeds footfall (Briggate)", leeds.resample("1D"), "2016-11-01"),
        Case("online retail orders", shop.floor(1), "2011-11-01"),
    ]


FORECASTERS: dict[str, Forecaster] = {
    "seasonal naive, week": SeasonalNaive(),
    "seasonal naive, year": SeasonalNaive(lag=364),
    "default (blend), GB": Blend(country="GB-ENG"),
    "calendar, GB": CalendarRegression(country="GB-ENG"),
    "default, shopping days only": Blend(),
    "default, holidays off": Blend(holidays=False),
    "ETS": ETS(country="GB-ENG"),
    "MSTL": MSTL(country="GB-ENG"),
    "ARIMA": ARIMA(country="GB-ENG"),
}


def errors(case: Case, forecasters: dict[str, Forecaster] = FORECASTERS) -> Backtest:
    return backtest(case.G, forecasters, case.turns, [case.origin])


def costs(trials: Backtest, games: int = 2000) -> list[tuple[str, str, float, float, float]]:
    """For each policy and forecast: its gain, what survives of the gain, and of the timing.

    Knowing G makes a policy explore at other times, and also less.  The second is no merit of the
    forecast, so the same stakes in random order (the mean of eight) are played as well: what the
    known order gains over that is timing.
    """
    found = []
    actual = trials.trials[0].actual
    rng = np.random.default_rng(5)
    for policy in POLICIES:
        forecasts: dict[str, Any] = {t.forecaster: t.forecast for t in trials.trials}
        forecasts["default, its mean only"] = forecasts["default (blend), GB"].sure()
        forecasts["random walk, day by day"] = hs.traffic.RandomWalk()
        orders = [f"order {i}" for i in range(8)]
        forecasts |= {order: Forecast(rng.permutation(actual.values)) for order in orders}
        base = hs.UCB() if "ucb" in policy.name else hs.EpsilonGreedy()
        cost = forecast_cost(
            policy, hs.rewards.bernoulli(arms=5), actual, forecasts, games, 1, base
        )
        mistimed = float(np.mean([cost.reward(order) for order in orders]))
        timing = cost.reward("G known") - mistimed
        # Where timing is a small part of the gain, a share of it says nothing.
        worth = timing > 0.2 * (cost.reward("G known") - cost.reward("unregulated"))
        for label in cost.labels:
            if label not in orders:
                left = (cost.reward(label) - mistimed) / timing if worth else float("nan")
                found.append(
                    (str(policy), label, cost.gain(label).value, cost.survives(label), left)
                )
        gain = mistimed / cost.reward("unregulated") - 1
        found.append(
            (str(policy), "G in random order", gain, gain / cost.gain("G known").value, 0.0)
        )
    return found


def main() -> int:
    if not DATA.is_dir():
        print(f"no real data: {DATA} does not exist")
        return 0
    for case in cases():
        print(f"\n{case.name}: {case.origin} days known, {case.turns} held out from {case.first}")
        print(f"{'forecaster':30}{'MASE':>8}{'sMAPE':>8}{'pinball':>10}{'80% cov.':>10}{'s':>7}")
        trials = []
        for label, forecaster in FORECASTERS.items():
            start = time.perf_counter()
            done = errors(case, {label: forecaster})
            took = time.perf_counter() - start
            trials += done.trials
            e = done.to_dict()[label]
            print(
                f"{label:30}{e['mase']:8.2f}{e['smape']:8.2f}{e['pinball']:10.4g}"
                f"{e['coverage']:10.2f}{took:7.1f}"
            )
        print(f"{'policy':16}{'known by':30}{'gain':>9}{'survives':>10}{'of timing':>11}")
        for policy, label, gain, left, timing in costs(Backtest(tuple(trials))):
            print(f"{policy:16}{label:30}{100 * gain:7.1f}%{100 * left:8.0f}%{100 * timing:9.0f}%")
    return 0


if __name__ == "__main__":
    sys.exit(main())
