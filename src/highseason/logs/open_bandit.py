"""Tables of the Open Bandit Dataset: a fashion shop's recommendations in three positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from highseason.logs.book import Book
from highseason.logs.cells import name_in, number_in, time_in
from highseason.logs.gathering import Entry, gather
from highseason.logs.journal import Journal
from highseason.logs.rows import Row, Rows, open_rows
from highseason.logs.source import Batch, existing
from highseason.logs.tables import NO_ARM, NO_CHANCE, NO_CLICK, NO_TIME, TOO_SHORT

OTHER_CAMPAIGN, OTHER_POSITION = "of another campaign", "in another position"
NO_CAMPAIGN = "there is no campaign"


@dataclass(frozen=True)
class OpenBanditLog:
    """A table with the columns timestamp, item_id, position, click and, if known, propensity_score.

    The pool of a row is all items of its campaign.  A file of several campaigns has a column
    `campaign`; unless one of them is chosen, an arm's id is `campaign/item`, because each campaign
    counts its own items from 0.

    Args:
        path: A CSV file (also gzip) or a Parquet file.
        campaign: Only rows of this campaign.
        position: Only rows in this position, 1 to 3.
    """

    path: Path
    campaign: str | None = None
    position: int | None = None

    expected = "the columns timestamp, item_id and click (0 or 1), as in the Open Bandit Dataset"

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))

    @property
    def paths(self) -> tuple[Path, ...]:
        """Its one file."""
        return (self.path,)

    def batches(self, book: Book, journal: Journal) -> Iterator[Batch]:
        """Read all rows."""
        existing(self.paths)
        journal.format = "open-bandit"
        with open_rows(self.path, journal) as rows:
            reader = _RowReader(self, rows, book)
            yield from gather(rows, reader.read, journal, clicks=True)
        for campaign in reader.campaigns.values():
            book.close_pool(campaign.pool, campaign.arms.values())
        if not reader.knows_chances:
            journal.notes.append(
                "no column propensity_score: items are taken to be shown uniformly, with chance "
                "1 over the number of items of the campaign"
            )


@dataclass
class _Campaign:
    """The pool of a campaign, and its arms by the text of their items."""

    pool: int
    arms: dict[str, int] = field(default_factory=dict)


class _RowReader:
    """Reads one row after the other, with the places of the columns looked up once."""

    def __init__(self, log: OpenBanditLog, rows: Rows, book: Book) -> None:
        self._log, self._book = log, book
        self._time, self._item = rows.column_index("timestamp"), rows.column_index("item_id")
        self._click = rows.column_index("click")
        asked = {"campaign": log.campaign, "position": log.position}
        self._places = {
            name: rows.column_index(name)
            for name in ("campaign", "position", "propensity_score")
            if name in rows.names or asked.get(name) is not None
        }
        self._width = 1 + max(self._time, self._item, self._click, *self._places.values())
        self.campaigns: dict[str, _Campaign] = {}

    @property
    def knows_chances(self) -> bool:
        """Whether the table says how likely each item was."""
        return "propensity_score" in self._places

    def read(self, row: Row) -> Entry | str:
        """The event of a row, or why it has none."""
        if len(row.cells) < self._width:
            return TOO_SHORT
        campaign = name_in(self._cell(row, "campaign", "")) or ""
        if not campaign and "campaign" in self._places:
            return NO_CAMPAIGN
        if self._log.campaign is not None and campaign != self._log.campaign:
            return OTHER_CAMPAIGN
        place = number_in(self._cell(row, "position", None))
        if self._log.position is not None and place != self._log.position:
            return OTHER_POSITION
        time, item = time_in(row.cells[self._time]), name_in(row.cells[self._item])
        click = number_in(row.cells[self._click])
        if time is None:
            return NO_TIME
        if item is None:
            return NO_ARM
        if click not in (0, 1):
            return NO_CLICK
        chance = None
        if self.knows_chances:
            chance = number_in(self._cell(row, "propensity_score", None))
            if chance is None or not 0 < chance <= 1:
                return NO_CHANCE
        arm, pool = self._arm(campaign, item)
        return Entry(time, arm, click, pool, chance)

    def _cell(self, row: Row, name: str, otherwise: object) -> object:
        return row.cells[self._places[name]] if name in self._places else otherwise

    def _arm(self, name: str, item: str) -> tuple[int, int]:
        campaign = self.campaigns.get(name)
        if campaign is None:
            campaign = self.campaigns[name] = _Campaign(self._book.open_pool())
        arm = campaign.arms.get(item)
        if arm is None:
            is_one_of_many = name and self._log.campaign is None
            arm = self._book.arm(f"{name}/{item}" if is_one_of_many else item)
            campaign.arms[item] = arm
        return arm, campaign.pool
