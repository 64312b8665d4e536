"""The Yahoo! readers against the obvious one, on good lines and on every kind of bad ones."""

from __future__ import annotations

import gzip
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.reference import yahoo as reference

from highseason.logs import Events, YahooLog, collect, text_file
from highseason.logs.conversion import ConversionLog
from highseason.logs.events import IdIndex
from studies.logged.generate import generate_events, generate_log

GOOD = b"1317513291 id-2 0 |user 1 9 11 |id-1 |id-2 |id-3\n"
LATER = b"1317513292 id-3 1 |user 1 9 11 |id-1 |id-2 |id-3\n"
R6A = b"1241160900 109513 0 |user 2:0.1 1:1.0 |109498 2:0.3 1:1.0 |109513 2:0.2 1:1.0\n"


def put(folder: Path, *contents: bytes) -> tuple[Path, ...]:
    paths = tuple(folder / f"day{i}" for i in range(len(contents)))
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    return paths


def journal_of(paths: tuple[Path, ...], wanted: Any = None) -> tuple[list[Any], ConversionLog]:
    """What the reader makes of a log, even if that is nothing: events as the reference has them."""
    book, journal = IdIndex(), ConversionLog()
    batches = list(YahooLog(paths, wanted).batches(book, journal))
    arms, pools = book.arms, book.pools
    names = [frozenset(arms[arm] for arm in pools[i]) for i in range(len(pools))]
    events = [
        (time, arms[arm], click, names[pool])
        for batch in batches
        for time, arm, click, pool in zip(*map(np.ndarray.tolist, batch[:4]), strict=True)
    ]
    return events, journal


def check(folder: Path, *contents: bytes) -> ConversionLog:
    """Read it both ways and compare everything."""
    events, journal = journal_of(put(folder, *contents))
    truth = reference.read(list(contents))
    assert events == truth.events
    assert journal.skipped == truth.skipped
    assert (journal.lines, journal.backwards) == (truth.lines, truth.backwards)
    assert journal.format == truth.format
    assert journal.lines == journal.events + journal.skipped.total()
    return journal


def is_plain(content: bytes) -> bool:
    return not content.startswith(b"\x1f\x8b")


PIECES = st.sampled_from(
    [
        b"1317513291", b"7", b"-1", b"9" * 19, b" ", b"  ", b"\t", b"\r", b"\n", b"\r\n", b"|",
        b"||", b"id-1", b"id-2", b"17", b"0", b"1", b"7", b"|user", b"|user 1 9", b" |id-1 |id-2",
        b"user", b"\x00", b"\xff\xfe", b"\xc3\xa9", b"x" * 300, GOOD, LATER, R6A, GOOD[:-1],
        GOOD[:30], b"|id-1 |id-2 |id-3", b" |user 1 |id-1 |id-2\n", b"3 id-1 1 |user |id-1\n",
    ]
)  # fmt: skip
JUNK = (
    st.lists(st.one_of(PIECES, st.binary(max_size=12)), max_size=30).map(b"".join).filter(is_plain)
)


@given(contents=st.lists(JUNK, min_size=1, max_size=3))
def test_any_bytes_are_read_as_the_obvious_reader_reads_them(
    contents: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    check(tmp_path_factory.mktemp("junk"), *contents)


@given(
    cut=st.integers(0, 10_000),
    changes=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=8),
)
def test_a_good_log_with_some_bytes_changed(
    cut: int, changes: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = bytearray((GOOD + LATER) * 20)
    for place, byte in changes:
        content[place % len(content)] = byte
    assume(is_plain(content))
    check(tmp_path_factory.mktemp("log"), bytes(content[: cut % len(content) + 1]))


@pytest.mark.jit
def test_blocks_of_any_size_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_file, "_LINES", 5)
    rng = random.Random(1)
    some = [GOOD, LATER, b"\n", b"x\n", b"1 id-9 0 |user |id-1\n", b"2 id-1 5 |user |id-1\n"]
    content = b"".join(rng.choices(some, k=200)) + GOOD[:-1]
    for block in (256, 300, 512, 4096):
        monkeypatch.setattr(text_file, "_BLOCK", block)
        check(tmp_path, content, content)


FAULTS = {
    b"soon id-2 0 |user 1 |id-1 |id-2": "the time is not a whole number",
    b"1317513291 id-2 7 |user 1 |id-1 |id-2": "the click is neither 0 nor 1",
    b"1317513291 id-2 |user 1 |id-1 |id-2": "not three words",
    b"1317513291 id-9 0 |user 1 |id-1 |id-2": "the article shown is not in its pool",
    b"1317513291 id-2 0 |user 1 9": "no pool",
    b"1317513291 id-2 0 |id-1 |id-2": "no |user part",
    b"1317513291 id-2 0 |user 1 |id-\x01 |id-2": "no readable id",
    b"1317513291 id-2 0 |user 1 | |id-2": "no readable id",
    b"1317513291 17 0 |user 1:0.1 |17 1:0.2": "the other Yahoo! format",
    b"  \t ": "blank line",
}


@pytest.mark.jit
@pytest.mark.parametrize("line", FAULTS, ids=FAULTS.values())
def test_a_bad_line_is_named(line: bytes, tmp_path: Path) -> None:
    journal = check(tmp_path, GOOD + line + b"\n" + LATER)
    ((reason, count),) = journal.skipped.items()
    assert count == 1
    assert FAULTS[line] in reason
    (example,) = journal.all_examples
    assert (example.file, example.line, example.reason) == (str(tmp_path / "day0"), 2, reason)
    assert example.text[:10] == line[:10].decode().replace("\t", "\\t")


def test_lines_of_ten_megabytes_are_survived(tmp_path: Path) -> None:
    long = b"1317513291 id-2 0 |user " + b"1 " * 5_000_000 + b"|id-2\n"
    junk = b"\x00" * 10_000_000
    journal = check(tmp_path, GOOD + long + LATER + junk + b"\n" + LATER + junk)
    assert (journal.events, journal.lines) == (3, 6)
    assert all(len(example.text) <= 80 for example in journal.all_examples)


def test_pools_too_wide_to_be_remembered(tmp_path: Path) -> None:
    wide = b" ".join(b"|id-%d" % i for i in range(3000))
    line = b"1317513291 id-7 1 |user 1 " + wide + b"\n"
    assert check(tmp_path, GOOD + line * 3 + GOOD + line).events == 6


def test_pools_in_another_order_each_time_are_one_pool(tmp_path: Path) -> None:
    rng = random.Random(2)
    ids = [b"|id-%d" % i for i in range(40)]
    lines = [b"5 id-3 1 |user 1 " + b" ".join(rng.sample(ids, 40)) + b"\n" for _ in range(600)]
    events, report = collect(YahooLog(put(tmp_path, b"".join(lines))))
    assert (len(events), report.pools, report.arms) == (600, 1, 40)


@pytest.mark.jit
def test_arms_and_pools_of_lines_left_out_are_none_of_the_log(tmp_path: Path) -> None:
    not_offered = b"5 id-9 0 |user 1 |id-7 |id-8\n"
    check(tmp_path, not_offered * 2 + GOOD + R6A + not_offered + LATER)
    events, report = collect(YahooLog((tmp_path / "day0",)))
    assert (events.arms, report.arms) == (("id-1", "id-2", "id-3"), 3)
    assert (len(events.pools), report.pools) == (1, 1)
    late = not_offered.replace(b"id-9", b"id-8")  # now the same pool comes with a good line
    events, report = collect(YahooLog(put(tmp_path, not_offered + GOOD + late)))
    assert (len(events), report.arms, report.pools) == (2, 5, 2)


@pytest.mark.jit
def test_the_two_formats_are_distinguished(tmp_path: Path) -> None:
    assert check(tmp_path, b"\n" + R6A + GOOD).format == "r6a"
    assert check(tmp_path, GOOD + R6A).format == "r6b"


def test_the_wrong_format_is_an_error(tmp_path: Path) -> None:
    paths = put(tmp_path, b"junk\n" + GOOD)
    with pytest.raises(ValueError, match=r"day0, line 2: not a line of the format r6a: expected"):
        collect(YahooLog(paths, "r6a"))
    with pytest.raises(ValueError, match="day0, line 1: not a line of the format r6b"):
        collect(YahooLog(put(tmp_path, R6A + GOOD), "r6b"))
    _, report = collect(YahooLog(put(tmp_path, GOOD + R6A), "r6b"))
    assert report.skipped == {"a line of the other Yahoo! format": 1}
    with pytest.raises(ValueError, match="must be 'r6b' or 'r6a'"):
        YahooLog(paths, "r6c")  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("content", [b"", b"\n", b"time,arm\n1,2\n" * 20_000], ids=len)
def test_what_is_no_such_log_is_an_error_that_says_what_was_expected(
    content: bytes, tmp_path: Path
) -> None:
    with pytest.raises(
        ValueError, match=r"no event in [\d,]+ lines?.*expected lines such as '13175"
    ):
        collect(YahooLog(put(tmp_path, content)))


def test_the_first_bad_line_is_named_as_the_first(tmp_path: Path) -> None:
    paths = put(tmp_path, b"x\n\n\nx\n")
    with pytest.raises(ValueError, match=r"in 4 lines; the first: .*day0, line 1: not three"):
        collect(YahooLog(paths))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no file .*nowhere"):
        collect(YahooLog((tmp_path / "nowhere",)))
    with pytest.raises(ValueError, match="is a folder"):
        collect(YahooLog((tmp_path,)))
    with pytest.raises(ValueError, match="at least one log file"):
        collect(YahooLog(()))


def test_memory_does_not_grow_with_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_file, "_LINES", 4000)
    path = tmp_path / "log"
    peaks = []
    for days in (0.001, 0.02, 0.06):  # the first imports everything
        generate_log(path, days, seed=1)
        tracemalloc.start()
        for _ in YahooLog((path,)).batches(IdIndex(), ConversionLog()):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert path.stat().st_size > 2 * peaks[2]  # it would not fit
    assert peaks[2] < 1.3 * peaks[1]


def test_gzip_is_known_by_its_bytes(tmp_path: Path) -> None:
    joined = gzip.compress(GOOD * 100) + gzip.compress(LATER * 100) + b"\0" * 512
    events, journal = journal_of(put(tmp_path, joined, GOOD))
    assert len(events) == 201
    assert journal.damaged == []
    assert journal.backwards == 1


@pytest.mark.parametrize("cut", [5, 40, -20, -4])
def test_a_truncated_gzip_gives_what_it_has(cut: int, tmp_path: Path) -> None:
    rng = random.Random(3)
    lines = [b"%d id-2 0 |user 1 |id-1 |id-2\n" % (10 + rng.randrange(10**9)) for _ in range(999)]
    whole = b"".join(lines)
    packed = gzip.compress(whole)[:cut]
    events, journal = journal_of(put(tmp_path, packed, GOOD))
    assert journal.damaged == [f"{tmp_path / 'day0'}: the gzip file ends early"]
    assert journal.lines == journal.events + journal.skipped.total()
    assert set(journal.skipped) <= {"the gzip file ends early"}
    times = [int(line.split()[0]) for line in lines]
    assert [event[0] for event in events[:-1]] == times[: len(events) - 1]
    assert len(events) > 900 or 0 < cut < 100


def test_a_gzip_without_anything_in_it_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"day0: the gzip file ends early.*expected"):
        collect(YahooLog(put(tmp_path, b"\x1f\x8b")))


def test_a_damaged_gzip_gives_what_came_before(tmp_path: Path) -> None:
    rng = random.Random(4)
    whole = b"".join(
        b"%d id-2 0 |user 1 |id-1 |id-2\n" % rng.randrange(10**9) for _ in range(90_000)
    )
    packed = bytearray(gzip.compress(whole))
    packed[-1000:-900] = b"\xff" * 100
    events, journal = journal_of(put(tmp_path, bytes(packed)))
    assert len(journal.damaged) == 1
    assert journal.damaged[0].startswith(f"{tmp_path / 'day0'}: the gzip file is damaged; events")
    assert 1000 < len(events) < 90_000


def test_bytes_that_are_not_utf8_are_escaped(tmp_path: Path) -> None:
    broken = b"1317513291 id-\xff 0 |user 1 |id-\xff |id-2\n"
    check(tmp_path, GOOD * 100 + broken + LATER)
    events, report = collect(YahooLog((tmp_path / "day0",)))
    assert (len(events), report.skipped) == (102, {})
    assert "id-\\xff" in events.arms


def test_made_up_events_of_a_damaged_gzip_are_warned_of(tmp_path: Path) -> None:
    """Wrong bytes unpack into other lines, and only the sum at the end tells."""
    rng = random.Random(5)
    whole = b"".join(
        b"%d id-2 0 |user 1 |id-1 |id-2\n" % rng.randrange(10**9) for _ in range(150_000)
    )
    packed = bytearray(gzip.compress(whole, 0))  # stored, not squeezed: any byte can be changed
    packed[20_000:20_002] = b"99"
    packed[25_000:25_080] = b"\n" * 80
    events, journal = journal_of(put(tmp_path, bytes(packed)))
    first = whole[: 25_000 - 15].count(b"\n") + 1
    assert len(events) > 90_000
    assert (
        "events after the damage may be garbage (first line that is not an event: "
        in journal.damaged[0]
    )
    bad = min(example.line for example in journal.all_examples if "blank" in example.reason)
    assert first <= bad <= first + 2


def same(one: Events, other: Events) -> bool:
    return (
        all(np.array_equal(getattr(one, n), getattr(other, n)) for n in ("time", "arm", "pool"))
        and np.array_equal(one.reward, other.reward)
        and (one.reward.dtype, one.arms) == (other.reward.dtype, other.arms)
        and np.array_equal(one.pools.members, other.pools.members)
        and np.array_equal(one.pools.offsets, other.pools.offsets)
    )


@pytest.mark.parametrize("zipped", [False, True])
def test_generated_logs_are_read_back_exactly(zipped: bool, tmp_path: Path) -> None:
    settings = {"start": 1317513600 + 23 * 3600 + 3000, "events_per_second": 0.3}
    paths = generate_log(tmp_path, 3 / 24, seed=7, zipped=zipped, **settings)
    assert [path.name[:32] for path in paths] == [
        "ydata-fp-td-clicks-v2_0.20111002",
        "ydata-fp-td-clicks-v2_0.20111003",
    ]
    events, report = collect(YahooLog(paths))
    assert same(events, generate_events(3 / 24, seed=7, **settings).events)
    assert (report.skipped, report.backwards, report.format) == ({}, 0, "r6b")
    again = [path.read_bytes() for path in paths]
    assert again == [
        p.read_bytes() for p in generate_log(tmp_path, 3 / 24, 7, zipped=zipped, **settings)
    ]


def test_a_sparse_log_is_read_back_exactly(tmp_path: Path) -> None:
    """Most pools see no event, so they are unknown."""
    generate_log(tmp_path / "log", 1, seed=8, events_per_second=0.002)
    events, _ = collect(YahooLog((tmp_path / "log",)))
    assert same(events, generate_events(1, seed=8, events_per_second=0.002).events)


def test_a_byte_order_mark_costs_no_event(tmp_path: Path) -> None:
    check(tmp_path, b"\xef\xbb\xbf" + GOOD + LATER, b"\xef\xbb\xbf" + GOOD)


@pytest.mark.parametrize("kept", [-1, -3, -5, -10])
@pytest.mark.parametrize("block", [64, 4096])
def test_a_plain_file_that_was_cut_gives_no_half_event(
    kept: int, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of the pool that came before is no pool: `id-` is no article."""
    monkeypatch.setattr(text_file, "_BLOCK", block)
    last = b"1317513293 id-1 1 |user 1 |id-1 |id-2 |id-3"
    journal = check(tmp_path, GOOD + LATER + last[:kept], GOOD)
    assert journal.events == 3
    assert journal.skipped == {"the file ends within this line": 1}
    assert journal.all_examples[0].line == 3


@pytest.mark.parametrize("end", [b"", b"\n", b"\r", b" "])
def test_a_last_line_without_a_newline_may_be_whole(end: bytes, tmp_path: Path) -> None:
    assert check(tmp_path, GOOD + LATER[:-1] + end).events == 2
    assert check(tmp_path, GOOD.replace(b"\n", b"\r\n") + LATER[:-1] + end).events == 2
    other = b"1317513293 id-7 1 |user 1 |id-7 |id-8"
    assert check(tmp_path, GOOD + other, other).events == 3  # another pool: it looks whole
    assert check(tmp_path, GOOD, GOOD[:-7]).events == 2  # the first line of its file


def test_progress_counts_the_bytes_of_all_files(tmp_path: Path) -> None:
    paths, seen = put(tmp_path, GOOD * 400, LATER * 300, gzip.compress(LATER * 200)), []
    collect(YahooLog(paths), lambda *at: seen.append(at))
    total = sum(path.stat().st_size for path in paths)
    assert seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
