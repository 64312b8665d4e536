"""`tests/mutants.py` finds a change where a test does, and takes no equal change for a find."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests import mutants

SOURCE = """
LARGE = 3
NAME = "a" + "b"


def far(value: int, more: float = 0.5) -> bool:
    return value > LARGE + more


def magnitude(value: int) -> int:
    return value if value > 0 else -value  # 0 is its own negative
"""
TESTS = """
from highseason.room import far, magnitude


def test_far():
    assert [far(value) for value in (3, 4)] == [False, True]
    assert not far(4, 1)
    assert far(3, -1)


def test_magnitude():
    assert [magnitude(value) for value in (-1, 0, 1)] == [1, 0, 1]
"""
EQUAL = """
[[change]]
file = "src/highseason/room/__init__.py"
line = "return value if value > 0 else -value  # 0 is its own negative"
change = "0 → 1"
reason = "written down to be left out"
"""


def test_planted_mutants_are_found_and_equal_ones_are_not(tmp_path: Path) -> None:
    texts = {
        "src/highseason/room/__init__.py": SOURCE,
        "src/highseason/__init__.py": "",
        "tests/room/test_room.py": TESTS,
        "tests/conftest.py": "import highseason.room",
        "tests/equal_changes.toml": EQUAL,
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['--import-mode=importlib']\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [sys.executable, mutants.__file__, "--sample", "30", "--jobs", "1"]
    environment = {**os.environ, "MUTANTS_ROOT": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    verdicts = {row[9:].split("    ")[0]: row[:9].strip() for row in done.stdout.splitlines()}
    file = "src/highseason/room/__init__.py"
    assert verdicts[f"{file}:2: 3 → 4"] == "killed", done.stdout + done.stderr
    assert verdicts[f"{file}:3: + → -"] == "killed"  # it cannot be imported any more
    assert verdicts[f"{file}:6: 0.5 → -0.5"] == "killed"
    assert verdicts[f"{file}:7: + → -"] == "killed"
    assert verdicts[f"{file}:11: > → >="] == "survived"
    assert verdicts[f"{file}:11: 0 → 1"] == "equal"
    assert done.returncode == 1  # 83% are too few
    assert (tmp_path / file).read_text(encoding="utf-8") == SOURCE


def test_a_test_that_waits_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It uses no time of the processor."""
    monkeypatch.setattr(mutants, "PATIENCE", 0.01)
    watch, ended = mutants.Watch(None, None, stop=False, compiled=False), []
    watch.chosen, watch.seconds = ["a::one", "a::two"], {"a::one": 0.1}
    watch.pytest_runtest_protocol(SimpleNamespace(nodeid="a::two"))
    watch.give_up(lambda: ended.append(list(watch.slow)))
    watch.pytest_runtest_logfinish()
    assert ended == [["a::two"]]


def test_only_the_files_that_are_named_take_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    for name in ("test_http.py", "test_views.py"):
        (tmp_path / "tests/room").mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests/room" / name).touch()
    pool: Any = SimpleNamespace(submit=lambda _, path, *__: path.name)
    trees: Any = SimpleNamespace()
    assert mutants.measure("room", trees, pool) == ["test_http.py", "test_views.py"]
    assert mutants.measure("room", trees, pool, ["views"]) == ["test_views.py"]


def test_declarations_are_shown_to_what_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test of a schema runs no line of it."""
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    source = b"MOST = 3\n\n\ndef double(x):\n    return 2 * x\n"
    (tmp_path / "room.py").write_bytes(source)
    recorded, other = "tests/room/test_recorded.py::test_it", "tests/room/test_room.py::test_double"
    survey = mutants.Survey({recorded: 1.0, other: 0.1}, {"room.py": {5: {other}}}, set(), [])
    constant, factor = (place[0] for place in mutants.mutants_of("room.py", source)[:2])
    assert mutants.killers(constant, survey)[0] == other
    assert set(mutants.killers(constant, survey)) == {recorded, other}
    assert mutants.killers(factor, survey) == [other]
