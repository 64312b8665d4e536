"""Files as tables: typed columns, exact lines, and times that pandas alone would misread."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from highseason.traffic.columns import FileTable, Layout
from highseason.traffic.dates import TableError, parse_times
from highseason.traffic.files import read_table


@pytest.fixture
def shop(tmp_path: Path) -> FileTable:
    path = tmp_path / "shop.csv"
    path.write_text('\nday;note;visitors\n\n2013-12-25;"two\nlines"; 7\n2013-12-26;x;closed\n;;\n')
    return read_table(path)


def test_columns_are_typed(shop: FileTable) -> None:
    day, note, visitors = shop.columns
    assert [column.name for column in shop.columns] == ["day", "note", "visitors"]
    assert day.time_reading.stamps.instants.astype("datetime64[D]").astype(str).tolist() == [
        "2013-12-25",
        "2013-12-26",
    ]
    assert note.text(0) == "two\nlines"
    np.testing.assert_array_equal(visitors.numbers, [7.0, np.nan])
    assert day.share_of_dates == 1
    assert shop.find_time() is day


def test_lines_are_those_of_the_file(shop: FileTable) -> None:
    where = shop.where(shop.column("visitors", "value"))
    assert where(0).endswith("shop.csv, line 5, column 'visitors'")
    assert where(1).endswith("line 6, column 'visitors'")


def test_an_unknown_column_is_a_table_error(shop: FileTable) -> None:
    with pytest.raises(TableError, match=r"no column 'visitor' for value=\. Did you mean"):
        shop.column("visitor", "value")


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    path = tmp_path / "shop.parquet"
    days = pd.date_range("2024-03-30", periods=2, tz="Europe/Rome")
    pd.DataFrame({"day": days, "town": ["Leeds", None]}).to_parquet(path)
    day, town = read_table(path).columns
    assert day.time_reading.stamps.zones.tolist() == ["Europe/Rome"] * 2
    assert day.time_reading.stamps.instants.astype(str)[0].startswith("2024-03-29T23:00")
    assert [town.text(0), town.text(1)] == ["Leeds", ""]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("a,b;c,d", ["a", "b;c", "d"]),
        ("a;b", ["a", "b"]),
        ("a\tb", ["a", "b"]),
        ('"a,b,c";d', ["a,b,c", "d"]),
        ("visitors", ["visitors"]),
    ],
)
def test_the_first_line_gives_the_delimiter(line: str, names: list[str], tmp_path: Path) -> None:
    mark = "," if line.startswith("a,") else "\t" if "\t" in line else ";"
    path = tmp_path / "shop.csv"
    path.write_text(f"\n{line}\n{mark.join('1' * len(names))}\n")
    assert [column.name for column in read_table(path).columns] == names


def test_an_open_quote_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "shop.csv"
    path.write_text('day,visitors\n2013-12-25,7\n2013-12-26,"8\n2013-12-27,9\n')
    with pytest.raises(TableError, match="a quote is opened and never closed"):
        read_table(path)


@pytest.mark.parametrize(
    "text", ["now", "today", "2013", "2013-1-02", "20131226", "2013-02-30", "2013-12-26 1:00", ""]
)
def test_only_iso_times_are_times(text: str) -> None:
    assert np.isnat(parse_times(["2013-12-26", text]).instants).tolist() == [False, True]


def test_zones_of_a_column() -> None:
    cells = ["2013-12-26 12:00+01:00", "2013-12-26T12:00Z", "2013-12-26 12 UTC", "2013-12-26"]
    stamps = parse_times(cells)
    assert stamps.zones.tolist() == ["+01:00", "UTC", "UTC", None]
    assert stamps.instants.astype("datetime64[h]").astype(str).tolist() == [
        "2013-12-26T11",
        "2013-12-26T12",
        "2013-12-26T12",
        "2013-12-26T00",
    ]


@pytest.mark.parametrize(
    ("row", "following", "index", "is_title"),
    [
        (["Shop 12", ""], ["day", "visitors"], 0, True),
        (["Shop 12", ""], ["2025-01-30", "10"], 0, False),  # a header of which one name is missing
        (["Shop 12"], ["day", "visitors"], 0, True),
        (["Shop 12"], ["2025-01-30", "10"], 0, True),  # too short for a header
        (["12", ""], ["day", "visitors"], 0, False),
        (["", "Shop 12"], ["day", "visitors"], 0, False),
        (["", ""], ["day", "visitors"], 0, False),
        (["", ""], ["day", "visitors"], 1, True),  # below a title
        (["day", "visitors"], ["a", "b"], 0, False),
    ],
)
def test_titles_above_a_table(
    row: list[str], following: list[str], index: int, is_title: bool
) -> None:
    assert Layout("shop.csv", "line", width=2)._is_title(row, following, index) == is_title


def test_a_single_column_has_no_titles() -> None:
    layout = Layout("shop.csv", "line", width=1)
    assert not layout._is_title(["visitors"], ["of shop 12"], 0)
    assert not layout._is_title(["visitors"], ["10"], 0)
