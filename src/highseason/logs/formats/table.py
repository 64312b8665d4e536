"""Tables of displays, CSV or Parquet: any table, and those of the Open Bandit Dataset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.logs.cells import Coded, by_pair, names, numbers, pools, times
from highseason.logs.conversion import IdIndex, LogFormat, existing, option
from highseason.logs.conversion_log import ConversionLog
from highseason.logs.events import EventBatch
from highseason.logs.table_rows import ROW_REASONS, RowBlock, open_table

NO_TIME = "the time is neither a number of seconds nor an ISO time"
NO_ARM = "there is no arm"
NO_REWARD = "the reward is not a number"
NO_CLICK = "the click is neither 0 nor 1"
NO_POOL = "the pool is not a list of arms"
NO_PROPENSITY = "the propensity is not above 0 and at most 1"
NOT_OFFERED = "the arm shown is not in its pool"


class Checks:
    """What is wrong with each row of a block: the first check that fails."""

    def __init__(self, block: RowBlock) -> None:
        self.faults, self.reasons = block.faults.copy(), list(ROW_REASONS)

    def require(self, is_good: NDArray[np.bool_], reason: str) -> None:
        """Rows that are not good, and were so far, get this reason."""
        self.faults[(self.faults == 0) & ~is_good] = len(self.reasons)
        self.reasons.append(reason)

    def times(self, column: Any) -> NDArray[np.int64]:
        """A column of times."""
        values, is_good = times(column)
        self.require(is_good, NO_TIME)
        return values

    def clicks(self, values: NDArray[np.float64], is_good: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Numbers that must be clicks."""
        self.require(is_good & ((values == 0) | (values == 1)), NO_CLICK)
        return np.asarray(values == 1, np.uint8)

    def propensities(self, column: Any) -> NDArray[np.float64] | None:
        """A column of probabilities, if there is one."""
        if column is None:
            return None
        values, is_good = numbers(column)
        self.require(is_good & (values > 0) & (values <= 1), NO_PROPENSITY)
        return values

    def names(self, column: Any, reason: str = NO_ARM) -> Coded:
        """A column of ids."""
        ids = names(column)
        self.require(is_present(ids), reason)
        return ids


def is_present(coded: Coded) -> NDArray[np.bool_]:
    """Which rows have a value."""
    return np.array([value is not None for value in coded.values], np.bool_)[coded.codes]


class Judged(NamedTuple):
    """The columns of a block's rows; arms and pools are numbered from pairs of coded columns."""

    time: NDArray[np.int64]
    reward: NDArray[Any]
    propensity: NDArray[np.float64] | None
    pool: Coded
    arm: Coded


def table_batches(
    path: Path,
    log: ConversionLog,
    blocks: Iterator[RowBlock],
    judge: Callable[[RowBlock, Checks], Judged],
    number: Callable[[Any, Any], tuple[int, int, int]],
) -> Iterator[EventBatch]:
    """The events of a table; `number` gets the values of `Judged.pool` and `Judged.arm`."""
    for block in blocks:
        checks = Checks(block)
        rows = judge(block, checks)
        kept = np.flatnonzero(block.kept(checks.faults))
        faults = checks.faults[kept]
        events = kept[faults == 0]
        time = rows.time[events]
        text = _of_rows(block.text, kept)
        log.record(path, block.lines[kept], faults, checks.reasons, time, text)
        pool, arm = (c._replace(codes=c.codes[events]) for c in (rows.pool, rows.arm))
        _, arms, pool_numbers = by_pair(pool, arm, number)
        propensity = None if rows.propensity is None else rows.propensity[events]
        if events.size:
            arms, pool_numbers = arms.astype(np.int32), pool_numbers.astype(np.int32)
            yield EventBatch(time, arms, rows.reward[events], pool_numbers, propensity)


def _of_rows(text: Callable[[int], str], rows: NDArray[np.int64]) -> Callable[[int], str]:
    return lambda row: text(int(rows[row]))


@dataclass(frozen=True)
class _TableFormat(LogFormat):
    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))

    @property
    def paths(self) -> tuple[Path, ...]:  # type: ignore[override]  # a table is one file
        """Its one file."""
        return (self.path,)


@dataclass(frozen=True)
class TableLog(_TableFormat):
    r"""Any CSV or Parquet file with a row per display.

    Times are Unix seconds or ISO times, in UTC where they name no zone.

    Args:
        path: A CSV file (comma, semicolon or tab; also gzip) or a Parquet file.
        time: The column of times.
        arm: The column of the arms shown.
        reward: The column of rewards.
        pool: The column of the arms on offer: ids with `separator` between them, or a list.  None:
            every arm of the log was on offer all the time.
        separator: What separates the ids of a pool.
        propensity: The column of the probability with which the arm was shown.  None: uniform.
        clicks: Rewards are 0 or 1, and a row with any other is not an event.

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
        None, "The column of the arms on offer.  [default: every arm, always]"
    )
    separator: str = option("|", "The separator between the arms of a pool.")
    propensity: str | None = option(None, "The column of propensities.  [default: uniform]")
    clicks: bool = option(False, "Rewards are 0 or 1; rows with any other are skipped.")

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
        existing(self.paths)
        log.format = self.name
        roles = ("time", "arm", "reward", "pool", "propensity")
        columns = {role: name for role in roles if (name := getattr(self, role)) is not None}
        blocks = open_table(self.path, log).blocks(columns)
        all_arms = ids.open_pool() if self.pool is None else -1
        indices: dict[tuple[str, ...], int] = {}

        def number(pool: Any, arm: str) -> tuple[int, int, int]:
            if pool is ALL_ARMS:
                return 0, ids.arm(arm), all_arms
            members = tuple(pool)
            if members not in indices:
                indices[members] = ids.pool([ids.arm(name) for name in pool])
            return 0, ids.arm(arm), indices[members]

        yield from table_batches(self.path, log, blocks, self._judge, number)
        if self.pool is None:
            ids.close_pool(all_arms, range(len(ids.arms)))
            log.notes.append("no pool column: assuming every arm was on offer all the time")
        if self.propensity is None:
            log.notes.append("no propensity column: assuming arms were shown uniformly at random")

    def _judge(self, block: RowBlock, checks: Checks) -> Judged:
        cells = block.cells
        time, arm = checks.times(cells["time"]), checks.names(cells["arm"])
        reward: NDArray[Any]
        reward, is_number = numbers(cells["reward"])
        checks.require(is_number, NO_REWARD)
        if self.clicks:
            reward = checks.clicks(reward, is_number)
        propensity = checks.propensities(cells.get("propensity"))
        pool = Coded(np.zeros(time.size, np.int64), [ALL_ARMS])
        if self.pool is not None:
            pool = pools(cells["pool"], self.separator)
            checks.require(is_present(pool), NO_POOL)
            is_offered = by_pair(pool, arm, _is_offered)[0].astype(np.bool_)
            checks.require(is_offered, NOT_OFFERED)
        return Judged(time, reward, propensity, pool, arm)


#: The pool of a table without pools: every arm of the log.
ALL_ARMS = object()


def _is_offered(pool: dict[str, None] | None, arm: str | None) -> tuple[int, int, int]:
    return int(arm in (pool or ())), 0, 0


OTHER_CAMPAIGN, OTHER_POSITION = "of another campaign", "in another position"
NO_CAMPAIGN = "there is no campaign"


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
        existing(self.paths)
        log.format = self.name
        table = open_table(self.path, log)
        chosen = {"campaign": self.campaign, "position": self.position}
        optional = [
            name
            for name in ("campaign", "position", "propensity_score")
            if name in table.names or chosen.get(name) is not None
        ]
        blocks = table.blocks({name: name for name in ("timestamp", "item_id", "click", *optional)})
        pools: dict[str, int] = {}
        arms: dict[str, set[int]] = defaultdict(set)

        def number(campaign: str, item: str) -> tuple[int, int, int]:
            if campaign not in pools:
                pools[campaign] = ids.open_pool()
            is_one_of_many = campaign and self.campaign is None
            arm = ids.arm(f"{campaign}/{item}" if is_one_of_many else item)
            arms[campaign].add(arm)
            return 0, arm, pools[campaign]

        yield from table_batches(self.path, log, blocks, self._judge, number)
        for campaign, pool in pools.items():
            ids.close_pool(pool, arms[campaign])
        if "propensity_score" not in optional:
            log.notes.append(
                "no column propensity_score: assuming items were shown uniformly at random, with "
                "probability 1 over the number of items of the campaign"
            )

    def _judge(self, block: RowBlock, checks: Checks) -> Judged:
        cells = block.cells
        campaign = Coded(np.zeros(block.lines.size, np.int64), [""])
        if "campaign" in cells:
            campaign = checks.names(cells["campaign"], NO_CAMPAIGN)
        if self.campaign is not None:
            is_wanted = np.array([name == self.campaign for name in campaign.values], np.bool_)
            checks.require(is_wanted[campaign.codes], OTHER_CAMPAIGN)
        if self.position is not None:
            position, is_number = numbers(cells["position"])
            checks.require(is_number & (position == self.position), OTHER_POSITION)
        time, item = checks.times(cells["timestamp"]), checks.names(cells["item_id"])
        click = checks.clicks(*numbers(cells["click"]))
        propensity = checks.propensities(cells.get("propensity_score"))
        return Judged(time, click, propensity, campaign, item)
