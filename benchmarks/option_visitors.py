"""The option index where visitors are counted, beside rivals that are tuned to every setting.

60 settings: four multipliers, five correlations of the visitors of a turn, three sizes.  In each
the best of the rivals is picked on some games and played again, with the option index and its
variants, in as many new ones.  A ratio is that of regrets; below 1 the option index is better.
Two kinds of rivals are picked from: the families that a user would try, among them UCB and AdaUCB
that count visitors and know the true rho; and those with UCB-z that does so as well.

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
RHOS, SIZES = (0.0, 0.0005, 0.005, 0.05, 1.0), (30, 500, 20_000)
#: By multiplier: rates (by their place above), arms and turns, for every rho and size in turn.
CELLS = {
    "wave": "1/20/1000 1/20/90 2/5/365 0/5/365 0/5/1000 2/5/1000 1/20/1000 2/5/365 2/20/365 "
    "1/20/365 2/20/1000 0/20/365 2/5/90 0/5/90 2/20/90",
    "christmas": "2/5/90 0/20/1000 2/20/90 0/20/90 1/5/90 0/5/365 0/5/1000 2/20/90 2/20/90 "
    "0/20/1000 2/5/365 1/20/90 1/5/90 1/5/1000 0/5/1000",
    "step": "0/20/365 1/5/365 2/20/1000 0/20/1000 2/5/365 2/5/365 0/5/90 1/20/90 0/20/90 "
    "1/5/365 2/20/90 1/5/1000 1/20/365 0/5/90 1/5/1000",
    "weekyear": "0/5/365 1/5/1000 0/5/365 1/20/90 2/20/1000 0/20/1000 2/5/1000 2/5/365 2/5/365 "
    "1/20/90 0/20/365 0/20/90 1/20/1000 1/5/365 1/20/1000",
}
OURS = {
    "option index": "option-index:count=visitors",
    "no waiting": "option-index:count=visitors,wait=false",
    "unregulated": "option-index:count=visitors,regulated=false",
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
    return hs.traffic.SHAPES[name](turns=turns).values


def weekyear(turns: int) -> NDArray[np.float64]:
    """Days of the week, seasons, a peak in December, and noise; 90 turns start on 1 October."""
    day = np.arange(turns) + (273 if turns < 365 else 0)
    week = np.array([0.9, 0.85, 0.9, 1.0, 1.2, 1.3, 0.85])[day % 7]
    season = 1 + 0.2 * np.sin(2 * np.pi * day / 365)
    peak = 1 + 3 * np.exp(-0.5 * ((day % 365 - 352) / 6) ** 2)
    return week * season * peak * np.exp(0.1 * np.random.default_rng(3).standard_normal(turns))


def settings() -> list[Setting]:
    """All combinations of multiplier, correlation and size, each with one kind of arms."""
    cells = []
    for shape, text in CELLS.items():
        worlds = itertools.product(RHOS, SIZES)
        for (rho, size), cell in zip(worlds, text.split(), strict=True):
            rates, arms, turns = map(int, cell.split("/"))
            cells.append(Setting(shape, rho, size, list(RATES)[rates], arms, turns))
    return cells


def rivals(rho: float) -> tuple[list[str], list[str]]:
    """Policies with a range of constants, and more that count visitors and know the true rho."""
    counting, turns = f"count=visitors,rho={rho}", "count=turns"
    radii = (1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3)
    usual = [
        f"greedy:{turns}",
        f"greedy:{counting}",
        *(f"ucb:{counting},P={P}" for P in radii),
        *(
            f"ucb-z:{turns},z={z},P={P}"
            for z in ("q0.5", "q0.75")
            for P in (1e-5, 1e-4, 1e-3, 0.01, 0.1)
        ),
        *(f"soft-ucb:{turns},P={P}" for P in (1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5)),
        *(f"epsilon-z:{turns},k={k},z=q0.5" for k in (0.1, 1, 10)),
        *(f"ada-ucb:{turns},P={P}" for P in (1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5)),
        *(f"ada-ucb:{counting},P={P}" for P in radii),
    ]
    return usual, [f"ucb-z:{counting},z=q0.75,P={P}" for P in radii[1:5]]


def compare(setting: Setting, games: int) -> dict[str, Any]:
    """The best rivals of some games, played again beside the option index in new ones."""
    G, rewards, (usual, more) = setting.G(), setting.rewards(), rivals(setting.rho)
    with quiet():
        first = hs.simulate([*usual, *more], rewards, G, games=games, seed=1)
        regrets = [first.mean("regret", i) for i in range(len(first.policies))]
        best, any_best = (int(np.argmin(part)) for part in (regrets[: len(usual)], regrets))
        picked = [usual[best], [*usual, *more][any_best]]
        players = dict(zip(("best", "best of all", *OURS), (*picked, *OURS.values()), strict=True))
        again = hs.simulate(
            {name: hs.policies.parse(text) for name, text in players.items()},
            rewards, G, games=games, seed=2,
        )  # fmt: skip
    return {"setting": setting, "rival": picked[0], "regret": again.games["regret"]}


#: The places of the policies in the second run.
BEST, ANY_BEST, OPTION, NOW, TWIN = range(5)


def ratio(regret: NDArray[np.float64], i: int, base: int = BEST) -> tuple[float, float]:
    """The ratio of mean regrets, and its standard error over the games, which are paired."""
    value = regret[i].mean() / regret[base].mean()
    error = (regret[i] - value * regret[base]).std() / np.sqrt(regret.shape[1])
    return value, error / regret[base].mean()


def line(row: dict[str, Any]) -> list[str]:
    """One setting of the table."""
    s, regret = row["setting"], row["regret"]
    own, error = ratio(regret, OPTION)
    others = [ratio(regret, *pair)[0] for pair in ((NOW,), (TWIN,), (OPTION, ANY_BEST))]
    about = [s.shape, f"{s.rho:g}", str(s.size), s.rates, f"{s.arms}/{s.turns}", row["rival"]]
    return [*about, f"{own:.2f} ± {error:.2f}", *(f"{value:.2f}" for value in others)]


def summary(rows: list[dict[str, Any]]) -> list[str]:
    """Geometric means: against the best rival, and against the twin that ignores G."""
    values = [ratio(row["regret"], OPTION) for row in rows]
    worse = sum(value - 1.96 * error > 1.1 for value, error in values)
    lower = sum(value < 1 for value, _ in values)
    parts = {
        "option index": (OPTION,), "no waiting": (NOW,), "unregulated": (TWIN,),
        "option index against all rivals": (OPTION, ANY_BEST),
    }  # fmt: skip
    means = {name: over(rows, *pair) for name, pair in parts.items()}
    twins = (over(group, OPTION, TWIN) for group in by_rho(rows))
    shapes = {shape: [r for r in rows if r["setting"].shape == shape] for shape in CELLS}
    return [
        "geometric means: " + ", ".join(f"{name} {value:.3f}" for name, value in means.items()),
        "by multiplier: " + ", ".join(f"{n} {over(g, OPTION):.3f}" for n, g in shapes.items() if g),
        f"lower than the best rival in {lower} of {len(rows)}; significantly above 1.1 in {worse}",
        "against the unregulated twin, by rho: " + ", ".join(f"{value:.3f}" for value in twins),
    ]


def over(rows: list[dict[str, Any]], i: int, base: int = BEST) -> float:
    """The geometric mean of a ratio over settings."""
    return float(np.exp(np.mean(np.log([ratio(row["regret"], i, base)[0] for row in rows]))))


def by_rho(rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The rows of each correlation."""
    groups = [[row for row in rows if row["setting"].rho == rho] for rho in RHOS]
    return [group for group in groups if group]


def main() -> None:
    """Print the table."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rows = [compare(setting, games) for setting in settings()[::every]]
    table = Table(
        "shape", "rho", "visitors", "rates", "arms/turns", "best rival", *OURS, "all rivals"
    )
    for row in rows:
        table.add_row(*line(row))
    console = Console(width=150)
    console.print(table)
    for text in summary(rows):
        console.print(text)


if __name__ == "__main__":
    main()
