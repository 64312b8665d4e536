"""Logs to event tables: ours against Polars pipelines, in one run.

All take turns on generated logs, each in a process of its own, warmed up on a small log, so that
memory can be told apart.  Ours runs on Polars too, but checks every line, counts what it skips and
numbers arms and pools; the peers read good lines and fail on a bad one.  It fails where ours is
slower than the limit, in CPU time, or takes too much memory.

    make bench
    HIGHSEASON_BENCH_MB=50 python benchmarks/bench_convert.py
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SIZE = float(os.environ.get("HIGHSEASON_BENCH_MB", "500"))
ROUNDS = 5
MEMORY = 600
BYTES_PER_DAY = 1.0e9  # of the busy hours that come first
COLUMNS = ("time", "arm", "reward", "pool", "propensity")


def yahoo(log: Path, out: Path) -> int:
    from highseason.logs import YahooLog, convert

    return convert(YahooLog((log,)), out).events


def yahoo_polars(log: Path, out: Path) -> int:
    """The fastest of a dozen ways tried: whole lines, split twice, categories for arm and pool."""
    import polars as pl

    parts = pl.col("line").str.splitn(" |", 3)  # head, user, pool
    head = pl.col("field_0").str.splitn(" ", 3)  # time, arm, click
    (
        pl.scan_lines(log, name="line")
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


def table(log: Path, out: Path) -> int:
    from highseason.logs import TableLog, convert

    log = log.with_suffix(".csv")
    return convert(TableLog(log, pool="pool", propensity="propensity", clicks=True), out).events


def table_polars(log: Path, out: Path) -> int:
    import polars as pl

    kinds = {"reward": pl.UInt8}
    rows = pl.scan_csv(log.with_suffix(".csv"), schema_overrides=kinds)
    rows.with_columns(pl.col("arm", "pool").cast(pl.Categorical)).sink_parquet(out)
    return int(pl.scan_parquet(out).select(pl.len()).collect().item())


WAYS: dict[str, Callable[[Path, Path], int]] = {
    way.__name__: way for way in (yahoo, yahoo_polars, table, table_polars)
}
#: Ours, the peer, and how many times as fast ours must be.
LIMITS = (("yahoo", "yahoo_polars", 0.6), ("table", "table_polars", 0.5))


def write_table(yahoo_log: Path, out: Path) -> None:
    """The events of a log as a CSV."""
    from highseason.logs import YahooLog, collect

    events, _ = collect(YahooLog((yahoo_log,)))
    arms, pools = events.arms, events.pools
    texts = ["|".join(arms[arm] for arm in pools[i]) for i in range(len(pools))]
    columns = zip(
        events.time, events.arm, events.reward, events.pool, events.display_probability, strict=True
    )
    with out.open("w", encoding="utf-8") as file:
        file.write(",".join(COLUMNS) + "\n")
        for when, arm, reward, pool, chance in columns:
            file.write(f"{when},{arms[arm]},{reward},{texts[pool]},{chance}\n")


def peak_memory() -> float:
    """The peak of this process alone, in MB; `getrusage` would include its parent's."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024


def measure(way: str, small: Path, log: Path, out: Path) -> None:
    """In a process of its own: seconds, events and peak memory as JSON."""
    WAYS[way](small, out)
    begin, worked = time.perf_counter(), time.process_time()
    events = WAYS[way](log, out)
    result = {
        "seconds": time.perf_counter() - begin,
        "work": time.process_time() - worked,
        "events": events,
        "memory": peak_memory(),
    }
    print(json.dumps(result))


def main() -> int:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the studies
    from studies.logged.generate import generate_log

    results: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        small, log, out = (Path(folder) / name for name in ("small", "log", "out.parquet"))
        for path, days in ((small, 0.002), (log, SIZE * 1e6 / BYTES_PER_DAY)):
            generate_log(path, days=days, seed=3)
            write_table(path, path.with_suffix(".csv"))
        for _ in range(ROUNDS):
            for way, runs in results.items():
                command = [sys.executable, __file__, way, str(small), str(log), str(out)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    print(f"{way} failed: {done.stderr.strip().splitlines()[-1]}")
                    return 1
                runs.append(json.loads(done.stdout))
        sizes = {"yahoo": log.stat().st_size / 1e6}
        sizes["table"] = log.with_suffix(".csv").stat().st_size / 1e6
    return report(sizes, results)


def report(sizes: dict[str, float], results: dict[str, list[dict[str, float]]]) -> int:
    for way, runs in results.items():
        rates = [sizes[way.partition("_")[0]] / run["seconds"] for run in runs]
        work, memory = min(run["work"] for run in runs), max(run["memory"] for run in runs)
        print(
            f"{way:12} {max(rates):5.0f} MB/s at best, median {statistics.median(rates):5.0f}; "
            f"{work:.2f} s of work; {runs[0]['events']:,} events; {memory:.0f} MB of memory"
        )
    is_good = True
    for way, peer, limit in LIMITS:
        # CPU time, and the best of the rounds: other jobs on the machine take least away from it.
        theirs, ours = (min(run["work"] for run in results[name]) for name in (peer, way))
        ratio = theirs / ours
        memory = max(run["memory"] for run in results[way])
        is_good = is_good and ratio >= limit and memory < MEMORY
        print(
            f"{way} is {ratio:.2f} times as fast as {peer} (needed: {limit:g}), in {memory:.0f} MB "
            f"(allowed: {MEMORY})"
        )
    print("All limits met." if is_good else "Not all limits met.")
    return int(not is_good)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1], *map(Path, sys.argv[2:]))
    else:
        sys.exit(main())
