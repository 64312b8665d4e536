"""The option index away from the settings that it was made on: three tables.

1. Other rates, few arms, long games, early and late peaks, permuted and constant G: its regret over
   that of the best of the paper's policies and greedy, picked on the same games, which favours the
   rival.
2. A season-ahead forecast of real traffic instead of the truth: what is lost, beside soft UCB.
3. Arms that come and go: beside soft UCB mortal and UCB-L, which are made for them.

    .venv/bin/python benchmarks/option_robustness.py [GAMES]

The second table needs a folder of traffic in $HIGHSEASON_DATA, and is left out without it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import highseason as hs
from highseason.core.warnings import quiet

RIVALS = ("greedy", "ucb", "ucb-z", "soft-ucb", "soft-epsilon", "epsilon-z", "variable-pool")
TURNS = 1000


def multipliers(turns: int) -> dict[str, NDArray[np.float64]]:
    """Peaks at other times, G in another order, and none at all."""
    t, christmas = np.arange(turns), hs.multipliers.christmas(turns=turns).values
    wave = hs.multipliers.wave(turns=turns).values
    return {
        "wave": wave,
        "christmas": christmas,
        "early peak": np.where(t < turns // 5, 30.0, 1.0),
        "late peak": np.where(t >= turns - turns // 5, 30.0, 1.0),
        "permuted christmas": np.random.default_rng(1).permutation(christmas),
        "constant": np.ones(turns),
    }


def settings() -> Iterator[tuple[str, hs.rewards.Rewards, str, NDArray[np.float64]]]:
    """What the arms pay, and G."""
    arms = {
        "clicks .01 to .05, 20 arms": hs.rewards.bernoulli(arms=20, between=(0.01, 0.05)),
        "0/1, 2 arms": hs.rewards.bernoulli(arms=2),
        "0/1, 25 arms": hs.rewards.bernoulli(arms=25),
        "sigma 1, 25 arms": hs.rewards.truncated_normal(arms=25, sigma=1),
    }
    for kind, rewards in arms.items():
        for name, G in multipliers(TURNS).items():
            yield kind, rewards, name, G
    for name in ("wave", "christmas"):
        kind = "0/1, 10 arms, 10,000 turns"
        yield kind, hs.rewards.bernoulli(arms=10), name, multipliers(10_000)[name]


def ratio(regret: NDArray[np.float64], i: int, base: int) -> tuple[float, float]:
    """The ratio of mean regrets, and half its paired 95% interval."""
    value = regret[i].mean() / regret[base].mean()
    error = (regret[i] - value * regret[base]).std() / np.sqrt(regret.shape[1])
    return value, 1.96 * error / regret[base].mean()


def robustness(games: int) -> Table:
    """The first table."""
    table = Table("arms", "multiplier", "best rival", "ratio", "95%", title="Robustness")
    values = []
    for kind, rewards, name, G in settings():
        with quiet():
            result = hs.simulate([*RIVALS, "option-index"], rewards, G, games=games, seed=4)
        regret = result.games["regret"]
        best = int(regret[:-1].mean(axis=1).argmin())
        value, half = ratio(regret, -1, best)
        values.append((value, half))
        table.add_row(kind, name, RIVALS[best], f"{value:.2f}", f"± {half:.2f}")
    above = sum(value - half > 1.05 for value, half in values)
    mean = np.exp(np.mean([np.log(value) for value, _ in values]))
    table.caption = f"geometric mean {mean:.3f}; intervals above 1.05: {above} of {len(values)}"
    return table


def real_traffic() -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Every daily series of the folder that is long enough."""
    for path in sorted(Path(os.environ.get("HIGHSEASON_DATA", "nowhere")).glob("*.csv*")):
        try:
            with quiet():
                series = hs.multipliers.read(path).values
        except ValueError:
            continue
        if 500 <= series.size <= 5000:
            yield path.stem, series


def forecasts(games: int) -> Table:
    """The second table: the last 180 turns of each series, forecast from what came before."""
    title = "Reward lost by forecasting the season, % (95%)"
    table = Table("series", "option index", "soft UCB", title=title)
    players = ["option-index", "soft-ucb:P=0.1"]
    for name, series in real_traffic():
        past, G = series[:-180], series[-180:]
        forecast = hs.forecasters.SeasonalNaive(periods=(7,)).fit(past).predict(180)
        rewards = hs.rewards.bernoulli(arms=10)
        with quiet():
            runs = [
                hs.simulate(players, rewards, G, games=games, seed=5, forecast=each)
                for each in (None, forecast)
            ]
        known, forecasted = (run.games["reward"] for run in runs)
        lost = 100 * (1 - forecasted / known.mean(axis=1, keepdims=True))
        lost += 100 * (known / known.mean(axis=1, keepdims=True) - 1)
        half = 1.96 * lost.std(axis=1) / np.sqrt(games)
        row = (f"{m:+.2f} ± {h:.2f}" for m, h in zip(lost.mean(axis=1), half, strict=True))
        table.add_row(name, *row)
    return table


def mortal(games: int) -> Table:
    """The third table: arms that are born and die; the reward over that of soft UCB mortal."""
    table = Table("multiplier", "policy", "regret over soft-ucb-mortal", "95%", title="Mortal arms")
    players = ["soft-ucb-mortal", "ucb-l", "ucb-l:xi=age", "greedy", "option-index"]
    for name in ("wave", "christmas"):
        lifetimes = hs.lifetimes.birth_and_death(turns=600, alive=20, life=120)
        rewards = hs.rewards.bernoulli(arms=lifetimes.arms)
        G = multipliers(600)[name]
        with quiet():
            result = hs.simulate(players, rewards, G, games=games, seed=6, lifetimes=lifetimes)
        for i, policy in enumerate(players[1:], start=1):
            value, half = ratio(result.games["regret"], i, 0)
            table.add_row(name, policy, f"{value:.2f}", f"± {half:.2f}")
    return table


def main() -> None:
    """Print the tables."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    console = Console(width=110)
    for make in (mortal, forecasts, robustness):
        console.print(make(games))


if __name__ == "__main__":
    main()
