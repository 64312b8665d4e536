"""The option index away from the settings that it was made on.

Click rates, few arms, long games, early and late peaks, permuted and constant G: its regret over
that of the best of the paper's policies, AdaUCB and greedy, picked on the same games, which favours
the rival.  The study `vs_option_index` has real traffic with forecasts, and arms that come and go.

    .venv/bin/python benchmarks/option_robustness.py [GAMES]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import highseason as hs
from highseason.core.warnings import quiet

RIVALS = (
    "greedy", "ucb", "ucb-z", "soft-ucb", "soft-epsilon", "epsilon-z", "variable-pool", "ada-ucb",
)  # fmt: skip
TURNS = 1000


def multipliers(turns: int) -> dict[str, NDArray[np.float64]]:
    """Peaks at other times, G in another order, and none at all."""
    t, christmas = np.arange(turns), hs.traffic.christmas(turns=turns).values
    wave = hs.traffic.wave(turns=turns).values
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
    """A row per setting."""
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


def main() -> None:
    """Print the table."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    Console(width=110).print(robustness(games))


if __name__ == "__main__":
    main()
