"""Games with visitors against Bernoulli games and NumPy's binomial, in one run.

Ours is `simulate` on one thread, warm, CPU time per turn and policy.  It draws every reward twice:
for the policies, and for the best arm, which realised regret needs.  NumPy only draws, vectorised.

    .venv/bin/python benchmarks/bench_visitors.py
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import highseason as hs

ARMS, TURNS, GAMES = 10, 365, 400
RATES = (0.02, 0.04)
POLICIES: dict[str, list[hs.Policy]] = {
    "ucb": [hs.UCB(P=0.01)],
    "greedy": [hs.Greedy()],
    "epsilon": [hs.EpsilonGreedy()],
    "pool": [hs.VariablePool(c=10, unit=1)],
    "six at once": [
        hs.UCB(P=0.01), hs.UCBZ(P=0.01), hs.SoftUCB(P=0.01),
        hs.Greedy(), hs.EpsilonGreedy(), hs.EpsilonZGreedy(),
    ],
}  # fmt: skip
#: Visitors in a mean turn.
SIZES = (10, 100, 1000, 20_000)


def clock(work: Callable[[], object], times: int = 5) -> float:
    """CPU seconds, the least of several measurements."""
    best = float("inf")
    for _ in range(times):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def ours(policies: list[hs.Policy], rewards: hs.rewards.Rewards, G: np.ndarray) -> float:
    """Nanoseconds a turn of a policy."""
    hs.simulate(policies, rewards, G, games=8, workers=1)
    spent = clock(lambda: hs.simulate(policies, rewards, G, games=GAMES, workers=1, keep="summary"))
    return spent / (GAMES * TURNS * len(policies)) * 1e9


def numpy_draws(visitors: np.ndarray, rho: float) -> float:
    """Nanoseconds a draw."""
    rng = np.random.default_rng(0)
    n = np.tile(visitors, GAMES)
    p = rng.uniform(*RATES, n.size)

    def work() -> np.ndarray:
        rates = rng.beta(p * (1 / rho - 1), (1 - p) * (1 / rho - 1)) if rho else p
        return rng.binomial(n, rates)

    return clock(work) / n.size * 1e9


def main() -> None:
    warnings.simplefilter("ignore", hs.PlanWarning)
    wave = hs.multipliers.wave(TURNS).values
    plain = hs.rewards.bernoulli(arms=ARMS, between=RATES)
    table = Table(
        "visitors", "rho", "NumPy draw", *POLICIES, title="ns a turn (share of Bernoulli speed)"
    )
    base = {name: ours(players, plain, wave) for name, players in POLICIES.items()}
    table.add_row("Bernoulli", "", "", *(f"{spent:.0f}" for spent in base.values()))
    for size in SIZES:
        G = wave / wave.mean() * size
        for rho in (0.0, 0.001, 0.01):
            rewards = hs.rewards.visitors(arms=ARMS, between=RATES, rho=rho)
            cells = []
            for name, players in POLICIES.items():
                spent = ours(players, rewards, G)
                cells.append(f"{spent:.0f} ({base[name] / spent:.2f})")
            whole = np.maximum(1, np.floor(G + 0.5)).astype(np.int64)
            table.add_row(str(size), f"{rho:g}", f"{numpy_draws(whole, rho):.0f}", *cells)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
