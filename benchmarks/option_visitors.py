"""The option index where visitors are counted, beside rivals that are tuned to every setting.

60 settings: four multipliers, five correlations of the visitors of a turn, three sizes.  In each
the best of the rivals is picked on some games and played again, with the option index and its
variants, in as many new ones.  A ratio is that of regrets; below 1 the option index is better.

    .venv/bin/python benchmarks/option_visitors.py [GAMES] [EVERY]

GAMES is the number of games (150), EVERY plays every EVERY-th setting only (1).
"""

from __future__ import annotations

import itertools
import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import highseason as hs
from highseason.core.warnings import quiet

RATES = {
    "U(.01,.05)": {"between": (0.01, 0.05)},
    "U(.2,.6)": {"between": (0.2, 0.6)},
    "N(.03,.003)": {"prior": (0.03, 0.003)},
}
SHAPES = ("wave", "christmas", "step", "weekyear")
RHOS, SIZES = (0.0, 0.0005, 0.005, 0.05, 1.0), (30, 500, 20_000)
ARMS, TURNS = (5, 20), (90, 365, 1000)
OURS = {
    "option index": "option-index:count=visitors",
    "no waiting": "option-index:count=visitors,variant=now",
    "unregulated": "option-index:count=visitors,variant=unregulated",
}


class Setting(NamedTuple):
    """One cell: a multiplier with a mean number of visitors, and arms."""

    shape: str
    rho: float
    size: int
    rates: str
    arms: int
    turns: int

    def G(self) -> NDArray[np.float64]:
        """The visitors of every turn."""
        G = weekyear(self.turns) if self.shape == "weekyear" else shape_of(self.shape, self.turns)
        return np.maximum(1.0, np.rint(G / G.mean() * self.size))

    def rewards(self) -> hs.rewards.Rewards:
        """What the arms pay."""
        return hs.rewards.visitors(arms=self.arms, rho=self.rho, **RATES[self.rates])


def shape_of(name: str, turns: int) -> NDArray[np.float64]:
    """One of the paper's multipliers."""
    return hs.multipliers.SHAPES[name](turns=turns).values


def weekyear(turns: int) -> NDArray[np.float64]:
    """Days of the week, seasons, a peak in December, and noise; 90 turns start on 1 October."""
    day = np.arange(turns) + (273 if turns < 365 else 0)
    week = np.array([0.9, 0.85, 0.9, 1.0, 1.2, 1.3, 0.85])[day % 7]
    season = 1 + 0.2 * np.sin(2 * np.pi * day / 365)
    peak = 1 + 3 * np.exp(-0.5 * ((day % 365 - 352) / 6) ** 2)
    return week * season * peak * np.exp(0.1 * np.random.default_rng(3).standard_normal(turns))


def settings() -> list[Setting]:
    """All combinations of multiplier, correlation and size; the others take turns."""
    cells = itertools.product(SHAPES, RHOS, SIZES)
    return [
        Setting(
            shape, rho, size, list(RATES)[i % 3 - i // 3 % 3], ARMS[i // 2 % 2], TURNS[i // 5 % 3]
        )
        for i, (shape, rho, size) in enumerate(cells)
    ]


def rivals(rho: float) -> list[str]:
    """Policies with a range of constants; those that count visitors know the true correlation."""
    counting = f"count=visitors,rho={rho}"
    radii = (1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3)
    return [
        f"greedy:{counting}",
        *(f"ucb:{counting},P={P}" for P in radii),
        *(f"ucb-z:z={z},P={P}" for z in ("q0.5", "q0.75") for P in (1e-5, 1e-4, 1e-3, 0.01, 0.1)),
        *(f"ucb-z:{counting},z=q0.75,P={P}" for P in radii[1:5]),
        *(f"soft-ucb:P={P}" for P in (1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5)),
        *(f"epsilon-z:k={k},z=q0.5" for k in (0.1, 1, 10)),
    ]


def compare(setting: Setting, games: int) -> dict[str, Any]:
    """The best rival of some games, played again beside the option index in new ones."""
    G, rewards = setting.G(), setting.rewards()
    with quiet():
        first = hs.simulate(rivals(setting.rho), rewards, G, games=games, seed=1)
        best = int(np.argmin([first.mean("regret", i) for i in range(len(first.policies))]))
        rival = rivals(setting.rho)[best]
        again = hs.simulate([rival, *OURS.values()], rewards, G, games=games, seed=2)
    return {"setting": setting, "rival": rival, "regret": again.games["regret"]}


def ratio(regret: NDArray[np.float64], i: int, base: int = 0) -> tuple[float, float]:
    """The ratio of mean regrets, and its standard error over the games, which are paired."""
    value = regret[i].mean() / regret[base].mean()
    error = (regret[i] - value * regret[base]).std() / np.sqrt(regret.shape[1])
    return value, error / regret[base].mean()


def line(row: dict[str, Any]) -> list[str]:
    """One setting of the table."""
    s, values = row["setting"], [ratio(row["regret"], i) for i in range(1, 1 + len(OURS))]
    own, *others = values
    shown = [f"{own[0]:.2f} ± {own[1]:.2f}", *(f"{value:.2f}" for value, _ in others)]
    about = [s.shape, f"{s.rho:g}", str(s.size), s.rates, f"{s.arms}/{s.turns}", row["rival"]]
    return [*about, *shown]


def summary(rows: list[dict[str, Any]]) -> list[str]:
    """Geometric means: against the best rival, and against the twin that ignores G."""
    means = [geometric([ratio(row["regret"], i)[0] for row in rows]) for i in range(1, 4)]
    values = [ratio(row["regret"], 1) for row in rows]
    worse = sum(value - 1.96 * error > 1.1 for value, error in values)
    lower = sum(value < 1 for value, _ in values)
    twins = (geometric([ratio(r["regret"], 1, 3)[0] for r in group]) for group in by_rho(rows))
    return [
        "geometric means: " + ", ".join(f"{n} {v:.3f}" for n, v in zip(OURS, means, strict=True)),
        f"lower than the best rival in {lower} of {len(rows)}; significantly above 1.1 in {worse}",
        "against the unregulated twin, by rho: " + ", ".join(f"{value:.3f}" for value in twins),
    ]


def by_rho(rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The rows of each correlation."""
    groups = [[row for row in rows if row["setting"].rho == rho] for rho in RHOS]
    return [group for group in groups if group]


def geometric(values: list[float]) -> float:
    """The geometric mean."""
    return float(np.exp(np.mean(np.log(values))))


def main() -> None:
    """Print the table."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rows = [compare(setting, games) for setting in settings()[::every]]
    table = Table("shape", "rho", "visitors", "rates", "arms/turns", "best rival", *OURS)
    for row in rows:
        table.add_row(*line(row))
    console = Console(width=150)
    console.print(table)
    for text in summary(rows):
        console.print(text)


if __name__ == "__main__":
    main()
