"""Tiny games in numba-cuda's simulator give what `simulate` gives.

The simulator is chosen by an environment variable when numba starts, hence the process.  It runs
Python: it sees neither how a GPU rounds (see `test_ptx`) nor how fast it is.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("numba_cuda")


def test_tiny_games_equal_those_of_the_cpu() -> None:
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.gpu.tiny_games"],
        env=environment, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = [line.removesuffix(": equal") for line in done.stdout.splitlines()]
    kinds = "3 arms,70 arms,2 lanes,naive,random ties,drift,lifetimes,visitors,offers"
    assert names == [*kinds.split(","), "seen", "own visitors", "wrong arms", "results"]
