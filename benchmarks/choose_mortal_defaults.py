"""Choose the defaults of the policies for mortal arms by simulation, on settings no study reports.

The traffic is that of `choose_defaults.py`, a shop's and not a news page's; arms come and go in an
even flow, few or many at a time, with short and long lifetimes, and rewards near and far apart.
The score is again the geometric mean over settings of a candidate's regret against the best arm
alive, relative to the best candidate there.

    .venv/bin/python benchmarks/choose_mortal_defaults.py
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence

import numpy as np
from choose_defaults import SEED, shop_traffic

import highseason as hs
from highseason.policies.lifetimes import Lifetimes

GAMES = 40
Setting = tuple[hs.traffic.Multiplier, hs.rewards.Rewards, Lifetimes]


def settings() -> list[Setting]:
    """Every setting the defaults are judged on: 48 in all."""
    found = []
    for number, (days, busiest, alive, life, between) in enumerate(
        itertools.product(
            (365, 1500), (2.0, 8.0), (5, 25), (0.15, 0.6), ((0.0, 1.0), (0.4, 0.6), (0.0, 0.1))
        )
    ):
        lifetimes = hs.lifetimes.birth_and_death(days, alive, life * days)
        traffic = shop_traffic(days, busiest, unit=1e5, seed=number)
        found.append(
            (traffic, hs.rewards.bernoulli(arms=lifetimes.arms, between=between), lifetimes)
        )
    return found


def candidates() -> dict[str, list[hs.Policy]]:
    """What is tried for each class, and the classes among themselves."""
    units = ("q0.1", "q0.5", "q0.9")
    return {
        "SoftUCBMortal": [
            hs.SoftUCBMortal(c=c, unit=u)
            for c, u in itertools.product((0.05, 0.1, 0.2, 0.5, 1.0, 2.0), units)
        ],
        "SoftUCBMortal, by what is ranked": [
            hs.SoftUCBMortal(remaining=remaining) for remaining in (False, True)
        ],
        "UCBL": [
            hs.UCBL(c=c, unit=u) for c, u in itertools.product((0.005, 0.01, 0.02, 0.1), units)
        ],
        "UCBL, xi=age": [hs.UCBL(c=c, xi="age") for c in (0.005, 0.01, 0.02, 0.1)],
        "SoftUCB": [hs.SoftUCB(P=P) for P in (0.005, 0.01, 0.02, 0.05, 2.0)],
        "all together": [
            hs.SoftUCBMortal(),
            hs.SoftUCBMortal(c=2, unit="q0.1"),
            hs.UCBL(),
            hs.UCBL(xi="age"),
            hs.SoftUCB(P=0.01),
            hs.UCB(P=0.01),
            hs.UCB(),
            hs.Greedy(),
        ],
    }


def scores(policies: Sequence[hs.Policy], where: Sequence[Setting]) -> list[float]:
    """The geometric mean of relative regret, for each candidate."""
    logs = []
    for traffic, rewards, lifetimes in where:
        result = hs.simulate(
            policies, rewards, traffic, games=GAMES, seed=SEED, lifetimes=lifetimes
        )
        regret = result.moments["regret"].mean
        logs.append(np.log(regret / regret.min()))
    return [float(score) for score in np.exp(np.mean(logs, axis=0))]


def main() -> None:
    """Print every candidate's score, the best first."""
    warnings.simplefilter("ignore", hs.policies.PlanWarning)
    where = settings()
    for name, tried in candidates().items():
        found = scores(tried, where)
        print(f"\n{name} (regret relative to the best candidate, geometric mean)")
        for i in sorted(range(len(tried)), key=found.__getitem__):
            print(f"  {tried[i]!s:44s} {found[i]:6.3f}")


if __name__ == "__main__":
    main()
