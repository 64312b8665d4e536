"""How long until the first game: on a machine that never ran it, and in every process after.

A fresh cache folder stands for the machine that never ran it.  Each measurement is a process of its
own, its start and imports included.  Help is measured in CPU time, against the start of a Python
that imports click and NumPy: no command can start faster than what it is made of.  The first
bandit of a process is measured in CPU seconds beyond `import highseason`.

    make bench
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

COMMAND = [sys.executable, "-m", "highseason"]
POLICIES = ["--policy", "epsilon-z", "--policy", "ucb-z", "--policy", "variable-pool"]
SIMULATE = [*COMMAND, "simulate", *POLICIES, "--multiplier", "wave", "--arms", "25"]
SIMULATE += ["--turns", "500", "--games", "50", "--json"]
BARE = [sys.executable, "-c", "import click, numpy"]
BANDIT = """
import time
import highseason as hs
begin = time.process_time()
G = [100 + 7 * (t % 9) for t in range(50)]
shelf = hs.Bandit(["a", "b"], multiplier=G, reward_range=(0, 1))
shelf.update(shelf.pull(), 30, visitors=100)
print(time.process_time() - begin)
"""
HELP = ([*COMMAND, "--help"], [*COMMAND, "simulate", "--help"])


def seconds(command: list[str], cache: str) -> float:
    """Wall seconds of a process."""
    begin = time.perf_counter()
    environment = {**os.environ, "HIGHSEASON_CACHE_DIR": cache}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return time.perf_counter() - begin


def cpu_seconds(command: list[str]) -> float:
    """CPU seconds of a process."""

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    begin = spent()
    subprocess.run(command, check=True, capture_output=True)
    return spent() - begin


def main() -> None:
    """Print how long each start takes; exit 1 where one takes longer than it may."""
    with tempfile.TemporaryDirectory() as cache:
        cold = seconds(SIMULATE, cache)
        warm = min(seconds(SIMULATE, cache) for _ in range(5))
    rounds = [[cpu_seconds(command) for command in (BARE, *HELP)] for _ in range(7)]
    bare, overview, command = (min(times) for times in zip(*rounds, strict=True))
    first = [subprocess.check_output([sys.executable, "-c", BANDIT]) for _ in range(7)]
    print(f"python -c 'import click, numpy': {bare:.2f} s of CPU")
    limits = {
        "cold start, seconds": (cold, 15.0),
        "second process, seconds": (warm, 1.0),
        "--help, of that start": (overview / bare, 1.0),
        "simulate --help, of that start": (command / bare, 2.0),
        "the first bandit of a process, seconds": (min(map(float, first)), 0.4),
    }
    for name, (took, most) in limits.items():
        print(f"{name}: {took:.2f} (at most {most:g})")
    sys.exit(any(took > most for took, most in limits.values()))


if __name__ == "__main__":
    main()
