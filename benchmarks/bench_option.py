"""The option index: microseconds per turn, and as a multiple of UCB's in the same run.

One core.  The least of several rounds counts, because other work on the machine only adds to it.
UCB plays through its own vectorised kernel, so many games that what comes before the first counts
for nothing.  Rewards of 0 and 1 update the learned prior by one multiplication per point of its
grid; others also change how much a turn teaches.

    make bench
"""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.table import Table

import highseason as hs

TURNS, ROUNDS = 500, 5
#: How many games of the option index, and of UCB.
GAMES = 40, 4_000
#: The most that the ratio may be with rewards of 0 and 1 and the fewest arms.
LIMIT = 104.0
REWARDS = {
    "0 or 1": lambda arms: hs.rewards.bernoulli(arms=arms),
    "real, sigma 0.1": lambda arms: hs.rewards.truncated_normal(arms=arms, sigma=0.1),
    "real, sigma 1": lambda arms: hs.rewards.truncated_normal(arms=arms, sigma=1.0),
}


def microseconds(policy: hs.Policy, rewards: hs.rewards.Rewards, games: int) -> float:
    """CPU time per turn."""
    G = hs.traffic.wave(turns=TURNS)
    hs.simulate([policy], rewards, G, games=1, workers=1)
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        hs.simulate([policy], rewards, G, games=games, workers=1)
        best = min(best, time.process_time() - start)
    return best / games / TURNS * 1e6


def main() -> None:
    """Print the table; exit 1 where the limit is missed."""
    table = Table("rewards", "arms", "option index, µs", "UCB, µs", "ratio")
    ratios = []
    for name, make in REWARDS.items():
        for arms in (25, 200):
            option = microseconds(hs.OptionIndex(), make(arms), GAMES[0])
            ucb = microseconds(hs.UCB(P=0.1), make(arms), GAMES[1])
            ratios.append(option / ucb)
            table.add_row(name, str(arms), f"{option:.2f}", f"{ucb:.4f}", f"{ratios[-1]:.0f}")
    Console().print(table, f"at most {LIMIT:.0f} in the first row")
    sys.exit(0 if ratios[0] <= LIMIT else 1)


if __name__ == "__main__":
    main()
