"""The service under load, beside a trivial endpoint with the same durability, in one run.

The trivial endpoint commits one row per request and answers.  The service decides a turn (an event,
a locked turn, the experiment's state), takes in a reward with an idempotency key, or is asked again
for a turn that is decided, which should take no longer than deciding it.  Servers are processes of
their own; clients wait for each answer before they send the next request.  Rounds
alternate: each round of the service follows one of the trivial endpoint and gives one ratio, and
the median of these is reported.  Whatever else the machine does disturbs both alike.

Then a server with a thousand experiments of 100 days, whose turns of now are decided, evaluates all
of them as flags, and tells Prometheus about all of them, first after its start and again: its port
opens when the logs are read, so the first may take no longer than the others.

    python benchmarks/bench_service.py [seconds per round]
"""

from __future__ import annotations

import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # for the PostgreSQL of the tests

from service_load import Load, Request, load  # noqa: E402  # after the path is set
from tests.service.copies import copy  # noqa: E402  # after the path is set
from tests.service.postgresql import PostgreSQL, programs  # noqa: E402  # after the path is set

from highseason.policies import DEFAULT_POLICY  # noqa: E402  # after the path is set
from highseason.traffic import Calendar  # noqa: E402  # after the path is set
from highseason_service import Service  # noqa: E402  # after the path is set
from highseason_service.forecast import TrafficForecast  # noqa: E402  # after the path is set
from highseason_service.model import Arm, Outcome, Settings  # noqa: E402  # after the path is set

CLIENTS, ROUNDS, TURNS = 32, 9, 100_000
#: The least part of the trivial endpoint's rate, and the least rate itself, of what is written; a
#: decided turn is asked for at least as fast as a new one is decided.
TARGET, SLOWEST = 0.25, 200

TRIVIAL = [sys.executable, str(HERE / "service_load.py")]
SERVICE = [sys.executable, "-m", "highseason", "serve", "--port", "0", "--json", "--database"]


@contextmanager
def serving(command: list[str]) -> Iterator[int]:
    """A server in a process of its own; gives its port."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            log.seek(0)
            assert line, log.read().decode()
            yield int(json.loads(line)["url"].rpartition(":")[2])
        finally:
            process.terminate()
            process.wait(30)


def rows() -> Iterator[Request]:
    """Rows for the trivial endpoint."""
    return (("/rows", {"turn": turn, "reward": 5.0}, f"row-{turn}") for turn in itertools.count(1))


class Turns:
    """Turns to decide, and then those to reward."""

    decided = rewarded = 0

    def decide(self) -> Iterator[Request]:
        """Turns that are not decided yet."""
        while True:
            self.decided += 1
            yield "/v1/experiments/load/decide", {"turn": self.decided, "force": True}, ""

    def again(self) -> Iterator[Request]:
        """Turns that are decided, the latest over and over: what a shop asks most."""
        while True:
            yield "/v1/experiments/load/decide", {"turn": max(1, self.decided - CLIENTS)}, ""

    def reward(self) -> Iterator[Request]:
        """Rewards of turns that were decided."""
        while self.rewarded < self.decided:
            self.rewarded += 1
            turn = self.rewarded
            body = {"reward": 5.0 + turn % 7, "visitors": 10.0 + turn % 3}
            yield f"/v1/experiments/load/decisions/{turn}/update", body, f"till-{turn}"


def create(url: str) -> None:
    """An experiment with five prices."""
    forecast = TrafficForecast(tuple(10.0 + turn % 7 for turn in range(TURNS)))
    arms = tuple(Arm(price) for price in ("8.99", "9.99", "10.99", "11.99", "12.99"))
    with Service(url) as service:
        service.create(Settings("load", "Load", arms, "soft-ucb", forecast, (0.0, 12.0)))


Pairs = list[tuple[Load, Load]]


def measured(trivial: str, url: str, seconds: float) -> dict[str, Pairs]:
    """Rounds of each kind of request, each with the round of the trivial endpoint before it."""
    create(url)
    results: dict[str, Pairs] = {"decide": [], "reward": [], "again": []}
    with serving([*TRIVIAL, trivial]) as plain, serving([*SERVICE, url]) as service:
        one_row, turns = rows(), Turns()
        load(plain, one_row, 0.5, CLIENTS)
        load(service, turns.decide(), 0.5, CLIENTS)
        for _ in range(ROUNDS):
            for kind, pairs in results.items():
                base = load(plain, one_row, seconds, CLIENTS)
                pairs.append((base, load(service, getattr(turns, kind)(), seconds, CLIENTS)))
    return results


#: How many experiments one server has, and the most that it may take over all, in seconds.
MANY, MOST_SECONDS = 1_000, 1.0


def create_many(url: str) -> None:
    """Experiments of four prices and two years, of which 100 days are decided and rewarded."""
    start = datetime.now(UTC).date() - timedelta(100)
    calendar = Calendar.starting(str(start), zone="Europe/Rome")
    forecast = TrafficForecast(tuple(100.0 + turn % 7 for turn in range(730)), calendar)
    arms = tuple(Arm(price, value=float(price)) for price in ("8.99", "9.99", "10.99", "11.99"))
    with Service(url) as service:
        service.create(Settings("many", "Many", arms, DEFAULT_POLICY, forecast, (0.0, 12.0)))
        for turn in range(1, 101):
            service.decide("many", turn)
            service.update_many("many", [Outcome(turn, 100.0 + turn % 13, 100.0)])
        service.decide("many")
        copy(service.database, "many", MANY - 1)


def over_all(url: str) -> dict[str, list[float]]:
    """The seconds of requests that are about all experiments: the first, and the next five."""
    create_many(url)
    requests = {"POST": "/ofrep/v1/evaluate/flags", "GET": "/metrics"}
    seconds: dict[str, list[float]] = {path: [] for path in requests.values()}
    with serving([*SERVICE, url]) as port:
        for _ in range(6):
            for method, path in requests.items():
                connection = HTTPConnection("127.0.0.1", port, timeout=600)
                begin = time.perf_counter()
                connection.request(method, path, b"{}" if method == "POST" else None)
                answer = connection.getresponse()
                assert (answer.status, len(answer.read()) > MANY) == (200, True)
                seconds[path].append(time.perf_counter() - begin)
                connection.close()
    return seconds


def add_rows(table: Table, database: str, results: dict[str, Pairs]) -> bool:
    """One row per kind of request; whether the targets are reached."""
    bases = [base for pairs in results.values() for base, _ in pairs]
    table.add_row(database, "one row", *_shown(bases), "1")
    ratios = {
        kind: statistics.median(one.rate / base.rate for base, one in pairs)
        for kind, pairs in results.items()
    }
    for kind, pairs in results.items():
        table.add_row(database, kind, *_shown([one for _, one in pairs]), f"{ratios[kind]:.2f}")
    rates = {
        kind: statistics.median(one.rate for _, one in pairs) for kind, pairs in results.items()
    }
    enough = min(ratios["decide"], ratios["reward"]) >= TARGET
    enough &= min(rates["decide"], rates["reward"]) >= SLOWEST
    return enough and ratios["again"] >= ratios["decide"]


def _shown(loads: list[Load]) -> tuple[str, ...]:
    """The round in the middle: its rate and times."""
    middle = sorted(loads, key=lambda one: one.rate)[len(loads) // 2]
    return f"{middle.rate:,.0f}", f"{middle.p50:.1f}", f"{middle.p99:.1f}"


def main() -> None:
    """Print rates and times for both databases; exit 1 where the target is missed."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.8
    table = Table(
        "database", "request", "per second", "p50, ms", "p99, ms", "of the trivial endpoint's rate"
    )
    whole = Table("database", f"about {MANY:,} experiments", "first, s", "then, s", "at most, s")
    good = True
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        databases = {"SQLite": (str(folder / "rows.db"), str(folder / "service.db"))}
        if programs() is not None:
            server = stack.enter_context(PostgreSQL())
            databases["PostgreSQL"] = server.create("rows"), server.create("service")
        for database, (trivial, url) in databases.items():
            good &= add_rows(table, database, measured(trivial, url, seconds))
        many = {"SQLite": str(folder / "many.db")}
        if "PostgreSQL" in databases:
            many["PostgreSQL"] = server.create("many")
        for database, url in many.items():
            for path, (first, *later) in over_all(url).items():
                then = statistics.median(later)
                figures = (f"{first:.2f}", f"{then:.2f}", f"{MOST_SECONDS:g}")
                whole.add_row(database, path, *figures)
                good &= max(first, then) <= MOST_SECONDS
    Console(width=100).print(
        table, f"{CLIENTS} clients; at least {TARGET} of the rate and {SLOWEST} a second", whole
    )
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
