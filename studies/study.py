"""What a study is, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class MissingDataError(ValueError):
    """A study needs files that were not given; the message names them and their origin."""


@dataclass(frozen=True)
class Source:
    """Files that a study can be given and that are not shipped."""

    option: str  # Of the command line, such as `--upworthy`; may be repeated
    help: str  # Its help text


@dataclass(frozen=True)
class Study:
    """A folder of this package: `settings`, `run`, `findings` (and figures) and `page.html.j2`.

    The folder's `__init__` holds this description as `STUDY`.  It imports nothing heavy, because
    the command line reads the descriptions of all studies.
    """

    name: str  # The folder's name
    title: str  # The title of its page
    headline: str  # The figure at the top of the page
    profiles: tuple[str, ...] = ()  # The parameter profiles it knows, the default ones first
    default_profiles: int = 0  # How many of these are played if none is asked for
    parts: tuple[str, ...] = ()  # Groups of settings that can be played alone
    takes: tuple[str, ...] = ()  # Of `policies`, `k`, `arms` and `turns`, those it can be given
    source: Source | None = None  # The files it takes, if any

    def part(self, name: str) -> Any:
        """One of its modules, imported when it is needed."""
        return import_module(f"{__package__}.{self.name}.{name}")

    def choose_profiles(self, asked: Sequence[str]) -> tuple[str, ...]:
        """The profiles to play: those asked for, or the default ones.

        >>> Study("x", "X", "gains", ("paper", "tuned", "code"), 2).choose_profiles([])
        ('paper', 'tuned')
        """
        return (
            self._known("profile", asked, self.profiles) or self.profiles[: self.default_profiles]
        )

    def choose_parts(self, asked: Sequence[str]) -> tuple[str, ...]:
        """The parts to play: those asked for, or all."""
        return self._known("part", asked, self.parts) or self.parts

    def _known(self, kind: str, asked: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
        for name in asked:
            if name not in known:
                expected = f"expected one of {', '.join(known)}" if known else "it has none"
                raise ValueError(f"unknown {kind} {name!r} of the study {self.name}: {expected}")
        return tuple(dict.fromkeys(asked))


@dataclass(frozen=True, eq=False)
class Results:
    """What a study's `run` returns; studies extend it by what their figures need."""

    frames: Mapping[str, pd.DataFrame]  # Tidy tables by file name, written beside the page
    games: int  # How many games (runs, start days) each setting has
    facts: Mapping[str, str]  # Settings worth a line under "How this was made"
    quick: bool = field(default=False, kw_only=True)  # A small sweep, on which no claim is judged


@dataclass(frozen=True, eq=False)
class Findings:
    """What the frames say, in words; every number in them is computed from the frames."""

    summary: Sequence[str]  # At most three sentences, also printed by the command line
    details: Sequence[str] = ()  # More sentences for the page
    frames: Mapping[str, pd.DataFrame] = field(default_factory=dict)  # Written beside the page too


@dataclass(frozen=True)
class StudyReport:
    """What a finished study leaves behind."""

    page: Path  # The report to open
    findings: Sequence[str]  # Its summary
    seconds: dict[str, float]  # How long each kind of work took
    files: Sequence[Path] = ()  # The tables beside the page
    reused: int = 0  # How many finished pieces of an earlier run were reused
