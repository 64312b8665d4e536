"""Real databases: SQLite in a file, and a PostgreSQL that these tests start themselves."""

from __future__ import annotations

import functools
import os
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
import uvicorn
from httpx._transports import default as transports
from tests.service.postgresql import PostgreSQL, programs

from highseason.cli import main
from highseason.traffic.timeline import Calendar
from highseason_service import Service
from highseason_service.app import create_app
from highseason_service.forecast import TrafficForecast
from highseason_service.model import Arm, Settings
from highseason_service.server import HurriedProtocol, listen

#: Runs a subcommand of `highseason experiment`.
Run = Callable[..., tuple[int, str]]

#: A moment in the third turn of `settings`.
MOMENT = datetime(2026, 11, 3, 12, tzinfo=UTC)


def settings(experiment: str = "shelf", turns: int = 40, **changes: object) -> Settings:
    values = tuple(float(v) for v in ([100, 250, 60, 80] * turns)[:turns])
    arms = tuple(Arm(arm, f"price {arm}") for arm in ("9.99", "10.99", "11.99"))
    plain = {"name": "A shelf", "policy": "soft-ucb", "reward_range": (0.0, 12.0), "seed": 7}
    forecast = TrafficForecast(values, Calendar.starting("2026-11-01", "day", "Europe/Rome"))
    return Settings(experiment, **{"arms": arms, "forecast": forecast, **plain, **changes})


@pytest.fixture(scope="session", autouse=True)
def read_certificates_once() -> Iterator[None]:
    """Every client reads them, which takes longer than most tests; none is asked for here."""
    with pytest.MonkeyPatch.context() as patch:
        once = functools.cache(transports.create_ssl_context)
        patch.setattr(transports, "create_ssl_context", once)
        yield


@pytest.fixture(scope="session", autouse=True)
def at_the_moment() -> Iterator[None]:
    """A service without a clock of its own lives in the season of `settings`, not after it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Service.__init__, "__defaults__", (lambda: MOMENT,))
        yield


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A PostgreSQL server of this session."""
    if programs() is None:
        missing = "PostgreSQL is not installed: apt-get install postgresql"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(missing)
    with PostgreSQL() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/service.db"
        return
    server: PostgreSQL = request.getfixturevalue("postgresql")
    name = f"t{uuid.uuid4().hex}"
    yield server.create(name)
    server.drop(name)


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
        config = uvicorn.Config(app, log_config=None, access_log=False, http=HurriedProtocol)
        self.server = uvicorn.Server(config)
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


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database with one experiment, to be copied: making it takes a while."""
    path = tmp_path_factory.mktemp("shelf") / "service.db"
    with Service(str(path), clock=lambda: MOMENT) as service:
        service.create(settings())
    return path


@pytest.fixture
def live(tmp_path: Path, shelf: Path) -> Iterator[Server]:
    """A live server with an experiment, `shelf`, in SQLite."""
    service = Service(shutil.copy(shelf, tmp_path), clock=lambda: MOMENT)
    with Server(service) as server:
        yield server


@pytest.fixture
def http(live: Server) -> Iterator[httpx.Client]:
    """A client without any help."""
    with httpx.Client(base_url=live.url, timeout=60) as client:
        yield client


@pytest.fixture
def run(live: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a subcommand; gives its exit code and what it printed."""
    monkeypatch.setenv("HIGHSEASON_URL", live.url)

    def one(words: str) -> tuple[int, str]:
        code = main(["experiment", *words.split()], standalone_mode=False)
        answer = capsys.readouterr()
        lines = [line for line in answer.out.splitlines() if not line.startswith("wrote ")]
        assert max(map(len, lines), default=0) <= 80 or "--json" in words
        return code, answer.out + answer.err

    return one
