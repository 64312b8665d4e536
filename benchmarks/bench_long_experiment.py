"""A long and wide experiment of the service: what a decision, a correction and a start take.

To save time, most arms come after most turns: what a decision takes does not depend on the past.

    python benchmarks/bench_long_experiment.py [turns] [arms] [policy]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from highseason_service import Service
from highseason_service.forecast import TrafficForecast
from highseason_service.model import Arm, Outcome, Settings

TURNS, ARMS, MEASURED = 20_000, 1_000, 100
#: How many arms there are from the beginning.
FIRST = 5
#: The most that these may take, in milliseconds.
LIMITS = {"decide": 10.0, "start": 10_000.0}


def milliseconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - begin)


def reward(turn: int) -> Outcome:
    """What a turn brings, the same in every run."""
    visitors = 100.0 + turn % 37
    return Outcome(turn, visitors * (0.2 + 0.5 * ((turn * 7919) % 101) / 101), visitors)


def play(service: Service, turns: int) -> None:
    """Decide and reward all turns but the last few."""
    for turn in range(1, turns + 1):
        service.decide("long", turn)
        if turn % 500 == 0 or turn == turns:
            first = turn - (turn - 1) % 500
            service.update_many("long", [reward(t) for t in range(first, turn + 1)])


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    arms = int(sys.argv[2]) if len(sys.argv) > 2 else ARMS
    policy = sys.argv[3] if len(sys.argv) > 3 else "soft-ucb"
    forecast = TrafficForecast(tuple(100.0 + turn % 37 for turn in range(turns)))
    ids = tuple(Arm(f"arm-{i}", when="now") for i in range(arms))
    with tempfile.TemporaryDirectory() as folder:
        url = str(Path(folder) / "long.db")
        last = turns - MEASURED
        with Service(url) as service:
            settings = Settings("long", "Long", ids[:FIRST], policy, forecast, (0.0, 1.0))
            service.create(settings)
            played = milliseconds(lambda: play(service, last))
            for arm in ids[FIRST:]:
                service.add_arm("long", arm)
            service.decide("long", last + 1)
        took: dict[str, float] = {}
        with Service(url) as service:
            took["start"] = milliseconds(lambda: service.state("long"))
            times = [
                milliseconds(lambda t=t: service.decide("long", t))  # type: ignore[misc]
                for t in range(last + 2, turns + 1)
            ]
            took["decide"] = statistics.median(times)
            took["reward"] = milliseconds(lambda: service.update_many("long", [reward(turns)]))
            wrong = Outcome(last // 2, 1.0, reward(last // 2).visitors)
            took["correct"] = milliseconds(lambda: service.correct("long", wrong))
            took["state"] = milliseconds(lambda: service.state("long"))
            took["plan"] = milliseconds(lambda: service.plan("long"))
    table = Table(f"{turns:,} turns, {arms:,} arms", "ms", "at most")
    for name, spent in took.items():
        table.add_row(name, f"{spent:,.1f}", f"{LIMITS[name]:,.0f}" if name in LIMITS else "")
    Console(width=100).print(table, f"played at {last / played * 1e3:,.0f} turns a second")
    sys.exit(int(any(took[name] > most for name, most in LIMITS.items())))


if __name__ == "__main__":
    main()
