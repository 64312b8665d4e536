"""Replay of ten million generated events against River and the obvious Python loop, in one run.

Ours is `replay` on a log in memory with everything it reports: for one policy on the bare log
(which adds counting G, lifetimes and the uniformity test), and for one more on a `PreparedLog`.
The others get the first events of the same log, as the objects they expect, built outside the
clock.  CPU time per event is compared, measured in alternation.  River's ε falls about as ours
does over these events; over the whole log both hardly explore, which costs River more, us less.

    make bench
"""

from __future__ import annotations

import math
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

# What is compared is work on one core; threads that wait for one another would count as work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rich.console import Console
from rich.table import Table

import highseason as hs
from highseason.logs import Events, PreparedLog, replay

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the studies
from studies.logged.generate import generate_events

DAYS = 5.6
SAMPLE = 100_000
ROUNDS = 3
#: The ratio that must be reached on a ready log: the others get their events ready-made, too.
NEEDED = {"River UCB": 100.0, "River ε-greedy": 100.0}

POLICIES = {
    "ucb": hs.UCB(),
    "soft-ucb": hs.SoftUCB(),
    "ucb-z": hs.UCBZ(),
    "soft-ucb-mortal": hs.SoftUCBMortal(),
    "epsilon-greedy": hs.EpsilonGreedy(),
    "soft-epsilon": hs.SoftEpsilonGreedy(),
    "variable-pool": hs.VariablePool(),
}

Event = tuple[list[int], None, int, int]


def sample(log: Events) -> list[Event]:
    """The first events as (arms on offer, no context, arm shown, reward)."""
    pools = [log.pools[p].tolist() for p in range(len(log.pools))]
    columns = (log.pool, log.arm, log.reward)
    rows = zip(*(column[:SAMPLE].tolist() for column in columns), strict=True)
    return [(pools[pool], None, arm, int(reward)) for pool, arm, reward in rows]


def python_ucb(history: list[Event]) -> float:
    """UCB1 with dictionaries, as one would write it first."""
    pulls: dict[int, int] = {}
    sums: dict[int, float] = {}
    turns, total = 0, 0.0
    for arms, _, shown, reward in history:
        chosen = next((arm for arm in arms if arm not in pulls), None)
        if chosen is None:
            top = 2.0 * math.log(turns + 1)
            chosen = max(arms, key=lambda a: sums[a] / pulls[a] + math.sqrt(top / pulls[a]))
        if chosen == shown:
            pulls[shown] = pulls.get(shown, 0) + 1
            sums[shown] = sums.get(shown, 0.0) + reward
            turns, total = turns + 1, total + reward
    return total / max(1, turns)


def python_epsilon(history: list[Event]) -> float:
    """ε-greedy, ε = arms / turn, with dictionaries."""
    lots = random.Random(1)
    pulls: dict[int, int] = {}
    sums: dict[int, float] = {}
    turns, total = 0, 0.0
    for arms, _, shown, reward in history:
        chosen = next((arm for arm in arms if arm not in pulls), None)
        if chosen is None:
            if lots.random() < len(arms) / (turns + 1):
                chosen = lots.choice(arms)
            else:
                chosen = max(arms, key=lambda a: sums[a] / pulls[a])
        if chosen == shown:
            pulls[shown] = pulls.get(shown, 0) + 1
            sums[shown] = sums.get(shown, 0.0) + reward
            turns, total = turns + 1, total + reward
    return total / max(1, turns)


def river_loop(kind: str) -> Callable[[list[Event]], object]:
    """River's `evaluate_offline` with its policy of that kind."""
    from river import bandit, stats

    def run(history: list[Event]) -> object:
        policy = (
            bandit.UCB(delta=1, seed=1)
            if kind == "ucb"
            else bandit.EpsilonGreedy(epsilon=1.0, decay=0.005, seed=1)
        )
        return bandit.evaluate_offline(policy, history, reward_stat=stats.Mean())

    return run


def rivals() -> dict[str, tuple[str, Callable[[list[Event]], object]]]:
    """Everything we compare with, by name: which of our policies it is, and the loop."""
    found: dict[str, tuple[str, Callable[[list[Event]], object]]] = {
        "Python UCB": ("ucb", python_ucb),
        "Python ε-greedy": ("epsilon-greedy", python_epsilon),
    }
    try:
        found["River UCB"] = ("ucb", river_loop("ucb"))
        found["River ε-greedy"] = ("epsilon-greedy", river_loop("epsilon"))
    except ImportError as reason:
        print(f"left out: River: {reason}", file=sys.stderr)
    return found


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main() -> None:
    log = generate_events(DAYS, seed=1).events
    history = sample(log)
    events = len(log)
    print(
        f"{events:,} events of {len(log.arms)} arms, pools of {np.mean(log.pools.sizes):.0f} on "
        f"average; least CPU time of {ROUNDS} rounds"
    )
    for policy in POLICIES.values():
        replay(policy, log.take(slice(0, 1000)))  # compiled, or read from the cache
    bare = dict.fromkeys(POLICIES, math.inf)
    ready = dict.fromkeys(POLICIES, math.inf)
    theirs = dict.fromkeys(rivals(), math.inf)
    for _ in range(ROUNDS):
        prepared = PreparedLog.of(log)
        replay("greedy", prepared)  # pays for diagnosing the log
        for name, policy in POLICIES.items():
            bare[name] = min(bare[name], seconds(lambda p=policy: replay(p, log)))
            ready[name] = min(ready[name], seconds(lambda p=policy: replay(p, prepared)))  # noqa: B023  # called before the loop goes on
        for name, (_, loop) in rivals().items():
            theirs[name] = min(theirs[name], seconds(lambda f=loop: f(history)))
    table = Table("policy", "bare log, s", "ready log, s", "million events/s (ready)")
    for name in POLICIES:
        rate = events / ready[name] / 1e6
        table.add_row(name, f"{bare[name]:.2f}", f"{ready[name]:.2f}", f"{rate:.0f}")
    Console().print(table)
    ratios = Table(
        "against", "µs an event", "ours, bare", "ratio", "ours, ready", "ratio", "needed"
    )
    failed = False
    for name, (mine, _) in rivals().items():
        each = 1e6 * theirs[name] / SAMPLE
        first, more = 1e6 * bare[mine] / events, 1e6 * ready[mine] / events
        needed = NEEDED.get(name, 0.0)
        failed |= each / more < needed
        ratios.add_row(
            name, f"{each:.2f}", f"{first:.3f}", f"{each / first:.0f}", f"{more:.3f}",
            f"{each / more:.0f}", f"{needed:.0f}" if needed else "–",
        )  # fmt: skip
    Console().print(ratios)
    if failed:
        sys.exit("slower than it must be")


if __name__ == "__main__":
    main()
