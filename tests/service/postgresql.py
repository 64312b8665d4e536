"""A real PostgreSQL server, run by an unprivileged user in a temporary folder on loopback."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

#: The machine does not fail under these tests, so nothing need be safe from that.
SETTINGS = ("max_connections=200", "fsync=off", "full_page_writes=off", "autovacuum=off")


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; None if it is not installed."""
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda p: p.parts[4])
    found = shutil.which("postgres") or (newest[-1] if newest else None)
    return Path(found).resolve().parent if found else None


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class PostgreSQL:
    """A server that is there within `with`, and may be stopped and started in between."""

    def __init__(self) -> None:
        folder = programs()
        assert folder is not None, "PostgreSQL is not installed"
        self.programs, self.port = folder, free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}"
        self.folder = Path(tempfile.mkdtemp(prefix="hs-postgresql-"))
        user = "nobody" if os.geteuid() == 0 else None  # initdb refuses root
        if user is not None:
            shutil.chown(self.folder, user)
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        self.options: dict[str, Any] = {"user": user, "cwd": self.folder, "env": environment}

    def __enter__(self) -> PostgreSQL:
        data = self.folder / "data"
        init = [self.programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]
        subprocess.run([*init, "-E", "UTF8"], check=True, capture_output=True, **self.options)
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        where = ["-D", self.folder / "data", "-h", "127.0.0.1", "-p", str(self.port)]
        command = [self.programs / "postgres", *where, "-k", self.folder]
        with (self.folder / "log").open("a") as log:
            for setting in SETTINGS:
                command += ["-c", setting]
            self.server = subprocess.Popen(command, stderr=log, **self.options)
        self.wait()

    def stop(self) -> None:
        """Stop it at once, as an operator in a hurry: connections are cut."""
        self.server.send_signal(2)  # SIGINT is PostgreSQL's fast shutdown
        self.server.wait(300)

    def wait(self) -> None:
        for _ in range(3000):
            try:
                psycopg.connect(f"{self.url}/postgres").close()
                return
            except psycopg.OperationalError:
                assert self.server.poll() is None, "PostgreSQL ended at its start"
                time.sleep(0.1)
        raise TimeoutError("PostgreSQL did not start within five minutes")

    def create(self, name: str) -> str:
        """A new database; gives its URL."""
        with psycopg.connect(f"{self.url}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
        return f"{self.url}/{name}"

    def drop(self, name: str) -> None:
        with psycopg.connect(f"{self.url}/postgres", autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # type: ignore[arg-type]
