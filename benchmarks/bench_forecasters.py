"""What the one-step forecasters cost inside a simulation, against the games themselves.

For each of them: the time for the whole path of beliefs over the time for one game of the same
length (the mean of the paper's five regulated policies), and over the 50 games of one of the
paper's cells.  A simulation needs the path once, however many games it plays, so that is what is
judged: it fails where a path costs more than a tenth of a cell's games.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import highseason as hs
from highseason.traffic import OneStep, forecasters

TURNS, ARMS, GAMES, CELL = 1500, 25, 200, 50
POLICIES = [
    hs.EpsilonZGreedy(k=1, z=30),
    hs.SoftEpsilonGreedy(k=1, unit=1),
    hs.UCBZ(z=30),
    hs.SoftUCB(unit=1),
    hs.VariablePool(c=20, unit=1),
]


def best_of(work: Callable[[], object], repeats: int = 30) -> float:
    work()
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def main() -> int:
    G = hs.traffic.wave(turns=TURNS)
    rewards = hs.rewards.bernoulli(arms=ARMS)
    games = {
        policy: best_of(
            lambda p=policy: hs.simulate(p, rewards, G, games=GAMES, workers=1), repeats=5
        )
        for policy in POLICIES
    }
    print(f"{TURNS} turns, {ARMS} arms; one thread; best of several runs")
    for policy, seconds in games.items():
        print(f"one game of {policy}: {1e6 * seconds / GAMES:.1f} µs")
    game = sum(games.values()) / len(games) / GAMES
    worst = 0.0
    print(f"{'forecaster':32}{'path, µs':>10}{'÷ one game':>12}{f'÷ {CELL} games':>14}")
    for kind in forecasters().values():
        if not issubclass(kind, OneStep):
            continue
        forecaster = kind()
        seconds = best_of(lambda f=forecaster: f.path(G))
        ratio = seconds / game
        worst = max(worst, ratio)
        print(f"{forecaster!s:32}{1e6 * seconds:10.1f}{ratio:12.2f}{ratio / CELL:14.4f}")
    slow = worst / CELL > 0.1
    verdict = "TOO SLOW" if slow else "ok"
    print(f"the costliest path is {worst / CELL:.3f} of {CELL} games: {verdict}")
    cheapest = worst * game * GAMES / min(games.values())
    print(f"of a single game it is {worst:.2f}, of the cheapest policy's {cheapest:.2f}")
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
