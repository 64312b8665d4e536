"""Games with visitors against Bernoulli games and NumPy's binomial, in one run.

Ours is `simulate` on one thread, warm, CPU time per turn and policy.  NumPy only draws, vectorised.
The whole table should run at a fifth of the Bernoulli speed or more.

    .venv/bin/python benchmarks/bench_visitors.py
"""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

import highseason as hs

ARMS, TURNS, GAMES = 10, 365, 400
RATES = (0.02, 0.04)
#: They count turns: so the same kernels play both worlds, and the difference is that of the draws.
POLICIES: dict[str, list[hs.Policy]] = {
    name: [policy.counting("turns") for policy in some]
    for name, some in {
        "ucb": [hs.UCB(P=0.01)],
        "greedy": [hs.Greedy()],
        "epsilon": [hs.EpsilonGreedy()],
        "pool": [hs.VariablePool(c=10, unit=1)],
        "six at once": [
            hs.UCB(P=0.01), hs.UCBZ(P=0.01), hs.SoftUCB(P=0.01),
            hs.Greedy(), hs.EpsilonGreedy(), hs.EpsilonZGreedy(),
        ],
    }.items()
}  # fmt: skip
#: Visitors in a mean turn.
SIZES = (10, 100, 1000, 20_000)


def clock(works: Sequence[Callable[[], object]], rounds: int = 25) -> list[float]:
    """CPU seconds of each, the least of several rounds, because other work comes and goes."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for i, work in enumerate(works):
            begin = time.process_time()
            work()
            best[i] = min(best[i], time.process_time() - begin)
    return best


def ours(rewards: hs.rewards.Rewards, G: np.ndarray) -> list[Callable[[], object]]:
    """Games of each group of policies."""
    for policies in POLICIES.values():
        hs.simulate(policies, rewards, G, games=8, workers=1)
    return [
        functools.partial(hs.simulate, policies, rewards, G, games=GAMES, workers=1, keep="summary")
        for policies in POLICIES.values()
    ]


def numpy_draws(visitors: np.ndarray, rho: float) -> Callable[[], object]:
    """As many draws as the games have turns."""
    rng = np.random.default_rng(0)
    n = np.tile(visitors, GAMES)
    p = rng.uniform(*RATES, n.size)

    def work() -> np.ndarray:
        rates = rng.beta(p * (1 / rho - 1), (1 - p) * (1 / rho - 1)) if rho else p
        return rng.binomial(n, rates)

    return work


def main() -> None:
    warnings.simplefilter("ignore", hs.policies.PlanWarning)
    wave = hs.traffic.wave(TURNS).values
    cells = [(size, rho) for size in SIZES for rho in (0.0, 0.001, 0.01)]
    works = ours(hs.rewards.bernoulli(arms=ARMS, between=RATES), wave)
    for size, rho in cells:
        G = wave / wave.mean() * size
        works += ours(hs.rewards.visitors(arms=ARMS, between=RATES, rho=rho), G)
        works.append(numpy_draws(np.maximum(1, np.floor(G + 0.5)).astype(np.int64), rho))
    spent = iter(np.array(clock(works)) / (GAMES * TURNS) * 1e9)
    counts = [len(players) for players in POLICIES.values()]
    base = [next(spent) / count for count in counts]
    table = Table(
        "visitors", "rho", *POLICIES, "NumPy draw", title="ns a turn (share of Bernoulli speed)"
    )
    table.add_row("Bernoulli", "", *(f"{each:.0f}" for each in base))
    every = []
    for size, rho in cells:
        turns = [next(spent) / count for count in counts]
        every.append(turns)
        texts = (f"{turn:.0f} ({each / turn:.2f})" for turn, each in zip(turns, base, strict=True))
        table.add_row(str(size), f"{rho:g}", *texts, f"{next(spent):.0f}")
    Console(width=120).print(table)
    for name, plain, turns in zip(POLICIES, base, zip(*every, strict=True), strict=True):
        print(f"{name}, all rows together: {plain / np.mean(turns):.2f} of the Bernoulli speed")
    whole = np.sum(base) / np.mean(np.sum(every, axis=1))
    print(f"the whole table: {whole:.2f} of the Bernoulli speed")


if __name__ == "__main__":
    main()
