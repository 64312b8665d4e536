"""Real databases: SQLite in a file, and a PostgreSQL that these tests start themselves."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
import uvicorn

from highseason.service import Service
from highseason.service.app import create_app
from highseason.service.forecast import Calendar, TrafficForecast
from highseason.service.model import Arm, Settings
from highseason.service.server import listen

#: A moment in the third turn of `settings`.
MOMENT = datetime(2026, 11, 3, 12, tzinfo=UTC)


def settings(experiment: str = "shelf", turns: int = 40, **changes: object) -> Settings:
    values = tuple(float(v) for v in ([100, 250, 60, 80] * turns)[:turns])
    arms = tuple(Arm(arm, f"price {arm}") for arm in ("9.99", "10.99", "11.99"))
    plain = {"name": "A shelf", "policy": "soft-ucb", "reward_range": (0.0, 12.0), "seed": 7}
    forecast = TrafficForecast(values, Calendar("2026-11-01", "day", "Europe/Rome"))
    return Settings(experiment, **{"arms": arms, "forecast": forecast, **plain, **changes})


def _programs() -> Path | None:
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda p: p.parts[4])
    found = shutil.which("postgres") or (newest[-1] if newest else None)
    return Path(found).resolve().parent if found else None


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL server on loopback, run by an unprivileged user."""
    programs = _programs()
    if programs is None:
        missing = "PostgreSQL is not installed: apt-get install postgresql"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(missing)
    user = "nobody" if os.geteuid() == 0 else None  # initdb refuses root
    folder = Path(tempfile.mkdtemp(prefix="hs-postgresql-"))
    if user is not None:
        shutil.chown(folder, user)
    port, data = _free_port(), folder / "data"
    options = {"user": user, "cwd": folder, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C"}}
    init = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]
    subprocess.run([*init, "-E", "UTF8"], check=True, capture_output=True, **options)
    start = [programs / "postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", folder]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen([*start, "-c", "max_connections=200"], stderr=log, **options)
    try:
        url = f"postgresql://postgres@127.0.0.1:{port}"
        _wait(f"{url}/postgres", server)
        yield url
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(url: str, server: subprocess.Popen[bytes]) -> None:
    import psycopg

    for _ in range(300):
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            assert server.poll() is None, "PostgreSQL ended at its start"
            time.sleep(0.1)
    raise TimeoutError("PostgreSQL did not start within 30 seconds")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/service.db"
        return
    server = request.getfixturevalue("postgresql")
    name = f"t{uuid.uuid4().hex}"
    admin = sa.create_engine(
        f"{server}/postgres".replace("postgresql:", "postgresql+psycopg:"),
        isolation_level="AUTOCOMMIT",
    )
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    yield f"{server}/{name}"
    with admin.connect() as connection:
        connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture
def opened(url: str) -> Iterator[Callable[[], Service]]:
    """Open the database as another process would; all are closed at the end."""
    services: list[Service] = []

    def one() -> Service:
        services.append(Service(url, clock=lambda: MOMENT))
        return services[-1]

    yield one
    for service in services:
        service.close()


@pytest.fixture
def service(opened: Callable[[], Service]) -> Service:
    """A service with one experiment, `shelf`."""
    one = opened()
    one.create(settings())
    return one


class Server:
    """A live server on loopback, in a thread of this process."""

    def __init__(self, service: Service, **options: object) -> None:
        self.service = service
        app = create_app(service, **options)
        self.server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
        self.listener = listen("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self.server.run, args=([self.listener],))

    def __enter__(self) -> Server:
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.listener.close()


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Server]:
    """A live server with an experiment, `shelf`, in SQLite."""
    service = Service(f"{tmp_path}/service.db", clock=lambda: MOMENT)
    service.create(settings())
    with Server(service) as server:
        yield server


@pytest.fixture
def http(live: Server) -> Iterator[httpx.Client]:
    """A client without any help."""
    with httpx.Client(base_url=live.url) as client:
        yield client
