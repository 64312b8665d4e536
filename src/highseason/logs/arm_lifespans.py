"""When each arm was on offer, and how it did: the table behind the paper's picture of lifespans."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.atomic import atomic_write
from highseason.logs.event_table import arrow
from highseason.logs.events import Events
from highseason.results.table import Table

_COLUMNS = ("arm", "birth", "death", "hours", "shown", "reward", "rate")


@dataclass(frozen=True, eq=False)
class Lifespans:
    """One entry for each arm that was ever in a pool, in the order of birth.

    Attributes:
        arms: Their ids.
        birth: The time of the first event whose pool held the arm.
        death: The time of the last.
        shown: How often it was shown.
        reward: What it brought in all.
    """

    arms: tuple[str, ...]
    birth: NDArray[np.int64]
    death: NDArray[np.int64]
    shown: NDArray[np.int64]
    reward: NDArray[np.float64]

    def __len__(self) -> int:
        """How many arms."""
        return len(self.arms)

    @property
    def hours(self) -> NDArray[np.float64]:
        """From birth to death, for times in seconds."""
        return np.asarray((self.death - self.birth) / 3600.0)

    @property
    def rate(self) -> NDArray[np.float64]:
        """The mean reward of a showing; NaN for arms that were never shown."""
        out = np.full(len(self), np.nan)
        np.divide(self.reward, self.shown, out=out, where=self.shown > 0)
        return out

    def columns(self) -> dict[str, list[Any]]:
        """The table by column."""
        values = (self.birth, self.death, self.hours, self.shown, self.reward, self.rate)
        named = zip(_COLUMNS[1:], values, strict=True)
        return {"arm": list(self.arms)} | {name: column.tolist() for name, column in named}

    @property
    def table(self) -> Table:
        """A row for each arm."""
        rows = tuple(zip(*self.columns().values(), strict=True))
        return Table(_COLUMNS, rows, ("", "d", "d", ".2f", ",d", ",g", ".4f"))

    def save(self, path: str | Path) -> Path:
        """Write the table as .csv or .parquet; an existing file is replaced as a whole."""
        target = Path(path)
        writers = {".csv": self._write_csv, ".parquet": self._write_parquet}
        if target.suffix.lower() not in writers:
            raise ValueError(f"a table is saved as .csv or .parquet, not as {target.name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(target) as unfinished:
            writers[target.suffix.lower()](unfinished)
        return target

    def _write_csv(self, path: Path) -> None:
        import csv

        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(_COLUMNS)
            for row in zip(*self.columns().values(), strict=True):
                writer.writerow("" if value != value else value for value in row)

    def _write_parquet(self, path: Path) -> None:
        table = arrow("pyarrow").table(self.columns())
        arrow("pyarrow.parquet").write_table(table, path)

    def __str__(self) -> str:
        """The table."""
        return str(self.table)

    __repr__ = __str__


def lifespans(events: Events) -> Lifespans:
    """The first and the last time each arm was on offer, shown or not, and how it did.

    >>> log = Events.of([0, 3600, 7200], ["a", "a", "b"], [1, 0, 1], [["a"], ["a", "b"], ["b"]])
    >>> print(lifespans(log))
    arm  birth  death  hours  shown  reward    rate
    a        0   3600   1.00      2       1  0.5000
    b     3600   7200   1.00      1       1  1.0000
    """
    born, died = pool_lifetimes(events, events.time)
    offered = np.zeros(len(events.arms), np.bool_)
    met = np.zeros(len(events.pools), np.bool_)
    met[events.pool] = True
    offered[events.pools.members[np.repeat(met, events.pools.sizes)]] = True
    shown = np.bincount(events.arm, minlength=len(events.arms))
    reward = np.bincount(events.arm, events.reward, minlength=len(events.arms))
    order = np.lexsort((died, born))
    order = order[offered[order]]
    return Lifespans(
        arms=tuple(events.arms[i] for i in order),
        birth=born[order],
        death=died[order],
        shown=shown[order].astype(np.int64),
        reward=reward[order].astype(np.float64),
    )


def pool_lifetimes(
    events: Events, when: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The least and the greatest of `when` at which each arm is in a pool; 0 where it never is."""
    pools = events.pools
    far = np.iinfo(np.int64)
    first, last = np.full(len(pools), far.max), np.full(len(pools), far.min)
    if when.size:  # a pool mostly stays for thousands of events: these are looked at together
        runs = np.flatnonzero(np.append(True, events.pool[1:] != events.pool[:-1]))
        np.minimum.at(first, events.pool[runs], np.minimum.reduceat(when, runs))
        np.maximum.at(last, events.pool[runs], np.maximum.reduceat(when, runs))
    born, died = np.full(len(events.arms), far.max), np.full(len(events.arms), far.min)
    np.minimum.at(born, pools.members, np.repeat(first, pools.sizes))
    np.maximum.at(died, pools.members, np.repeat(last, pools.sizes))
    never = born == far.max
    born[never], died[never] = 0, 0
    return born, died
