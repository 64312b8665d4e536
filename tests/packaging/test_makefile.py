"""The Makefile keeps to environments of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = """#!/bin/sh
echo "$0 $*" >> calls
if [ "$1 $2" = "-m venv" ]; then
  mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && cp "$0" "$3/bin/mkdocs"
fi
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What make needs of the repository, with a Python that notes what it is called with."""
    for name in ("Makefile", "pyproject.toml", "requirements"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    for name in ("src", "studies", "tests", "docs"):  # where clean looks for caches
        (tmp_path / name).mkdir()
    (tmp_path / "python").write_text(TOOL, encoding="utf-8")
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def make(clone: Path, *targets: str) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    words = ["make", "--no-print-directory", "PYTHON=./python", *targets]
    done = subprocess.run(words, cwd=clone, env=environment, capture_output=True, text=True,
                          check=True, timeout=60)  # fmt: skip
    return done.stdout


def calls(clone: Path) -> str:
    return (clone / "calls").read_text(encoding="utf-8")


def test_venv_is_made_where_there_is_none(clone: Path) -> None:
    assert ".venv-dev" not in make(clone, "docs")
    assert "./python -m venv .venv\n" in calls(clone)
    assert ".venv/bin/mkdocs build" in calls(clone)
    (clone / "calls").unlink()
    make(clone, "docs")  # and kept
    assert "-m venv" not in calls(clone)
    assert ".venv/bin/mkdocs build" in calls(clone)


def test_one_that_was_interrupted_is_finished(clone: Path) -> None:
    make(clone, "venv")
    (clone / ".venv" / ".ready").unlink()
    make(clone, "venv")
    assert (clone / ".venv" / ".ready").exists()
    assert not (clone / ".venv-dev").exists()


def test_one_that_make_did_not_make_is_never_touched(clone: Path) -> None:
    own = clone / ".venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    os.utime(own.parent, (0, 0))
    said = make(clone, "docs")
    assert said.count(".venv is your own and stays as it is") == 1
    assert [*(clone / ".venv").rglob("*")] == [own.parent, own]
    assert own.parent.stat().st_mtime == 0
    assert ".venv-dev/bin/mkdocs build" in calls(clone)
    assert ".venv/bin" not in calls(clone)
    make(clone, "clean")
    assert own.exists()
    assert not (clone / ".venv-dev").exists()
