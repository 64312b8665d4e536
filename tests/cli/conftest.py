"""How the tests call the program: in this process where that is enough, else as a real one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from highseason.cli import main


@dataclass(frozen=True)
class Answer:
    """What a call of the program gave back."""

    code: int
    stdout: str
    stderr: str

    @property
    def line(self) -> str:
        """The one line on stderr."""
        (line,) = self.stderr.splitlines()
        return line


Call = Callable[..., Answer]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a command line in an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> Answer:
        result = CliRunner().invoke(main, list(words))
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return Answer(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def run(tmp_path: Path) -> Call:
    """Run a command line in an empty folder, in a process of its own."""

    def run(*words: str, **variables: str) -> Answer:
        done = subprocess.run(
            [sys.executable, "-m", "highseason.cli", *words],
            cwd=tmp_path,
            env=os.environ | variables,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def traffic(tmp_path: Path) -> Path:
    """Two months of visitors, busy at the weekend."""
    days = [f"2026-{1 + i // 28:02}-{1 + i % 28:02}" for i in range(56)]
    rows = [f"{day},{300 if i % 7 > 4 else 100 + i % 5}" for i, day in enumerate(days)]
    path = tmp_path / "traffic.csv"
    path.write_text("\n".join(["day,visitors", *rows]) + "\n")
    return path
