"""Choose the default parameters of the policies by simulation, on settings no study reports.

The settings below are unlike the paper's shapes and our studies: a noisy weekly rhythm with a
yearly peak, in two unit sizes, with arms near and far apart, short and long games.  A candidate's
score is the geometric mean over settings of its regret, relative to the best candidate there.  The
lowest score becomes the class default; where a candidate with the median as its unit comes within
one percent of it, that one does, because everybody knows what a median is.

    .venv/bin/python benchmarks/choose_defaults.py
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np

import highseason as hs

GAMES = 400
SEED = 20_260_101


def shop_traffic(days: int, busiest: float, unit: float, seed: int) -> hs.traffic.Multiplier:
    """A weekly rhythm, a yearly peak of a month, and noise: visitors a day, in some unit."""
    day = np.arange(days)
    noise = np.random.default_rng(seed).lognormal(0.0, 0.25, days)
    weekly = 1.0 + 0.6 * ((day % 7) >= 5)
    yearly = 1.0 + (busiest - 1.0) * np.exp(-(((day % 365) - 330.0) ** 2) / (2 * 12.0**2))
    return hs.traffic.from_values(unit * weekly * yearly * noise, name=f"shop-{days}-{busiest}")


def settings() -> list[tuple[hs.traffic.Multiplier, hs.rewards.Rewards]]:
    """Every setting the defaults are judged on."""
    found = []
    for number, (days, busiest, unit, arms, between) in enumerate(
        itertools.product(
            (365, 1100, 3000), (2.0, 8.0), (1.0, 1e5), (6, 30), ((0.0, 1.0), (0.4, 0.6), (0.0, 0.1))
        )
    ):
        traffic = shop_traffic(days, busiest, unit, seed=number)
        found.append((traffic, hs.rewards.bernoulli(arms=arms, between=between)))
    return found


def candidates() -> dict[type[hs.Policy], list[hs.Policy]]:
    """What is tried for each class."""
    ks = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
    units = ("q0.1", "q0.25", "q0.5", "q0.75", "q0.95")
    cs = (1.5, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
    return {
        hs.EpsilonGreedy: [hs.EpsilonGreedy(k=k) for k in ks],
        hs.EpsilonZGreedy: [hs.EpsilonZGreedy(k=k) for k in ks],
        hs.SoftEpsilonGreedy: [
            hs.SoftEpsilonGreedy(k=k, unit=u) for k, u in itertools.product(ks, units)
        ],
        hs.SoftUCB: [hs.SoftUCB(unit=u) for u in units],
        hs.VariablePool: [hs.VariablePool(c=c, unit=u) for c, u in itertools.product(cs, units)],
    }


def scores(policies: list[hs.Policy]) -> list[float]:
    """The geometric mean of relative regret over all settings, for each candidate."""
    logs = []
    for traffic, rewards in settings():
        result = hs.simulate(policies, rewards, traffic, games=GAMES, seed=SEED)
        regret = result.moments["regret"].mean
        logs.append(np.log(regret / regret.min()))
    return [float(score) for score in np.exp(np.mean(logs, axis=0))]


def chosen(tried: list[hs.Policy], found: list[float]) -> int:
    """Which candidate becomes the default."""
    order = sorted(range(len(tried)), key=found.__getitem__)
    close = [i for i in order if found[i] <= 1.01 * found[order[0]]]
    plain = [i for i in close if getattr(tried[i], "unit", None) == "q0.5"]
    return (plain or order)[0]


def main() -> None:
    """Print every candidate's score, the best of each class marked."""
    warnings.simplefilter("ignore", hs.policies.PlanWarning)
    for cls, tried in candidates().items():
        found = scores(tried)
        best = chosen(tried, found)
        print(f"\n{cls.__name__} (regret relative to the best candidate, geometric mean)")
        for i in sorted(range(len(tried)), key=found.__getitem__)[:8]:
            mark = "  <- default" if i == best else ""
            shown = {k: v for k, v in tried[i].parameters().items() if k in ("k", "c", "unit")}
            values = ", ".join(f"{k}={v}" for k, v in shown.items())
            print(f"  {values:28s} {found[i]:6.3f}{mark}")


if __name__ == "__main__":
    main()
