"""The paper's whole grid on one core, and what further cores give.

72 settings (25 to 200 arms, 500 to 1,500 turns, three shapes, two reward models), seven policies,
50 games each: 25,200 games, 25 million turns.  At most 2 seconds of one core, warm.  On a long
simulation two workers reach at least 1.9 times one, and 16 ten times, in a quiet run.

    make bench
"""

from __future__ import annotations

import itertools
import sys
import time
import warnings

import highseason as hs
from highseason.core.parallel import worker_count

POLICIES = [
    hs.EpsilonGreedy(k=110),
    hs.EpsilonZGreedy(k=110, z=30),
    hs.SoftEpsilonGreedy(k=110, unit=1),
    hs.UCB(),
    hs.UCBZ(z=30),
    hs.SoftUCB(unit=1),
    hs.VariablePool(c=10, unit=1),
]


def grid() -> list[tuple[hs.rewards.Rewards, hs.Multiplier]]:
    """Reward models and multipliers."""
    cells = itertools.product(
        (25, 50, 100, 200),
        (500, 1000, 1500),
        (hs.traffic.wave, hs.traffic.step, hs.traffic.christmas),
        (hs.rewards.bernoulli, lambda arms: hs.rewards.truncated_normal(arms, sigma=1.0)),
    )
    return [(model(arms=m), shape(n)) for m, n, shape, model in cells]


def play_grid(workers: int) -> int:
    """Play every setting; gives the number of turns."""
    played = 0
    for rewards, G in grid():
        hs.simulate(POLICIES, rewards, G, games=50, seed=1, workers=workers)
        played += 50 * G.turns * len(POLICIES)
    return played


def speed(workers: int) -> float:
    """Turns a second of a long simulation, UCB with 25 arms and 500 turns."""
    games, G = 100_000 * workers, hs.traffic.wave(500)
    begin = time.perf_counter()
    hs.simulate(
        [hs.UCB()], hs.rewards.bernoulli(arms=25), G, games, workers=workers, keep="summary"
    )
    return games * G.turns / (time.perf_counter() - begin)


def main() -> None:
    """Print both; exit 1 where the grid takes longer than it may."""
    warnings.simplefilter("ignore", hs.policies.PlanWarning)
    play_grid(1)
    begin = time.process_time()
    turns = play_grid(1)
    cpu = time.process_time() - begin
    print(f"the grid: {turns:,} turns in {cpu:.2f} s of one core (at most 2)")
    one = max(speed(1) for _ in range(3))
    for workers in itertools.takewhile(
        lambda count: count <= worker_count(None), (1, 2, 4, 8, 16, 32)
    ):
        several = max(speed(workers) for _ in range(3))
        print(f"{workers:2} workers: {several / 1e6:,.0f} million turns a second, "
              f"{several / one:.2f} times one")  # fmt: skip
    sys.exit(cpu > 2)


if __name__ == "__main__":
    main()
