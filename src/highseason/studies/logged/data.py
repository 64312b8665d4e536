"""The log that is studied: the user's own files, or one made up and called so everywhere."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from highseason.logs import Events, Generated, YahooLog, collect, generate_events, read_events
from highseason.studies.logged.settings import Effort
from highseason.studies.session import Progress

#: The share of a log's time, at its end, that is kept for tuning, and the most of it in seconds.
KEPT_SHARE, KEPT_MOST = 1 / 3, 2 * 86_400

#: Said on the page, in every figure, in the findings and in the tables of numbers.
GENERATED = "GENERATED log"
WHERE = "https://webscope.sandbox.yahoo.com (R6B, for those whom Yahoo! grants it)"


@dataclass(frozen=True, eq=False)
class Data:
    """A log in two parts: what is reported, and what parameters are tuned on.

    Attributes:
        reported: The first part.
        tuning: The rest; nothing that is reported comes from it.
        made: The truth behind a generated log; None for a log that was given.
        digest: Tells this log from others.
        source: Where it is from, in words.
        notes: What the reader has to say of lines that were no events.
    """

    reported: Events
    tuning: Events
    made: Generated | None
    digest: str
    source: str
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Generated or given, in two words."""
        return "given log" if self.made is None else GENERATED

    @property
    def banner(self) -> str:
        """For the top of the page; a log that was given needs none."""
        if self.made is None:
            return ""
        return (
            "This page is about a GENERATED log. It was made up after the facts known of the "
            "Yahoo! front page and is not the Yahoo! data: its numbers say how the method behaves, "
            "and neither confirm nor refute the published ones. With the real files, give --yahoo."
        )

    def truth(self, events: Events) -> NDArray[np.float64] | None:
        """The true click rate of what each record shows; None where nobody knows it."""
        return None if self.made is None else self.made.rate(events.arm, events.time)


def read(
    paths: Sequence[Path], effort: Effort, seed: int, progress: Progress | None = None
) -> Data:
    """The files that were given, or a log like them; `progress` is told of bytes."""
    if not paths:
        made = generate_events(effort.days, seed, events_per_second=effort.each_second)
        told = (
            f"generated: {effort.days:g} days, {effort.each_second:g} events a second, seed {seed}"
        )
        return _parted(made.events, made, told)
    if len(paths) == 1 and paths[0].suffix.lower() == ".parquet":
        return _parted(read_events(paths[0]), None, paths[0].name)
    files = [file for path in paths for file in _files(path)]
    events, report = collect(YahooLog(tuple(files)), progress)
    names = files[0].name if len(files) == 1 else f"{len(files)} files, {files[0].name} first"
    skipped = [f"{count:,} lines skipped: {why}" for why, count in report.skipped.items()]
    return _parted(_in_order(events), None, names, (*skipped, *report.damaged))


def _files(path: Path) -> list[Path]:
    """A file; or those of a folder, by name, which is by day: Yahoo!'s own where there are some."""
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.iterdir() if file.is_file() and file.name[0] != ".")
    named = [file for file in found if file.name.startswith("ydata-fp-td-clicks")]
    if not found:
        raise ValueError(f"--yahoo {path} is an empty folder; it should hold the log's files")
    return named or found


def _in_order(events: Events) -> Events:
    """By time: files may be named in any order."""
    if (np.diff(events.time) >= 0).all():
        return events
    return events.take(np.argsort(events.time, kind="stable"))


def _parted(
    events: Events, made: Generated | None, source: str, notes: tuple[str, ...] = ()
) -> Data:
    first, last = int(events.time[0]), int(events.time[-1])
    border = last - min(int((last - first) * KEPT_SHARE), KEPT_MOST)
    cut = int(np.searchsorted(events.time, border, side="right"))
    if cut in (0, len(events)):
        raise ValueError(
            f"the log ({source}) is too short to be studied: {len(events):,} records over "
            f"{last - first:,} seconds"
        )
    parts = events.take(slice(0, cut)), events.take(slice(cut, None))
    return Data(*parts, made, _digest(events), source, notes)


def _digest(events: Events) -> str:
    digest = hashlib.sha256(" ".join(events.arms).encode())
    for column in (events.time, events.arm, events.reward, events.pool):
        digest.update(np.ascontiguousarray(column).data)
    return digest.hexdigest()[:16]
