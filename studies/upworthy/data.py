"""The tests and the page views of the Upworthy Research Archive; given, and not shipped."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from highseason import traffic
from highseason.traffic import Multiplier
from highseason.traffic.files import read_table
from studies.session import shuffled
from studies.study import MissingDataError
from studies.upworthy.decks import Decks, decks
from studies.upworthy.settings import FEWEST_ARMS, HeadlineSetting

TESTS, VIEWS = "upworthy_ab_packages.csv.gz", "upworthy_daily_pageviews.csv"
WHERE = (
    "the Upworthy Research Archive (https://upworthy.natematias.com, CC BY 4.0; Matias et al., "
    "Sci. Data 8:195, 2021)"
)
_IDS = ("test_id", "clickability_test_id")
#: Shares of G are sums of many numbers: rounding must not cost a test its last card.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Archive:
    """What is played: an arm's deck has a card for each impression, and a one for each click."""

    decks: Decks  # Of the tests with enough arms
    tests: int  # How many tests the file holds, including those with fewer arms
    views: Multiplier  # The site's page views per day
    digest: str  # Of the files
    too_small: tuple[str, ...] = ()  # Tests that were left out, having too few cards


def read(paths: Sequence[Path]) -> Archive:
    """Read the two files, or a folder that holds them."""
    tests, views = _two_files(paths)
    by_test = _read_tests(tests).groupby("test", sort=False)
    enough = [(name, arms) for name, arms in by_test if len(arms) >= FEWEST_ARMS]
    if not enough:
        raise ValueError(f"{tests} holds no test with {FEWEST_ARMS} arms or more")
    digest = hashlib.sha256(tests.read_bytes() + views.read_bytes()).hexdigest()[:16]
    held = decks(
        [str(name) for name, _ in enough],
        [arms.impressions.to_numpy() for _, arms in enough],
        [arms.clicks.to_numpy() for _, arms in enough],
    )
    return Archive(held, by_test.ngroups, traffic.read(views, name="page views"), digest)


def _two_files(paths: Sequence[Path]) -> tuple[Path, Path]:
    if not paths:
        raise MissingDataError(
            "the study upworthy needs data that is not shipped: give --upworthy FOLDER, a folder "
            f"with {TESTS} and {VIEWS}, or --upworthy twice for the two files, from {WHERE}"
        )
    if len(paths) == 1 and paths[0].is_dir():
        pair = [paths[0] / TESTS, paths[0] / VIEWS]
        lacking = [path.name for path in pair if not path.is_file()]
        if lacking:
            raise MissingDataError(
                f"--upworthy {paths[0]} has no {' and no '.join(lacking)}: they come from {WHERE}"
            )
        return pair[0], pair[1]
    if len(paths) != 2 or not all(path.is_file() for path in paths):
        given = ", ".join(map(str, paths))
        raise MissingDataError(
            f"--upworthy {given}: give one folder, or twice a file: the tests ({TESTS}) and the "
            f"page views ({VIEWS})"
        )
    first, second = paths
    names = {column.name for column in read_table(first).columns}
    return (first, second) if "clicks" in names else (second, first)


def _read_tests(path: Path) -> pd.DataFrame:
    """Impressions and clicks of every arm, in the order of the file."""
    table = read_table(path)
    columns = {column.name: column for column in table.columns}
    ids = next((columns[name] for name in _IDS if name in columns), None)
    if ids is None or not {"impressions", "clicks"} <= columns.keys():
        raise ValueError(
            f"{path} has the columns {', '.join(columns)}; expected test_id, impressions and "
            "clicks, a row for each arm"
        )
    frame = pd.DataFrame({"test": ids.cells.astype(str).to_numpy()})
    for name in ("impressions", "clicks"):
        column = columns[name]
        for i in np.flatnonzero(~((column.numbers >= 0) & (column.numbers % 1 == 0))).tolist():
            raise ValueError(f"{table.where(column)(i)}: {column.text(i)!r} is not a count")
        frame[name] = column.numbers.astype(np.int64)
    for row in frame[(frame.impressions < 1) | (frame.clicks > frame.impressions)].itertuples():
        raise ValueError(
            f"{table.where(columns['impressions'])(int(str(row.Index)))}: {row.clicks} clicks of "
            f"{row.impressions} impressions; an arm needs at least one impression, and no more "
            "clicks than those"
        )
    return frame


def big_enough(archive: Archive, settings: Sequence[HeadlineSetting]) -> Archive:
    """The archive without tests that lack a card for some day of some window in some setting.

    So all settings play the same tests, whichever start days a seed draws.
    """
    tests = archive.decks
    enough = np.ones(len(tests), np.bool_)
    for setting in settings:
        dealt = quietest_share(archive.views.values, setting) * cards_of(tests, setting)
        enough &= dealt >= 1 + _ROUNDING
    if enough.sum() < 2:
        raise ValueError(
            f"{int(enough.sum())} of {len(tests)} tests have cards for every day of "
            f"{max(setting.days for setting in settings)}, even the quietest, and the study needs "
            "two: give tests with more impressions, or page views without days next to none"
        )
    names = np.array(tests.names)
    played, too_small = tuple(names[enough].tolist()), tuple(names[~enough].tolist())
    chosen = Decks(played, tests.arms[enough], tests.cards[enough], tests.ones[enough])
    return replace(archive, decks=chosen, too_small=too_small)


def quietest_share(views: NDArray[np.float64], setting: HeadlineSetting) -> float:
    """What share of a game's cards the quietest day of all its windows deals."""
    if setting.even:
        return 1 / setting.days
    windows = sliding_window_view(views, setting.days)
    totals = np.maximum(windows.sum(axis=1), np.finfo(float).tiny)  # weeks without any view
    return float((windows.min(axis=1) / totals).min())


def cards_of(tests: Decks, setting: HeadlineSetting) -> NDArray[np.int64]:
    """How many cards a game of each test deals."""
    return tests.total if setting.whole else tests.smallest


def halves(count: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A random half of the tests, and the other half.

    >>> first, second = halves(9, seed=1)
    >>> sorted([*first.tolist(), *second.tolist()]) == list(range(9))
    True
    """
    order = shuffled(count, seed, "halves")
    return order[: count // 2], order[count // 2 :]
