"""How often the 95% interval of a replayed policy holds what it earns: on many logs of one kind.

Logs are uniform, with four arms that pay 1 with probability 0.1, 0.2, 0.3 and 0.25.  What a policy
earns in so many turns is the mean of its estimates over all logs, which are unbiased.

    python benchmarks/replay_coverage.py [logs] [turns]
"""

from __future__ import annotations

import sys

import numpy as np

import highseason as hs

RATES = np.array([0.1, 0.2, 0.3, 0.25])
POLICIES = ("constant-epsilon", "ucb", "uniform")


def coverage(logs: int, turns: int) -> dict[str, float]:
    """The share of logs whose interval holds the mean over all logs, by policy."""
    rng, events = np.random.default_rng(1), 8 * turns
    pool = ["a", "b", "c", "d"]
    means: dict[str, list[tuple[float, float, float]]] = {name: [] for name in POLICIES}
    for seed in range(logs):
        shown = rng.integers(0, 4, events)
        clicks = rng.random(events) < RATES[shown]
        arms = np.array(pool)[shown]
        log = hs.logs.Events.of(np.arange(events) // 8, arms, clicks, [pool] * events)
        result = hs.replay(POLICIES, log, turns=turns, seed=seed, executor="serial")
        for name in POLICIES:
            mean = result[name].mean
            means[name].append((mean.value, mean.low, mean.high))
    held = {}
    for name, rows in means.items():
        value, low, high = np.array(rows).T
        held[name] = float(((low <= value.mean()) & (value.mean() <= high)).mean())
    return held


def main() -> None:
    """Print a line per policy."""
    logs, turns = map(int, sys.argv[1:3] or (400, 150))
    for name, share in coverage(logs, turns).items():
        print(f"{name}: {share:.1%} of {logs} logs of {turns} turns")


if __name__ == "__main__":
    main()
