"""What every reader of logs is to the rest: batches of events, told of in a book and a journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from highseason.logs.book import Book
from highseason.logs.journal import Journal

Progress = Callable[[int, int], None]


class Batch(NamedTuple):
    """Some events in a row; a column each, as in `Events`."""

    time: NDArray[np.int64]
    arm: NDArray[np.int32]
    reward: NDArray[Any]
    pool: NDArray[np.int32]
    propensity: NDArray[np.float64] | None = None


class Source(Protocol):
    """A log and how to read it."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """Its files."""
        ...

    @property
    def expected(self) -> str:
        """What a good line looks like, in words, for an error message."""
        ...

    def batches(self, book: Book, journal: Journal) -> Iterator[Batch]:
        """Read it from the beginning.

        Pools and arms are entered in the book at the latest when this ends, every line is told to
        the journal before the batch with the next one is given.
        """
        ...


def existing(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """The same paths, once it is sure that there is a file at each."""
    if not paths:
        raise ValueError("no log was given: name at least one file")
    for path in paths:
        if path.is_dir():
            raise ValueError(f"{path} is a folder: name the files in it")
        if not path.exists():
            raise ValueError(f"there is no file {path}: check the path")
    return paths


def no_event(paths: tuple[Path, ...], journal: Journal, expected: str) -> str:
    """What to say of a log in which nothing could be read."""
    log = ", ".join(map(str, paths[:3])) + (" …" if len(paths) > 3 else "")
    first = f", the first being {journal.all_examples[0]}" if journal.all_examples else ""
    damage = f"; {journal.damaged[0]}" if journal.damaged else ""
    where = "" if first or damage else f"{log}: "  # these say where
    lines = f"{journal.lines} line{'' if journal.lines == 1 else 's'}"
    return f"{where}there is no event in {lines}{first}{damage}; expected {expected}"
