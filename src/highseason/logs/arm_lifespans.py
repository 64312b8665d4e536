"""When each arm was on offer, and how it did: the table behind the paper's figure of lifespans."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.atomic import atomic_write
from highseason.logs.event_table import arrow
from highseason.logs.events import Events
from highseason.results.table import Table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Lifespans:
    """One entry for each arm that was ever in a pool, in the order of their starts.

    Attributes:
        arms: Their ids.
        start: The time of the first event whose pool held the arm.
        end: The time of the last.
        shown: The number of times it was shown.
        reward: Its total reward.
    """

    arms: tuple[str, ...]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    shown: NDArray[np.int64]
    reward: NDArray[np.float64]

    def __len__(self) -> int:
        """The number of arms."""
        return len(self.arms)

    @property
    def hours(self) -> NDArray[np.float64]:
        """From start to end, for times in seconds."""
        return np.asarray((self.end - self.start) / 3600.0)

    @property
    def rate(self) -> NDArray[np.float64]:
        """The mean reward of a display; NaN for arms that were never shown."""
        out = np.full(len(self), np.nan)
        np.divide(self.reward, self.shown, out=out, where=self.shown > 0)
        return out

    def columns(self) -> dict[str, list[Any]]:
        """The table by column."""
        names = ("start", "end", "hours", "shown", "reward", "rate")
        return {"arm": list(self.arms)} | {name: getattr(self, name).tolist() for name in names}

    def to_pandas(self) -> pd.DataFrame:
        """The table as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.columns())

    @property
    def table(self) -> Table:
        """A row for each arm."""
        columns = self.columns()
        rows = tuple(zip(*columns.values(), strict=True))
        return Table(tuple(columns), rows, ("", "d", "d", ".2f", ",d", ",g", ".4f"))

    def save(self, path: str | Path) -> Path:
        """Write the table as .csv or .parquet; an existing file is replaced as a whole."""
        target = Path(path)
        if target.suffix.lower() not in (".csv", ".parquet"):
            raise ValueError(f"a table is saved as .csv or .parquet, got {target.name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(target) as unfinished:
            if target.suffix.lower() == ".csv":
                self.to_pandas().to_csv(unfinished, index=False)
            else:
                table = arrow().Table.from_pydict(self.columns())
                arrow("pyarrow.parquet").write_table(table, unfinished)
        return target

    def __str__(self) -> str:
        """The table."""
        return str(self.table)

    __repr__ = __str__


def lifespans(events: Events) -> Lifespans:
    """The first and last time each arm was on offer, shown or not, and its rewards.

    >>> log = Events.of([0, 3600, 7200], ["a", "a", "b"], [1, 0, 1], [["a"], ["a", "b"], ["b"]])
    >>> print(lifespans(log))
    arm  start   end  hours  shown  reward    rate
    a        0  3600   1.00      2       1  0.5000
    b     3600  7200   1.00      1       1  1.0000
    """
    start, end = pool_lifetimes(events, events.time)
    is_offered = np.zeros(len(events.arms), np.bool_)
    is_offered[events.pools.members[np.repeat(used_pools(events), events.pools.sizes)]] = True
    shown = np.bincount(events.arm, minlength=len(events.arms))
    reward = np.bincount(events.arm, events.reward, minlength=len(events.arms))
    order = np.lexsort((end, start))
    order = order[is_offered[order]]
    return Lifespans(
        arms=tuple(events.arms[i] for i in order),
        start=start[order],
        end=end[order],
        shown=shown[order].astype(np.int64),
        reward=reward[order].astype(np.float64),
    )


def used_pools(events: Events) -> NDArray[np.bool_]:
    """Which pools have events."""
    used = np.zeros(len(events.pools), np.bool_)
    used[events.pool] = True
    return used


def pool_lifetimes(
    events: Events, when: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The least and greatest `when` at which each arm is in a pool; 0 for arms that never are."""
    pools, far = events.pools, np.iinfo(np.int64)
    first, last = np.full(len(pools), far.max), np.full(len(pools), far.min)
    if when.size:  # a pool usually stays for thousands of events, which are reduced together
        runs = np.flatnonzero(np.append(True, events.pool[1:] != events.pool[:-1]))
        np.minimum.at(first, events.pool[runs], np.minimum.reduceat(when, runs))
        np.maximum.at(last, events.pool[runs], np.maximum.reduceat(when, runs))
    start, end = np.full(len(events.arms), far.max), np.full(len(events.arms), far.min)
    np.minimum.at(start, pools.members, np.repeat(first, pools.sizes))
    np.maximum.at(end, pools.members, np.repeat(last, pools.sizes))
    is_never = start == far.max
    start[is_never], end[is_never] = 0, 0
    return start, end
