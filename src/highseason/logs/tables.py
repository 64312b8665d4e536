"""Any table of displays, CSV or Parquet, once it is said which column is what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highseason.logs.book import Book
from highseason.logs.cells import name_in, names_in, number_in, time_in
from highseason.logs.gathering import Entry, gather
from highseason.logs.journal import Journal
from highseason.logs.rows import Row, Rows, open_rows
from highseason.logs.source import Batch, existing

NO_TIME = "the time is neither a number of seconds nor an ISO time"
NO_ARM = "there is no arm"
NO_REWARD = "the reward is not a number"
NO_CLICK = "the click is neither 0 nor 1"
NO_POOL = "the pool is not a list of arms"
NO_CHANCE = "the propensity is not above 0 and at most 1"
NOT_OFFERED = "the arm shown is not in its pool"
TOO_SHORT = "the row has too few cells"

_REMEMBERED = 1 << 16  # texts of pools


@dataclass(frozen=True)
class TableLog:
    r"""A table with a row for each display.

    Args:
        path: A CSV file (comma, semicolon or tab; also gzip) or a Parquet file.
        time: The column of times: Unix seconds or ISO times, UTC where they say no zone.
        arm: The column of the arms shown.
        reward: The column of what they brought.
        pool: The column of what was on offer: ids with `separator` between them, or a list.  None:
            every arm of the log was on offer all the time.
        separator: What stands between the ids of a pool.
        propensity: The column of the chance with which the arm was shown.  None: uniform.
        clicks: Rewards are 0 or 1, and a row with any other is no event.

    >>> import tempfile
    >>> from highseason.logs import collect
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "shop.csv"
    ...     _ = path.write_text("when,what,paid\n2026-01-01,tea,2.5\n2026-01-02,milk,\n")
    ...     events, report = collect(TableLog(path, time="when", arm="what", reward="paid"))
    >>> events.reward.tolist(), report.skipped
    ([2.5], {'the reward is not a number': 1})
    """

    path: Path
    time: str = "time"
    arm: str = "arm"
    reward: str = "reward"
    pool: str | None = None
    separator: str = "|"
    propensity: str | None = None
    clicks: bool = False

    def __post_init__(self) -> None:
        if not self.separator:
            raise ValueError("the separator of a pool's arms must not be empty")
        object.__setattr__(self, "path", Path(self.path))

    @property
    def paths(self) -> tuple[Path, ...]:
        """Its one file."""
        return (self.path,)

    @property
    def expected(self) -> str:
        """What a good row looks like."""
        reward = "0 or 1" if self.clicks else "a number"
        return f"a time in {self.time!r}, an id in {self.arm!r} and {reward} in {self.reward!r}"

    def batches(self, book: Book, journal: Journal) -> Iterator[Batch]:
        """Read all rows."""
        existing(self.paths)
        journal.format = "table"
        with open_rows(self.path, journal) as rows:
            reader = _RowReader(self, rows, book)
            yield from gather(rows, reader.read, journal, self.clicks)
        if reader.everything is not None:
            book.close_pool(reader.everything, range(book.arm_count))
            journal.notes.append("no pool column: every arm is taken to be on offer all the time")
        if self.propensity is None:
            journal.notes.append("no propensity column: arms are taken to be shown uniformly")


@dataclass
class _Offered:
    """The arms of a pool in their order; it has a number once there is an event with it."""

    arms: dict[str, None]
    pool: int | None = None


class _RowReader:
    """Reads one row after the other, with the places of the columns looked up once."""

    def __init__(self, log: TableLog, rows: Rows, book: Book) -> None:
        self._log, self._book = log, book
        self._time, self._arm = rows.column_index(log.time), rows.column_index(log.arm)
        self._reward = rows.column_index(log.reward)
        self._pool = None if log.pool is None else rows.column_index(log.pool)
        self._chance = None if log.propensity is None else rows.column_index(log.propensity)
        places = (self._time, self._arm, self._reward, self._pool, self._chance)
        self._width = 1 + max(place for place in places if place is not None)
        self._pools: dict[str, _Offered] = {}
        self.everything = book.open_pool() if self._pool is None else None

    def read(self, row: Row) -> Entry | str:
        """The event of a row, or why it has none."""
        cells = row.cells
        if len(cells) < self._width:
            return TOO_SHORT
        time, name = time_in(cells[self._time]), name_in(cells[self._arm])
        reward = number_in(cells[self._reward])
        if time is None:
            return NO_TIME
        if name is None:
            return NO_ARM
        if reward is None:
            return NO_REWARD
        if self._log.clicks and reward not in (0, 1):
            return NO_CLICK
        chance = None
        if self._chance is not None:
            chance = number_in(cells[self._chance])
            if chance is None or not 0 < chance <= 1:
                return NO_CHANCE
        if self._pool is None:
            assert self.everything is not None
            return Entry(time, self._book.arm(name), reward, self.everything, chance)
        offered = self._offered(cells[self._pool])
        if offered is None:
            return NO_POOL
        if name not in offered.arms:
            return NOT_OFFERED
        if offered.pool is None:
            offered.pool = self._book.pool(map(self._book.arm, offered.arms))
        return Entry(time, self._book.arm(name), reward, offered.pool, chance)

    def _offered(self, cell: Any) -> _Offered | None:
        """What was on offer; pools repeat, so their texts are remembered."""
        text = str(cell)
        found = self._pools.get(text)
        if found is None:
            names = names_in(cell, self._log.separator)
            if names is None:
                return None
            found = _Offered(dict.fromkeys(names))
            if len(self._pools) >= _REMEMBERED:
                self._pools.clear()
            self._pools[text] = found
        return found
