"""Help is at hand at once, and nothing heavy is loaded for it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numba", "llvmlite", "matplotlib", "pandas", "pyarrow", "scipy")


def loaded(code: str) -> list[str]:
    """Which of the heavy modules a fresh process has after running `code`."""
    script = f"import sys\n{code}\nprint([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    found: list[str] = eval(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize(
    "code",
    [
        "import highseason",
        "import highseason; highseason.report",
        "import highseason; highseason.bandit.JsonLinesStore",
        "import highseason; highseason.lifetimes.birth_and_death",
        "from highseason.cli import main; main(['--help'], standalone_mode=False)",
        "from highseason.cli import main; main(['simulate', '--help'], standalone_mode=False)",
        "from highseason.cli import main; main(['policies', '--json'], standalone_mode=False)",
        "from highseason.cli import main; main(['plan', '-p', 'ucb'], standalone_mode=False)",
        "from highseason.cli import main; main(['simulate', '-p', 'uc'], standalone_mode=False)",
    ],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    assert loaded(code) == []


def test_only_the_command_that_is_called_is_loaded() -> None:
    code = (
        "import sys; from highseason.cli import main; main(['policies'], standalone_mode=False)\n"
        "print([m for m in sys.modules if m.startswith('highseason.cli.commands.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "['highseason.cli.commands.policies']"


@pytest.mark.parametrize("command", [["--help"], ["simulate", "--help"]])
def test_help_prints_within_half_a_second(command: list[str]) -> None:
    def seconds() -> float:
        """Of work, not of waiting for a machine that is busy with other tests."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "highseason.cli", *command],
            capture_output=True,
            timeout=60,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(3)) < 0.5


def test_help_compiles_nothing(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "highseason.cli", "simulate", "--help"],
        env=os.environ | {"HIGHSEASON_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert not (tmp_path / "cache").exists()
