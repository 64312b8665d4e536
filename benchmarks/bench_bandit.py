"""A live bandit: CPU time of a decision of every policy, of a late turn, and of loading it.

First a decision (`pull`) with 5 and with 50 arms after 300 turns, propensities included; then a
turn of the default policy, as a multiple of one of UCB, and its turns read from their events, with
shoppers who buy or not.  Then the 20,000th turn with 100 arms.

A turn is a decision and its reward.  Loading is `Bandit.from_json` and the first decision after it.
Without a multiplier, thresholds such as `q0.75` are read from all traffic so far, so each new turn
changes them.  To measure a late turn without playing all turns before it, the bandit is made by
writing a document of that length and loading it.

    python benchmarks/bench_bandit.py [turns]    # 0: decisions only
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

import highseason as hs

ARMS = 100
TURNS = 20_000
#: The limits that we set ourselves: milliseconds a turn, and microseconds to load one.
LIMITS = (1.0, 150.0)
POLICIES = (
    "option-index", "ucb-z", "soft-ucb", "epsilon-z:k=1", "soft-epsilon", "peak-grabber+ucb-z"
)  # fmt: skip
MEASURED = 300
#: Decisions are measured with these numbers of arms, and may take this many milliseconds; those of
#: the default, which looks ahead, twice as many.
FEW_AND_MANY, DECISION_LIMIT = (5, 50), 0.5
#: In histories of so many arms and turns, a turn of the default takes at most this many times one
#: of UCB.  The limit for loading is that of above; short histories and many arms take longer,
#: because in the first turns most arms are weighed again.
HISTORIES, DEFAULT_LIMIT = ((10, 200), (10, 1000), (10, 4000), (50, 1000)), 8.0
LOADED = HISTORIES[1:3]
DECIDING = (
    "greedy", "uniform", "epsilon-greedy", "soft-epsilon", "ucb", "soft-ucb", "kl-ucb",
    "variable-pool", "thompson", "soft+thompson", "discounted+thompson", "gaussian-thompson",
    "option-index",
)  # fmt: skip


def traffic(t: int) -> float:
    """The visitors of a turn, the same in every run."""
    return 100.0 + 50.0 * float(np.sin(t / 9.0)) + (t * 7919) % 37


def play(bandit: hs.Bandit[int], turns: range, expecting: bool) -> None:
    """Decide and reward some turns."""
    for t in turns:
        arm = bandit.pull(t, expected=traffic(t) if expecting else None)
        came = traffic(t + 1)
        bandit.update(arm, came * (0.2 + 0.005 * arm), t=t, visitors=came)


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def grown(document: str, turns: int) -> str:
    """The document of a bandit whose decisions are repeated until it has played `turns` turns."""
    entry = json.loads(document)
    start, *events = entry["events"]
    played = len(events) // 2  # a decision and its reward
    entry["events"] = [start]
    for i in range(turns // played):
        for event in events:
            later = event | {"seq": len(entry["events"]) + 1}
            if "turn" in event:
                later["turn"] = event["turn"] + played * i
            else:
                ((turn, *came),) = event["outcomes"]
                later["outcomes"] = [(turn + played * i, *came)]
            entry["events"].append(later)
    return json.dumps(entry)


def measured(policy: str, turns: int, online: bool) -> tuple[float, float, float]:
    """Milliseconds of an early and of a late turn, and microseconds a turn to load."""
    G = None if online else hs.traffic.from_values([traffic(t) for t in range(1, turns + 1001)])
    bandit = hs.Bandit(range(ARMS), policy, G, reward_range=(0, 1), seed=7)
    play(bandit, range(1, 1000), online)
    early = seconds(lambda: play(bandit, range(1000, 1001), online))
    document = grown(bandit.to_json(), turns)
    late: list[hs.Bandit[int]] = []
    load = seconds(lambda: late.append(hs.Bandit.from_json(document)))
    load += seconds(partial(play, late[0], range(turns + 1, turns + 2), online))
    first = turns + 2
    spent = seconds(partial(play, late[0], range(first, first + MEASURED), online))
    return early * 1e3, spent / MEASURED * 1e3, load / turns * 1e6


def decision(policy: str, arms: int) -> float:
    """Milliseconds of a decision, the median of many."""
    G = hs.traffic.from_values([traffic(t) for t in range(1, 1001)])
    bandit = hs.Bandit(range(arms), policy, G, reward_range=(0, 1), seed=7)
    play(bandit, range(1, 301), False)
    spent = []
    for t in range(301, 401):
        spent.append(seconds(partial(bandit.pull, t)))
        bandit.update(bandit.pull(t), 0.2 * traffic(t), t=t, visitors=traffic(t))
    return float(np.median(spent)) * 1e3


def shop(policy: str, arms: int, turns: int) -> tuple[float, float]:
    """Microseconds of `pull` and `update`, and to load a turn, the least of three runs."""
    G = [10.0 * traffic(t) for t in range(1, turns + 1)]
    rng = np.random.default_rng(1)
    bought = rng.binomial(np.array(G, int)[:, None], rng.beta(2, 20, arms)).tolist()

    def sell(bandit: hs.Bandit[int]) -> None:
        for t, orders in enumerate(bought, start=1):
            arm = bandit.pull(t)
            bandit.update(arm, orders[arm], t=t, visitors=int(G[t - 1]))

    live, load = [], []
    for _ in range(3):
        bandit = hs.Bandit(range(arms), policy, G, reward_range=(0, 1), seed=7)
        live.append(seconds(partial(sell, bandit)))
        load.append(seconds(partial(hs.Bandit.from_events, bandit.store)))
    return min(live) / turns * 1e6, min(load) / turns * 1e6


def default_against_ucb() -> tuple[Table, bool]:
    """One row per history, and whether all keep the limits."""
    table = Table("arms", "turns", "pull and update / ucb's", "µs a turn to load")
    good = True
    for arms, turns in HISTORIES:
        (took, load), (least, _) = shop("option-index", arms, turns), shop("ucb", arms, turns)
        good &= took / least <= DEFAULT_LIMIT and (load <= LIMITS[1] or (arms, turns) not in LOADED)
        table.add_row(str(arms), f"{turns:,}", f"{took / least:.1f}", f"{load:.0f}")
    return table, good


def decisions() -> tuple[Table, bool]:
    """One row per policy, and whether all keep the limit."""
    table = Table("ms a decision", *(f"{arms} arms" for arms in FEW_AND_MANY))
    rows = {policy: [decision(policy, arms) for arms in FEW_AND_MANY] for policy in DECIDING}
    for policy, row in rows.items():
        table.add_row(policy, *(f"{value:.3f}" for value in row))
    limits = [DECISION_LIMIT * (2 if "option-index" in policy else 1) for policy in rows]
    return table, all(max(row) <= most for row, most in zip(rows.values(), limits, strict=True))


def main() -> None:
    """Print one row per policy and mode; exit 1 where a limit is missed."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    table = Table(
        f"{ARMS} arms", "multiplier", "ms, turn 1,000", f"ms, turn {turns:,}", "µs a turn to load"
    )
    deciding, good = decisions()
    Console(width=100).print(deciding, f"at most {DECISION_LIMIT} ms, the option index twice that")
    of_default, kept = default_against_ucb()
    good &= kept
    Console(width=100).print(
        of_default,
        f"the default: at most {DEFAULT_LIMIT:.0f}; {LIMITS[1]:.0f} µs with 10 arms, 1,000 turns",
    )
    if turns == 0:
        sys.exit(0 if good else 1)
    for policy in POLICIES:
        for online in (True, False):
            early, late, load = measured(policy, turns, online)
            good &= late <= LIMITS[0] and load <= LIMITS[1]
            mode = "none" if online else "known"
            table.add_row(policy, mode, f"{early:.2f}", f"{late:.2f}", f"{load:.0f}")
    Console(width=100).print(
        table, f"at most {LIMITS[0]} ms, and {LIMITS[1]:.0f} µs a turn to load"
    )
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
