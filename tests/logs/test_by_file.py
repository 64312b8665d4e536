"""Files read by several workers are a log read file by file."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from highseason.logs import ConversionReport, Events, YahooLog, convert, read_events
from highseason.logs import conversion as conversions

R6A = "1241160900 109513 0 |user 2:0.1 1:1.0 |109498 2:0.3 1:1.0 |109513 2:0.2 1:1.0\n"


def day(number: int, lines: int = 400) -> str:
    """A day whose articles overlap with those of the day before, with a bad line here and there."""
    text = []
    for i in range(lines):
        articles = [f"id-{(number * 3 + (i // 50) % 4 + j) % 11}" for j in range(4)]
        pool = " ".join(f"|{name}" for name in articles)
        time = 1317513291 + 1000 * number + i
        text.append(f"{time} {articles[i % 4]} {i % 2} |user 1 9 {pool}\n")
        if i % 90 == 7:
            text.append(f"bad line {i} of day {number}\n")
    return "".join(text)


def put(folder: Path, *contents: str | bytes) -> tuple[Path, ...]:
    paths = tuple(folder / f"day{i}" for i in range(len(contents)))
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return paths


def both(paths: tuple[Path, ...], **settings: Any) -> list[tuple[Events, ConversionReport]]:
    log, results = YahooLog(paths, **settings), []
    for workers in (1, 2):
        out = paths[0].with_name(f"{workers}.parquet")
        report = convert(log, out, workers=workers)
        results.append((read_events(out), replace(report, seconds=0.0)))
    return results


def same(one: tuple[Events, ConversionReport], two: tuple[Events, ConversionReport]) -> None:
    assert one[1] == two[1]
    assert one[0].arms == two[0].arms
    for column in ("time", "arm", "reward", "pool"):
        assert np.array_equal(getattr(one[0], column), getattr(two[0], column))
    assert np.array_equal(one[0].pools.members, two[0].pools.members)
    assert np.array_equal(one[0].pools.offsets, two[0].pools.offsets)


def test_workers_leave_the_table_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, read_files = [], conversions.read_files
    monkeypatch.setattr(
        conversions, "read_files", lambda *given: asked.append(1) or read_files(*given)
    )
    same(*both(put(tmp_path, *(day(i) for i in range(5)))))
    assert asked == [1]  # by two workers, and not read again


@pytest.mark.parametrize(
    "contents",
    [
        (day(1), day(0)),  # time goes backwards from one file to the next
        (day(0), R6A * 3, day(1)),  # a line of the other format only after the first file
        (day(0), "nothing\n" * 600_000),  # only a log without any event is given up early
        (day(0), gzip.compress(day(1).encode())[:-900], day(2)),  # cut
        (day(0), "", day(1)),
    ],
    ids=["backwards", "other format", "patience", "damaged", "empty"],
)
def test_files_that_depend_on_those_before_are_read_in_order(
    contents: tuple[str | bytes, ...], tmp_path: Path
) -> None:
    same(*both(put(tmp_path, *contents)))


def test_progress_counts_the_bytes_of_all_files(tmp_path: Path) -> None:
    paths, seen = put(tmp_path, day(0), day(1), day(2)), []
    convert(YahooLog(paths), tmp_path / "x.parquet", lambda *at: seen.append(at), workers=2)
    total = sum(path.stat().st_size for path in paths)
    assert seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
