"""How long a bound takes: 200 arms, 100,000 turns, against the limit of one second.

    python benchmarks/bounds_speed.py [--arms 200] [--turns 100000]

Compilation is left out (the first call of each kind is not measured); the plan is not: every call
has a plan that was never asked for before.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

import highseason as hs

LIMIT = 1.0
REPEATS = 3


def fastest(work: Callable[[float], object]) -> float:
    """The best of a few calls, each with a parameter of its own."""
    work(1.0)
    times = []
    for i in range(REPEATS):
        start = time.perf_counter()
        work(1.0 + (i + 1) * 1e-6)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=200)
    parser.add_argument("--turns", type=int, default=100_000)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    means = np.random.default_rng(1).random(given.arms)
    G = hs.traffic.christmas(given.turns)
    makers: dict[str, Callable[[float], hs.Policy]] = {
        "epsilon-greedy": lambda x: hs.EpsilonGreedy(k=5 * x),
        "epsilon-z": lambda x: hs.EpsilonZGreedy(k=5 * x, z=30),
        "soft-epsilon": lambda x: hs.SoftEpsilonGreedy(k=5 * x),
        "ucb": lambda x: hs.UCB(P=2 * x),
        "ucb-z": lambda x: hs.UCBZ(z=30, P=2 * x),
        "soft-ucb": lambda x: hs.SoftUCB(P=2 * x),
        "variable-pool": lambda x: hs.VariablePool(c=500 * x),
        "soft-ucb-mortal": lambda x: hs.SoftUCBMortal(c=x, unit=1),
    }
    slowest = 0.0
    print(
        f"{given.arms} arms, {given.turns:,} turns; seconds, and the limit of {LIMIT:g} s over them"
    )
    for name, make in makers.items():
        seconds = fastest(lambda x, make=make: hs.bounds.regret(make(x), means=means, multiplier=G))
        slowest = max(slowest, seconds)
        print(f"{name:>16}  {seconds:6.3f}  {LIMIT / seconds:6.1f}x")
    start = time.perf_counter()
    pulls = hs.bounds.minimum_pulls(10**12, arms=given.arms)
    print(f"{'minimum pulls':>16}  {time.perf_counter() - start:6.3f}  (x = {pulls} at n = 10^12)")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the whole process: {peak:.0f} MB")
    return int(slowest > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
