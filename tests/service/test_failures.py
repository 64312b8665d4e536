"""Full disks, lost databases, signals, backups, and several processes that start at once."""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from tests.service.conftest import MOMENT, Server, settings
from tests.service.postgresql import PostgreSQL, programs
from tests.service.test_commands import run, serving
from tests.service.test_storage import play, raw

from highseason.cli import main
from highseason_service import Service, demo, server
from highseason_service.audit import audit
from highseason_service.database import sqlite_module, warn_of_old_sqlite
from highseason_service.model import Outcome
from highseason_service.security import Tokens, create_token

SHELF = "/v1/experiments/shelf"


def decide_until_refused(http: httpx.Client, most: int = 2000) -> tuple[dict[int, str], int]:
    """Decide turns until one is not 200; gives the arms, and the status of the last."""
    arms: dict[int, str] = {}
    for turn in range(1, most):
        answer = http.post(f"{SHELF}/decide", json={"turn": turn})
        if answer.status_code != 200:
            assert answer.headers["retry-after"] == "1", answer.text
            return arms, answer.status_code
        arms[turn] = answer.json()["arm"]
    raise AssertionError("the disk is never full")


def recovers(http: httpx.Client, arms: dict[int, str], database: str) -> None:
    """The next requests are answered, and nothing has changed."""
    assert http.post(f"{SHELF}/decide", json={"turn": len(arms) + 1}).status_code == 200
    for turn, arm in arms.items():
        assert http.get(f"{SHELF}/decisions/{turn}").json()["arm"] == arm
    with Service(database) as service:
        assert audit(service.database)[0].problems == ()


def test_a_file_that_may_not_grow_is_503_until_it_may(tmp_path: Path) -> None:
    database = f"{tmp_path}/shop.db"
    with Service(database) as service:
        service.create(settings(turns=2000))
    with serving("--database", database, quiet=True) as (process, url):
        limit = (400_000, resource.RLIM_INFINITY)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limit)
        with httpx.Client(base_url=url, timeout=60) as http:
            arms, status = decide_until_refused(http)
            assert (status, len(arms) > 5) == (503, True)
            assert http.get("/health").status_code == 200
            assert http.get(f"{SHELF}/decisions/1").json()["arm"] == arms[1]
            unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, unlimited)
            recovers(http, arms, database)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only an administrator may mount a file system")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_503_until_there_is_room(small_disk: Path) -> None:
    database, ballast = f"{small_disk}/shop.db", small_disk / "ballast"
    with Service(database) as service:
        service.create(settings(turns=2000))
        ballast.write_bytes(b"x" * 500_000)
        with Server(service) as server, httpx.Client(base_url=server.url, timeout=60) as http:
            arms, status = decide_until_refused(http)
            assert status == 503
            ballast.unlink()
            recovers(http, arms, database)


@pytest.mark.slow
def test_a_lost_postgresql_is_503_until_it_is_back() -> None:
    if programs() is None:
        pytest.skip("PostgreSQL is not installed")
    with PostgreSQL() as database:
        service = Service(database.create("shop"))
        service.create(settings())
        with Server(service) as server, httpx.Client(base_url=server.url, timeout=60) as http:
            first = http.post(f"{SHELF}/decide", json={"turn": 1}).json()
            database.stop()
            for ask in ({"turn": 2}, {"turn": 1}):
                answer = http.post(f"{SHELF}/decide", json=ask)
                assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
            assert http.get("/ready").status_code == 503
            assert http.get("/health").status_code == 200
            database.start()
            assert http.get("/ready").status_code == 200
            assert http.post(f"{SHELF}/decide", json={"turn": 2}).status_code == 200
            assert http.post(f"{SHELF}/decide", json={"turn": 1}).json() == first
            assert audit(service.database)[0].problems == ()


def send(port: int, turn: int) -> socket.socket:
    """Send a request without waiting for the answer."""
    body = json.dumps({"turn": turn})
    head = f"POST {SHELF}/decide HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    client = socket.create_connection(("127.0.0.1", port), timeout=30)
    client.sendall((head + body).encode())
    return client


def receive(client: socket.socket) -> tuple[str, dict[str, Any]]:
    """The status line and the body of an answer."""
    with client, client.makefile("rb") as answer:
        head, _, body = answer.read().partition(b"\r\n\r\n")
    return head.decode().partition("\r\n")[0], json.loads(body)


def connections(pid: int) -> int:
    """How many sockets a process has open."""
    files = [file.readlink() for file in Path(f"/proc/{pid}/fd").iterdir()]
    return sum(file.name.startswith("socket:") for file in files)


def test_sigterm_finishes_what_is_in_flight(tmp_path: Path) -> None:
    database = f"{tmp_path}/shop.db"
    with Service(database) as service:
        service.create(settings())
    blocker = sqlite3.connect(database, isolation_level=None)
    with serving("--database", database, quiet=True) as (process, url):
        port = int(url.rpartition(":")[2])
        receive(send(port, 40))  # the service is up, and has the experiment in memory
        blocker.execute("BEGIN IMMEDIATE")
        clients = [send(port, turn) for turn in range(1, 21)]
        while connections(process.pid) < len(clients):
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert process.poll() is None, "it should wait for the database"
        blocker.execute("ROLLBACK")
        answers = [receive(client) for client in clients]
        assert process.wait(300) in (0, -signal.SIGTERM)
    blocker.close()
    assert {status for status, _ in answers} == {"HTTP/1.1 200 OK"}
    with Service(database) as service:
        assert all(service.decision("shelf", a["turn"]).arm == a["arm"] for _, a in answers)


def restored(service: Service, url: str, folder: Path, server: PostgreSQL | None) -> str:
    """A copy of the database that was made while others write to it."""
    if server is None:
        service.database.backup(folder / "copy.db")
        return str(folder / "copy.db")
    dump = [programs() / "pg_dump", "--no-owner", "--file", folder / "dump.sql", url]
    subprocess.run(dump, check=True, capture_output=True)
    copy = server.create(f"copy_{url.rpartition('/')[2]}")
    load = [programs() / "psql", "--quiet", "-v", "ON_ERROR_STOP=1", "--file"]
    subprocess.run([*load, folder / "dump.sql", copy], check=True, capture_output=True)
    return copy


def test_a_backup_under_load_restores_the_state(
    service: Service, url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server = request.getfixturevalue("postgresql") if url.startswith("postgresql") else None
    service.create(settings("busy", turns=4000))
    play(service, range(1, 21))
    before, stop = service.state("shelf"), threading.Event()
    noted: list[Outcome] = []

    def load(first: int) -> None:
        for turn in range(first, 4001, 4):
            if stop.is_set():
                return
            service.decide("busy", turn)
            service.update_many("busy", [Outcome(turn, turn / 10.0, 100.0)])
            noted.append(Outcome(turn, turn / 10.0, 100.0))

    with ThreadPoolExecutor(4) as threads:
        loads = [threads.submit(load, first) for first in range(1, 5)]
        while len(noted) < 20:
            time.sleep(0.01)
        known = list(noted)
        copy = restored(service, url, tmp_path, server)
        stop.set()
        for one in loads:
            one.result()
    with Service(copy) as again:
        assert again.state("shelf") == before
        rewards = {d.turn: d.reward for d in again.decisions("busy", limit=4000)}
        assert all(rewards[outcome.turn] == outcome.reward for outcome in known)
        assert [report.problems for report in audit(again.database)] == [(), ()]
        play(again, range(21, 30))
        play(service, range(21, 30))
        assert again.state("shelf") == service.state("shelf")


def test_a_service_moves_to_postgresql_and_back(tmp_path: Path, postgresql: PostgreSQL) -> None:
    first, there, back = (
        f"sqlite:///{tmp_path}/shop.db",
        postgresql.create(f"t{uuid.uuid4().hex}"),
        f"sqlite:///{tmp_path}/back.db",
    )
    with Service(first, clock=lambda: MOMENT) as service:
        service.create(settings())
        token = create_token(service.database, "till", "decide")
        for turn in (1, 2):
            service.decide("shelf", turn)
        reported = service.update_many("shelf", [Outcome(1, 900.0, 100.0)], key="till-1")
        state = service.state("shelf")
    for old, new in (first, there), (there, back):
        command = ("backup", "--database", old, "--out", new)
        assert run(*command) == (0, "copied 4 events of 1 experiment\n")
        code, text = run(*command)
        assert (code, "choose an empty database" in text) == (2, True)
        assert run("audit", "--database", new)[0] == 0
        with Service(new, clock=lambda: MOMENT) as service:
            assert service.state("shelf") == state
            assert Tokens(service.database, True).scope(token) == "decide"
            answered = service.update_many("shelf", [Outcome(1, 900.0, 100.0)], key="till-1")
            assert answered == reported  # the keys came along
    with Service(first, clock=lambda: MOMENT) as left, Service(back, clock=lambda: MOMENT) as now:
        for turn in range(3, 9):  # the season goes on as it would have gone
            mine, moved = left.decide("shelf", turn), now.decide("shelf", turn)
            assert (mine.arm, mine.probability) == (moved.arm, moved.probability)


def test_the_backup_command(tmp_path: Path) -> None:
    with Service(f"{tmp_path}/shop.db") as service:
        service.create(settings())
        command = ("backup", "--database", f"{tmp_path}/shop.db", "--out", f"{tmp_path}/copy.db")
        assert run(*command) == (0, f"wrote {tmp_path}/copy.db\n")
        code, text = run(*command)
        assert (code, "exists" in text) == (2, True)
    with Service(f"{tmp_path}/copy.db") as copy:
        assert [one.id for one in copy.experiments()] == ["shelf"]


OPEN = """
import sys
from highseason_service.database import Database
print("ready", flush=True)
sys.stdin.readline()
Database(sys.argv[1]).close()
"""


def start_together(url: str, processes: int = 2) -> None:
    """Open a database in several processes at the same moment."""
    command = [sys.executable, "-c", OPEN, url]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(command, **pipes) for _ in range(processes)]
    for process in started:
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in started:
        process.communicate()
        assert process.returncode == 0


def test_processes_that_start_together_do_not_race(
    url: str, request: pytest.FixtureRequest
) -> None:
    start_together(url)
    with Service(url) as service:
        service.create(settings())
        play(service, range(1, 4))
        before = service.state("shelf")
    start_together(url)
    with Service(url) as service:
        assert service.state("shelf") == before
        service.decide("shelf", 4)


def test_a_newer_schema_is_bad_usage(tmp_path: Path) -> None:
    database = f"{tmp_path}/shop.db"
    with Service(database) as service:
        raw(service, "UPDATE alembic_version SET version_num = '9999'")
    code, text = run("serve", "--port", "0", "--database", database)
    assert (code, "upgrade highseason" in text) == (2, True)
    assert "Traceback" not in text


def test_an_old_sqlite_is_reported_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "pysqlite3.dbapi2", None)  # as if it were not installed
    with caplog.at_level(logging.WARNING, "highseason_service"):
        monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 3))
        warn_of_old_sqlite()
        assert caplog.records == []
        monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 2))
        warn_of_old_sqlite()
    (record,) = caplog.records
    assert "PostgreSQL" in record.getMessage()
    assert "highseason[sqlite]" in record.getMessage()


def test_the_demo_which_no_other_process_writes_to_is_not_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "pysqlite3.dbapi2", None)
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 2))
    monkeypatch.setattr(demo, "fill", lambda service: None)
    for name in ("serve", "start_logging"):
        monkeypatch.setattr(server, name, lambda *given, **options: None)
    for options, warned in ((["--demo"], False), (["--database", f"{tmp_path}/a.db"], True)):
        main(["serve", *options], standalone_mode=False)
        assert ("rare fault" in caplog.text) == warned


def test_the_newest_sqlite_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    extra = SimpleNamespace(sqlite_version_info=(3, 53, 4))
    monkeypatch.setitem(sys.modules, "pysqlite3.dbapi2", extra)
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 2))
    assert sqlite_module() is extra
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 60, 0))
    assert sqlite_module() is sqlite3
