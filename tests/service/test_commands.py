"""The commands of the service; the service itself runs as a process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from tests.service.conftest import settings

from highseason.cli import main
from highseason_service import Service
from highseason_service.audit import audit
from highseason_service.client import Client
from highseason_service.database import Database, sqlite_module
from highseason_service.model import Outcome

COMMAND = [sys.executable, "-m", "highseason"]


@contextmanager
def serving(
    *words: str, quiet: bool = False, **options: object
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A service in a process of its own, and its address; `quiet` throws its logs away."""
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", "--json", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if quiet else subprocess.PIPE,
        text=True,
        **options,
    )
    try:
        line = process.stdout.readline()
        assert line, process.stderr and process.stderr.read()
        yield process, json.loads(line)["url"]
    finally:
        process.kill()
        process.communicate()


def run(*words: str) -> tuple[int, str]:
    """Run a command in this process; gives its exit code and what it printed."""
    done = CliRunner().invoke(main, list(words))
    return done.exit_code, done.stdout or done.stderr


def test_a_service_starts_without_set_up_and_ends_in_order(tmp_path: Path) -> None:
    with serving(cwd=tmp_path) as (process, url):
        with Client(url) as client:
            client.create(settings(turns=4000))  # its clock is the real one
            decision = client.decide("shelf", 1)
            client.update_many("shelf", [Outcome(1, 50.0, 10.0)])
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=300)
        assert process.returncode in (0, -signal.SIGTERM)
    old = sqlite_module().sqlite_version_info < (3, 51, 3)
    assert log.count("rare fault") == int(old)  # reported once, however many ask
    with Service(f"{tmp_path}/highseason.db") as service:
        assert service.decision("shelf", 1).arm == decision.arm
        assert service.decision("shelf", 1).reward == 50.0


def test_off_loopback_a_token_is_needed(tmp_path: Path) -> None:
    database = str(tmp_path / "shop.db")
    code, text = run("serve", "--host", "0.0.0.0", "--port", "0", "--database", database)
    assert (code, "highseason token create" in text) == (2, True)
    code, text = run("serve", "--allow-host", "prices.example", "--database", database)
    assert (code, "--allow-host prices.example lets others" in text) == (2, True)
    create = ("token", "create", "--name", "till", "--scope", "read", "--database", database)
    code, token = run(*create)
    assert code == 0
    code, text = run("token", "list", "--database", database, "--json")
    assert json.loads(text)["tokens"][0]["name"] == "till"
    assert token.strip() not in text
    with serving("--host", "0.0.0.0", "--database", database) as (_, url):
        url = url.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{url}/v1/experiments", timeout=60).status_code == 401
        headers = {"Authorization": f"Bearer {token.strip()}"}
        assert httpx.get(f"{url}/v1/experiments", headers=headers, timeout=60).status_code == 200
    revoke = ["token", "revoke", "--name", "till", "--database", database]
    assert main(revoke, standalone_mode=False) == 2  # it is the last one
    assert [main([*revoke, "--open"], standalone_mode=False) for _ in range(2)] == [0, 2]


DAYS = "day,visitors\n" + "".join(f"2099-11-{day:02},{day}\n" for day in range(1, 29))
OVER = DAYS.replace("2099", "2020")
MONTHS = "month,visitors\n" + "".join(f"2099-{month:02}-01,9\n" for month in range(1, 13))


@pytest.mark.parametrize(
    ("rows", "words", "said"),
    [
        (DAYS, ["--arm", "9.99=cheap", "--arm", "10,99", "--policy", "uniform"], ""),
        (DAYS, ["--arm", "a/b", "--arm", "ä€", "--policy", "uniform"], ""),
        (DAYS, ["--arm", "a", "--arm", "茶"], "needs a letter (a to z) or a digit"),
        (DAYS, ["--arm", "9.99,10.99"], "give --arm twice"),
        (DAYS, ["--arm", "9.99"], "a choice needs at least two arms, got 9.99: give --arm twice"),
        (OVER, ["--arm", "a", "--arm", "b", "--policy", "uniform"], "the season is over"),
        (MONTHS, ["--arm", "a", "--arm", "b"], "a row per minute, hour, day or week"),
    ],
)
def test_a_served_experiment_is_one_of_the_api(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: str, words: list[str], said: str
) -> None:
    monkeypatch.setattr("highseason_service.server.serve", lambda *_, **__: None)
    monkeypatch.setattr("highseason_service.server.start_logging", lambda: None)
    (tmp_path / "数据.csv").write_text(rows)
    database = ("--database", str(tmp_path / "shop.db"))
    code, text = run("serve", "--experiment", str(tmp_path / "数据.csv"), *words, *database)
    assert (code, said in " ".join(text.split())) == (2 if said else 0, True), text
    assert "G.resample" not in text
    with Service(database[1]) as service:
        assert [one.id for one in service.experiments()] == ["experiment"] * (not said)


def test_a_served_experiment_has_a_turn_on_days_of_the_kind_closed(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text(DAYS)
    (tmp_path / "own.csv").write_text("date,kind\n2099-12-02,closed\n")
    words = ("--ahead", "14", "--events", str(tmp_path / "own.csv"), "--arm", "a", "--arm", "b")
    words += ("--database", str(tmp_path / "shop.db"))
    code, text = run("serve", "--experiment", str(tmp_path / "shop.csv"), *words)
    assert code == 2
    assert "take them out of your own days, and report 0 visitors" in " ".join(text.split())


def test_audit_says_whether_everything_follows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import sqlite3

    database = str(tmp_path / "shop.db")
    with Service(database) as service:
        service.create(settings())
        for turn in range(1, 5):
            service.decide("shelf", turn)
    audit = ["audit", "--database", database]
    assert main(audit, standalone_mode=False) == 0
    assert "shelf: agrees (5 events, 4 decisions computed again)" in capsys.readouterr().out
    connection = sqlite3.connect(database)
    with connection:
        connection.execute("UPDATE decisions SET probability = 0.5 WHERE turn = 3")
    connection.close()
    assert main([*audit, "--json"], standalone_mode=False) == 1
    (report,) = json.loads(capsys.readouterr().out)["experiments"]
    assert report["problems"][0].startswith("turn 3")
    assert main([*audit, "--experiment", "desk"], standalone_mode=False) == 2


@pytest.mark.slow
def test_the_demo_is_alive(tmp_path: Path) -> None:
    with serving("--demo", cwd=tmp_path) as (_, url), Client(url) as client:
        state = client.state("demo-shop")
        assert (state.decided, state.rewarded) == (250, 249)
        assert client.decide("demo-shop").turn == 250
        assert len(client.plan("demo-shop", 30)) == 30
    assert list(tmp_path.iterdir()) == []


def test_answers_are_sent_at_once() -> None:
    """asyncio sets TCP_NODELAY only on sockets that name their protocol."""
    import socket

    from highseason_service.server import listen

    with listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


@pytest.mark.parametrize("words", [["audit"], ["token", "list"], ["token", "revoke", "--name=a"]])
def test_looking_at_a_database_that_is_not_there_does_not_make_it(
    tmp_path: Path, words: list[str]
) -> None:
    database = tmp_path / "none.db"
    assert main([*words, "--database", str(database)], standalone_mode=False) == 2
    assert not database.exists()


def test_audit_does_not_upgrade(tmp_path: Path) -> None:
    database = tmp_path / "old.db"
    with Service(str(database)) as service:
        service.create(settings())
    with closing(sqlite_module().connect(database, isolation_level=None)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    assert main(["audit", "--database", str(database)], standalone_mode=False) == 0
    with closing(sqlite_module().connect(database)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0001",)


@pytest.mark.parametrize("words", [["audit"], ["token", "list"], ["backup", "--out"]])
def test_tools_change_nothing_that_they_look_at(tmp_path: Path, words: list[str]) -> None:
    """A copy in a folder that may only be read can be looked at, and nothing is put beside it."""
    folder = tmp_path / "kept #1"
    with Service(str(folder / "shop.db")) as service:
        service.create(settings())
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    assert list(before) == ["shop.db"]
    folder.chmod(0o500)
    out = [str(tmp_path / "copy.db")] * (words[-1] == "--out")
    try:
        code = main([*words, *out, "--database", f"{folder}/shop.db"], standalone_mode=False)
    finally:
        folder.chmod(0o700)
    assert code == 0
    after = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    assert after == before


def test_a_running_service_can_be_looked_at(tmp_path: Path) -> None:
    with Service(f"{tmp_path}/shop.db") as service:
        service.create(settings())  # still in the log of changes
        with Database(f"{tmp_path}/shop.db", create=False) as database:
            (report,) = audit(database)
        assert (report.experiment, report.problems) == ("shelf", ())
        assert (
            main(["token", "list", "--database", f"{tmp_path}/shop.db"], standalone_mode=False) == 0
        )


def test_only_its_owner_reads_a_database(tmp_path: Path) -> None:
    with Service(f"{tmp_path}/shop.db") as service:
        service.create(settings())
        service.database.backup(tmp_path / "copy.db")
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes.keys() >= {"shop.db", "shop.db-wal", "copy.db"}
    assert set(modes.values()) == {0o600}
