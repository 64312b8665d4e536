"""The limits that the guide promises, and what a database is opened with."""

from __future__ import annotations

import asyncio
import inspect
import io
import json
import logging
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from tests.reference.memory import run_within

from highseason_service import app, database, experiments, model, routes, security, server, store
from highseason_service.client import Client
from highseason_service.database import Database, _is_outage, _url
from highseason_service.security import Tokens
from highseason_service.tables import metadata
from highseason_service.web import pages, sign_out

GUIDE = Path(__file__).parents[2] / "docs/guides/operating.md"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A new database, in a folder that is not there yet."""
    with Database(f"{tmp_path_factory.mktemp('new')}/a/b/service.db") as one:
        yield one


def test_they_are_those_of_the_guide() -> None:
    table = GUIDE.read_text(encoding="utf-8").partition("| what | at most |")[2]
    rows = [row.split("|")[1:3] for row in table.splitlines()[2:]]
    said = {what.strip(): int(re.sub(r"[^\d].*", "", most.strip().replace(",", "")))
            for what, most in rows}  # fmt: skip
    policy = model.ExperimentBody.model_json_schema()["properties"]["policy"]
    assert said == {
        "body of a request": security.MOST_BYTES / 2**20,
        "body of a form to sign in or out, and of OFREP": security.SMALL_BYTES / 2**10,
        "arms of an experiment": model.MOST_ARMS,
        "turns of a forecast": model.MOST_TURNS,
        "rewards in one request": model.MOST_REWARDS,
        "turns ahead of now that `decide` takes": routes.AHEAD,
        "connections at a time": server.CONNECTIONS,
        "time for the head of a request to come": server.HEAD_SECONDS,
        "time for its body to come": security.BODY_SECONDS,
        "time in which nothing is read of an answer": server.READ_SECONDS,
        "text of a policy": policy["anyOf"][0]["maxLength"],
    }
    words = " ".join(GUIDE.read_text(encoding="utf-8").split())
    assert f"requests under way, for up to {server.GRACE} seconds" in words
    assert f"Each uses up to {postgresql_options()['pool_size']} connections" in words


def postgresql_options() -> dict[str, Any]:
    """What the engine for PostgreSQL is made with."""
    made: list[dict[str, Any]] = []

    def create_engine(_: Any, **options: Any) -> Any:
        made.append(options)
        raise LookupError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "create_engine", create_engine)
        with pytest.raises(LookupError):
            Database("postgresql://someone@nowhere/shop?options=-c%20search_path=x")
    return made[0]


def test_postgresql_is_not_waited_for_longer_than_ten_seconds() -> None:
    options = postgresql_options()
    limits = {"pool_size": 24, "max_overflow": 0, "pool_timeout": 10, "pool_pre_ping": True}
    assert {key: options[key] for key in limits} == limits
    assert options["connect_args"] == {
        "connect_timeout": 10,
        "options": "-c lock_timeout=10s -c idle_in_transaction_session_timeout=30s "
        "-c search_path=x",
    }


def test_one_connection_writes_to_sqlite(opened: Database) -> None:
    writing: Any = opened.writing.pool
    reading: Any = opened.reading.pool
    assert (writing.size(), writing._max_overflow, writing._timeout) == (1, 0, 10)
    assert reading._max_overflow == -1  # nobody waits to read


def test_files_are_for_their_owner_alone(opened: Database, tmp_path: Path) -> None:
    """Hashes of tokens are in them."""
    opened.backup(tmp_path / "copy.db")
    for path in (Path(str(opened.url.database)), tmp_path / "copy.db"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_copied_rows_are_counted(opened: Database, tmp_path: Path) -> None:
    with opened.write() as connection:
        for i in range(3):
            store.add_token(connection, f"t{i}", "read", f"hash {i}", "2026-11-03")
    with Database(f"{tmp_path}/other.db") as empty:
        assert opened.copy_to(empty) == dict.fromkeys(metadata.tables, 0) | {"tokens": 3}
        with pytest.raises(ValueError, match="--out has tokens already"):
            opened.copy_to(empty)
    with opened.write() as connection:
        assert [store.remove_token(connection, f"t{i}") for i in range(4)] == [True] * 3 + [False]


def test_logs_go_to_one_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    loggers = [logging.getLogger(name) for name in ("highseason_service", "uvicorn.error")]
    for one in loggers:
        monkeypatch.setattr(one, "handlers", [])
        monkeypatch.setattr(one, "propagate", True)
        monkeypatch.setattr(one, "level", one.level)
    monkeypatch.setattr(logging.getLogger("uvicorn.access"), "disabled", False)
    stream = io.StringIO()
    server.start_logging(stream)
    loggers[0].info("begun")
    assert json.loads(stream.getvalue())["message"] == "begun"
    assert [(len(one.handlers), one.propagate) for one in loggers] == [(1, False)] * 2
    assert logging.getLogger("uvicorn.access").disabled


def test_tags_of_templates_leave_no_lines_behind() -> None:
    text = "a\n  {% if true %}\n<{{ '<' }}>\n  {% endif %}\n"
    assert pages.from_string(text).render() == "a\n<&lt;>\n"


def test_signing_out_takes_the_cookie_away() -> None:
    cookie = sign_out({}).headers["set-cookie"]  # type: ignore[arg-type]  # it reads nothing of it
    assert cookie.startswith('highseason_session=""; ')
    assert {"HttpOnly", "Max-Age=0", "SameSite=strict"} <= set(cookie.split("; "))


def test_whether_it_can_be_written_is_tried_once_a_second(
    opened: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[float] = []
    monkeypatch.setattr(database, "time", SimpleNamespace(monotonic=lambda: 100.0))

    @contextmanager
    def write() -> Iterator[Any]:
        tried.append(1.0)
        yield SimpleNamespace(execute=lambda _: None)

    monkeypatch.setattr(opened, "write", write)
    for ago, outage, times in ((0.5, "", 0), (1.0, "", 1), (1.5, "", 2), (0.5, "gone", 3)):
        monkeypatch.setattr(opened, "_written_at", 100.0 - ago)
        monkeypatch.setattr(opened, "_outage", outage)
        opened.check_writable()
        assert len(tried) == times


def test_what_is_asked_again_later() -> None:
    def failing(state: str | None) -> Any:
        return SimpleNamespace(orig=SimpleNamespace(sqlstate=state))

    assert [_is_outage(failing(state)) for state in ("53100", "57P01", "23505", "42P01", None)] == [
        True, True, False, False, False
    ]  # fmt: skip


def test_a_database_is_a_file_or_a_postgresql() -> None:
    assert str(_url("shop.db")) == "sqlite+pysqlite:///shop.db"
    assert _url("postgresql://a@b/c").drivername == "postgresql+psycopg"
    for wrong, said in (("sqlite://", "needs a file"), ("mysql://a@b/c", "got mysql")):
        with pytest.raises(ValueError, match=said):
            _url(wrong)


@pytest.mark.parametrize(("version", "warned"), [((3, 51, 2), True), ((3, 51, 3), False)])
def test_a_fault_of_sqlite_is_warned_of(
    version: tuple[int, ...],
    warned: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    used = SimpleNamespace(sqlite_version_info=version, sqlite_version="x")
    monkeypatch.setattr(database, "sqlite_module", lambda: used)
    with caplog.at_level(logging.WARNING, "highseason_service"):
        database.warn_of_old_sqlite()
    assert ("fixed in 3.51.3" in caplog.text) == warned


def test_tokens_are_read_again_after_two_seconds(opened: Database) -> None:
    tokens = Tokens(opened, required=False)
    assert tokens.is_stale
    assert (tokens.needed, tokens.scope(None), tokens.scope("hs_x")) == (False, "admin", "admin")
    for ago, stale in ((1.5, False), (2.5, True)):
        tokens._read_at = time.monotonic() - ago
        assert tokens.is_stale == stale
    strict = Tokens(opened, required=True)
    assert (strict.needed, strict.scope(None), strict.scope("hs_x")) == (True, None, None)


def test_a_body_that_has_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a client may take its time to close the connection, and a page to answer."""
    monkeypatch.setattr(security, "BODY_SECONDS", 0.02)

    async def read(**first: bool) -> list[Any]:
        messages = [{"body": b"x", **first}, {"type": "http.disconnect"}]

        async def receive() -> Any:
            if len(messages) == 1:
                await asyncio.sleep(0.1)
            return messages.pop(0)

        counted = security._limited(receive, security.MOST_BYTES)
        return [await counted(), await counted()]

    for first in ({}, {"more_body": False}):
        assert asyncio.run(read(**first))[-1] == {"type": "http.disconnect"}
    with pytest.raises(HTTPException, match="did not come in"):
        asyncio.run(read(more_body=True))


@pytest.mark.parametrize(
    ("how", "hosts", "require_token"),
    [
        ({}, security.LOOPBACK, False),
        ({"host": "0.0.0.0"}, None, True),  # nothing listens: it is only asked for
        ({"names": ["Prices.example", "localhost"]}, security.LOOPBACK | {"prices.example"}, True),
        ({"host": "10.0.0.7", "names": ["prices.example"]}, frozenset({"prices.example"}), True),
    ],
)
def test_who_may_ask_and_who_needs_a_token(
    how: dict[str, Any],
    hosts: frozenset[str] | None,
    require_token: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[dict[str, Any]] = []

    def create_app(_: Any, **options: Any) -> Any:
        made.append(options)
        raise LookupError

    monkeypatch.setattr(server, "create_app", create_app)
    with Database(f"{tmp_path}/service.db") as one:
        service: Any = SimpleNamespace(database=one)
        if require_token:
            with pytest.raises(ValueError, match="lets others reach the service"):
                server.serve(service, **how)
            security.create_token(one, "shop", "read")
        with pytest.raises(LookupError):
            server.serve(service, **how)
    assert made == [{"hosts": hosts, "require_token": require_token}]


def test_enough_threads_work_for_all_who_may_wait() -> None:
    assert experiments.MOST_WAITING == 64
    assert app.THREADS == 128  # two experiments may be full


def test_a_client_asks_this_machine_and_waits_ten_seconds() -> None:
    usual = {n: p.default for n, p in inspect.signature(Client).parameters.items()}
    port = inspect.signature(server.serve).parameters["port"].default
    assert usual == {"url": f"http://127.0.0.1:{port}", "token": None, "timeout": 10.0}


LARGE = """
from highseason_service import Service, forms
from highseason_service.errors import ServiceError
from highseason_service.model import ExperimentBody

LIMIT
def refused(call):
    try:
        return str(call())
    except MemoryError:
        return "MEMORY"
    except (ServiceError, ValueError) as reason:
        return forms.in_form(reason)

def uploaded(second, **fields):
    times = ["1970-01-01 00:00:00", "1970-01-01 " + second, "2026-12-31 00:00:00"]
    rows = "".join(f"{time},5\\n" for time in times)
    file = "a.csv", ("date,visitors\\n" + rows).encode()
    return lambda: forms.uploaded_forecast(forms.BLANK | {"turns": "9"} | fields, *file)

def created(every, closed):
    calendar = {"start": "2026-11-01", "every": every, "closed": closed}
    body = {"id": "a", "arms": ["a"], "reward_range": [0, 1]}
    body["forecast"] = {"values": [5.0] * 20_000, "calendar": calendar}
    return lambda: service.create(forms.checked(ExperimentBody, body).settings())

with Service(sys.argv[1]) as service:
    calls = [
        *(uploaded(second) for second in ("00:00:01", "00:01:00", "01:00:00")),
        uploaded("00:00:01", meaning="coming"),
        uploaded("00:00:01", every="999999D"),
        created("minute", list(range(1, 10_080))),
        created("hour", list(range(1, 168))),
    ]
    print(json.dumps([refused(call) for call in calls]))
"""


def test_a_wrong_date_or_a_closed_week_lays_no_large_calendar(tmp_path: Path) -> None:
    """Both once filled the memory of the machine: the kernel ended the service."""
    *files, long, minutes, hours = run_within(400, LARGE, f"{tmp_path}/a.db")
    asked = 'is a date wrong, such as 2026-12-31? If none is, use "Join rows to: days" to add up'
    assert [asked in text for text in files] == [True, True, False, True]
    assert "(is the date 2026-12-31 wrong?)" in files[2]
    assert "MEMORY" not in long
    for text in (minutes, hours):
        assert text.startswith("20,001 turns, ")
        assert "are more than the 1,250,000 that can be planned" in text
