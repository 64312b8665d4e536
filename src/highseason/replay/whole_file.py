"""A file that is whole or not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give another name in the same folder to write to; what is there at the end gets its name.

    After an error, or an interruption, nothing is left.  A process that is killed leaves the file
    under the other name, which begins with a dot and ends in `.unfinished`.

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
        yield unfinished
        _to_disk(unfinished)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    if os.name != "nt":  # there a folder cannot be opened
        _to_disk(path.parent)


def _to_disk(path: Path) -> None:
    """See to it that a file, or a folder's list of files, survives a power cut."""
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
