"""The tests and the page views of the Upworthy Research Archive; given, and not shipped."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from highseason import multipliers
from highseason.core.random import draw, seed_key
from highseason.multipliers import Multiplier
from highseason.studies.study import MissingDataError
from highseason.studies.upworthy.cards import Decks, decks
from highseason.studies.upworthy.settings import FEWEST_ARMS
from highseason.tabular import Column, FileTable, read_table
from highseason.tuning import derive_seed

TESTS, VIEWS = "upworthy_ab_packages.csv.gz", "upworthy_daily_pageviews.csv"
WHERE = (
    "the Upworthy Research Archive (https://upworthy.natematias.com, CC BY 4.0; Matias et al., "
    "Sci. Data 8:195, 2021)"
)
_IDS = ("test_id", "clickability_test_id")


@dataclass(frozen=True, eq=False)
class Data:
    """What is played.

    Attributes:
        decks: The tests with enough arms; an arm's deck has a card for each impression, and a one
            for each click.
        tests: How many tests the file holds, those with fewer arms too.
        views: The site's page views of each day.
        digest: Tells these files from others.
        too_small: The names of tests with enough arms that were left out, having too few cards.
    """

    decks: Decks
    tests: int
    views: Multiplier
    digest: str
    too_small: tuple[str, ...] = ()


def read(paths: Sequence[Path]) -> Data:
    """Read the two files, or a folder that holds them."""
    tests, views = _two_files(paths)
    table = read_table(tests)
    found = _by_test(table)
    enough = {name: arms for name, arms in found.items() if len(arms) >= FEWEST_ARMS}
    if not enough:
        raise ValueError(f"{tests} holds no test with {FEWEST_ARMS} arms or more")
    digest = hashlib.sha256(tests.read_bytes() + views.read_bytes()).hexdigest()[:16]
    return Data(
        decks(
            list(enough),
            [[cards for cards, _ in arms] for arms in enough.values()],
            [[ones for _, ones in arms] for arms in enough.values()],
        ),
        len(found),
        multipliers.read(views, name="page views"),
        digest,
    )


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
    return (first, second) if _column(first, ("clicks",)) else (second, first)


def _column(path: Path, names: tuple[str, ...]) -> Column | None:
    return next((c for c in read_table(path).columns if c.name in names), None)


def _by_test(table: FileTable) -> dict[str, list[tuple[int, int]]]:
    """Impressions and clicks of every arm, test by test, in the order of the file."""
    columns = {column.name: column for column in table.columns}
    ids = next((columns[name] for name in _IDS if name in columns), None)
    if ids is None or "impressions" not in columns or "clicks" not in columns:
        raise ValueError(
            f"{table.source} has the columns {', '.join(columns)}; wanted are test_id, impressions "
            "and clicks, a row for each arm"
        )
    cards, ones = (_counts(table, columns[name]) for name in ("impressions", "clicks"))
    wrong = np.flatnonzero((cards < 1) | (ones > cards))
    if wrong.size:
        i = int(wrong[0])
        raise ValueError(
            f"{table.where(columns['impressions'])(i)}: {int(ones[i])} clicks of {int(cards[i])} "
            "impressions; an arm needs at least one impression, and no more clicks than those"
        )
    found: dict[str, list[tuple[int, int]]] = {}
    for name, card, one in zip(ids.cells, cards.tolist(), ones.tolist(), strict=True):
        found.setdefault(str(name), []).append((card, one))
    return found


def _counts(table: FileTable, column: Column) -> NDArray[np.int64]:
    values = column.numbers
    wrong = np.flatnonzero(~((values >= 0) & (values == np.floor(values))))
    if wrong.size:
        i = int(wrong[0])
        raise ValueError(f"{table.where(column)(i)}: {column.text(i)!r} is not a count")
    return values.astype(np.int64)


def halves(count: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A random half to tune on, and the other half to report.

    >>> tuning, reporting = halves(9, seed=1)
    >>> sorted([*tuning.tolist(), *reporting.tolist()]) == list(range(9))
    True
    """
    order = shuffled(count, seed, "halves")
    return order[: count // 2], order[count // 2 :]


def shuffled(count: int, seed: int, use: str) -> NDArray[np.int64]:
    """The numbers from 0 in a random order; each use of a seed has an order of its own."""
    key = np.uint64(seed_key(derive_seed(seed, use)))
    lots = np.asarray(draw(key, np.arange(count, dtype=np.uint64)))
    return np.argsort(lots, kind="stable").astype(np.int64)
