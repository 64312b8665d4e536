from __future__ import annotations

import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from highseason.traffic import MultiplierError, Timeline, as_multiplier, from_series, read
from highseason.traffic.files import table_of

DAYS = ["2013-12-25", "2013-12-26"]


# pandas


@pytest.mark.parametrize(
    "index",
    [
        pd.DatetimeIndex(DAYS),
        pd.DatetimeIndex(DAYS).as_unit("ns"),
        pd.DatetimeIndex(DAYS).tz_localize("UTC"),
        pd.DatetimeIndex(DAYS).tz_localize("America/New_York"),
        pd.PeriodIndex(DAYS, freq="D"),
    ],
    ids=lambda index: str(index.dtype),
)
def test_the_index_is_the_calendar(index: Any) -> None:
    multiplier = from_series(pd.Series([10, 60], index=index, name="visitors"))
    assert multiplier.name == "visitors"
    assert multiplier.calendar is not None
    assert multiplier.calendar.astype(str).tolist() == DAYS


@pytest.mark.parametrize("index", [None, ["a", "b"], [7, 3]])
def test_another_index_is_no_calendar(index: Any) -> None:
    multiplier = from_series(pd.Series([10, 60], index=index))
    assert multiplier.calendar is None
    assert multiplier.name == "series"


@pytest.mark.parametrize("dtype", ["int8", "float32", "Int64", "Float64", "object"])
def test_series_of_any_kind_of_number(dtype: str) -> None:
    assert from_series(pd.Series([10, 60], dtype=dtype)).values.tolist() == [10.0, 60.0]
    assert from_series(pd.Series([0, 60], dtype=dtype), floor=1).values.tolist() == [1.0, 60.0]


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (pd.Series([1, None]), "turn 2 is nan"),
        (pd.Series([1, pd.NA], dtype="Int64"), "turn 2 is nan"),
        (pd.Series([1, 0], index=pd.DatetimeIndex(DAYS)), r"turn 2 \(2013-12-26\) is 0"),
        (pd.Series(["1", "many"]), "turn 2 is 'many', which is not a number"),
        (pd.Series([1, 2], index=pd.DatetimeIndex(DAYS[::-1])), "calendar row 2 is at 2013-12-25"),
        (pd.Series([1, 2], index=pd.DatetimeIndex([DAYS[0]] * 2)), "calendar row 2 repeats"),
        (pd.Series([1, 2], index=pd.DatetimeIndex([DAYS[0], None])), "calendar row 2 has no time"),
    ],
)
def test_bad_series(series: Any, message: str) -> None:
    with pytest.raises(MultiplierError, match=message):
        from_series(series)


def test_a_series_and_a_table_of_one_are_recognised() -> None:
    series = pd.Series([10, 60], index=pd.DatetimeIndex(DAYS), name="visitors")
    assert as_multiplier(series) == from_series(series)
    assert as_multiplier(series).name == "visitors"
    assert as_multiplier(series.to_frame()) == from_series(series)


def test_our_part_of_the_library_imports_no_files() -> None:
    code = (
        "import sys, highseason.traffic as m; m.as_multiplier([1, 2]);"
        "sys.exit(bool({'pandas', 'pyarrow'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Parquet


def parquet(folder: Path, index: bool = False, **columns: Any) -> Path:
    path = folder / "shop.parquet"
    pd.DataFrame(columns).to_parquet(path, index=index)
    return path


@pytest.mark.parametrize(
    "times",
    [
        DAYS,
        pd.to_datetime(DAYS),
        pd.to_datetime(DAYS).as_unit("ns"),
        pd.to_datetime(DAYS).tz_localize("Europe/Paris"),
        [date(2013, 12, 25), date(2013, 12, 26)],
        pd.Categorical(DAYS),
        [1387929600, 1388016000],
    ],
    ids=lambda times: str(getattr(times, "dtype", type(times[0]).__name__)),
)
def test_parquet_times(times: Any, tmp_path: Path) -> None:
    multiplier = read(parquet(tmp_path, date=times, visitors=[10, 60], town=["a", "b"]))
    assert multiplier.values.tolist() == [10.0, 60.0]
    assert multiplier.calendar is not None
    assert multiplier.calendar.astype(str).tolist() == DAYS


@pytest.mark.parametrize(
    "values", [[10.5, 60], np.array([10.5, 60], dtype="f4"), [Decimal("10.5"), Decimal(60)]]
)
def test_parquet_values(values: Any, tmp_path: Path) -> None:
    multiplier = read(parquet(tmp_path, y=values))
    assert multiplier.values.tolist() == [10.5, 60.0]
    assert multiplier.calendar is None


def test_parquet_columns_that_are_not_numbers(tmp_path: Path) -> None:
    path = parquet(tmp_path, date=DAYS, open=[True, False], tags=[[1], [2, 3]], sales=[10, 60])
    assert read(path).values.tolist() == [10.0, 60.0]


def test_the_index_that_pandas_writes(tmp_path: Path) -> None:
    path = tmp_path / "shop.parquet"
    pd.DataFrame({"visitors": [10, 60]}, index=pd.to_datetime(DAYS)).to_parquet(path)
    assert read(path).turn_of("2013-12-26") == 2
    pd.DataFrame({"visitors": [10, 60]}, index=[0, 1]).to_parquet(path)
    assert read(path).values.tolist() == [10.0, 60.0]


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"a": [1, 2], "b": [1, 2]}, {}, "could be the value column: a, b; choose"),
        ({"a": [1, 2]}, {"value": "c"}, "no column 'c' for value="),
        ({"y": [1.0, None]}, {}, r"shop\.parquet, row 2, column 'y': .*(nan|empty)"),
        ({"y": [1, 0]}, {}, r"row 2, column 'y': '0' cannot be used: a multiplier must be > 0"),
        ({"y": ["1", "many"]}, {}, "row 2, column 'y': 'many' is not a number"),
        ({"y": ["1", None]}, {}, "row 2, column 'y': the cell is empty"),
        ({"date": pd.to_datetime(DAYS)}, {}, "'2013-12-25.*' is not a number"),
        (
            {"date": DAYS[:1] * 2, "y": [1, 2]},
            {},
            "row 2, column 'date' repeats the time 2013-12-25",
        ),
        (
            {"date": pd.to_datetime([*DAYS, None]), "y": [1, 2, 4]},
            {},
            "row 3, column 'date': the time is missing",
        ),
        ({"date": [*DAYS, None], "y": [1, 2, 4]}, {}, "row 3, column 'date': the time is missing"),
        ({"y": []}, {}, "holds no data"),
    ],
)
def test_bad_parquet(
    columns: dict[str, Any], options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(MultiplierError, match=message):
        read(parquet(tmp_path, **columns), **options)


def test_no_parquet_at_all(tmp_path: Path) -> None:
    with pytest.raises(MultiplierError, match=r"cannot read .*none\.parquet: No such file"):
        read(tmp_path / "none.parquet")
    (tmp_path / "text.parquet").write_text("day,visitors\n")
    with pytest.raises(MultiplierError, match=r"text\.parquet is not a Parquet file"):
        read(tmp_path / "text.parquet")


def test_without_pyarrow_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = parquet(tmp_path, y=[1, 2])
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"highseason\[files\]"):
        read(path)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"visitors": [10, 60]}, index=pd.DatetimeIndex(DAYS)),
        pd.DataFrame({"visitors": [10, 60]}, index=pd.PeriodIndex(DAYS, freq="D")),
        pd.DataFrame({"date": DAYS, "visitors": [10, 60]}),
        pd.DataFrame({"when": pd.to_datetime(DAYS[::-1]), "visitors": [60, 10]}),
        pd.DataFrame({"day": DAYS, "campaign": ["a", "b"], "visitors": [10, 60]}),
    ],
    ids=["index", "periods", "column", "newest first", "words"],
)
@pytest.mark.filterwarnings("ignore::highseason.traffic.FileNote")
def test_a_table_is_read_as_its_file_would_be(frame: pd.DataFrame) -> None:
    before = frame.copy()
    for G in (as_multiplier(frame), read(frame)):
        assert G.name == "visitors"
        assert G.values.tolist() == [10, 60]
        assert G.calendar is not None
        assert G.calendar.astype(str).tolist() == DAYS
    pd.testing.assert_frame_equal(frame, before)


def test_a_polars_table_is_read_too() -> None:
    import polars as pl

    assert as_multiplier(pl.DataFrame({"day": DAYS, "y": [10, 60]})).at("2013-12-26") == 60


def test_a_table_with_several_values_asks_which() -> None:
    frame = pd.DataFrame({"a": [10, 60], "b": [1, 2]}, index=pd.DatetimeIndex(DAYS))
    with pytest.raises(MultiplierError, match=r"the table has several columns .*: a, b"):
        as_multiplier(frame)
    assert read(frame, value="b").values.tolist() == [1, 2]


def test_rows_may_share_a_time_and_come_in_any_order() -> None:
    frame = pd.DataFrame({"day": ["2026-01-02", "2026-01-01", "2026-01-02"], "n": [1.0, 2.0, 3.0]})
    table = table_of(frame, "the table")
    dated = Timeline.of_rows(table, table.columns[0])
    assert dated is not None
    assert dated[0].wall.astype(str).tolist() == ["2026-01-01", "2026-01-02"]
    assert dated[1].tolist() == [1, 0, 1]
    assert Timeline.of_rows(table, table.columns[1]) is None
