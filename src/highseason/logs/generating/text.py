"""A generated log as files in the format R6B, a day each or all in one."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from highseason.core.atomic import atomic_write
from highseason.logs.generating.events import Piece, pieces
from highseason.logs.generating.front_page import FrontPage
from highseason.logs.generating.world import USERS, World, make_world
from highseason.logs.kernels.build import lines_kernel
from highseason.logs.kernels.generate import DAY
from highseason.logs.kernels.lines import ROOM, Wording

_ROWS = 1 << 14  # lines written at a time
_LEVEL = 1  # of compression; more takes ten times as long for a third less


def generate_log(
    out: Path | str,
    days: float = 1.0,
    seed: int = 0,
    *,
    zipped: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **settings: Any,
) -> tuple[Path, ...]:
    """Write a log like those of the Yahoo! front page, in the format R6B; the files it has.

    Args:
        out: A file; or a folder, which gets a file for each day (UTC), named as Yahoo! names them.
        days: How long it is.
        seed: The same seed gives the same log.
        zipped: Compress it with gzip.
        progress: Called with the seconds of the log written so far, and all of them.
        settings: Any other of `FrontPage`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (path,) = generate_log(folder, days=1 / 1440, seed=3)
    ...     path.name, path.read_bytes().splitlines()[0][:50]
    ('ydata-fp-td-clicks-v2_0.20111002', b'1317513600 id-550086 0 |user 1 6 21 26 28 31 34 38')
    """
    world = make_world(FrontPage(days, seed, **settings))
    writer = _LogWriter(world)
    made = pieces(world)
    written = []
    for path, end in _files(Path(out), world, zipped):
        with atomic_write(path) as unfinished, _opened(unfinished, zipped) as file:
            for piece, until in made:
                writer.write(piece, file)
                if progress is not None:
                    progress(until - world.start, world.end - world.start)
                if until >= end:
                    break
        written.append(path)
    return tuple(written)


def _files(out: Path, world: World, zipped: bool) -> Iterator[tuple[Path, int]]:
    """Each file, and the second before which it ends."""
    if not out.is_dir():
        yield out, world.end
        return
    for day in range(world.start // DAY, -(-world.end // DAY)):
        date = datetime.fromtimestamp(day * DAY, UTC).strftime("%Y%m%d")
        name = f"ydata-fp-td-clicks-v2_0.{date}" + (".gz" if zipped else "")
        yield out / name, (day + 1) * DAY


@contextmanager
def _opened(path: Path, zipped: bool) -> Iterator[IO[bytes]]:
    """A file to write to; the same lines give the same bytes, so gzip must not note the time."""
    with path.open("wb") as file:
        if not zipped:
            yield file
            return
        with gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as packed:
            yield cast(IO[bytes], packed)


class _LogWriter:
    """Writes the lines of a world's events."""

    def __init__(self, world: World) -> None:
        ids = [name.encode() for name in world.ids]
        pools = [world.pools[i] for i in range(len(world.pools))]
        texts = [b"".join(b" |" + ids[arm] for arm in pool) + b"\n" for pool in pools]
        self._wording = Wording(*_joined(ids), *_joined(texts))
        self._key = world.key(USERS)
        longest = max(map(len, ids)) + max(map(len, texts))
        self._room = np.empty(_ROWS * (ROOM + longest), np.uint8)
        self.lines = 0

    def write(self, piece: Piece, file: IO[bytes]) -> None:
        """Write the lines of some events."""
        for begin in range(0, piece.time.size, _ROWS):
            some = (column[begin : begin + _ROWS] for column in piece)
            size = lines_kernel()(self._wording, self._key, self.lines, *some, self._room)
            file.write(self._room[:size].data)
            self.lines += min(_ROWS, piece.time.size - begin)


def _joined(texts: Sequence[bytes]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    offsets = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    return offsets, np.frombuffer(b"".join(texts), np.uint8).copy()
