"""Help is at hand at once: nothing heavy is loaded for it, and nothing is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numba", "llvmlite", "matplotlib", "pandas", "pyarrow", "scipy")
HELP = "from highseason.cli import main; main(['--help'], standalone_mode=False)"
HELP_OF_A_COMMAND = HELP.replace("['", "['simulate', '")

#: What the options of `simulate` are read with; its games are not among them.
ROOMS_OF_OPTIONS = {"cli", "core", "traffic"}


def loaded(code: str, cache: Path) -> set[str]:
    """The modules a fresh process has after running `code`."""
    script = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"HIGHSEASON_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


def rooms(modules: set[str]) -> set[str]:
    return {name.split(".")[1] for name in modules if name.startswith("highseason.")}


@pytest.mark.parametrize(
    "code",
    [
        "import highseason as h; h.report, h.bandit.JsonLinesStore, h.lifetimes.birth_and_death",
        "from highseason.cli import main; main(['policies', '--json'], standalone_mode=False)",
        "from highseason.cli import main; main(['plan', '-p', 'ucb'], standalone_mode=False)",
        "from highseason.cli import main; main(['simulate', '-p', 'uc'], standalone_mode=False)",
    ],
)
def test_nothing_heavy_is_loaded(code: str, tmp_path: Path) -> None:
    assert loaded(code, tmp_path).isdisjoint(HEAVY)


def test_help_needs_no_numbers(tmp_path: Path) -> None:
    modules = loaded(HELP, tmp_path / "cache")
    assert modules.isdisjoint({*HEAVY, "numpy", "rich"})
    assert rooms(modules) == {"cli", "core"}
    assert not any(name.startswith("highseason.cli.commands.") for name in modules)
    assert not (tmp_path / "cache").exists()


def test_the_help_of_a_command_loads_that_command_alone(tmp_path: Path) -> None:
    modules = loaded(HELP_OF_A_COMMAND, tmp_path / "cache")
    assert modules.isdisjoint(HEAVY)
    assert rooms(modules) == ROOMS_OF_OPTIONS
    commands = [name for name in modules if name.startswith("highseason.cli.commands.")]
    assert commands == ["highseason.cli.commands.simulate"]
    assert not (tmp_path / "cache").exists()
