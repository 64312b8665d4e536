"""What the one-step forecasters cost, against the plans that are made from them.

For each of them: the time for the whole path of beliefs over the time that a policy takes to plan
from them, turn by turn, which it does once however many games it plays.  It fails where a path is
more than half of that.

    make bench
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import highseason as hs
from highseason.traffic import OneStep, forecasters

TURNS, ARMS = 1500, 25


def best_of(work: Callable[[], object], repeats: int = 10) -> float:
    work()
    found = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def main() -> int:
    G, policy, worst = hs.traffic.wave(turns=TURNS), hs.UCBZ(), 0.0
    print(f"{TURNS} turns; one thread; best of several runs")
    print(f"{'forecaster':32}{'path, ms':>10}{'÷ the plan of ucb-z':>21}")
    for kind in forecasters().values():
        if issubclass(kind, OneStep):
            forecaster = kind()
            seconds = best_of(lambda f=forecaster: f.path(G))
            share = seconds / best_of(lambda f=forecaster: policy.plan(G, ARMS, f), 3)
            worst = max(worst, share)
            print(f"{forecaster!s:32}{1e3 * seconds:10.2f}{share:21.3f}")
    print(f"the costliest path is {worst:.2f} of a plan: {'TOO SLOW' if worst > 0.5 else 'ok'}")
    return int(worst > 0.5)


if __name__ == "__main__":
    sys.exit(main())
