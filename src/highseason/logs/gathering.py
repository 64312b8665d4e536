"""Rows of a table gathered into batches, with every row that is no event told to the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from highseason.logs.journal import BACKWARDS, Journal
from highseason.logs.rows import Row, Rows
from highseason.logs.source import Batch

_ROWS = 1 << 16


class Entry(NamedTuple):
    """One event; the propensity is None in all of a log or in none."""

    time: int
    arm: int
    reward: float
    pool: int
    propensity: float | None = None


def gather(
    rows: Rows, read: Callable[[Row], Entry | str], journal: Journal, clicks: bool
) -> Iterator[Batch]:
    """Batches of what `read` makes of the rows; text instead of an entry is why there is none."""
    entries: list[Entry] = []
    last: int | None = None
    for row in rows.rows:
        journal.lines += 1
        entry = read(row)
        if isinstance(entry, str):
            journal.skip(entry, str(rows.path), row.line, row.text)
            rows.hand_back()
            continue
        if last is not None and entry.time < last:
            journal.backwards += 1
            journal.example(BACKWARDS, str(rows.path), row.line, row.text)
        last = entry.time
        entries.append(entry)
        if len(entries) == _ROWS:
            yield _batch(entries, journal, clicks)
            entries = []
    if entries:
        yield _batch(entries, journal, clicks)


def _batch(entries: list[Entry], journal: Journal, clicks: bool) -> Batch:
    time, arm, reward, pool, propensity = zip(*entries, strict=True)
    batch = Batch(
        np.array(time, np.int64),
        np.array(arm, np.int32),
        np.array(reward, np.uint8 if clicks else np.float64),
        np.array(pool, np.int32),
        None if propensity[0] is None else np.array(propensity, np.float64),
    )
    journal.saw(batch.time)
    return batch
