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
    """Files that a study can be given and that are not shipped.

    Attributes:
        option: The option of `highseason reproduce`, such as `--upworthy`; may be repeated.
        help: Its help text.
    """

    option: str
    help: str


@dataclass(frozen=True)
class Study:
    """A folder of this package: `settings`, `run`, `findings` (and figures) and `page.html.j2`.

    The folder's `__init__` holds this description as `STUDY`.  It imports nothing heavy, because
    the command line reads the descriptions of all studies.

    Attributes:
        name: The folder's name.
        title: The title of its page.
        headline: The figure at the top of the page.
        profiles: The parameter profiles it knows, the default ones first.
        default_profiles: How many of these are played if none is asked for.
        source: The files it takes, if any.
    """

    name: str
    title: str
    headline: str
    profiles: tuple[str, ...] = ()
    default_profiles: int = 0
    source: Source | None = None

    def part(self, name: str) -> Any:
        """One of its modules, imported when it is needed."""
        return import_module(f"{__package__}.{self.name}.{name}")

    @property
    def template(self) -> Path:
        """The template of its page."""
        return Path(__file__).parent / self.name / "page.html.j2"

    def choose_profiles(self, asked: Sequence[str]) -> tuple[str, ...]:
        """The profiles to play: those asked for, or the default ones.

        >>> Study("x", "X", "gains", ("paper", "tuned", "code"), 2).choose_profiles([])
        ('paper', 'tuned')
        """
        for name in asked:
            if name not in self.profiles:
                known = f"expected one of {', '.join(self.profiles)}" if self.profiles else "none"
                raise ValueError(f"unknown profile {name!r} of the study {self.name}: {known}")
        return tuple(dict.fromkeys(asked)) or self.profiles[: self.default_profiles]


@dataclass(frozen=True, eq=False)
class Results:
    """What a study's `run` returns; studies extend it by what their figures need.

    Attributes:
        frames: Tidy tables by file name; the pipeline writes them beside the page.
        games: How many games (runs, start days) each setting has.
        facts: Settings worth a line under "How this was made".
    """

    frames: Mapping[str, pd.DataFrame]
    games: int
    facts: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Findings:
    """What the frames say, in words; every number in them is computed from the frames.

    Attributes:
        summary: At most three sentences, also printed by the command line.
        details: More sentences for the page.
        frames: Tables of findings, written beside the page too.
    """

    summary: Sequence[str]
    details: Sequence[str] = ()
    frames: Mapping[str, pd.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyOutcome:
    """What a finished study leaves behind.

    Attributes:
        page: The report to open.
        findings: Its summary.
        seconds: How long each kind of work took.
        files: The tables beside the page.
        reused: How many finished pieces of an earlier run were reused.
    """

    page: Path
    findings: Sequence[str]
    seconds: dict[str, float]
    files: Sequence[Path] = ()
    reused: int = 0
