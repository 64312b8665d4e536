"""The log that is studied, given or generated, and the datasets cut from it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from highseason import logs
from highseason.logs import Events, LogSummary, PreparedLog, diagnose
from highseason.logs.prepared_log import TimeBins
from studies.logged.generate import Generated, generate_events
from studies.logged.lifespans import Slice, frontier
from studies.logged.settings import FIXED_ARMS, PUBLISHED_SLICE, ReplayEffort
from studies.session import Progress, shuffled

#: The share of a log's time, at its end, that is kept for tuning, and the most of it in seconds.
KEPT_SHARE, KEPT_MOST = 1 / 3, 2 * 86_400

#: The longest stretch is sought among those with this many events at least.
_FEWEST_EVENTS = 1000


@dataclass(frozen=True, eq=False)
class StudiedLog:
    """A log in two parts: one to report, one to tune parameters on."""

    reported: Events  # The first part
    tuning: Events  # The rest; nothing that is reported comes from it
    generated: Generated | None  # The truth behind the log; None for a log that was given
    digest: str  # Of its events
    source: str  # Where it is from, in words
    notes: tuple[str, ...] = ()  # Lines that were skipped, and why

    @property
    def kind(self) -> str:
        """Stated on the page, in every figure, in the findings and in every table of numbers."""
        return "given log" if self.generated is None else "GENERATED log"

    def truth(self, events: Events) -> NDArray[np.float64] | None:
        """The true click rate of what each event shows; None if it is unknown."""
        return None if self.generated is None else self.generated.rate(events.arm, events.time)


def read(
    paths: Sequence[Path], effort: ReplayEffort, seed: int, progress: Progress | None = None
) -> StudiedLog:
    """The files that were given, or a log like them; `progress` is in bytes."""
    if not paths:
        log = generate_events(effort.days, seed, events_per_second=effort.each_second)
        size = f"{effort.days:g} days, {effort.each_second:g} events per second"
        return _split(log.events, log, f"generated: {size}, seed {seed}")
    if len(paths) == 1 and paths[0].suffix.lower() == ".parquet":
        return _split(logs.read_events(paths[0]), None, paths[0].name)
    files = [file for path in paths for file in _files(path)]
    events, report = logs.collect(logs.YahooLog(tuple(files)), progress)
    names = files[0].name if len(files) == 1 else f"{len(files)} files, {files[0].name} first"
    skipped = [f"{count:,} lines skipped: {why}" for why, count in report.skipped.items()]
    if (np.diff(events.time) < 0).any():  # files may be named in any order
        events = events.take(np.argsort(events.time, kind="stable"))
    return _split(events, None, names, (*skipped, *report.damaged))


def _files(path: Path) -> list[Path]:
    """A file; or those of a folder, by name, which is by day: Yahoo!'s own where there are some."""
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.is_file() and file.name[0] != ".")
    named = [file for file in files if file.name.startswith("ydata-fp-td-clicks")]
    if not files:
        raise ValueError(f"--yahoo {path} is an empty folder; expected the log's files in it")
    return named or files


def _split(
    events: Events, generated: Generated | None, source: str, notes: tuple[str, ...] = ()
) -> StudiedLog:
    first, last = int(events.time[0]), int(events.time[-1])
    border = last - min(int((last - first) * KEPT_SHARE), KEPT_MOST)
    cut = int(np.searchsorted(events.time, border, side="right"))
    if cut in (0, len(events)):
        raise ValueError(
            f"the log ({source}) is too short to be studied: {len(events):,} events over "
            f"{last - first:,} seconds"
        )
    digest = hashlib.sha256(" ".join(events.arms).encode())
    for column in (events.time, events.arm, events.reward, events.pool):
        digest.update(np.ascontiguousarray(column).data)
    parts = events.take(slice(0, cut)), events.take(slice(cut, None))
    return StudiedLog(*parts, generated, digest.hexdigest()[:16], source, notes)


@dataclass(frozen=True, eq=False)
class Dataset:
    """A prepared log that policies are replayed on."""

    id: str  # A name for files
    title: str  # For the page
    log: PreparedLog  # What is replayed
    truth: NDArray[np.float64] | None  # The true click rate behind each event, if it is known
    slice: Slice | None  # The stretch with a fixed pool; None for the whole log

    @property
    def facts(self) -> LogSummary:
        """Diagnostics of the log."""
        return diagnose(self.log)

    @property
    def events_per_turn(self) -> float:
        """How many events there are per matched turn: about the size of the full pools."""
        events = self.log.events
        return float(events.pools.sizes[events.pool].mean())


def sliced(studied: StudiedLog, part: Events, name: str, title: str, where: Slice) -> Dataset:
    """A stretch of a part of the log with the arms that are there throughout; G counts all arms."""
    events = where.cut(part)
    if len(events) < _FEWEST_EVENTS:
        raise ValueError(
            f"the longest stretch with {len(where.arms)} articles has {len(events):,} events: the "
            "log is too short to be studied"
        )
    log = PreparedLog.of(events, arms=where.arms)
    return Dataset(name, title, log, studied.truth(events), where)


def longest(part: Events) -> Slice:
    """The longest stretch with the paper's number of articles, or as many as there are."""
    slices = frontier(part)
    most = max(len(one.arms) for one in slices.slices)
    return slices.with_arms(min(FIXED_ARMS, most))


def published(studied: StudiedLog) -> Slice | None:
    """The paper's own slice, if a log that was given holds it."""
    first, last = PUBLISHED_SLICE
    time = studied.reported.time
    if studied.generated is not None or not (time[0] <= first and last <= time[-1]):
        return None
    arms = logs.always_on_offer(studied.reported.between(first, last))
    return Slice(first, last, arms) if len(arms) > 1 else None


def fixed_datasets(studied: StudiedLog) -> list[Dataset]:
    """The slices of the paper's first two tables: the exact one, and the published one."""
    part, theirs = studied.reported, published(studied)
    datasets = [sliced(studied, part, "slice", "the longest slice", longest(part))]
    if theirs is not None:
        title = "the paper's own slice"
        datasets.append(sliced(studied, part, "published-slice", title, theirs))
    return datasets


def whole(studied: StudiedLog, part: Events, name: str = "whole") -> Dataset:
    """All articles of a part of the log, which come and go."""
    return Dataset(name, "the whole log", PreparedLog.of(part), studied.truth(part), None)


def with_shuffled_G(log: PreparedLog, seed: int) -> PreparedLog:
    """The same events, each with the G of another: as many busy ones, at meaningless times.

    A policy that sees this G explores as much as before, but not when it is quiet.
    """
    G = log.G[shuffled(len(log.events), seed, "shuffled G")]
    each = np.arange(G.size, dtype=np.int32)
    bins = TimeBins(each, log.bins.clock[log.bins.of], G.astype(np.int64), log.bins.length)
    return replace(log, bins=bins)


def best_rate(studied: StudiedLog, dataset: Dataset, points: int = 2000) -> float:
    """The mean reward per turn of always showing the best article, by the true rates."""
    if studied.generated is None:
        return float("nan")
    log = dataset.log
    rows = np.unique(np.linspace(0, len(log.events) - 1, points).astype(np.int64))
    best = [
        float(studied.generated.rate(pool, np.full(pool.size, log.events.time[row])).max())
        for row in rows
        if (pool := log.pools[int(log.pool[row])]).size
    ]
    return float(np.mean(best))
