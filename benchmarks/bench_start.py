"""How long until the first game: on a machine that never ran it, and in every process after.

A fresh cache folder stands for the machine that never ran it.  Each measurement is a process of its
own, its start and imports included.

    make bench
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

COMMAND = [sys.executable, "-m", "highseason.cli"]
POLICIES = ["--policy", "epsilon-z", "--policy", "ucb-z", "--policy", "variable-pool"]
SIMULATE = [*COMMAND, "simulate", *POLICIES, "--multiplier", "wave", "--arms", "25"]
SIMULATE += ["--turns", "500", "--games", "50", "--json"]


def seconds(command: list[str], cache: str) -> float:
    """Wall seconds of a process."""
    begin = time.perf_counter()
    environment = {**os.environ, "HIGHSEASON_CACHE_DIR": cache}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return time.perf_counter() - begin


def main() -> None:
    """Print the three starts; exit 1 where one takes longer than it may."""
    with tempfile.TemporaryDirectory() as cache:
        cold = seconds(SIMULATE, cache)
        warm = min(seconds(SIMULATE, cache) for _ in range(5))
        told = min(seconds([*COMMAND, "--help"], cache) for _ in range(5))
    limits = {"cold start": (cold, 15.0), "second process": (warm, 1.0), "--help": (told, 0.5)}
    for name, (took, most) in limits.items():
        print(f"{name}: {took:.2f} s (at most {most:g})")
    sys.exit(any(took > most for took, most in limits.values()))


if __name__ == "__main__":
    main()
