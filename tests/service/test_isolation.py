"""What goes wrong with one request, or one experiment, stays there; outages are seen and said."""

from __future__ import annotations

import logging
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from tests.service.conftest import MOMENT, Server, settings
from tests.service.postgresql import PostgreSQL
from tests.service.test_commands import serving

from highseason_service import Service, database, experiments, security
from highseason_service import server as server_module
from highseason_service.errors import UnavailableError
from highseason_service.live import LiveExperiment
from highseason_service.model import Outcome
from highseason_service.security import create_token

#: Moments that Python reads, and that have no equal in UTC.
IMPOSSIBLE = ("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00")
#: The longest that another experiment may wait, in seconds.
SOON = 1.0


@pytest.mark.parametrize("at", IMPOSSIBLE)
def test_a_moment_that_cannot_be_converted_is_422(
    live: Server, http: httpx.Client, at: str
) -> None:
    for _ in ("built from its events", "in memory"):
        answer = http.post("/v1/experiments/shelf/decide", json={"at": at})
        assert (answer.status_code, "is not a moment in UTC" in answer.text) == (422, True)
    assert http.post("/v1/experiments/shelf/decide", json={}).status_code == 200


def test_a_request_that_fails_fails_alone(
    opened: Callable[[], Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = opened()
    for name in ("good", "bad"):
        service.create(settings(name))
    decide = LiveExperiment.decide

    def poisoned(self: LiveExperiment, turn: int) -> Any:
        events = decide(self, turn)
        if self.settings.id == "bad":
            raise OverflowError("date value out of range")
        return events

    def ask(turn: int) -> list[object]:
        answers: list[object] = []
        for name in ("good", "bad"):
            try:
                answers.append(service.decide(name, turn).turn)
            except OverflowError:
                answers.append("failed")
        return answers

    with monkeypatch.context() as patch, ThreadPoolExecutor(8) as threads:
        patch.setattr(LiveExperiment, "decide", poisoned)
        assert list(threads.map(ask, range(1, 31))) == [[t, "failed"] for t in range(1, 31)]
    assert service.decisions("bad") == []
    assert service.decide("bad", 1).turn == 1  # what was not committed is forgotten


@contextmanager
def slow(monkeypatch: pytest.MonkeyPatch, method: str) -> Iterator[threading.Event]:
    """Let a method of the experiment `slow` take until the end; gives whether it has begun."""
    usual, begun, end = getattr(LiveExperiment, method), threading.Event(), threading.Event()

    def waits(self: LiveExperiment, *args: Any) -> Any:
        if self.settings.id == "slow":
            begun.set()
            end.wait(30)
        return usual(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(LiveExperiment, method, waits)
        yield begun
        end.set()


@pytest.mark.parametrize(
    ("method", "ask"),
    [
        ("plan", lambda service: service.plan("slow")),
        ("decide", lambda service: service.decide("slow", 9)),
        ("correct", lambda service: service.correct("slow", Outcome(1, 3.0, 20.0))),
        ("reforecast", lambda service: service.reforecast("slow", 30, [7.0])),
    ],
)
def test_long_work_holds_up_no_other_experiment(
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    ask: Callable[[Service], object],
) -> None:
    service.create(settings("slow"))
    service.decide("slow", 1)
    service.update_many("slow", [Outcome(1, 4.0, 20.0)])
    service.decide("shelf", 1)
    with ThreadPoolExecutor(1) as threads:
        with slow(monkeypatch, method) as begun:
            waiting = threads.submit(ask, service)
            assert begun.wait(30)
            service.decide("shelf", 2)
            service.update_many("shelf", [Outcome(2, 4.0, 40.0)])
            service.plan("shelf")
            assert not waiting.done()  # it ends when the others are done, not before
        waiting.result()


def test_only_so_many_wait_for_one_experiment(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.create(settings("slow"))
    most = experiments.MOST_WAITING
    with ThreadPoolExecutor(most) as threads:
        with slow(monkeypatch, "plan") as begun:
            asked = [threads.submit(service.plan, "slow") for _ in range(most)]
            assert begun.wait(30)
            while len(threads._threads) < most:
                time.sleep(0.01)
            time.sleep(0.2)
            with pytest.raises(UnavailableError, match="too many requests wait"):
                service.plan("slow")
            assert service.decide("shelf", 1).turn == 1
        for one in asked:
            one.result()


@pytest.fixture
def shop(postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Server, str]]:
    """A server on PostgreSQL with `shelf` and `desk`, which waits five seconds for a lock."""
    for module in (database, experiments):
        monkeypatch.setattr(module, "PATIENCE", 5)
    url = postgresql.create("shop_of_isolation")
    service = Service(url, clock=lambda: MOMENT)
    for name in ("shelf", "desk"):
        service.create(settings(name))
    with Server(service) as server:
        yield server, url
    postgresql.drop("shop_of_isolation")


def quickest(ask: Callable[[], httpx.Response]) -> float:
    """The least time of three that are answered: other work of this machine is not counted."""
    taken = []
    for _ in range(3):
        began = time.perf_counter()
        assert ask().status_code == 200
        taken.append(time.perf_counter() - began)
    return min(taken)


def test_a_locked_row_holds_up_its_experiment_alone(shop: tuple[Server, str]) -> None:
    server, url = shop
    other = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with httpx.Client(base_url=server.url, timeout=60) as http, ThreadPoolExecutor(40) as threads:
        with other.begin() as connection:
            connection.execute(sa.text("SELECT * FROM experiments WHERE id='shelf' FOR UPDATE"))
            decide = "/v1/experiments/shelf/decide"
            stuck = [threads.submit(http.post, decide, json={"turn": t}) for t in range(1, 31)]
            time.sleep(0.3)
            assert quickest(lambda: http.get("/health")) < SOON
            desk = "/v1/experiments/desk"
            assert quickest(lambda: http.post(f"{desk}/decide", json={"turn": 1})) < SOON
            assert quickest(lambda: http.get(desk)) < SOON
            assert quickest(lambda: http.get("/experiments/desk")) < SOON
            assert not any(one.done() for one in stuck)
            answers = [one.result() for one in stuck]
        assert {answer.status_code for answer in answers} == {503}
        assert {answer.headers["retry-after"] for answer in answers} == {"1"}
    # By a connection of its own: one that was idle may just be closed.
    assert httpx.post(f"{server.url}{decide}", json={"turn": 1}).status_code == 200
    other.dispose()


def test_a_standby_is_not_ready(shop: tuple[Server, str], caplog: pytest.LogCaptureFixture) -> None:
    server, url = shop
    engine = server.service.database.reading
    name = url.rpartition("/")[2]
    with httpx.Client(base_url=server.url, timeout=60) as http:
        other = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
        with other.begin() as connection:
            connection.execute(
                sa.text(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
            )
        other.dispose()
        engine.dispose()
        with caplog.at_level(logging.WARNING, "highseason_service"):
            for turn in range(1, 6):
                answer = http.post("/v1/experiments/shelf/decide", json={"turn": turn})
                assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        (line,) = [record.getMessage() for record in caplog.records]
        assert "read-only transaction" in line
        assert http.get("/ready").status_code == 503
        assert http.get("/v1/experiments/shelf/decisions").status_code == 200


def test_a_locked_file_is_said_once_and_not_ready(
    live: Server,
    http: httpx.Client,
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = live.service.database.url.database
    assert http.get("/ready").status_code == 200
    blocker = sqlite3.connect(path, isolation_level=None)
    live.service.database.writing.dispose()
    with caplog.at_level(logging.WARNING, "highseason_service"):
        with live.service.database.writing.connect() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout = 50")
        blocker.execute("BEGIN IMMEDIATE")
        for turn in range(1, 6):
            answer = http.post("/v1/experiments/shelf/decide", json={"turn": turn})
            assert answer.status_code == 503
        answer = http.get("/ready")
        assert (answer.status_code, "database is locked" in answer.text) == (503, True)
        blocker.execute("ROLLBACK")
        assert http.get("/ready").status_code == 200
    # The line of an earlier request may still be on its way.
    lines = [line.getMessage() for line in caplog.records if line.levelno >= logging.WARNING]
    assert len(lines) == 2, lines
    assert "database is locked" in lines[0]
    assert lines[1] == "the database can be used again"
    blocker.close()


def answered(url: str, head: str) -> bytes:
    """What comes back for a request of which only the head is sent."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=5) as client:
        client.sendall(f"{head}\r\nHost: {host}\r\n\r\n".encode())
        return client.recv(1000)


def test_metrics_know_the_methods_of_http_alone(live: Server, http: httpx.Client) -> None:
    for number in range(20):
        answered(live.url, f"QWERTY{chr(65 + number)} /health HTTP/1.1")
    text = http.get("/metrics").text
    assert "QWERTY" not in text
    assert 'method="other"' in text


def test_a_body_without_a_token_is_not_read(tmp_path: Path) -> None:
    service = Service(f"{tmp_path}/shop.db")
    service.create(settings())
    token = create_token(service.database, "till", "decide")
    path = "/v1/experiments/shelf/decide"
    with Server(service) as server, httpx.Client(base_url=server.url) as http:
        head = f"POST {path} HTTP/1.1\r\nContent-Length: 8000000"
        assert answered(server.url, head).startswith(b"HTTP/1.1 401 ")
        assert http.post(path, content="[" * 100_000).status_code == 401
        known = {"Authorization": f"Bearer {token}"}
        assert http.post(path, content="[" * 100_000, headers=known).status_code == 422
        assert http.post(path, json={"turn": 1}, headers=known).status_code == 200
        assert http.post("/v1/experiments", content="[" * 9, headers=known).status_code == 403


@pytest.fixture
def hurried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that waits for a third of a second, and takes five connections."""
    monkeypatch.setattr(security, "BODY_SECONDS", 0.3)
    monkeypatch.setattr(server_module, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(server_module, "READ_SECONDS", 0.6)
    monkeypatch.setattr(server_module, "CONNECTIONS", 5)
    service = Service(f"{tmp_path}/shop.db")
    service.create(settings())
    with Server(service) as server:
        yield server


def connected(server: Server, sent: bytes) -> socket.socket:
    host, _, port = server.url.removeprefix("http://").partition(":")
    client = socket.create_connection((host, int(port)), timeout=5)
    client.sendall(sent)
    return client


DECIDE = b"POST /v1/experiments/shelf/decide HTTP/1.1\r\nHost: localhost\r\n"
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize("before", [b"", HEALTH + b"\r\n"], ids=["first", "second"])
def test_a_half_sent_head_is_not_waited_for(hurried: Server, before: bytes) -> None:
    with connected(hurried, before) as client:
        if before:
            assert client.recv(1000).startswith(b"HTTP/1.1 200 ")
        client.sendall(DECIDE)
        begun = time.monotonic()
        while client.recv(1000):
            pass
        assert time.monotonic() - begun < 4


def test_a_half_sent_body_is_not_waited_for(hurried: Server) -> None:
    with connected(hurried, DECIDE + b"Content-Length: 100\r\n\r\n{") as client:
        assert client.recv(1000).startswith(b"HTTP/1.1 408 ")
    with connected(hurried, DECIDE + b"Content-Length: 100\r\n\r\n{") as client:
        pass  # gone without a word
    assert httpx.get(f"{hurried.url}/health").status_code == 200


def test_connections_are_limited(hurried: Server, caplog: pytest.LogCaptureFixture) -> None:
    waiting = [connected(hurried, b"G") for _ in range(5)]
    with connected(hurried, HEALTH + b"\r\n") as client:
        assert client.recv(1000).startswith(b"HTTP/1.1 503 ")
    for client in waiting:
        assert client.recv(1000) == b""  # closed: it took too long
        client.close()
    with connected(hurried, HEALTH + b"\r\n") as client:
        assert client.recv(1000).startswith(b"HTTP/1.1 200 ")
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def pipelined(url: str, count: int, buffer: int = 4096) -> socket.socket:
    """A client that asks for large answers, one after the other, and reads none of them."""
    host, _, port = url.removeprefix("http://").partition(":")
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    client.connect((host, int(port)))
    client.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * count)
    return client


@pytest.mark.parametrize("count", [6, 500])
def test_an_answer_that_is_not_read_is_not_kept(hurried: Server, count: int) -> None:
    clients, there = [pipelined(hurried.url, count) for _ in range(5)], [0]
    begun, connections = time.monotonic(), hurried.server.server_state.connections
    while len(there) < 2 or there[-1]:
        assert time.monotonic() - begun < 10
        time.sleep(0.05)
        there += [len(connections)] * (len(connections) != there[-1])
    assert max(there) == 5
    assert httpx.get(f"{hurried.url}/health").status_code == 200  # there is room again
    for client in clients:
        client.close()


def test_an_answer_that_is_read_slowly_comes_whole(hurried: Server) -> None:
    length = len(httpx.get(f"{hurried.url}/openapi.json").content)
    with pipelined(hurried.url, 100, buffer=2**17) as client:
        begun, came = time.monotonic(), 0
        while came < 100 * length:  # the heads come on top
            part = len(client.recv(2**16))
            assert part
            came += part
            if time.monotonic() - begun < 1.5:  # more than twice the time in which nothing is read
                time.sleep(0.02)
    assert time.monotonic() - begun > 1.2


def test_the_end_does_not_wait_for_who_reads_nothing(tmp_path: Path) -> None:
    with serving("--database", str(tmp_path / "shop.db")) as (process, url):
        clients = [pipelined(url, 200) for _ in range(2)]
        assert httpx.get(f"{url}/health").status_code == 200
        time.sleep(1.5)  # until no more fits into the buffers
        begun = time.monotonic()
        process.terminate()
        process.wait(60)
        assert time.monotonic() - begun < 15  # of the 30 that requests under way have
        for client in clients:
            client.close()


def test_an_address_is_believed_from_a_proxy_only(tmp_path: Path) -> None:
    """On loopback without a proxy, no client says that it came by TLS, or from elsewhere."""
    with serving("--database", str(tmp_path / "shop.db")) as (_, url):
        forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "1.2.3.4"}
        answer = httpx.get(f"{url}/", headers=forwarded)
        assert "secure" not in answer.headers["set-cookie"].lower()
