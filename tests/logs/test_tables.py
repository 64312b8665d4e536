"""Open Bandit tables and any others: columns by name, and every bad row reported."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highseason.logs import OpenBanditLog, TableLog, collect, text_file
from highseason.logs.conversion import ConversionLog
from highseason.logs.events import IdIndex

DATA = Path(__file__).parents[2].parent / "shared" / "data"
SMALL = DATA / "open_bandit_random_small.csv.gz"

SHOP = """\
when,shown,paid,offered,chance
2026-01-01 10:00:00,tea,2.5,tea milk,0.5
1767261601,milk,0,milk tea,0.25
2026-01-01T12:00:02+02:00,tea,1,tea,1
"""
COLUMNS: dict[str, Any] = {"time": "when", "arm": "shown", "reward": "paid"}


def put(folder: Path, text: str) -> Path:
    path = folder / "shop.csv"
    path.write_text(text)
    return path


def test_columns_are_found_by_name(tmp_path: Path) -> None:
    log = TableLog(
        put(tmp_path, SHOP), **COLUMNS, pool="offered", separator=" ", propensity="chance"
    )
    events, report = collect(log)
    assert events.time.tolist() == [1767261600, 1767261601, 1767261602]
    assert [events.arms[arm] for arm in events.arm] == ["tea", "milk", "tea"]
    assert events.reward.tolist() == [2.5, 0, 1]
    assert events.propensity is not None
    assert events.propensity.tolist() == [0.5, 0.25, 1]
    assert [sorted(events.arms[arm] for arm in events.pools[p]) for p in events.pool] == [
        ["milk", "tea"], ["milk", "tea"], ["tea"]
    ]  # fmt: skip
    assert (report.lines, report.skipped, report.notes) == (3, {}, ())


def test_without_a_pool_all_arms_are_on_offer_and_that_is_said(tmp_path: Path) -> None:
    events, report = collect(TableLog(put(tmp_path, SHOP), **COLUMNS))
    assert (len(events.pools), events.pools.sizes.tolist()) == (1, [2])
    assert events.propensity is None
    assert ["pool" in note or "propensity" in note for note in report.notes] == [True, True]


BAD = {
    "soon,tea,1,tea,1": "the time is neither",
    "1,,1,tea,1": "there is no arm",
    "1,tea,much,tea,1": "the reward is not a number",
    "1,tea,nan,tea,1": "the reward is not a number",
    "1,tea,1,,1": "the pool is not a list of arms",
    "1,tea,1,milk,1": "the arm shown is not in its pool",
    "1,tea,1,tea,0": "the propensity is not above 0",
    "1,tea,1,tea,": "the propensity is not above 0",
    "1,tea": "the row has too few cells",
    '"1,tea,1,' + "x" * 200_000: "the row cannot be read as CSV",
    "": "blank line",
}


@pytest.mark.parametrize("row", BAD, ids=BAD.values())
def test_a_bad_row_is_named(row: str, tmp_path: Path) -> None:
    path = put(tmp_path, SHOP + row + "\n")
    log = TableLog(path, **COLUMNS, pool="offered", separator=" ", propensity="chance")
    events, report = collect(log)
    assert (len(events), report.lines) == (3, 4)
    ((reason, count),) = report.skipped.items()
    assert count == 1
    assert BAD[row] in reason
    if row:
        (example,) = report.examples
        assert (example.file, example.line) == (str(path), 5)


STRAY = {
    "opened in the middle": '{i},"a,0',
    "opened in the last cell": '{i},a,"0',
    "closed on a later line": '{i},"a,0\n7,b,1\n7,c",1',
    "closed on a later line, before more": '{i},"a,0\n7,b,1\n7,"c,1',
    "an id of two lines": '{i},"a\nb",0',
}


@pytest.mark.parametrize("kind", STRAY)
@pytest.mark.parametrize("after", [0, 3, 1000])
def test_a_stray_quote_costs_only_its_own_lines(kind: str, after: int, tmp_path: Path) -> None:
    stray = STRAY[kind].format(i=7)
    rows = ["time,arm,reward", "5,a,1", "6,b,0", stray, *(f"{9 + i},b,1" for i in range(after))]
    events, report = collect(TableLog(put(tmp_path, "\n".join(rows) + "\n")))
    swallowed = stray.count("\n7,b") + stray.count('\n7,c"')  # a quote within a cell is text
    assert report.lines == 2 + after + 1 + stray.count("\n")
    assert len(events) == 2 + after + swallowed
    assert report.examples[0].line == 4


TEARS: dict[str, Callable[[str, int], str]] = {
    "a quote too many": lambda row, at: row[:at] + '"' + row[at:],
    "cut": lambda row, at: row[:at],
    "written twice": lambda row, at: row[:at] + row,
    "a byte that is not UTF-8": lambda row, at: row[:at] + "\udcff" + row[at:],
    "a carriage return": lambda row, at: row[:at] + "\r" + row[at:],
}


@pytest.mark.parametrize("kind", TEARS)
@pytest.mark.parametrize("row", ["{i},a,1,plain", '{i},"a, b",0,"two ""words"""'])
@pytest.mark.parametrize("lines", [7, 1 << 14])
def test_a_torn_line_costs_no_other(
    kind: str, row: str, lines: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_file, "_LINES", lines)
    path = tmp_path / "shop.csv"
    for at in range(len(row.format(i=50)) + 1):
        rows = [row.format(i=i) for i in range(10, 90)]
        rows[40] = TEARS[kind](rows[40], at)
        text = "\n".join(["time,arm,reward,note", *rows, ""])
        path.write_bytes(text.encode(errors="surrogateescape"))
        events, report = collect(TableLog(path))
        assert set(range(10, 90)) - {50} <= set(events.time.tolist()), rows[40]
        assert (report.lines, len(events)) in ((80, 79), (80, 80))


def test_rows_of_several_lines_are_read(tmp_path: Path) -> None:
    path = put(tmp_path, 'time,arm,reward,note\n5,"a",1,"two\nlines, ""quoted"""\n6,"b" ,0,x\n')
    events, report = collect(TableLog(path))
    assert (events.time.tolist(), events.arms) == ([5, 6], ("a", "b"))
    assert (report.lines, report.skipped) == (2, {})


def test_a_stray_quote_in_the_header_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"shop\.csv, line 1: expected the names .* as CSV: time,"):
        collect(TableLog(put(tmp_path, 'time,"arm,reward\n5,a,1\n6,a,1\n')))


def test_lines_too_long_are_left_out(tmp_path: Path) -> None:
    path = put(tmp_path, "time,arm,reward\n5,a,1\n" + "x" * 30_000_000 + "\n6,a,1")
    events, report = collect(TableLog(path))
    assert (len(events), report.skipped) == (2, {"longer than 8388608 bytes": 1})
    assert (report.examples[0].line, len(report.examples[0].text)) == (3, 80)
    with pytest.raises(ValueError, match=r"line 1: expected the names of the columns"):
        collect(TableLog(put(tmp_path, "x" * 30_000_000)))


def test_many_columns_make_no_endless_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected a column 'time'. Choose from: .*…") as caught:
        collect(TableLog(put(tmp_path, "," * 1_000_000)))
    assert len(str(caught.value)) < 1000


def test_arms_and_pools_of_rows_left_out_are_none_of_the_log(tmp_path: Path) -> None:
    path = put(tmp_path, "time,arm,reward,pool\n5,a,1,x|y\n6,b,1,c|b\n7,c,x,c|d\n")
    events, report = collect(TableLog(path, pool="pool"))
    assert (events.arms, report.arms) == (("c", "b"), 2)
    assert (len(events.pools), report.pools) == (1, 1)


def test_clicks_are_small_and_checked(tmp_path: Path) -> None:
    log = TableLog(put(tmp_path, SHOP), **COLUMNS, clicks=True)
    events, report = collect(log)
    assert events.reward.dtype == np.uint8
    assert report.skipped == {"the click is neither 0 nor 1": 1}


def test_a_wrong_column_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = put(tmp_path, SHOP)
    with pytest.raises(ValueError, match=r"shop\.csv, line 1: .*'show'.*Did you mean 'shown'\?"):
        collect(TableLog(path, time="when", arm="show", reward="paid"))
    with pytest.raises(ValueError, match="the file is empty"):
        collect(TableLog(put(tmp_path, ""), **COLUMNS))
    with pytest.raises(ValueError, match=r"no event in 0 lines; expected a time in 'when'"):
        collect(TableLog(put(tmp_path, SHOP.splitlines()[0]), **COLUMNS))
    with pytest.raises(ValueError, match="separator"):
        TableLog(path, separator="")


def test_time_going_backwards_is_kept_and_reported(tmp_path: Path) -> None:
    path = put(tmp_path, "time,arm,reward\n5,a,1\n4,a,0\n6,b,1\n")
    events, report = collect(TableLog(path))
    assert (len(events), report.backwards) == (3, 1)
    assert [(e.reason, e.line) for e in report.examples] == [("time goes backwards", 3)]


def test_semicolons_tabs_and_gzip(tmp_path: Path) -> None:
    for mark in ";\t":
        path = tmp_path / "shop.txt"
        path.write_bytes(gzip.compress(f"time{mark}arm{mark}reward\n5{mark}a{mark}1\n".encode()))
        assert len(collect(TableLog(path))[0]) == 1


def test_a_truncated_gzip_gives_what_it_has(tmp_path: Path) -> None:
    rows = "".join(f"{i * 7919 % 10007},a{i},1\n" for i in range(5000))
    path = tmp_path / "log.csv.gz"
    path.write_bytes(gzip.compress(f"time,arm,reward\n{rows}".encode())[:-100])
    events, report = collect(TableLog(path))
    assert report.damaged == (f"{path}: the gzip file ends early",)
    assert report.skipped == {"the gzip file ends early": 1}
    assert 4000 < len(events) == report.lines - 1 < 5000


def test_parquet_with_lists_and_times(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "time": pd.to_datetime(["2026-01-01T00:00:00.5", "2026-01-01T00:00:01.0", None]),
            "arm": [1, 2, 1],
            "reward": [0.5, 1.0, 0.0],
            "pool": [[1, 2], [2], [1]],
        }
    )
    frame.to_parquet(tmp_path / "log.parquet")
    events, report = collect(TableLog(tmp_path / "log.parquet", pool="pool"))
    assert (events.time.tolist(), events.arms) == ([1767225600, 1767225601], ("1", "2"))
    assert report.skipped == {"the time is neither a number of seconds nor an ISO time": 1}
    assert report.examples[0].line == 3


def test_damaged_parquet_files_are_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"time": range(9), "arm": ["a"] * 9, "reward": [1.0] * 9})
    frame.to_parquet(tmp_path / "log.parquet")
    raw = bytearray((tmp_path / "log.parquet").read_bytes())
    for broken in (raw[:-20], raw[:4] + b"\xff" * 60 + raw[64:]):
        (tmp_path / "log.parquet").write_bytes(broken)
        with pytest.raises(ValueError, match=r"log\.parquet cannot be read as Parquet: "):
            collect(TableLog(tmp_path / "log.parquet"))


@given(text=st.text(alphabet='0123456789,|ab"\n\r\x00.-é', max_size=200))
def test_any_table_is_survived_and_no_row_is_lost(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("table") / "log.csv"
    path.write_bytes(("time,arm,reward,pool\n" + text).encode())
    book, journal = IdIndex(), ConversionLog()
    batches = list(TableLog(path, pool="pool").batches(book, journal))
    assert sum(batch.time.size for batch in batches) == journal.events
    assert journal.lines == journal.events + journal.skipped.total()


FULL = """\
,timestamp,item_id,position,click,propensity_score,user_feature_0
0,2019-11-24 00:00:00.000100+00:00,3,1,0,0.0125,x
1,2019-11-24 00:00:01.000100+00:00,7,2,1,0.0125,x
2,2019-11-24 00:00:02.000100+00:00,3,1,7,0.0125,x
3,2019-11-24 00:00:02.000100+00:00,3,1,1,2,x
"""


def test_the_full_layout_of_open_bandit(tmp_path: Path) -> None:
    path = put(tmp_path, FULL)
    events, report = collect(OpenBanditLog(path))
    assert events.arms == ("3", "7")
    assert (events.pools.sizes.tolist(), events.reward.tolist()) == ([2], [0, 1])
    assert np.allclose(events.display_probability, 0.0125)
    assert report.notes == ()
    assert len(report.skipped) == 2
    only, report = collect(OpenBanditLog(path, position=2))
    assert (only.arms, report.skipped["in another position"]) == (("7",), 3)


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data: {DATA} does not exist")
def test_the_real_open_bandit_logs() -> None:
    for campaign, items, clicks in (("all", 80, 38), ("men", 34, 46), ("women", 46, 46)):
        events, report = collect(OpenBanditLog(SMALL, campaign))
        assert (len(events), len(events.arms), int(events.reward.sum())) == (10_000, items, clicks)
        assert np.allclose(events.display_probability, 1 / items)
        assert "uniformly" in report.notes[0]
        assert report.skipped == {"of another campaign": 20_000}
    events, report = collect(OpenBanditLog(SMALL))
    assert (len(events), len(events.arms)) == (30_000, 160)
    assert events.pools.sizes.tolist() == [80, 34, 46]
    assert {name.partition("/")[0] for name in events.arms} == {"all", "men", "women"}
    assert report.backwards == 2


def test_a_row_with_too_many_cells_is_skipped_not_misread(tmp_path: Path) -> None:
    """Without a quote, `tea, green` shifts the cells after it."""
    path = put(tmp_path, "time,arm,reward,note\n5,tea, green,1,x\n6,milk,0\n7,tea,1,y\n")
    events, report = collect(TableLog(path))
    assert (events.time.tolist(), events.arms) == ([6, 7], ("milk", "tea"))
    assert report.skipped == {"the row has too many cells": 1}
    assert report.examples[0].line == 2


def test_a_column_that_occurs_twice_is_refused_if_it_is_needed(tmp_path: Path) -> None:
    path = put(tmp_path, "time,arm,note,note,arm,reward\n5,a,x,y,b,1\n")
    with pytest.raises(ValueError, match="line 1: expected one column 'arm', got 2"):
        collect(TableLog(path))
    assert len(collect(TableLog(put(tmp_path, "time,arm,x,x,reward\n5,a,1,2,1\n")))[0]) == 1


@pytest.mark.parametrize("block", [4, 30, 100])
def test_blocks_of_any_size_give_the_same(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        "5,a,1,plain", '6,"b",0,"two\nlines"', "7,a,1", "", '8,"b,0,stray', "9,a,1,x,more",
        '10,b,1,"a ""quote"""', "soon,a,1,x", "2026-01-01 10:00:00,b,1,x",
    ]  # fmt: skip
    path = put(tmp_path, "\ufefftime,arm,reward,note\n" + "\n".join(rows * 5))
    whole, expected = collect(TableLog(path))
    monkeypatch.setattr(text_file, "_BLOCK", block)
    monkeypatch.setattr(text_file, "_LINES", block)
    events, report = collect(TableLog(path))
    assert (len(events), report.lines) == (25, 45)
    assert (events.time.tolist(), events.arm.tolist()) == (whole.time.tolist(), whole.arm.tolist())
    assert (report.skipped, report.examples) == (expected.skipped, expected.examples)


def test_a_csv_that_was_cut_gives_no_half_event(tmp_path: Path) -> None:
    whole = "time,arm,reward,note,more\n5,a,12,x,y\n6,b,10"
    events, report = collect(TableLog(put(tmp_path, whole)))  # 10, or the start of 100?
    assert (events.time.tolist(), report.lines) == ([5], 2)
    assert report.skipped == {"the file ends within this line": 1}
    assert (report.examples[0].line, report.examples[0].text) == (3, "6,b,10")
    for end in ("\n", ",", ",x"):  # the cells that are needed are whole
        assert len(collect(TableLog(put(tmp_path, whole + end)))[0]) == 2
    assert len(collect(TableLog(put(tmp_path, "time,arm,reward\n5,a,12\n6,b,10")))[0]) == 2


def test_a_first_row_that_is_too_long_is_one_bad_row(tmp_path: Path) -> None:
    long = "x" * 9_000_000
    for text in (f"{long}\ntime,arm,reward\n5,a,1\n", f"time,arm,reward\n5,{long},1\n5,a,1"):
        events, report = collect(TableLog(put(tmp_path, text)))
        assert (len(events), report.skipped) == (1, {"longer than 8388608 bytes": 1})


@pytest.mark.parametrize(
    ("text", "times", "rewards", "notes"),
    [
        ("1;a;1,5\n2;a;2\n", [1, 2], [1.5, 2], ["in column 'reward' '1,5' is read as 1.5"]),
        (
            "31.01.2025 10:00;a;1.050,25 €\n31.01.2025 10:01;a;2 €\n",
            [1738317600, 1738317660],
            [1050.25, 2],
            ["'31.01.2025 10:00' is read as 2025-01-31 10:00", "is read as 1050.25"],
        ),
        (
            "1/31/2025;a;50%\n2/1/2025;a;5%\n",
            [1738281600, 1738368000],
            [0.5, 0.05],
            ["50%", "1/31"],
        ),
        ("20250131;a;1\n20250201;a;0\n", [1738281600, 1738368000], [1, 0], ["'20250131' is read"]),
        ("2025-01-31;a;0.125\n2025-02-01;a;1.125\n", [1738281600, 1738368000], [0.125, 1.125], []),
    ],
)
def test_numbers_and_times_as_countries_write_them(
    text: str, times: list[int], rewards: list[float], notes: list[str], tmp_path: Path
) -> None:
    events, report = collect(TableLog(put(tmp_path, f"time;arm;reward\n{text}")))
    assert (events.time.tolist(), events.reward.tolist()) == (times, rewards)
    assert report.skipped == {}
    said = [note for note in report.notes if note.startswith("in column")]
    assert len(said) == len(notes)
    assert all(any(note in one for one in said) for note in notes)


@pytest.mark.parametrize(
    ("row", "question", "settled"),
    [
        ("1;a;1.050", "column 'reward': '1.050' could be 1050 or 1.05: pass dec", {"decimal": ","}),
        ("1/2/2025;a;1\n2/2/2025;a;1", "column 'time': '1/2/2025' could be", {"dates": "mdy"}),
    ],
)
def test_a_table_with_two_meanings_asks(
    row: str, question: str, settled: dict[str, Any], tmp_path: Path
) -> None:
    path = put(tmp_path, f"time;arm;reward\n{row}\n")
    with pytest.raises(ValueError, match=r"pass (dates|decimal)=") as caught:
        collect(TableLog(path))
    assert f"{path}, {question}" in str(caught.value)
    assert len(collect(TableLog(path, **settled))[0])


def test_cells_written_otherwise_later_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("highseason.logs.text_file._LINES", 100)
    rows = ["1;a;1,5"] * 2000 + ["2;a;2.25"]
    events, report = collect(TableLog(put(tmp_path, "\n".join(["time;arm;reward", *rows, ""]))))
    assert (len(events), report.skipped) == (2000, {"the reward is not a number": 1})


GERMAN = "Zeit;Ware;Betrag\r\n31.12.2025 10:00;Käse;1,5\r\n31.12.2025 11:00;Öl;0,25\r\n"
GERMAN_COLUMNS: dict[str, Any] = {"time": "Zeit", "arm": "Ware", "reward": "Betrag"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("block", [7, 1 << 20])
def test_text_in_any_encoding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, packed: bool, block: int
) -> None:
    monkeypatch.setattr("highseason.logs.text_file._BLOCK", block)
    raw = GERMAN.encode(encoding)
    path = tmp_path / "shop.csv"
    path.write_bytes(gzip.compress(raw) if packed else raw)
    events, report = collect(TableLog(path, **GERMAN_COLUMNS))
    assert (events.arms, events.reward.tolist()) == (("Käse", "Öl"), [1.5, 0.25])
    assert events.time.tolist() == [1767175200, 1767178800]
    assert any("Windows-1252" in note for note in report.notes) == (encoding == "latin-1")


def test_a_stray_byte_does_not_change_the_encoding(tmp_path: Path) -> None:
    path = tmp_path / "shop.csv"
    path.write_bytes(
        "time,arm,reward\n1,Käse,1\n2,Öl,1\n3,te\udcffa,0\n".encode(errors="surrogateescape")
    )
    assert collect(TableLog(path))[0].arms == ("Käse", "Öl", "te\\xffa")


def test_excel_files(tmp_path: Path) -> None:
    path = tmp_path / "shop.xlsx"
    rows: dict[str, list[Any]] = {
        "time": [pd.Timestamp("2025-12-31 10:00"), pd.Timestamp("2025-12-31 11:00"), None],
        "arm": [7, 8, 8],
        "reward": [1.125, 0.25, 1],
    }
    pd.DataFrame(rows).to_excel(path, index=False)
    events, report = collect(TableLog(path))
    assert (events.arms, events.reward.tolist()) == (("7", "8"), [1.125, 0.25])
    assert events.time.tolist() == [1767175200, 1767178800]
    assert (report.examples[0].line, report.lines) == (4, 3)
    with pytest.raises(ValueError, match=r"column 'shown'. Choose from: time, arm, reward"):
        collect(TableLog(path, arm="shown"))


@pytest.mark.parametrize(
    ("raw", "message"),
    [(b"PK\x03\x04", "is not an Excel file"), (b"\xd0\xcf\x11\xe0", "of the old kind: save it")],
)
def test_damaged_and_old_excel_files_are_refused(tmp_path: Path, raw: bytes, message: str) -> None:
    path = tmp_path / "shop.xlsx"
    path.write_bytes(raw)
    with pytest.raises(
        ValueError, match=rf"shop\.xlsx {message}|shop\.xlsx is an Excel.*{message}"
    ):
        collect(TableLog(path))
