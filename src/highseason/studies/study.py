"""What all studies share: how one is called, what it gives back, and how its time is told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

Progress = Callable[[int, int], None]


class MissingDataError(ValueError):
    """A study was not given the files it cannot do without; says what to give, and where it is."""


@dataclass(frozen=True)
class Source:
    """Files that a study can be given and that are not shipped.

    Attributes:
        option: How they are given on the command line, such as `--upworthy`; may be repeated.
        words: What is given, for its help.
    """

    option: str
    words: str


@dataclass(frozen=True)
class Outcome:
    """What a study leaves behind.

    Attributes:
        page: The report to open.
        findings: What was found, in a few lines.
        seconds: How long each kind of work took.
        files: The tables of numbers beside the page.
        reused: How many finished pieces an earlier run had left.
    """

    page: Path
    findings: Sequence[str]
    seconds: dict[str, float]
    files: Sequence[Path] = ()
    reused: int = 0


class Study(Protocol):
    """A study is a function: it writes a report into `out` and says what it found."""

    def __call__(
        self,
        out: Path,
        games: int | None = None,
        seed: int = 0,
        quick: bool = False,
        profile: Sequence[str] = (),
        progress: Progress | None = None,
        threads: int | None = None,
        data: Path | None = None,
        files: Sequence[Path] = (),
    ) -> Outcome:
        """Run it.

        Args:
            out: The folder for the report; finished pieces found there are not played again.
            games: How many games a setting; the study's own number if None.
            seed: Same seed, same numbers.
            quick: A small sweep, for tests.
            profile: Whose parameters, where the study has a choice; its own choice if empty.
            progress: Called with (steps done, steps in all).
            threads: How many; all cores if None.
            data: A folder with real data, for studies that use some.
            files: What was given with the option of the study's own `Source`, where it has one.

        Raises:
            MissingDataError: Before any work, where it cannot do without files it was not given.
        """
        ...


@dataclass
class Work:
    """Counts steps and seconds as a study goes on."""

    steps: int
    progress: Progress | None = None
    done: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, kind: str) -> Iterator[None]:
        """One piece of work."""
        begin = time.perf_counter()
        yield
        self.seconds[kind] = self.seconds.get(kind, 0.0) + time.perf_counter() - begin
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, max(self.steps, self.done))
