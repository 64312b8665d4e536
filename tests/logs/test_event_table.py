"""The event table: what is written is what is read, and what is none is refused in words."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highseason.logs import Events, Pools, YahooLog, convert, read_events, write_events
from highseason.logs import events as events_module
from studies.logged.generate import generate_log

NAMES = st.lists(st.text(min_size=1), unique=True, min_size=1, max_size=5)


def identical(one: Events, other: Events) -> None:
    for name in ("time", "arm", "reward", "pool", "propensity"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            assert mine.dtype == theirs.dtype
            assert np.array_equal(mine, theirs)
    assert one.arms == other.arms
    assert np.array_equal(one.pools.offsets, other.pools.offsets)
    assert np.array_equal(one.pools.members, other.pools.members)


@st.composite
def logs(draw: st.DrawFn) -> Events:
    arms = tuple(draw(NAMES))
    rows = draw(st.integers(0, 20))
    whole = st.integers(-(2**62), 2**62)
    column = lambda entry: draw(st.lists(entry, min_size=rows, max_size=rows))  # noqa: E731  # short
    clicks = draw(st.booleans())
    reward = column(st.integers(0, 1) if clicks else st.floats(allow_nan=False))
    chance = column(st.floats(0.01, 1)) if draw(st.booleans()) else None
    return Events(
        time=np.array(column(whole), np.int64),
        arm=np.array(column(st.integers(0, len(arms) - 1)), np.int32),
        reward=np.array(reward, np.uint8 if clicks else np.float64),
        pool=np.array(column(st.integers(0, 1)), np.int32),
        arms=arms,
        pools=Pools.of([range(len(arms)), [0]]),
        propensity=None if chance is None else np.array(chance, np.float64),
    )


@given(log=logs(), rows=st.integers(1, 7))
def test_what_is_written_is_what_is_read(
    log: Events, rows: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("table") / "events.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(events_module, "_ROWS", rows)
        write_events(log, path)
    identical(read_events(path), log)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "events.parquet"
    write_events(Events.of([7, 9], ["b", "a"], [0, 1], [["a", "b"], ["a"]]), path)
    return path


def test_others_see_plain_columns(table: Path) -> None:
    frame = pd.read_parquet(table)
    assert list(frame.columns) == ["time", "arm", "reward", "pool"]
    assert frame["arm"].tolist() == ["b", "a"]
    footer = json.loads(pq.read_metadata(table).metadata[b"highseason"])
    assert footer["arms"] == ["a", "b"]
    assert footer["pools"] == [[0, 1], [0]]


def changed(table: Path, footer: Any = None, **columns: Any) -> Path:
    """The same table with other columns, or another footer."""
    found = pq.read_table(table)
    for name, column in columns.items():
        at = found.column_names.index(name)
        found = found.remove_column(at)
        if column is not None:
            found = found.add_column(at, name, [column])
    meta = pq.read_metadata(table).metadata[b"highseason"] if footer is None else footer
    path = table.with_name("changed.parquet")
    pq.write_table(found.replace_schema_metadata({"highseason": meta}), path)
    return path


WRONG = {
    "no column 'pool'": {"pool": None},
    "column 'time' has empty cells": {"time": pa.array([7, None], pa.int64())},
    "column 'reward' does not hold numbers": {"reward": pa.array(["x", "y"])},
    "footer does not name the arm 'c'": {"arm": pa.array(["c", "a"])},
    "pool must be an index from 0 to 1": {"pool": pa.array([0, 2], pa.int32())},
    "footer cannot be read": {"footer": b"{"},
    "(another version)": {"footer": b'{"format":"highseason events","version":9}'},
}


@pytest.mark.parametrize("said", WRONG)
def test_what_is_no_event_table_is_refused(said: str, table: Path) -> None:
    with pytest.raises(ValueError, match="is not an event table") as caught:
        read_events(changed(table, **WRONG[said]))
    assert said in str(caught.value)
    assert "changed.parquet" in str(caught.value)


def test_a_foreign_table_is_refused(tmp_path: Path) -> None:
    pd.DataFrame({"time": [1]}).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=r"x\.parquet is not an event table.*convert table"):
        read_events(tmp_path / "x.parquet")


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"no Parquet at all"])
def test_a_damaged_file_is_refused(damage: bytes, tmp_path: Path, table: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(damage)
    with pytest.raises(ValueError, match=r"x\.parquet cannot be read as Parquet"):
        read_events(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="there is no file"):
        read_events(tmp_path / "nowhere")


@pytest.mark.parametrize("place", [100, 300, -200])
def test_a_cut_file_is_refused(place: int, table: Path) -> None:
    table.write_bytes(table.read_bytes()[:place])
    with pytest.raises(ValueError, match=r"events\.parquet"):
        read_events(table)


def test_without_pyarrow_the_extra_is_named(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'highseason\[logs\]'"):
        read_events(table)


def test_an_error_leaves_nothing_and_spares_what_was_there(tmp_path: Path) -> None:
    log, out = tmp_path / "log", tmp_path / "out.parquet"
    out.write_text("precious")
    log.write_text("nothing of the kind\n")
    with pytest.raises(ValueError, match="no event in 1 line;"):
        convert(YahooLog((log,)), out)
    assert out.read_text() == "precious"
    assert sorted(tmp_path.iterdir()) == [log, out]


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    generate_log(log, days=0.01, seed=1)

    def stop(done: int, total: int) -> None:
        assert 0 < done <= total == log.stat().st_size
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert(YahooLog((log,)), tmp_path / "out.parquet", stop)
    assert list(tmp_path.iterdir()) == [log]


KILLED = """
import sys, time
from highseason.logs import YahooLog, convert

def wait(done, total):
    if done > total / 2:
        print("begun", flush=True)
        time.sleep(60)

convert(YahooLog((sys.argv[1],)), sys.argv[2], wait)
"""


def test_a_killed_conversion_leaves_no_table(tmp_path: Path) -> None:
    log, out = tmp_path / "log", tmp_path / "out.parquet"
    generate_log(log, days=0.01, seed=1)
    words = [sys.executable, "-c", KILLED, str(log), str(out)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=os.environ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
    assert not out.exists()
    assert all(path == log or path.name.endswith(".unfinished") for path in tmp_path.iterdir())
