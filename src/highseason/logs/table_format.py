"""Tables of displays, CSV, Excel or Parquet: any table, and those of the Open Bandit Dataset."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.logs.cells import Coded, ColumnReader, Numbers, coded_ids, coded_pools, pairs
from highseason.logs.conversion import ConversionLog, LogFormat, existing, option
from highseason.logs.events import EventBatch, IdIndex
from highseason.logs.table_rows import ROW_REASONS, LogTable, RowBlock, open_table

_NO_ARM = "there is no arm"


class _Checks:
    """Reads the columns of a block, and says of each row the first check that fails."""

    def __init__(self, block: RowBlock, reader: ColumnReader) -> None:
        self.cells, self._reader = block.cells, reader
        self.faults, self.reasons = block.faults.copy(), list(ROW_REASONS)

    def require(self, is_good: NDArray[np.bool_], reason: str) -> None:
        """Rows that are not good, and were so far, get this reason."""
        if not is_good.all():
            self.faults[(self.faults == 0) & ~is_good] = len(self.reasons)
        self.reasons.append(reason)

    def numbers(self, role: str, reason: str = "") -> Numbers:
        """A column of numbers; it needs one in every cell if there is a reason."""
        values = self._reader.numbers(self.cells[role])
        if reason:
            self.require(~np.isnan(values), reason)
        return values

    def times(self, role: str) -> NDArray[np.int64]:
        """A column of times."""
        values = self._reader.times(self.cells[role])
        self.require(~np.isnan(values), "the time is neither a number of seconds nor an ISO time")
        return np.nan_to_num(values).astype(np.int64)

    def clicks(self, values: Numbers) -> NDArray[np.uint8]:
        """Numbers that must be clicks."""
        self.require((values == 0) | (values == 1), "the click is neither 0 nor 1")
        return np.asarray(values == 1, np.uint8)

    def propensities(self, role: str) -> Numbers | None:
        """A column of probabilities, if there is one."""
        if role not in self.cells:
            return None
        values = self.numbers(role)
        self.require((values > 0) & (values <= 1), "the propensity is not above 0 and at most 1")
        return values

    def coded(self, column: Coded, reason: str) -> Coded:
        """A column of ids or pools that needs one in every cell."""
        self.require(column.where(lambda value: value is not None), reason)
        return column


class _Judged(NamedTuple):
    """The columns of a block's rows."""

    time: NDArray[np.int64]
    reward: NDArray[Any]
    propensity: NDArray[np.float64] | None
    shown: Coded  # pairs of a pool (or campaign) and an arm


@dataclass(frozen=True)
class _TableFormat(LogFormat):
    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))

    @property
    def paths(self) -> tuple[Path, ...]:  # type: ignore[override]  # a table is one file
        """Its one file."""
        return (self.path,)

    def _open(self, log: ConversionLog) -> LogTable:
        existing(self.paths)
        log.format = self.name
        return open_table(self.path, log)

    def _judge(self, checks: _Checks) -> _Judged:
        raise NotImplementedError

    def _events(
        self,
        log: ConversionLog,
        blocks: Iterator[RowBlock],
        reader: ColumnReader,
        number: Callable[[Any], tuple[int, int]],
    ) -> Iterator[EventBatch]:
        """The events of a table; `number` gives an arm and a pool to a pair of `_Judged.shown`."""
        for block in blocks:
            checks = _Checks(block, reader)
            rows = self._judge(checks)
            events = np.flatnonzero(checks.faults == 0)
            time = rows.time[events]
            log.record(self.path, block.lines, checks.faults, checks.reasons, time, block.text)
            if events.size:
                arm, pool = rows.shown.take(events).numbers(number)
                propensity = None if rows.propensity is None else rows.propensity[events]
                yield EventBatch(time, arm, rows.reward[events], pool, propensity)


@dataclass(frozen=True)
class TableLog(_TableFormat):
    r"""Any CSV, Excel or Parquet file with a row per display.

    Times are Unix seconds or dates and times, in UTC where they name no zone.  Numbers and dates
    may be written as any country writes them, if the first rows (some megabytes) leave no doubt.

    Args:
        path: A CSV file (comma, semicolon or tab; UTF-8, UTF-16 or Latin-1; also gzip), the first
            sheet of an Excel file, or a Parquet file.
        time: The column of times.
        arm: The column of the arms shown.
        reward: The column of rewards.
        pool: The column of the arms on offer: ids with `separator` between them, or a list.  None:
            the one called pool, or else every arm of the log was on offer all the time.
        separator: What separates the ids of a pool.
        propensity: The column of the probability with which the arm was shown.  None: the one
            called propensity, or else uniform.
        clicks: Rewards are 0 or 1, and a row with any other is not an event.
        dates: The order of day, month and year, if the table leaves it open: dmy, mdy or ymd.
        decimal: The decimal mark, if the table leaves it open: a comma or a point.

    >>> import tempfile
    >>> from highseason.logs import collect
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "shop.csv"
    ...     _ = path.write_text("when,what,paid\n2026-01-01,tea,2.5\n2026-01-02,milk,\n")
    ...     events, report = collect(TableLog(path, time="when", arm="what", reward="paid"))
    >>> events.reward.tolist(), report.skipped
    ([2.5], {'the reward is not a number': 1})
    """

    name: ClassVar[str] = "table"
    examples: ClassVar[tuple[str, ...]] = (
        "highseason convert table shop.csv --time when --arm shown --reward paid \\\n"
        "    --out shop.parquet",
        "highseason convert table shop.csv --time when --arm shown --reward paid \\\n"
        "    --pool offered --separator ' ' --propensity chance --out shop.parquet",
    )

    time: str = option("time", "The column of times.")
    arm: str = option("arm", "The column of the arms shown.")
    reward: str = option("reward", "The column of rewards.")
    pool: str | None = option(
        None, "The column of the arms on offer.  [default: pool, or else every arm, always]"
    )
    separator: str = option("|", "The separator between the arms of a pool.")
    propensity: str | None = option(
        None, "The column of propensities.  [default: propensity, or else uniform]"
    )
    clicks: bool = option(False, "Rewards are 0 or 1; rows with any other are skipped.")
    dates: Literal["dmy", "mdy", "ymd"] | None = option(
        None, "Order of day, month and year, if the table leaves it open."
    )
    decimal: Literal[",", "."] | None = option(None, "Decimal mark, if the table leaves it open.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.separator:
            raise ValueError("separator must be some text, got ''")

    @property
    def expected(self) -> str:
        """What a good row looks like."""
        reward = "0 or 1" if self.clicks else "a number"
        return f"a time in {self.time!r}, an id in {self.arm!r} and {reward} in {self.reward!r}"

    def batches(self, ids: IdIndex, log: ConversionLog) -> Iterator[EventBatch]:
        """Read all rows."""
        roles, table = ("time", "arm", "reward", "pool", "propensity"), self._open(log)
        columns = {role: name for role in roles if (name := getattr(self, role)) is not None}
        unused = set(table.names).difference(columns.values())
        columns = {role: role for role in ("pool", "propensity") if role in unused} | columns
        blocks = table.blocks(columns)
        reader = ColumnReader(self.path, log, self.dates, self.decimal)
        all_arms = -1 if "pool" in columns else ids.open_pool()

        @cache
        def pool_of(names: tuple[str, ...]) -> int:
            return ids.pool([ids.arm(name) for name in names]) if names else all_arms

        def number(shown: tuple[tuple[str, ...], str]) -> tuple[int, int]:
            pool = pool_of(shown[0])
            return ids.arm(shown[1]), pool

        yield from self._events(log, blocks, reader, number)
        if "pool" not in columns:
            ids.close_pool(all_arms, range(len(ids.arms)))
            log.notes.append("no pool column: assuming every arm was on offer all the time")
        if "propensity" not in columns:
            log.notes.append("no propensity column: assuming arms were shown uniformly at random")

    def _judge(self, checks: _Checks) -> _Judged:
        time, arm = checks.times("time"), checks.coded(coded_ids(checks.cells["arm"]), _NO_ARM)
        reward: NDArray[Any] = checks.numbers("reward", "the reward is not a number")
        if self.clicks:
            reward = checks.clicks(reward)
        propensity = checks.propensities("propensity")
        pool = Coded(np.zeros(time.size, np.int32), [()])
        if "pool" in checks.cells:
            offered = coded_pools(checks.cells["pool"], self.separator)
            pool = checks.coded(offered, "the pool is not a list of arms")
        shown = pairs(pool, arm)
        if "pool" in checks.cells:
            is_offered = shown.where(lambda pair: pair[1] in (pair[0] or ()))
            checks.require(is_offered, "the arm shown is not in its pool")
        return _Judged(time, reward, propensity, shown)


@dataclass(frozen=True)
class OpenBanditLog(_TableFormat):
    """A table of the Open Bandit Dataset.

    It has the columns timestamp, item_id and click, and may have position, propensity_score and
    campaign.  The pool of a row is all items of its campaign.  In a file of several campaigns, an
    arm's id is `campaign/item` unless one of them is chosen, because each campaign numbers its own
    items from 0.

    Args:
        path: A CSV file (also gzip) or a Parquet file.
        campaign: Only rows of this campaign.
        position: Only rows in this position, 1 to 3.
    """

    name: ClassVar[str] = "open-bandit"
    examples: ClassVar[tuple[str, ...]] = (
        "highseason convert open-bandit men.csv --out men.parquet",
        "highseason convert open-bandit men.csv --position 1 --out men.parquet --json",
    )

    campaign: str | None = option(None, "Only this campaign: all, men or women.", metavar="NAME")
    position: int | None = option(None, "Only this position, 1 to 3.")

    expected = "the columns timestamp, item_id and click (0 or 1), as in the Open Bandit Dataset"

    def batches(self, ids: IdIndex, log: ConversionLog) -> Iterator[EventBatch]:
        """Read all rows."""
        table = self._open(log)
        chosen = {"campaign": self.campaign, "position": self.position, "propensity_score": None}
        optional = [name for name, one in chosen.items() if name in table.names or one is not None]
        blocks = table.blocks({name: name for name in ("timestamp", "item_id", "click", *optional)})
        pools: dict[str, int] = defaultdict(ids.open_pool)
        arms: dict[str, set[int]] = defaultdict(set)

        def number(shown: tuple[str, str]) -> tuple[int, int]:
            campaign, item = shown
            is_one_of_many = campaign and self.campaign is None
            arm = ids.arm(f"{campaign}/{item}" if is_one_of_many else item)
            arms[campaign].add(arm)
            return arm, pools[campaign]

        yield from self._events(log, blocks, ColumnReader(self.path, log, "ymd", "."), number)
        for campaign, pool in pools.items():
            ids.close_pool(pool, arms[campaign])
        if "propensity_score" not in optional:
            log.notes.append(
                "no column propensity_score: assuming items were shown uniformly at random, with "
                "probability 1 over the number of items of the campaign"
            )

    def _judge(self, checks: _Checks) -> _Judged:
        cells = checks.cells
        campaign = Coded(np.zeros(len(cells["click"]), np.int32), [""])
        if "campaign" in cells:
            campaign = checks.coded(coded_ids(cells["campaign"]), "there is no campaign")
        if self.campaign is not None:
            is_wanted = campaign.where(lambda name: name == self.campaign)
            checks.require(is_wanted, "of another campaign")
        if self.position is not None:
            checks.require(checks.numbers("position") == self.position, "in another position")
        time = checks.times("timestamp")
        item = checks.coded(coded_ids(cells["item_id"]), _NO_ARM)
        click = checks.clicks(checks.numbers("click"))
        propensity = checks.propensities("propensity_score")
        return _Judged(time, click, propensity, pairs(campaign, item))
