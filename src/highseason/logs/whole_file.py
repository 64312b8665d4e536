"""A file that is whole or not there."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give another name in the same folder to write to; what is there at the end gets its name.

    After an error, an interruption or a polite request to end (SIGTERM) nothing is left.  A process
    that is killed outright leaves the file under the other name, which begins with a dot and ends
    in `.unfinished`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "numbers"
    ...     with whole_file(path) as unfinished:
    ...         _ = unfinished.write_text("1 2 3")
    ...         before = path.exists()
    ...     before, path.read_text()
    (False, '1 2 3')
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        with _ended_by_an_exception():
            yield unfinished
            _to_disk(unfinished)
            unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    if os.name != "nt":  # there a folder cannot be opened
        _to_disk(path.parent)


@contextmanager
def _ended_by_an_exception() -> Iterator[None]:
    """Let SIGTERM end the process as an exit does, unless the program has plans of its own."""
    is_main = threading.current_thread() is threading.main_thread()  # others may not ask
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _exit(number: int, frame: Any) -> None:
    sys.exit(128 + number)  # as shells say it


def _to_disk(path: Path) -> None:
    """See to it that a file, or a folder's list of files, survives a power cut."""
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
