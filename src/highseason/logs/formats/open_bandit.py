"""Tables of the Open Bandit Dataset: a fashion shop's recommendations in three positions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from highseason.logs.cells import numbers
from highseason.logs.conversion import EventBatch, LogFormat, existing
from highseason.logs.conversion_log import ConversionLog
from highseason.logs.formats.table import Checks, Judged, table_batches
from highseason.logs.id_index import Coded, IdIndex
from highseason.logs.table_rows import RowBlock, open_table

OTHER_CAMPAIGN, OTHER_POSITION = "of another campaign", "in another position"
NO_CAMPAIGN = "there is no campaign"


@dataclass(frozen=True)
class OpenBanditLog(LogFormat):
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

    path: Path
    campaign: str | None = field(
        default=None,
        metadata={"help": "Only this campaign: all, men or women.", "metavar": "NAME"},
    )
    position: int | None = field(default=None, metadata={"help": "Only this position, 1 to 3."})

    expected = "the columns timestamp, item_id and click (0 or 1), as in the Open Bandit Dataset"

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))

    @property
    def paths(self) -> tuple[Path, ...]:  # type: ignore[override]  # a table is one file
        """Its one file."""
        return (self.path,)

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
        click = checks.clicks(cells["click"])
        propensity = checks.propensities(cells.get("propensity_score"))
        return Judged(time, click, propensity, campaign, item)
