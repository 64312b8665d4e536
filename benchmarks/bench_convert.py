"""A Yahoo! log to Parquet: ours against a Polars pipeline for the same columns, in one run.

Both take turns on one generated log (not timed), each in a process of its own, warmed up on a small
log, so that memory can be told apart.  Ours checks every line, finds out what was shown from which
pool and counts what it leaves out; the pipeline splits good lines and would fail on a bad one.  It
fails where ours is slower, or takes 500 MB of memory or more.

    make bench
    HIGHSEASON_BENCH_MB=50 python benchmarks/bench_convert.py
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SIZE = float(os.environ.get("HIGHSEASON_BENCH_MB", "500"))
ROUNDS = 5
MEMORY = 500
BYTES_A_DAY = 1.0e9  # of the busy hours that come first


def ours(log: Path, out: Path) -> int:
    from highseason.logs import YahooLog, convert

    return convert(YahooLog((log,)), out).events


def polars(log: Path, out: Path) -> int:
    """The fastest of a dozen ways tried: whole lines, split twice, categories for arm and pool."""
    import polars as pl

    parts = pl.col("line").str.splitn(" |", 3)  # head, user, pool
    head = pl.col("field_0").str.splitn(" ", 3)  # time, arm, click
    (
        _lines(pl, log)
        .select(parts.alias("parts"))
        .unnest("parts")
        .select(head.alias("head"), pool=pl.col("field_2").cast(pl.Categorical))
        .unnest("head")
        .select(
            time=pl.col("field_0").cast(pl.Int64),
            arm=pl.col("field_1").cast(pl.Categorical),
            reward=pl.col("field_2").cast(pl.UInt8),
            pool="pool",
        )
        .sink_parquet(out)
    )
    return int(pl.scan_parquet(out).select(pl.len()).collect().item())


def _lines(pl: Any, log: Path) -> Any:
    if hasattr(pl, "scan_lines"):
        return pl.scan_lines(log, name="line")
    return pl.scan_csv(
        log, has_header=False, separator="\x01", quote_char=None, new_columns=["line"]
    )


WAYS: dict[str, Callable[[Path, Path], int]] = {"ours": ours, "polars": polars}


def measure(way: str, small: Path, log: Path, out: Path) -> None:
    """In a process of its own: seconds, events and peak memory as JSON."""
    WAYS[way](small, out)
    begin, worked = time.perf_counter(), time.process_time()
    events = WAYS[way](log, out)
    found = {
        "seconds": time.perf_counter() - begin,
        "work": time.process_time() - worked,
        "events": events,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(found))


def main() -> int:
    from highseason.logs import generate_log

    found: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        small, log, out = (Path(folder) / name for name in ("small", "log", "out.parquet"))
        generate_log(small, days=0.002, seed=3)
        begin = time.perf_counter()
        generate_log(log, days=SIZE * 1e6 / BYTES_A_DAY, seed=3)
        size = log.stat().st_size / 1e6
        seconds = time.perf_counter() - begin
        print(f"a generated log of {size:.0f} MB, made at {size / seconds:.0f} MB/s")
        for _ in range(ROUNDS):
            for way, results in found.items():
                command = [sys.executable, __file__, way, str(small), str(log), str(out)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    print(f"{way} failed: {done.stderr.strip().splitlines()[-1]}")
                    return 1
                results.append(json.loads(done.stdout))
    return report(size, found)


def report(size: float, found: dict[str, list[dict[str, float]]]) -> int:
    for way, results in found.items():
        rates = [size / result["seconds"] for result in results]
        work = min(result["work"] for result in results)
        memory = max(result["memory"] for result in results)
        best, middle = max(rates), statistics.median(rates)
        print(
            f"{way:8} {best:5.0f} MB/s at best, {middle:5.0f} in the middle; {work:.2f} s of work; "
            f"{results[0]['events']:,} events; {memory:.0f} MB at most"
        )
    pairs = zip(found["polars"], found["ours"], strict=True)
    ratio = statistics.median(theirs["seconds"] / mine["seconds"] for theirs, mine in pairs)
    memory = max(result["memory"] for result in found["ours"])
    good = ratio >= 1 and memory < MEMORY
    print(f"ours is {ratio:.2f} times as fast (needed: 1), in {memory:.0f} MB (allowed: {MEMORY})")
    print("All reached." if good else "Not all reached.")
    return int(not good)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1], *map(Path, sys.argv[2:]))
    else:
        sys.exit(main())
