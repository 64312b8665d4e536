"""The dashboard's page of an experiment with 100,000 turns and 1,000 arms, over HTTP.

The experiment is written to a SQLite file as it would have been recorded.  Measured are the first
page after a start (which also builds the live bandit from its log), a page that was seen before,
the page after another turn was decided, and that decision; and how much the browser gets.

    python benchmarks/bench_dashboard.py [turns] [arms]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

TURNS, ARMS, MEASURED = 100_000, 1_000, 30
#: The limits that we set ourselves, in milliseconds; the first page after a start has none.
LIMITS = {"seen before": 200, "after a change": 200, "list": 200, "decision": 10}
#: Turns that are left to decide.
LEFT = 2_000


def write(path: Path, turns: int, arms: int) -> None:
    """An experiment in which all but the last turns are decided and rewarded."""
    from highseason.bandit import OutcomesReported, TurnDecided, TurnOutcome
    from highseason_service import Service, store
    from highseason_service.forecast import Calendar, TrafficForecast
    from highseason_service.model import Arm, DecisionRecord, Entry, Settings

    t = np.arange(turns)
    visitors = np.round(60 + 30 * np.sin(2 * np.pi * t / 24) + 20 * np.cos(2 * np.pi * t / 8766))
    forecast = TrafficForecast(tuple(visitors.tolist()), Calendar("2020-01-01 00:00", "hour"))
    names = tuple(Arm(f"arm-{i}") for i in range(arms))
    draw = np.random.default_rng(1)
    means, at = draw.random(arms), "2026-01-01T00:00:00.000000+00:00"
    chosen = np.where(draw.random(turns) < 0.2, draw.integers(arms, size=turns), means.argmax())
    chosen[:arms] = np.arange(arms)  # every arm once
    with Service(str(path)) as service:
        service.create(Settings("big", "A big one", names, "soft-ucb", forecast, (0.0, 1.0)))
        with service.database.write() as connection:
            batch = store.lock(connection, ["big"])
            seq = 1
            for turn in range(1, turns - LEFT + 1):
                arm, came = int(chosen[turn - 1]), float(visitors[turn - 1])
                won, best = float(draw.binomial(int(came), means[arm])), arm == means.argmax()
                decided = TurnDecided(seq + 1, turn, f"arm-{arm}", 1.0, bool(best), 0.5, None, None)
                told = OutcomesReported(seq + 2, (TurnOutcome(turn, won, came),))
                body = {"forecast": 1, "policy": "soft-ucb"}
                batch.entries += [
                    ("big", Entry(seq + 1, at, "decided", turn, body, decided)),
                    ("big", Entry(seq + 2, at, "rewarded", None, {"arms": [f"arm-{arm}"]}, told)),
                ]
                when = forecast.time(turn)
                record = (turn, when, f"arm-{arm}", 1.0, bool(best), 0.5, 1, at, won, came)
                batch.decided["big", turn] = DecisionRecord(*record)
                seq += 2
            batch.write()


def milliseconds(work: Callable[[], object]) -> float:
    """By the clock: that is what a visitor waits."""
    begin = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begin)


def measure(path: Path) -> dict[str, list[float]]:
    """Milliseconds of each kind of page."""
    import httpx
    import uvicorn

    from highseason_service import Service
    from highseason_service.app import create_app
    from highseason_service.server import listen

    service = Service(str(path))
    server = uvicorn.Server(uvicorn.Config(create_app(service), log_config=None, access_log=False))
    listener = listen("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with httpx.Client(base_url=address, timeout=600) as client:

        def page() -> None:
            client.get("/experiments/big").raise_for_status()

        def change() -> None:
            client.post(
                "/v1/experiments/big/decide", json={"turn": next(turn), "force": True}
            ).raise_for_status()

        first = milliseconds(page)
        turn = iter(range(service.state("big").last_turn + 1, service.state("big").turns))
        warm = [milliseconds(page) for _ in range(MEASURED)]
        changed, decided = [], []
        for _ in range(MEASURED):
            decided.append(milliseconds(change))
            changed.append(milliseconds(page))
        lists = [milliseconds(lambda: client.get("/")) for _ in range(MEASURED)]
        sizes = len(client.get("/experiments/big").content) / 1000
    server.should_exit = True
    thread.join()
    Console().print(f"the page has {sizes:.0f} kB")
    measured = {"first": [first], "seen before": warm, "after a change": changed}
    return measured | {"list": lists, "decision": decided}


def main() -> int:
    """Print the table; 1 if a limit is missed."""
    turns, arms = (int(text) for text in (*sys.argv[1:], TURNS, ARMS)[:2])
    if find_spec("fastapi") is None:
        print("not measured: needs pip install 'highseason[service]'")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.db"
        write(path, turns, arms)
        results = measure(path)
    title = f"{turns:,} turns, {arms:,} arms (ms)"
    table, missed = Table("page", "median", "worst", "limit", title=title), False
    for name, values in results.items():
        median, limit = statistics.median(values), LIMITS.get(name)
        missed |= limit is not None and median > limit
        table.add_row(name, f"{median:,.1f}", f"{max(values):,.0f}", str(limit or ""))
    Console().print(table)
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
