"""Tables of reports, expectations, waiting rewards, files, and the type of arms."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import highseason as hs
from highseason.bandit import (
    BanditError,
    DocumentError,
    JsonLinesStore,
    WaitingWarning,
)

ROWS: dict[str, list[Any]] = {
    "arm": ["a", "b", "a"],
    "reward": [20.0, 12.0, 9.0],
    "t": [1, 2, 3],
    "visitors": [4, 3, 2],
}


class Capsule:
    """A table that offers nothing but Arrow's interface."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(schema)


KINDS = [pd.DataFrame, pl.DataFrame, pa.table, lambda rows: Capsule(pa.table(rows))]


def shop(**options: Any) -> hs.Bandit[str]:
    bandit = hs.Bandit(["a", "b"], hs.Greedy(), [5.0] * 9, **options)
    for t, arm in enumerate(ROWS["arm"], start=1):
        bandit.pull(t, available=[arm])
    return bandit


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["t", "turn"])
def test_tables_are_rows(kind: Any, name: str) -> None:
    rows = {name if key == "t" else key: value for key, value in ROWS.items()}
    bandit, plain = shop(), shop()
    bandit.update_many(kind(rows))
    plain.update_many(list(zip(*ROWS.values(), strict=True)))
    assert bandit.decisions() == plain.decisions()
    assert bandit.expectations() == plain.expectations() == {"a": pytest.approx(29 / 6), "b": 4.0}


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_missing_cells_are_none(missing: Any) -> None:
    bandit = shop()
    frame = pd.DataFrame({"arm": ["b", "a"], "reward": [1.0, 2.0], "t": [2, missing]})
    frame["visitors"] = pd.Series([3.0, missing], dtype=object)
    with pytest.warns(WaitingWarning):
        bandit.update_many(frame)
    assert [made.turn for made in bandit.pending] == [3]
    assert bandit.decision(2).visitors == 3.0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"arm": ["a"], "reward": [1.0], "visitor": [1]}, "Did you mean 'visitors'"),
        (
            {"arm": ["a"], "reward": [1.0], "traffic": [1]},
            "no column 'traffic'. Call it `visitors`",
        ),
        ({"arm": ["a"], "t": [1]}, "needs the column 'reward'"),
        ({"arm": ["a"], "reward": [1.0], "t": [1], "turn": [1]}, "the same column"),
        ({"arm": ["a"], "reward": [None], "t": [1]}, "row 1: reward must be a finite number"),
        ({"arm": ["x"], "reward": [1.0], "t": [1]}, "row 1: there is no arm 'x'"),
    ],
)
def test_what_a_table_must_be(rows: Any, message: str) -> None:
    bandit = shop()
    with pytest.raises(BanditError, match=message):
        bandit.update_many(pd.DataFrame(rows))
    assert len(bandit.unrewarded) == 3


# expectations


def test_expectations() -> None:
    bandit = shop()
    assert bandit.expectations() == {"a": None, "b": None}
    bandit.update("b", 12.0, t=2, visitors=3)
    assert list(bandit.expectations().items()) == [("a", None), ("b", 4.0)]
    assert {row.arm: row.estimate for row in bandit.ranking()} == bandit.expectations()


def test_a_ranking_is_a_table() -> None:
    bandit = shop()
    bandit.update("b", 12.0, t=2, visitors=3)
    table = pd.DataFrame(bandit.ranking())
    assert table["arm"].tolist() == ["b", "a"]
    assert table[["estimate", "pulls"]].values.tolist()[0] == [4.0, 1]
    assert table["estimate"].isna().tolist() == [False, True]


# rewards that wait


def test_waiting_rewards_are_counted_and_warned_of() -> None:
    bandit = hs.Bandit(["a"], hs.Greedy(), [5.0] * 30)
    seen = []
    for t in range(1, 13):
        bandit.pull(t)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            bandit.update("a", 1.0, t=t)
        seen += [(t, str(warning.message)) for warning in caught]
    assert [t for t, _ in seen] == [1, 10]
    assert seen[1][1].startswith("rewards that wait for the number of visitors: 10;")
    assert bandit.waiting == len(bandit.pending) == 12
    assert "12 rewards wait for visitors" in repr(bandit)
    for twin in (hs.Bandit.from_json(bandit.to_json()), hs.Bandit.from_events(bandit.store)):
        assert twin.waiting == 12
    for t in range(1, 13):
        bandit.count_visitors(t, 2.0)
    assert (bandit.waiting, bandit.pending, bandit.expectations()) == (0, [], {"a": 0.5})
    assert "wait" not in repr(bandit)


def test_no_warning_where_visitors_is_known() -> None:
    bandit = shop(known=True)
    bandit.update("a", 1.0, t=1)
    shop().update("a", 1.0, t=1, visitors=3)
    assert bandit.waiting == 0


# files


def test_save_and_load(tmp_path: Path) -> None:
    bandit = shop()
    path = tmp_path / "shelf.json"
    for _ in range(2):  # an existing file is replaced
        bandit.save(path)
    twin: hs.Bandit[str] = hs.Bandit.load(
        str(path), store=JsonLinesStore(tmp_path / "events.jsonl")
    )
    assert twin.to_json() == bandit.to_json()
    path.write_text("{")
    with pytest.raises(DocumentError, match=r"shelf\.json: not a JSON document"):
        hs.Bandit.load(path)
    with pytest.raises(FileNotFoundError):
        hs.Bandit.load(tmp_path / "none.json")


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "shelf.json"
    shop().save(path)
    before = path.read_text()
    with pytest.raises(BanditError, match="cannot be written as JSON"):
        hs.Bandit([frozenset("x")], hs.Greedy(), [5.0]).save(path)
    assert path.read_text() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["shelf.json"]


if TYPE_CHECKING:
    from typing import assert_type

    assert_type(hs.Bandit([1, 2], "greedy", [5.0]).pull(), int)
    assert_type(hs.Bandit[str].load("shelf.json").pull(), str)
    assert_type(shop().expectations(), dict[str, float | None])


def test_decisions_are_a_table() -> None:
    shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 6, 7])
    empty = shelf.to_pandas()
    shelf.update(shelf.pull(), 2.0, visitors=5)
    shelf.pull()
    table = shelf.to_pandas()
    assert list(table) == list(empty)
    assert table[["turn", "arm", "reward"]].fillna(0).values.tolist() == [[1, "a", 2], [2, "b", 0]]
