"""Services that start at once: forks of a process that has imported everything."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from highseason_service import Service
from highseason_service.server import serve, start_logging

_forks = get_context("forkserver")
_forks.set_forkserver_preload([__name__])


def _serve(database: str, started: Connection) -> None:
    start_logging(Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  # while it lives
    serve(Service(database), port=0, started=started.send)


@contextmanager
def serving_fork(database: str) -> Iterator[tuple[BaseProcess, str]]:
    """A service in a process of its own, and its address; it is killed at the end."""
    ours, theirs = _forks.Pipe(duplex=False)
    process = _forks.Process(target=_serve, args=(database, theirs))
    process.start()
    theirs.close()
    try:
        yield process, ours.recv()
    finally:
        process.kill()
        process.join()
