"""What handing out work costs at two workers, and whether the driver's memory grows with games.

- Settings of the paper's grid with 10,000 games each: seven policies, two workers.  The ideal is
  half the CPU time of one worker.  Overhead is what the driver's own thread adds, which the workers
  wait for, and what both workers spend beyond that of one: under 5%.  CPU time is counted, so that
  other programs on the machine matter little; `--all` plays all 72 settings.  The driver's part is
  the one that does not run in parallel: from it follows (Amdahl) how many times as fast n workers
  can be at most.
- The peak of resident memory in a process of its own, from 10^4 to 10^7 games: flat.

    make bench
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings

from bench_grid import POLICIES, grid

import highseason as hs

GAMES = 10_000
MEMORY = """
import resource, sys
import highseason as hs
hs.simulate([hs.UCB(), hs.Greedy()], hs.rewards.bernoulli(arms=3), hs.traffic.wave(40),
            games=int(sys.argv[1]), workers=2, curves=4, keep="summary")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def spent(cells: list[tuple[object, object]], workers: int) -> tuple[float, float]:
    """CPU seconds of the driver's thread, and of all threads together."""
    driver, everyone = time.thread_time(), time.process_time()
    for rewards, G in cells:
        hs.simulate(POLICIES, rewards, G, games=GAMES, seed=1, workers=workers, keep="summary")
    return time.thread_time() - driver, time.process_time() - everyone


def main() -> None:
    """Print both; exit 1 where a limit is missed."""
    warnings.simplefilter("ignore", hs.policies.PlanWarning)
    cells = grid() if "--all" in sys.argv else grid()[::13]
    spent(cells[:2], 2)
    _, alone = spent(cells, 1)
    driver, together = spent(cells, 2)
    overhead = (driver + (together - driver) / 2) / (alone / 2) - 1
    print(f"{len(cells)} settings, {GAMES:,} games: {alone:.1f} s of one core; with two workers")
    print(f"{together:.1f} s, of which the driver {driver:.2f} s: overhead {overhead:+.1%} (< 5%)")
    serial = driver / (alone + driver)
    times = ", ".join(f"{1 / (serial + (1 - serial) / n):.2f} with {n}" for n in (2, 4, 8, 16))
    print(f"{serial:.2%} does not run in parallel: times as fast at most {times} workers")
    peaks = []
    for games in (10**4, 10**5, 10**6, 10**7):
        words = [sys.executable, "-W", "ignore", "-c", MEMORY, str(games)]
        peaks.append(int(subprocess.run(words, capture_output=True, check=True).stdout) / 1024)
        print(f"{games:>12,} games: {peaks[-1]:.0f} MB")
    sys.exit(overhead > 0.05 or peaks[-1] > 1.1 * peaks[1])


if __name__ == "__main__":
    main()
