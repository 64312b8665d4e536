"""From any log to events: in memory, or into a Parquet file that is whole or not there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from highseason.core.atomic import atomic_write
from highseason.logs.book import Book
from highseason.logs.events import Events
from highseason.logs.journal import ConversionReport, Journal
from highseason.logs.parquet import EventWriter
from highseason.logs.source import Batch, Progress, Source, no_event

_NO_SECONDS = 10**11  # the year 5138; milliseconds reach it in 1973


def collect(source: Source, progress: Progress | None = None) -> tuple[Events, ConversionReport]:
    """Read a log into memory.

    `progress` is called with the bytes read so far and those of all files.
    """
    begin = time.perf_counter()
    book, journal = Book(), Journal()
    read = list(_told(source, book, journal, progress))
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(batch, name) for batch in read])
        for name in Batch._fields
        if getattr(read[0], name) is not None
    }
    return Events(**columns, arms=book.arms, pools=book.pools), _report(book, journal, begin)


def convert(source: Source, out: Path | str, progress: Progress | None = None) -> ConversionReport:
    r"""Write a log as one event table, in memory that does not grow with it.

    The table is written under another name and renamed when it is whole: an interrupted conversion
    leaves nothing under the name `out`.  Needs the extra `highseason[logs]`.

    >>> import tempfile
    >>> from highseason.logs import YahooLog, read_events
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log, out = Path(folder) / "day", Path(folder) / "events.parquet"
    ...     _ = log.write_text("1317513291 id-2 1 |user 1 9 |id-1 |id-2\n")
    ...     report = convert(YahooLog((log,)), out)
    ...     read_events(out).arms, report.lines, report.events
    (('id-1', 'id-2'), 1, 1)
    """
    begin = time.perf_counter()
    book, journal = Book(), Journal()
    with (
        atomic_write(Path(out)) as unfinished,
        EventWriter(unfinished) as writer,
        ThreadPoolExecutor(max_workers=1) as other,
    ):
        written: Future[None] | None = None
        for batch in _told(source, book, journal, progress):
            if written is not None:
                written.result()  # one batch is read while one is written, and no more wait
            written = other.submit(writer.write, batch, book.arms)
        if written is not None:
            written.result()
        writer.finish(book.arms, book.pools)
    return _report(book, journal, begin)


def _told(
    source: Source, book: Book, journal: Journal, progress: Progress | None
) -> Iterator[Batch]:
    """The batches of a source that has some; progress is told of each."""
    total = sum(path.stat().st_size for path in source.paths if path.exists())
    if progress is not None:
        journal.watched_by = lambda done: progress(min(done, total), total)
    yield from source.batches(book, journal)
    if journal.events == 0:
        raise ValueError(no_event(source.paths, journal, source.expected))
    if journal.first_time > _NO_SECONDS:
        journal.notes.append(
            f"the first time is {journal.first_time} seconds, thousands of years from now: if "
            "these are milliseconds, divide them by 1000 and convert the log again"
        )
    if journal.lines != journal.events + journal.skipped.total():
        raise AssertionError(f"lines were lost: {journal}")


def _report(book: Book, journal: Journal, begin: float) -> ConversionReport:
    return ConversionReport(
        lines=journal.lines,
        events=journal.events,
        skipped=dict(journal.skipped.most_common()),
        examples=journal.all_examples,
        backwards=journal.backwards,
        damaged=tuple(journal.damaged),
        notes=tuple(journal.notes),
        arms=book.arm_count,
        pools=book.pool_count,
        first_time=journal.first_time,
        last_time=journal.last_time,
        bytes=journal.done,
        seconds=time.perf_counter() - begin,
        format=journal.format,
    )
