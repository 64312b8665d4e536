"""Atomic writes: a file is complete or absent, never half written."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder; on success it replaces `path`.

    After an error, Ctrl-C or SIGTERM nothing is left behind.  A process that is killed outright
    leaves the temporary file, whose name begins with a dot and ends in `.unfinished`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "numbers"
    ...     with atomic_write(path) as unfinished:
    ...         _ = unfinished.write_text("1 2 3")
    ...         before = path.exists()
    ...     before, path.read_text()
    (False, '1 2 3')
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        with _sigterm_raises():
            yield unfinished
            _to_disk(unfinished)
            unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    if os.name != "nt":  # there a folder cannot be opened
        _to_disk(path.parent)


@contextmanager
def _sigterm_raises() -> Iterator[None]:
    """Turn SIGTERM into SystemExit, unless the program handles it already."""
    is_main = threading.current_thread() is threading.main_thread()  # only it may set handlers
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    # The shells' convention for the exit status.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _to_disk(path: Path) -> None:
    """Flush a file, or a folder's list of files, so that it survives a power cut."""
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
