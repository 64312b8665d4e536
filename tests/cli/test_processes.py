"""A few things only a real process shows."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]

PROGRAM = [sys.executable, "-m", "highseason"]
SMALL = "simulate -p ucb -p soft-ucb --arms 4 --turns 60 --games 20 --json".split()


def test_a_fresh_cache_says_that_it_compiles_on_stderr(run: Call, tmp_path: Path) -> None:
    bound = "bound -p epsilon-z:k=50,z=30 --means 0.5,0.9 --json"  # a quick kernel
    answer = run(*bound.split(), HIGHSEASON_CACHE_DIR=str(tmp_path / "cache"))
    assert answer.code == 0
    assert json.loads(answer.stdout)["arms"] == 2
    assert "compiling" in answer.stderr


def test_the_package_is_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "highseason", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("highseason ")


def test_asked_wrongly(run: Call) -> None:
    answer = run("simulate", "-p", "soft-ucbb", "--json")
    assert (answer.code, answer.stdout) == (2, "")
    assert "Did you mean 'soft-ucb'?" in answer.line


def test_warnings_are_lines(run: Call) -> None:
    answer = run(*"plan -p ucb-z:z=3000 -m wave --turns 60 --arms 2 --json".split())
    assert (answer.code, json.loads(answer.stdout)["turns"]) == (0, 60)
    assert answer.line.startswith("highseason: warning: ")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_without_all_letters(encoding: str) -> None:
    done = subprocess.run(
        [*PROGRAM, "policies"],  # whose words have an ε in them
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    )
    assert b"Explore with probability" in done.stdout


def interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Ctrl-C once the command is at work, and again where a library did not listen."""
    while "llvmlite" not in Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8"):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    for _ in range(60):
        try:
            return process.communicate(timeout=4.0)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
    process.kill()
    raise AssertionError("the program does not stop")


def test_interrupted() -> None:
    process = subprocess.Popen(
        [*PROGRAM, "simulate", "-p", "ucb", "--games", "100000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background
    )  # inherits a deaf ear to Ctrl-C
    stdout, stderr = interrupt(process)
    assert (process.returncode, stdout) == (130, "")
    assert "Traceback" not in stderr
    assert stderr.splitlines()[-1] == "highseason: interrupted"


def test_a_request_to_end_leaves_no_half_a_file(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"1317513600 id-2 1 |user 1 9 |id-1 |id-2\n" * 1_500_000)
    process = subprocess.Popen(
        [*PROGRAM, "convert", "yahoo", "log", "--out", "events.parquet"], cwd=tmp_path
    )
    while list(tmp_path.iterdir()) == [log] and process.poll() is None:
        time.sleep(0.01)
    process.terminate()
    assert process.wait(timeout=300) == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == [log]


def test_a_closed_pipe_is_no_accident() -> None:
    line = f"{sys.executable} -m highseason plan -p ucb --turns 5000 --json | head -c 10"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.stdout.startswith('{"policy"')
    assert "Traceback" not in done.stderr


def test_a_progress_bar_where_somebody_sees_it() -> None:
    mine, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *SMALL],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(theirs)
    seen = read_to_the_end(mine)
    stdout, _ = process.communicate(timeout=300)
    assert json.loads(stdout)["games"] == 20
    assert "games" in seen
    assert "100%" in seen


def read_to_the_end(terminal: int) -> str:
    seen = b""
    while True:
        try:
            more = os.read(terminal, 1 << 16)
        except OSError:  # Linux's way to say that the other side has closed it
            more = b""
        if not more:
            os.close(terminal)
            return seen.decode()
        seen += more
