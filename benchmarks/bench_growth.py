"""How the cost of games and replays grows with arms, turns, games and events; CPU time, one worker.

make bench
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from bench_own_rule import least

import highseason as hs
from highseason.logs import PreparedLog, replay

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the studies
from studies.logged.generate import generate_events

POLICIES = {
    "ucb": hs.UCB(),
    "epsilon": hs.EpsilonGreedy(k=1),
    "pool": hs.VariablePool(c=10, unit=1),
    "generic path": hs.UCB(ties="random"),
}


def each_turn(kind: str, arms: int, turns: int, games: int) -> float:
    """Nanoseconds a turn."""
    setting = (POLICIES[kind], hs.rewards.bernoulli(arms=arms), hs.traffic.wave(turns))
    hs.simulate(*setting, games=8, workers=1)
    seconds = least(lambda: hs.simulate(*setting, games=games, workers=1, keep="summary"))
    return seconds / games / turns * 1e9


def row(name: str, values: list[float]) -> None:
    print(f"{name:<16}" + "".join(f"{value:>10.1f}" for value in values))


def main() -> None:
    """Print the tables."""
    warnings.simplefilter("ignore", hs.policies.PlanWarning)
    print("ns a turn by arms (20 turns an arm)", *(sizes := (10, 25, 50, 100, 200, 400, 800)))
    for kind in POLICIES:
        row(kind, [each_turn(kind, m, 20 * m, max(8, 100_000 // (20 * m))) for m in sizes])
    print("ns a turn by turns (25 arms)", *(lengths := (125, 500, 2000, 8000, 32_000)))
    for kind in POLICIES:
        row(kind, [each_turn(kind, 25, n, max(8, 400_000 // n)) for n in lengths])
    print("ns a turn by games (25 arms, 500 turns)", *(counts := (10, 100, 1000, 10_000)))
    for kind in POLICIES:
        row(kind, [each_turn(kind, 25, 500, count) for count in counts])
    logs = [PreparedLog.of(generate_events(days, seed=1).events) for days in (0.01, 0.05, 0.25)]
    print("ns an event by events", *(len(log.events) for log in logs))
    for policy in ("epsilon-greedy", "soft-ucb-mortal"):
        row(policy, [each_event(policy, log) for log in logs])


def each_event(policy: str, log: PreparedLog) -> float:
    """Nanoseconds an event of a replay."""
    replay(policy, log, workers=1)
    return least(lambda: replay(policy, log, workers=1)) / len(log.events) * 1e9


if __name__ == "__main__":
    main()
