"""The option index: microseconds per turn, and as a multiple of UCB's in the same run.

One core.  The least of several rounds counts, because other work on the machine only adds to it.
UCB plays through its own vectorised kernel.  Rewards of 0 and 1 update the learned prior by one
multiplication per point of its grid; others also change how much a turn teaches.

    make bench
"""

from __future__ import annotations

import time

from rich.console import Console
from rich.table import Table

import highseason as hs

GAMES, TURNS, ROUNDS = 40, 500, 5
REWARDS = {
    "0 or 1": lambda arms: hs.rewards.bernoulli(arms=arms),
    "real, sigma 0.1": lambda arms: hs.rewards.truncated_normal(arms=arms, sigma=0.1),
    "real, sigma 1": lambda arms: hs.rewards.truncated_normal(arms=arms, sigma=1.0),
}


def microseconds(policy: hs.Policy, rewards: hs.rewards.Rewards) -> float:
    """CPU time per turn, without what comes before the first."""
    G = hs.traffic.wave(turns=TURNS)
    hs.simulate([policy], rewards, G, games=1, workers=1)
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        hs.simulate([policy], rewards, G, games=GAMES, workers=1)
        best = min(best, time.process_time() - start)
    return best / GAMES / TURNS * 1e6


def main() -> None:
    """Print the table."""
    table = Table("rewards", "arms", "option index, µs", "UCB, µs", "ratio")
    for name, make in REWARDS.items():
        for arms in (25, 200):
            option = microseconds(hs.OptionIndex(), make(arms))
            ucb = microseconds(hs.UCB(P=0.1), make(arms))
            row = (f"{option:.2f}", f"{ucb:.3f}", f"{option / ucb:.0f}")
            table.add_row(name, str(arms), *row)
    Console().print(table)


if __name__ == "__main__":
    main()
