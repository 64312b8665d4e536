from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import highseason as hs
from highseason.traffic import FileNote, Multiplier, MultiplierError, read

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str, name: str = "shop.csv", encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        raw = text.encode(encoding)
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return path

    return write


def days(multiplier: Multiplier) -> list[str]:
    assert multiplier.calendar is not None
    return [str(day) for day in multiplier.calendar.astype("datetime64[D]")]


# what can be read


@pytest.mark.parametrize(
    "text",
    [
        "day,visitors\n2013-12-25,10\n2013-12-26,60\n",
        "day;visitors\r\n2013-12-25;10\r\n2013-12-26;60\r\n",
        "day\tvisitors\n2013-12-25\t10\n2013-12-26\t60",
        "2013-12-25,10\n2013-12-26,60\n",
        '"day","visitors"\n"2013-12-25","10"\n"2013-12-26"," 60 "\n\n\n',
        "\n\nvisitors, Day \n10,2013-12-25\n\n60,2013-12-26\n,\n",
        "when it was,how many\n2013-12-25,1e1\n2013-12-26,60.0\n",
        "note,day,visitors\n,2013-12-25,10\n?,2013-12-26,60\n",
        "weather,day,pageviews,rain\n9,2013-12-25,10,3\n2,2013-12-26,60,4\n",
        "t,day,G,other\n1,2013-12-25,10,x\n2,2013-12-26,60,y\n",
        ",date,y\n0,2013-12-25,10\n1,2013-12-26,60\n",
        "date,day,visitors\n2013-12-25,Wed,10\n2013-12-26,Thu,60\n",
        "date,hour,visitors\n2013-12-25,9,10\n2013-12-26,9,60\n",
        "timestamp,visitors\n1387929600,10\n1388016000.0,60\n",
        "day,visitors\r\r2013-12-25,10\r2013-12-26,60\r,,,\r",
        "time,visitors\n2013-12-25T00:00:00+01:00,10\n2013-12-26 00:00+0100,60\n",
    ],
)
@pytest.mark.parametrize("name", ["shop.csv", "shop.CSV", "shop.csv.gz", "shop.tsv"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.filterwarnings("ignore:.*'pageviews', not 'weather'")
def test_tables_with_times(text: str, name: str, encoding: str, write: Write) -> None:
    multiplier = read(write(text, name, encoding))
    assert multiplier.values.tolist() == [10.0, 60.0]
    assert days(multiplier) == ["2013-12-25", "2013-12-26"]
    assert multiplier.name == "shop"


@pytest.mark.parametrize(
    "text",
    [
        "10\n60\n30",
        "visitors\n10\n60\n30\n",
        "day\n10\n60\n30\n",
        "day,visitors\n1,10\n2,60\n3,30\n",
        "turn,G\n1,10\n2,60\n3,30\n",
        "0,10\n1,60\n2,30\n",
        "shop,visitors\nLeeds,10\nLeeds,60\nLeeds,30\n",
    ],
)
def test_tables_without_times(text: str, write: Write) -> None:
    multiplier = read(write(text))
    assert multiplier.values.tolist() == [10.0, 60.0, 30.0]
    assert multiplier.calendar is None


def test_columns_can_be_named(write: Write) -> None:
    path = write("date,opened,a,b\n2013-12-25,2014-12-25,1,2\n2013-12-26,2014-12-26,3,4\n")
    assert read(path, value="b").values.tolist() == [2.0, 4.0]
    assert read(path, value="b").name == "b"
    assert read(path, value="b", name="B Street").name == "B Street"
    assert days(read(path, time="opened", value="a")) == ["2014-12-25", "2014-12-26"]


def test_unix_seconds_in_a_named_column(write: Write) -> None:
    path = write("created,visitors\n1387929600.5,10\n1388016000,60\n")
    multiplier = read(path, time="created", value="visitors")
    assert multiplier.turn_of("2013-12-25 00:00:00.5") == 1
    assert days(multiplier) == ["2013-12-25", "2013-12-26"]
    with pytest.raises(MultiplierError, match="has no calendar"):
        read(path, value="visitors").at("2013-12-25")  # not by itself: it is only a number


def test_headerless_columns_can_be_named(write: Write) -> None:
    path = write("5,10,2013-12-25\n9,60,2013-12-26\n")
    with pytest.raises(MultiplierError, match="column 1, column 2; choose one"):
        read(path)
    assert read(path, value="column 2").values.tolist() == [10.0, 60.0]


def test_floor_is_for_closed_hours(write: Write) -> None:
    path = write("day,visitors\n2013-12-25,0\n2013-12-26,60\n2013-12-27,0.2\n")
    assert read(path, floor=0.5).values.tolist() == [0.5, 60.0, 0.5]
    with pytest.raises(MultiplierError, match="line 3, column 'visitors': '-2' cannot be used"):
        read(write("day,visitors\n2013-12-25,0\n2013-12-27,-2\n"), floor=0.5)


def test_a_path_may_be_text(write: Write) -> None:
    assert read(str(write("1\n2\n"))).turns == 2


ROWS = st.lists(st.tuples(st.integers(1, 10**6), st.floats(1e-300, 1e300)), min_size=1, max_size=20)


# A row 105 seconds after rows that are 60 apart: the note on the missing one changes nothing.
@pytest.mark.filterwarnings("ignore:.* missing and no turn:highseason.traffic.FileNote")
@settings(deadline=None, max_examples=40)
@given(rows=ROWS, mark=st.sampled_from(",;\t"), headed=st.booleans())
@example(rows=[(1, 1.0), (60, 1.0), (105, 1.0)], mark=",", headed=False)
def test_what_is_written_is_read_back(
    rows: list[tuple[int, float]], mark: str, headed: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    steps, values = zip(*rows, strict=True)
    calendar = np.datetime64("2013-12-25T00:00:00") + np.cumsum(steps).astype("timedelta64[s]")
    lines = [f"{when}{mark}{value!r}" for when, value in zip(calendar, values, strict=True)]
    path = tmp_path_factory.mktemp("csv") / "shop.csv"
    path.write_text("\n".join([f"time{mark}value"] * headed + lines))
    assert read(path) == Multiplier(np.array(values), calendar)


# cells that cannot be used

BAD_CELLS = [
    ("", "the cell is empty: fill the gap, or drop the row"),
    ("nan", "'nan' cannot be used: fill the gap"),
    ("NaN", "'NaN' cannot be used: fill the gap"),
    ("closed", "'closed' is not a number: write it like the others, or plainly"),
    ("12 34", "'12 34' is not a number"),
    ("0", "'0' cannot be used: a multiplier must be > 0; for closed hours pass floor="),
    ("-3", "'-3' cannot be used: a multiplier must be > 0, and a floor does not change"),
    ("inf", "'inf' cannot be used: a multiplier must be finite"),
]


@pytest.mark.parametrize(("cell", "message"), BAD_CELLS)
def test_a_bad_value_is_named_with_file_line_and_column(
    cell: str, message: str, write: Write
) -> None:
    path = write(f"day,visitors\n2013-12-24,7\n\n2013-12-25,{cell}\n2013-12-26,60\n2013-12-27,5\n")
    place = r"shop\.csv, line 4, column 'visitors': "
    with pytest.raises(MultiplierError, match=place + message):
        read(path)


@pytest.mark.parametrize(("cell", "message"), BAD_CELLS[:5])
def test_the_floor_invents_nothing(cell: str, message: str, write: Write) -> None:
    with pytest.raises(MultiplierError, match=message):
        read(write(f"day,visitors\n2013-12-24,7\n2013-12-25,{cell}\n2013-12-26,1\n"), floor=1)


def test_a_list_that_begins_with_a_gap(write: Write) -> None:
    with pytest.raises(MultiplierError, match=r"line 1, column 'column 1': 'nan' cannot be used"):
        read(write("nan\n10\n60\n"))


def test_a_blank_line_in_a_list_is_a_missing_turn(write: Write) -> None:
    with pytest.raises(MultiplierError, match=r"line 2, column 'column 1': the cell is empty"):
        read(write("10\n\n60\n"))


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("", "line 4, column 'day': the time is missing: fill it in or drop the row"),
        ("26/12/2013", "line 4, column 'day': '26/12/2013' is not a time: write dates such as"),
        ("2013-02-30", "line 4, column 'day': '2013-02-30' is not a time"),
        ("2013-12-25", "line 4, column 'day' repeats the time 2013-12-25 of the row before"),
        ("2013-12-23", "line 4, column 'day' is at 2013-12-23, before 2013-12-25 in the row above"),
        (
            "2013-12-26 00:00Z",
            "line 4, column 'day' has a time zone and the rows before",
        ),
    ],
)
def test_a_bad_time_is_named(cell: str, message: str, write: Write) -> None:
    path = write(f"day,visitors\n2013-12-24,7\n2013-12-25,1\n{cell},60\n2013-12-27,5\n")
    with pytest.raises(MultiplierError, match=message):
        read(path)


def test_a_time_without_a_zone_among_others(write: Write) -> None:
    path = write("time,y\n2013-12-24 00:00Z,7\n2013-12-25 00:00,1\n")
    with pytest.raises(MultiplierError, match=r"line 3, column 'time' has no time zone and .* one"):
        read(path)


# columns that cannot be chosen


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "day,north,south\n2013-12-25,1,2\n",
            {},
            "could be the value column: north, south; choose one, such as value='north'",
        ),
        (
            "day,orders,views,other\n2013-12-25,1,2,3\n",
            {},
            "could be the value column: orders, views; choose one",
        ),
        (
            "date,time,y\n2013-12-25,2013-12-25,2\n",
            {},
            "could be the time column: date, time; choose one, such as time='date'",
        ),
        (
            "day,visitors\n2013-12-25,1\n",
            {"value": "visitor"},
            r"no column 'visitor' for value=\. Did you mean 'visitors'\?",
        ),
        (
            "day,visitors\n2013-12-25,1\n",
            {"time": "zzz"},
            r"no column 'zzz' for time=\. Choose from: day, visitors",
        ),
        ("a,a,b\n1,2,3\n", {"value": "a"}, "2 columns called 'a': rename all but one"),
        (
            "day,visitors\n2013-12-25,1\n",
            {"time": "visitors", "value": "visitors"},
            "column 'visitors' cannot be time and value",
        ),
        (
            "day,visitors\n2013-12-25,1\n",
            {"time": "visitors"},
            "no column of numbers|'1' is not a time",
        ),
        ("day,visitors\n25/25/2013,1\n", {}, "line 2, column 'day': '25/25/2013' is not a time"),
        ("day,visitors\nMon,1\nTue,2\n", {}, "rename the column if it holds no times"),
        ("day,visitors\n2013,1\n2014,2\n", {}, "'2013' is not a time"),
        ("day,hour\n2013-12-25,7\n", {}, "no column of numbers besides its times: day, hour"),
        ("shop,town\nours,Leeds\n", {}, "no column of numbers besides its times: shop, town"),
        ("day\n2013-12-25\n", {}, "line 2, column 'day': '2013-12-25' is not a number"),
    ],
)
def test_the_choice_is_put_to_the_user(
    text: str, options: dict[str, str], message: str, write: Write
) -> None:
    with pytest.raises(MultiplierError, match=message):
        read(write(text), **options)  # type: ignore[arg-type]


# files that cannot be read


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", "shop.csv", r"shop\.csv is empty"),
        ("\n \n", "shop.csv", r"shop\.csv is empty"),
        ("", "shop.csv.gz", r"shop\.csv\.gz is empty"),
        ("day,visitors\n", "shop.csv", r"shop\.csv holds no data: at least one row"),
        ("a,b\n1,2\n1,2,3\n", "shop.csv", "line 3: 3 cells where the first row has 2"),
        ("a,b\n1,2\n1\n", "shop.csv", "line 3: 1 cells where the first row has 2"),
        (f'y\n"{"9" * 200_000}"\n', "shop.csv", "is not a CSV file: field larger than"),
        ("9" * 200_000, "shop.csv", "is not a CSV file: field larger than"),
        ('a,b\n1,"2\n3,4\n', "shop.csv", "is not a CSV file|line 2: "),
        ("1\n", "shop.xlsx", r"shop\.xlsx is not an Excel file"),
        ("1\n", "shop.ods", r"cannot tell from its name what .*shop\.ods holds: it must end in"),
        ("1\n", "shop", r"must end in \.csv, .*\.xlsx, \.parquet"),
    ],
)
def test_odd_files(text: str, name: str, message: str, write: Write) -> None:
    with pytest.raises(MultiplierError, match=message):
        read(write(text, name))


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(MultiplierError, match=r"cannot read .*none\.csv: No such file"):
        read(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(MultiplierError, match=r"cannot read .*folder\.csv"):
        read(tmp_path / "folder.csv")


@pytest.mark.parametrize("damage", [lambda raw: raw[:-9], lambda raw: b"plain text"])
def test_damaged_gzip(damage: Any, write: Write) -> None:
    path = write("day,visitors\n2013-12-25,7\n", "shop.csv.gz")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(MultiplierError, match=r"cannot (unpack|read) .*shop\.csv\.gz"):
        read(path)


def test_cells_over_several_lines_do_not_mislead_the_count(write: Write) -> None:
    path = write('day,note,visitors\n2013-12-25,"two\nlines",7\n2013-12-26,x,0\n')
    with pytest.raises(MultiplierError, match="line 4, column 'visitors': '0'"):
        read(path)


@pytest.mark.parametrize(("written", "year"), [("68", 2068), ("69", 1969), ("00", 2000)])
def test_years_of_two_digits_are_those_from_1969_to_2068(
    written: str, year: int, tmp_path: Path
) -> None:
    path = tmp_path / "old.csv"
    path.write_text(f"day;visitors\n30.12.{written};5\n31.12.{written};6\n")
    with pytest.warns(FileNote, match=f"is read as {year}-12-30"):
        G = hs.traffic.read(path)
    assert days(G) == [f"{year}-12-30", f"{year}-12-31"]


def test_months_without_a_day_begin_on_their_first(tmp_path: Path) -> None:
    path = tmp_path / "months.csv"
    path.write_text("month,visitors\n202401,5\n202402,6\n202403,7\n")
    with pytest.warns(FileNote, match="'202401' is read as 2024-01-01"):
        G = hs.traffic.read(path)
    assert days(G) == ["2024-01-01", "2024-02-01", "2024-03-01"]


def test_two_rows_may_run_from_the_newest_to_the_oldest(tmp_path: Path) -> None:
    path = tmp_path / "newest.csv"
    path.write_text("day,visitors\n2024-01-02,6\n2024-01-01,5\n")
    with pytest.warns(FileNote, match="run from the newest to the oldest"):
        assert hs.traffic.read(path).values.tolist() == [5.0, 6.0]
